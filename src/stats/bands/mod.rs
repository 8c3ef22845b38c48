//! The spread of prices in a scope, the band around its median, and the price tiers.
//!
//! Prices differ by factors rather than by amounts, so all measures are taken on x = ln(price). The measures are
//! robust, so that one outlier does not widen a band. Quantiles are computed on x and then exponentiated. Prices are
//! passed in cents, ascending. The logarithm preserves order, so logarithms are computed only for the few order
//! statistics that are needed.

use super::quantile::quantile_by;

/// The factor from the median absolute deviation to the standard deviation of a normal distribution.
pub const MAD_TO_SIGMA: f64 = 1.4826;
/// The factor from the standard deviation of a normal distribution to its interquartile range.
pub const IQR_PER_SIGMA: f64 = 1.349;
/// The distance from the median to the ends of the band, in standard deviations.
pub const BAND_SIGMAS: f64 = 0.5;
/// The narrowest and the widest half-width of a band, in percent.
pub const HALF_WIDTH_PCT_RANGE: (f64, f64) = (5.0, 100.0);
/// The quantiles that separate the tiers.
pub const TIER_QUANTILES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
/// The tiers, cheapest first.
pub const TIER_NAMES: [&str; 5] = ["entry", "value", "mid", "premium", "luxury"];

/// A price distribution measured in log space. Prices are unrounded cents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The number of prices.
    pub products: usize,
    /// The 5 % quantile.
    pub p05: f64,
    /// The median.
    pub median: f64,
    /// The 95 % quantile.
    pub p95: f64,
    /// The robust standard deviation of x. It is 0 if the first and the third quartile are equal.
    pub sigma: f64,
    /// The quantiles that separate the tiers.
    pub tiers: [f64; 4],
}

/// The half-width of a band, and whether it was clamped to its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfWidth {
    /// The distance to the upper end, in percent of the middle. The lower end is the same factor below the middle.
    pub pct: f64,
    /// Whether the measured width was outside [`HALF_WIDTH_PCT_RANGE`].
    pub clamped: bool,
}

impl Spread {
    /// Measures prices in cents, which must be ascending and positive; `None` if the slice is empty.
    pub fn of_sorted(cents: &[u32]) -> Option<Self> {
        if cents.is_empty() {
            return None;
        }
        debug_assert!(cents.is_sorted() && cents[0] > 0, "prices ascend and are positive");
        let n = cents.len();
        let log = |rank: usize| f64::from(cents[rank]).ln();
        let x = |p: f64| quantile_by(n, p, log);
        let middle = x(0.5);
        let mut sigma = MAD_TO_SIGMA * median_deviation(cents, middle);
        if sigma == 0.0 {
            sigma = (x(0.75) - x(0.25)) / IQR_PER_SIGMA;
        }
        let (p05, median, p95) = (x(0.05).exp(), middle.exp(), x(0.95).exp());
        Some(Self { products: n, p05, median, p95, sigma, tiers: TIER_QUANTILES.map(|p| x(p).exp()) })
    }

    /// Whether a band can be derived from the distribution.
    pub fn has_width(&self) -> bool {
        self.sigma > 0.0
    }

    /// The half-width of the band around a price.
    pub fn half_width(&self) -> HalfWidth {
        let measured = 100.0 * ((BAND_SIGMAS * self.sigma).exp() - 1.0);
        let (least, most) = HALF_WIDTH_PCT_RANGE;
        let pct = measured.clamp(least, most);
        HalfWidth { pct, clamped: !(least..=most).contains(&measured) }
    }

    /// The boundaries of the tiers in unrounded cents, scaled to a scope whose median is `median`.
    pub fn tiers_at(&self, median: f64) -> [f64; 4] {
        self.tiers.map(|boundary| boundary * median / self.median)
    }
}

impl HalfWidth {
    /// The ends of the band around a price, unrounded.
    pub fn around(&self, price: f64) -> (f64, f64) {
        let factor = 1.0 + self.pct / 100.0;
        (price / factor, price * factor)
    }
}

/// The type 7 median of |ln c − middle|.
///
/// In price order, deviations decrease up to the middle and then increase, so they form two sorted runs. Bisection
/// finds an order statistic of both runs together, without a second array and without every logarithm.
fn median_deviation(cents: &[u32], middle: f64) -> f64 {
    let log = |rank: usize| f64::from(cents[rank]).ln();
    let split = cents.partition_point(|&price| f64::from(price).ln() < middle);
    let left = |i: usize| middle - log(split - 1 - i);
    let right = |i: usize| log(split + i) - middle;
    let right_len = cents.len() - split;
    quantile_by(cents.len(), 0.5, |rank| {
        // Finds how many of the `rank + 1` smallest deviations are left of the middle.
        let (mut low, mut high) = ((rank + 1).saturating_sub(right_len), split.min(rank + 1));
        while low < high {
            let taken = usize::midpoint(low, high);
            // Another deviation from the left is included if it is not larger than the one from the right that it
            // replaces.
            if left(taken) <= right(rank - taken) {
                low = taken + 1;
            } else {
                high = taken;
            }
        }
        let from_left = (low > 0).then(|| left(low - 1));
        let from_right = (low <= rank).then(|| right(rank - low));
        match (from_left, from_right) {
            (Some(a), Some(b)) => a.max(b),
            (a, b) => a.or(b).unwrap_or(0.0),
        }
    })
}

/// The upper edges of all tiers except the last, in cents, for the ascending prices of a scope.
///
/// Boundaries are rounded to cents, and equal boundaries are merged. In ascending order, an edge is kept if at least
/// one price lies above the previously kept edge and not above the edge itself. The top edge is dropped if no price
/// lies above it. Every tier therefore contains a product, and there is one more tier than edges.
pub fn tier_edges(sorted_cents: &[u32], boundaries: &[f64]) -> Vec<u32> {
    let mut edges: Vec<u32> = Vec::with_capacity(boundaries.len());
    let mut below = 0;
    for boundary in boundaries {
        let edge = boundary.round() as u32;
        let upto = sorted_cents.partition_point(|&price| price <= edge);
        if upto > below {
            edges.push(edge);
            below = upto;
        }
    }
    if below == sorted_cents.len() {
        edges.pop();
    }
    edges
}

/// The tier of a price: the first tier whose edge is not below the price, otherwise the last.
pub fn tier_of(edges: &[u32], cents: u32) -> usize {
    edges.partition_point(|&edge| edge < cents)
}

/// The names of `tiers` tiers (at most five), taken from the expensive end. A single tier is named like the middle of
/// the five.
pub fn tier_names(tiers: usize) -> &'static [&'static str] {
    match tiers {
        1 => &TIER_NAMES[2..3],
        _ => &TIER_NAMES[TIER_NAMES.len().saturating_sub(tiers)..],
    }
}

#[cfg(test)]
mod tests;
