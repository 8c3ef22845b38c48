//! Sums of each listing's prices by week and by month, see [`crate::snapshot::periods`].
//!
//! What is prepared is known when all observations are counted. Then cells come listing by listing and are written
//! period by period: they go by blocks of listings through temporary files, in which the periods of a block lie one
//! after the other.

use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::super::normalized::{GroupedSpells, Names};
use super::super::scratch::{Scratch, TempColumn};
use super::spells::Spells;
use crate::snapshot::columns::{ColumnWriter, Element, Written};
use crate::snapshot::periods::{self, PeriodCell};

/// Fewest listings that are counted at a time.
const COUNTED_AT_A_TIME_MIN: usize = 1 << 12;
/// Most listings of a block.
const BLOCK_LISTINGS_MAX: u64 = 1 << 14;
/// Most cells of a block: six bytes each.
const BLOCK_CELLS_MAX: u64 = 1 << 20;

/// Periods of all widths, and what is in them.
pub(super) struct Periods {
    widths: Vec<Width>,
}

/// Periods of one width.
struct Width {
    /// Prefix of its columns.
    name: &'static str,
    periods: Vec<Range<u16>>,
    tallies: Vec<Tally>,
}

/// What decides whether a period is prepared.
#[derive(Clone, Copy, Default)]
struct Tally {
    observations: u64,
    /// The largest sum of a listing's prices.
    largest_cents: u64,
}

/// The prepared cells of blocks of listings, period by period in each block.
struct Cells {
    sum: TempColumn<u32>,
    days: TempColumn<u8>,
    flags: TempColumn<u8>,
}

/// Those of one block.
struct Block {
    sum: Vec<u32>,
    days: Vec<u8>,
    flags: Vec<u8>,
}

/// How listings are cut into blocks, and how many periods each has.
#[derive(Clone, Copy)]
struct Cut {
    listings: u64,
    block: u64,
    periods: u64,
}

impl Periods {
    /// The periods between the first and the last day.
    pub(super) fn of(names: &Names) -> Self {
        let width = |(granularity, name)| {
            let periods = periods::periods(names.first_day, names.last_day.plus_days(1), granularity);
            Width { name, tallies: vec![Tally::default(); periods.len()], periods }
        };
        Self { widths: periods::PREPARED.map(width).into() }
    }

    /// Counts the observations of more listings.
    pub(super) fn count(&mut self, spells: &GroupedSpells) {
        for width in &mut self.widths {
            width.count(spells);
        }
    }

    /// Writes the periods that are prepared, week by week and month by month.
    pub(super) fn write(&self, spells: &Spells, scratch: &Scratch, path: &Path) -> io::Result<Written> {
        let mut file = ColumnWriter::create(path)?;
        for width in &self.widths {
            width.write(spells, scratch, &mut file)?;
        }
        file.finish()
    }
}

impl Width {
    fn count(&mut self, spells: &GroupedSpells) {
        let none = || vec![Tally::default(); self.periods.len()];
        let (price, flags) = (&spells.columns.price, &spells.columns.flags);
        let more = (0..spells.listings())
            .into_par_iter()
            .with_min_len(COUNTED_AT_A_TIME_MIN)
            .fold(none, |mut tallies, listing| {
                periods::each_cell(&spells.cut(listing), price, flags, &self.periods, |at, cell| {
                    tallies[at].add(u64::from(cell.days), cell.sum);
                });
                tallies
            })
            .reduce(none, |mut tallies, more| {
                for (tally, more) in tallies.iter_mut().zip(more) {
                    tally.add(more.observations, more.largest_cents);
                }
                tallies
            });
        for (tally, more) in self.tallies.iter_mut().zip(more) {
            tally.add(more.observations, more.largest_cents);
        }
    }

