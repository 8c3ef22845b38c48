//! Where the current prices of a scope lie.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::exact::{mean_of_cents, median_of_sorted};
use crate::stats::quantile::quantile_by;
use crate::types::Money;

/// Current prices of listings of condition new, in currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceBlock {
    /// Number of listings.
    pub products: u32,
    /// Arithmetic mean of the prices.
    pub mean: Money,
    /// Median: half of the prices are at or below.
    pub median: Money,
    /// Lowest price.
    pub min: Money,
    /// 5 % of prices are at or below, linear between the prices around it.
    pub p05: Money,
    /// 25 % of prices are at or below.
    pub p25: Money,
    /// 75 % of prices are at or below.
    pub p75: Money,
    /// 95 % of prices are at or below.
    pub p95: Money,
    /// Highest price.
    pub max: Money,
}

impl PriceBlock {
    /// Of prices in cents, ascending; `None` without any.
    pub fn of(cents: &[u32]) -> Option<Self> {
        let (&min, &max) = (cents.first()?, cents.last()?);
        let quantile = |p| Money::from_cents_f64(quantile_by(cents.len(), p, |rank| f64::from(cents[rank])));
        let exact = |(num, den)| Money::from_ratio(num, den);
        Some(Self {
            products: cents.len() as u32,
            mean: exact(mean_of_cents(cents)?),
            median: exact(median_of_sorted(cents)?),
            min: Money::new(min.into()),
            p05: quantile(0.05),
            p25: quantile(0.25),
            p75: quantile(0.75),
            p95: quantile(0.95),
            max: Money::new(max.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians_are_exact_and_quantiles_linear() {
        let block = PriceBlock::of(&[100, 101, 200, 1_000]).unwrap();
        assert_eq!((block.products, block.mean.get(), block.median.get()), (4, 350, 151));
        assert_eq!(
            (block.min.get(), block.p25.get(), block.p75.get(), block.max.get()),
            (100, 101, 400, 1_000)
        );
        assert_eq!(PriceBlock::of(&[]), None);
    }
}
