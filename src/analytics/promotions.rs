//! Promotional activity: the frequency of promotions among observations, and their depth.
//!
//! A tally has only counts and sums of integers, so the result does not depend on the order in which tallies are
//! merged.

use std::ops::Range;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::{Catalog, Spells};
use crate::snapshot::layout::{PROMO, UNBELIEVED};
use crate::stats::mean_of_ratios::{MeanOfRatios, PERCENT_UNITS};
use crate::types::{Day, Percent};

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 1024;

/// The span of an empty tally. Any day extends it.
const NO_DAYS: (u16, u16) = (u16::MAX, 0);

/// Frequency and depth of promotions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PromoFigures")]
pub struct PromoStats {
    /// Number of observations, one per listing and day with a price.
    pub total_observations: u32,
    /// Number of observations that are promotions: the source marks the price as a promotion, or the list price is
    /// plausible and above the price.
    pub promo_observations: u32,
    /// `promo_observations` in percent of `total_observations`.
    pub promo_frequency_pct: Percent,
    /// Mean discount against the list price in percent, over all promotions that have such a discount; null if no
    /// promotion has one.
    pub avg_promo_depth_pct: Option<Percent>,
    /// Largest discount of a promotion against the list price, in percent; null if no promotion has a discount.
    pub max_promo_depth_pct: Option<Percent>,
    /// Number of observations whose list price is above five times the price. These list prices are not used to compute
    /// discounts.
    pub suspect_list_prices: u32,
}

/// The promotional activity of some observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromoTally {
    total: u32,
    promo: u32,
    suspect: u32,
    /// The first and the last day, numbered as in the observation columns. [`NO_DAYS`] without observations.
    days: (u16, u16),
    /// The largest discount, in the unit of the depth of a spell; 0 if there is no discount.
    deepest: u64,
    depth: MeanOfRatios,
}

impl Default for PromoTally {
    fn default() -> Self {
        Self { total: 0, promo: 0, suspect: 0, days: NO_DAYS, deepest: 0, depth: MeanOfRatios::default() }
    }
}

impl PromoTally {
    /// Counts the observations of a listing on some days.
    pub fn add_listing(&mut self, catalog: &Catalog, row: u32, days: &[Range<u16>]) {
        let Spells { flags, depth, .. } = &catalog.spells;
        for span in days {
            let cut = catalog.spells_within(row, span);
            let Some(seen) = cut.days() else { continue };
            self.add_days(seen);
            let depths = &depth[cut.rows.clone()];
            for ((times, &flags), &depth) in cut.times().zip(&flags[cut.rows.clone()]).zip(depths) {
                self.add_spell(times, flags, depth);
            }
        }
    }

    fn add_days(&mut self, (first, last): (u16, u16)) {
        self.days = (self.days.0.min(first), self.days.1.max(last));
    }

    /// Counts `times` observations with these stock and promotion bits and the depth of their spell. Written without
    /// branches, because promotions are not predictable.
    pub fn add_spell(&mut self, times: u32, flags: u8, depth: u64) {
        let suspect = depth == UNBELIEVED;
        let depth = if suspect { 0 } else { depth };
        self.total += times;
        self.promo += if flags & PROMO == 0 { 0 } else { times };
        self.suspect += if suspect { times } else { 0 };
        self.depth.add_places(depth, if depth == 0 { 0 } else { times });
        self.deepest = self.deepest.max(depth);
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.total += other.total;
        self.promo += other.promo;
        self.suspect += other.suspect;
        self.depth.merge(&other.depth);
        self.deepest = self.deepest.max(other.deepest);
        self.add_days(other.days);
    }

    /// The number of observations.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The first and the last day; `None` without observations.
    pub fn days(&self, catalog: &Catalog) -> Option<(Day, Day)> {
        (self.total > 0).then(|| (catalog.day(self.days.0), catalog.day(self.days.1)))
    }

    /// The figures; `None` without observations.
    pub fn figures(&self) -> Option<PromoStats> {
        let percent =
            |mean: &MeanOfRatios| mean.ratio(PERCENT_UNITS).map(|(num, den)| Percent::from_ratio(num, den));
        let mut deepest = MeanOfRatios::default();
        deepest.add_places(self.deepest, u32::from(self.deepest > 0));
        (self.total > 0).then(|| PromoStats {
            total_observations: self.total,
            promo_observations: self.promo,
            promo_frequency_pct: Percent::from_ratio(self.promo.into(), self.total.into()),
            avg_promo_depth_pct: percent(&self.depth),
            max_promo_depth_pct: percent(&deepest),
            suspect_list_prices: self.suspect,
        })
    }
}

