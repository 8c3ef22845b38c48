//! Likely links of listings, and part numbers.

use polars_buffer::Buffer;

use crate::matching::{Confidence, reason};
use crate::snapshot::columns::{ColumnFile, StringColumn};

/// The links of every listing. Each link is stored in both directions.
pub struct Links {
    pub(super) looked_for: bool,
    pub(super) ends: Buffer<u32>,
    pub(super) rows: Buffer<u32>,
    pub(super) confidence: Buffer<u16>,
    pub(super) reasons: Buffer<u8>,
    mpn: StringColumn,
}

/// A likely link of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LikelyLink {
    /// Row of the other listing.
    pub row: u32,
    /// The confidence that both listings are of the same product.
    pub confidence: Confidence,
    /// Bits of [`reason`].
    pub reasons: u8,
}

impl LikelyLink {
    /// The names of the reasons for the link, sorted.
    pub fn words(self) -> Vec<&'static str> {
        reason::WORDS
            .into_iter()
            .zip(0..)
            .filter(|(_, bit)| self.reasons & (1 << bit) != 0)
            .map(|(word, _)| word)
            .collect()
    }
}

impl Links {
    /// Loads the links of `rows` listings.
    ///
    /// # Errors
    /// Returns an error if a column is missing or has an unexpected length, or if the ends are inconsistent.
    pub fn load(file: &ColumnFile, rows: usize) -> Result<Self, String> {
        let others = file.column::<u32>("link_rows")?;
        let looked_for = file.column_of::<u8>("looked_for", 1)?;
        let links = Self {
            looked_for: looked_for[0] == 1,
            ends: file.column_of("link_ends", rows)?,
            confidence: file.column_of("link_confidence", others.len())?,
            reasons: file.column_of("link_reasons", others.len())?,
            rows: others,
            mpn: file.strings("mpn", rows)?,
        };
        // Lookups use the ends as array bounds, so they are validated here.
        let divides =
            links.ends.is_sorted() && links.ends.last().map_or(0, |&end| end as usize) == links.rows.len();
        if divides { Ok(links) } else { Err("links: link_ends do not divide the links".into()) }
    }

    /// The links of a listing, ordered by the row of the other listing.
    pub fn of(&self, row: u32) -> impl Iterator<Item = LikelyLink> + '_ {
        let row = row as usize;
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        (from as usize..self.ends[row] as usize).map(|at| LikelyLink {
            row: self.rows[at],
            confidence: Confidence(self.confidence[at]),
            reasons: self.reasons[at],
        })
    }

    /// The part number of a listing in lower case, with letters and digits only. Empty if the source has none.
    pub fn mpn(&self, row: u32) -> &str {
        self.mpn.get(row)
    }
}
