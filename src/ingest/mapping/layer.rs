//! The keys of a mapping, of its top level or of one `[[source]]`, and what they may say.
//!
//! Everything that is wrong is noted with its key, so that a mapping is mended in one go.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobMatcher};
use toml::{Table, Value};

use super::file_name::FileNamePattern;
use super::{Encoding, InputSettings, InputTable, QuoteEscape, Retailers};
use crate::ingest::parsers::{DateNotation, NumberNotation};
use crate::ingest::report::quoted;
use crate::ingest::{ValueWords, column_names, values};
use crate::lang::text::slug;
use crate::snapshot::tables::{Input, ListingInput};
use crate::types::Country;
use crate::types::platform::is_key;

/// The keys of the top level; a source has `files` for `source`.
const KEYS: [&str; 12] = [
    "separator",
    "quote_escape",
    "encoding",
    "decimal",
    "dates",
    "sheets",
    "columns",
    "listings",
    "observations",
    "constants",
    "retailers",
    "values",
];
const SOURCE: &str = "source";
const FILES: &str = "files";
/// The key of a pattern that is found in the name of a file.
const FILE_NAME: &str = "file_name";
const COLUMNS: &str = "columns";
const PLATFORM: &str = ListingInput::Platform.name();
const COUNTRY: &str = ListingInput::Country.name();
/// Mistakes in a key that is still recognised.
const KEY_MISTAKES_MAX: usize = 2;

/// What the top level or a source says.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    separator: Option<u8>,
    quote_escape: Option<QuoteEscape>,
    encoding: Option<Encoding>,
    decimal: Option<NumberNotation>,
    dates: Option<DateNotation>,
    sheets: Option<Vec<String>>,
    columns: [BTreeMap<&'static str, String>; 2],
    file_names: BTreeMap<&'static str, FileNamePattern>,
    constants: BTreeMap<&'static str, String>,
    retailers: BTreeMap<String, String>,
    values: BTreeMap<&'static str, ValueWords>,
    /// Where the constants stand.
    prefix: String,
}

impl Layer {
    /// What holds where `upper` is laid over this: its scalars replace, its entries come first. A column that it takes
    /// from elsewhere, a constant now or a column of the file, is taken from there alone.
    pub(super) fn under(mut self, upper: Self, reader: &mut Reader) -> InputSettings {
        let in_column = |ours: &&str| upper.columns.iter().any(|table| table.contains_key(*ours));
        let elsewhere =
            |ours: &&str| upper.constants.contains_key(*ours) || upper.file_names.contains_key(*ours);
        for table in &mut self.columns {
            table.retain(|ours, _| !elsewhere(ours));
        }
        self.constants.retain(|ours, _| !in_column(ours) && !upper.file_names.contains_key(ours));
        self.file_names.retain(|ours, _| !in_column(ours) && !upper.constants.contains_key(ours));
        let prefix = if upper.constants.contains_key(PLATFORM) { upper.prefix } else { self.prefix };
        for (table, above) in self.columns.iter_mut().zip(upper.columns) {
            table.extend(above);
        }
        self.constants.extend(upper.constants);
        self.file_names.extend(upper.file_names);
        self.retailers.extend(upper.retailers);
        for (column, words) in upper.values {
            self.values.entry(column).or_default().extend(words);
        }
        let retailers = Retailers::new(&self.retailers);
        if let Some(name) = self.constants.get_mut(PLATFORM) {
            match retailers.key(name).map(std::borrow::Cow::into_owned) {
                Some(key) => *name = key,
                None => reader.fault(
                    &format!("{prefix}constants.{PLATFORM}"),
                    format!(
                        "{:?} cannot be converted to a key: write letters and digits, or add it to [retailers]",
                        quoted(name)
                    ),
                ),
            }
        }
        InputSettings {
            separator: upper.separator.or(self.separator),
            quote_escape: upper.quote_escape.or(self.quote_escape),
            encoding: upper.encoding.or(self.encoding),
            decimal: upper.decimal.or(self.decimal),
            dates: upper.dates.or(self.dates),
            sheets: upper.sheets.or(self.sheets),
            constants: self.constants,
            retailers: Arc::new(retailers),
            values: self.values,
            file_names: self.file_names,
            columns: self.columns,
        }
    }
}

/// Reads keys, and keeps what is wrong.
#[derive(Debug, Default)]
pub(super) struct Reader {
    faults: Vec<String>,
}

impl Reader {
    /// Everything that was wrong, a line each.
    pub(super) fn faults(self) -> Vec<String> {
        self.faults
    }

