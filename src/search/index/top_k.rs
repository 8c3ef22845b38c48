//! Top-k collection of scored docs, with one doc per entity and in bounded memory.

use std::cmp::Reverse;

use crate::snapshot::layout::posting;

/// The minimum number of docs kept beyond the limit before the worst docs are dropped. Pruning sorts, so it should run
/// rarely.
const SPARE_MIN: usize = 4;
/// The number of docs kept beyond the limit is the limit divided by this number, but at least [`SPARE_MIN`].
const SPARE_ONE_IN: usize = 4;

/// The sort key of a match without its rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(super) struct MatchScore {
    /// Tenths of the quality, 0 to 10.
    pub(super) tenths: u8,
    /// The score, which is not negative.
    pub(super) score: f32,
}

/// Keeps the best doc of each of the `limit` best entities. Of two docs with equal match scores, the doc of lower rank
/// is better.
///
/// Docs are offered in ranges, and ranks ascend within a range. If a doc is rejected only because of its rank, later
/// docs of the range with the same match score are therefore rejected too.
pub(super) struct Top<'a> {
    limit: usize,
    /// The rank of each doc.
    ranks: &'a [u32],
    /// The row of each doc (`rows`) and the entity of each row (`entities`).
    rows: &'a [u32],
    entities: &'a [u32],
    kept: Vec<KeptDoc>,
    /// The key that a doc must exceed. It is 0 while fewer than `limit` entities are kept and no quality is required.
    threshold: u64,
    /// The threshold for docs of the current range.
    range_threshold: u64,
}

struct KeptDoc {
    /// Match score and rank packed into one number. Greater is better.
    key: u64,
    doc: u32,
    entity: u32,
}

impl<'a> Top<'a> {
    /// Creates an empty collection. `tenths` are the tenths of the least quality.
    pub(super) fn new(
        limit: usize,
        tenths: u8,
        ranks: &'a [u32],
        rows: &'a [u32],
        entities: &'a [u32],
    ) -> Self {
        let threshold = (u64::from(tenths) << (SCORE_BITS + RANK_BITS)).saturating_sub(1);
        Self { limit: limit.max(1), ranks, rows, entities, kept: Vec::new(), threshold, range_threshold: 0 }
    }

    /// Starts a range.
    pub(super) fn begin_range(&mut self) {
        self.range_threshold = self.threshold;
    }

    /// Whether every doc of this range may still be among the best.
    pub(super) fn has_room(&self) -> bool {
        self.range_threshold == 0
    }

    /// Whether a later doc of this range with this match score may still be among the best.
    pub(super) fn may_take(&self, match_score: MatchScore) -> bool {
        key(match_score, 0) > self.range_threshold
    }

    /// The minimum tenths of quality with which a doc of this range may still be among the best.
    pub(super) fn threshold_tenths(&self) -> u32 {
        ((self.range_threshold + 1) >> (SCORE_BITS + RANK_BITS)) as u32
    }

    /// The key that a doc of this range must exceed. It only increases within a range.
    pub(super) fn range_threshold(&self) -> u64 {
        self.range_threshold
    }

    /// Adds a doc of this range if it may be among the best.
    pub(super) fn offer(&mut self, match_score: MatchScore, doc: u32) {
        if !self.may_take(match_score) {
            return;
        }
        let key_of_doc = key(match_score, self.ranks[doc as usize]);
        if key_of_doc <= self.threshold {
            self.range_threshold = self.range_threshold.max(key(match_score, 0));
            return;
        }
        let entity = self.entities[self.rows[doc as usize] as usize];
        self.kept.push(KeptDoc { key: key_of_doc, doc, entity });
        if self.kept.len() > self.limit + SPARE_MIN.max(self.limit / SPARE_ONE_IN) {
            self.prune();
        }
    }

