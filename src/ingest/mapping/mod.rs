//! What users say about their input: a mapping file (`build --map FILE`), or `[input]` of a configuration file.
//!
//! A mapping names what a file's columns are called, how its values are written, what holds for all of its rows, and
//! which retailers are meant. Nothing of it has to be said where files speak for themselves. [`InputMapping`] is the
//! whole, [`InputSettings`] what it says of one file, [`Proposal`] the mapping that a file seems to need.

mod file_name;
mod layer;
mod proposal;
mod retailers;
mod written;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use globset::GlobMatcher;

use crate::ingest::ValueWords;
use crate::ingest::parsers::{DateNotation, NumberNotation};
use crate::snapshot::safe_open;
use crate::snapshot::tables::{Input, ListingInput, ObservationInput, VariantInput};
use file_name::FileNamePattern;
use layer::{Layer, Reader};

pub use proposal::{MissingColumn, Proposal, ProposedColumn};
pub use retailers::Retailers;
pub use written::FileProposal;

/// Longest mapping or configuration, in bytes: room for a table of all retailers there are.
const MAPPING_BYTES_MAX: u64 = 16 << 20;
/// The table of a configuration file that is a mapping.
const INPUT_TABLE: &str = "input";

/// One of the tables that an input has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputTable {
    /// What retailers sell.
    Listings,
    /// What it cost when.
    Observations,
}

impl InputTable {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Listings, Self::Observations];

    /// Its name, of files and in a mapping.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Listings => "listings",
            Self::Observations => "observations",
        }
    }

    /// Its columns.
    pub const fn columns(self) -> &'static [Input] {
        match self {
            Self::Listings => ListingInput::ALL,
            Self::Observations => ObservationInput::ALL,
        }
    }

    /// The columns that a mapping may name: its own, and those of variants.
    fn named_columns(self) -> Vec<Input> {
        self.columns().iter().chain(VariantInput::ALL).copied().collect()
    }
}

/// How the bytes of a text file are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 of either byte order.
    Utf16,
    /// Windows-1252, which is what the web calls Latin 1.
    Windows1252,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Windows1252];

    /// Its name in a mapping.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Windows1252 => "windows-1252",
        }
    }
}

/// How a quote within quotes is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteEscape {
    /// Twice, as the contract has it.
    Double,
    /// Behind a backslash, and a backslash behind another.
    Backslash,
}

impl QuoteEscape {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Double, Self::Backslash];

    /// Its name in a mapping.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Backslash => "backslash",
        }
    }
}

/// What a mapping says of one file. What is `None` or not there is found by looking at the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputSettings {
    /// What parts the values of a text file, ASCII.
    pub separator: Option<u8>,
    /// How a quote within quotes is written, of a text file.
    pub quote_escape: Option<QuoteEscape>,
    /// How the bytes of a text file are read.
    pub encoding: Option<Encoding>,
    /// The sheets of a workbook that are read, hidden ones too.
    pub sheets: Option<Vec<String>>,
    /// How numbers are written.
    pub decimal: Option<NumberNotation>,
    /// How dates are written.
    pub dates: Option<DateNotation>,
    /// What holds for every row, by our columns: a country and a platform as their keys, all else as it is written. No
    /// column stands here and among those of a table.
    pub constants: BTreeMap<&'static str, String>,
    /// Which retailers are meant.
    pub retailers: Arc<Retailers>,
    /// Words for values, by our columns, beside those of all feeds.
    pub values: BTreeMap<&'static str, ValueWords>,
    /// Columns whose values the name of the file holds.
    file_names: BTreeMap<&'static str, FileNamePattern>,
    /// By table: what our columns are called in the file.
    columns: [BTreeMap<&'static str, String>; 2],
}

impl InputSettings {
    /// What a column of ours is called in the file, if the mapping says so.
    pub fn column(&self, table: InputTable, ours: &str) -> Option<&str> {
        self.columns[table as usize].get(ours).map(String::as_str)
    }

    /// All columns of a table that the mapping names: ours and theirs.
    pub fn columns(&self, table: InputTable) -> impl Iterator<Item = (&'static str, &str)> {
        self.columns[table as usize].iter().map(|(ours, theirs)| (*ours, theirs.as_str()))
    }

