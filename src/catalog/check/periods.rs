//! Checks the prepared periods against the spells from which they are derived.

use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::{Catalog, Cells};
use crate::snapshot::periods::{PeriodCell, each_cell, is_prepared};
use crate::types::Granularity;

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 1 << 10;

/// A period, with its cells if it is prepared.
type PreparedPeriod<'a> = (Granularity, &'a Range<u16>, Option<Cells<'a>>);

pub(super) fn periods(catalog: &Catalog) -> Option<String> {
    let held: Vec<PreparedPeriod<'_>> = catalog.periods.all().collect();
    held.chunk_by(|a, b| a.0 == b.0).find_map(|width| fault(catalog, width))
}

/// The first violation among the periods of one width.
fn fault(catalog: &Catalog, width: &[PreparedPeriod<'_>]) -> Option<String> {
    let days: Vec<Range<u16>> = width.iter().map(|&(_, days, _)| days.clone()).collect();
    let listings = catalog.listings.country.len();
    let tally = (0..listings)
        .into_par_iter()
        .with_min_len(LISTINGS_PER_TASK)
        .fold(|| Tally::of(width.len()), |tally, row| tally.with(catalog, row, &days, width))
        .reduce(|| Tally::of(width.len()), Tally::and);
    width.iter().zip(tally.totals).find_map(|((granularity, days, cells), total)| {
        let is_due = is_prepared(total.observations, total.largest, listings);
        let fault = match (cells, total.differs) {
            (Some(_), Some(row)) => format!("the cell of listing {row} does not match its observations"),
            (Some(_), None) if !is_due => "has too few observations".into(),
            (None, _) if is_due => "is not prepared".into(),
            _ => return None,
        };
        let label = granularity.label(catalog.day(days.start));
        Some(format!("periods: {} {label}: {fault}", granularity.as_str()))
    })
}

/// The totals of listings in each period of a width.
struct Tally {
    totals: Vec<Total>,
    /// Scratch space for the cells of one listing.
    cells: Vec<PeriodCell>,
}

/// The totals of listings in a period.
#[derive(Clone, Copy, Default)]
struct Total {
    observations: u64,
    largest: u64,
    /// The first listing whose cell does not match its spells.
    differs: Option<usize>,
}

impl Tally {
    fn of(periods: usize) -> Self {
        Self { totals: vec![Total::default(); periods], cells: vec![PeriodCell::default(); periods] }
    }

    fn with(
        mut self,
        catalog: &Catalog,
        row: usize,
        days: &[Range<u16>],
        width: &[PreparedPeriod<'_>],
    ) -> Self {
        let (spells, cells) = (&catalog.spells, &mut self.cells);
        cells.fill(PeriodCell::default());
        let cut = catalog.all_spells(row as u32);
        each_cell(&cut, &spells.price, &spells.flags, days, |period, cell| cells[period] = cell);
        for ((total, cell), (_, _, held)) in self.totals.iter_mut().zip(cells).zip(width) {
            total.observations += u64::from(cell.days);
            total.largest = total.largest.max(cell.sum);
            let is_held = held.is_none_or(|held| {
                (cell.sum, cell.days, cell.flags) == (held.sum[row].into(), held.days[row], held.flags[row])
            });
            if !is_held {
                total.differs = total.differs.or(Some(row));
            }
        }
        self
    }

    /// Merges two tallies. The listings of `self` must precede the listings of `other`.
    fn and(mut self, other: Self) -> Self {
        for (total, other) in self.totals.iter_mut().zip(other.totals) {
            total.observations += other.observations;
            total.largest = total.largest.max(other.largest);
            total.differs = total.differs.or(other.differs);
        }
        self
    }
}
