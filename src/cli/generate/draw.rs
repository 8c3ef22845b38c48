//! Random draws that depend only on a seed and a key.
//!
//! A key is a stream and some numbers, such as the number of a retailer and a country. Seed and key determine the state
//! of a splitmix64 generator. Invariant: the same seed and key give the same draws on every machine, because only
//! operations that IEEE 754 rounds exactly are used. The C library does not round the exponential exactly, hence
//! [`exp`].

use crate::stats::rng::{Rng, STEP, mixed};

/// Number of uniform numbers whose sum approximates a normal number. The sum of twelve has a variance of one.
const NORMAL_PARTS: u32 = 12;
/// Terms of the exponential series: enough for |x| <= ln 2 / 2 to the last bit but one.
const EXP_TERMS: u32 = 14;
/// Bound to which [`exp`] clamps the exponent of two. Prices stay far below it.
const EXP_BITS_MAX: f64 = 1000.0;

/// Independent streams of draws, one for each decision of the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Stream {
    Brand = 1,
    Retailer,
    LeafRank,
    LeafPrice,
    Product,
    Offers,
    Listing,
    Name,
    Price,
    Life,
    Stock,
    Spelling,
}

/// A stream of draws.
#[derive(Debug, Clone)]
pub(super) struct Draw(Rng);

impl Draw {
    /// Starts the draws of a key; `place` contains the numbers of the key.
    pub(super) fn at(seed: u64, stream: Stream, place: &[u64]) -> Self {
        let start = mixed(seed.wrapping_add(STEP) ^ (stream as u64).wrapping_mul(STEP));
        let state = place.iter().fold(start, |state, &part| {
            mixed(state.wrapping_add(STEP).wrapping_add(part)) ^ part.wrapping_mul(STEP)
        });
        Self(Rng::new(state))
    }

    /// 64 uniform bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Uniform in [low, high).
    pub(super) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True with probability `share`.
    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// Uniform in 0..count; 0 if `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0.below(count)
    }

    /// An element of `from`, drawn uniformly. `from` must not be empty.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Standard normal number, between -6 and 6.
    pub(super) fn normal(&mut self) -> f64 {
        let mut sum: u64 = 0;
        for _ in 0..NORMAL_PARTS / 4 {
            let bits = self.bits();
            sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        }
        (sum as f64 + f64::from(NORMAL_PARTS) / 2.0) / 65536.0 - f64::from(NORMAL_PARTS) / 2.0
    }

    /// An index drawn by weight. `sums` contains the running sums of the weights and must not be empty.
    pub(super) fn weighted(&mut self, sums: &[f64]) -> usize {
        let total = sums.last().copied().unwrap_or(0.0);
        let at = self.unit() * total;
        sums.partition_point(|&sum| sum <= at).min(sums.len().saturating_sub(1))
    }
}

/// Running sums of `weights`, for [`Draw::weighted`].
pub(super) fn sums(weights: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut total = 0.0;
    let add = |weight| {
        total += weight;
        total
    };
    weights.into_iter().map(add).collect()
}

/// eˣ.
pub(super) fn exp(x: f64) -> f64 {
    let bits = (x / std::f64::consts::LN_2).round().clamp(-EXP_BITS_MAX, EXP_BITS_MAX);
    let rest = x - bits * std::f64::consts::LN_2;
    let series = (1..=EXP_TERMS).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    series * f64::from_bits(((1023 + bits as i64) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart() {
        let first = |seed, stream, place: &[u64]| Draw::at(seed, stream, place).bits();
        let here = first(1, Stream::Name, &[2, 3]);
        assert_eq!(here, first(1, Stream::Name, &[2, 3]));
        for other in [
            first(2, Stream::Name, &[2, 3]),
            first(1, Stream::Price, &[2, 3]),
            first(1, Stream::Name, &[3, 2]),
            first(1, Stream::Name, &[2]),
        ] {
            assert_ne!(here, other);
        }
    }

    #[test]
    fn exponentials_are_those_of_the_library() {
        for x in [-20.0, -1.5, -0.3, 0.0, 0.1, 0.693_2, 1.0, 5.5, 17.0] {
            let ratio = exp(x) / f64::exp(x);
            assert!((ratio - 1.0).abs() < 1e-13, "{x}: {ratio}");
        }
    }

    #[test]
    fn draws_have_their_moments() {
        let mut draw = Draw::at(7, Stream::Name, &[]);
        let values: Vec<f64> = (0..20_000).map(|_| draw.normal()).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        let sums = sums([1.0, 0.0, 3.0]);
        let mut hits = [0; 3];
        (0..4_000).for_each(|_| hits[draw.weighted(&sums)] += 1);
        assert!(hits[1] == 0 && (900..1_100).contains(&hits[0]), "{hits:?}");
    }
}
