//! Promotional activity: how often observations are on promotion, and how deep.
//!
//! A tally holds counts and sums of integers, so the order in which tallies are joined does not matter.

use std::ops::Range;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::parts::LIST_PRICE_FACTOR_MAX;
use crate::catalog::Catalog;
use crate::domain::{Day, Percent};
use crate::snapshot::layout::PROMO;
use crate::stats::mean_of_ratios::{MeanOfRatios, PERCENT_UNITS};

/// Listings that one task works on, at least.
const LISTINGS_PER_TASK: usize = 1024;

/// How often and how deep something is on promotion.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PromoFigures {
    /// Observations: days on which a listing had a price.
    pub total_observations: u32,
    /// Of these, on promotion: the source says so, or the list price is above the price and believed.
    pub promo_observations: u32,
    /// Share of `promo_observations` in percent.
    pub promo_frequency_pct: Percent,
    /// Mean discount against the list price in percent, over the promotional observations that have one; null when
    /// none has.
    pub avg_promo_depth_pct: Option<Percent>,
    /// Largest such discount in percent; null when there is none.
    pub max_promo_depth_pct: Option<Percent>,
    /// Observations whose list price is above five times the price: not believed, and no measure of depth.
    pub suspect_list_prices: u32,
}

/// The promotional activity of some observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    total: u32,
    promo: u32,
    suspect: u32,
    depth: MeanOfRatios,
    /// Price and list price of the deepest discount.
    deepest: Option<(u32, u32)>,
    /// First and last day, as the observation columns count them.
    days: Option<(u16, u16)>,
}

impl Tally {
    /// Counts the observations of a listing on some days.
    pub fn add_listing(&mut self, catalog: &Catalog, row: u32, days: &[Range<u16>]) {
        let columns = &catalog.observations.columns;
        for span in days {
            let rows = catalog.observations.within(row, span.start, span.end);
            if rows.is_empty() {
                continue;
            }
            self.add_days(columns.day[rows.start], columns.day[rows.end - 1]);
            let (price, list_price) = (&columns.price[rows.clone()], &columns.list_price[rows.clone()]);
            self.add_observations(price, list_price, &columns.flags[rows]);
        }
    }

    fn add_days(&mut self, first: u16, last: u16) {
        let (from, to) = self.days.unwrap_or((first, last));
        self.days = Some((from.min(first), to.max(last)));
    }

    /// Counts a listing's observations: prices, list prices (0 is none) and stock and promotion bits.
    pub fn add_observations(&mut self, prices: &[u32], list_prices: &[u32], flags: &[u8]) {
        self.total += prices.len() as u32;
        self.promo += flags.iter().map(|flags| u32::from(flags & PROMO != 0)).sum::<u32>();
        self.add_list_prices(prices, list_prices);
    }

    /// Counts the list prices of a listing's days, of which most repeat those of the day before; 0 is none.
    fn add_list_prices(&mut self, prices: &[u32], list_prices: &[u32]) {
        let (mut last, mut times) = ((0, 0), 0);
        for (&price, &list_price) in prices.iter().zip(list_prices) {
            if list_price <= price {
                continue;
            }
            if (price, list_price) != last {
                self.add_list_price(last, times);
                (last, times) = ((price, list_price), 0);
            }
            times += 1;
        }
        self.add_list_price(last, times);
    }

    /// Counts a list price above the price, seen `times`.
    fn add_list_price(&mut self, (price, list_price): (u32, u32), times: u32) {
        if times == 0 {
            return;
        }
        if u64::from(list_price) > LIST_PRICE_FACTOR_MAX * u64::from(price) {
            self.suspect += times;
        } else {
            // A believed list price above the price is itself a promotion.
            self.depth.add_times(list_price - price, list_price, times);
            self.deepest = deeper(self.deepest, Some((price, list_price)));
        }
    }

    /// Counts what another tally holds.
    pub fn merge(&mut self, other: &Self) {
        self.total += other.total;
        self.promo += other.promo;
        self.suspect += other.suspect;
        self.depth.merge(&other.depth);
        self.deepest = deeper(self.deepest, other.deepest);
        if let Some((first, last)) = other.days {
            self.add_days(first, last);
        }
    }

    /// Number of observations.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// First and last day; `None` without observations.
    pub fn days(&self, catalog: &Catalog) -> Option<(Day, Day)> {
        self.days.map(|(first, last)| (catalog.day(first), catalog.day(last)))
    }

