//! Prices of many products in one period, and their changes to the next period.
//!
//! A product's price is the quotient of two integers, `sum / days`, stored as the nearest f64; 0 means that there is
//! no price. Sums are below 2^36 and days below 32, so two different quotients always have different f64. Comparing
//! the f64 therefore compares the quotients, and `price × days`, rounded to the nearest integer, is the sum. Positive
//! f64 have the same order as their bit patterns, so bit patterns are compared. Results are exact rationals.

use std::ops::Range;

use super::exact::{Fraction, MeanOfMeans, Rational, rational};

/// The exclusive maximum of the number of days of a price.
pub const DAYS_BELOW: usize = 32;

/// The number of low bits of a price (as f64) that do not affect its bucket. A bucket is 1/128 of an octave wide.
const BUCKET_SHIFT: u32 = 45;
/// The number of octaves that the buckets cover, from a price of 1 cent upwards.
const OCTAVES: usize = 36;
/// The number of buckets. Bucket 0 is for missing prices.
const BUCKETS: usize = 1 + (OCTAVES << 7);
/// The products of a period. Product `i` is the same product in all cross-sections of a panel.
#[derive(Debug, Clone, Copy)]
pub struct CrossSection<'a> {
    /// Mean price in cents; 0 for a product without a price.
    pub prices: &'a [f64],
    /// Number of days of each price; 0 for a product without a price.
    pub days: &'a [u8],
}

/// Exact statistics of a cross-section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceLevel {
    /// Number of products with a price.
    pub products: u32,
    /// Total number of days of these prices.
    pub observations: u64,
    /// Mean price over products, in cents.
    pub mean: Rational,
    /// Lowest price, in cents.
    pub min: Rational,
    /// Highest price, in cents.
    pub max: Rational,
    /// Median price over products, in cents.
    pub median: Rational,
}

/// The f64 nearest to a product's mean price; 0 for zero days.
pub fn price(sum: u64, days: u8) -> f64 {
    sum as f64 / f64::from(days.max(1))
}

impl CrossSection<'_> {
    /// A product's price as an exact fraction; `None` if it has no price.
    pub fn fraction(&self, at: usize) -> Option<Fraction> {
        let days = self.days[at];
        (days > 0).then(|| (sum(self.prices[at], days), days.into()))
    }

    /// Number of products with a price.
    pub fn products(&self) -> u32 {
        self.days.iter().map(|&days| u32::from(days > 0)).sum()
    }

    /// The statistics of the prices; `None` if there are no prices.
    pub fn level(&self) -> Option<PriceLevel> {
        let counted = Counted::of(self);
        let products: u64 = counted.products[1..].iter().sum();
        if products == 0 {
            return None;
        }
        let mean = MeanOfMeans::of_groups(products, (0..).zip(counted.sums.map(u128::from)).skip(1));
        let Order { min, low, high, max } = self.order(&counted.buckets, products / 2)?;
        let ((a, b), (c, d)) = (low, high);
        Some(PriceLevel {
            products: products as u32,
            observations: (0..)
                .zip(counted.products)
                .map(|(days, products): (u64, u64)| days * products)
                .sum(),
            mean: mean.ratio()?,
            min,
            max,
            median: if products.is_multiple_of(2) { (a * d + c * b, 2 * b * d) } else { high },
        })
    }

    /// The order statistics around a rank. Counting finds the bucket of the rank, and selection finds the price in
    /// the bucket.
    fn order(&self, buckets: &[u32], rank: u64) -> Option<Order> {
        let held = |bucket: &usize| buckets[*bucket] > 0;
        let (lowest, highest) = ((1..BUCKETS).find(held)?, (1..BUCKETS).rfind(held)?);
        let (mut chosen, mut before) = (lowest, 0);
        while before + u64::from(buckets[chosen]) <= rank {
            before += u64::from(buckets[chosen]);
            chosen += 1;
        }
        // The previous rank may be in the previous non-empty bucket.
        let lower = (1..chosen).rfind(held).unwrap_or(chosen);
        let mut near = self.near(lowest, lower..chosen + 1, highest);
        let (min, max) = (*near.iter().min()?, *near.iter().max()?);
        let below = near.iter().filter(|(bits, _)| f64::from_bits(*bits) < begin(chosen)).count();
        let (below, &mut high, _) = near.select_nth_unstable(below + (rank - before) as usize);
        let low = below.iter().max().copied().unwrap_or(high);
        Some(Order { min: exact(min), low: exact(low), high: exact(high), max: exact(max) })
    }

    /// The bits and days of the prices in the lowest and the highest non-empty bucket and in the `middle` buckets.
    fn near(&self, lowest: usize, middle: Range<usize>, highest: usize) -> Vec<(u64, u8)> {
        let (low, from, to, high) =
            (begin(lowest + 1), begin(middle.start), begin(middle.end), begin(highest));
        let mut near = Vec::new();
        for (&price, &days) in self.prices.iter().zip(self.days) {
            // Evaluated without short-circuiting, because few prices match.
            #[allow(clippy::needless_bitwise_bool)]
            let takes = (price < low) | (price >= high) | ((price >= from) & (price < to));
            if takes && days > 0 {
                near.push((price.to_bits(), days));
            }
        }
        near
    }
}

