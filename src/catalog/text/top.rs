//! The best of many scored places, without keeping them all.

use std::cmp::Reverse;

/// Worse places are dropped when this part of the limit is kept beyond it.
const CUT_AFTER_PART: usize = 4;

/// Keeps the `limit` places that score most; of two that score alike, the first.
pub(super) struct Top {
    limit: usize,
    /// Score and place in one number each, the better the greater: positive scores are ordered by their bits.
    kept: Vec<u64>,
    /// What a place must beat; 0 while there is room.
    least: u64,
}

impl Top {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), kept: Vec::new(), least: 0 }
    }

    /// Whether a place that scores so much, or less, may be among the best.
    pub(super) fn may_take(&self, score: f32, place: u32) -> bool {
        key(score, place) > self.least
    }

    /// Takes a place.
    pub(super) fn push(&mut self, score: f32, place: u32) {
        if !self.may_take(score, place) {
            return;
        }
        self.kept.push(key(score, place));
        if self.kept.len() > self.limit + self.limit / CUT_AFTER_PART {
            self.cut();
        }
    }

    /// Whether no place had to go.
    pub(super) fn is_all(&self) -> bool {
        self.least == 0 && self.kept.len() <= self.limit
    }

    /// Scores and places, the best first.
    pub(super) fn into_ranked(mut self) -> impl Iterator<Item = (f32, u32)> {
        self.kept.sort_unstable_by_key(|&key| Reverse(key));
        self.kept.truncate(self.limit);
        self.kept.into_iter().map(|key| (f32::from_bits((key >> 32) as u32), !(key as u32)))
    }

    fn cut(&mut self) {
        let (_, &mut least, _) = self.kept.select_nth_unstable_by_key(self.limit - 1, |&key| Reverse(key));
        self.least = least;
        self.kept.truncate(self.limit);
    }
}

/// Score and place in one number: of two that score alike, the first place is the greater.
fn key(score: f32, place: u32) -> u64 {
    u64::from(score.to_bits()) << 32 | u64::from(!place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_stay_in_order(
            scores in prop::collection::vec(1_u8..9, 0..200),
            limit in 1_usize..40,
            backwards: bool,
        ) {
            let mut top = Top::new(limit);
            let mut ranked: Vec<(f32, u32)> = scores.iter().map(|&score| f32::from(score)).zip(0..).collect();
            if backwards {
                ranked.reverse();
            }
            for &(score, place) in &ranked {
                top.push(score, place);
            }
            prop_assert_eq!(top.is_all(), scores.len() <= limit);
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(limit);
            prop_assert_eq!(top.into_ranked().collect::<Vec<_>>(), ranked);
        }
    }
}
