//! The Jevons index: the geometric mean of price relatives over the products priced in both periods.
//!
//! Relatives are multiplied in the order of the products, so the result is reproducible for a given order. One
//! logarithm is computed per 32 relatives. An unchanged price contributes a factor of exactly 1.

/// Minimum number of products priced in both periods for a change that is based on matched products.
pub const MATCHED_BASKET_MIN: u64 = 10;

/// The number of relatives that are multiplied in parallel.
const LANES: usize = 8;
/// The number of relatives multiplied in a lane before its logarithm is taken. A relative of prices between 1 and
/// 2^30 is between 2^-30 and 2^30, so this many factors neither overflow nor underflow.
const FACTORS: usize = 32;

/// The aggregated price relatives between two periods.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Jevons {
    matched: u64,
    logs: f64,
}

impl Jevons {
    /// Compares the prices of products in two periods. Both slices have the same products in the same order; 0 is a
    /// missing price.
    pub fn between(earlier: &[f64], later: &[f64]) -> Self {
        let mut index = Self::default();
        for (earlier, later) in earlier.chunks(LANES * FACTORS).zip(later.chunks(LANES * FACTORS)) {
            let mut products = [1.0; LANES];
            let mut matched = 0_u32;
            for (earlier, later) in earlier.chunks(LANES).zip(later.chunks(LANES)) {
                for ((product, &before), &after) in products.iter_mut().zip(earlier).zip(later) {
                    let both = before > 0.0 && after > 0.0;
                    matched += u32::from(both);
                    *product *= if both { after / before } else { 1.0 };
                }
            }
            index.matched += u64::from(matched);
            // If no price changed, exactly 0 is added.
            index.logs += products.iter().map(|product| product.ln()).sum::<f64>();
        }
        index
    }

    /// The number of products priced in both periods.
    pub const fn matched(&self) -> u64 {
        self.matched
    }

    /// The geometric mean of the relatives, which is 1 if no price changed; `None` without products.
    pub fn index(&self) -> Option<f64> {
        (self.matched > 0).then(|| (self.logs / self.matched as f64).exp())
    }

    /// The index, if it is based on enough products.
    pub fn matched_index(&self) -> Option<f64> {
        self.index().filter(|_| self.matched >= MATCHED_BASKET_MIN)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Test data of the R package `IndexNumR`: four prices in twelve periods, and their fixed-base Jevons index.
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
        let f64s = |prices: &[u64; 4]| prices.map(|price| price as f64);
        for (prices, expected) in PRICES.iter().zip(INDICES) {
            let index = Jevons::between(&f64s(&PRICES[0]), &f64s(prices)).index().unwrap();
            assert!((index - expected).abs() < 1e-9, "{index} {expected}");
        }
    }

    #[test]
    fn small_baskets_are_not_called_matched() {
        assert_eq!(Jevons::default().index(), None);
        let nine = Jevons::between(&[100.0; 9], &[100.0; 9]);
        assert_eq!((nine.index(), nine.matched_index()), (Some(1.0), None));
        let ten = Jevons::between(&[100.0; 12], &[[100.0; 10].as_slice(), &[0.0; 2]].concat());
        assert_eq!((ten.matched(), ten.matched_index()), (10, Some(1.0)));
    }

    #[test]
    fn the_largest_moves_neither_overflow_nor_vanish() {
        for (earlier, later) in [(1.0, 1e9), (1e9, 1.0)] {
            let index = Jevons::between(&[earlier; 1_000], &[later; 1_000]).index().unwrap();
            assert!((index / (later / earlier) - 1.0).abs() < 1e-9, "{index}");
        }
    }

    proptest! {
        #[test]
        fn the_laws_of_jevons(
            prices in proptest::collection::vec((0.0..2.0_f64, 1.0..1e9_f64, 1.0..1e9_f64), 1..900),
            k in 2.0..9.0_f64,
        ) {
            // One price in five is missing.
            let gap = |seen: f64, price: f64| if seen < 0.2 { 0.0 } else { price };
            let earlier: Vec<f64> = prices.iter().map(|&(seen, a, _)| gap(seen, a)).collect();
            let later: Vec<f64> = prices.iter().map(|&(seen, _, b)| gap(2.0 - seen, b)).collect();
            let both: Vec<(f64, f64)> =
                earlier.iter().copied().zip(later.iter().copied()).filter(|&(a, b)| a > 0.0 && b > 0.0).collect();
            let index = Jevons::between(&earlier, &later);
            prop_assert_eq!(index.matched() as usize, both.len());
            let Some(index) = index.index() else { return Ok(()) };
            let close = |other: Option<f64>| (other.unwrap() / index - 1.0).abs() < 1e-9;
            let naive = both.iter().map(|(a, b)| (b / a).ln()).sum::<f64>() / both.len() as f64;
            prop_assert!(close(Some(naive.exp())), "the mean of the logs");
            let reversed = |prices: &[f64]| prices.iter().rev().copied().collect::<Vec<f64>>();
            prop_assert!(close(Jevons::between(&reversed(&earlier), &reversed(&later)).index()), "in any order");
            let scaled = |prices: &[f64]| prices.iter().map(|price| price * k).collect::<Vec<f64>>();
            prop_assert!(close(Jevons::between(&scaled(&earlier), &scaled(&later)).index()), "in any unit");
            let back = Jevons::between(&later, &earlier).index().unwrap();
            prop_assert!((back * index - 1.0).abs() < 1e-9, "there and back is nothing");
        }
    }
}
