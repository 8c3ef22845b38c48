//! A retailer's daily price level over the products that other retailers sell too.

use std::ops::Range;

use rayon::prelude::*;

use super::changes::{Changes, Total};
use crate::catalog::{Catalog, Listing};
use crate::types::Condition;

/// The minimum number of products for an index.
pub const PAIRS_MIN: i64 = 10;
/// A price ratio above this factor or below its inverse is left out, because the prices are probably of different
/// products.
pub const RATIO_MAX: f64 = 3.0;
/// Tolerance for the rounding of logarithms, so that a ratio exactly on the boundary is included.
pub const LOG_SLACK: f64 = 1e-12;
/// Logarithms are summed in units of 1/2^38. An index is off by at most 2e-12, and a sum has room for thirty million
/// products.
const LOG_UNITS: f64 = (1_u64 << 38) as f64;
/// The number of products whose offers are fetched together.
const PRODUCTS_AT_A_TIME: usize = 64;

/// The matched products among `rows` on each of `days`, as sums of the logarithms of their price ratios. `own` are
/// the rows of the retailer, whose platform is `platform`. `rows` and `own` must be ascending.
pub fn by_day(catalog: &Catalog, rows: &[u32], own: &[u32], platform: u16, days: &Range<u16>) -> Vec<Total> {
    let offers = offers(catalog, rows, own);
    let is_other = |&(_, row): &(u32, u32)| catalog.listings.platform[row as usize] != platform;
    let products: Vec<&[(u32, u32)]> =
        offers.chunk_by(|a, b| a.0 == b.0).filter(|product| product.iter().any(is_other)).collect();
    let none = || Changes::none(days.len());
    products
        .par_chunks(PRODUCTS_AT_A_TIME)
        .fold(none, |mut matched, products| {
            // The listings of a product are far apart in memory. All of them are read before any is processed, so
            // that the cache misses overlap.
            let (mut stretches, mut ends) = (Vec::new(), Vec::with_capacity(products.len()));
            for product in products {
                for &(_, row) in *product {
                    Stretch::each_of(catalog, row, days, |stretch| stretches.push(stretch));
                }
                ends.push(stretches.len());
            }
            let (mut lowest, mut from) = (Lowest::default(), 0);
            for end in ends {
                lowest.fill(&stretches[from..end], platform, days.len());
                lowest.compare(&mut matched);
                from = end;
            }
            matched
        })
        .reduce(none, |matched, other| matched.with(&other))
        .totals()
}

/// The geometric mean of the ratios of a day; `None` if there are fewer than [`PAIRS_MIN`].
pub fn index(matched: Total) -> Option<f64> {
    (matched.count >= PAIRS_MIN).then(|| (matched.sum as f64 / LOG_UNITS / matched.count as f64).exp())
}

/// A price of an offer on a range of days, counted from the first day of the window.
struct Stretch {
    row: u32,
    platform: u16,
    days: Range<u16>,
    price: u32,
}

impl Stretch {
    fn each_of(catalog: &Catalog, row: u32, days: &Range<u16>, mut each: impl FnMut(Self)) {
        let platform = catalog.listings.platform[row as usize];
        catalog.spells_within(row, days).each_stretch(|spell, seen| {
            let days = seen.start - days.start..seen.end - days.start;
            each(Self { row, platform, days, price: catalog.spells.price[spell] });
        });
    }
}

/// The (entity, row) pairs of the new listings among `rows`, ordered by entity, then by row. Only entities that the
/// retailer sells new and that have several listings are included.
fn offers(catalog: &Catalog, rows: &[u32], own: &[u32]) -> Vec<(u32, u32)> {
    let is_new = |row: u32| catalog.listings.condition[row as usize] == Condition::New.as_u8();
    let linked = own.iter().map(|&row| catalog.listing(row)).filter(|own| own.is_linked() && is_new(own.row));
    let mut entities: Vec<u32> = linked.map(Listing::entity).collect();
    entities.sort_unstable();
    entities.dedup();
    let bounds = rows.first().map_or(0..=0, |&first| first..=rows[rows.len() - 1]);
    // The rows of a category are a range, for which no binary search is needed.
    let is_range = bounds.clone().count() == rows.len();
    let is_among = |row: &u32| bounds.contains(row) && (is_range || rows.binary_search(row).is_ok());
    let offers = |&entity: &u32| {
        let members = catalog.entities.all_members(entity).iter().copied();
        members.filter(|row| is_among(row) && is_new(*row)).map(move |row| (entity, row))
    };
    entities.iter().flat_map(offers).collect()
}

/// The number of days per word of `turns`.
const TURNS: usize = u64::BITS as usize;
/// The price that marks a day without a price.
const NO_PRICE: u32 = u32::MAX;

/// The lowest price of each retailer for one product, on each day.
#[derive(Debug, Default)]
struct Lowest {
    days: usize,
    /// The retailers. The retailer whose price level is computed is the first. `taken` is the number of added offers of
    /// each retailer.
    platforms: Vec<u16>,
    taken: Vec<u32>,
    /// The prices by retailer, then day.
    cents: Vec<u32>,
    /// One bit per day, set if a price begins on this day or ended on the day before. On all other days the prices
    /// equal those of the previous day.
    turns: Vec<u64>,
    /// The last price and its logarithm, by retailer. Most prices are unchanged when another retailer's price
    /// changes.
    logs: Vec<(u32, f64)>,
}

