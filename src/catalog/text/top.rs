//! The best of many scored places, without keeping them all.

use std::cmp::Reverse;

/// Worse places are dropped when this part of the limit is kept beyond it.
const CUT_AFTER_PART: usize = 4;

/// Keeps the `limit` places that score most; of two that score alike, the one of the first rank.
///
/// Places come in runs of rising ranks: what loses to those that are kept by its rank alone loses to them for all of its
/// run.
pub(super) struct Top<'a> {
    limit: usize,
    /// The rank of each place.
    ranks: &'a [u32],
    /// Score and rank in one number each, the better the greater (positive scores are ordered by their bits), and the
    /// place.
    kept: Vec<(u64, u32)>,
    /// What a place must beat; 0 while there is room.
    least: u64,
    /// What a place of this run must beat.
    bar: u64,
}

impl<'a> Top<'a> {
    pub(super) fn new(limit: usize, ranks: &'a [u32]) -> Self {
        Self { limit: limit.max(1), ranks, kept: Vec::new(), least: 0, bar: 0 }
    }

    /// Begins a run.
    pub(super) fn begin_run(&mut self) {
        self.bar = self.least;
    }

    /// Whether some place of this run that is still to come and scores so much may be among the best.
    pub(super) fn may_take(&self, score: f32) -> bool {
        key(score, 0) > self.bar
    }

    /// What a place of this run must beat, as a number that grows.
    pub(super) fn bar(&self) -> u64 {
        self.bar
    }

    /// Takes a place.
    pub(super) fn push(&mut self, score: f32, place: u32) {
        let of_place = key(score, self.ranks[place as usize]);
        if of_place <= self.least {
            self.bar = self.bar.max(key(score, 0));
            return;
        }
        self.kept.push((of_place, place));
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
        self.kept.sort_unstable_by_key(|&(key, _)| Reverse(key));
        self.kept.truncate(self.limit);
        self.kept.into_iter().map(|(key, place)| (f32::from_bits((key >> u32::BITS) as u32), place))
    }

    fn cut(&mut self) {
        let (_, &mut (least, _), _) =
            self.kept.select_nth_unstable_by_key(self.limit - 1, |&(key, _)| Reverse(key));
        self.least = least;
        self.bar = self.bar.max(least);
        self.kept.truncate(self.limit);
    }
}

/// Score and rank in one number: of two that score alike, the first rank is the greater.
fn key(score: f32, rank: u32) -> u64 {
    u64::from(score.to_bits()) << u32::BITS | u64::from(!rank)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_stay_in_order(
            runs in prop::collection::vec(prop::collection::btree_map(0..200_u32, 1_u8..9, 0..60), 0..5),
            limit in 1_usize..40,
        ) {
            // A rank is in one run only.
            let mut ranked: Vec<(f32, u32)> = Vec::new();
            let ranks: Vec<u32> = (0..200).rev().collect();
            let mut top = Top::new(limit, &ranks);
            for run in runs {
                top.begin_run();
                for (rank, score) in run {
                    let (place, score) = (199 - rank, f32::from(score));
                    if ranked.iter().any(|&(_, other)| other == place) {
                        continue;
                    }
                    ranked.push((score, place));
                    if top.may_take(score) {
                        top.push(score, place);
                    }
                }
            }
            let rank = |place: u32| ranks[place as usize];
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(rank(a.1).cmp(&rank(b.1))));
            let is_all = ranked.len() <= limit;
            ranked.truncate(limit);
            prop_assert_eq!(top.is_all(), is_all);
            prop_assert_eq!(top.into_ranked().collect::<Vec<_>>(), ranked);
        }
    }
}
