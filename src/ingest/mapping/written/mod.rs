//! A proposed mapping as a file: what was found is written, what has to be decided stands behind `#`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::layer::glob;
use super::{InputTable, Proposal, ProposedColumn};
use crate::ingest::parsers::Ambiguity;
use crate::snapshot::tables::{ListingInput, ObservationInput};

/// Columns that may well hold for all rows of a file.
const CONSTANT: [&str; 3] =
    [ListingInput::Country.name(), ListingInput::Platform.name(), ObservationInput::Date.name()];
/// What opens the file.
const HEAD: &str =
    "# Proposed columns: our name = your name. Check each line, then build with --map and this file.\n";

/// A file of an input, and what it seems to need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProposal {
    /// Its path, as reports name it.
    pub path: String,
    /// What it holds; `None` for both tables in one.
    pub table: Option<InputTable>,
    /// What it lacks.
    pub proposal: Proposal,
    /// Forms of its values that nothing decides.
    pub notations: Vec<Ambiguity>,
}

impl FileProposal {
    /// Whether a column belongs to what the file holds.
    fn holds(&self, ours: &str) -> bool {
        let tables = InputTable::ALL.into_iter().filter(|table| self.table.is_none_or(|own| own == *table));
        tables.flat_map(InputTable::columns).any(|column| column.name == ours)
    }

    fn lacks(&self, ours: &str) -> bool {
        self.proposal.missing.iter().any(|column| column.ours == ours)
    }

    /// What it needs, without what only explains it: files that need the same have one section.
    fn needs(&self, said: &BTreeSet<&str>) -> Needs<'_> {
        let columns = self.proposal.columns.iter().map(|column| (column.ours, column.theirs.as_str()));
        let missing = self.proposal.missing.iter().map(|column| column.ours);
        Needs {
            columns: columns.collect(),
            missing: missing.filter(|ours| !said.contains(ours)).collect(),
            notations: self.notations.iter().map(|notation| notation.settings.as_str()).collect(),
        }
    }
}

/// What a file needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Needs<'a> {
    columns: BTreeSet<(&'static str, &'a str)>,
    missing: BTreeSet<&'static str>,
    notations: BTreeSet<&'a str>,
}

impl Needs<'_> {
    fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.missing.is_empty() && self.notations.is_empty()
    }
}

impl Proposal {
    /// The mapping that all files of an input seem to need, those that need nothing among them. Where files of one
    /// table need the same it has no sources.
    pub fn toml(files: &[FileProposal]) -> String {
        let mut text = String::from(HEAD);
        // What no file says is asked for once.
        let nowhere = |ours: &&str| {
            files.iter().any(|file| file.lacks(ours))
                && files.iter().all(|file| file.lacks(ours) || !file.holds(ours))
        };
        let said: BTreeSet<&str> = CONSTANT.into_iter().filter(nowhere).collect();
        if is_level(files, &said) {
            notations(&mut text, files);
            level_columns(&mut text, files);
            constants(&mut text, "", files, |ours| said.contains(ours));
        } else {
            constants(&mut text, "", files, |ours| said.contains(ours));
            sources(&mut text, files, &said);
        }
        text
    }
}

/// Whether one top level can say what all files need, and nothing that one of them does not.
fn is_level(files: &[FileProposal], said: &BTreeSet<&str>) -> bool {
    let of = |table| files.iter().filter(move |file| file.table == table);
    let agree = [None, Some(InputTable::Listings), Some(InputTable::Observations)].into_iter().all(|table| {
        let mut needs = of(table).map(|file| file.needs(said));
        let first = needs.next();
        needs.all(|other| Some(&other) == first.as_ref())
    });
    let is_mixed = of(None).next().is_some() && files.iter().any(|file| file.table.is_some());
    let constant = |file: &FileProposal| {
        let needs = file.needs(said);
        needs.missing.iter().any(|ours| CONSTANT.contains(ours))
    };
    let everywhere = |settings: &str| {
        files.iter().all(|file| file.notations.iter().any(|notation| notation.settings == settings))
    };
    agree
        && !is_mixed
        && !files.iter().any(constant)
        && files.iter().flat_map(|file| &file.notations).all(|notation| everywhere(&notation.settings))
}

