//! Which files of an input are read, as what, and in which order.
//!
//! Of each table the files of `--input` come first, arguments in the order given and the files of a folder by the bytes
//! of their paths relative to it; then those of the table's own flag. The order matters: of two listings with one key
//! the first wins, unless the newest does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::arguments::{Arguments, STANDARD_INPUT, Spool};
use super::format::{Compression, Format};
use super::input_file::{Holds, InputFile, is_partitioned, keys, named};
use super::local_files::{files_below, is_hidden, matches};
use super::mapping::InputTable;
use super::remote_input::{Fetched, RemoteInput, RemoteSearch};
use super::{format, reader};
use crate::store::{is_address, shown};

/// Everything an input holds, in reading order.
#[derive(Debug, Default, Clone)]
pub struct InputFiles {
    /// Files with listings.
    pub listings: Vec<InputFile>,
    /// Files with observations; those with both tables stand in both lists.
    pub observations: Vec<InputFile>,
    /// Classification publications.
    pub gpc: Vec<SideFile>,
    /// Tables of everyday shelf names.
    pub aliases: Vec<SideFile>,
    /// Tables from category paths to bricks.
    pub category_gpc: Vec<SideFile>,
    /// Files that nothing reads.
    pub unread: Vec<Unread>,
    /// The arguments, as given, and whether a side table was found by each.
    pub arguments: Vec<(String, bool)>,
}

/// A side table.
#[derive(Debug, Clone)]
pub struct SideFile {
    /// Where it, or its copy, is.
    pub path: PathBuf,
    /// How reports name it.
    pub name: String,
    /// Keeps the copy.
    _copy: Option<Arc<Fetched>>,
}

impl SideFile {
    /// A file of this machine.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), name: path.display().to_string(), _copy: None }
    }
}

/// A file that nothing reads.
#[derive(Debug, Clone)]
pub struct Unread {
    /// Where it is.
    pub path: PathBuf,
    /// Why nothing reads it.
    pub why: String,
    /// The file, where it is of a format that is read.
    pub file: Option<InputFile>,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

/// A file that an argument names.
struct ArgumentFile {
    /// Its path, or its address as reports show it.
    path: PathBuf,
    remote: Option<Arc<RemoteInput>>,
}

impl From<PathBuf> for ArgumentFile {
    fn from(path: PathBuf) -> Self {
        Self { path, remote: None }
    }
}

impl From<Arc<RemoteInput>> for ArgumentFile {
    fn from(remote: Arc<RemoteInput>) -> Self {
        Self { path: PathBuf::from(shown(remote.url())), remote: Some(remote) }
    }
}

/// A file of an argument before it is known what it holds.
struct Candidate {
    file: InputFile,
    named: Option<Holds>,
    /// Whether it may be looked into where nothing names it.
    visible: bool,
}

/// Searches what the arguments name; `spool` has standard input, and takes in what lies behind addresses.
///
/// # Errors
/// When an argument names nothing, or a folder cannot be listed.
pub fn find(arguments: &Arguments, spool: &Spool) -> Result<InputFiles> {
    let mut search = Search {
        arguments,
        spool,
        remote: RemoteSearch::new(spool.scratch()),
        found: InputFiles::default(),
        seen: [HashSet::new(), HashSet::new()],
    };
    for input in &arguments.inputs {
        search.input(input)?;
    }
    for (table, patterns) in
        [(InputTable::Listings, &arguments.listings), (InputTable::Observations, &arguments.observations)]
    {
        for pattern in patterns {
            search.flag(table, pattern)?;
        }
    }
    Ok(search.finish())
}

struct Search<'a> {
    arguments: &'a Arguments,
    spool: &'a Spool,
    remote: RemoteSearch,
    found: InputFiles,
    /// Paths and addresses of listings and of observations that were taken.
    seen: [HashSet<PathBuf>; 2],
}

