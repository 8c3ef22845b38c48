//! Exact means and medians of integers and of fractions.
//!
//! A product's price in a period is the mean of its daily prices, `sum / count`. The mean of such means over products
//! is a rational whose denominator is the least common multiple of a few small counts. Sums are therefore kept
//! separately by count and combined once, at the end. Results are `(numerator, denominator)` pairs with a positive
//! denominator, and the caller rounds them.

use std::cmp::Ordering;

/// A mean of prices: their sum in cents, and their number, which is positive.
pub type Fraction = (u64, u32);

/// An exact rational with a positive denominator, not necessarily reduced.
pub type Rational = (i128, i128);

/// Counts below this number have a fixed slot. The slots cover the days of a month.
const SLOTS: usize = 32;

/// The denominator, 2^20, of a mean that is computed in f64 because exact arithmetic overflows.
const FALLBACK_DENOMINATOR: i128 = 1 << 20;

/// Collects fractions for their exact mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeanOfMeans {
    len: u64,
    /// Sum of the numerators by denominator, for denominators below [`SLOTS`].
    small: [u128; SLOTS],
    /// The sums for larger denominators, in ascending order of the denominator.
    large: Vec<(u32, u128)>,
}

impl Default for MeanOfMeans {
    fn default() -> Self {
        Self { len: 0, small: [0; SLOTS], large: Vec::new() }
    }
}

impl MeanOfMeans {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one product's `sum / count`. `count` must not be zero.
    pub fn add(&mut self, sum: u64, count: u32) {
        debug_assert!(count > 0, "a mean of nothing");
        self.len += 1;
        if let Some(slot) = self.small.get_mut(count as usize) {
            *slot += u128::from(sum);
            return;
        }
        match self.large.binary_search_by_key(&count, |(count, _)| *count) {
            Ok(at) => self.large[at].1 += u128::from(sum),
            Err(at) => self.large.insert(at, (count, u128::from(sum))),
        }
    }

    /// The number of fractions that were added.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether no fraction was added.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The exact mean; `None` if no fraction was added.
    ///
    /// With counts of up to 31 the mean is always exact. The common multiple of many different large counts may
    /// exceed i128. The mean is then computed in f64 and returned with the denominator 2^20, which is accurate to a
    /// millionth of a cent.
    pub fn ratio(&self) -> Option<Rational> {
        (self.len > 0).then(|| self.exact().unwrap_or_else(|| self.approximate()))
    }