    fn fault(&mut self, key: &str, reason: impl Display) {
        let fault = format!("{key}: {reason}");
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The top level.
    pub(super) fn top(&mut self, table: &Table, prefix: &str) -> Layer {
        self.layer(table, prefix, SOURCE)
    }

    /// The sources, each with the files it is about.
    pub(super) fn sources(&mut self, table: &Table, prefix: &str) -> Vec<(GlobMatcher, Layer)> {
        let sources = match table.get(SOURCE) {
            None => return Vec::new(),
            Some(Value::Array(sources)) => sources.as_slice(),
            Some(other) => std::slice::from_ref(other),
        };
        let mut read = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            let prefix = format!("[[{prefix}{SOURCE}]] {}: ", at + 1);
            let Value::Table(source) = source else {
                self.fault(prefix.trim_end_matches(": "), "is not a table: write a table, as in [[source]]");
                continue;
            };
            let layer = self.layer(source, &prefix, FILES);
            if let Some(files) = self.files(source, &prefix) {
                read.push((files, layer));
            }
        }
        read
    }

    /// `files`: a path with wildcards, against the end of a file's path.
    fn files(&mut self, source: &Table, prefix: &str) -> Option<GlobMatcher> {
        let key = format!("{prefix}{FILES}");
        let Some(value) = source.get(FILES) else {
            self.fault(&key, "is missing: write a pattern of paths, as in \"acme/*.csv\"");
            return None;
        };
        let files = self.text(&key, value)?;
        match glob(files) {
            Ok(glob) => Some(glob.compile_matcher()),
            Err(error) => {
                self.fault(&key, format!("{} ({:?})", error.kind(), quoted(files)));
                None
            }
        }
    }

    fn layer(&mut self, table: &Table, prefix: &str, own: &str) -> Layer {
        for name in table.keys().filter(|name| !KEYS.contains(&name.as_str()) && *name != own) {
            let near = |key: &&&str| strsim::osa_distance(name, key) <= KEY_MISTAKES_MAX;
            let all = || KEYS.iter().chain([&own]);
            let reason = all().find(near).map_or_else(
                || format!("is not a key; the keys are {}", all().copied().collect::<Vec<_>>().join(", ")),
                |key| format!("is not a key; did you mean {key}?"),
            );
            self.fault(&format!("{prefix}{}", bare(name)), reason);
        }
        let get = |key: &str| table.get(key).map(|value| (format!("{prefix}{key}"), value));
        let mut file_names = BTreeMap::new();
        let layer = Layer {
            separator: get("separator").and_then(|(key, value)| self.separator(&key, value)),
            quote_escape: get("quote_escape").and_then(|(key, value)| self.quote_escape(&key, value)),
            encoding: get("encoding").and_then(|(key, value)| self.encoding(&key, value)),
            decimal: get("decimal").and_then(|(key, value)| self.notation(&key, value)),
            dates: get("dates").and_then(|(key, value)| self.notation(&key, value)),
            sheets: get("sheets").and_then(|(key, value)| self.texts(&key, value)),
            columns: self.all_columns(table, prefix, &mut file_names),
            constants: get("constants").map(|(key, value)| self.constants(&key, value)).unwrap_or_default(),
            retailers: get("retailers").map(|(key, value)| self.retailers(&key, value)).unwrap_or_default(),
            values: get("values").map(|(key, value)| self.values(&key, value)).unwrap_or_default(),
            prefix: prefix.to_owned(),
            file_names,
        };
        let is_column = |ours: &&&str| {
            layer.columns.iter().any(|all| all.contains_key(**ours)) || layer.file_names.contains_key(**ours)
        };
        for ours in layer.constants.keys().filter(is_column) {
            self.fault(&format!("{prefix}constants.{ours}"), "is a constant and a column: keep one of them");
        }
        layer
    }

    fn separator(&mut self, key: &str, value: &Value) -> Option<u8> {
        let text = self.string(key, value)?;
        let is_separator = |byte: u8| {
            byte == b'\t' || (byte == b' ' || byte.is_ascii_punctuation()) && !matches!(byte, b'"' | b'\'')
        };
        match text.as_bytes() {
            [byte] if is_separator(*byte) => Some(*byte),
            _ => {
                self.fault(
                    key,
                    format!("{:?}: write one character, as in \",\" \";\" \"|\" or \"\\t\"", quoted(text)),
                );
                None
            }
        }
    }

    fn quote_escape(&mut self, key: &str, value: &Value) -> Option<QuoteEscape> {
        let text = self.text(key, value)?;
        let escape = QuoteEscape::ALL.into_iter().find(|escape| escape.as_str() == text);
        if escape.is_none() {
            let [first, second] = QuoteEscape::ALL.map(QuoteEscape::as_str);
            self.fault(key, format!("{:?}: write {first:?} or {second:?}", quoted(text)));
        }
        escape
    }