/// The lowest price, the price at a rank, the price at the previous rank, and the highest price.
struct Order {
    min: Rational,
    low: Rational,
    high: Rational,
    max: Rational,
}

/// The counts of one pass over a cross-section.
struct Counted {
    /// Number of products, by number of days. Index 0 counts products without a price.
    products: [u64; DAYS_BELOW],
    /// Sums of daily prices, by number of days.
    sums: [u64; DAYS_BELOW],
    /// Number of products by bucket.
    buckets: Vec<u32>,
}

impl Counted {
    fn of(section: &CrossSection<'_>) -> Self {
        let mut counted =
            Self { products: [0; DAYS_BELOW], sums: [0; DAYS_BELOW], buckets: vec![0; BUCKETS] };
        // Most products have as many days as the previous product, so counts are accumulated in local variables.
        let (mut run, mut products, mut total) = (0, 0, 0);
        for (&price, &days) in section.prices.iter().zip(section.days) {
            if days != run {
                counted.add(run, products, total);
                (run, products, total) = (days, 0, 0);
            }
            products += 1;
            total += sum(price, days);
            counted.buckets[bucket(price)] += 1;
        }
        counted.add(run, products, total);
        counted
    }

    /// Adds products with `days` days each.
    fn add(&mut self, days: u8, products: u64, sum: u64) {
        let slot = usize::from(days) % DAYS_BELOW;
        self.products[slot] += products;
        self.sums[slot] += sum;
    }
}

/// The exact fraction of a price, from its bits and days.
fn exact((bits, days): (u64, u8)) -> Rational {
    rational((sum(f64::from_bits(bits), days), days.into()))
}

/// The sum of the daily prices behind a mean price.
fn sum(price: f64, days: u8) -> u64 {
    // Every f64 from 2^52 on is an integer. Adding 2^52 therefore rounds to an integer, and the difference of the bit
    // patterns is this integer.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    (price * f64::from(days) + WHOLE).to_bits() - WHOLE.to_bits()
}

/// Subtracted from the high bits of a price, so that the first bucket has number 1.
const BELOW_FIRST: u64 = (1_f64.to_bits() >> BUCKET_SHIFT) - 1;

/// The bucket of a price; 0 for a missing price.
fn bucket(price: f64) -> usize {
    ((price.to_bits() >> BUCKET_SHIFT).saturating_sub(BELOW_FIRST) as usize).min(BUCKETS - 1)
}

/// The lowest price of a bucket. The bucket must be at least 1.
fn begin(bucket: usize) -> f64 {
    f64::from_bits((bucket as u64 + BELOW_FIRST) << BUCKET_SHIFT)
}

