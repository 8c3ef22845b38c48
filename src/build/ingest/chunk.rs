//! Some rows of a file, as text columns.

use polars::prelude::StringChunked;

/// A column the contract names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: &'static str,
    /// Whether a file without it is refused.
    pub required: bool,
}

const fn required(name: &'static str) -> Column {
    Column { name, required: true }
}

const fn optional(name: &'static str) -> Column {
    Column { name, required: false }
}

/// Columns of a file of listings; [`listing`] names their positions.
pub const LISTING_COLUMNS: &[Column] = &[
    required("country"),
    required("platform"),
    required("product_id"),
    required("product_name"),
    optional("brand"),
    optional("gtin"),
    optional("category_path"),
    optional("gpc_code"),
    optional("condition"),
    optional("rating"),
    optional("review_count"),
    optional("url"),
    optional("mpn"),
];

/// Columns of a file of observations; [`observation`] names their positions.
pub const OBSERVATION_COLUMNS: &[Column] = &[
    required("country"),
    required("platform"),
    required("product_id"),
    required("date"),
    required("price"),
    optional("list_price"),
    optional("in_stock"),
    optional("promo"),
    optional("currency"),
];

/// Positions in [`LISTING_COLUMNS`].
#[allow(missing_docs)]
pub mod listing {
    pub const COUNTRY: usize = 0;
    pub const PLATFORM: usize = 1;
    pub const PRODUCT_ID: usize = 2;
    pub const NAME: usize = 3;
    pub const BRAND: usize = 4;
    pub const GTIN: usize = 5;
    pub const CATEGORY_PATH: usize = 6;
    pub const GPC_CODE: usize = 7;
    pub const CONDITION: usize = 8;
    pub const RATING: usize = 9;
    pub const REVIEW_COUNT: usize = 10;
    pub const URL: usize = 11;
    pub const MPN: usize = 12;
}

/// Positions in [`OBSERVATION_COLUMNS`].
#[allow(missing_docs)]
pub mod observation {
    pub const COUNTRY: usize = 0;
    pub const PLATFORM: usize = 1;
    pub const PRODUCT_ID: usize = 2;
    pub const DATE: usize = 3;
    pub const PRICE: usize = 4;
    pub const LIST_PRICE: usize = 5;
    pub const IN_STOCK: usize = 6;
    pub const PROMO: usize = 7;
    pub const CURRENCY: usize = 8;
}

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
    /// Rows that could not be read at all, ascending.
    pub(super) broken: Vec<usize>,
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

    /// Whether `row` could not be read at all.
    pub fn is_broken(&self, row: usize) -> bool {
        self.broken.binary_search(&row).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_tables() {
        assert_eq!(LISTING_COLUMNS[listing::MPN].name, "mpn");
        assert_eq!(LISTING_COLUMNS[listing::GPC_CODE].name, "gpc_code");
        assert_eq!(LISTING_COLUMNS.len(), listing::MPN + 1);
        assert_eq!(OBSERVATION_COLUMNS[observation::CURRENCY].name, "currency");
        assert_eq!(OBSERVATION_COLUMNS[observation::LIST_PRICE].name, "list_price");
        assert_eq!(OBSERVATION_COLUMNS.len(), observation::CURRENCY + 1);
    }
}