/// The tallies of some rows by group. `group` returns the group of a row.
pub fn by_group(
    catalog: &Catalog,
    rows: &[u32],
    days: &[Range<u16>],
    groups: usize,
    group: impl Fn(u32) -> u32 + Sync,
) -> Vec<PromoTally> {
    let tasks: Vec<Groups> = rows
        .par_chunks(LISTINGS_PER_TASK)
        .fold(
            || Groups::new(groups),
            |mut tallies, rows| {
                for &row in rows {
                    tallies.of(group(row)).add_listing(catalog, row, days);
                }
                tallies
            },
        )
        .collect();
    let mut tallies = vec![PromoTally::default(); groups];
    for (group, tally) in tasks.into_iter().flat_map(|task| task.tallies) {
        tallies[group as usize].merge(&tally);
    }
    tallies
}

/// The tallies of the groups that occur in one task, usually a small part of all groups.
struct Groups {
    /// The index of each group's tally plus one; 0 if the group has no tally.
    place: Vec<u32>,
    tallies: Vec<(u32, PromoTally)>,
}

impl Groups {
    fn new(groups: usize) -> Self {
        Self { place: vec![0; groups], tallies: Vec::new() }
    }

    fn of(&mut self, group: u32) -> &mut PromoTally {
        let place = &mut self.place[group as usize];
        if *place == 0 {
            self.tallies.push((group, PromoTally::default()));
            *place = self.tallies.len() as u32;
        }
        &mut self.tallies[*place as usize - 1].1
    }
}

/// Converts ranges of days to the day numbers of the observation columns.
pub fn day_numbers(catalog: &Catalog, spans: &[Range<Day>]) -> Vec<Range<u16>> {
    spans.iter().map(|span| catalog.day_number(span.start)..catalog.day_number(span.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::layout;

    impl PromoTally {
        /// Counts one observation.
        pub(crate) fn add(&mut self, price: u32, list_price: u32, on_promotion: bool) {
            let flags = if on_promotion { PROMO } else { 0 };
            self.add_spell(1, flags, layout::depth(price, list_price));
        }
    }

    #[test]
    fn a_spell_counts_as_its_observations() {
        for (price, list_price, promo) in
            [(100, 120, false), (90, 120, true), (10, 120, true), (100, 0, false)]
        {
            let (mut spell, mut single) = <(PromoTally, PromoTally)>::default();
            spell.add_spell(3, if promo { PROMO } else { 0 }, layout::depth(price, list_price));
            (0..3).for_each(|_| single.add(price, list_price, promo));
            assert_eq!(spell, single);
        }
    }

    #[test]
    fn depth_needs_a_believed_list_price() {
        let mut tally = PromoTally::default();
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
    fn the_deepest_discount_is_rounded_from_the_exact_one() {
        for (price, list_price) in
            [(159, 160), (1_999, 2_000), (19_999, 20_000), (200_000_001, 1_000_000_000)]
        {
            let mut tally = PromoTally::default();
            tally.add(price, list_price, false);
            tally.add(list_price - 1, list_price, false);
            let exact = Percent::from_ratio(i128::from(list_price - price), i128::from(list_price));
            assert_eq!(tally.figures().unwrap().max_promo_depth_pct, Some(exact), "{price} of {list_price}");
        }
    }

    #[test]
    fn reports_no_figures_without_data() {
        assert_eq!(PromoTally::default().figures(), None);
        let mut tally = PromoTally::default();
        tally.add(100, 0, false);
        let figures = tally.figures().unwrap();
        assert_eq!((figures.avg_promo_depth_pct, figures.max_promo_depth_pct), (None, None));
    }

    #[test]
    fn joining_is_counting_on() {
        let observations = [(90, 100, true), (50, 100, true), (10, 100, false), (70, 70, false)];
        let (mut whole, mut first, mut second) = <(PromoTally, PromoTally, PromoTally)>::default();
        for (at, (price, list_price, promo)) in observations.into_iter().enumerate() {
            whole.add(price, list_price, promo);
            if at < 1 { &mut first } else { &mut second }.add(price, list_price, promo);
        }
        (whole.days, first.days, second.days) = ((3, 9), (5, 9), (3, 4));
        first.merge(&second);
        assert_eq!(first, whole);
        assert_eq!(whole.deepest, layout::depth(50, 100), "the suspect one has no depth");
    }
}