impl Search<'_> {
    /// An argument of `--input`.
    fn input(&mut self, input: &Path) -> Result<()> {
        let text = input.to_string_lossy();
        let argument = if is_local(&text) { text[LOCAL.len()..].to_owned() } else { shown(&text) };
        self.found.arguments.push((argument.clone(), false));
        let mut candidates = Vec::new();
        if input.as_os_str() == STANDARD_INPUT {
            candidates.push(Candidate { file: self.standard_input()?, named: None, visible: true });
        } else {
            for place in self.places_below(input)? {
                if !self.side_table(&place)? {
                    let within = place.path.strip_prefix(&argument).unwrap_or(Path::new(""));
                    let visible =
                        !within.components().any(|part| is_hidden(&part.as_os_str().to_string_lossy()));
                    candidates.extend(self.candidate(&place, visible));
                }
            }
        }
        let any_named = candidates.iter().any(|candidate| candidate.named.is_some());
        for Candidate { mut file, named, visible } in candidates {
            let looked_into = visible && (!any_named || is_partitioned(Path::new(&file.name)));
            file.holds = match named {
                Some(holds) => holds,
                None if !visible => continue,
                None if looked_into => match file.fetch().and_then(|_kept| reader::holds(&file)) {
                    Ok((holds, lacks)) => {
                        file.lacks = lacks;
                        holds
                    }
                    Err(fault) => {
                        self.leave(file, format!("{fault:#}"));
                        continue;
                    }
                },
                None => {
                    let why = "the path does not name a table (listings or observations), and other paths do; \
                               pass the file with --listings or --observations";
                    self.leave(file, why.to_owned());
                    continue;
                }
            };
            self.take(&file);
        }
        Ok(())
    }

    /// The files of an argument of `--input`, in order.
    fn places_below(&mut self, input: &Path) -> Result<Vec<ArgumentFile>> {
        let text = input.to_string_lossy();
        if is_address(&text) && !is_local(&text) {
            return Ok(self.remote.below(&text)?.into_iter().map(ArgumentFile::from).collect());
        }
        let input = if is_local(&text) { local(&text) } else { input };
        ensure!(input.exists(), "input {} does not exist", input.display());
        Ok(files_below(input)?.into_iter().map(ArgumentFile::from).collect())
    }

    /// A file or pattern of the flag of a table.
    fn flag(&mut self, table: InputTable, pattern: &str) -> Result<()> {
        self.found.arguments.push((shown(pattern), false));
        let places: Vec<ArgumentFile> = if is_address(pattern) && !is_local(pattern) {
            self.remote.matches(pattern)?.into_iter().map(ArgumentFile::from).collect()
        } else {
            let pattern = if is_local(pattern) { &pattern[LOCAL.len()..] } else { pattern };
            matches(pattern)?.into_iter().map(ArgumentFile::from).collect()
        };
        for place in places {
            let holds = if table == InputTable::Listings { Holds::Listings } else { Holds::Observations };
            let file = if place.path.as_os_str() == STANDARD_INPUT {
                self.standard_input()?
            } else {
                let name = place.path.file_name().unwrap_or_default().to_string_lossy();
                let mut file = self.file(&place, Format::of_name(&name).unwrap_or(UNKNOWN));
                if Format::of_name(&name).is_none() {
                    let _kept = file.fetch()?;
                    (file.format, file.compression) =
                        Format::sniff(&file.path).with_context(|| file.name.clone())?;
                }
                file
            };
            self.take(&InputFile { holds, ..file });
        }
        Ok(())
    }

    /// A path of a format that is read; others are noted.
    fn candidate(&mut self, place: &ArgumentFile, visible: bool) -> Option<Candidate> {
        let name = place.path.file_name().unwrap_or_default().to_string_lossy();
        let Some(format) = Format::of_name(&name) else {
            if visible {
                let why = format::why_not(&name).to_owned();
                self.found.unread.push(Unread { path: place.path.clone(), why, file: None });
            }
            return None;
        };
        Some(Candidate { named: named(&place.path), file: self.file(place, format), visible })
    }

    /// What came on standard input.
    fn standard_input(&self) -> Result<InputFile> {
        let spooled =
            self.spool.standard_input().context("standard input (-) is supported only by pricebook build")?;
        let place = ArgumentFile::from(PathBuf::from(STANDARD_INPUT));
        let file = self.file(&place, (Format::Arrow, Compression::None));
        Ok(InputFile { path: spooled.to_owned(), name: "standard input".to_owned(), ..file })
    }

    fn file(&self, place: &ArgumentFile, (format, compression): (Format, Compression)) -> InputFile {
        let name = place.path.to_string_lossy().into_owned();
        InputFile {
            settings: self.arguments.mapping.settings(&name),
            keys: keys(&place.path),
            path: place.remote.as_ref().map_or(&*place.path, |remote| remote.copy()).to_owned(),
            remote: place.remote.clone(),
            name,
            format,
            compression,
            holds: Holds::Both,
            lacks: String::new(),
            argument: self.found.arguments.len() - 1,
        }
    }

    /// Notes a file of a format that is read, which is not.
    fn leave(&mut self, file: InputFile, why: String) {
        let path = file.remote.as_ref().map_or_else(|| file.path.clone(), |_| PathBuf::from(&file.name));
        self.found.unread.push(Unread { path, why, file: Some(file) });
    }

    /// Takes a file as what it holds; a path that was taken so already counts once.
    fn take(&mut self, file: &InputFile) {
        let key = place_of(file);
        for (table, seen) in InputTable::ALL.into_iter().zip(&mut self.seen) {
            let list = match table {
                InputTable::Listings => &mut self.found.listings,
                InputTable::Observations => &mut self.found.observations,
            };
            if file.holds.has(table) && seen.insert(key.clone()) {
                list.push(file.clone());
            }
        }
    }

    /// Whether the file is a side table, which is noted then; they are small, so one behind an address comes here.
    fn side_table(&mut self, place: &ArgumentFile) -> Result<bool> {
        let list = match &*place.path.file_name().unwrap_or_default().to_string_lossy() {
            "gpc.json" | "gpc.json.gz" => &mut self.found.gpc,
            "aliases.csv" | "aliases.csv.gz" => &mut self.found.aliases,
            "category_gpc.csv" | "category_gpc.csv.gz" => &mut self.found.category_gpc,
            _ => return Ok(false),
        };
        let (path, copy) = match &place.remote {
            Some(remote) => (remote.copy().to_owned(), Some(Arc::new(remote.fetch()?))),
            None => (place.path.clone(), None),
        };
        list.push(SideFile { path, name: place.path.display().to_string(), _copy: copy });
        if let Some((_, side_table)) = self.found.arguments.last_mut() {
            *side_table = true;
        }
        Ok(true)
    }

    /// A file that both flags name holds both tables.
    fn finish(mut self) -> InputFiles {
        let [listings, observations] = &self.seen;
        let both: HashSet<&PathBuf> = listings.intersection(observations).collect();
        let found = &mut self.found;
        for file in found.listings.iter_mut().chain(&mut found.observations) {
            if both.contains(&place_of(file)) {
                file.holds = Holds::Both;
            }
        }
        self.found
    }
}

/// How the address of a file of this machine begins.
const LOCAL: &str = "file://";
/// What a file is taken for until its first bytes are looked at.
const UNKNOWN: (Format, Compression) = (Format::Csv, Compression::None);

fn is_local(address: &str) -> bool {
    address.starts_with(LOCAL)
}

fn local(address: &str) -> &Path {
    Path::new(&address[LOCAL.len()..])
}

/// What tells a file from others: its address, or its path from the root.
fn place_of(file: &InputFile) -> PathBuf {
    match &file.remote {
        Some(remote) => PathBuf::from(remote.url()),
        None => std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone()),
    }
}