    fn encoding(&mut self, key: &str, value: &Value) -> Option<Encoding> {
        let text = self.text(key, value)?;
        let encoding = Encoding::ALL.into_iter().find(|encoding| encoding.as_str() == text);
        if encoding.is_none() {
            let [first, second, third] = Encoding::ALL.map(Encoding::as_str);
            let reason = format!("{:?}: write {first:?}, {second:?} or {third:?}", quoted(text));
            self.fault(key, reason);
        }
        encoding
    }

    /// A form of numbers or dates.
    fn notation<F: FromStr<Err: Display>>(&mut self, key: &str, value: &Value) -> Option<F> {
        let text = self.text(key, value)?;
        text.parse().map_err(|error| self.fault(key, error)).ok()
    }

    /// The columns of both tables: those of one table come before those of both.
    fn all_columns(
        &mut self,
        table: &Table,
        prefix: &str,
        file_names: &mut BTreeMap<&'static str, FileNamePattern>,
    ) -> [BTreeMap<&'static str, String>; 2] {
        let mut columns = [BTreeMap::new(), BTreeMap::new()];
        if let Some(value) = table.get(COLUMNS) {
            self.columns(&format!("{prefix}{COLUMNS}"), value, &InputTable::ALL, &mut columns, file_names);
        }
        for of in InputTable::ALL {
            let key = format!("{prefix}{}", of.as_str());
            let Some(own) = table.get(of.as_str()).and_then(|value| self.table(&key, value)) else {
                continue;
            };
            for name in own.keys().filter(|name| *name != COLUMNS) {
                self.fault(&format!("{key}.{}", bare(name)), format!("is not a key; the key is {COLUMNS}"));
            }
            if let Some(value) = own.get(COLUMNS) {
                self.columns(&format!("{key}.{COLUMNS}"), value, &[of], &mut columns, file_names);
            }
        }
        columns
    }

    /// Puts columns, ours = theirs, to those of the tables that have them.
    fn columns(
        &mut self,
        key: &str,
        value: &Value,
        tables: &[InputTable],
        columns: &mut [BTreeMap<&'static str, String>; 2],
        file_names: &mut BTreeMap<&'static str, FileNamePattern>,
    ) {
        let Some(entries) = self.table(key, value) else { return };
        for (name, theirs) in entries {
            let key = format!("{key}.{}", bare(name));
            let pattern = theirs.as_table().and_then(|table| table.get(FILE_NAME));
            let Some(theirs) = self.text(&key, pattern.unwrap_or(theirs)) else { continue };
            let places: Vec<_> = tables
                .iter()
                .filter_map(|table| Some((*table, column_of(&table.named_columns(), name)?)))
                .collect();
            if places.is_empty() {
                self.fault(&key, strange(name, theirs, tables));
            }
            for (table, ours) in places {
                if pattern.is_some() {
                    match FileNamePattern::new(ours, theirs) {
                        Ok(pattern) => _ = file_names.insert(ours, pattern),
                        Err(reason) => self.fault(&format!("{key}.{FILE_NAME}"), reason),
                    }
                    continue;
                }
                columns[table as usize].insert(ours, theirs.to_owned());
            }
        }
    }

    /// What holds for every row: texts, or what has one text.
    fn constants(&mut self, key: &str, value: &Value) -> BTreeMap<&'static str, String> {
        let mut constants = BTreeMap::new();
        for (name, value) in self.table(key, value).into_iter().flatten() {
            let key = format!("{key}.{}", bare(name));
            let text = match value {
                Value::Integer(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                Value::Boolean(is) => is.to_string(),
                Value::Datetime(when) => when.to_string(),
                other => match self.text(&key, other) {
                    Some(text) => text.to_owned(),
                    None => continue,
                },
            };
            let all = InputTable::ALL;
            let Some(ours) = all.iter().find_map(|table| column_of(table.columns(), name)) else {
                self.fault(&key, strange(name, &text, &all));
                continue;
            };
            if ours == COUNTRY {
                match Country::read(&text) {
                    Some(country) => _ = constants.insert(ours, country.as_str().to_owned()),
                    None => self.fault(&key, format!("{:?}: write \"us\" or \"ca\"", quoted(&text))),
                }
            } else {
                constants.insert(ours, text.trim().to_owned());
            }
        }
        constants
    }

    /// Names of retailers, as sources write them, and their keys.
    fn retailers(&mut self, key: &str, value: &Value) -> BTreeMap<String, String> {
        let mut retailers = BTreeMap::new();
        for (name, value) in self.table(key, value).into_iter().flatten() {
            let entry = format!("{key}.{}", bare(name));
            let Some(text) = self.text(&entry, value) else { continue };
            if name.trim().is_empty() {
                self.fault(key, "a retailer does not have a name: write the name that the files use");
            } else if is_key(text) {
                retailers.insert(name.clone(), text.to_owned());
            } else {
                let slug = slug(text);
                let example = if is_key(&slug) { slug.as_str() } else { "best-buy" };
                let reason = format!(
                    "{:?} is not a key: write lower-case letters, digits, - and _, as in {example:?}",
                    quoted(text)
                );
                self.fault(&entry, reason);
            }
        }
        retailers
    }

    /// Words for values, by column.
    fn values(&mut self, key: &str, value: &Value) -> BTreeMap<&'static str, ValueWords> {
        let mut columns: BTreeMap<&'static str, ValueWords> = BTreeMap::new();
        for (name, words) in self.table(key, value).into_iter().flatten() {
            let key = format!("{key}.{}", bare(name));
            let Some(column) = values::COLUMNS.into_iter().find(|column| column == name) else {
                self.fault(
                    &key,
                    format!("does not support words; columns with words are {}", values::COLUMNS.join(", ")),
                );
                continue;
            };
            let allowed = values::allowed(column);
            for (word, value) in self.table(&key, words).into_iter().flatten() {
                let key = format!("{key}.{}", bare(word));
                let text = match value {
                    Value::Boolean(is) => Some(is.to_string()),
                    other => self.text(&key, other).map(str::to_owned),
                };
                let Some(text) = text else { continue };
                let value = allowed.iter().find(|(written, _)| text.eq_ignore_ascii_case(written));
                if let Some((_, value)) = value {
                    columns.entry(column).or_default().insert(values::folded(word), (*value).to_owned());
                } else {
                    let all: Vec<&str> = allowed.iter().map(|(written, _)| *written).collect();
                    self.fault(&key, format!("{:?}: write {}", quoted(&text), all.join(", ")));
                }
            }
        }
        columns
    }

