//! Prices by ISO week and by calendar month, prepared: for each such period a column of sums over all listings.
//!
//! A request over months of daily prices mostly reads whole weeks or months; a prepared period is five or six bytes a
//! listing, in the order of the listings, where the observations would be seven to thirty-one times seven bytes. What
//! is prepared follows from the observations, so it is a copy and not an answer: any set of listings and any days can
//! be put together from it and, at the edges, from the observations.
//!
//! A period is left out where it would not pay (fewer than [`OBSERVATIONS_PER_LISTING_MIN`] observations a listing,
//! which also bounds the file to a fraction of the observations) and where a sum does not fit its column.

use std::ops::Range;

use crate::domain::{Day, Granularity};

/// What is prepared, with the prefix of its columns.
pub const PREPARED: [(Granularity, &str); 2] =
    [(Granularity::Weekly, "week"), (Granularity::Monthly, "month")];

/// A period with fewer observations than this many for each listing of the snapshot is not prepared.
pub const OBSERVATIONS_PER_LISTING_MIN: u64 = 2;

/// A listing in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeriodCell {
    /// Sum of its daily prices in cents.
    pub sum: u64,
    /// Number of its days with a price, at most 31.
    pub days: u8,
    /// Stock and promotion bits of its last observation in the period.
    pub flags: u8,
}

impl PeriodCell {
    /// The cell of the observations of a listing in a period, in order.
    pub fn of(prices: &[u32], flags: &[u8]) -> Self {
        Self {
            sum: prices.iter().map(|&price| u64::from(price)).sum(),
            days: prices.len() as u8,
            flags: flags.last().copied().unwrap_or_default(),
        }
    }
}

/// The periods that hold days in `[first, end)`, in order, as days counted from `first`.
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

/// Whether a period with that many observations, and that largest sum, is prepared in a snapshot of `listings`.
pub fn is_prepared(observations: u64, largest_sum: u64, listings: usize) -> bool {
    observations >= OBSERVATIONS_PER_LISTING_MIN * listings as u64 && u32::try_from(largest_sum).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_tile_the_days() {
        let day = |text: &str| Day::parse(text).unwrap();
        // A Wednesday, and the Sunday two weeks later.
        let (first, end) = (day("2026-09-30"), day("2026-10-12"));
        assert_eq!(periods(first, end, Granularity::Weekly), [0..5, 5..12]);
        assert_eq!(periods(first, end, Granularity::Monthly), [0..1, 1..12]);
        assert_eq!(periods(first, first, Granularity::Monthly), []);
    }

    #[test]
    fn what_does_not_pay_is_left_out() {
        assert!(is_prepared(20, u64::from(u32::MAX), 10));
        assert!(!is_prepared(19, 1, 10), "too few observations");
        assert!(!is_prepared(20, 1 << 32, 10), "a sum that does not fit");
    }
}