    /// What is said of the file at `path`: values in its name are constants. A column whose pattern the name does not
    /// have is called by the pattern, so that errors show it.
    fn of_file(self: &Arc<Self>, path: &str) -> Arc<Self> {
        if self.file_names.is_empty() {
            return Arc::clone(self);
        }
        let mut settings = Self::clone(self);
        for (&ours, pattern) in &self.file_names {
            match pattern.value(path) {
                Some(value) => _ = settings.constants.insert(ours, value),
                None => settings.columns.iter_mut().for_each(|table| {
                    table.insert(ours, pattern.to_string());
                }),
            }
        }
        Arc::new(settings)
    }
}

/// A mapping; the default says nothing.
#[derive(Debug, Clone, Default)]
pub struct InputMapping {
    /// The top level.
    all: Arc<InputSettings>,
    /// Some files, and the top level with what is said of them laid over it.
    sources: Vec<(GlobMatcher, Arc<InputSettings>)>,
    /// What it was read from.
    written: Arc<toml::Table>,
}

impl InputMapping {
    /// Reads a mapping file.
    ///
    /// # Errors
    /// When it cannot be read, is no TOML, or says what cannot be: with every key that has to be changed.
    pub fn read(path: &Path) -> Result<Self> {
        let (table, file) = read(path)?;
        Self::new(&file, &table, "")
    }

    /// Reads a mapping from its text.
    ///
    /// # Errors
    /// As [`InputMapping::read`].
    pub fn of_text(text: &str) -> Result<Self> {
        Self::new("mapping", &parsed(text, "mapping")?, "")
    }

    /// Reads a mapping that somebody has read before.
    ///
    /// # Errors
    /// As [`InputMapping::read`].
    pub fn of_table(table: &toml::Table) -> Result<Self> {
        Self::new("mapping", table, "")
    }

    /// What it was read from; [`InputMapping::of_table`] makes the same of it.
    pub fn written(&self) -> &toml::Table {
        &self.written
    }

    /// Reads `[input]` of a configuration file, and nothing else of it; without that table the mapping says nothing.
    ///
    /// # Errors
    /// As [`InputMapping::read`].
    pub fn of_config(path: &Path) -> Result<Self> {
        let (table, file) = read(path)?;
        match table.get(INPUT_TABLE) {
            None => Ok(Self::default()),
            Some(toml::Value::Table(input)) => Self::new(&file, input, &format!("{INPUT_TABLE}.")),
            Some(_) => bail!("{file}: {INPUT_TABLE} is not a table: write it as [{INPUT_TABLE}]"),
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && *self.all == InputSettings::default()
    }

    /// What is said of a file; of the sources that match its path the first counts.
    pub fn settings(&self, path: &str) -> Arc<InputSettings> {
        let source = self.sources.iter().find(|(files, _)| files.is_match(path));
        source.map_or(&self.all, |(_, settings)| settings).of_file(path)
    }

    /// Reads a table of a file, whose keys errors name behind `prefix`.
    fn new(file: &str, table: &toml::Table, prefix: &str) -> Result<Self> {
        let mut reader = Reader::default();
        let top = reader.top(table, prefix);
        let sources = reader.sources(table, prefix);
        let all = Arc::new(Layer::default().under(top.clone(), &mut reader));
        let lay = |(files, source)| (files, Arc::new(top.clone().under(source, &mut reader)));
        let sources = sources.into_iter().map(lay).collect();
        let faults = reader.faults();
        if faults.is_empty() {
            return Ok(Self { all, sources, written: Arc::new(table.clone()) });
        }
        let lines: Vec<String> = faults.iter().map(|fault| format!("{file}: {fault}")).collect();
        bail!("{}", lines.join("\n"))
    }
}

/// The TOML of a file, and how errors name it. No line of it is repeated in an error: a configuration may hold what is
/// nobody's business.
fn read(path: &Path) -> Result<(toml::Table, String)> {
    let file = path.display().to_string();
    let text =
        safe_open::read_text(path, MAPPING_BYTES_MAX).with_context(|| format!("{file} cannot be read"))?;
    Ok((parsed(&text, &file)?, file))
}

fn parsed(text: &str, file: &str) -> Result<toml::Table> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| 1 + before.matches('\n').count());
        anyhow::anyhow!("{file}: line {line} is not valid TOML: {}", error.message())
    })
}

#[cfg(test)]
mod tests;