    fn table<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v Table> {
        let table = value.as_table();
        if table.is_none() {
            self.fault(key, "is not a table: write a table, as in [columns]");
        }
        table
    }

    /// A list of texts, at least one.
    fn texts(&mut self, key: &str, value: &Value) -> Option<Vec<String>> {
        let Some(values) = value.as_array().filter(|values| !values.is_empty()) else {
            self.fault(key, "is not a list of texts: write a list, as in [\"Oct\", \"Nov\"]");
            return None;
        };
        values.iter().map(|value| self.text(key, value).map(str::to_owned)).collect()
    }

    fn string<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            self.fault(key, "is not a text: write a text in quotes");
        }
        text
    }

    /// A text that says something.
    fn text<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v str> {
        let text = self.string(key, value)?;
        if text.trim().is_empty() {
            self.fault(key, "is empty; leave it out");
            return None;
        }
        Some(text)
    }
}

/// The name of a column, if the table has it.
fn column_of(columns: &[Input], name: &str) -> Option<&'static str> {
    columns.iter().map(|column| column.name).find(|ours| *ours == name)
}

/// What to say of an entry that is none of the tables' columns.
fn strange(name: &str, value: &str, tables: &[InputTable]) -> String {
    let is_ours =
        |name: &str| InputTable::ALL.iter().find(|table| column_of(table.columns(), name).is_some());
    if let Some(other) = is_ours(name) {
        let other = other.as_str();
        return format!("is a column of {other}: write it below {COLUMNS} or {other}.{COLUMNS}");
    }
    if is_ours(value).is_some() {
        return format!("the column name of pricebook must be on the left: {value} = {:?}", quoted(name));
    }
    let ours = || tables.iter().flat_map(|table| table.columns()).map(|column| column.name);
    if let Some(near) = column_names::near(name).into_iter().find(|near| ours().any(|ours| ours == *near)) {
        return format!("is not a column of pricebook; did you mean {near}?");
    }
    let ours: Vec<&str> = column_names::columns()
        .map(|column| column.name)
        .filter(|name| ours().any(|ours| ours == *name))
        .collect();
    format!("is not a column of pricebook; the columns are {}", ours.join(", "))
}

/// A key as it stands in TOML: in quotes where it has to be.
fn bare(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !name.is_empty() && name.bytes().all(is_bare) { quoted(name) } else { format!("{:?}", quoted(name)) }
}

/// A pattern against the end of a path.
pub(super) fn glob(files: &str) -> Result<Glob, globset::Error> {
    let files = files.trim_start_matches("./");
    let anywhere = if files.starts_with('/') { files.to_owned() } else { format!("**/{files}") };
    GlobBuilder::new(&anywhere).literal_separator(true).build()
}
