//! The Jevons index: the geometric mean of price relatives over the products priced in both periods.
//!
//! Logs are added in the order of the products, so one order has one answer. A price that did not move
//! adds exactly nothing, which most do from one period to the next.

use super::exact::Fraction;

/// Fewest products in both periods for a change that is called matched.
pub const MATCHED_BASKET_MIN: u64 = 10;

/// Collects the relatives between two periods.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Jevons {
    matched: u64,
    logs: f64,
}

impl Jevons {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a product's positive prices in the earlier and the later period.
    pub fn add(&mut self, earlier: Fraction, later: Fraction) {
        self.matched += 1;
        if earlier != later {
            self.logs += log_relative(earlier, later);
        }
    }

    /// How many products were added.
    pub const fn matched(&self) -> u64 {
        self.matched
    }

    /// The geometric mean of the relatives, 1 when nothing moved; `None` without products.
    pub fn index(&self) -> Option<f64> {
        (self.matched > 0).then(|| (self.logs / self.matched as f64).exp())
    }

    /// The index, when enough products stand behind it.
    pub fn matched_index(&self) -> Option<f64> {
        self.index().filter(|_| self.matched >= MATCHED_BASKET_MIN)
    }
}

/// later / earlier as two whole numbers. Prices of a window stay far below 2^53, so both are exact in f64.
pub(crate) fn relative(earlier: Fraction, later: Fraction) -> (u128, u128) {
    (u128::from(later.0) * u128::from(earlier.1), u128::from(earlier.0) * u128::from(later.1))
}

/// ln(later / earlier), exactly 0 for equal prices.
pub fn log_relative(earlier: Fraction, later: Fraction) -> f64 {
    // The same numbers in 64 bits, where they fit: a conversion from 128 bits is a call.
    let narrow = (later.0.checked_mul(earlier.1.into()), earlier.0.checked_mul(later.1.into()));
    if let (Some(num), Some(den)) = narrow {
        return if num == den { 0.0 } else { (num as f64 / den as f64).ln() };
    }
    let (num, den) = relative(earlier, later);
    if num == den { 0.0 } else { (num as f64 / den as f64).ln() }
}

/// The geometric mean of the relatives of pairs (earlier, later); `None` without pairs.
pub fn jevons(pairs: impl IntoIterator<Item = (Fraction, Fraction)>) -> Option<f64> {
    let mut index = Jevons::new();
    pairs.into_iter().for_each(|(earlier, later)| index.add(earlier, later));
    index.index()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Test data of the R package `IndexNumR`: four prices in twelve periods and their fixed-base Jevons.
    const PRICES: [[u64; 4]; 12] = [
        [200, 100, 100, 50],
        [175, 50, 95, 55],
        [160, 105, 90, 60],
        [150, 110, 85, 65],
        [145, 112, 40, 70],
        [140, 115, 80, 75],
        [135, 118, 75, 70],
        [130, 60, 72, 65],
        [125, 120, 70, 70],
        [120, 125, 40, 75],
        [115, 128, 70, 75],
        [110, 130, 65, 80],
    ];
    const INDICES: [f64; 12] = [
        1.0,
        0.822_287_308,
        0.975_945_937,
        0.977_133_846,
        0.821_175_558,
        0.991_389_424,
        0.956_299_150,
        0.777_293_640,
        0.925_916_524,
        0.819_036_259,
        0.937_598_229,
        0.928_613_184,
    ];

    #[test]
    fn the_published_vector() {
        for (prices, expected) in PRICES.iter().zip(INDICES) {
            let pairs = PRICES[0].iter().zip(prices).map(|(&base, &price)| ((base, 1), (price, 1)));
            let index = jevons(pairs).unwrap();
            assert!((index - expected).abs() < 1e-9, "{index} {expected}");
        }
    }

    #[test]
    fn small_baskets_are_not_called_matched() {
        let mut index = Jevons::new();
        assert_eq!(index.index(), None);
        for _ in 0..9 {
            index.add((100, 1), (100, 1));
        }
        assert_eq!((index.index(), index.matched_index()), (Some(1.0), None));
        index.add((300, 3), (100, 1));
        assert_eq!((index.matched(), index.matched_index()), (10, Some(1.0)));
    }

    proptest! {
        #[test]
        fn the_laws_of_jevons(
            prices in proptest::collection::vec((1..1_000_000_u64, 1..31_u32, 1..1_000_000_u64, 1..31_u32), 1..40),
            k in 1..1000_u64,
        ) {
            let pairs: Vec<(Fraction, Fraction)> = prices.iter().map(|&(a, m, b, n)| ((a, m), (b, n))).collect();
            let index = jevons(pairs.clone()).unwrap();
            let close = |other: Option<f64>| (other.unwrap() / index - 1.0).abs() < 1e-9;
            prop_assert!(close(jevons(pairs.iter().rev().copied())), "order does not matter");
            prop_assert!(close(jevons(pairs.iter().map(|&((a, m), (b, n))| ((a * k, m), (b * k, n))))), "nor does the unit");
            let back = jevons(pairs.iter().map(|&(earlier, later)| (later, earlier))).unwrap();
            prop_assert!((back * index - 1.0).abs() < 1e-9, "there and back is nothing");
        }
    }
}
