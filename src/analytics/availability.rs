//! Out-of-stock statistics: the number of listings, the share of observations and the lengths of streaks.
//!
//! A streak is a run of a listing's out-of-stock observations; observations that do not state the stock are skipped. It
//! lasts from its first day to the next observation in stock or, if there is none, to the day after its last
//! out-of-stock observation. All merged values are counts, or lists that are sorted afterwards, so the result does not
//! depend on the order in which parts are merged.

use std::ops::Range;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::stock::{KNOWN_MIN, Stock};
use crate::catalog::{Catalog, in_stock};
use crate::types::{Percent, Ratio4, Tenth};

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 2_048;
/// The minimum number of observations of known stock for a percentage.
const OBSERVATIONS_MIN: u64 = 5;

/// The group number of listings that are not in any group.
pub const NO_GROUP: u32 = u32::MAX;

/// The availability of a set of products.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Availability {
    /// Number of listings with a price of the last 90 days.
    pub products: u32,
    /// Number of listings with a price of the last 90 days whose latest observation states the stock.
    pub known_products: u32,
    /// Number of products in stock.
    pub in_stock_count: u32,
    /// Number of products out of stock.
    pub out_of_stock_count: u32,
    /// Products in stock, in percent of the products whose stock is known; null if the stock of fewer than 5 products
    /// is known.
    pub in_stock_rate_pct: Option<Percent>,
    /// Share of the products whose stock is known, 0 to 1.
    pub availability_coverage: Ratio4,
    /// Number of observations in the window that state the stock, one per listing and day.
    pub observations: u64,
    /// Out-of-stock observations, in percent of the observations in the window that state the stock; null for fewer
    /// than 5 such observations.
    pub out_of_stock_observation_pct: Option<Percent>,
    /// Number of out-of-stock streaks. A streak of a listing begins on its first day out of stock and ends on its next
    /// day in stock.
    pub streaks: u32,
    /// Number of out-of-stock streaks that have not ended.
    pub ongoing_streaks: u32,
    /// Median length of the streaks in days; null when there are no streaks.
    pub median_streak_days: Option<Tenth>,
    /// Length of the longest streak in days; null when there are no streaks.
    pub longest_streak_days: Option<u32>,
}

/// A listing whose out-of-stock streak has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutNow {
    /// Row of the listing.
    pub row: u32,
    /// First day of the streak.
    pub since: u16,
    /// Length of the streak in days.
    pub days: u32,
}

/// The streaks of one listing, and the counts of its observations.
#[derive(Debug, Default)]
struct ListingStreaks {
    observations: u64,
    out: u64,
    /// The first day and the day after the last day of each streak. The last streak may be ongoing.
    streaks: Vec<Range<u16>>,
    /// The day after the last out-of-stock observation of the current streak; `None` if no streak is open.
    open: Option<u16>,
}

impl ListingStreaks {
    fn of(catalog: &Catalog, row: u32, window: &Range<u16>) -> Self {
        let mut seen = Self::default();
        let cut = catalog.spells_within(row, window);
        let flags = &catalog.spells.flags;
        // Most listings were never out of stock. For them the days are not needed.
        if cut.rows.clone().all(|spell| in_stock(flags[spell]) != Some(false)) {
            let stated =
                cut.rows.clone().zip(cut.times()).filter(|(spell, _)| in_stock(flags[*spell]).is_some());
            seen.observations = stated.map(|(_, times)| u64::from(times)).sum();
            return seen;
        }
        cut.each_stretch(|spell, days| seen.add(in_stock(flags[spell]), &days));
        seen
    }

    /// Adds observations on consecutive days, which must be later than all previous ones.
    fn add(&mut self, stated: Option<bool>, days: &Range<u16>) {
        let Some(is_in) = stated else { return };
        self.observations += days.len() as u64;
        if is_in {
            if self.open.take().is_some()
                && let Some(streak) = self.streaks.last_mut()
            {
                streak.end = days.start;
            }
            return;
        }
        self.out += days.len() as u64;
        if self.open.is_none() {
            self.streaks.push(days.clone());
        }
        self.open = Some(days.end);
        if let Some(streak) = self.streaks.last_mut() {
            streak.end = days.end;
        }
    }
}

/// The totals of a group of listings.
#[derive(Debug, Clone, Default)]
struct Tally {
    stock: Stock,
    observations: u64,
    out: u64,
    ongoing: u32,
    lengths: Vec<u32>,
}

impl Tally {
    fn join(&mut self, other: Self) {
        self.stock = self.stock.plus(other.stock);
        self.observations += other.observations;
        self.out += other.out;
        self.ongoing += other.ongoing;
        self.lengths.extend(other.lengths);
    }