impl Lowest {
    /// Replaces all prices with the prices of a product.
    fn fill(&mut self, stretches: &[Stretch], platform: u16, days: usize) {
        self.start(platform, days);
        for offer in stretches.chunk_by(|a, b| a.row == b.row) {
            let retailer = self.retailer(offer[0].platform);
            self.offer(retailer, offer.iter().map(|of| (of.days.start.into()..of.days.end.into(), of.price)));
        }
    }

    fn start(&mut self, platform: u16, days: usize) {
        self.days = days;
        self.platforms.clear();
        self.taken.clear();
        self.cents.clear();
        self.logs.clear();
        self.turns.clear();
        self.turns.resize(days / TURNS + 1, 0);
        self.retailer(platform);
    }

    /// The index of a retailer, which is added if it is new.
    fn retailer(&mut self, platform: u16) -> usize {
        let known = self.platforms.iter().position(|&known| known == platform);
        known.unwrap_or_else(|| {
            self.platforms.push(platform);
            self.taken.push(0);
            self.cents.resize(self.platforms.len() * self.days, NO_PRICE);
            self.logs.push((1, 0.0));
            self.platforms.len() - 1
        })
    }

    /// Adds an offer of a retailer: its prices, each with its range of days.
    fn offer(&mut self, retailer: usize, prices: impl Iterator<Item = (Range<usize>, u32)>) {
        let is_first = self.taken[retailer] == 0;
        self.taken[retailer] += 1;
        for (days, price) in prices {
            for turn in [days.start, days.end] {
                self.turns[turn / TURNS] |= 1 << (turn % TURNS);
            }
            let lowest = &mut self.cents[retailer * self.days..][days];
            if is_first {
                lowest.fill(price);
            } else {
                for lowest in lowest {
                    *lowest = price.min(*lowest);
                }
            }
        }
    }

    /// Adds the ratio of each day on which both the retailer and another one have a price.
    fn compare(&mut self, matched: &mut Changes) {
        let mut from = None;
        for word in 0..self.turns.len() {
            let mut turns = self.turns[word];
            while turns != 0 {
                let turn = word * TURNS + turns.trailing_zeros() as usize;
                turns &= turns - 1;
                let before = from.replace(turn);
                if let Some((log, days)) = before.and_then(|from| Some((self.ratio(from)?, from..turn)))
                    && log.abs() <= RATIO_MAX.ln() + LOG_SLACK
                {
                    // Rounds half away from zero: half a unit is added before truncation.
                    let units = log * LOG_UNITS;
                    matched.add(days, (units + 0.5_f64.copysign(units)) as i64);
                }
            }
        }
    }

    /// The logarithm of the retailer's price over the geometric mean of the others' prices on a day; `None` if either
    /// is missing.
    fn ratio(&mut self, day: usize) -> Option<f64> {
        let own = self.log(0, day)?;
        let (mut others, mut count) = (0.0, 0);
        for retailer in 1..self.platforms.len() {
            if let Some(log) = self.log(retailer, day) {
                others += log;
                count += 1;
            }
        }
        (count > 0).then(|| own - others / f64::from(count))
    }

    /// The logarithm of a retailer's price on a day; `None` if there is no price.
    fn log(&mut self, retailer: usize, day: usize) -> Option<f64> {
        let price = self.cents[retailer * self.days + day];
        let last = &mut self.logs[retailer];
        if price != last.0 {
            if price == NO_PRICE {
                return None;
            }
            *last = (price, f64::from(price).ln());
        }
        Some(last.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The totals for products with prices by retailer and day. The first retailer is compared with the others.
    fn compared(products: &[&[&[u32]]]) -> Vec<Total> {
        let days = products[0][0].len();
        let mut matched = Changes::none(days);
        let mut lowest = Lowest::default();
        for product in products {
            lowest.start(0, days);
            for (retailer, prices) in product.iter().enumerate() {
                let retailer = lowest.retailer(retailer as u16);
                let prices = prices.iter().enumerate().filter(|(_, price)| **price > 0);
                lowest.offer(retailer, prices.map(|(day, &price)| (day..day + 1, price)));
            }
            lowest.compare(&mut matched);
        }
        matched.totals()
    }

    #[test]
    fn a_price_is_compared_with_the_geometric_mean_of_the_others() {
        let matched = compared(&[&[&[200, 200, 0, 300], &[100, 0, 100, 100], &[400, 0, 100, 100]]]);
        assert_eq!(matched.iter().map(|day| day.count).collect::<Vec<_>>(), [1, 0, 0, 1]);
        assert_eq!(matched[0].sum, 0);
        // A factor of exactly three is the largest ratio that is accepted.
        assert!((matched[3].sum as f64 / LOG_UNITS - 3.0_f64.ln()).abs() < 1e-11);
        assert_eq!(compared(&[&[&[301], &[100]]])[0].count, 0);
        assert_eq!(compared(&[&[&[100], &[300]], &[&[100], &[301]]])[0].count, 1);
    }

    #[test]
    fn the_lowest_offer_of_a_retailer_counts() {
        let mut lowest = Lowest::default();
        lowest.start(7, 3);
        for (days, price) in [(0..2, 500), (0..1, 200), (0..2, 300)] {
            lowest.offer(0, [(days, price)].into_iter());
        }
        assert_eq!(lowest.cents, [200, 300, NO_PRICE]);
    }

    #[test]
    fn few_products_have_no_index() {
        let product: &[&[u32]] = &[&[110], &[100]];
        assert_eq!(index(compared(&[product; 9])[0]), None);
        assert!((index(compared(&[product; 10])[0]).unwrap() - 1.1).abs() < 1e-11);
    }
}