/// The products priced in both of two cross-sections, as (earlier, later) prices.
pub fn matched<'a>(
    earlier: CrossSection<'a>,
    later: CrossSection<'a>,
) -> impl Iterator<Item = (Fraction, Fraction)> + 'a {
    (0..earlier.prices.len()).filter_map(move |at| Some((earlier.fraction(at)?, later.fraction(at)?)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::exact;

    /// Converts (sum, days) pairs to prices and days.
    fn section(cells: &[Fraction]) -> (Vec<f64>, Vec<u8>) {
        cells.iter().map(|&(sum, days)| (price(sum, days as u8), days as u8)).unzip()
    }

    fn same((a, b): Rational, (c, d): Rational) -> bool {
        a * d == c * b
    }

    #[test]
    fn by_hand() {
        let (prices, days) = section(&[(30, 3), (0, 0), (25, 2), (7, 7), (40, 4)]);
        let level = CrossSection { prices: &prices, days: &days }.level().unwrap();
        assert_eq!((level.products, level.observations), (4, 16));
        assert_eq!((level.min, level.max), ((7, 7), (25, 2)));
        assert!(same(level.median, (10, 1)) && same(level.mean, (67, 8)));
        let empty = CrossSection { prices: &[0.0, 0.0], days: &[0, 0] };
        assert_eq!((empty.level(), empty.products()), (None, 0));
    }

    /// Sums and days at both ends of their ranges, and many equal values. Some products have no price.
    fn cells() -> impl Strategy<Value = Vec<Fraction>> {
        let some = |sums: std::ops::Range<u64>| {
            (sums, 1..32_u32).prop_map(|(sum, days)| (sum + u64::from(days), days))
        };
        let cell = prop_oneof![
            1 => Just((0, 0)),
            4 => some(0..40),
            4 => some(0..200_000),
            2 => some(30_000_000_000..30_999_999_000),
        ];
        proptest::collection::vec(cell, 1..90)
    }

    proptest! {
        #[test]
        fn the_level_is_that_of_fractions(cells in cells()) {
            let (prices, days) = section(&cells);
            let section = CrossSection { prices: &prices, days: &days };
            let mut own: Vec<Fraction> = cells.iter().copied().filter(|cell| cell.1 > 0).collect();
            prop_assert_eq!(section.products() as usize, own.len());
            let Some(level) = section.level() else {
                prop_assert!(own.is_empty());
                return Ok(());
            };
            let mut mean = MeanOfMeans::new();
            for &(sum, days) in &own {
                mean.add(sum, days);
            }
            prop_assert_eq!(Some(level.mean), mean.ratio());
            prop_assert_eq!(level.observations, own.iter().map(|cell| u64::from(cell.1)).sum::<u64>());
            let order = |a: &Fraction, b: &Fraction| exact::compare(*a, *b);
            prop_assert!(same(level.min, rational(own.iter().copied().min_by(order).unwrap())));
            prop_assert!(same(level.max, rational(own.iter().copied().max_by(order).unwrap())));
            prop_assert!(same(level.median, exact::median(&mut own).unwrap()));
        }

        #[test]
        fn a_price_remembers_its_sum(days in 1..32_u8, cents in 1..1_000_000_000_u64, more in 0..1_000_u64) {
            let whole = cents * u64::from(days) + more;
            prop_assert_eq!(sum(price(whole, days), days), whole);
        }

        #[test]
        fn different_prices_have_different_bits(
            a in 1..31_000_000_000_u64, m in 1..32_u8, n in 1..32_u8, off in 0..3_u64,
        ) {
            // Fractions with the denominator n that are near a / m.
            let b = (a * u64::from(n) / u64::from(m) + off).max(1);
            let order = exact::compare((a, m.into()), (b, n.into()));
            prop_assert_eq!(price(a, m).to_bits().cmp(&price(b, n).to_bits()), order);
        }
    }

    #[test]
    fn matching_keeps_products_of_both() {
        let (before, before_days) = section(&[(10, 1), (0, 0), (20, 2), (50, 1)]);
        let (after, after_days) = section(&[(0, 0), (1, 1), (66, 3), (55, 1)]);
        let earlier = CrossSection { prices: &before, days: &before_days };
        let later = CrossSection { prices: &after, days: &after_days };
        let pairs: Vec<_> = matched(earlier, later).collect();
        assert_eq!(pairs, [((20, 2), (66, 3)), ((50, 1), (55, 1))]);
    }
}
