//! The mean of very many fractions with different denominators, such as discount depths.
//!
//! Each fraction has its own denominator, so the exact sum would need a common denominator that does not fit any
//! integer. Instead, each fraction is truncated to 64 binary places. The sum is therefore too low by at most one unit
//! of the last place per fraction, which gives a lower and an upper bound. If the bounds enclose a value at which
//! rounding changes, this value is returned as the mean.

use super::exact::Rational;

/// The number of units per one for a percentage that is rounded to hundredths of a percent.
pub const PERCENT_UNITS: u32 = 10_000;

/// The number of binary places of the sum.
const PLACES: u32 = 64;
/// The number of binary places that one division yields.
const STEP: u32 = 32;

/// Accumulates fractions for their mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeanOfRatios {
    len: u64,
    /// Sum of the fractions in units of 2^-64, each rounded down.
    sum: u128,
}

impl MeanOfRatios {
    /// Adds `num / den`. `den` must not be zero.
    pub fn add(&mut self, num: u32, den: u32) {
        self.sum += places(num, den);
        self.len += 1;
    }

    /// Adds a fraction below one, truncated to 64 binary places, `times` times.
    pub fn add_places(&mut self, places: u64, times: u32) {
        self.sum += u128::from(places) * u128::from(times);
        self.len += u64::from(times);
    }

    /// Adds the fractions of another accumulator. The order of merging does not matter.
    pub const fn merge(&mut self, other: &Self) {
        self.len += other.len;
        self.sum += other.sum;
    }

    /// The number of fractions, and their sum in units of 2^-64, from which the accumulator can be restored.
    pub const fn parts(&self) -> (u64, u128) {
        (self.len, self.sum)
    }

    /// Restores an accumulator from [`MeanOfRatios::parts`].
    pub const fn of_parts(len: u64, sum: u128) -> Self {
        Self { len, sum }
    }

    /// The mean, for rounding to a multiple of `1 / units`; `None` if no fraction was added.
    pub fn ratio(&self, units: u32) -> Option<Rational> {
        if self.len == 0 {
            return None;
        }
        let one = u128::from(self.len) << PLACES;
        // Rounding changes at odd multiples of half a unit.
        let halves = 2 * u128::from(units);
        let turn = (self.sum * halves).div_ceil(one);
        if turn * one <= (self.sum + u128::from(self.len)) * halves {
            return Some((turn as i128, halves as i128));
        }
        Some((self.sum as i128, one as i128))
    }
}

/// `num / den` truncated to 64 binary places, in units of 2^-64. `den` must not be zero.
///
/// Different fractions of 32-bit integers differ by more than one unit, so they remain distinct and keep their order.
pub fn places(num: u32, den: u32) -> u128 {
    debug_assert!(den > 0, "a fraction has a denominator");
    let den = u64::from(den);
    let high = u64::from(num) << STEP;
    let low = (high % den) << STEP;
    (u128::from(high / den) << STEP) + u128::from(low / den)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The mean in units, rounded half away from zero.
    fn rounded(fractions: &[(u32, u32)], units: u32) -> Option<i128> {
        let mut mean = MeanOfRatios::default();
        for &(num, den) in fractions {
            mean.add(num, den);
        }
        mean.ratio(units).map(|(num, den)| (2 * num * i128::from(units) + den).div_euclid(2 * den))
    }

    #[test]
    fn a_half_is_a_half_even_where_binary_places_miss_it() {
        // 1/160 is 0.625 %, which is 62.5 hundredths of a percent.
        assert_eq!(rounded(&[(1, 160)], 10_000), Some(63));
        assert_eq!(rounded(&[(1, 3), (1, 6)], 2), Some(1), "a quarter is half of a half");
        assert_eq!(rounded(&[(1, 1), (1, 1)], 10_000), Some(10_000));
        assert_eq!(rounded(&[(0, 7)], 10_000), Some(0));
        assert_eq!(rounded(&[], 10_000), None);
    }

    #[test]
    fn merging_is_adding() {
        let (mut a, mut b, mut both) = <(MeanOfRatios, MeanOfRatios, MeanOfRatios)>::default();
        a.add(1, 3);
        b.add(2, 7);
        both.add(1, 3);
        both.add(2, 7);
        a.merge(&b);
        assert_eq!(a, both);
    }

    proptest! {
        #[test]
        fn rounds_like_the_exact_mean(
            fractions in proptest::collection::vec((0_u32..=1200, 1_u32..=1200), 1..6),
        ) {
            let fractions: Vec<(u32, u32)> =
                fractions.into_iter().map(|(num, den)| (num.min(den), den)).collect();
            let common: i128 = fractions.iter().map(|&(_, den)| i128::from(den)).product();
            let sum: i128 =
                fractions.iter().map(|&(num, den)| i128::from(num) * (common / i128::from(den))).sum();
            let den = common * fractions.len() as i128;
            let exact = (2 * sum * 10_000 + den).div_euclid(2 * den);
            prop_assert_eq!(rounded(&fractions, 10_000), Some(exact));
        }
    }
}
