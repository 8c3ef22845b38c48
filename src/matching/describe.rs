//! Pairs as they look to the linker, for evaluations and for the training of its coefficients.

use rayon::prelude::*;

use super::comparison::FEATURES;
use super::{Linker, Score, Veto};

/// What the linker sees of a pair.
#[derive(Debug, Clone)]
pub struct Described {
    /// Score of the pair as such: no rivals, vetoes, evidence.
    pub score: Score,
    /// What speaks against it, if anything does.
    pub veto: Option<Veto>,
    /// Whether there is more than likeness.
    pub is_identified: bool,
    /// What the scorer sees.
    pub features: [f64; FEATURES.len()],
}

impl Linker<'_> {
    /// Describes pairs of the caller's listings, in their order; nothing of a listing that is not there.
    pub fn describe(&self, pairs: &[(u32, u32)]) -> Vec<Option<Described>> {
        let places = self.places();
        let described = |(a, b): &(u32, u32)| {
            let (a, b) = (*places.get(a)?, *places.get(b)?);
            let (a, b) = (&self.profiles[a.min(b) as usize], &self.profiles[a.max(b) as usize]);
            Some(Described {
                score: self.score(a, b),
                veto: self.veto(a, b),
                is_identified: self.is_identified(a, b),
                features: self.features(a, b),
            })
        };
        pairs.par_iter().map(described).collect()
    }

    /// Every pair that is looked at, by the caller's listings.
    pub fn all_candidates(&self) -> Vec<(u32, u32)> {
        let pairs = self.pairs(|_, _| {}).into_iter();
        pairs.map(|(a, b)| (self.rows[a as usize], self.rows[b as usize])).collect()
    }
}
