//! What a listing used to cost: the price that its current one is held against.

use crate::catalog::{Catalog, first_on_or_after};
use crate::stats::exact::{self, Fraction};

/// Days before the latest observation that make the reference.
const RECENT_DAYS: u16 = 90;
/// Days in which a single earlier price is looked for where the recent ones are too few.
const EARLIER_DAYS: u16 = 200;
/// Fewest recent days with a price for a median.
const MEDIAN_DAYS_MIN: usize = 2;

/// The price that a listing used to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferencePrice {
    /// Price as a fraction of cents.
    pub price: Fraction,
    /// Days with a price on which it rests.
    pub days: u32,
}

/// The prices of a listing before its latest observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// Median of the 90 days before, else the latest price of the 200 days before.
    pub reference: Option<ReferencePrice>,
    /// Lowest price of the 90 days before.
    pub lowest: Option<u32>,
}

/// The past of a listing that was observed.
pub fn of_listing(catalog: &Catalog, row: u32) -> Past {
    let columns = &catalog.observations.columns;
    let rows = catalog.observations.of(row);
    past(&columns.day[rows.clone()], &columns.price[rows])
}

/// Whether a listing that was observed has a reference; and that, unless it is known to be below `least` cents.
///
/// Most listings of a search for discounts are told by counting, without a median.
pub fn of_at_least(catalog: &Catalog, row: u32, least: u32) -> (bool, Option<ReferencePrice>) {
    let columns = &catalog.observations.columns;
    let rows = catalog.observations.of(row);
    let (days, prices) = (&columns.day[rows.clone()], &columns.price[rows]);
    let recent = recent(days, prices);
    // No median lies above the upper one of an even number.
    let reaching = recent.iter().filter(|&&price| price >= least).count();
    if recent.len() >= MEDIAN_DAYS_MIN && reaching < recent.len() - recent.len() / 2 {
        return (true, None);
    }
    let reference = past(days, prices).reference;
    (reference.is_some(), reference)
}

/// Whether a listing has a reference at all.
pub fn exists(catalog: &Catalog, row: u32) -> bool {
    match catalog.observations.columns.day[catalog.observations.of(row)] {
        [.., before, last] => last - before <= EARLIER_DAYS,
        _ => false,
    }
}

/// The past of daily prices, the latest of which comes last; days ascend.
fn past(days: &[u16], prices: &[u32]) -> Past {
    let Some((&last, earlier)) = days.split_last() else { return Past { reference: None, lowest: None } };
    let recent = recent(days, prices);
    let count = recent.len();
    let reference = if count >= MEDIAN_DAYS_MIN {
        let mut sorted = [0; RECENT_DAYS as usize];
        let sorted = &mut sorted[..count];
        sorted.copy_from_slice(recent);
        exact::median_of_cents(sorted)
            .map(|(num, den)| ReferencePrice { price: (num as u64, den as u32), days: count as u32 })
    } else {
        let day_before = earlier.last().filter(|&&day| last - day <= EARLIER_DAYS);
        day_before.map(|_| ReferencePrice { price: (u64::from(prices[earlier.len() - 1]), 1), days: 1 })
    };
    Past { reference, lowest: recent.iter().copied().min() }
}

/// The prices of the 90 days before the latest.
fn recent<'a>(days: &[u16], prices: &'a [u32]) -> &'a [u32] {
    let Some((&last, earlier)) = days.split_last() else { return &[] };
    &prices[first_on_or_after(earlier, last.saturating_sub(RECENT_DAYS))..earlier.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(days: &[u16], prices: &[u32]) -> Option<(Fraction, u32)> {
        past(days, prices).reference.map(|reference| (reference.price, reference.days))
    }

    #[test]
    fn the_median_leaves_the_latest_out() {
        assert_eq!(reference(&[1, 2, 3, 4], &[300, 100, 200, 1]), Some(((200, 1), 3)));
        assert_eq!(reference(&[2, 3, 4], &[100, 201, 1]), Some(((301, 2), 2)));
        assert_eq!(past(&[2, 3, 4], &[100, 201, 1]).lowest, Some(100));
    }

    #[test]
    fn ninety_days_count_from_the_latest() {
        assert_eq!(reference(&[9, 10, 50, 100], &[7, 300, 500, 1]), Some(((800, 2), 2)), "day 10 is in");
        assert_eq!(reference(&[9, 50, 100], &[7, 500, 1]), Some(((500, 1), 1)), "one day is no median");
        assert_eq!(past(&[9, 50, 100], &[7, 500, 1]).lowest, Some(500));
    }

    #[test]
    fn a_monthly_price_reaches_back_further() {
        assert_eq!(reference(&[100, 300], &[800, 600]), Some(((800, 1), 1)));
        assert_eq!(past(&[100, 300], &[800, 600]).lowest, None, "beyond the 90 days");
        assert_eq!(reference(&[99, 300], &[800, 600]), None, "201 days");
        assert_eq!(reference(&[300], &[600]), None);
        assert_eq!(reference(&[], &[]), None);
    }
}
