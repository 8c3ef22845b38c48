//! Which files of an input are read, as what, and in which order.
//!
//! Of each table the files of `--input` come first, arguments in the order given and the files of a folder by the bytes
//! of their paths relative to it; then those of the table's own flag. The order matters: of two listings with one key
//! the first wins, unless the newest does.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use globset::GlobBuilder;
use percent_encoding::percent_decode_str;

use super::arguments::{Arguments, STANDARD_INPUT};
use super::format::{self, Compression, Format};
use super::input_file::{Holds, InputFile};
use super::reader;
use crate::build::mapping::InputTable;

/// Deepest nesting that is searched; a link that leads back into its own folder ends here.
const DEPTH_MAX: usize = 32;
/// What stands for a missing value in a `key=value` folder.
const HIVE_MISSING: &str = "__HIVE_DEFAULT_PARTITION__";
/// What makes a path a pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Everything an input holds, in reading order.
#[derive(Debug, Default, Clone)]
pub struct Found {
    /// Files with listings.
    pub listings: Vec<InputFile>,
    /// Files with observations; those with both tables stand in both lists.
    pub observations: Vec<InputFile>,
    /// Classification publications.
    pub gpc: Vec<PathBuf>,
    /// Tables of everyday shelf names.
    pub aliases: Vec<PathBuf>,
    /// Tables from category paths to bricks.
    pub category_gpc: Vec<PathBuf>,
    /// Files that nothing reads.
    pub unread: Vec<Unread>,
    /// The arguments, as given, and whether a side table was found by each.
    pub arguments: Vec<(String, bool)>,
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

/// A file of an argument before it is known what it holds.
struct Candidate {
    file: InputFile,
    named: Option<Holds>,
    /// Whether it may be looked into where nothing names it.
    visible: bool,
}

/// Searches what the arguments name; `spooled` is the file into which standard input was written.
///
/// # Errors
/// When an argument names nothing, or a folder cannot be listed.
pub fn find(arguments: &Arguments, spooled: Option<&Path>) -> Result<Found> {
    let mut search =
        Search { arguments, spooled, found: Found::default(), seen: [HashSet::new(), HashSet::new()] };
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
    spooled: Option<&'a Path>,
    found: Found,
    /// Paths of listings and of observations that were taken.
    seen: [HashSet<PathBuf>; 2],
}

impl Search<'_> {
    /// An argument of `--input`.
    fn input(&mut self, input: &Path) -> Result<()> {
        self.found.arguments.push((input.display().to_string(), false));
        let mut candidates = Vec::new();
        if input.as_os_str() == STANDARD_INPUT {
            candidates.push(Candidate { file: self.standard_input()?, named: None, visible: true });
        } else {
            refuse_url(&input.to_string_lossy())?;
            ensure!(input.exists(), "input {} does not exist", input.display());
            for path in files_below(input)? {
                if !self.side_table(&path) {
                    let within = path.strip_prefix(input).unwrap_or(Path::new(""));
                    let visible =
                        !within.components().any(|part| is_hidden(&part.as_os_str().to_string_lossy()));
                    candidates.extend(self.candidate(&path, visible));
                }
            }
        }
        let any_named = candidates.iter().any(|candidate| candidate.named.is_some());
        for Candidate { mut file, named, visible } in candidates {
            let looked_into = visible && (!any_named || is_partitioned(&file.path));
            file.holds = match named {
                Some(holds) => holds,
                None if !visible => continue,
                None if looked_into => match reader::holds(&file) {
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
                    let why = "its name does not say whether it holds listings or observations, and others' names do; \
                               name it with --listings or --observations";
                    self.leave(file, why.to_owned());
                    continue;
                }
            };
            self.take(&file);
        }
        Ok(())
    }

    /// A file or pattern of the flag of a table.
    fn flag(&mut self, table: InputTable, pattern: &str) -> Result<()> {
        self.found.arguments.push((pattern.to_owned(), false));
        refuse_url(pattern)?;
        for path in matches(pattern)? {
            let holds = if table == InputTable::Listings { Holds::Listings } else { Holds::Observations };
            let file = if path.as_os_str() == STANDARD_INPUT {
                self.standard_input()?
            } else {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let format = Format::of_name(&name).map_or_else(|| Format::sniff(&path), Ok)?;
                self.file(&path, format)
            };
            self.take(&InputFile { holds, ..file });
        }
        Ok(())
    }

