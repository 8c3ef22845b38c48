//! The best of many scored docs, one of each product, without keeping them all.

use std::cmp::Reverse;

use crate::snapshot::layout::posting;

/// Worse docs are dropped when so many are kept beyond the limit, at least.
const SPARE_MIN: usize = 4;
/// The same as a part of the limit.
const SPARE_ONE_IN: usize = 4;

/// Sort key of matches before their ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(super) struct Merit {
    /// Tenths of the quality, 0 to 10.
    pub(super) tenths: u8,
    /// Not negative.
    pub(super) score: f32,
}

/// Keeps the best docs of the `limit` products whose best ones are worth most; of two docs of like merit, the one of
/// the first rank is the better.
///
/// Docs come in runs of rising ranks: what loses to those that are kept by its rank alone loses to them for all of its
/// run.
pub(super) struct Top<'a> {
    limit: usize,
    /// The rank of each doc.
    ranks: &'a [u32],
    /// The row of each doc, and the product of each row.
    rows: &'a [u32],
    products: &'a [u32],
    kept: Vec<KeptDoc>,
    /// What a doc must beat; 0 while there is room for products of any quality.
    least: u64,
    /// What a doc of this run must beat.
    bar: u64,
}

struct KeptDoc {
    /// Merit and rank in one number, the better the greater.
    key: u64,
    doc: u32,
    product: u32,
}

impl<'a> Top<'a> {
    /// Nothing yet; `tenths` are those of the least quality.
    pub(super) fn new(
        limit: usize,
        tenths: u8,
        ranks: &'a [u32],
        rows: &'a [u32],
        products: &'a [u32],
    ) -> Self {
        let least = (u64::from(tenths) << (SCORE_BITS + RANK_BITS)).saturating_sub(1);
        Self { limit: limit.max(1), ranks, rows, products, kept: Vec::new(), least, bar: 0 }
    }

    /// Begins a run.
    pub(super) fn begin_run(&mut self) {
        self.bar = self.least;
    }

    /// Whether every doc of this run may be among the best.
    pub(super) fn has_room(&self) -> bool {
        self.bar == 0
    }

    /// Whether some doc of this run that is still to come and is worth so much may be among the best.
    pub(super) fn may_take(&self, merit: Merit) -> bool {
        key(merit, 0) > self.bar
    }

    /// The tenths of the quality that a doc of this run must have at least.
    pub(super) fn bar_tenths(&self) -> u32 {
        ((self.bar + 1) >> (SCORE_BITS + RANK_BITS)) as u32
    }

    /// What a doc of this run must beat, as a number that grows.
    pub(super) fn bar(&self) -> u64 {
        self.bar
    }

    /// Takes a doc of this run if it may be among the best.
    pub(super) fn offer(&mut self, merit: Merit, doc: u32) {
        if !self.may_take(merit) {
            return;
        }
        let key_of_doc = key(merit, self.ranks[doc as usize]);
        if key_of_doc <= self.least {
            self.bar = self.bar.max(key(merit, 0));
            return;
        }
        let product = self.products[self.rows[doc as usize] as usize];
        self.kept.push(KeptDoc { key: key_of_doc, doc, product });
        if self.kept.len() > self.limit + SPARE_MIN.max(self.limit / SPARE_ONE_IN) {
            self.cut();
        }
    }

    /// Scores and docs, the best first, and whether no product had to go.
    pub(super) fn into_ranked(mut self) -> (impl Iterator<Item = (f32, u32)>, bool) {
        self.cut();
        let scored = |of: KeptDoc| (score(of.key), of.doc);
        (self.kept.into_iter().map(scored), self.least == 0)
    }

    /// Drops all but the best doc of each product, and all but the best products.
    fn cut(&mut self) {
        self.kept.sort_unstable_by_key(|of| Reverse(of.key));
        let mut distinct = 0;
        for at in 0..self.kept.len() {
            let product = self.kept[at].product;
            if self.kept[..distinct].iter().all(|better| better.product != product) {
                self.kept.swap(distinct, at);
                distinct += 1;
            }
        }
        if distinct > self.limit {
            self.least = self.kept[self.limit - 1].key;
            self.bar = self.bar.max(self.least);
        }
        self.kept.truncate(distinct.min(self.limit));
    }
}

/// Bits of a rank: there are no more ranks than docs.
const RANK_BITS: u32 = posting::DOCS_MAX.ilog2();
/// Bits of a score: that of the sign is 0.
const SCORE_BITS: u32 = u32::BITS - 1;

/// Merit and rank in one number: positive scores are ordered by their bits, and of like merit the first rank is the
/// greater.
fn key(merit: Merit, rank: u32) -> u64 {
    let last = (1 << RANK_BITS) - 1;
    (u64::from(merit.tenths) << SCORE_BITS | u64::from(merit.score.to_bits())) << RANK_BITS
        | u64::from(last - rank)
}

/// The score in a key.
fn score(key: u64) -> f32 {
    f32::from_bits((key >> RANK_BITS) as u32 & (u32::MAX >> 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of equal tenths, so that scores decide, or of other tenths.
    fn merit(score: u8, tenths: u8) -> Merit {
        Merit { tenths, score: f32::from(score) }
    }

    proptest! {
        #[test]
        fn the_best_of_each_product_stay_in_order(
            runs in prop::collection::vec(prop::collection::btree_map(0..200_u32, (1_u8..5, 0_u8..=10), 0..60), 0..5),
            products in 1_u32..150,
            limit in 1_usize..40,
            tenths in 0_u8..=5,
        ) {
            let product = |doc: u32| doc % products;
            // A rank is in one run only.
            let mut ranked: Vec<(Merit, u32)> = Vec::new();
            let ranks: Vec<u32> = (0..200).rev().collect();
            let rows: Vec<u32> = (0..200).rev().collect();
            let products: Vec<u32> = (0..200).rev().map(product).collect();
            let mut top = Top::new(limit, tenths, &ranks, &rows, &products);
            for run in runs {
                top.begin_run();
                for (rank, (score, tenths)) in run {
                    let (doc, merit) = (199 - rank, merit(score, tenths));
                    if ranked.iter().any(|&(_, other)| other == doc) {
                        continue;
                    }
                    ranked.push((merit, doc));
                    top.offer(merit, doc);
                }
            }
            let rank = |doc: u32| ranks[doc as usize];
            ranked.sort_by(|a, b| {
                let by_merit = b.0.partial_cmp(&a.0).expect("scores are numbers");
                by_merit.then(rank(a.1).cmp(&rank(b.1)))
            });
            let mut seen = std::collections::BTreeSet::new();
            ranked.retain(|&(_, doc)| seen.insert(product(doc)));
            ranked.retain(|(merit, _)| merit.tenths >= tenths);
            let is_all = ranked.len() <= limit && tenths == 0;
            ranked.truncate(limit);
            let (best, all) = top.into_ranked();
            prop_assert_eq!(all, is_all);
            let ranked: Vec<(f32, u32)> = ranked.into_iter().map(|(merit, doc)| (merit.score, doc)).collect();
            prop_assert_eq!(best.collect::<Vec<_>>(), ranked);
        }
    }
}
