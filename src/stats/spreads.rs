//! Price differences between the sellers of the same product.
//!
//! A product counts if at least two sellers offer it, and each seller counts with its lowest price. All values are
//! exact: products are ordered by their spread as a fraction, and averages are kept as sums of integers, so that they
//! can be stored with the order and loaded again without loss.

use std::borrow::Cow;

use super::exact::{self, Fraction, MeanOfMeans, Rational};
use super::mean_of_ratios::MeanOfRatios;
use super::quantile::quantile_by;

/// A seller's price of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SellerPrice {
    /// Identifier of the product.
    pub product: u32,
    /// Price in cents, positive.
    pub cents: u32,
    /// Identifier of the seller.
    pub seller: u16,
}

/// The spreads of products across sellers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spreads<'a> {
    /// The lowest price of each product, in cents. Products are in ascending order of (highest − lowest) / lowest,
    /// then of the lowest price.
    pub lowest: Cow<'a, [u32]>,
    /// The price of the most expensive seller of each product, in cents, in the order of `lowest`.
    pub highest: Cow<'a, [u32]>,
    /// The distances from the lowest price of each product to its second-lowest price, as fractions of the lowest
    /// price.
    pub gaps: MeanOfRatios,
    /// The savings of the lowest price of each product against the mean price of all its sellers, in cents.
    pub savings: MeanOfMeans,
}

impl Spreads<'_> {
    /// Computes the spreads of offers, which may be in any order.
    pub fn of(mut offers: Vec<SellerPrice>) -> Self {
        offers.sort_unstable();
        let mut ends: Vec<(u32, u32)> = Vec::new();
        let (mut gaps, mut savings) = (MeanOfRatios::default(), MeanOfMeans::new());
        let mut cheapest: Vec<SellerPrice> = Vec::new();
        for product in offers.chunk_by(|a, b| a.product == b.product).filter(|product| product.len() > 1) {
            // The lowest price of each seller, cheapest first.
            cheapest.clear();
            cheapest.extend_from_slice(product);
            cheapest.sort_unstable_by_key(|offer| (offer.seller, offer.cents));
            cheapest.dedup_by_key(|offer| offer.seller);
            cheapest.sort_unstable();
            let [lowest, second, ..] = cheapest[..] else { continue };
            let highest = cheapest[cheapest.len() - 1].cents;
            let sum: u64 = cheapest.iter().map(|offer| u64::from(offer.cents)).sum();
            let sellers = cheapest.len() as u32;
            gaps.add(second.cents - lowest.cents, lowest.cents);
            savings.add(sum - u64::from(sellers) * u64::from(lowest.cents), sellers);
            ends.push((lowest.cents, highest));
        }
        ends.sort_unstable_by(|&a, &b| exact::compare(spread(a), spread(b)).then(a.0.cmp(&b.0)));
        let (lowest, highest): (Vec<u32>, Vec<u32>) = ends.into_iter().unzip();
        Self { lowest: lowest.into(), highest: highest.into(), gaps, savings }
    }

    /// Number of products.
    pub fn len(&self) -> usize {
        self.lowest.len()
    }

    /// Whether there are no products.
    pub fn is_empty(&self) -> bool {
        self.lowest.is_empty()
    }

    /// The exact median spread, as a fraction of the lowest price; `None` without products.
    pub fn median(&self) -> Option<Rational> {
        let at = |rank: usize| exact::rational(self.spread(rank));
        let ((a, b), (c, d)) = match self.len() {
            0 => return None,
            len if len % 2 == 1 => return Some(at(len / 2)),
            len => (at(len / 2 - 1), at(len / 2)),
        };
        Some((a * d + c * b, 2 * b * d))
    }

    /// The type 7 quantile of spreads, as a fraction of the lowest price; `None` without products.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let at = |rank: usize| {
            let (num, den) = self.spread(rank);
            num as f64 / f64::from(den)
        };
        (!self.is_empty()).then(|| quantile_by(self.len(), p, at))
    }

    fn spread(&self, rank: usize) -> Fraction {
        spread((self.lowest[rank], self.highest[rank]))
    }
}

/// (highest − lowest) / lowest.
fn spread((lowest, highest): (u32, u32)) -> Fraction {
    (u64::from(highest - lowest), lowest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn offers(all: &[(u32, u16, u32)]) -> Vec<SellerPrice> {
        all.iter().map(|&(product, seller, cents)| SellerPrice { product, cents, seller }).collect()
    }

    #[test]
    fn a_product_needs_two_sellers() {
        let spreads = Spreads::of(offers(&[(1, 0, 7), (1, 0, 9), (2, 1, 5)]));
        assert_eq!((spreads.len(), spreads.median(), spreads.quantile(0.9)), (0, None, None));
        let spreads = Spreads::of(offers(&[(1, 0, 1_000_000_000), (1, 1, 1_000_000_000)]));
        assert_eq!((spreads.median(), spreads.savings.ratio()), (Some((0, 1_000_000_000)), Some((0, 1))));
    }

    #[test]
    fn a_seller_counts_with_its_lowest_price() {
        let all = [(1, 0, 150), (1, 0, 100), (1, 1, 150), (9, 4, 400), (9, 3, 200), (9, 5, 300), (9, 3, 999)];
        let spreads = Spreads::of(offers(&all));
        assert_eq!((&spreads.lowest[..], &spreads.highest[..]), (&[100, 200][..], &[150, 400][..]));
        assert_eq!(spreads.median(), Some((50 * 200 + 200 * 100, 2 * 100 * 200)));
        assert!((spreads.quantile(0.9).unwrap() - 0.95).abs() < 1e-12);
        assert_eq!(spreads.gaps.ratio(2), Some((2, 4)));
        // (25.00 + 100.00) / 2 in cents.
        assert_eq!(spreads.savings.ratio(), Some((125, 2)));
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_spreads_ascend(
            all in proptest::collection::vec((0..9_u32, 0..4_u16, 1..60_u32), 0..60),
        ) {
            let forwards = offers(&all);
            let mut backwards = forwards.clone();
            backwards.reverse();
            let spreads = Spreads::of(forwards);
            prop_assert_eq!(&spreads, &Spreads::of(backwards));
            let mut sorted: Vec<Fraction> = (0..spreads.len()).map(|rank| spreads.spread(rank)).collect();
            prop_assert!(sorted.is_sorted_by(|a, b| exact::compare(*a, *b).is_le()));
            let value = |(num, den): Rational| num as f64 / den as f64;
            let (found, slow) = (spreads.median().map(value), exact::median(&mut sorted).map(value));
            prop_assert_eq!(found, slow);
        }
    }
}
