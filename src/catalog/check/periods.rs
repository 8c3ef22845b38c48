//! The prepared periods, compared with the observations that they were made of.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::rows::first_bad;
use crate::catalog::{Catalog, Cells};
use crate::snapshot::periods::{PeriodCell, is_prepared};

pub(super) fn periods(catalog: &Catalog) -> Option<String> {
    catalog.periods.all().find_map(|(granularity, days, cells)| {
        let fault = match cells {
            Some(cells) => differs(catalog, days, cells)?,
            None => missing(catalog, days)?,
        };
        Some(format!(
            "periods: {} {}: {fault}",
            granularity.as_str(),
            granularity.label(catalog.day(days.start))
        ))
    })
}

/// What is wrong with a prepared period.
fn differs(catalog: &Catalog, days: &Range<u16>, cells: Cells<'_>) -> Option<String> {
    let (listings, observations) = (cells.sum.len(), AtomicU64::new(0));
    let bad = first_bad(listings, |row| {
        let cell = cell(catalog, row, days);
        observations.fetch_add(cell.days.into(), Relaxed);
        cell.sum == u64::from(cells.sum[row])
            && (cell.days, cell.flags) == (cells.days[row], cells.flags[row])
    });
    match bad {
        Some(bad) => Some(format!("listing {bad} has other observations")),
        None if !is_prepared(observations.into_inner(), 0, listings) => {
            Some("has too few observations".into())
        }
        None => None,
    }
}

/// What is wrong with a period that is not prepared.
fn missing(catalog: &Catalog, days: &Range<u16>) -> Option<String> {
    let listings = catalog.listings.country.len();
    let (observations, largest) = (0..listings)
        .into_par_iter()
        .map(|row| cell(catalog, row, days))
        .map(|cell| (u64::from(cell.days), cell.sum))
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    is_prepared(observations, largest, listings).then(|| "is not prepared".into())
}

fn cell(catalog: &Catalog, row: usize, days: &Range<u16>) -> PeriodCell {
    let columns = &catalog.observations.columns;
    let rows = catalog.observations.within(row as u32, days.start, days.end);
    PeriodCell::of(&columns.price[rows.clone()], &columns.flags[rows])
}
