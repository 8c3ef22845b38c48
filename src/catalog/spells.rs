//! Price spells of an opened snapshot, see [`crate::snapshot::spells`].

use std::ops::Range;

use polars_buffer::Buffer;

use super::Catalog;
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::NO_DAY;
use crate::snapshot::spells::{Cut, SeenDays};

/// Spells, grouped by listing in the order of the listings, earlier ones first.
#[allow(missing_docs)]
pub struct Spells {
    /// Spells of listing `i` are rows `offsets[i]..offsets[i + 1]`.
    pub offsets: Buffer<u64>,
    /// Day on which each listing was first seen; [`NO_DAY`] for one that never was.
    pub first_day: Buffer<u16>,
    /// How many of the listing's observations lie before the end of the spell.
    pub end: Buffer<u16>,
    pub price: Buffer<u32>,
    pub list_price: Buffer<u32>,
    pub flags: Buffer<u8>,
    /// What [`crate::snapshot::layout::depth`] makes of price and list price.
    pub depth: Buffer<u64>,
    /// Words of listing `i` are `days[day_offsets[i]..day_offsets[i + 1]]`; none where no day is missing between its
    /// first and its last.
    pub day_offsets: Buffer<u64>,
    /// Bit `d` of a listing's words: it was seen `d` days after its first.
    pub days: Buffer<u64>,
}

impl Spells {
    /// Takes the columns out of a mapped file.
    ///
    /// # Errors
    /// When a column is missing or has another type or length.
    pub fn load(file: &ColumnFile, listings: usize) -> Result<Self, String> {
        let offsets: Buffer<u64> = file.column_of("offsets", listings + 1)?;
        let day_offsets: Buffer<u64> = file.column_of("day_offsets", listings + 1)?;
        let (rows, words) = (offsets[listings] as usize, day_offsets[listings] as usize);
        Ok(Self {
            first_day: file.column_of("first_day", listings)?,
            end: file.column_of("end", rows)?,
            price: file.column_of("price", rows)?,
            list_price: file.column_of("list_price", rows)?,
            flags: file.column_of("flags", rows)?,
            depth: file.column_of("depth", rows)?,
            days: file.column_of("days", words)?,
            offsets,
            day_offsets,
        })
    }

    /// Rows of a listing's spells.
    #[inline]
    pub fn of(&self, listing: u32) -> Range<usize> {
        self.offsets[listing as usize] as usize..self.offsets[listing as usize + 1] as usize
    }

    /// Words of a listing's days.
    #[inline]
    pub fn words(&self, listing: u32) -> &[u64] {
        let listing = listing as usize;
        &self.days[self.day_offsets[listing] as usize..self.day_offsets[listing + 1] as usize]
    }

    /// Number of a listing's observations.
    #[inline]
    pub fn observed(&self, listing: u32) -> u16 {
        self.of(listing).last().map_or(0, |row| self.end[row])
    }
}

impl Catalog {
    /// A listing's spells as far as they lie on `days`, counted from the snapshot's first.
    #[inline]
    pub fn spells_within(&self, listing: u32, days: &Range<u16>) -> Cut<'_> {
        let (rows, first) = (self.spells.of(listing), self.spells.first_day[listing as usize]);
        // Most listings miss no day. Those are told by the last one, which is read from a narrower column.
        let span = u32::from(self.listings.current_day[listing as usize]) + 1;
        let is_whole = rows.is_empty() || u32::from(first) + u32::from(self.spells.end[rows.end - 1]) == span;
        let words = if is_whole { &[][..] } else { self.spells.words(listing) };
        Cut::of(rows, SeenDays::new(first, words), &self.spells.end, days)
    }

    /// All of a listing's spells.
    #[inline]
    pub fn all_spells(&self, listing: u32) -> Cut<'_> {
        self.spells_within(listing, &(0..NO_DAY))
    }

    /// First and last day on which a listing was seen.
    pub fn seen_span(&self, listing: u32) -> Option<(u16, u16)> {
        let (first, last) =
            (self.spells.first_day[listing as usize], self.listings.current_day[listing as usize]);
        (first != NO_DAY).then_some((first, last))
    }
}
