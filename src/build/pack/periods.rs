//! Sums of each listing's prices by week and by month, see [`crate::snapshot::periods`].

use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::super::canonical::{Canonical, GroupedObservations};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::periods::{self, PeriodCell};

/// Writes the periods that are prepared, week by week and month by month.
pub(super) fn write(tables: &Canonical, path: &Path) -> io::Result<Written> {
    let mut file = ColumnWriter::create(path)?;
    for (granularity, name) in periods::PREPARED {
        let all = periods::periods(tables.names.first_day, tables.names.last_day.plus_days(1), granularity);
        let mut columns = Columns::default();
        for days in all {
            columns.add(&cells(&tables.observations, &days));
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

/// The cells of all listings in a period.
fn cells(observations: &GroupedObservations, period: &Range<u16>) -> Vec<PeriodCell> {
    let columns = &observations.columns;
    let cell = |listing: &[u32]| {
        let rows = listing[0] as usize..listing[1] as usize;
        let days = &columns.day[rows.clone()];
        let from = rows.start + days.partition_point(|&day| day < period.start);
        let to = rows.start + days.partition_point(|&day| day < period.end);
        PeriodCell::of(&columns.price[from..to], &columns.flags[from..to])
    };
    observations.offsets.par_windows(2).map(cell).collect()
}
