//! From scored pairs to links: one to one within two platforms, highest score first.

use std::collections::HashSet;

use rayon::prelude::*;

use super::Linker;
use super::match_weight::{Confidence, Score};
use super::profile::Profile;
use super::veto::{PartMatch, packs_equal, part_match};

/// Names with this cosine are alike.
const ALIKE_NAMES: f64 = 0.5;
/// Prices no further apart than this many percent of the lower one are alike.
const ALIKE_PRICE_PCT: u64 = 10;

/// Why two listings are linked, as bits.
pub mod reason {
    /// One brand, or one side names the other's, or both name one.
    pub const BRAND: u8 = 0b00_0001;
    /// One brand and one part number, by their columns.
    pub const MPN: u8 = 0b00_0010;
    /// Names are alike.
    pub const NAME: u8 = 0b00_0100;
    /// Packs are equal.
    pub const PACK: u8 = 0b00_1000;
    /// A part number is shared or contained.
    pub const PART_NUMBER: u8 = 0b01_0000;
    /// Prices are alike.
    pub const PRICE: u8 = 0b10_0000;
    /// Every bit.
    pub const ALL: u8 = 0b11_1111;
    /// The words of the bits, the lowest first: sorted.
    pub const WORDS: [&str; 6] = ["brand", "mpn", "name", "pack", "part_number", "price"];
}

/// Two listings that are likely one product, by the caller's numbers; the left one has the smaller uid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Listing.
    pub left: u32,
    /// The other listing.
    pub right: u32,
    /// Score of the pair.
    pub score: Score,
    /// How sure it is.
    pub confidence: Confidence,
    /// Bits of [`reason`].
    pub reasons: u8,
}

/// A pair that nothing speaks against.
struct Pair {
    score: Score,
    /// Places, the smaller first.
    places: (u32, u32),
}

impl Linker<'_> {
    /// All links of at least this confidence, by uids.
    pub fn links(&self, at_least: Confidence) -> Vec<Link> {
        let mut pairs: Vec<Pair> = self
            .possible()
            .into_par_iter()
            .filter_map(|places| {
                let (a, b) = (&self.profiles[places.0 as usize], &self.profiles[places.1 as usize]);
                let score = self.score(a, b);
                (score.confidence() >= at_least).then_some(Pair { score, places })
            })
            .collect();
        let uids = |pair: &Pair| {
            let (a, b) = (self.uid(pair.places.0), self.uid(pair.places.1));
            (a.min(b), a.max(b))
        };
        pairs.par_sort_unstable_by_key(|pair| (std::cmp::Reverse(pair.score), uids(pair), pair.places));
        let mut taken: HashSet<(u32, u16)> = HashSet::new();
        let mut links: Vec<Link> = Vec::new();
        for pair in &pairs {
            let (a, b) = pair.places;
            let (to_a, to_b) = (self.profiles[a as usize].platform, self.profiles[b as usize].platform);
            if !taken.contains(&(a, to_b)) && !taken.contains(&(b, to_a)) {
                taken.extend([(a, to_b), (b, to_a)]);
                links.push(self.link(pair));
            }
        }
        links.sort_unstable_by_key(|link| (link.left, link.right));
        links
    }

    fn uid(&self, at: u32) -> u64 {
        self.profiles[at as usize].uid
    }

    /// Candidates, of either side, that nothing speaks against and that more than likeness speaks for. The smaller place
    /// is first, so that scores are computed in one order and have one value.
    fn possible(&self) -> Vec<(u32, u32)> {
        self.pairs(|at, candidates| {
            let profile = &self.profiles[at as usize];
            candidates.retain(|&other| !self.columns.are_told_apart(self.bits, &self.groups, at, other));
            candidates.retain(|&other| {
                let other = &self.profiles[other as usize];
                self.veto(profile, other).is_none() && self.is_identified(profile, other)
            });
        })
    }

    fn link(&self, pair: &Pair) -> Link {
        let (a, b) = pair.places;
        let reasons = self.reasons(&self.profiles[a as usize], &self.profiles[b as usize]);
        let (left, right) = if self.uid(a) < self.uid(b) { (a, b) } else { (b, a) };
        let (left, right) = (self.rows[left as usize], self.rows[right as usize]);
        Link { left, right, score: pair.score, confidence: pair.score.confidence(), reasons }
    }

    fn reasons(&self, a: &Profile, b: &Profile) -> u8 {
        let (low, high) = (u64::from(a.price.min(b.price)), u64::from(a.price.max(b.price)));
        let holds = [
            self.are_of_one_brand(a, b),
            self.is_one_part(a, b),
            self.cosine(a, b) >= ALIKE_NAMES,
            packs_equal(a, b),
            part_match(a, b) >= PartMatch::Contained,
            low > 0 && high * 100 <= low * (100 + ALIKE_PRICE_PCT),
        ];
        holds.into_iter().zip(0..).fold(0, |bits, (holds, bit)| bits | u8::from(holds) << bit)
    }
}
