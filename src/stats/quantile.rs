//! Quantiles of Hyndman–Fan type 7: interpolated linearly between the order statistics around (n − 1)·p.
//!
//! Invariant: the functions for sorted data and for selection return bitwise identical results.

/// The position of a quantile: the rank below it, and the fraction of the distance to the next rank.
fn place(len: usize, p: f64) -> (usize, f64) {
    let at = (len - 1) as f64 * p.clamp(0.0, 1.0);
    let rank = at as usize;
    (rank, at - rank as f64)
}

/// The quantile of a sorted series of length `len`. `value` returns the order statistic of a rank, counted from 0.
///
/// # Panics
///
/// Panics if `len` is zero.
pub fn quantile_by(len: usize, p: f64, value: impl Fn(usize) -> f64) -> f64 {
    assert!(len > 0, "nothing has no quantile");
    let (rank, part) = place(len, p);
    let low = value(rank);
    if part > 0.0 { low + part * (value(rank + 1) - low) } else { low }
}

/// The quantile of ascending values; `None` if there are none.
pub fn quantile_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    (!sorted.is_empty()).then(|| quantile_by(sorted.len(), p, |rank| sorted[rank]))
}

/// The quantile of unordered values, by selection; `None` if there are none. Reorders the values.
pub fn quantile_mut(values: &mut [f64], p: f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (rank, part) = place(values.len(), p);
    let (_, low, above) = values.select_nth_unstable_by(rank, f64::total_cmp);
    let low = *low;
    let next = above.iter().copied().min_by(f64::total_cmp).filter(|_| part > 0.0);
    Some(next.map_or(low, |next| low + part * (next - low)))
}

/// The median of unordered values; `None` if there are none. Reorders the values.
pub fn median_mut(values: &mut [f64]) -> Option<f64> {
    quantile_mut(values, 0.5)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn type_seven_by_hand() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        for (p, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (0.75, 5.0), (0.9, 6.8), (1.0, 8.0)] {
            let quantile = quantile_sorted(&sorted, p).unwrap();
            assert!((quantile - expected).abs() < 1e-12, "{p}: {quantile}");
        }
        assert_eq!(quantile_sorted(&[], 0.5), None);
        assert_eq!(quantile_sorted(&[7.0], 0.3), Some(7.0));
        assert_eq!(quantile_mut(&mut [], 0.5), None);
        assert_eq!(median_mut(&mut [3.0, 1.0, 2.0]), Some(2.0));
    }

    proptest! {
        #[test]
        fn selection_is_sorting(
            mut values in proptest::collection::vec(-1e6..1e6_f64, 1..200),
            p in 0.0..=1.0_f64,
        ) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assert_eq!(quantile_mut(&mut values, p), quantile_sorted(&sorted, p));
        }

        #[test]
        fn between_the_ends_and_ascending(mut values in proptest::collection::vec(0.0..1e6_f64, 1..50)) {
            values.sort_by(f64::total_cmp);
            let ps: Vec<f64> = (0..=20).map(|i| f64::from(i) / 20.0).collect();
            let all: Vec<f64> = ps.iter().map(|&p| quantile_sorted(&values, p).unwrap()).collect();
            prop_assert!(all.is_sorted());
            prop_assert_eq!(Some(all[0]), values.first().copied());
            prop_assert_eq!(all.last(), values.last());
        }
    }
}
