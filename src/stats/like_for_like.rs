//! The matched basket between two periods: the price changes of products that are priced in both.
//!
//! The headline figure is the trimmed mean: the geometric mean of the price relatives between 1/2 and 2. Larger
//! changes are treated as data errors: they are counted and excluded. The limits are fixed relatives, symmetric in
//! logarithms, and not quantiles. Most prices do not change, so excluding a share of the largest and smallest
//! relatives would remove the inflation itself.
//!
//! Invariant: relatives are compared with limits in integer arithmetic. Logarithms and relatives are summed in the
//! order of the products. The mean is computed in a first pass, and the standard deviation in a second one.

use super::exact::{Fraction, Rational};

/// Minimum number of products for a figure. It applies to the matched products, and again to the products after the
/// trim.
pub const MATCHED_MIN: usize = 10;
/// Relatives above this value or below its inverse are treated as data errors.
pub const RELATIVE_MAX: u64 = 2;
/// A price is rising or falling if it changes by more than this many percent.
pub const STABLE_PCT: u64 = 1;
/// The half-width of a 95 % interval, in standard errors.
pub const CI95_Z: f64 = 1.96;

/// Statistics of a matched basket. Figures are unrounded, and `None` if there are too few products.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LikeForLike {
    /// Number of products priced in both periods.
    pub matched: usize,
    /// Number of matched products whose price rose by more than [`STABLE_PCT`].
    pub rising: usize,
    /// Number of matched products whose price changed by at most [`STABLE_PCT`].
    pub stable: usize,
    /// Number of matched products whose price fell by more than [`STABLE_PCT`].
    pub falling: usize,
    /// Number of matched products whose price changed by more than the factor [`RELATIVE_MAX`].
    pub trimmed: usize,
    /// The number of products after the trim, on which the figures are based.
    pub kept: usize,
    /// The change in percent, from the geometric mean of the relatives.
    pub change_pct: Option<f64>,
    /// The ends of the 95 % interval of `change_pct`, in percent, the lower end first.
    pub ci95_pct: Option<[f64; 2]>,
    /// The exact median relative. The percent change is `100 × (num − den) / den`.
    pub median: Option<Rational>,
    /// The change in percent, from the arithmetic mean of the relatives.
    pub arithmetic_pct: Option<f64>,
}

/// The exclusive maximum of the sum of prices of a period, in cents, so that its product with a number of days fits
/// into 64 bits.
const SUM_BELOW: u64 = 1 << 48;

/// A relative that was not trimmed, as a quotient of two integers.
#[derive(Clone, Copy)]
struct KeptRelative {
    value: f64,
    num: u64,
    den: u64,
}

/// Compares the prices of products in two periods. A pair contains the price of a product in the first and in the
/// last period. All prices must be positive, with sums below 2^48 and fewer than 2^9 days.
pub fn like_for_like(pairs: impl IntoIterator<Item = (Fraction, Fraction)>) -> LikeForLike {
    let mut basket = LikeForLike::default();
    let mut kept: Vec<KeptRelative> = Vec::new();
    for (first, last) in pairs {
        debug_assert!(first.0 < SUM_BELOW && last.0 < SUM_BELOW, "sums of prices outgrow 64 bits");
        let (num, den) = (last.0 * u64::from(first.1), first.0 * u64::from(last.1));
        basket.matched += 1;
        basket.rising += usize::from(num * 100 > den * (100 + STABLE_PCT));
        basket.falling += usize::from(num * 100 < den * (100 - STABLE_PCT));
        if num > den * RELATIVE_MAX || num * RELATIVE_MAX < den {
            basket.trimmed += 1;
        } else {
            kept.push(KeptRelative { value: num as f64 / den as f64, num, den });
        }
    }
    basket.stable = basket.matched - basket.rising - basket.falling;
    basket.kept = kept.len();
    if basket.matched >= MATCHED_MIN && basket.kept >= MATCHED_MIN {
        basket.summarise(&kept);
    }
    basket
}

impl LikeForLike {
    fn summarise(&mut self, kept: &[KeptRelative]) {
        let n = kept.len() as f64;
        // An unchanged price adds exactly 0, and most prices are unchanged.
        let log =
            |relative: &KeptRelative| if relative.num == relative.den { 0.0 } else { relative.value.ln() };
        let logs: Vec<f64> = kept.iter().map(log).collect();
        let mean = logs.iter().sum::<f64>() / n;
        let squares = logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>();
        let margin = CI95_Z * (squares / (n - 1.0)).sqrt() / n.sqrt();
        let percent = |log: f64| 100.0 * (log.exp() - 1.0);
        self.change_pct = Some(percent(mean));
        self.ci95_pct = Some([percent(mean - margin), percent(mean + margin)]);
        self.arithmetic_pct =
            Some(100.0 * (kept.iter().map(|relative| relative.value).sum::<f64>() / n - 1.0));
        self.median = median(kept);
    }
}

