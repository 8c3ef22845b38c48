//! Rows of a run.

use crate::snapshot::tables::{ListingColumns, ListingInput};
use crate::types::Condition;

/// An observation without a fault of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservationOfRun {
    /// Days since [`Day::OBSERVED_MIN`](crate::types::Day::OBSERVED_MIN).
    pub day: u16,
    /// Price in cents.
    pub price: u32,
    /// List price in cents; 0 for none.
    pub list_price: u32,
    /// Stock and promotion bits.
    pub flags: u8,
    /// Its instant, microseconds since 1970 UTC.
    pub micros: i64,
    /// Its line, from 1.
    pub line: u64,
}

/// Rows of observations of one key, in line order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservationRows<'a> {
    /// Days since [`Day::OBSERVED_MIN`](crate::types::Day::OBSERVED_MIN).
    pub day: &'a [u16],
    /// Prices in cents.
    pub price: &'a [u32],
    /// List prices in cents; 0 for none.
    pub list_price: &'a [u32],
    /// Stock and promotion bits.
    pub flags: &'a [u8],
    /// Instants, microseconds since 1970 UTC; midnight where only a day is said.
    pub micros: &'a [i64],
    /// Lines of the file, from 1.
    pub line: &'a [u64],
}

impl ObservationRows<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.day.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.day.is_empty()
    }
}

/// The columns of listings of which a run keeps what the source says, since a snapshot does. The id is the key's.
pub const TEXT_COLUMNS: [ListingInput; ListingColumns::PLAIN.len() - 1] = {
    let mut columns = [ListingInput::ProductName; ListingColumns::PLAIN.len() - 1];
    let (mut from, mut to) = (0, 0);
    while from < ListingColumns::PLAIN.len() {
        if !matches!(ListingColumns::PLAIN[from], ListingInput::ProductId) {
            columns[to] = ListingColumns::PLAIN[from];
            to += 1;
        }
        from += 1;
    }
    columns
};

/// A row of listings that may stand for its key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListingCandidate<'a> {
    /// Line of the file, from 1.
    pub line: u64,
    /// When it was written, microseconds since 1970 UTC; `i64::MIN` where it does not say.
    pub micros: i64,
    /// Hash of what it says: a repeat that says the same may be no duplicate.
    pub says: u64,
    /// The brand's spelling.
    pub brand: &'a str,
    /// The category path as the source has it.
    pub path: &'a str,
    /// Part number, as [`mpn`](crate::lang::mpn) leaves it.
    pub mpn: &'a str,
    /// Condition, derived.
    pub condition: Condition,
    /// Barcode, and the form of codes with which it is believed (`clean::codes`); 0 for none.
    pub gtin: u64,
    /// Classification code that the source gives (8 digits as a number); 0 for none.
    pub gpc_code: u32,
    /// What the source says in [`TEXT_COLUMNS`].
    pub texts: [&'a str; TEXT_COLUMNS.len()],
}

impl<'a> ListingCandidate<'a> {
    /// What the source says in one of [`TEXT_COLUMNS`]; of another column nothing is kept.
    pub fn text(&self, column: ListingInput) -> &'a str {
        let at = TEXT_COLUMNS.iter().position(|kept| *kept == column);
        at.map_or("", |at| self.texts[at])
    }

    /// Bytes of its texts.
    pub fn text_bytes(&self) -> usize {
        let validated = [self.brand, self.path, self.mpn];
        validated.iter().chain(&self.texts).map(|text| text.len()).sum()
    }
}

/// What is odd about a row of observations that has no fault of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Odd {
    /// The list price is no price.
    IgnoredListPrice,
    /// Stock or promotion says neither yes nor no.
    UnreadableFlag,
    /// The price is one cent.
    OneCentPrice,
}

impl Odd {
    /// All of them; the place of each is its code.
    pub const ALL: [Self; 3] = [Self::IgnoredListPrice, Self::UnreadableFlag, Self::OneCentPrice];

    /// The one with this code.
    pub(super) fn from_u8(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// An odd row of observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddRow<'a> {
    /// Its line; the row stands among the observations.
    pub line: u64,
    /// What is odd.
    pub what: Odd,
    /// The value in question, as much of it as a report quotes.
    pub value: &'a str,
}
