//! Daily sums of a category's prices: of one retailer, of all retailers, and of the retailer's stable basket.

use std::ops::Range;

use rayon::prelude::*;

use super::changes::{Changes, Total};
use crate::catalog::Catalog;
use crate::stats::exact::Rational;

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 512;

/// The totals of each day of a window, in cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Daily {
    /// The number of the first day.
    pub from: u16,
    /// Totals of the retailer.
    pub own: Vec<Total>,
    /// Totals of all retailers.
    pub all: Vec<Total>,
    /// Totals of the retailer's products that are priced on every day on which the retailer has any price.
    pub stable_totals: Vec<Total>,
    /// The number of products in `stable_totals`.
    pub stable: u32,
}

impl Daily {
    /// Computes the totals of `rows` (all retailers) and of `own` (the retailer's rows among them) on `days`. Both
    /// must be ascending.
    pub fn of(catalog: &Catalog, rows: &[u32], own: &[u32], days: &Range<u16>) -> Self {
        let own_changes = changes(catalog, own, days);
        let others = changes(catalog, &without(rows, own), days);
        let own_totals = own_changes.clone().totals();
        let points = own_totals.iter().filter(|own| own.count > 0).count();
        // A product has at most one price per day, and each day on which the retailer has a price is a point. A product
        // is therefore stable if its number of days equals the number of points.
        let is_stable = |row: &u32| points > 0 && catalog.spells_within(*row, days).len() as usize == points;
        let (stable, unstable): (Vec<u32>, Vec<u32>) = own.iter().copied().partition(is_stable);
        // The smaller of the two groups is read again.
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

/// The exact mean in cents; `None` if there is no price.
pub fn mean(total: Total) -> Option<Rational> {
    (total.count > 0).then(|| (total.sum.into(), total.count.into()))
}

/// The prices of `rows` on `days` as a difference array, added spell by spell.
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

/// The rows that are not in `others`. Both must be ascending.
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
