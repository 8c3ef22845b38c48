//! Sums of each listing's prices by week and by month, see [`crate::snapshot::periods`].

use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::super::canonical::{GroupedSpells, Names};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::periods::{self, PeriodCell};

/// Writes the periods that are prepared, week by week and month by month.
pub(super) fn write(names: &Names, spells: &GroupedSpells, path: &Path) -> io::Result<Written> {
    let mut file = ColumnWriter::create(path)?;
    for (granularity, name) in periods::PREPARED {
        let all = periods::periods(names.first_day, names.last_day.plus_days(1), granularity);
        let listings: Vec<Vec<PeriodCell>> = (0..spells.listings())
            .into_par_iter()
            .map(|listing| {
                let mut cells = vec![PeriodCell::default(); all.len()];
                let (price, flags) = (&spells.columns.price, &spells.columns.flags);
                periods::each_cell(&spells.cut(listing), price, flags, &all, |at, cell| cells[at] = cell);
                cells
            })
            .collect();
        let mut columns = Columns::default();
        for period in 0..all.len() {
            columns.add(&listings.iter().map(|cells| cells[period]).collect::<Vec<_>>());
        }
        file.column(&format!("{name}_prepared"), &columns.prepared)?;
        file.column(&format!("{name}_sum"), &columns.sum)?;
        file.column(&format!("{name}_days"), &columns.days)?;
        file.column(&format!("{name}_flags"), &columns.flags)?;
    }
    file.finish()
}

/// The prepared periods of one width, one after the other.
#[derive(Default)]
struct Columns {
    /// Whether each period is prepared.
    prepared: Vec<u8>,
    sum: Vec<u32>,
    days: Vec<u8>,
    flags: Vec<u8>,
}

impl Columns {
    fn add(&mut self, cells: &[PeriodCell]) {
        let observations = cells.par_iter().map(|cell| u64::from(cell.days)).sum();
        let largest = cells.par_iter().map(|cell| cell.sum).max().unwrap_or_default();
        let prepared = periods::is_prepared(observations, largest, cells.len());
        self.prepared.push(prepared.into());
        if prepared {
            self.sum.extend(cells.iter().map(|cell| cell.sum as u32));
            self.days.extend(cells.iter().map(|cell| cell.days));
            self.flags.extend(cells.iter().map(|cell| cell.flags));
        }
    }
}
