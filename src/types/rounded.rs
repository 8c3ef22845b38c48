//! Numbers for output: rounded once, at the end, and not used in further arithmetic.
//!
//! A ratio of integers is rounded from the exact rational (`from_ratio`), so that the rounding of 37.725 does not
//! depend on its binary representation. A value that went through logarithms, roots or quantile interpolation has no
//! exact form and is rounded from its f64 (`from_f64`). Averages of money are rounded half up; all other values are
//! rounded half away from zero. Values are stored as scaled integers, so there is no negative zero and no
//! representation error.

use serde::{Serialize, Serializer};

use super::inline_schema;
use super::money::Cents;

/// The direction in which halves are rounded.
#[derive(Clone, Copy)]
enum Half {
    /// Towards plus infinity.
    Up,
    /// Away from zero.
    Away,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `num / den × scale` as an integer. `scale` is at most 10^6.
///
/// The result is exact if the reduced numerator, multiplied by the scale, and the reduced denominator fit into 126
/// bits. Otherwise (numerators from about 10^31 on) the quotient is computed in f64.
fn scaled(num: i128, den: i128, scale: i128, half: Half) -> i64 {
    assert!(den != 0, "a ratio needs a denominator");
    let negative = (num < 0) != (den < 0) && num != 0;
    let (size_num, size_den) = (num.unsigned_abs(), den.unsigned_abs());
    // Reducing does not change the quotient, so it is done only if the unreduced terms overflow.
    let size = quotient(size_num, size_den, scale, half, negative).or_else(|| {
        let common = gcd(size_num, size_den);
        quotient(size_num / common, size_den / common, scale, half, negative)
    });
    match size.map(|size| if negative { -size } else { size }) {
        Some(value) => i64::try_from(value).unwrap_or(if negative { i64::MIN } else { i64::MAX }),
        None => nearest(num as f64 / den as f64 * scale as f64),
    }
}

/// The rounded quotient of absolute values; `None` if it exceeds 128 bits.
fn quotient(num: u128, den: u128, scale: i128, half: Half, negative: bool) -> Option<i128> {
    let (num, den) = (i128::try_from(num).ok()?, i128::try_from(den).ok()?);
    let doubled = num.checked_mul(scale)?.checked_mul(2)?;
    let twice_den = den.checked_mul(2)?;
    // For negative values, rounding half up rounds the absolute value half down.
    let rounding = if matches!(half, Half::Up) && negative { den - 1 } else { den };
    let sum = doubled.checked_add(rounding)?;
    // A 128-bit division is a function call, so 64 bits are used where possible.
    Some(match (u64::try_from(sum), u64::try_from(twice_den)) {
        (Ok(sum), Ok(twice_den)) => i128::from(sum / twice_den),
        _ => sum / twice_den,
    })
}

/// The f64 rounded half away from zero, saturating.
fn nearest(value: f64) -> i64 {
    assert!(value.is_finite(), "a figure that is served is a number");
    value.round() as i64
}

macro_rules! rounded {
    ($(#[$doc:meta])* $type:ident, $unit:literal, $ratio_scale:literal, $half:ident, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $type(i64);

        impl $type {
            /// The number of units per one.
            const UNIT: f64 = $unit;

            /// Wraps a number of units of the last digit.
            pub const fn new(units: i64) -> Self {
                Self(units)
            }

            /// The number of units of the last digit.
            pub const fn get(self) -> i64 {
                self.0
            }

            /// Rounds the exact rational `num / den`, interpreted as documented for the type.
            ///
            /// # Panics
            ///
            /// Panics if `den` is zero. A figure without a denominator must be withheld, not shown as zero.
            pub fn from_ratio(num: i128, den: i128) -> Self {
                Self(scaled(num, den, $ratio_scale, Half::$half))
            }

            /// Rounds a double in the unit of the output, half away from zero.
            ///
            /// # Panics
            ///
            /// Panics if the value is not finite.
            pub fn from_f64(value: f64) -> Self {
                Self(nearest(value * Self::UNIT))
            }

            /// The output number as a double.
            pub fn as_f64(self) -> f64 {
                self.0 as f64 / Self::UNIT
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f64(self.as_f64())
            }
        }

        inline_schema!($type, stringify!($type), $schema);
    };
}

rounded!(
    /// A percentage with 2 decimals. `from_ratio(1, 4)` is 25 %; `from_f64(25.0)` is 25 % too.
    Percent, 100.0, 10_000, Away,
    { "type": "number", "description": "Percent, at most 2 decimals." }
);

rounded!(
    /// A percentage with 4 decimals, for parts of a small change.
    Percent4, 10_000.0, 1_000_000, Away,
    { "type": "number", "description": "Percent, at most 4 decimals." }
);

rounded!(
    /// A ratio or index with 4 decimals. `from_ratio(1, 4)` and `from_f64(0.25)` are 0.25.
    Ratio4, 10_000.0, 10_000, Away,
    { "type": "number", "description": "Ratio, at most 4 decimals." }
);

rounded!(
    /// A number with 1 decimal, such as a median of days.
    Tenth, 10.0, 10, Away,
    { "type": "number", "description": "Number, at most 1 decimal." }
);

rounded!(
    /// A number with 2 decimals that is not a share, such as a concentration index.
    Hundredth, 100.0, 100, Away,
    { "type": "number", "description": "Number, at most 2 decimals." }
);

rounded!(
    /// Money with 2 decimals that may be an average, a difference or a quantile. `from_ratio` divides **cents** by a
    /// count (`from_ratio(999, 2)` is 5.00). `from_f64` expects units of currency.
    Money, 100.0, 1, Up,
    { "type": "number", "description": "Money in the country's currency, at most 2 decimals." }
);

rounded!(
    /// Money with 4 decimals, for prices per unit. `from_ratio` divides **cents** by a count.
    Money4, 10_000.0, 100, Up,
    { "type": "number", "description": "Money in the country's currency, at most 4 decimals." }
);

impl Money {
    /// Rounds a double in cents, such as a quantile of prices in cents.
    ///
    /// # Panics
    ///
    /// Panics if the value is not finite.
    pub fn from_cents_f64(cents: f64) -> Self {
        Self(nearest(cents))
    }
}

impl From<Cents> for Money {
    fn from(price: Cents) -> Self {
        Self(i64::from(price.get()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn percentages_go_half_away_from_zero() {
        assert_eq!(Percent::from_ratio(800 - 599, 800).get(), 2513);
        assert_eq!(Percent::from_ratio(-1, 800).get(), -13);
        assert_eq!(Percent::from_ratio(1, -800).get(), -13);
        assert_eq!(Percent::from_ratio(-1, -800).get(), 13);
        assert_eq!(Percent::from_ratio(1, 3).get(), 3333);
        assert_eq!(Percent::from_f64(25.125).get(), 2513);
        assert_eq!(Percent::from_f64(-0.125).get(), -13);
    }

    #[test]
    fn money_goes_half_up() {
        assert_eq!(Money::from_ratio(999, 2).get(), 500);
        assert_eq!(Money::from_ratio(-999, 2).get(), -499);
        assert_eq!(Money::from_ratio(-1001, 3).get(), -334);
        assert_eq!(Money::from_cents_f64(499.5).get(), 500);
        assert_eq!(Money::from_f64(4.995_000_1).get(), 500);
        assert_eq!(Money4::from_ratio(499, 355).get(), 141);
        assert_eq!(Money4::from_ratio(1, 200).get(), 1);
    }

    #[test]
    fn ratios_have_four_decimals() {
        assert_eq!(Ratio4::from_ratio(2, 3).get(), 6667);
        assert_eq!(Ratio4::from_f64(0.876_54).get(), 8765);
    }

    #[test]
    fn zero_has_no_sign() {
        for json in [
            serde_json::to_string(&Percent::from_f64(-0.001)).unwrap(),
            serde_json::to_string(&Percent::from_ratio(0, -5)).unwrap(),
            serde_json::to_string(&Money::from_ratio(-1, 1000)).unwrap(),
        ] {
            assert_eq!(json, "0.0");
        }
        assert_eq!(serde_json::to_string(&Percent::new(-13)).unwrap(), "-0.13");
    }

    #[test]
    fn huge_rationals_neither_overflow_nor_panic() {
        assert_eq!(Percent::from_ratio(i128::MAX, i128::MAX).get(), 10_000);
        assert_eq!(Percent::from_ratio(i128::MIN, i128::MAX).get(), -10_000);
        assert_eq!(Percent::from_ratio(i128::MAX / 3, i128::MAX).get(), 3333);
        assert_eq!(Percent::from_ratio(i128::MAX, 1).get(), i64::MAX);
        assert_eq!(Percent::from_ratio(i128::MIN, 1).get(), i64::MIN);
        assert_eq!(Money::from_ratio(i128::MIN, i128::MIN).get(), 1);
    }

    #[test]
    #[should_panic(expected = "denominator")]
    fn panics_on_zero_denominator() {
        let _ = Percent::from_ratio(1, 0);
    }

    proptest! {
        #[test]
        fn close_to_the_naive_quotient(num in -1_000_000_000_i64..1_000_000_000, den in 1_i64..100_000) {
            let (n, d) = (i128::from(num), i128::from(den));
            let naive = num as f64 / den as f64;
            prop_assert!((Percent::from_ratio(n, d).as_f64() - naive * 100.0).abs() <= 0.005_001);
            prop_assert!((Money::from_ratio(n, d).as_f64() * 100.0 - naive).abs() <= 0.500_01);
        }

        #[test]
        fn scaling_both_sides_changes_nothing(num in -10_000_i128..10_000, den in 1_i128..10_000, k in 1_i128..1 << 80) {
            prop_assert_eq!(Percent::from_ratio(num * k, den * k), Percent::from_ratio(num, den));
            prop_assert_eq!(Money::from_ratio(num * k, den * k), Money::from_ratio(num, den));
        }
    }
}
