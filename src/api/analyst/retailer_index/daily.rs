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
    /// Number of prices.
    pub(super) count: u32,
}

impl Total {
    /// Exact mean in cents; `None` for no price.
    pub(super) fn mean(self) -> Option<Rational> {
        (self.count > 0).then(|| (self.sum.into(), self.count.into()))
    }

    fn add(&mut self, price: u32) {
        self.sum += u64::from(price);
        self.count += 1;
    }

    fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
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
    /// The totals of `rows` on `days`; the retailer is that of `platform`.
    pub(super) fn of(catalog: &Catalog, rows: &[u32], platform: u16, days: &Range<u16>) -> Self {
        let mut daily = rows
            .par_chunks(LISTINGS_PER_TASK)
            .fold(
                || Self::empty(days),
                |mut daily, rows| {
                    for &row in rows {
                        daily.add(catalog, row, platform, days);
                    }
                    daily
                },
            )
            // Integers: the order of merging does not matter.
            .reduce(|| Self::empty(days), Self::merged);
        daily.add_stable(catalog, rows, platform, days);
        daily
    }

    fn empty(days: &Range<u16>) -> Self {
        let totals = vec![Total::default(); days.len()];
        Self { from: days.start, own: totals.clone(), all: totals.clone(), stable_totals: totals, stable: 0 }
    }

    fn add(&mut self, catalog: &Catalog, row: u32, platform: u16, days: &Range<u16>) {
        add_listing(&mut self.all, catalog, row, days);
        if catalog.listings.platform[row as usize] == platform {
            add_listing(&mut self.own, catalog, row, days);
        }
    }

    fn merged(mut self, other: Self) -> Self {
        self.own.iter_mut().zip(other.own).for_each(|(total, other)| total.merge(other));
        self.all.iter_mut().zip(other.all).for_each(|(total, other)| total.merge(other));
        self
    }

    /// A product has one price a day, and every one of its days has a point: it is stable when it has as many days
    /// as there are points.
    fn add_stable(&mut self, catalog: &Catalog, rows: &[u32], platform: u16, days: &Range<u16>) {
        let points = self.own.iter().filter(|own| own.count > 0).count();
        for &row in rows.iter().filter(|&&row| catalog.listings.platform[row as usize] == platform) {
            let seen = catalog.observations.within(row, days.start, days.end);
            if seen.len() != points || points == 0 {
                continue;
            }
            self.stable += 1;
            add_listing(&mut self.stable_totals, catalog, row, days);
        }
    }
}

/// Adds a listing's prices to the totals of its days.
fn add_listing(totals: &mut [Total], catalog: &Catalog, row: u32, days: &Range<u16>) {
    let seen = catalog.observations.within(row, days.start, days.end);
    let columns = &catalog.observations.columns;
    let (own_days, prices) = (&columns.day[seen.clone()], &columns.price[seen]);
    let (Some(&first), Some(&last)) = (own_days.first(), own_days.last()) else { return };
    let from = (first - days.start) as usize;
    if usize::from(last - first) + 1 == prices.len() {
        // No day is missing, as in most listings: the days need not be looked at.
        totals[from..from + prices.len()].iter_mut().zip(prices).for_each(|(total, &price)| total.add(price));
        return;
    }
    for (&day, &price) in own_days.iter().zip(prices) {
        totals[(day - days.start) as usize].add(price);
    }
}
