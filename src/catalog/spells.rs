//! Price spells: runs of a listing's consecutive observations with one price, list price and flags.
//!
//! What adds up over days adds up over spells, of which there are far fewer. A spell ends at a place among the
//! listing's observations; where no day is missing a place is a day, so that the days are not read at all.

use std::iter::zip;
use std::ops::Range;

use polars_buffer::Buffer;

use super::Catalog;
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::NO_DAY;

/// Spells, grouped by listing in the order of the listings, earlier ones first.
#[allow(missing_docs)]
pub struct Spells {
    /// Spells of listing `i` are rows `offsets[i]..offsets[i + 1]`.
    pub offsets: Buffer<u32>,
    /// First day of each listing with an observation on every day from it to its last; [`NO_DAY`] for the others.
    pub first_day: Buffer<u16>,
    /// How many of the listing's observations lie before the end of the spell.
    pub end: Buffer<u16>,
    pub price: Buffer<u32>,
    pub list_price: Buffer<u32>,
    pub flags: Buffer<u8>,
    /// What [`crate::snapshot::layout::depth`] makes of price and list price.
    pub depth: Buffer<u64>,
}

impl Spells {
    /// Takes the columns out of a mapped file.
    ///
    /// # Errors
    /// When a column is missing or has another type or length.
    pub fn load(file: &ColumnFile, listings: usize) -> Result<Self, String> {
        let offsets: Buffer<u32> = file.column_of("offsets", listings + 1)?;
        let rows = offsets[listings] as usize;
        Ok(Self {
            first_day: file.column_of("first_day", listings)?,
            end: file.column_of("end", rows)?,
            price: file.column_of("price", rows)?,
            list_price: file.column_of("list_price", rows)?,
            flags: file.column_of("flags", rows)?,
            depth: file.column_of("depth", rows)?,
            offsets,
        })
    }

    /// Rows of a listing's spells.
    #[inline]
    pub fn of(&self, listing: u32) -> Range<usize> {
        self.offsets[listing as usize] as usize..self.offsets[listing as usize + 1] as usize
    }
}

impl Catalog {
    /// A listing's spells as far as they lie on `days`, counted from the snapshot's first.
    #[inline]
    pub fn spells_within(&self, listing: u32, days: &Range<u16>) -> Cut<'_> {
        let first = self.spells.first_day[listing as usize];
        if first == NO_DAY {
            return self.listed_within(listing, days);
        }
        let rows = self.spells.of(listing);
        let observed = self.spells.end[rows.end - 1];
        let place = |day: u16| day.saturating_sub(first).min(observed);
        self.cut(rows, place(days.start)..place(days.end), Dates::Following(first))
    }

    /// The same of a listing that was not observed on some day, or on any.
    fn listed_within(&self, listing: u32, days: &Range<u16>) -> Cut<'_> {
        let all = self.observations.of(listing);
        let seen = self.observations.within(listing, days.start, days.end);
        let places = (seen.start - all.start) as u16..(seen.end - all.start) as u16;
        self.cut(self.spells.of(listing), places, Dates::Listed(&self.observations.columns.day[all]))
    }

    /// The spells in `rows`, all of a listing's, that hold these places of its observations.
    #[inline]
    fn cut<'a>(&'a self, rows: Range<usize>, seen: Range<u16>, dates: Dates<'a>) -> Cut<'a> {
        let end = &self.spells.end;
        let (mut from, mut to) = (rows.start, rows.end);
        if seen.is_empty() {
            to = from;
        } else {
            // Most windows hold all of a listing: neither bound is searched for.
            if seen.start > 0 {
                from += end[rows.clone()].partition_point(|&end| end <= seen.start);
            }
            if seen.end < end[rows.end - 1] {
                to = from + end[from..rows.end].partition_point(|&end| end < seen.end) + 1;
            }
        }
        Cut { rows: from..to, seen, dates, end }
    }
}

/// The days of a listing's observations.
#[derive(Clone, Copy)]
enum Dates<'a> {
    /// From this one on, without a gap.
    Following(u16),
    /// Some day is missing.
    Listed(&'a [u16]),
}

/// A listing's spells, cut at the bounds of a window.
#[derive(Clone)]
pub struct Cut<'a> {
    /// Rows of the spells that reach into the window.
    pub rows: Range<usize>,
    /// Places of the window's observations among those of the listing.
    seen: Range<u16>,
    dates: Dates<'a>,
    end: &'a [u16],
}

impl Cut<'_> {
    /// Number of observations.
    pub fn len(&self) -> u32 {
        u32::from(self.seen.end.saturating_sub(self.seen.start))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// First and last day with an observation.
    pub fn days(&self) -> Option<(u16, u16)> {
        let day = |place: u16| match self.dates {
            Dates::Following(first) => first + place,
            Dates::Listed(days) => days[usize::from(place)],
        };
        (!self.is_empty()).then(|| (day(self.seen.start), day(self.seen.end - 1)))
    }

    /// Number of observations of each spell in `rows`.
    pub fn times(&self) -> impl Iterator<Item = u32> + '_ {
        self.places().map(|places| u32::from(places.end - places.start))
    }

    /// Hands each spell's row and days to `each`, in order; days in a row at once, so that a spell that reaches over
    /// a missing day comes in parts.
    pub fn each_stretch(&self, mut each: impl FnMut(usize, Range<u16>)) {
        for (row, places) in zip(self.rows.clone(), self.places()) {
            match self.dates {
                Dates::Following(first) => each(row, first + places.start..first + places.end),
                Dates::Listed(days) => {
                    let days = &days[usize::from(places.start)..usize::from(places.end)];
                    for stretch in days.chunk_by(|&day, &next| next - day == 1) {
                        each(row, stretch[0]..stretch[0] + stretch.len() as u16);
                    }
                }
            }
        }
    }

    /// Places of each spell's observations.
    fn places(&self) -> impl Iterator<Item = Range<u16>> + '_ {
        let mut from = self.seen.start;
        self.end[self.rows.clone()].iter().map(move |&end| {
            let to = end.min(self.seen.end);
            std::mem::replace(&mut from, to)..to
        })
    }
}
