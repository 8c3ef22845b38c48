//! The source of each column of a table in one file: a constant of the mapping, a column, or a key of the path. A
//! [`PlannedFile`] names a file so that every task of a build finds the same one, on whatever machine it runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::arguments::Spool;
use super::column_names;
use super::format::{Compression, Format};
use super::input_file::{Holds, InputFile};
use super::mapping::InputMapping;
use super::remote_input::RemoteSearch;
use crate::ingest::mapping::{InputTable, Proposal};
use crate::snapshot::tables::Input;
use crate::store::is_address;

/// What else parts the values of files that look like one column.
const RARE_SEPARATORS: [char; 6] = ['|', ';', '\t', '^', '~', ':'];

/// Where the columns of a table come from in one file.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub columns: &'static [Input],
    /// How the file calls each; nothing for a constant, which no column may contradict.
    wanted: Vec<Option<String>>,
    /// What counts where a column says nothing.
    pub otherwise: Arc<[String]>,
    /// Which of these are keys of the path.
    pub keyed: Vec<usize>,
}

/// Where a column comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnSource {
    pub ours: &'static str,
    /// How the file calls it; nothing for a constant.
    pub theirs: Option<String>,
    /// What counts where the column says nothing: a constant, or a key of the path.
    pub otherwise: String,
    /// Whether that is a key of the path.
    pub is_key: bool,
}

/// Where the columns of a table come from in one file, by what the mapping and its path say.
pub(crate) fn column_sources(
    file: &InputFile,
    table: InputTable,
    columns: &'static [Input],
) -> Vec<ColumnSource> {
    let Plan { wanted, otherwise, keyed, .. } = Plan::new(file, table, columns);
    let both = wanted.into_iter().zip(otherwise.iter().cloned());
    let source = |(at, (theirs, otherwise)): (usize, (Option<String>, String))| ColumnSource {
        ours: columns[at].name,
        theirs,
        otherwise,
        is_key: keyed.contains(&at),
    };
    both.enumerate().map(source).collect()
}

impl Plan {
    pub(super) fn new(file: &InputFile, table: InputTable, columns: &'static [Input]) -> Self {
        let settings = &file.settings;
        let (mut wanted, mut otherwise, mut keyed) = (Vec::new(), Vec::new(), Vec::new());
        for (at, column) in columns.iter().enumerate() {
            if let Some(constant) = settings.constants.get(column.name) {
                wanted.push(None);
                otherwise.push(constant.clone());
                continue;
            }
            // Of a file with both tables a column of the other one may be asked as well.
            let mut tables = [table].into_iter().chain(InputTable::ALL);
            let theirs = tables.find_map(|table| settings.column(table, column.name));
            let theirs = theirs.unwrap_or(column.name);
            let is_named =
                |key: &str| column_names::folded(key) == column_names::folded(theirs) || key == column.name;
            let key = file.keys.iter().rev().find(|(key, value)| is_named(key) && !value.is_empty());
            keyed.extend(key.map(|_| at));
            wanted.push(Some(theirs.to_owned()));
            otherwise.push(key.map_or_else(String::new, |(_, value)| value.clone()));
        }
        Self { columns, wanted, otherwise: otherwise.into(), keyed }
    }

    /// Where each column stands in a header; of a repeated name the first counts.
    pub(super) fn positions(&self, header: &[String]) -> Vec<Option<usize>> {
        let names = self.wanted.iter().flatten().map(String::as_str);
        let mut found = column_names::positions(header, names).into_iter();
        self.wanted.iter().map(|wanted| wanted.as_ref().and_then(|_| found.next().flatten())).collect()
    }

    /// A bit for each column that is called exactly so.
    pub(super) fn exact(&self, name: &str) -> u64 {
        self.called(|wanted| wanted == name)
    }

    /// A bit for each column that is called so but for case, blanks and the like.
    pub(super) fn near(&self, name: &str) -> u64 {
        let name = column_names::folded(name);
        self.called(|wanted| column_names::folded(wanted) == name)
    }

    fn called(&self, is_so: impl Fn(&str) -> bool) -> u64 {
        let wanted = self.wanted.iter().enumerate();
        let called = wanted.filter(|(_, wanted)| wanted.as_deref().is_some_and(&is_so));
        called.map(|(at, _)| 1 << at).sum()
    }

    /// How many required columns of the file have a name in `header`.
    pub(super) fn known(&self, header: &[String]) -> usize {
        let positions = self.positions(header);
        self.columns.iter().zip(positions).filter(|(column, at)| column.required && at.is_some()).count()
    }

    /// Columns that come from nowhere; bit `i` of `present` says that column `i` was in the file.
    pub(super) fn lacking(&self, present: u64) -> Vec<usize> {
        let comes = |at: usize| present & (1 << at) != 0 || !self.otherwise[at].is_empty();
        (0..self.columns.len()).filter(|&at| !comes(at)).collect()
    }

