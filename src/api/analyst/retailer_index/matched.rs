//! A retailer's price level over the products that others sell too, by day.

use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::{Catalog, Cut};
use crate::domain::Condition;

/// Fewest products that an index rests on.
const PAIRS_MIN: u32 = 10;
/// A price this many times the others', or this part of it, is of another product.
const RATIO_MAX: f64 = 3.0;
/// A ratio on the boundary is within it, whatever its logarithm is rounded to.
const LOG_SLACK: f64 = 1e-12;
/// Products that one task works on. Fixed, since it decides the order in which logarithms are summed.
const PRODUCTS_PER_TASK: usize = 64;

/// The products of a day that the retailer and another one sell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Matched {
    /// Sum of the logarithms of the ratios that are kept.
    sum: f64,
    /// How many are kept.
    pub(super) pairs: u32,
}

impl Matched {
    /// Geometric mean of the ratios; `None` for too few.
    pub(super) fn index(self) -> Option<f64> {
        (self.pairs >= PAIRS_MIN).then(|| (self.sum / f64::from(self.pairs)).exp())
    }

    fn add(&mut self, log: f64) {
        if log.abs() <= RATIO_MAX.ln() + LOG_SLACK {
            self.sum += log;
            self.pairs += 1;
        }
    }
}

/// The matched products among `rows` on each of `days`; `own` are the rows of the retailer, which is that of
/// `platform`. Both ascend.
pub(super) fn by_day(
    catalog: &Catalog,
    rows: &[u32],
    own: &[u32],
    platform: u16,
    days: &Range<u16>,
) -> Vec<Matched> {
    let offers = offers(catalog, rows, own);
    let is_other = |&(_, row): &(u32, u32)| catalog.listings.platform[row as usize] != platform;
    let products: Vec<&[(u32, u32)]> =
        offers.chunk_by(|a, b| a.0 == b.0).filter(|product| product.iter().any(is_other)).collect();
    let tasks: Vec<Vec<Matched>> = products
        .par_chunks(PRODUCTS_PER_TASK)
        .map(|products| {
            let mut matched = vec![Matched::default(); days.len()];
            // Listings of a product lie far apart. All are reached for before any is read, so that their ways through
            // memory overlap.
            let offers = |&(_, row): &(u32, u32)| {
                (catalog.listings.platform[row as usize], catalog.spells_within(row, days))
            };
            let cuts: Vec<(u16, Cut<'_>)> = products.iter().copied().flatten().map(offers).collect();
            let (mut cuts, mut lowest) = (cuts.as_slice(), Lowest::default());
            for product in products {
                let (own, rest) = cuts.split_at(product.len());
                lowest.fill(catalog, own, platform, days);
                lowest.compare(&mut matched);
                cuts = rest;
            }
            matched
        })
        .collect();
    let mut matched = vec![Matched::default(); days.len()];
    for task in tasks {
        for (day, part) in matched.iter_mut().zip(task) {
            day.sum += part.sum;
            day.pairs += part.pairs;
        }
    }
    matched
}

/// (entity, row) of the new listings among `rows` of the products that the retailer sells new and that have several
/// listings, by entity, then row.
fn offers(catalog: &Catalog, rows: &[u32], own: &[u32]) -> Vec<(u32, u32)> {
    let listings = &catalog.listings;
    let is_new = |row: u32| listings.condition[row as usize] == Condition::New.as_u8();
    let mut entities: Vec<u32> = own
        .iter()
        .filter(|&&row| is_new(row))
        .map(|&row| listings.entity[row as usize])
        .filter(|&entity| catalog.entities.all_members(entity).len() > 1)
        .collect();
    entities.sort_unstable();
    entities.dedup();
    let bounds = rows.first().map_or(0..=0, |&first| first..=rows[rows.len() - 1]);
    // A category is a range of rows, which need not be searched.
    let is_range = bounds.clone().count() == rows.len();
    let is_among = |row: &u32| bounds.contains(row) && (is_range || rows.binary_search(row).is_ok());
    let offers = |&entity: &u32| {
        let members = catalog.entities.all_members(entity).iter().copied();
        members.filter(|row| is_among(row) && is_new(*row)).map(move |row| (entity, row))
    };
    entities.iter().flat_map(offers).collect()
}

/// Days that a word of turns is about.
const TURNS: usize = u64::BITS as usize;
/// Cents for no price.
const NO_PRICE: u32 = u32::MAX;

/// The lowest price of each retailer of one product on each day.
#[derive(Debug, Default)]
struct Lowest {
    days: usize,
    /// Retailers, the one in question first.
    platforms: Vec<u16>,
    /// Days of the first retailer, then of the second, and so on.
    cents: Vec<u32>,
    /// A bit for each day on which a price begins, and for each behind a price's last: others are as the day before.
    turns: Vec<u64>,
    /// Last price and its logarithm, by retailer: most prices are those before another's change.
    logs: Vec<(u32, f64)>,
}

impl Lowest {
    /// Takes the offers of a product, each with its retailer.
    fn fill(&mut self, catalog: &Catalog, offers: &[(u16, Cut<'_>)], platform: u16, days: &Range<u16>) {
        self.start(platform, days.len());
        for (platform, cut) in offers {
            let retailer = self.retailer(*platform);
            cut.each_stretch(|spell, seen| {
                let seen = usize::from(seen.start - days.start)..usize::from(seen.end - days.start);
                self.offer(retailer, seen, catalog.spells.price[spell]);
            });
        }
    }

    fn start(&mut self, platform: u16, days: usize) {
        self.days = days;
        self.platforms.clear();
        self.cents.clear();
        self.logs.clear();
        self.turns.clear();
        self.turns.resize(days / TURNS + 1, 0);
        self.retailer(platform);
    }

    /// Place of a retailer.
    fn retailer(&mut self, platform: u16) -> usize {
        let known = self.platforms.iter().position(|&known| known == platform);
        known.unwrap_or_else(|| {
            self.platforms.push(platform);
            self.cents.resize(self.platforms.len() * self.days, NO_PRICE);
            self.logs.push((1, 0.0));
            self.platforms.len() - 1
        })
    }

    fn offer(&mut self, retailer: usize, days: Range<usize>, price: u32) {
        for turn in [days.start, days.end] {
            self.turns[turn / TURNS] |= 1 << (turn % TURNS);
        }
        for lowest in &mut self.cents[retailer * self.days..][days] {
            *lowest = price.min(*lowest);
        }
    }

    /// Adds the ratio of each day on which the retailer and another one have a price. Each day sums on its own, so its
    /// sum is the same as if its ratio had been worked out for it alone.
    fn compare(&mut self, matched: &mut [Matched]) {
        let mut from = None;
        for word in 0..self.turns.len() {
            let mut turns = self.turns[word];
            while turns != 0 {
                let turn = word * TURNS + turns.trailing_zeros() as usize;
                turns &= turns - 1;
                let before = from.replace(turn);
                if let Some((log, days)) = before.and_then(|from| Some((self.ratio(from)?, from..turn))) {
                    matched[days].iter_mut().for_each(|day| day.add(log));
                }
            }
        }
    }

    /// Logarithm of the retailer's price over the geometric mean of the others' on a day; `None` without one of them.
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

    /// Logarithm of a retailer's price on a day; `None` for no price.
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

    /// Prices by retailer and day, the retailer in question first.
    fn compared(products: &[&[&[u32]]]) -> Vec<Matched> {
        let days = products[0][0].len();
        let mut matched = vec![Matched::default(); days];
        let mut lowest = Lowest::default();
        for product in products {
            lowest.start(0, days);
            for (retailer, prices) in product.iter().enumerate() {
                let retailer = lowest.retailer(retailer as u16);
                for (day, &price) in prices.iter().enumerate().filter(|(_, price)| **price > 0) {
                    lowest.offer(retailer, day..day + 1, price);
                }
            }
            lowest.compare(&mut matched);
        }
        matched
    }

    #[test]
    fn a_price_is_compared_with_the_geometric_mean_of_the_others() {
        let matched = compared(&[&[&[200, 200, 0, 300], &[100, 0, 100, 100], &[400, 0, 100, 100]]]);
        assert_eq!(matched.iter().map(|day| day.pairs).collect::<Vec<_>>(), [1, 0, 0, 1]);
        assert!(matched[0].sum.abs() < 1e-12);
        // Three times is the last ratio that is believed.
        assert!((matched[3].sum - 3.0_f64.ln()).abs() < 1e-12);
        assert_eq!(compared(&[&[&[301], &[100]]])[0].pairs, 0);
        assert_eq!(compared(&[&[&[100], &[300]], &[&[100], &[301]]])[0].pairs, 1);
    }

    #[test]
    fn the_lowest_offer_of_a_retailer_counts() {
        let mut lowest = Lowest::default();
        lowest.start(7, 3);
        for (days, price) in [(0..2, 500), (0..1, 200), (0..2, 300)] {
            lowest.offer(0, days, price);
        }
        assert_eq!(lowest.cents, [200, 300, NO_PRICE]);
    }

    #[test]
    fn few_products_have_no_index() {
        let product: &[&[u32]] = &[&[110], &[100]];
        assert_eq!(compared(&[product; 9])[0].index(), None);
        assert!((compared(&[product; 10])[0].index().unwrap() - 1.1).abs() < 1e-12);
    }
}