    /// The counts with a sum above 0, ascending, each with this sum. Together with [`MeanOfMeans::len`] they are the
    /// complete state of the collection, so that it can be stored.
    pub fn groups(&self) -> impl Iterator<Item = (u32, u128)> + '_ {
        let small = self.small.iter().zip(0..).map(|(&sum, count)| (count, sum));
        small.chain(self.large.iter().copied()).filter(|&(count, sum)| count > 0 && sum > 0)
    }

    /// Restores a collection from [`MeanOfMeans::groups`]. Counts must ascend.
    pub fn of_groups(len: u64, groups: impl IntoIterator<Item = (u32, u128)>) -> Self {
        let mut all = Self { len, ..Self::default() };
        for (count, sum) in groups {
            match all.small.get_mut(count as usize) {
                Some(slot) => *slot = sum,
                None => all.large.push((count, sum)),
            }
        }
        all
    }

    fn exact(&self) -> Option<Rational> {
        let multiple = self
            .groups()
            .map(|(count, _)| u128::from(count))
            .try_fold(1, |multiple: u128, count| (multiple / gcd(multiple, count)).checked_mul(count))?;
        let sum = self.groups().try_fold(0, |total: u128, (count, sum)| {
            total.checked_add(sum.checked_mul(multiple / u128::from(count))?)
        })?;
        let den = multiple.checked_mul(u128::from(self.len))?;
        let common = gcd(sum, den).max(1);
        Some((i128::try_from(sum / common).ok()?, i128::try_from(den / common).ok()?))
    }

    fn approximate(&self) -> Rational {
        let sum: f64 = self.groups().map(|(count, sum)| sum as f64 / f64::from(count)).sum();
        let scaled = sum / self.len as f64 * FALLBACK_DENOMINATOR as f64;
        (scaled.round() as i128, FALLBACK_DENOMINATOR)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Compares two fractions exactly.
pub fn compare(a: Fraction, b: Fraction) -> Ordering {
    if (a.0 | b.0) >> 32 == 0 {
        return (a.0 * u64::from(b.1)).cmp(&(b.0 * u64::from(a.1)));
    }
    let left = u128::from(a.0) * u128::from(b.1);
    left.cmp(&(u128::from(b.0) * u128::from(a.1)))
}

/// Converts a fraction to a rational.
pub fn rational((sum, count): Fraction) -> Rational {
    (i128::from(sum), i128::from(count))
}

/// The quotient of two positive rationals, exact if it fits into i128.
///
/// Common factors are cancelled first. If the result still does not fit, the quotient is computed in f64 and returned
/// with the denominator 2^60.
///
/// # Panics
///
/// Panics if the divisor is zero.
pub fn quotient((a, b): Rational, (c, d): Rational) -> Rational {
    assert!(c != 0, "a quotient needs a divisor");
    let cancel = |x: i128, y: i128| {
        let common = gcd(x.unsigned_abs(), y.unsigned_abs()).max(1) as i128;
        (x / common, y / common)
    };
    let ((num, c), (d, den)) = (cancel(a, c), cancel(d, b));
    if let (Some(num), Some(den)) = (num.checked_mul(d), den.checked_mul(c)) {
        return (num, den);
    }
    let scale = (1_i128 << 60) as f64;
    ((num as f64 / den as f64 * (d as f64 / c as f64) * scale).round() as i128, 1 << 60)
}

/// The exact median: the middle fraction, or the mean of the two middle fractions. Reorders the slice.
pub fn median(fractions: &mut [Fraction]) -> Option<Rational> {
    if fractions.is_empty() {
        return None;
    }
    let even = fractions.len().is_multiple_of(2);
    let order = |a: &Fraction, b: &Fraction| compare(*a, *b);
    let (below, high, _) = fractions.select_nth_unstable_by(fractions.len() / 2, order);
    let (c, d) = rational(*high);
    match below.iter().copied().max_by(order).filter(|_| even) {
        None => Some((c, d)),
        Some(low) => {
            let (a, b) = rational(low);
            Some((a * d + c * b, 2 * b * d))
        }
    }
}

/// The exact median of integer cents. Reorders the slice.
pub fn median_of_cents(cents: &mut [u32]) -> Option<Rational> {
    if cents.is_empty() {
        return None;
    }
    let even = cents.len().is_multiple_of(2);
    let (below, high, _) = cents.select_nth_unstable(cents.len() / 2);
    let high = i128::from(*high);
    match below.iter().max().filter(|_| even) {
        Some(&low) => Some((i128::from(low) + high, 2)),
        None => Some((high, 1)),
    }
}

/// The exact median of ascending cents.
pub fn median_of_sorted(cents: &[u32]) -> Option<Rational> {
    let high = *cents.get(cents.len() / 2)?;
    let low = cents[(cents.len() - 1) / 2];
    Some((i128::from(low) + i128::from(high), 2))
}

/// The exact mean of integer cents.
pub fn mean_of_cents(cents: &[u32]) -> Option<Rational> {
    let sum: u64 = cents.iter().map(|&price| u64::from(price)).sum();
    (!cents.is_empty()).then(|| (i128::from(sum), cents.len() as i128))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The median, computed by sorting.
    fn sorted_median(all: &[Fraction]) -> Option<Rational> {
        let mut sorted = all.to_vec();
        sorted.sort_by(|a, b| compare(*a, *b));
        let high = rational(*sorted.get(sorted.len() / 2)?);
        if sorted.len() % 2 == 1 {
            return Some(high);
        }
        let low = rational(sorted[sorted.len() / 2 - 1]);
        Some((low.0 * high.1 + high.0 * low.1, 2 * low.1 * high.1))
    }

    fn fractions(counts: std::ops::Range<u32>) -> impl Strategy<Value = Vec<Fraction>> {
        proptest::collection::vec((1..1_000_000_000_u64, counts), 1..60)
    }

    fn compare_rational((a, b): Rational, (c, d): Rational) -> Ordering {
        let reduced = |x: i128, y: i128| {
            let common = gcd(x.unsigned_abs(), y.unsigned_abs()) as i128;
            (x / common, y / common)
        };
        if reduced(a, b) == reduced(c, d) { Ordering::Equal } else { Ordering::Less }
    }

    fn value((num, den): Rational) -> f64 {
        num as f64 / den as f64
    }

    fn mean(fractions: &[Fraction]) -> MeanOfMeans {
        let mut mean = MeanOfMeans::new();
        for &(sum, count) in fractions {
            mean.add(sum, count);
        }
        mean
    }

    #[test]
    fn thirds_and_halves_meet_exactly() {
        assert_eq!(mean(&[(1, 2), (1, 3), (1, 6)]).ratio(), Some((1, 3)));
        assert_eq!(mean(&[(999, 1), (1000, 1)]).ratio(), Some((1999, 2)));
        assert_eq!(mean(&[]).ratio(), None);
        assert_eq!(mean(&[(0, 5)]).ratio(), Some((0, 1)));
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut [(3, 1), (1, 2), (5, 3)]), Some((5, 3)));
        assert_eq!(median(&mut [(1, 2), (1, 3)]), Some((5, 12)));
        assert_eq!(median(&mut []), None);
        assert_eq!(median_of_cents(&mut [5, 1, 4]), Some((4, 1)));
        assert_eq!(median_of_cents(&mut [5, 1, 4, 4]), Some((8, 2)));
        assert_eq!(median_of_cents(&mut []), None);
        assert_eq!(mean_of_cents(&[1, 2]), Some((3, 2)));
        assert_eq!(mean_of_cents(&[]), None);
    }

    #[test]
    fn absurd_counts_fall_back_without_panicking() {
        let all: Vec<Fraction> = (1000..1100).map(|count| (u64::MAX, count)).collect();
        let naive = all.iter().map(|&(sum, count)| sum as f64 / f64::from(count)).sum::<f64>() / 100.0;
        assert!((value(mean(&all).ratio().unwrap()) / naive - 1.0).abs() < 1e-12);
    }

    #[test]
    fn quotients() {
        assert_eq!(quotient((3, 4), (9, 8)), (2, 3));
        assert_eq!(quotient((0, 4), (9, 8)).0, 0);
        let huge = ((1_i128 << 100) + 1, (1_i128 << 99) - 1);
        assert!((value(quotient(huge, (huge.1, huge.0 + 2))) - 4.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_mean_is_the_naive_one(all in fractions(1..1100)) {
            let naive = all.iter().map(|&(sum, count)| sum as f64 / f64::from(count)).sum::<f64>() / all.len() as f64;
            prop_assert!((value(mean(&all).ratio().unwrap()) / naive - 1.0).abs() < 1e-9);
        }

        #[test]
        fn the_order_does_not_matter(all in fractions(1..40)) {
            let backwards: Vec<Fraction> = all.iter().rev().copied().collect();
            prop_assert_eq!(mean(&all), mean(&backwards));
            let stored = MeanOfMeans::of_groups(mean(&all).len(), mean(&all).groups());
            prop_assert_eq!(stored.ratio(), mean(&all).ratio());
            let mut shuffled = backwards;
            prop_assert_eq!(median(&mut shuffled).map(value), median(&mut all.clone()).map(value));
        }

        #[test]
        fn scaling_scales(all in fractions(1..31), k in 2..1000_u64) {
            let scaled: Vec<Fraction> = all.iter().map(|&(sum, count)| (sum * k, count)).collect();
            let ((a, b), (c, d)) = (mean(&all).ratio().unwrap(), mean(&scaled).ratio().unwrap());
            let common = gcd((a * i128::from(k)) as u128, b as u128) as i128;
            prop_assert_eq!((a * i128::from(k) / common, b / common), (c, d));
        }

        #[test]
        fn the_median_is_that_of_sorting(
            all in proptest::collection::vec((1..40_000_u64, 1..9_u32), 510..572_usize),
            spread in prop_oneof![Just(1_u64), Just(1 << 30), Just(1 << 45)],
        ) {
            let all: Vec<Fraction> = all.into_iter().map(|(sum, count)| (sum * spread, count)).collect();
            let (found, sorted) = (median(&mut all.clone()).unwrap(), sorted_median(&all).unwrap());
            // Only the values are compared, because equal fractions may have different numerators and denominators.
            prop_assert_eq!(compare_rational(found, sorted), Ordering::Equal);
        }

        #[test]
        fn extremes_and_median_are_ordered(all in fractions(1..31)) {
            let order = |a: &Fraction, b: &Fraction| compare(*a, *b);
            let low = all.iter().copied().min_by(order).unwrap();
            let high = all.iter().copied().max_by(order).unwrap();
            prop_assert!(all.iter().all(|&x| compare(low, x).is_le() && compare(x, high).is_le()));
            let (num, den) = median(&mut all.clone()).unwrap();
            prop_assert!(rational(low).0 * den <= num * rational(low).1);
            prop_assert!(rational(high).0 * den >= num * rational(high).1);
        }
    }
}
