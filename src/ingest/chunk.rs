//! Some rows of a file, as text columns.

use std::borrow::Cow;
use std::sync::Arc;

use polars::prelude::{StringChunked, StringChunkedBuilder};

use super::parsers::NumberNotation;
use super::values::is_placeholder;
use crate::ingest::rejects::Reason;
use crate::ingest::report::Tally;
use crate::types::Country;

/// What the rules are given for a value that the form of its file does not read: it is neither missing nor a number nor
/// a date.
const UNREAD: &str = "unread";

/// Line of each row of a chunk.
#[derive(Debug, Clone)]
pub(super) enum Lines {
    /// Row 0 is this one, the others follow.
    From(u64),
    /// One by one.
    Each(Vec<u64>),
}

/// What was lost while a file was read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Bytes that are not in the file's encoding; replacement characters stand in their place.
    pub replaced_bytes: Tally,
    /// Records that swallowed others: a quote opens in them that does not close where a value ends. The value is their last
    /// line.
    pub open_quotes: Tally,
    /// Rows that say something else than the `key=value` folders they lie in; the rows count.
    pub differ_from_path: Tally,
    /// Texts with entities of HTML, which are read decoded.
    pub decoded_entities: Tally,
}

impl Damage {
    /// Counts what `later` counted.
    pub(super) fn merge(&mut self, later: Self) {
        self.replaced_bytes.merge(later.replaced_bytes);
        self.open_quotes.merge(later.open_quotes);
        self.differ_from_path.merge(later.differ_from_path);
        self.decoded_entities.merge(later.decoded_entities);
    }
}

/// A column as the file says it.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    /// Its position in the table.
    pub column: usize,
    pub texts: StringChunked,
    /// The form of its numbers.
    pub notation: Option<NumberNotation>,
}

/// Some rows of a file.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// By position in the table of columns; nothing where the file has no such column.
    pub(super) columns: Vec<Option<StringChunked>>,
    /// What the file says where the rules are given another form of it.
    pub(super) raw: Vec<Raw>,
    /// By position, what counts where a column says nothing: a constant, or a key of the path.
    pub(super) defaults: Arc<[String]>,
    pub(super) lines: Lines,
    pub(super) rows: usize,
    /// Bit `i` is set when column `i` was there.
    pub(super) present: u64,
    /// Columns that nothing reads, where only the rows can tell.
    pub(super) unknown: Vec<String>,
    /// Rows that could not be read at all, ascending: why, and what is quoted of them.
    pub(super) broken: Vec<(usize, Reason, String)>,
    pub(super) damage: Damage,
}

impl Chunk {
    /// Number of rows, those that could not be read included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The trimmed text at `row` of the column at position `column`, in the form of the contract where it has one;
    /// empty when there is none.
    pub fn text(&self, column: usize, row: usize) -> &str {
        let own = self.own(column, row);
        if own.is_empty() { &self.defaults[column] } else { own }
    }

    /// As [`Chunk::text`], as the file says it.
    pub fn quote(&self, column: usize, row: usize) -> &str {
        let texts = self.raw(column).map(|raw| &raw.texts).or(self.columns[column].as_ref());
        let raw = texts.and_then(|texts| texts.get(row)).unwrap_or_default().trim();
        if raw.is_empty() { self.text(column, row) } else { raw }
    }

    /// Whether a column of prices names the currency of another country at `row`.
    pub fn names_other_currency(&self, column: usize, row: usize, country: Country) -> bool {
        let notation = self.raw(column).and_then(|raw| raw.notation);
        notation.is_some_and(|notation| notation.names_other_currency(self.quote(column, row), Some(country)))
    }

    fn raw(&self, column: usize) -> Option<&Raw> {
        self.raw.iter().find(|raw| raw.column == column)
    }

    /// What the column itself says; nothing where it has a placeholder of a missing value.
    pub(super) fn own(&self, column: usize, row: usize) -> &str {
        let text =
            trimmed(self.columns[column].as_ref().and_then(|texts| texts.get(row)).unwrap_or_default());
        if is_placeholder(text) { "" } else { text }
    }

    /// Puts another form of a column's values in their place, and [`UNREAD`] where `notation` reads nothing. Left as it is,
    /// `3.99` would be a price among decimal commas, and `1.299` beside it a thousand times that.
    pub(super) fn rewrite<'a>(
        &'a self,
        column: usize,
        notation: impl Fn(&'a str, usize) -> Option<Cow<'a, str>>,
    ) -> Option<StringChunked> {
        let texts = self.columns[column].as_ref()?;
        let mut out = StringChunkedBuilder::new(texts.name().clone(), self.rows);
        for row in 0..self.rows {
            let own = self.own(column, row);
            let text =
                if own.is_empty() { None } else { Some(notation(own, row).unwrap_or(Cow::Borrowed(UNREAD))) };
            out.append_option(text);
        }
        Some(StringChunked::from(out.finish()))
    }

    /// Puts `texts` in the place of a column, and keeps what the file says beside; `notation` is the form of its numbers.
    pub(super) fn replace(&mut self, column: usize, texts: StringChunked, notation: Option<NumberNotation>) {
        if let Some(texts) = self.columns[column].replace(texts) {
            self.raw.push(Raw { column, texts, notation });
        }
    }

    /// Line of `row` in its file, from 1.
    pub fn line(&self, row: usize) -> u64 {
        match &self.lines {
            Lines::From(first) => first + row as u64,
            Lines::Each(lines) => lines[row],
        }
    }

    /// Why `row` could not be read at all, and what is quoted of it; `None` where it could.
    pub fn fault(&self, row: usize) -> Option<(Reason, &str)> {
        let at = self.broken.binary_search_by_key(&row, |(broken, ..)| *broken).ok()?;
        let (_, reason, text) = &self.broken[at];
        Some((*reason, text))
    }
}

/// A text without blanks around it. Nearly every text begins and ends with a visible character of ASCII, which is
/// cheaper to see than a character that is none.
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [] => text,
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}
