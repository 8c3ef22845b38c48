//! Sums of a category's prices by day: of one retailer, of all, and of the retailer's stable basket.

use std::ops::Range;

use rayon::prelude::*;

use super::changes::{Changes, Total};
use crate::catalog::Catalog;
use crate::stats::exact::Rational;

/// Listings that one task works on, at least.
const LISTINGS_PER_TASK: usize = 512;

/// Totals of each day of a window, in cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Daily {
    /// Number of the first day.
    pub from: u16,
    /// Of the retailer.
    pub own: Vec<Total>,
    /// Of all retailers.
    pub all: Vec<Total>,
    /// Of the retailer's products that are priced on every day on which it has any price.
    pub stable_totals: Vec<Total>,
    /// How many products these are.
    pub stable: u32,
}

impl Daily {
    /// The totals of all retailers' `rows` and of the retailer's `own` among them on `days`. Both ascend.
    pub fn of(catalog: &Catalog, rows: &[u32], own: &[u32], days: &Range<u16>) -> Self {
        let own_changes = changes(catalog, own, days);
        let others = changes(catalog, &without(rows, own), days);
        let own_totals = own_changes.clone().totals();
        let points = own_totals.iter().filter(|own| own.count > 0).count();
        // A product has one price a day, and every one of its days has a point: it is stable when it has as many days
        // as there are points.
        let is_stable = |row: &u32| points > 0 && catalog.spells_within(*row, days).len() as usize == points;
        let (stable, unstable): (Vec<u32>, Vec<u32>) = own.iter().copied().partition(is_stable);
        // The fewer are read once more.
        let stable_changes = if stable.len() < unstable.len() {
            changes(catalog, &stable, days)
        } else {
            own_changes.clone().without(&changes(catalog, &unstable, days))
        };
        Self {
            from: days.start,
            own: own_totals,
            all: own_changes.with(&others).totals(),
            stable_totals: stable_changes.totals(),
            stable: stable.len() as u32,
        }
    }
}

/// Exact mean in cents; `None` for no price.
pub fn mean(total: Total) -> Option<Rational> {
    (total.count > 0).then(|| (total.sum.into(), total.count.into()))
}

/// The prices of `rows` on `days`, a spell at a time.
fn changes(catalog: &Catalog, rows: &[u32], days: &Range<u16>) -> Changes {
    let none = || Changes::none(days.len());
    rows.par_chunks(LISTINGS_PER_TASK)
        .fold(none, |mut changes, rows| {
            for &row in rows {
                catalog.spells_within(row, days).each_stretch(|spell, seen| {
                    let seen = usize::from(seen.start - days.start)..usize::from(seen.end - days.start);
                    changes.add(seen, catalog.spells.price[spell].into());
                });
            }
            changes
        })
        .reduce(none, |changes, other| changes.with(&other))
}

/// Those of `rows` that are not among `others`; both ascend.
fn without(rows: &[u32], others: &[u32]) -> Vec<u32> {
    let mut others = others.iter().peekable();
    rows.iter().copied().filter(|row| others.next_if_eq(&row).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn rows_without_others() {
        assert_eq!(without(&[1, 3, 4, 9], &[3, 9]), [1, 4]);
        assert_eq!(without(&[1, 3], &[]), [1, 3]);
        assert!(without(&[3], &[3]).is_empty());
    }
}