    fn figures(mut self) -> Availability {
        let Self { stock, observations, out, ongoing, .. } = self;
        self.lengths.sort_unstable();
        let n = self.lengths.len();
        let median = (n > 0).then(|| {
            let twice = self.lengths[(n - 1) / 2] + self.lengths[n / 2];
            Tenth::from_ratio(twice.into(), 2)
        });
        let enough = observations >= OBSERVATIONS_MIN;
        Availability {
            products: stock.products(),
            known_products: stock.known(),
            in_stock_count: stock.in_stock,
            out_of_stock_count: stock.out_of_stock,
            in_stock_rate_pct: stock.rate(),
            availability_coverage: stock.coverage(),
            observations,
            out_of_stock_observation_pct: enough
                .then(|| Percent::from_ratio(out.into(), observations.into())),
            streaks: n as u32,
            ongoing_streaks: ongoing,
            median_streak_days: median,
            longest_streak_days: self.lengths.last().copied(),
        }
    }
}

/// The availability of groups of listings.
pub struct AvailabilityGroups {
    /// The groups that have a priced listing, by number, with their figures.
    pub groups: Vec<(u32, Availability)>,
    /// The figures of all these groups together.
    pub total: Availability,
    /// The priced listings in these groups that are out of stock now: longest streak first, then by uid.
    pub out_now: Vec<OutNow>,
}

/// The availability of some rows over a window, by group. `group_of` returns a number below `groups`, or
/// [`NO_GROUP`]. Only groups with a priced listing are included, and there must be at least one.
pub fn by_group(
    catalog: &Catalog,
    rows: &[u32],
    window: &Range<u16>,
    groups: usize,
    group_of: impl Fn(u32) -> u32 + Sync,
) -> AvailabilityGroups {
    let listings = &catalog.listings;
    let mut is_served = vec![false; groups];
    for &row in rows.iter().filter(|&&row| listings.priced[row as usize] == 1) {
        if let Some(served) = is_served.get_mut(group_of(row) as usize) {
            *served = true;
        }
    }
    let task = |rows: &[u32]| {
        let mut tallies: Vec<Tally> = vec![Tally::default(); groups];
        let mut out_now = Vec::new();
        for &row in rows {
            let group = group_of(row) as usize;
            if !is_served.get(group).copied().unwrap_or_default() {
                continue;
            }
            let tally = &mut tallies[group];
            let is_priced = listings.priced[row as usize] == 1;
            if is_priced {
                tally.stock.add(listings.current_flags[row as usize]);
            }
            let ListingStreaks { observations, out, streaks, open } =
                ListingStreaks::of(catalog, row, window);
            tally.observations += observations;
            tally.out += out;
            tally.lengths.extend(streaks.iter().map(|streak| streak.len() as u32));
            // The streak is ongoing if its last observation is the listing's latest.
            if let (Some(end), Some(streak)) = (open, streaks.last())
                && end == listings.current_day[row as usize] + 1
            {
                tally.ongoing += 1;
                if is_priced {
                    out_now.push(OutNow { row, since: streak.start, days: streak.len() as u32 });
                }
            }
        }
        (tallies, out_now)
    };
    let parts: Vec<(Vec<Tally>, Vec<OutNow>)> = rows.par_chunks(LISTINGS_PER_TASK).map(task).collect();
    let (mut tallies, mut out_now) = (vec![Tally::default(); groups], Vec::new());
    for (part, out) in parts {
        tallies.iter_mut().zip(part).for_each(|(tally, part)| tally.join(part));
        out_now.extend(out);
    }
    out_now.sort_unstable_by_key(|out| (std::cmp::Reverse(out.days), listings.product_uid[out.row as usize]));
    let mut total = Tally::default();
    let mut served = Vec::new();
    for ((group, tally), _) in (0..).zip(tallies).zip(is_served).filter(|(_, served)| *served) {
        total.join(tally.clone());
        served.push((group, tally.figures()));
    }
    AvailabilityGroups { groups: served, total: total.figures(), out_now }
}

/// Whether the stock of any priced listing is known now, or the stock of any listing is known in the window.
pub fn is_stated(catalog: &Catalog, rows: &[u32], window: &Range<u16>) -> bool {
    let listings = &catalog.listings;
    let now = |&row: &u32| {
        listings.priced[row as usize] == 1 && in_stock(listings.current_flags[row as usize]).is_some()
    };
    let then = |&row: &u32| ListingStreaks::of(catalog, row, window).observations > 0;
    rows.iter().any(now) || rows.iter().any(then)
}

const _: () = assert!(KNOWN_MIN as u64 == OBSERVATIONS_MIN, "one limit, of products and of observations");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_streak_lasts_until_it_is_seen_in_stock() {
        let mut seen = ListingStreaks::default();
        seen.add(Some(true), &(1..2));
        seen.add(Some(false), &(2..4));
        seen.add(None, &(4..5));
        seen.add(Some(true), &(6..7));
        seen.add(Some(false), &(9..10));
        assert_eq!((seen.observations, seen.out), (5, 3));
        assert_eq!((seen.streaks, seen.open), (vec![2..6, 9..10], Some(10)));
    }

    #[test]
    fn continues_streaks_across_unstated_days() {
        let mut seen = ListingStreaks::default();
        for (stated, days) in [(Some(false), 1..2), (None, 2..3), (Some(false), 5..6), (None, 6..7)] {
            seen.add(stated, &days);
        }
        assert_eq!((seen.streaks.as_slice(), seen.open), (std::slice::from_ref(&(1..6)), Some(6)));
    }
}
