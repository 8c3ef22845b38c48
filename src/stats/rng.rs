//! Pseudo-random numbers determined by a seed (splitmix64), with uniform, exponential and Zipf distributions.

/// 2⁶⁴ divided by the golden ratio: the increment of the sequence.
pub const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// 2⁵³: the number of consecutive integers that an f64 can represent.
const UNIT: f64 = 9_007_199_254_740_992.0;

/// A splitmix64 generator. Equal seeds give equal sequences.
#[derive(Debug, Clone)]
pub struct Rng(u64);

/// Mixes 64 bits so that each output bit depends on each input bit.
pub const fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

impl Rng {
    /// The generator for a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / UNIT
    }

    /// Uniform in 0..count; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// True with a probability of `pct` percent.
    pub fn chance(&mut self, pct: usize) -> bool {
        self.below(100) < pct
    }

    /// An exponentially distributed waiting time with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// A rank below `n`. Rank k is about 1 / (k + 1) times as frequent as rank 0. Search queries have such a Zipf
    /// distribution, with an exponent near one. The rank is computed from the integer part of a log-uniform number,
    /// so it does not need a table of probabilities.
    pub fn zipf(&mut self, n: usize) -> usize {
        let rank = (((n + 1) as f64).ln() * self.unit()).exp() as usize;
        rank.saturating_sub(1).min(n.saturating_sub(1))
    }

    /// Draws one of the values with equal probabilities; `None` if there are none.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        values.get(self.below(values.len()))
    }

    /// Draws one of the values by [`Rng::zipf`], so that earlier values are more frequent; `None` if there are none.
    pub fn popular<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        values.get(self.zipf(values.len()))
    }

    /// Shuffles the values.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first numbers of the reference implementation for the seed 1234567.
        let mut numbers = Rng::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([numbers.bits(), numbers.bits(), numbers.bits()], first);
    }

    #[test]
    fn a_seed_is_a_stream() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..100).map(|_| rng.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(draw(3).into_iter().all(|value| value < 1_000));
        assert_eq!((Rng::new(1).below(0), Rng::new(1).zipf(0)), (0, 0));
    }

    #[test]
    fn the_first_rank_is_twice_the_second() {
        let mut rng = Rng::new(7);
        let mut counts = [0_u32; 1_000];
        (0..200_000).for_each(|_| counts[rng.zipf(1_000)] += 1);
        // The expected ratio is ln 2 / ln 1.5 = 1.71, because ranks are truncated log-uniform numbers.
        let ratio = f64::from(counts[0]) / f64::from(counts[1]);
        assert!((1.6..1.8).contains(&ratio), "{ratio}");
        assert!(counts[999] < counts[0] / 100);
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut values: Vec<u32> = (0..500).collect();
        Rng::new(5).shuffle(&mut values);
        assert!(!values.is_sorted());
        values.sort_unstable();
        assert_eq!(values, (0..500).collect::<Vec<_>>());
    }

    #[test]
    fn waiting_times_have_their_mean() {
        let mut rng = Rng::new(11);
        let sum: f64 = (0..100_000).map(|_| rng.exponential(3.0)).sum();
        assert!((sum / 100_000.0 - 3.0).abs() < 0.05);
    }
}
