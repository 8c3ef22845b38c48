//! How far apart retailers are on the same product.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::domain::{Money, Percent};
use crate::query::new_prices::NewPrices;
use crate::stats::exact::{self, Fraction, MeanOfMeans};
use crate::stats::mean_of_ratios::{MeanOfRatios, PERCENT_UNITS};
use crate::stats::quantile::quantile_sorted;

/// Spread of the same product across retailers, each with its lowest price.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CrossRetailer {
    /// Products sold by two retailers or more.
    entities: u32,
    /// Median over products of (highest − lowest) / lowest, in percent.
    median_spread_pct: Percent,
    /// 90 % quantile of the same, in percent.
    p90_spread_pct: Percent,
    /// Mean over products of how far the second-lowest price is above the lowest, in percent.
    mean_gap_to_second_pct: Percent,
    /// Mean over products of what the lowest price saves against the mean of all, in money.
    mean_saving: Money,
}

impl CrossRetailer {
    /// That of the products among `prices`; `None` where no product is sold by two retailers.
    pub(super) fn of(catalog: &Catalog, prices: &NewPrices) -> Option<Self> {
        let listings = &catalog.listings;
        // Entity and place in price order: sorted, the offers of a product lie together and the lowest come first.
        let mut offers: Vec<u64> = Vec::new();
        for (at, &row) in prices.rows.iter().enumerate() {
            let entity = listings.entity[row as usize];
            if catalog.entities.all_members(entity).len() > 1 {
                offers.push(u64::from(entity) << 32 | at as u64);
            }
        }
        offers.sort_unstable();
        let (mut products, mut lowest) = (Vec::new(), Vec::new());
        for product in offers.chunk_by(|a, b| a >> 32 == b >> 32).filter(|product| product.len() > 1) {
            lowest.clear();
            for offer in product {
                let at = *offer as u32 as usize;
                let platform = listings.platform[prices.rows[at] as usize];
                if !lowest.iter().any(|&(known, _)| known == platform) {
                    lowest.push((platform, prices.cents[at]));
                }
            }
            products.extend(Ladder::of(&lowest));
        }
        Self::summary(&products)
    }

    fn summary(products: &[Ladder]) -> Option<Self> {
        let mut spreads: Vec<Fraction> =
            products.iter().map(|p| (u64::from(p.highest - p.lowest), p.lowest)).collect();
        let mut sorted: Vec<f64> = spreads.iter().map(|&(num, den)| num as f64 / f64::from(den)).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (num, den) = exact::median(&mut spreads)?;
        let (mut gaps, mut savings) = (MeanOfRatios::default(), MeanOfMeans::new());
        for product in products {
            gaps.add(product.second - product.lowest, product.lowest);
            savings.add(product.saving(), product.retailers);
        }
        let (gap, gap_den) = gaps.ratio(PERCENT_UNITS)?;
        let (saving, saving_den) = savings.ratio()?;
        Some(Self {
            entities: products.len() as u32,
            median_spread_pct: Percent::from_ratio(num, den),
            p90_spread_pct: Percent::from_f64(100.0 * quantile_sorted(&sorted, 0.9)?),
            mean_gap_to_second_pct: Percent::from_ratio(gap, gap_den),
            mean_saving: Money::from_ratio(saving, saving_den),
        })
    }
}

/// What the retailers of one product ask, in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ladder {
    retailers: u32,
    lowest: u32,
    second: u32,
    highest: u32,
    sum: u64,
}

impl Ladder {
    /// That of each retailer's lowest price, ascending; `None` for a single retailer.
    fn of(offers: &[(u16, u32)]) -> Option<Self> {
        let &[(_, lowest), (_, second), ..] = offers else { return None };
        Some(Self {
            retailers: offers.len() as u32,
            lowest,
            second,
            highest: offers.last()?.1,
            sum: offers.iter().map(|&(_, price)| u64::from(price)).sum(),
        })
    }

    /// What the lowest price saves against the mean of all, times the number of retailers.
    fn saving(&self) -> u64 {
        self.sum - u64::from(self.retailers) * u64::from(self.lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retailers_are_compared_product_by_product() {
        let ladder = |prices: &[u32]| {
            let offers: Vec<(u16, u32)> = prices.iter().zip(0..).map(|(&price, of)| (of, price)).collect();
            Ladder::of(&offers).unwrap()
        };
        assert_eq!(Ladder::of(&[(0, 7)]), None);
        let products = [ladder(&[100, 150]), ladder(&[200, 300, 400])];
        let cross = CrossRetailer::summary(&products).unwrap();
        assert_eq!((cross.entities, cross.median_spread_pct.get()), (2, 7500));
        assert_eq!((cross.p90_spread_pct.get(), cross.mean_gap_to_second_pct.get()), (9500, 5000));
        // (25.00 + 100.00) / 2 in cents, half up.
        assert_eq!(cross.mean_saving.get(), 63);
        assert!(CrossRetailer::summary(&[]).is_none());
        assert_eq!(ladder(&[1_000_000_000; 6]).saving(), 0);
    }
}