/// The exact median of the relatives. They are ordered by the bit patterns of their f64, because positive f64 have
/// the same order as their bit patterns and rounding a quotient is monotonic. Only relatives that agree in 16 digits
/// may be in the wrong order.
fn median(kept: &[KeptRelative]) -> Option<Rational> {
    let mut values: Vec<u64> = kept.iter().map(|relative| relative.value.to_bits()).collect();
    let exact = |bits: u64| {
        let found = kept.iter().find(|relative| relative.value.to_bits() == bits)?;
        Some((i128::from(found.num), i128::from(found.den)))
    };
    let even = values.len().is_multiple_of(2);
    let middle = values.len() / 2;
    let (below, high, _) = (middle < values.len()).then(|| values.select_nth_unstable(middle))?;
    let (c, d) = exact(*high)?;
    match below.iter().max().filter(|low| even && *low != high) {
        None => Some((c, d)),
        Some(&low) => {
            let (a, b) = exact(low)?;
            Some((a * d + c * b, 2 * b * d))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(prices: &[(u64, u64)]) -> Vec<(Fraction, Fraction)> {
        prices.iter().map(|&(first, last)| ((first, 1), (last, 1))).collect()
    }

    #[test]
    fn limits_belong_to_the_middle() {
        let basket = like_for_like(whole(&[
            (100, 101),
            (100, 99),
            (100, 200),
            (200, 100),
            (10_000, 10_101),
            (10_000, 9899),
        ]));
        assert_eq!((basket.matched, basket.rising, basket.falling, basket.stable), (6, 2, 2, 2));
        assert_eq!((basket.trimmed, basket.kept), (0, 6));
        let basket = like_for_like(whole(&[(100, 201), (201, 100)]));
        assert_eq!((basket.rising, basket.falling, basket.trimmed, basket.kept), (1, 1, 2, 0));
    }

    #[test]
    fn fractions_are_compared_exactly() {
        // 101/3 is exactly 1 % more than 100/3.
        let basket = like_for_like([((100, 3), (101, 3)), ((200, 6), (102, 3))]);
        assert_eq!((basket.stable, basket.rising), (1, 1));
    }

    #[test]
    fn figures_need_ten_matched_and_ten_kept() {
        let nine = whole(&[(100, 110); 9]);
        assert_eq!(like_for_like(nine.clone()).change_pct, None);
        let mut trimmed = nine;
        trimmed.extend(whole(&[(100, 1000); 5]));
        let basket = like_for_like(trimmed);
        assert_eq!((basket.matched, basket.kept, basket.change_pct, basket.median), (14, 9, None, None));
        assert_eq!(like_for_like([]), LikeForLike::default());
    }

    #[test]
    fn by_hand() {
        let mut pairs = whole(&[(100, 100); 6]);
        pairs.extend(whole(&[(100, 120), (100, 125), (100, 80), (100, 130)]));
        let basket = like_for_like(pairs);
        let logs = [1.2_f64, 1.25, 0.8, 1.3].map(f64::ln);
        let mean = logs.iter().sum::<f64>() / 10.0;
        let deviation =
            ((logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() + 6.0 * mean * mean) / 9.0).sqrt();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(basket.change_pct.unwrap(), 100.0 * (mean.exp() - 1.0));
        let [low, high] = basket.ci95_pct.unwrap();
        close(low, 100.0 * ((mean - 1.96 * deviation / 10_f64.sqrt()).exp() - 1.0));
        close(high, 100.0 * ((mean + 1.96 * deviation / 10_f64.sqrt()).exp() - 1.0));
        close(basket.arithmetic_pct.unwrap(), 5.5);
        assert_eq!(basket.median, Some((100, 100)));
    }

    proptest! {
        #[test]
        fn order_and_unit_do_not_matter(
            prices in proptest::collection::vec((50..200_u64, 50..200_u64), 10..60),
            k in 1..1000_u64,
            days in 1..31_u32,
        ) {
            let pairs = whole(&prices);
            let basket = like_for_like(pairs.clone());
            prop_assert_eq!(basket.rising + basket.stable + basket.falling, basket.matched);
            prop_assert_eq!(basket.kept + basket.trimmed, basket.matched);
            let same = |other: LikeForLike| {
                let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                    (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                    (a, b) => a == b,
                };
                let ratio = |x: &LikeForLike| x.median.map(|(num, den)| num as f64 / den as f64);
                near(other.change_pct, basket.change_pct) && near(other.arithmetic_pct, basket.arithmetic_pct)
                    && near(ratio(&other), ratio(&basket)) && other.rising == basket.rising
                    && other.falling == basket.falling && other.trimmed == basket.trimmed
            };
            prop_assert!(same(like_for_like(pairs.iter().rev().copied())));
            let scaled = pairs.iter().map(|&((a, _), (b, _))| ((a * k, days), (b * k, days)));
            prop_assert!(same(like_for_like(scaled)));
        }

        #[test]
        fn between_the_interval_and_below_the_arithmetic_mean(
            prices in proptest::collection::vec((80..120_u64, 80..120_u64), 10..60),
        ) {
            let basket = like_for_like(whole(&prices));
            let (change, [low, high]) = (basket.change_pct.unwrap(), basket.ci95_pct.unwrap());
            prop_assert!(low <= change && change <= high);
            prop_assert!(basket.arithmetic_pct.unwrap() >= change - 1e-9);
        }
    }
}
