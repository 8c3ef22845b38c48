//! Compares the band with a naive one that takes every logarithm, and checks that no tier is empty.

use proptest::prelude::*;

use super::super::quantile::{median_mut, quantile_sorted};
use super::*;

fn naive_sigma(cents: &[u32]) -> f64 {
    let x: Vec<f64> = cents.iter().map(|&price| f64::from(price).ln()).collect();
    let middle = quantile_sorted(&x, 0.5).unwrap();
    let mut deviations: Vec<f64> = x.iter().map(|x| (x - middle).abs()).collect();
    let mad = median_mut(&mut deviations).unwrap();
    if mad > 0.0 {
        return 1.4826 * mad;
    }
    (quantile_sorted(&x, 0.75).unwrap() - quantile_sorted(&x, 0.25).unwrap()) / 1.349
}

#[test]
fn one_price_has_no_width() {
    let spread = Spread::of_sorted(&[500; 40]).unwrap();
    assert!(!spread.has_width());
    assert!((spread.median - 500.0).abs() < 1e-9);
    assert_eq!(Spread::of_sorted(&[]), None);
}

#[test]
fn the_quartiles_step_in_when_half_the_prices_are_alike() {
    let mut cents = vec![100; 6];
    cents.extend([200; 4]);
    let spread = Spread::of_sorted(&cents).unwrap();
    assert!((spread.sigma - 2_f64.ln() / 1.349).abs() < 1e-12);
}

#[test]
fn bands_stay_in_their_range() {
    let of =
        |sigma| Spread { products: 1, p05: 1.0, median: 1.0, p95: 1.0, sigma, tiers: [1.0; 4] }.half_width();
    assert_eq!(of(0.01), HalfWidth { pct: 5.0, clamped: true });
    assert_eq!(of(9.0), HalfWidth { pct: 100.0, clamped: true });
    let half = of(0.5);
    assert!(!half.clamped && (half.pct - 28.402_541_668).abs() < 1e-6);
    let (lower, upper) = HalfWidth { pct: 25.0, clamped: false }.around(100.0);
    assert!((lower - 80.0).abs() < 1e-9 && (upper - 125.0).abs() < 1e-9);
}

#[test]
fn tiers_by_hand() {
    let cents: Vec<u32> = (1..=10).map(|i| i * 100).collect();
    assert_eq!(tier_edges(&cents, &[280.0, 460.4, 460.2, 820.5]), [280, 460, 821]);
    assert_eq!(tier_edges(&cents, &[50.0, 1200.0]), [0_u32; 0]);
    assert_eq!(tier_edges(&cents, &[50.0, 900.0, 1000.0]), [900]);
    assert_eq!(tier_edges(&[100; 10], &[100.0; 4]), [0_u32; 0]);
    assert_eq!(tier_edges(&[], &[100.0]), [0_u32; 0]);
    let edges = [280, 460];
    assert_eq!([100, 280, 281, 460, 461].map(|price| tier_of(&edges, price)), [0, 0, 1, 1, 2]);
}

#[test]
fn tiers_are_named_from_the_top() {
    assert_eq!(tier_names(5), TIER_NAMES);
    assert_eq!(tier_names(3), ["mid", "premium", "luxury"]);
    assert_eq!(tier_names(2), ["premium", "luxury"]);
    assert_eq!(tier_names(1), ["mid"]);
}

fn prices() -> impl Strategy<Value = Vec<u32>> {
    let few = proptest::collection::vec(1..8_u32, 1..40);
    let many = proptest::collection::vec(1..1_000_000_u32, 1..80);
    prop_oneof![few, many].prop_map(|mut cents| {
        cents.sort_unstable();
        cents
    })
}

proptest! {
    #[test]
    fn the_deviation_is_the_naive_one(cents in prices()) {
        let sigma = Spread::of_sorted(&cents).unwrap().sigma;
        let naive = naive_sigma(&cents);
        prop_assert!((sigma - naive).abs() <= 1e-12 * naive.max(1.0), "{} {}", sigma, naive);
        prop_assert_eq!(sigma > 0.0, naive > 0.0);
    }

    #[test]
    fn no_tier_is_empty(cents in prices()) {
        let spread = Spread::of_sorted(&cents).unwrap();
        for boundaries in [spread.tiers, spread.tiers_at(spread.median * 1.7)] {
            let edges = tier_edges(&cents, &boundaries);
            prop_assert!(edges.windows(2).all(|pair| pair[0] < pair[1]));
            let mut counts = vec![0; edges.len() + 1];
            for &price in &cents {
                counts[tier_of(&edges, price)] += 1;
            }
            prop_assert!(counts.iter().all(|&count| count > 0), "{:?} {:?}", edges, counts);
            prop_assert_eq!(tier_names(counts.len()).len(), counts.len());
        }
    }

    #[test]
    fn scaling_moves_the_middle_and_not_the_width(cents in prices(), k in 2..1000_u32) {
        let scaled: Vec<u32> = cents.iter().map(|&price| price * k).collect();
        let (a, b) = (Spread::of_sorted(&cents).unwrap(), Spread::of_sorted(&scaled).unwrap());
        prop_assert!((b.median / a.median / f64::from(k) - 1.0).abs() < 1e-9);
        prop_assert!((a.sigma - b.sigma).abs() < 1e-9);
        prop_assert!(a.p05 <= a.median && a.median <= a.p95);
    }
}
