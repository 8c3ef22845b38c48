//! The concentration of a category scope, by the numbers of products of its groups.
//!
//! Source: the Herfindahl–Hirschman index and its limits in the Horizontal Merger Guidelines of the US Department of
//! Justice and the Federal Trade Commission, 2010 and 2023. Shares are shares of listings, not of sales.

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::Count;
use crate::types::{Hundredth, Percent};

/// The minimum number of groups for an index.
pub const GROUPS_MIN: usize = 5;
/// The number of groups in the concentration ratio.
const LARGEST: usize = 4;

/// The degree of concentration of a market in the terms of the guidelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fragmentation {
    /// Many small groups.
    Fragmented,
    /// Between fragmented and concentrated.
    Moderate,
    /// A few large groups.
    Concentrated,
}

/// The limits of a guideline on the Herfindahl–Hirschman index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ConcentrationThresholds")]
pub struct Thresholds {
    /// Year of the guidelines.
    pub guideline: &'static str,
    /// A market is moderately concentrated from this value on.
    pub moderate_from: u32,
    /// A market is concentrated above this value.
    pub concentrated_above: u32,
}

/// The limits of the guidelines in force, then those of the previous guidelines.
pub const THRESHOLDS: [Thresholds; 2] = [
    Thresholds { guideline: "2023", moderate_from: 1_000, concentrated_above: 1_800 },
    Thresholds { guideline: "2010", moderate_from: 1_500, concentrated_above: 2_500 },
];

/// The concentration of some groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concentration {
    /// The number of products in all groups.
    products: i128,
    /// The sum over all groups of the squared number of products.
    squares: i128,
    /// The number of products in the four largest groups.
    largest: i128,
}

impl Concentration {
    /// Computes the concentration of counts in descending order; `None` for fewer than five groups.
    pub fn of(counts: &[Count]) -> Option<Self> {
        let products = || counts.iter().map(|&(_, count)| i128::from(count));
        (counts.len() >= GROUPS_MIN).then(|| Self {
            products: products().sum(),
            squares: products().map(|count| count * count).sum(),
            largest: products().take(LARGEST).sum(),
        })
    }

    /// The Herfindahl–Hirschman index: 10,000 times the sum of the squared shares.
    pub fn hhi(self) -> Hundredth {
        Hundredth::from_ratio(10_000 * self.squares, self.products * self.products)
    }

    /// The share of the four largest groups.
    pub fn cr4(self) -> Percent {
        Percent::from_ratio(self.largest, self.products)
    }

    /// The number of equally large groups that would have this index.
    pub fn effective_groups(self) -> Hundredth {
        Hundredth::from_ratio(self.products * self.products, self.squares)
    }

    /// The degree of concentration under the given limits. The index is compared unrounded.
    pub fn fragmentation(self, thresholds: Thresholds) -> Fragmentation {
        let whole = self.products * self.products;
        let (index, limit) = (10_000 * self.squares, |limit: u32| i128::from(limit) * whole);
        if index < limit(thresholds.moderate_from) {
            Fragmentation::Fragmented
        } else if index <= limit(thresholds.concentrated_above) {
            Fragmentation::Moderate
        } else {
            Fragmentation::Concentrated
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[u32]) -> Option<Concentration> {
        let counts: Vec<Count> = (0..).zip(counts.iter().copied()).collect();
        Concentration::of(&counts)
    }

    #[test]
    fn five_groups() {
        let found = of(&[5, 3, 1, 1, 1]).unwrap();
        assert_eq!(
            (found.hhi().get(), found.cr4().get(), found.effective_groups().get()),
            (305_785, 9_091, 327)
        );
        assert_eq!(THRESHOLDS.map(|limits| found.fragmentation(limits)), [Fragmentation::Concentrated; 2]);
        assert_eq!(of(&[5, 3, 1, 1]), None);
    }

    #[test]
    fn limits_belong_to_the_middle() {
        let ten = of(&[1; 10]).unwrap();
        assert_eq!(ten.hhi().get(), 100_000);
        let words = THRESHOLDS.map(|limits| ten.fragmentation(limits));
        assert_eq!(words, [Fragmentation::Moderate, Fragmentation::Fragmented]);
    }
}
