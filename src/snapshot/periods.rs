//! Aggregates of prices by ISO week and by calendar month. For each prepared period, every listing has a sum and a
//! number of prices.
//!
//! A request over months of daily prices mostly reads whole weeks or months. A prepared period takes six bytes per
//! listing (sum, days and flags), in the order of the listings, so a request reads few consecutive bytes. Spells are
//! read only for periods that lie partly inside the window of the request. The aggregates are derived from the spells
//! and have one entry per listing, so they can be combined for any set of listings and, together with the spells at
//! the edges, for any days.
//!
//! A period is prepared only if it has at least [`OBSERVATIONS_PER_LISTING_MIN`] observations per listing and every
//! sum fits its column. The minimum also limits the size of the file to a fraction of the size of the observations.

use std::ops::Range;

use super::spells::Cut;
use crate::types::{Day, Granularity};

/// The prepared granularities, with the prefixes of their columns.
pub const PREPARED: [(Granularity, &str); 2] =
    [(Granularity::Weekly, "week"), (Granularity::Monthly, "month")];

/// The minimum number of observations in a prepared period, divided by the number of listings of the snapshot.
pub const OBSERVATIONS_PER_LISTING_MIN: u64 = 2;

/// The aggregate of a listing in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeriodCell {
    /// Sum of the daily prices of the listing, in cents.
    pub sum: u64,
    /// Number of days with a price, at most 31.
    pub days: u8,
    /// Stock and promotion bits of the last observation in the period.
    pub flags: u8,
}

impl PeriodCell {
    /// Adds one observation for each of `days` consecutive days.
    fn add(&mut self, price: u32, days: u16, flags: u8) {
        self.sum += u64::from(price) * u64::from(days);
        self.days += days as u8;
        self.flags = flags;
    }
}

/// Computes the cells of a listing from its spells, and calls `each` with the index of each period and its cell, in
/// order. Periods without an observation are skipped. The periods must cover the days on which the listing was seen,
/// without gaps.
pub fn each_cell(
    spells: &Cut<'_>,
    price: &[u32],
    flags: &[u8],
    periods: &[Range<u16>],
    mut each: impl FnMut(usize, PeriodCell),
) {
    let Some((first, _)) = spells.days() else { return };
    let mut at = periods.partition_point(|period| period.end <= first);
    let mut cell = PeriodCell::default();
    spells.each_stretch(|row, days| {
        let mut from = days.start;
        while from < days.end {
            while periods[at].end <= from {
                if cell.days > 0 {
                    each(at, std::mem::take(&mut cell));
                }
                at += 1;
            }
            let to = days.end.min(periods[at].end);
            cell.add(price[row], to - from, flags[row]);
            from = to;
        }
    });
    each(at, cell);
}

/// The periods that contain days in `[first, end)`, in order, as ranges of days counted from `first`.
pub fn periods(first: Day, end: Day, granularity: Granularity) -> Vec<Range<u16>> {
    let mut periods = Vec::new();
    let mut from = first;
    while from < end {
        let to = granularity.next(from).min(end);
        periods.push(from.minus(first) as u16..to.minus(first) as u16);
        from = to;
    }
    periods
}

/// Whether a period with this number of observations and this largest sum is prepared in a snapshot with `listings`
/// listings.
pub fn is_prepared(observations: u64, largest_sum: u64, listings: usize) -> bool {
    observations >= OBSERVATIONS_PER_LISTING_MIN * listings as u64 && u32::try_from(largest_sum).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::spells::SeenDays;

    #[test]
    fn a_cell_is_what_its_days_add_up_to() {
        // Seen on days 2 to 5 and 9 to 11: five days at 100, two at 30.
        let days = [0b11_1000_1111];
        let spells = Cut::of(0..2, SeenDays::new(2, &days), &[5, 7], &(0..u16::MAX));
        let cells = |periods: &[Range<u16>]| {
            let mut cells = Vec::new();
            each_cell(&spells, &[100, 30], &[1, 4], periods, |at, cell| {
                cells.push((at, cell.sum, cell.days, cell.flags));
            });
            cells
        };
        assert_eq!(cells(&[0..2, 2..4, 4..7, 7..9, 9..20]), [(1, 200, 2, 1), (2, 200, 2, 1), (4, 160, 3, 4)]);
        assert_eq!(cells(&[0..10, 10..12]), [(0, 500, 5, 1), (1, 60, 2, 4)]);
        let nothing = Cut::of(0..0, SeenDays::new(u16::MAX, &[]), &[], &(0..u16::MAX));
        each_cell(&nothing, &[], &[], &[], |_, _| panic!("nothing was seen"));
    }

    #[test]
    fn periods_tile_the_days() {
        let day = |text: &str| Day::parse(text).unwrap();
        // From a Wednesday to the Sunday of the next week; `end` is the Monday after it.
        let (first, end) = (day("2026-09-30"), day("2026-10-12"));
        assert_eq!(periods(first, end, Granularity::Weekly), [0..5, 5..12]);
        assert_eq!(periods(first, end, Granularity::Monthly), [0..1, 1..12]);
        assert_eq!(periods(first, first, Granularity::Monthly), []);
    }

    #[test]
    fn prepares_only_periods_that_pay_off() {
        assert!(is_prepared(20, u64::from(u32::MAX), 10));
        assert!(!is_prepared(19, 1, 10), "too few observations");
        assert!(!is_prepared(20, 1 << 32, 10), "a sum that does not fit");
    }
}
