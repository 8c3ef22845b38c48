//! Price spells of an opened snapshot, see [`crate::snapshot::spells`].

use std::ops::Range;

use polars_buffer::Buffer;

use super::Catalog;
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::NO_DAY;
use crate::snapshot::spells::{Cut, SeenDays};

/// The price spells, grouped by listing in the order of the listings, earliest first.
#[allow(missing_docs)]
pub struct Spells {
    /// Spells of listing `i` are rows `offsets[i]..offsets[i + 1]`.
    pub offsets: Buffer<u64>,
    /// The day on which each listing was first seen; [`NO_DAY`] for a listing without observations.
    pub first_day: Buffer<u16>,
    /// The number of the listing's observations before the end of the spell.
    pub end: Buffer<u16>,
    pub price: Buffer<u32>,
    pub list_price: Buffer<u32>,
    pub flags: Buffer<u8>,
    /// The [`crate::snapshot::layout::depth`] of price and list price.
    pub depth: Buffer<u64>,
    /// The words of listing `i` are `days[day_offsets[i]..day_offsets[i + 1]]`. A listing that was seen on every day
    /// between its first and its last has no words.
    pub day_offsets: Buffer<u64>,
    /// Bit `d` of a listing's words is set if the listing was seen `d` days after its first day.
    pub days: Buffer<u64>,
}

impl Spells {
    /// Loads the columns from a mapped file.
    ///
    /// # Errors
    /// Returns an error if a column is missing or has an unexpected type or length.
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

    /// The rows of a listing's spells.
    #[inline]
    pub fn of(&self, listing: u32) -> Range<usize> {
        self.offsets[listing as usize] as usize..self.offsets[listing as usize + 1] as usize
    }

    /// The words of a listing's days.
    #[inline]
    pub fn words(&self, listing: u32) -> &[u64] {
        let listing = listing as usize;
        &self.days[self.day_offsets[listing] as usize..self.day_offsets[listing + 1] as usize]
    }

    /// The number of a listing's observations.
    #[inline]
    pub fn observed(&self, listing: u32) -> u16 {
        self.of(listing).last().map_or(0, |row| self.end[row])
    }
}

impl Catalog {
    /// The parts of a listing's spells within `days`, counted from the snapshot's first day.
    #[inline]
    pub fn spells_within(&self, listing: u32, days: &Range<u16>) -> Cut<'_> {
        let (rows, first) = (self.spells.of(listing), self.spells.first_day[listing as usize]);
        // Most listings miss no day. For such a listing, reading the last day suffices, and its column is narrower than
        // the words.
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

    /// The first and the last day on which a listing was seen; `None` if it was never seen.
    pub fn seen_span(&self, listing: u32) -> Option<(u16, u16)> {
        let (first, last) =
            (self.spells.first_day[listing as usize], self.listings.current_day[listing as usize]);
        (first != NO_DAY).then_some((first, last))
    }
}
