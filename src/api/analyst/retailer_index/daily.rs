//! Sums of a category's prices by day: of one retailer, of all, and of the retailer's stable basket.

use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::Catalog;
use crate::stats::exact::Rational;

/// Listings that one task works on, at least.
const LISTINGS_PER_TASK: usize = 512;

/// Prices of a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Total {
    /// Sum in cents.
    pub(super) sum: u64,
    /// Number of prices. As wide as the sum, so that both are added at once.
    pub(super) count: u64,
}

impl Total {
    /// Exact mean in cents; `None` for no price.
    pub(super) fn mean(self) -> Option<Rational> {
        (self.count > 0).then(|| (self.sum.into(), self.count.into()))
    }

    fn add(&mut self, price: u32) {
        self.sum = self.sum.wrapping_add(price.into());
        self.count = self.count.wrapping_add(1);
    }

    fn take(&mut self, price: u32) {
        self.sum = self.sum.wrapping_sub(price.into());
        self.count = self.count.wrapping_sub(1);
    }

    fn merge(&mut self, other: Self) {
        self.sum = self.sum.wrapping_add(other.sum);
        self.count = self.count.wrapping_add(other.count);
    }
}

/// Totals of each day of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Daily {
    /// Number of the first day.
    pub(super) from: u16,
    /// Of the retailer.
    pub(super) own: Vec<Total>,
    /// Of all retailers.
    pub(super) all: Vec<Total>,
    /// Of the retailer's products that are priced on every day on which it has any price.
    pub(super) stable_totals: Vec<Total>,
    /// How many products these are.
    pub(super) stable: u32,
}

impl Daily {
    /// The totals of all retailers' `rows` and of the retailer's `own` among them on `days`.
    pub(super) fn of(catalog: &Catalog, rows: &[u32], own: &[u32], days: &Range<u16>) -> Self {
        let all = Changes::of(catalog, rows, days).totals();
        let own_totals = Changes::of(catalog, own, days).totals();
        let points = own_totals.iter().filter(|own| own.count > 0).count();
        // A product has one price a day, and every one of its days has a point: it is stable when it has as many days
        // as there are points.
        let is_stable = |row: &u32| points > 0 && catalog.spells_within(*row, days).len() as usize == points;
        let stable: Vec<u32> = own.iter().copied().filter(is_stable).collect();
        let stable_totals = Changes::of(catalog, &stable, days).totals();
        Self { from: days.start, own: own_totals, all, stable_totals, stable: stable.len() as u32 }
    }
}

/// What the total of each day of a window, and of the one behind it, has over that of the day before.
///
/// A spell changes two of them however long it is. Sums wrap below zero between days and are right on each.
struct Changes(Vec<Total>);

impl Changes {
    fn of(catalog: &Catalog, rows: &[u32], days: &Range<u16>) -> Self {
        let none = || Self(vec![Total::default(); days.len() + 1]);
        rows.par_chunks(LISTINGS_PER_TASK)
            .fold(none, |mut changes, rows| {
                for &row in rows {
                    changes.add(catalog, row, days);
                }
                changes
            })
            // Integers: the order of merging does not matter.
            .reduce(none, Self::merged)
    }

    fn add(&mut self, catalog: &Catalog, row: u32, days: &Range<u16>) {
        catalog.spells_within(row, days).each_stretch(|spell, seen| {
            let price = catalog.spells.price[spell];
            self.0[usize::from(seen.start - days.start)].add(price);
            self.0[usize::from(seen.end - days.start)].take(price);
        });
    }

    fn merged(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(total, other)| total.merge(other));
        self
    }

    fn totals(mut self) -> Vec<Total> {
        self.0.pop();
        let mut running = Total::default();
        for total in &mut self.0 {
            running.merge(*total);
            *total = running;
        }
        self.0
    }
}
