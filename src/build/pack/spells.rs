//! Price spells: the longest runs of a listing's consecutive observations with one price, list price and flags.
//!
//! A listing that was observed daily keeps its price for weeks, so what an answer adds up day by day it can add up spell
//! by spell. What is written here twice is held against the observations when a snapshot is opened.

use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::super::canonical::{Canonical, Observations};
use crate::snapshot::columns::{ColumnWriter, Element, Written};
use crate::snapshot::layout::{self, NO_DAY};
use crate::snapshot::tables::ObservationColumns;

/// Listings that one task works on.
const LISTINGS_PER_TASK: usize = 1 << 14;

/// The spells of some listings in a row.
#[derive(Default)]
struct Part {
    /// Number of spells of each listing.
    counts: Vec<u32>,
    /// First day of each listing with an observation on every day from it to its last; [`NO_DAY`] for the others.
    first_day: Vec<u16>,
    /// How many of the listing's observations lie before the end of each spell.
    end: Vec<u16>,
    price: Vec<u32>,
    list_price: Vec<u32>,
    flags: Vec<u8>,
    depth: Vec<u64>,
}

/// Writes the spells to `path`.
pub(super) fn write(tables: &Canonical, path: &Path) -> io::Result<Written> {
    let observations = &tables.observations;
    let parts: Vec<Part> = observations.offsets[..observations.offsets.len() - 1]
        .par_chunks(LISTINGS_PER_TASK)
        .enumerate()
        .map(|(task, listings)| {
            let first = task * LISTINGS_PER_TASK;
            Part::of(observations, first..first + listings.len())
        })
        .collect();
    let mut offsets = vec![0_u32];
    for count in parts.iter().flat_map(|part| &part.counts) {
        offsets.push(offsets[offsets.len() - 1] + count);
    }
    let mut file = ColumnWriter::create(path)?;
    file.column("offsets", &offsets)?;
    file.column("first_day", &joined(&parts, |part| &part.first_day))?;
    file.column("end", &joined(&parts, |part| &part.end))?;
    file.column("price", &joined(&parts, |part| &part.price))?;
    file.column("list_price", &joined(&parts, |part| &part.list_price))?;
    file.column("flags", &joined(&parts, |part| &part.flags))?;
    file.column("depth", &joined(&parts, |part| &part.depth))?;
    file.finish()
}

fn joined<T: Element>(parts: &[Part], column: impl Fn(&Part) -> &Vec<T>) -> Vec<T> {
    parts.iter().flat_map(|part| column(part).iter().copied()).collect()
}

impl Part {
    fn of(observations: &Observations, listings: Range<usize>) -> Self {
        let mut part = Self::default();
        for listing in listings {
            let rows = observations.offsets[listing] as usize..observations.offsets[listing + 1] as usize;
            let days = &observations.columns.day[rows.clone()];
            let whole = |&(first, last): &(u16, u16)| usize::from(last - first) + 1 == days.len();
            let span = days.first().copied().zip(days.last().copied());
            part.first_day.push(span.filter(whole).map_or(NO_DAY, |(first, _)| first));
            let before = part.end.len();
            part.add(&observations.columns, &rows);
            part.counts.push((part.end.len() - before) as u32);
        }
        part
    }

    fn add(&mut self, observations: &ObservationColumns, rows: &Range<usize>) {
        let ObservationColumns { price, list_price, flags, .. } = observations;
        let seen = |row: usize| (price[row], list_price[row], flags[row]);
        for row in rows.clone().filter(|&row| row + 1 == rows.end || seen(row) != seen(row + 1)) {
            self.end.push((row + 1 - rows.start) as u16);
            self.price.push(price[row]);
            self.list_price.push(list_price[row]);
            self.flags.push(flags[row]);
            self.depth.push(layout::depth(price[row], list_price[row]));
        }
    }
}