/// The columns of files of one table, or of two: what both say alike, or only one of them can say, holds for both.
fn level_columns(text: &mut String, files: &[FileProposal]) {
    let tables: BTreeMap<Option<InputTable>, &FileProposal> =
        files.iter().rev().map(|file| (file.table, file)).collect();
    let says = |file: &FileProposal, column: &ProposedColumn| {
        !file.holds(column.ours)
            || file.proposal.columns.iter().any(|own| own.theirs == column.theirs && own.ours == column.ours)
    };
    let is_common = |column: &ProposedColumn| tables.values().all(|file| says(file, column));
    let mut lines = Lines::default();
    for file in tables.values() {
        file.proposal
            .columns
            .iter()
            .filter(|column| is_common(column))
            .for_each(|column| lines.column(column));
        lines.missing(file);
    }
    lines.write(text, "[columns]");
    for (table, file) in &tables {
        let mut lines = Lines::default();
        file.proposal
            .columns
            .iter()
            .filter(|column| !is_common(column))
            .for_each(|column| lines.column(column));
        lines.write(text, &format!("[{}.columns]", table.map_or("", InputTable::as_str)));
    }
}

/// A source for each kind of need.
fn sources(text: &mut String, files: &[FileProposal], said: &BTreeSet<&str>) {
    let mut groups: Vec<(Needs<'_>, Vec<&FileProposal>)> = Vec::new();
    for file in files {
        let needs = file.needs(said);
        match groups.iter_mut().find(|(known, _)| *known == needs) {
            Some((_, members)) => members.push(file),
            None => groups.push((needs, vec![file])),
        }
    }
    // Where a path is the end of another, the longer one has to come first.
    groups.sort_by_key(|(_, files)| Reverse(files.iter().map(|file| file.path.len()).min()));
    let paths: Vec<Vec<&str>> =
        groups.iter().map(|(_, files)| files.iter().map(|file| file.path.as_str()).collect()).collect();
    let patterns: Vec<String> = (0..groups.len())
        .map(|at| {
            let others = paths.iter().enumerate().filter(|(other, _)| *other != at);
            pattern(&paths[at], &others.flat_map(|(_, paths)| paths.iter().copied()).collect::<Vec<_>>())
        })
        .collect();
    for (at, (needs, members)) in groups.iter().enumerate() {
        let is_caught = |later: &usize| {
            !groups[*later].0.is_empty() && paths[at].iter().any(|path| matches(&patterns[*later], path))
        };
        if needs.is_empty() && !(at + 1..groups.len()).any(|later| is_caught(&later)) {
            continue;
        }
        let _ = write!(text, "\n[[source]]\nfiles = {}\n", in_quotes(&patterns[at]));
        let members: Vec<FileProposal> = members.iter().map(|file| (*file).clone()).collect();
        notations(text, &members);
        let mut lines = Lines::default();
        members[0].proposal.columns.iter().for_each(|column| lines.column(column));
        lines.missing(&members[0]);
        lines.write(text, "[source.columns]");
        constants(text, "source.", &members, |ours| !said.contains(ours));
    }
}

/// The lines of a table, each key once.
#[derive(Default)]
struct Lines {
    keys: BTreeSet<&'static str>,
    text: String,
}

impl Lines {
    fn column(&mut self, ProposedColumn { ours, theirs, or, instead }: &ProposedColumn) {
        if !self.keys.insert(ours) {
            return;
        }
        let mut notes: Vec<String> = Vec::new();
        if !or.is_empty() {
            notes
                .push(format!("or {}", or.iter().map(|name| in_quotes(name)).collect::<Vec<_>>().join(", ")));
        }
        if !instead.is_empty() {
            notes.push(format!("the column may also be {}", instead.join(" or ")));
        }
        let note = if notes.is_empty() { String::new() } else { format!("    # {}", notes.join("; ")) };
        let _ = writeln!(self.text, "{ours} = {}{note}", in_quotes(theirs));
    }

    /// Required columns that have to be one of the file.
    fn missing(&mut self, file: &FileProposal) {
        for column in file.proposal.missing.iter().filter(|column| !CONSTANT.contains(&column.ours)) {
            if !self.keys.insert(column.ours) {
                continue;
            }
            let (theirs, note) = match column.or.first() {
                Some(name) => (in_quotes(name), "remove the first '#' if this is the column"),
                None => (in_quotes("..."), "no column has a similar name: write the name of the column"),
            };
            let _ = writeln!(self.text, "# {} = {theirs}    # required; {note}", column.ours);
        }
    }

    fn write(self, text: &mut String, title: &str) {
        if !self.text.is_empty() {
            let _ = write!(text, "\n{title}\n{}", self.text);
        }
    }
}

/// Required columns that may hold for all rows, of those that count.
fn constants(text: &mut String, prefix: &str, files: &[FileProposal], counts: impl Fn(&str) -> bool) {
    let missing = files.iter().flat_map(|file| &file.proposal.missing);
    let missing: Vec<_> =
        missing.filter(|column| CONSTANT.contains(&column.ours) && counts(column.ours)).collect();
    let mut lines = Lines::default();
    for ours in CONSTANT {
        let Some(column) = missing.iter().find(|column| column.ours == ours) else { continue };
        let mut note = String::from("no column contains the value");
        if let Some(name) = column.or.first() {
            let _ = write!(note, ", unless {} does", in_quotes(name));
        }
        let _ = writeln!(lines.text, "# {ours} = {}    # required; {note}", in_quotes(column.example));
    }
    lines.write(text, &format!("[{prefix}constants]"));
}

/// Each undecided form as two settings of which one is to be chosen, with the first file's reason.
fn notations(text: &mut String, files: &[FileProposal]) {
    let mut keys = BTreeSet::new();
    for (file, notation) in
        files.iter().flat_map(|file| file.notations.iter().map(move |notation| (file, notation)))
    {
        let parts: Vec<&str> = notation.settings.split('"').collect();
        let [key, one, _, other, ..] = parts[..] else { continue };
        if !keys.insert(key) {
            continue;
        }
        let place = if files.len() > 1 { format!("{}, ", file.path) } else { String::new() };
        let [first, second] = &notation.readings;
        let because = plain(&format!("{} ({place}line {}) is {first}", notation.value, notation.line));
        let _ = writeln!(text, "# {key}{}    # {because}", in_quotes(one));
        let _ = writeln!(text, "# {key}{}    # ... or {}: remove one '#'", in_quotes(other), plain(second));
    }
}

/// A pattern that matches all members and none of the others: as short a one as is easily seen, else all paths.
fn pattern(members: &[&str], others: &[&str]) -> String {
    let (folders, names): (Vec<&str>, Vec<&str>) = members.iter().map(|path| split(path)).unzip();
    let end = common(&names, |one, other| equal(one.chars().rev().zip(other.chars().rev())));
    let ending = names[0].get(names[0].len() - end..).unwrap_or("");
    let ending = ending.find('.').map_or("", |at| &ending[at..]);
    let start = common(&folders, |one, other| equal(one.chars().zip(other.chars())));
    let folder = split(folders[0].get(..start).unwrap_or("")).0;
    let mut candidates = Vec::new();
    if members.len() > 1 && !ending.is_empty() {
        candidates.push(format!("{}*{}", escaped(folder), escaped(ending)));
        candidates.push(format!("{}**/*{}", escaped(folder), escaped(ending)));
    }
    let fits = |candidate: &String| {
        members.iter().all(|path| matches(candidate, path))
            && !others.iter().any(|path| matches(candidate, path))
    };
    candidates.into_iter().find(fits).unwrap_or_else(|| {
        let paths: Vec<String> = members.iter().map(|path| escaped(path)).collect();
        if let [path] = &paths[..] { path.clone() } else { format!("{{{}}}", paths.join(",")) }
    })
}

fn matches(pattern: &str, path: &str) -> bool {
    glob(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// The folder of a path, with its last `/`, and the name in it.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |at| at + 1))
}

/// Bytes of the letters that are equal, up to the first that are not.
fn equal(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// The least that the first text has in common with any other, in bytes.
fn common(texts: &[&str], of: impl Fn(&str, &str) -> usize) -> usize {
    texts.iter().map(|text| of(texts[0], text)).min().unwrap_or(0)
}

/// A path in which nothing is a wildcard.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '?' | '*' | '[' | ']' | '{' | '}' | ',' => escaped.extend(['[', letter, ']']),
            '\\' => escaped.push_str("\\\\"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// A text as TOML.
fn in_quotes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            _ if letter.is_control() => _ = write!(quoted, "\\u{:04X}", u32::from(letter)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A text as a comment may hold it.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests;
