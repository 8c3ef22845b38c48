//! The reference price of a listing: the earlier price with which its current price is compared.

use crate::catalog::Catalog;
use crate::snapshot::spells::Cut;
use crate::stats::exact::Fraction;

/// The number of days before the latest observation whose median price is the reference.
const RECENT_DAYS: u16 = 90;
/// If the recent days have too few prices, the latest price in this many days before the latest observation is the
/// reference.
const EARLIER_DAYS: u16 = 200;
/// The minimum number of recent days with a price for a median.
const MEDIAN_DAYS_MIN: u32 = 2;

/// The earlier price of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferencePrice {
    /// The price as a fraction of cents.
    pub price: Fraction,
    /// The number of days with a price on which it is based.
    pub days: u32,
}

/// The prices of a listing before its latest observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// The median of the 90 days before, or else the latest price of the 200 days before.
    pub reference: Option<ReferencePrice>,
    /// The lowest price of the 90 days before.
    pub lowest: Option<u32>,
}

/// The past prices of a listing that was observed.
pub fn of_listing(catalog: &Catalog, row: u32) -> Past {
    let mut prices = Prices::new();
    prices.fill(&recent(catalog, row), &catalog.spells.price);
    let lowest = prices.lowest();
    let reference = prices.median().or_else(|| earlier(catalog, row));
    Past { reference, lowest }
}

/// Whether an observed listing has a reference, and the reference unless it is known to be below `least` cents.
///
/// In a search for discounts, most listings are decided by counting, without computing a median.
pub fn of_at_least(catalog: &Catalog, row: u32, least: u32) -> (bool, Option<ReferencePrice>) {
    let (recent, price) = (recent(catalog, row), &catalog.spells.price);
    if recent.len() >= MEDIAN_DAYS_MIN {
        let times = recent.rows.clone().zip(recent.times());
        let reaching: u32 = times.map(|(spell, times)| if price[spell] >= least { times } else { 0 }).sum();
        // For an even number of prices, the median is not above the upper of the two middle prices.
        if reaching < recent.len() - recent.len() / 2 {
            return (true, None);
        }
    }
    let mut prices = Prices::new();
    prices.fill(&recent, price);
    let reference = prices.median().or_else(|| earlier(catalog, row));
    (reference.is_some(), reference)
}

/// Whether a listing has a reference.
pub fn exists(catalog: &Catalog, row: u32) -> bool {
    let last = catalog.listings.current_day[row as usize];
    catalog.all_spells(row).last_day_but_one().is_some_and(|before| last - before <= EARLIER_DAYS)
}

/// The spells of the 90 days before a listing's latest observation.
fn recent(catalog: &Catalog, row: u32) -> Cut<'_> {
    let last = catalog.listings.current_day[row as usize];
    catalog.spells_within(row, &(last.saturating_sub(RECENT_DAYS)..last))
}

/// The latest price before the latest observation, if it is recent enough.
fn earlier(catalog: &Catalog, row: u32) -> Option<ReferencePrice> {
    let last = catalog.listings.current_day[row as usize];
    let spell = catalog.spells_within(row, &(last.saturating_sub(EARLIER_DAYS)..last)).rows.last()?;
    Some(ReferencePrice { price: (u64::from(catalog.spells.price[spell]), 1), days: 1 })
}

/// Prices, each with the number of recent days on which it was seen.
struct Prices {
    /// Prices as (cents, number of days), unordered. Only the first `spells` entries are used.
    of: [(u32, u32); RECENT_DAYS as usize],
    spells: usize,
}

impl Prices {
    const fn new() -> Self {
        Self { of: [(0, 0); RECENT_DAYS as usize], spells: 0 }
    }

    /// Adds the prices of spells. There are at most as many spells as recent days.
    fn fill(&mut self, recent: &Cut<'_>, price: &[u32]) {
        for (spell, times) in recent.rows.clone().zip(recent.times()) {
            self.of[self.spells] = (price[spell], times);
            self.spells += 1;
        }
    }

    fn lowest(&self) -> Option<u32> {
        self.of[..self.spells].iter().map(|of| of.0).min()
    }

    /// The median, if there are enough days.
    fn median(&mut self) -> Option<ReferencePrice> {
        let prices = &mut self.of[..self.spells];
        let days: u32 = prices.iter().map(|of| of.1).sum();
        if days < MEDIAN_DAYS_MIN {
            return None;
        }
        prices.sort_unstable();
        // The price of the day at an index, with the days sorted by price.
        let at = |place: u32| {
            let mut before = 0;
            let price = prices.iter().find(|(_, times)| {
                before += times;
                place < before
            });
            price.map(|&(cents, _)| u64::from(cents))
        };
        let upper = at(days / 2)?;
        let price = if days.is_multiple_of(2) { (at(days / 2 - 1)? + upper, 2) } else { (upper, 1) };
        Some(ReferencePrice { price, days })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::exact;

    proptest! {
        #[test]
        fn a_median_counts_every_day(spells in prop::collection::vec((1_u32..9, 1_u32..4), 1..20)) {
            let mut prices = Prices::new();
            for (at, &of) in spells.iter().enumerate() {
                (prices.of[at], prices.spells) = (of, at + 1);
            }
            let each = |&(cents, times): &(u32, u32)| std::iter::repeat_n(cents, times as usize);
            let mut days: Vec<u32> = spells.iter().flat_map(each).collect();
            prop_assert_eq!(prices.lowest(), days.iter().min().copied());
            let expect = exact::median_of_cents(&mut days)
                .filter(|_| days.len() >= MEDIAN_DAYS_MIN as usize)
                .map(|(num, den)| ((num as u64, den as u32), days.len() as u32));
            prop_assert_eq!(prices.median().map(|median| (median.price, median.days)), expect);
        }
    }
}