    fn write(&self, spells: &Spells, scratch: &Scratch, file: &mut ColumnWriter) -> io::Result<()> {
        let listings = spells.listings();
        let is_prepared =
            |tally: &Tally| periods::is_prepared(tally.observations, tally.largest_cents, listings as usize);
        let prepared: Vec<u8> = self.tallies.iter().map(|tally| is_prepared(tally).into()).collect();
        // The place of each period among the prepared ones.
        let place: Vec<Option<usize>> = prepared
            .iter()
            .scan(0, |next, &is| Some((is == 1).then(|| std::mem::replace(next, *next + 1))))
            .collect();
        let count = place.iter().flatten().count() as u64;
        let block = (BLOCK_CELLS_MAX / count.max(1)).clamp(1, BLOCK_LISTINGS_MAX);
        let cut = Cut { listings, block, periods: count };
        let cells = self.cells(cut, &place, spells, scratch)?;
        file.column(&format!("{}_prepared", self.name), &prepared)?;
        cut.turn(&cells.sum, &format!("{}_sum", self.name), file)?;
        cut.turn(&cells.days, &format!("{}_days", self.name), file)?;
        cut.turn(&cells.flags, &format!("{}_flags", self.name), file)
    }

    fn cells(
        &self,
        cut: Cut,
        place: &[Option<usize>],
        spells: &Spells,
        scratch: &Scratch,
    ) -> io::Result<Cells> {
        let mut cells = Cells {
            sum: TempColumn::new(scratch, "period_sum"),
            days: TempColumn::new(scratch, "period_days"),
            flags: TempColumn::new(scratch, "period_flags"),
        };
        if cut.periods == 0 {
            return Ok(cells);
        }
        let blocks: Vec<Range<u64>> = cut.blocks().collect();
        for some in blocks.chunks(rayon::current_num_threads()) {
            let block =
                |listings: &Range<u64>| Ok(self.block(&spells.read(listings.clone())?, place, cut.periods));
            let made: Vec<Block> = some.par_iter().map(block).collect::<io::Result<_>>()?;
            for Block { sum, days, flags } in made {
                cells.sum.extend(&sum)?;
                cells.days.extend(&days)?;
                cells.flags.extend(&flags)?;
            }
        }
        Ok(cells)
    }

    fn block(&self, spells: &GroupedSpells, place: &[Option<usize>], periods: u64) -> Block {
        let listings = spells.listings();
        let cells = listings * periods as usize;
        let mut block = Block { sum: vec![0; cells], days: vec![0; cells], flags: vec![0; cells] };
        let (price, flags) = (&spells.columns.price, &spells.columns.flags);
        for listing in 0..listings {
            periods::each_cell(&spells.cut(listing), price, flags, &self.periods, |at, cell| {
                if let Some(place) = place[at] {
                    let PeriodCell { sum, days, flags } = cell;
                    let at = place * listings + listing;
                    // It fits, or the period would not be prepared.
                    (block.sum[at], block.days[at], block.flags[at]) = (sum as u32, days, flags);
                }
            });
        }
        block
    }
}

impl Tally {
    fn add(&mut self, observations: u64, largest_cents: u64) {
        self.observations += observations;
        self.largest_cents = self.largest_cents.max(largest_cents);
    }
}

impl Cut {
    fn blocks(self) -> impl Iterator<Item = Range<u64>> {
        let blocks = 0..self.listings.div_ceil(self.block);
        blocks.map(move |at| at * self.block..self.listings.min((at + 1) * self.block))
    }

    /// Writes a column of cells period by period.
    fn turn<T: Element>(self, cells: &TempColumn<T>, name: &str, file: &mut ColumnWriter) -> io::Result<()> {
        file.column::<T>(name, &[])?;
        let mut part = Vec::new();
        for period in 0..self.periods {
            for block in self.blocks() {
                let listings = block.end - block.start;
                part.resize(listings as usize, T::zeroed());
                cells.read_at(block.start * self.periods + period * listings, &mut part)?;
                file.column(name, &part)?;
            }
        }
        Ok(())
    }
}
