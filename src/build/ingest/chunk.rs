//! Some rows of a file, as text columns.

use polars::prelude::StringChunked;

use crate::build::rejects::Reason;

/// Line of each row of a chunk.
#[derive(Debug, Clone)]
pub(super) enum Lines {
    /// Row 0 is this one, the others follow.
    From(u64),
    /// One by one.
    Each(Vec<u64>),
}

/// Some rows of a file.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// By position in the table of columns; nothing where the file has no such column.
    pub(super) columns: Vec<Option<StringChunked>>,
    pub(super) lines: Lines,
    pub(super) rows: usize,
    /// Bit `i` is set when column `i` was there.
    pub(super) present: u64,
    /// Columns that nothing reads, where only the rows can tell.
    pub(super) unknown: Vec<String>,
    /// Rows that could not be read at all, ascending, and why.
    pub(super) broken: Vec<(usize, Reason)>,
}

impl Chunk {
    /// Number of rows, those that could not be read included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The trimmed text at `row` of the column at position `column`; empty when there is none.
    pub fn text(&self, column: usize, row: usize) -> &str {
        self.columns[column].as_ref().and_then(|texts| texts.get(row)).unwrap_or_default().trim()
    }

    /// Line of `row` in its file, from 1.
    pub fn line(&self, row: usize) -> u64 {
        match &self.lines {
            Lines::From(first) => first + row as u64,
            Lines::Each(lines) => lines[row],
        }
    }

    /// Why `row` could not be read at all; `None` where it could.
    pub fn fault(&self, row: usize) -> Option<Reason> {
        self.broken.binary_search_by_key(&row, |(broken, _)| *broken).ok().map(|at| self.broken[at].1)
    }
}
