//! Splitmix64: numbers that look random and are a function of a seed.

/// 2⁶⁴ over the golden ratio: the step of the sequence.
pub const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// 2⁵³: the whole numbers that an f64 tells apart.
const UNIT: f64 = 9_007_199_254_740_992.0;

/// The sequence of a seed.
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

/// 64 bits, each of which depends on each of the input.
pub const fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

impl SplitMix {
    /// The sequence of a seed.
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

    /// Uniform in 0..count; 0 when there is nothing to choose from.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The reference implementation's first numbers of seed 1234567.
        let mut numbers = SplitMix::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([numbers.bits(), numbers.bits(), numbers.bits()], first);
    }
}