    /// The scores and docs of the kept entities, best first, and whether these are all entities that were offered. This
    /// is false if an entity was dropped or if a least quality was required.
    pub(super) fn into_ranked(mut self) -> (impl Iterator<Item = (f32, u32)>, bool) {
        self.prune();
        let scored = |of: KeptDoc| (score(of.key), of.doc);
        (self.kept.into_iter().map(scored), self.threshold == 0)
    }

    /// Keeps only the best doc of each entity, and only the best entities.
    fn prune(&mut self) {
        self.kept.sort_unstable_by_key(|of| Reverse(of.key));
        let mut distinct = 0;
        for at in 0..self.kept.len() {
            let entity = self.kept[at].entity;
            if self.kept[..distinct].iter().all(|better| better.entity != entity) {
                self.kept.swap(distinct, at);
                distinct += 1;
            }
        }
        if distinct > self.limit {
            self.threshold = self.kept[self.limit - 1].key;
            self.range_threshold = self.range_threshold.max(self.threshold);
        }
        self.kept.truncate(distinct.min(self.limit));
    }
}

/// The number of bits of a rank. Ranks are less than the number of docs.
const RANK_BITS: u32 = posting::DOCS_MAX.ilog2();
/// The number of bits of a score, without the sign bit, which is 0.
const SCORE_BITS: u32 = u32::BITS - 1;

/// Packs match score and rank into one number. Positive floats are ordered by their bits, and lower ranks give
/// greater keys.
fn key(match_score: MatchScore, rank: u32) -> u64 {
    let last = (1 << RANK_BITS) - 1;
    (u64::from(match_score.tenths) << SCORE_BITS | u64::from(match_score.score.to_bits())) << RANK_BITS
        | u64::from(last - rank)
}

/// Extracts the score from a key.
fn score(key: u64) -> f32 {
    f32::from_bits((key >> RANK_BITS) as u32 & (u32::MAX >> 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A match score. Tenths are compared first, then scores.
    fn match_score(score: u8, tenths: u8) -> MatchScore {
        MatchScore { tenths, score: f32::from(score) }
    }

    proptest! {
        #[test]
        fn the_best_of_each_product_stay_in_order(
            runs in prop::collection::vec(prop::collection::btree_map(0..200_u32, (1_u8..5, 0_u8..=10), 0..60), 0..5),
            entities in 1_u32..150,
            limit in 1_usize..40,
            tenths in 0_u8..=5,
        ) {
            let entity = |doc: u32| doc % entities;
            // Each rank occurs in one range only.
            let mut ranked: Vec<(MatchScore, u32)> = Vec::new();
            let ranks: Vec<u32> = (0..200).rev().collect();
            let rows: Vec<u32> = (0..200).rev().collect();
            let entities: Vec<u32> = (0..200).rev().map(entity).collect();
            let mut top = Top::new(limit, tenths, &ranks, &rows, &entities);
            for run in runs {
                top.begin_range();
                for (rank, (score, tenths)) in run {
                    let (doc, match_score) = (199 - rank, match_score(score, tenths));
                    if ranked.iter().any(|&(_, other)| other == doc) {
                        continue;
                    }
                    ranked.push((match_score, doc));
                    top.offer(match_score, doc);
                }
            }
            let rank = |doc: u32| ranks[doc as usize];
            ranked.sort_by(|a, b| {
                let by_score = b.0.partial_cmp(&a.0).expect("scores are numbers");
                by_score.then(rank(a.1).cmp(&rank(b.1)))
            });
            let mut seen = std::collections::BTreeSet::new();
            ranked.retain(|&(_, doc)| seen.insert(entity(doc)));
            ranked.retain(|(match_score, _)| match_score.tenths >= tenths);
            let is_all = ranked.len() <= limit && tenths == 0;
            ranked.truncate(limit);
            let (best, all) = top.into_ranked();
            prop_assert_eq!(all, is_all);
            let ranked: Vec<(f32, u32)> = ranked.into_iter().map(|(match_score, doc)| (match_score.score, doc)).collect();
            prop_assert_eq!(best.collect::<Vec<_>>(), ranked);
        }
    }
}
