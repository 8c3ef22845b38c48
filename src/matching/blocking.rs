//! Which pairs are looked at: listings of two platforms that share rare terms or part numbers.

use rayon::prelude::*;

use super::Linker;
use super::profile::{Brand, Profile};
use crate::lang::synonyms::{Groups, StatedSynonyms};
use crate::lang::variants::Bits;

/// Most candidates of a listing on another platform.
const CANDIDATES_MAX: usize = 10;
/// Listings that are gathered for one listing, rarest terms first, in a small country.
const GATHERED_MAX: usize = 4096;
/// And in a large one.
const GATHERED_MIN: usize = 160;
/// Listings that are gathered for all of a country, roughly; between the two bounds for each.
const GATHERED: usize = 50_000_000;

/// What is read of very many listings, side by side: of a profile, which is longer than five lines of a cache, each
/// would cost a wait for memory.
pub(super) struct Columns {
    terms: Vec<u32>,
    /// Terms of listing `i` end at `ends[i].0`; the length of their vector of weights.
    ends: Vec<(u32, f64)>,
    platforms: Vec<u16>,
    is_barcoded: Vec<bool>,
    told: Vec<StatedVariants>,
}

/// What a listing says of which variant and form it is.
struct StatedVariants {
    variants: u128,
    /// Variants that its brand names.
    of_brand: u128,
    forms: StatedSynonyms,
    has_part: bool,
}

impl Columns {
    pub(super) fn of(profiles: &[Profile], brands: &[Brand]) -> Self {
        let told = |profile: &Profile| StatedVariants {
            variants: profile.variants,
            of_brand: brands.get(profile.brand as usize).map_or(0, |brand| brand.variants),
            forms: profile.forms,
            has_part: profile.part_numbers().next().is_some(),
        };
        let mut columns = Self {
            terms: Vec::new(),
            ends: Vec::with_capacity(profiles.len()),
            platforms: profiles.iter().map(|profile| profile.platform).collect(),
            is_barcoded: profiles.iter().map(|profile| profile.gtin != 0).collect(),
            told: profiles.iter().map(told).collect(),
        };
        for profile in profiles {
            columns.terms.extend_from_slice(&profile.terms);
            columns.ends.push((columns.terms.len() as u32, profile.length));
        }
        columns
    }

    fn vector(&self, at: u32) -> (&[u32], f64) {
        let at = at as usize;
        let from = if at == 0 { 0 } else { self.ends[at - 1].0 };
        let (end, length) = self.ends[at];
        (&self.terms[from as usize..end as usize], length)
    }

    /// Whether a variant word stands on one side alone and in no brand, unless a part number may outweigh it, or forms
    /// differ: most candidates are told apart so, and [`Linker::veto`] says the same of them.
    pub(super) fn are_told_apart(&self, bits: Bits, groups: &Groups, a: u32, b: u32) -> bool {
        let (a, b) = (&self.told[a as usize], &self.told[b as usize]);
        let telling = if a.has_part && b.has_part { bits.strict } else { bits.strict | bits.outweighed };
        let in_no_brand = !(a.of_brand | b.of_brand);
        (a.variants ^ b.variants) & telling & in_no_brand != 0 || a.forms.differs(groups, &b.forms)
    }
}

/// What each term of one listing adds to a product of vectors, 0 for all others.
pub(super) struct Marks {
    weights: Vec<f64>,
}

impl Marks {
    fn set(&mut self, terms: &[u32], weight: impl Fn(u32) -> f64) {
        for &term in terms {
            self.weights[term as usize] = weight(term);
        }
    }
}