    /// A path of a format that is read; others are noted.
    fn candidate(&mut self, path: &Path, visible: bool) -> Option<Candidate> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(format) = Format::of_name(&name) else {
            if visible {
                let why = format::why_not(&name).to_owned();
                self.found.unread.push(Unread { path: path.to_owned(), why, file: None });
            }
            return None;
        };
        let file = self.file(path, format);
        Some(Candidate { named: named(path), file, visible })
    }

    /// What came on standard input.
    fn standard_input(&self) -> Result<InputFile> {
        let spooled = self.spooled.context("standard input is read by build only")?;
        let file = self.file(Path::new(STANDARD_INPUT), (Format::Arrow, Compression::None));
        Ok(InputFile { path: spooled.to_owned(), name: "standard input".to_owned(), ..file })
    }

    fn file(&self, path: &Path, (format, compression): (Format, Compression)) -> InputFile {
        let name = path.to_string_lossy().into_owned();
        InputFile {
            settings: self.arguments.mapping.settings(&name),
            keys: keys(path),
            path: path.to_owned(),
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
        self.found.unread.push(Unread { path: file.path.clone(), why, file: Some(file) });
    }

    /// Takes a file as what it holds; a path that was taken so already counts once.
    fn take(&mut self, file: &InputFile) {
        let key = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
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

    /// Whether the path is a side table, which is noted then.
    fn side_table(&mut self, path: &Path) -> bool {
        let list = match &*path.file_name().unwrap_or_default().to_string_lossy() {
            "gpc.json" | "gpc.json.gz" => &mut self.found.gpc,
            "aliases.csv" | "aliases.csv.gz" => &mut self.found.aliases,
            "category_gpc.csv" | "category_gpc.csv.gz" => &mut self.found.category_gpc,
            _ => return false,
        };
        list.push(path.to_owned());
        if let Some((_, side_table)) = self.found.arguments.last_mut() {
            *side_table = true;
        }
        true
    }

    /// A file that both flags name holds both tables.
    fn finish(mut self) -> Found {
        let [listings, observations] = &self.seen;
        let both: HashSet<&PathBuf> = listings.intersection(observations).collect();
        let found = &mut self.found;
        for file in found.listings.iter_mut().chain(&mut found.observations) {
            if std::path::absolute(&file.path).is_ok_and(|path| both.contains(&path)) {
                file.holds = Holds::Both;
            }
        }
        self.found
    }
}

fn refuse_url(argument: &str) -> Result<()> {
    ensure!(
        !argument.contains("://"),
        "{argument}: addresses are not read; copy the files here, or pipe an Arrow stream into standard input (-)"
    );
    Ok(())
}

/// What the name of a file says that it holds, or that of the nearest folder which says anything.
fn named(path: &Path) -> Option<Holds> {
    let is = |name: &str, table: InputTable| name.eq_ignore_ascii_case(table.as_str());
    let holds = |name: &str| {
        let tables =
            [(InputTable::Listings, Holds::Listings), (InputTable::Observations, Holds::Observations)];
        tables.into_iter().find(|(table, _)| is(name, *table)).map(|(_, holds)| holds)
    };
    let name = path.file_name()?.to_string_lossy();
    let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
    holds(stem).or_else(|| {
        let folders = path.parent()?.components().rev();
        folders.into_iter().find_map(|folder| {
            let folder = folder.as_os_str().to_string_lossy();
            // Spark makes a folder of what it is told to write: `observations.csv/part-00000.csv`.
            let stem = folder.split_once('.').filter(|_| Format::of_name(&folder).is_some());
            holds(stem.map_or(&*folder, |(stem, _)| stem))
        })
    })
}

/// What programs leave beside their data, and what is not for others.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_']) && name != "." && name != ".."
}

/// The folders of a path that are written `key=value`, with their values decoded.
fn keys(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let key = |folder: Component<'_>| {
        let folder = folder.as_os_str().to_string_lossy();
        let (key, value) = folder.split_once('=')?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().trim().to_owned();
        let key = decoded(key);
        let value = if value == HIVE_MISSING { String::new() } else { decoded(value) };
        Some((if key.eq_ignore_ascii_case("dt") { "date".to_owned() } else { key }, value))
    };
    folders.filter_map(key).collect()
}

fn is_partitioned(path: &Path) -> bool {
    !keys(path).is_empty()
}

/// The file itself, or the files of a folder in order.
fn files_below(input: &Path) -> Result<Vec<PathBuf>> {
    if !input.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut paths = Vec::new();
    walk(input, 0, &mut paths)?;
    paths.sort_by_cached_key(|path| relative_bytes(path, input));
    Ok(paths)
}

/// The files that a flag names: one, those of a folder, or those that match a pattern, by the bytes of their paths.
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    if pattern == STANDARD_INPUT || path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let is_data = |path: &PathBuf, root: &Path| {
        let within = path.strip_prefix(root).unwrap_or(path);
        !within.components().any(|part| is_hidden(&part.as_os_str().to_string_lossy()))
    };
    if path.is_dir() {
        let mut files = files_below(path)?;
        files.retain(|file| is_data(file, path));
        ensure!(!files.is_empty(), "{pattern}: the folder holds no file");
        return Ok(files);
    }
    ensure!(pattern.contains(WILDCARDS), "{pattern} does not exist");
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .with_context(|| format!("{pattern}: not a pattern that is understood (* ** ? [] {{}})"))?
        .compile_matcher();
    // The part of the path before the first wildcard is where to search.
    let fixed = &pattern[..pattern.find(WILDCARDS).unwrap_or(0)];
    let root = Path::new(&fixed[..fixed.rfind('/').map_or(0, |at| at + 1)]);
    let from = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    ensure!(from.is_dir(), "{pattern}: there is no folder {}", from.display());
    let plain = |path: PathBuf| path.strip_prefix("./").map(Path::to_owned).unwrap_or(path);
    let mut files: Vec<PathBuf> = files_below(from)?.into_iter().map(plain).collect();
    files.retain(|file| glob.is_match(file) && (is_data(file, root) || names_hidden(pattern)));
    files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    ensure!(!files.is_empty(), "{pattern} matches no file");
    Ok(files)
}

/// Whether a pattern asks for hidden files in so many words.
fn names_hidden(pattern: &str) -> bool {
    pattern.split('/').any(is_hidden)
}

fn relative_bytes(path: &Path, input: &Path) -> Vec<u8> {
    path.strip_prefix(input).unwrap_or(path).as_os_str().as_encoded_bytes().to_vec()
}

fn walk(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<()> {
    if depth > DEPTH_MAX {
        bail!("input folder {} is nested more than {DEPTH_MAX} deep", folder.display());
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
        if path.is_dir() {
            walk(&path, depth + 1, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}
