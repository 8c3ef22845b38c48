//! Price spells and the days on which each listing was seen.

use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::super::normalized::{GroupedSpells, SpellColumns};
use super::super::scratch::{Scratch, TempColumns};
use crate::snapshot::columns::{ColumnWriter, Element, Written};
use crate::snapshot::layout;

/// Spells of which a column is put together at a time.
const SPELLS_AT_A_TIME: u64 = 1 << 16;

/// The spells of all listings, in temporary files.
pub(super) struct Spells {
    columns: TempColumns,
    listings: u64,
    /// Number of spells.
    rows: u64,
    day_words: u64,
}

impl Spells {
    /// Those of no listing.
    pub(super) fn new(scratch: &Scratch) -> io::Result<Self> {
        let mut none = Self { columns: TempColumns::new(scratch), listings: 0, rows: 0, day_words: 0 };
        none.columns.column("offsets", &[0_u64])?;
        none.columns.column("day_offsets", &[0_u64])?;
        none.take(&GroupedSpells::default())?;
        Ok(none)
    }

    /// Appends those of more listings.
    pub(super) fn take(&mut self, more: &GroupedSpells) -> io::Result<()> {
        let SpellColumns { end, price, list_price, flags } = &more.columns;
        let moved = |offsets: &[u64], by: u64| offsets[1..].iter().map(|end| by + end).collect::<Vec<_>>();
        self.columns.column("offsets", &moved(&more.offsets, self.rows))?;
        self.columns.column("first_day", &more.first_day)?;
        self.columns.column("end", end)?;
        self.columns.column("price", price)?;
        self.columns.column("list_price", list_price)?;
        self.columns.column("flags", flags)?;
        self.columns.column("day_offsets", &moved(&more.day_offsets, self.day_words))?;
        self.columns.column("days", &more.days)?;
        self.listings += more.listings() as u64;
        self.rows += end.len() as u64;
        self.day_words += more.days.len() as u64;
        Ok(())
    }

    /// Number of listings.
    pub(super) fn listings(&self) -> u64 {
        self.listings
    }

    /// What sums over the days of some listings ask: all but list prices and last days.
    pub(super) fn read(&self, listings: Range<u64>) -> io::Result<GroupedSpells> {
        let ends = listings.start..listings.end + 1;
        let mut offsets: Vec<u64> = self.column("offsets", ends.clone())?;
        let mut day_offsets: Vec<u64> = self.column("day_offsets", ends)?;
        let spells = begin_at_0(&mut offsets);
        let words = begin_at_0(&mut day_offsets);
        Ok(GroupedSpells {
            offsets,
            first_day: self.column("first_day", listings)?,
            last_day: Vec::new(),
            day_offsets,
            days: self.column("days", words)?,
            columns: SpellColumns {
                end: self.column("end", spells.clone())?,
                price: self.column("price", spells.clone())?,
                list_price: Vec::new(),
                flags: self.column("flags", spells)?,
            },
        })
    }

    fn column<T: Element>(&self, name: &str, rows: Range<u64>) -> io::Result<Vec<T>> {
        let mut values = vec![T::zeroed(); (rows.end - rows.start) as usize];
        self.columns.read_at(name, rows.start, &mut values)?;
        Ok(values)
    }

    /// Writes the spells to `path`.
    pub(super) fn write(&self, path: &Path) -> io::Result<Written> {
        let mut file = ColumnWriter::create(path)?;
        for name in ["offsets", "first_day", "end", "price", "list_price", "flags"] {
            self.columns.copy(name, &mut file)?;
        }
        self.write_depth(&mut file)?;
        for name in ["day_offsets", "days"] {
            self.columns.copy(name, &mut file)?;
        }
        file.finish()
    }

    fn write_depth(&self, file: &mut ColumnWriter) -> io::Result<()> {
        file.column::<u64>("depth", &[])?;
        let mut from = 0;
        while from < self.rows {
            let spells = from..self.rows.min(from + SPELLS_AT_A_TIME);
            from = spells.end;
            let price: Vec<u32> = self.column("price", spells.clone())?;
            let list_price: Vec<u32> = self.column("list_price", spells)?;
            let depth = price.par_iter().zip(&list_price).map(|(&price, &list)| layout::depth(price, list));
            file.column("depth", &depth.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

/// Counts offsets from the first one, and says what range they were.
fn begin_at_0(offsets: &mut [u64]) -> Range<u64> {
    let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    for offset in offsets {
        *offset -= first;
    }
    first..last
}
