//! One number for a pair, and how sure that is.

use super::Linker;
use super::comparison::{AGE, FEATURES, JACCARD};
use super::forest::FOREST;
use super::model::{BASE, CONFIDENCE};
use super::profile::Profile;

/// Scores are counted in millionths, so that equal ones are equal.
pub(super) const ONE: u32 = 1_000_000;

/// Trees say nearly the same of many pairs: of these come first those with more words in common and those seen last, for
/// what a shop sells comes before what it has renamed. In log odds.
const LIKENESS: f64 = 0.03;

/// How alike two listings are, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub u32);

/// How sure a link is, in ten-thousandths: of links at 9,000 nine in ten hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(pub u16);

impl Score {
    fn of(log_odds: f64) -> Self {
        Self((f64::from(ONE) / (1.0 + (-log_odds).exp())).round() as u32)
    }

    /// As a number from 0 to 1.
    pub fn get(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }

    /// The share of pairs of this score that hold, by the table.
    pub fn calibrated(self) -> f64 {
        let above = CONFIDENCE.partition_point(|(score, _)| *score <= self.0);
        let at =
            |place: usize| CONFIDENCE.get(place).map(|&(score, share)| (f64::from(score), f64::from(share)));
        let one = f64::from(Confidence::ONE);
        match (above.checked_sub(1).and_then(at), at(above)) {
            (Some((from, low)), Some((to, high))) => {
                (low + (high - low) * (f64::from(self.0) - from) / (to - from)) / one
            }
            (Some((_, share)), None) | (None, Some((_, share))) => share / one,
            (None, None) => 0.0,
        }
    }

    /// How sure a link of this score is: calibrated, cut to ten-thousandths.
    pub fn confidence(self) -> Confidence {
        Confidence((self.calibrated() * f64::from(Confidence::ONE)) as u16)
    }
}

impl Confidence {
    /// Confidence is counted in these.
    pub const ONE: u16 = 10_000;
    /// Links of less confidence are none.
    pub const THRESHOLD: Self = Self(super::model::THRESHOLD);

    /// As a number from 0 to 1.
    pub fn get(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE)
    }
}

impl Linker<'_> {
    /// The score of a pair, whatever speaks against it.
    pub(super) fn score(&self, a: &Profile, b: &Profile) -> Score {
        if self.is_one_part(a, b) {
            return Score(ONE);
        }
        Score::of(log_odds(&self.features(a, b)))
    }
}

fn log_odds(features: &[f64; FEATURES.len()]) -> f64 {
    BASE + FOREST.sum(features) + LIKENESS * (features[JACCARD] - features[AGE])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_common_and_age_order_what_trees_see_alike() {
        assert_eq!([FEATURES[JACCARD], FEATURES[AGE]], ["jaccard", "age"]);
        let with = |place: usize, value: f64| {
            let mut features = [0.5; FEATURES.len()];
            features[place] = value;
            (FOREST.sum(&features), log_odds(&features))
        };
        let ((trees, less), (same, more)) = (with(JACCARD, 0.5), with(JACCARD, 0.500_1));
        assert!(trees.total_cmp(&same).is_eq(), "no tree splits between these");
        assert!(less < more, "{less} {more}");
        let ((trees, new), (same, old)) = (with(AGE, 0.0), with(AGE, 1.0));
        assert!(trees.total_cmp(&same).is_eq(), "no tree looks at ages");
        assert!(new > old, "{new} {old}");
    }

    #[test]
    fn confidence_never_falls_with_the_score() {
        let all: Vec<u16> = (0..=1000).map(|score| Score(score * 1000).confidence().0).collect();
        assert!(all.is_sorted() && all.last() <= Some(&Confidence::ONE), "{all:?}");
        assert!(CONFIDENCE.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
    }
}