    /// The figures; `None` without observations.
    pub fn figures(&self) -> Option<PromoFigures> {
        let share = |num: u32, den: u32| Percent::from_ratio(i128::from(num), i128::from(den));
        (self.total > 0).then(|| PromoFigures {
            total_observations: self.total,
            promo_observations: self.promo,
            promo_frequency_pct: share(self.promo, self.total),
            avg_promo_depth_pct: self
                .depth
                .ratio(PERCENT_UNITS)
                .map(|(num, den)| Percent::from_ratio(num, den)),
            max_promo_depth_pct: self
                .deepest
                .map(|(price, list_price)| share(list_price - price, list_price)),
            suspect_list_prices: self.suspect,
        })
    }
}

/// Of two discounts, as price and list price, the deeper one.
fn deeper(a: Option<(u32, u32)>, b: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let (Some((price, list)), Some((other_price, other_list))) = (a, b) else { return a.or(b) };
    let is_deeper = u64::from(other_price) * u64::from(list) < u64::from(price) * u64::from(other_list);
    if is_deeper { b } else { a }
}

/// Tallies of some rows by the group that `group` puts each in, one per group.
pub fn by_group(
    catalog: &Catalog,
    rows: &[u32],
    days: &[Range<u16>],
    groups: usize,
    group: impl Fn(u32) -> u32 + Sync,
) -> Vec<Tally> {
    let tasks: Vec<Vec<(u32, Tally)>> = rows
        .par_chunks(LISTINGS_PER_TASK)
        .map(|rows| {
            // Neighbours often share their group.
            let mut runs: Vec<(u32, Tally)> = Vec::new();
            for &row in rows {
                let own = group(row);
                match runs.last_mut() {
                    Some((last, tally)) if *last == own => tally.add_listing(catalog, row, days),
                    _ => {
                        let mut tally = Tally::default();
                        tally.add_listing(catalog, row, days);
                        if tally.total > 0 {
                            runs.push((own, tally));
                        }
                    }
                }
            }
            runs
        })
        .collect();
    let mut tallies = vec![Tally::default(); groups];
    for (group, tally) in tasks.into_iter().flatten() {
        tallies[group as usize].merge(&tally);
    }
    tallies
}

/// Days as the observation columns count them.
pub fn day_numbers(catalog: &Catalog, spans: &[Range<Day>]) -> Vec<Range<u16>> {
    spans.iter().map(|span| catalog.day_number(span.start)..catalog.day_number(span.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Tally {
        /// Counts one observation.
        pub(crate) fn add(&mut self, price: u32, list_price: u32, on_promotion: bool) {
            self.add_observations(&[price], &[list_price], &[if on_promotion { PROMO } else { 0 }]);
        }
    }

    #[test]
    fn days_in_a_row_count_one_by_one() {
        let (prices, list_prices) = ([100, 100, 90, 90, 10, 10, 100], [120, 120, 120, 120, 120, 120, 0]);
        let (mut run, mut single) = <(Tally, Tally)>::default();
        run.add_list_prices(&prices, &list_prices);
        for (&price, &list_price) in prices.iter().zip(&list_prices) {
            single.add_list_prices(&[price], &[list_price]);
        }
        assert_eq!(run, single);
        assert_eq!((run.suspect, run.deepest), (2, Some((90, 120))));
    }

    #[test]
    fn depth_needs_a_believed_list_price() {
        let mut tally = Tally::default();
        tally.add(800, 0, false);
        tally.add(599, 800, true);
        tally.add(500, 500, true);
        tally.add(100, 501, true);
        let figures = tally.figures().unwrap();
        assert_eq!((figures.total_observations, figures.promo_observations), (4, 3));
        assert_eq!(figures.promo_frequency_pct, Percent::from_ratio(3, 4));
        assert_eq!(figures.avg_promo_depth_pct, Some(Percent::new(2513)), "one promotion has a depth");
        assert_eq!(figures.max_promo_depth_pct, Some(Percent::new(2513)));
        assert_eq!(figures.suspect_list_prices, 1);
    }

    #[test]
    fn nothing_has_no_figures() {
        assert_eq!(Tally::default().figures(), None);
        let mut tally = Tally::default();
        tally.add(100, 0, false);
        let figures = tally.figures().unwrap();
        assert_eq!((figures.avg_promo_depth_pct, figures.max_promo_depth_pct), (None, None));
    }

    #[test]
    fn joining_is_counting_on() {
        let observations = [(90, 100, true), (50, 100, true), (10, 100, false), (70, 70, false)];
        let (mut whole, mut first, mut second) = <(Tally, Tally, Tally)>::default();
        for (at, (price, list_price, promo)) in observations.into_iter().enumerate() {
            whole.add(price, list_price, promo);
            if at < 1 { &mut first } else { &mut second }.add(price, list_price, promo);
        }
        (whole.days, first.days, second.days) = (Some((3, 9)), Some((5, 9)), Some((3, 4)));
        first.merge(&second);
        assert_eq!(first, whole);
        assert_eq!(whole.deepest, Some((50, 100)), "the suspect one has no depth");
    }
}