impl Linker<'_> {
    /// A set of no term, to be lent to [`Linker::candidates`] over and over.
    pub(super) fn no_marks(&self) -> Marks {
        Marks { weights: vec![0.0; self.dictionary.idf.len()] }
    }

    /// The candidates of a listing, at most ten on each other platform: those that share a part number first, then by
    /// cosine, then by uid. `marks` holds no term before and after.
    pub(super) fn candidates(&self, at: u32, marks: &mut Marks) -> Vec<u32> {
        let profile = &self.profiles[at as usize];
        let own = self.listings_of(profile.platform);
        // Two listings with a barcode are told apart by it.
        let may_link = |other: &u32| {
            !own.contains(other) && (profile.gtin == 0 || !self.columns.is_barcoded[*other as usize])
        };
        let mut by_part = Vec::new();
        for part in profile.part_numbers() {
            by_part.extend(self.parts.related(part, GATHERED_MAX));
        }
        by_part.retain(may_link);
        by_part.sort_unstable();
        by_part.dedup();
        let mut found = by_part.clone();
        self.gather(profile, may_link, &mut found);
        found.sort_unstable();
        found.dedup();
        marks.set(&profile.terms, |term| self.dictionary.idf[term as usize].powi(2));
        // Places lie by platform, then uid.
        let platform = |at: &u32| self.columns.platforms[*at as usize];
        let mut kept = Vec::with_capacity(found.len());
        for group in found.chunk_by(|a, b| platform(a) == platform(b)) {
            if group.len() <= CANDIDATES_MAX {
                kept.extend_from_slice(group);
                continue;
            }
            let key = |&other: &u32| {
                let shares_part = by_part.binary_search(&other).is_ok();
                (shares_part, self.marked_cosine(marks, profile, other), other)
            };
            let mut best: Vec<(bool, f64, u32)> = group.iter().map(key).collect();
            best.select_nth_unstable_by(CANDIDATES_MAX, |a, b| {
                b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
            });
            kept.extend(best.iter().take(CANDIDATES_MAX).map(|candidate| candidate.2));
        }
        marks.set(&profile.terms, |_| 0.0);
        kept
    }

    /// Pairs of each listing with its candidates, as far as `narrow` leaves them to it; by place, each once, the smaller
    /// place first.
    pub(super) fn pairs(&self, narrow: impl Fn(u32, &mut Vec<u32>) + Sync) -> Vec<(u32, u32)> {
        let of = |marks: &mut Marks, at: u32| -> Vec<(u32, u32)> {
            let mut candidates = self.candidates(at, marks);
            narrow(at, &mut candidates);
            candidates.into_iter().map(|other| (at.min(other), at.max(other))).collect()
        };
        let of_each = (0..self.profiles.len() as u32).into_par_iter().map_init(|| self.no_marks(), of);
        let mut pairs: Vec<(u32, u32)> = of_each.flatten_iter().collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Listings that share a rare term, or two common ones; rarest terms first, as far as they are gathered.
    fn gather(&self, profile: &Profile, may_link: impl Fn(&u32) -> bool, found: &mut Vec<u32>) {
        let mut terms: Vec<(usize, u32)> =
            profile.terms.iter().map(|&term| (self.dictionary.postings(term).len(), term)).collect();
        terms.sort_unstable();
        let most = (GATHERED / self.profiles.len().max(1)).clamp(GATHERED_MIN, GATHERED_MAX);
        let (mut gathered, mut common) = (0, Vec::new());
        for (postings, term) in terms {
            gathered += postings;
            if gathered > most && gathered > postings {
                break;
            }
            let postings = self.dictionary.postings(term);
            // Of very many that hold a listing's rarest term, some are looked at, from all platforms alike.
            let postings = postings.iter().step_by(postings.len().div_ceil(GATHERED_MAX).max(1));
            let postings = postings.copied().filter(&may_link);
            if self.dictionary.is_common(term) {
                common.extend(postings);
            } else {
                found.extend(postings);
            }
        }
        common.sort_unstable();
        found.extend(common.chunk_by(|x, y| x == y).filter(|same| same.len() > 1).map(|same| same[0]));
    }

    /// [`Linker::cosine`] where the terms of `a` are marked; added up in the same order, so it is the same number.
    fn marked_cosine(&self, marks: &Marks, a: &Profile, b: u32) -> f64 {
        let (terms, length) = self.columns.vector(b);
        let dot = terms.iter().fold(0.0, |dot, &term| dot + marks.weights[term as usize]);
        let lengths = a.length * length;
        if lengths > 0.0 { dot / lengths } else { 0.0 }
    }

    /// Cosine of the vectors of two listings' terms.
    pub(super) fn cosine(&self, a: &Profile, b: &Profile) -> f64 {
        let mut dot = 0.0;
        shared(&a.terms, &b.terms, |term| dot += self.dictionary.idf[term as usize].powi(2));
        let lengths = a.length * b.length;
        if lengths > 0.0 { dot / lengths } else { 0.0 }
    }
}

/// Calls `each` with every term that both ascending lists hold.
pub(super) fn shared(a: &[u32], b: &[u32], mut each: impl FnMut(u32)) {
    let (mut x, mut y) = (0, 0);
    while x < a.len() && y < b.len() {
        match a[x].cmp(&b[y]) {
            std::cmp::Ordering::Less => x += 1,
            std::cmp::Ordering::Greater => y += 1,
            std::cmp::Ordering::Equal => {
                each(a[x]);
                (x, y) = (x + 1, y + 1);
            }
        }
    }
}