    /// Those of them that are required.
    pub(super) fn missing(&self, present: u64) -> Vec<usize> {
        let mut lacking = self.lacking(present);
        lacking.retain(|&at| self.columns[at].required);
        lacking
    }

    /// Fails when a required column comes from nowhere, and says what could be meant by the names that are there.
    pub(super) fn require(&self, present: u64, header: &[String]) -> Result<()> {
        let missing = self.missing(present);
        if missing.is_empty() {
            return Ok(());
        }
        bail!("{}", self.complaint(&missing, header))
    }

    /// What is missing, and what may be meant instead.
    pub(super) fn complaint(&self, missing: &[usize], header: &[String]) -> String {
        let lacking: Vec<Input> = missing.iter().map(|&at| self.columns[at]).collect();
        what_is_there(self.lacks(missing), &self.strangers(header), &lacking, header)
    }

    /// What is missing.
    pub(super) fn lacks(&self, missing: &[usize]) -> String {
        let called = |&at: &usize| match &self.wanted[at] {
            Some(theirs) if theirs != self.columns[at].name => {
                format!("{} (by the mapping {theirs:?})", self.columns[at].name)
            }
            _ => self.columns[at].name.to_owned(),
        };
        let list: Vec<_> = missing.iter().map(called).collect();
        let plural = if missing.len() > 1 { "s" } else { "" };
        format!("missing required column{plural} {}", list.join(", "))
    }

    /// The names in a header that no column is called.
    fn strangers(&self, header: &[String]) -> Vec<String> {
        let taken: Vec<_> = self.positions(header).into_iter().flatten().collect();
        let strangers = header.iter().enumerate().filter(|(at, _)| !taken.contains(at));
        strangers.map(|(_, name)| name.clone()).collect()
    }
}

/// What is missing, and what may be meant by the names that are there; nothing is taken from `strangers`.
pub(super) fn what_is_there(
    missing: String,
    strangers: &[String],
    lacking: &[Input],
    header: &[String],
) -> String {
    let mut text = missing;
    if !header.is_empty() && header.iter().all(String::is_empty) {
        return format!("the file is empty: {text}");
    }
    if let [one] = header
        && let Some(separator) = RARE_SEPARATORS.into_iter().find(|&separator| one.contains(separator))
    {
        return format!(
            "{text}: it has one column {one:?}: is it separated by {separator:?}? Then say separator = {:?} (--map FILE, or \
             [input] of --config)",
            separator.to_string()
        );
    }
    if let Some(hint) = Proposal::new(strangers, lacking).hint() {
        let _ = write!(text, "; {hint}");
    }
    if !header.is_empty() {
        let _ = write!(
            text,
            "{} it has {}. --explain shows what each is taken for, --write-map FILE proposes a mapping",
            if text.ends_with('?') { "" } else { ";" },
            header.join(", ")
        );
    }
    text
}

/// A file of an input, as a plan names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// Its address, which may hold a key to it, or its path from the root.
    at: String,
    /// How reports name it.
    name: String,
    format: Format,
    compression: Compression,
    holds: Holds,
    /// What the `key=value` folders say that it lies in.
    keys: Vec<(String, String)>,
    argument: usize,
}

impl PlannedFile {
    /// The file as a plan names it.
    ///
    /// # Errors
    /// When its path is not one that can be written down.
    pub fn new(file: &InputFile) -> Result<Self> {
        let at = match &file.remote {
            Some(remote) => remote.url().to_owned(),
            None => absolute(&file.path)?,
        };
        Ok(Self {
            at,
            name: file.name.clone(),
            format: file.format,
            compression: file.compression,
            holds: file.holds,
            keys: file.keys.clone(),
            argument: file.argument,
        })
    }

    /// The file that is meant.
    ///
    /// # Errors
    /// When there is none behind its address.
    pub fn find(&self, mapping: &InputMapping, spool: &Spool) -> Result<InputFile> {
        let mut found = Vec::new();
        if is_address(&self.at) {
            found = RemoteSearch::new(spool.scratch()).below(&self.at)?;
        }
        let remote = found.pop();
        Ok(InputFile {
            path: remote.as_ref().map_or_else(|| PathBuf::from(&self.at), |remote| remote.copy().to_owned()),
            remote,
            name: self.name.clone(),
            format: self.format,
            compression: self.compression,
            holds: self.holds,
            lacks: String::new(),
            keys: self.keys.clone(),
            settings: mapping.settings(&self.name),
            argument: self.argument,
        })
    }
}

/// A path as every working directory has it.
fn absolute(path: &Path) -> Result<String> {
    let absolute = std::path::absolute(path).with_context(|| format!("{} has no place", path.display()))?;
    let text = absolute.into_os_string().into_string();
    text.ok().with_context(|| format!("{}: a plan names files in UTF-8 only", path.display()))
}
