//! How far apart retailers are on the same product.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::mean_of_ratios::PERCENT_UNITS;
use crate::stats::spreads::Spreads;
use crate::types::{Money, Percent};

/// Spread of the same product across retailers, each with its lowest price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CrossRetailerSpread")]
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
    /// That of the spreads of products; `None` where no product is sold by two retailers.
    pub(super) fn of(spreads: &Spreads<'_>) -> Option<Self> {
        let (num, den) = spreads.median()?;
        let (gap, gap_den) = spreads.gaps.ratio(PERCENT_UNITS)?;
        let (saving, saving_den) = spreads.savings.ratio()?;
        Some(Self {
            entities: spreads.len() as u32,
            median_spread_pct: Percent::from_ratio(num, den),
            p90_spread_pct: Percent::from_f64(100.0 * spreads.quantile(0.9)?),
            mean_gap_to_second_pct: Percent::from_ratio(gap, gap_den),
            mean_saving: Money::from_ratio(saving, saving_den),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::spreads::SellerPrice;

    #[test]
    fn retailers_are_compared_product_by_product() {
        let offers = [(1, 0, 100), (1, 1, 150), (2, 0, 200), (2, 1, 300), (2, 2, 400), (3, 0, 7)];
        let offers = offers.map(|(product, seller, cents)| SellerPrice { product, cents, seller });
        let cross = CrossRetailer::of(&Spreads::of(offers.to_vec())).unwrap();
        assert_eq!((cross.entities, cross.median_spread_pct.get()), (2, 7500));
        assert_eq!((cross.p90_spread_pct.get(), cross.mean_gap_to_second_pct.get()), (9500, 5000));
        // (25.00 + 100.00) / 2 in cents, half up.
        assert_eq!(cross.mean_saving.get(), 63);
        assert!(CrossRetailer::of(&Spreads::of(Vec::new())).is_none());
    }
}
