//! The mean of many unlike ratios.
//!
//! Ratios of prices have as many denominators as there are prices; their common multiple outgrows every integer
//! after a dozen. They are therefore summed in fixed point, finely enough that no served digit depends on it, and
//! in integers, so that the order of summing does not matter.

use super::exact::Rational;

/// Binary digits behind the point.
const FRACTION_BITS: u32 = 56;
/// Figures are served in units of 1/10,000; a mean this many steps of which are odd lies halfway between two.
const HALF_STEPS: i128 = 20_000;
/// A mean this near (as a power of two) to half a step is taken to lie on it.
const SNAP_BITS: u32 = 36;

/// Mean of `num / den` over all; `None` for none. Denominators must not be zero.
///
/// Where the exact mean lies on a rounding boundary of 1/10,000, the result does too.
pub fn mean_ratio(ratios: impl IntoIterator<Item = (u32, u32)>) -> Option<Rational> {
    let (mut sum, mut len) = (0_i128, 0_i128);
    for (num, den) in ratios {
        debug_assert!(den > 0, "a ratio needs a denominator");
        let den = i128::from(den);
        sum += ((i128::from(num) << FRACTION_BITS) + den / 2) / den;
        len += 1;
    }
    (len > 0).then(|| snapped(sum, len << FRACTION_BITS))
}

fn snapped(sum: i128, den: i128) -> Rational {
    let Some(steps) = sum.checked_mul(HALF_STEPS) else { return (sum, den) };
    let nearest = (steps + den / 2).div_euclid(den);
    if (steps - nearest * den).abs() <= den >> SNAP_BITS { (nearest, HALF_STEPS) } else { (sum, den) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn halves_stay_halves() {
        assert_eq!(mean_ratio([]), None);
        assert_eq!(mean_ratio([(0, 7)]), Some((0, HALF_STEPS)));
        // Thirds and sixths that add up to 0.00005.
        assert_eq!(mean_ratio([(1, 30_000), (1, 15_000)]), Some((1, HALF_STEPS)));
        let third = mean_ratio([(1, 3), (2, 6), (4, 12)]).unwrap();
        assert!((third.0 as f64 / third.1 as f64 - 1.0 / 3.0).abs() < 1e-15);
        assert_ne!(third.1, HALF_STEPS);
    }

    #[test]
    fn absurd_ratios_do_not_overflow() {
        let (num, den) = mean_ratio((0..1000).map(|_| (u32::MAX, 1))).unwrap();
        assert!((num as f64 / den as f64 - f64::from(u32::MAX)).abs() < 1.0);
    }

    proptest! {
        #[test]
        fn as_the_naive_mean(all in proptest::collection::vec((0..1_000_000_u32, 1..1_000_000_u32), 1..50)) {
            let naive = all.iter().map(|&(num, den)| f64::from(num) / f64::from(den)).sum::<f64>() / all.len() as f64;
            let (num, den) = mean_ratio(all.iter().copied()).unwrap();
            prop_assert!((num as f64 / den as f64 - naive).abs() <= 1e-9 * naive.max(1.0));
            prop_assert_eq!(Some((num, den)), mean_ratio(all.into_iter().rev()));
        }
    }
}
