//! Which pairs are looked at: listings of two platforms that share rare terms or part numbers.

use std::ops::Range;

use rayon::prelude::*;

use super::Linker;
use super::profile::Profile;

/// Most candidates of a listing on another platform.
const CANDIDATES_MAX: usize = 10;
/// Listings that are gathered for one listing, rarest terms first, in a small country.
const GATHERED_MAX: usize = 4096;
/// And in a large one.
const GATHERED_MIN: usize = 160;
/// Listings that are gathered for all of a country, roughly; between the two bounds for each.
const GATHERED: usize = 50_000_000;

/// Part numbers in order, and the listings that have them.
pub(super) struct Parts {
    sorted: Vec<Part>,
    /// By part number, then place.
    listings: Vec<u32>,
}

/// A part number.
struct Part {
    text: Box<str>,
    /// Where its listings end, in all of them.
    end: u32,
    /// How many begin with it, itself among them: they stand in a row.
    beginning: u32,
    /// The longest other one that it begins with.
    begins_with: Option<u32>,
}

impl Parts {
    pub(super) fn of(profiles: &[Profile]) -> Self {
        let mut all: Vec<(&str, u32)> = Vec::new();
        for (profile, at) in profiles.iter().zip(0..) {
            all.extend(profile.parts.iter().chain(&profile.mpn).map(|part| (&**part, at)));
        }
        all.par_sort_unstable();
        all.dedup();
        let mut sorted: Vec<Part> = Vec::new();
        // The beginnings of the one that is looked at, each of the next.
        let mut open: Vec<u32> = Vec::new();
        let mut end = 0;
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let text = same[0].0;
            end += same.len() as u32;
            while open.pop_if(|at| !text.starts_with(&*sorted[*at as usize].text)).is_some() {}
            for &at in &open {
                sorted[at as usize].beginning += 1;
            }
            let begins_with = open.last().copied();
            open.push(sorted.len() as u32);
            sorted.push(Part { text: text.into(), end, beginning: 1, begins_with });
        }
        Self { sorted, listings: all.into_iter().map(|(_, at)| at).collect() }
    }

    fn find(&self, part: &str) -> Option<usize> {
        self.sorted.binary_search_by(|other| (*other.text).cmp(part)).ok()
    }

    /// Listings of part numbers in a row.
    fn listings(&self, parts: Range<usize>) -> &[u32] {
        let end = |at: usize| at.checked_sub(1).map_or(0, |at| self.sorted[at].end as usize);
        &self.listings[end(parts.start)..end(parts.end)]
    }

    /// Listings with exactly this part number, by place.
    pub(super) fn holders(&self, part: &str) -> &[u32] {
        self.find(part).map_or(&[], |at| self.listings(at..at + 1))
    }

    /// Listings whose part number begins with this one, or that one's beginning.
    fn related(&self, part: &str, found: &mut Vec<u32>) {
        let Some(at) = self.find(part) else { return };
        let beginning = self.listings(at..at + self.sorted[at].beginning as usize);
        found.extend(beginning.iter().take(GATHERED_MAX));
        let above = |at: &usize| self.sorted[*at].begins_with.map(|at| at as usize);
        for at in std::iter::successors(above(&at), above) {
            found.extend(self.listings(at..at + 1).iter().take(GATHERED_MAX));
        }
    }
}

/// Terms and lengths of all listings side by side: most of the time goes into reading them.
pub(super) struct Vectors {
    terms: Vec<u32>,
    /// Terms of listing `i` end at `ends[i].0`; the length of their vector of weights.
    ends: Vec<(u32, f64)>,
}

impl Vectors {
    pub(super) fn of(profiles: &[Profile]) -> Self {
        let mut vectors = Self { terms: Vec::new(), ends: Vec::with_capacity(profiles.len()) };
        for profile in profiles {
            vectors.terms.extend_from_slice(&profile.terms);
            vectors.ends.push((vectors.terms.len() as u32, profile.length));
        }
        vectors
    }

    fn get(&self, at: u32) -> (&[u32], f64) {
        let at = at as usize;
        let from = if at == 0 { 0 } else { self.ends[at - 1].0 };
        let (end, length) = self.ends[at];
        (&self.terms[from as usize..end as usize], length)
    }
}

/// A set of numbers, one bit each.
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Room for numbers below this one, none of which is in it.
    fn none(end: usize) -> Self {
        Self { words: vec![0; end.div_ceil(u64::BITS as usize)] }
    }

    /// The listings with a barcode.
    pub(super) fn barcoded(profiles: &[Profile]) -> Self {
        let mut bits = Self::none(profiles.len());
        for (profile, at) in profiles.iter().zip(0..) {
            if profile.gtin != 0 {
                bits.flip(&[at]);
            }
        }
        bits
    }

    fn flip(&mut self, numbers: &[u32]) {
        for &number in numbers {
            self.words[number as usize / 64] ^= 1 << (number % 64);
        }
    }

    fn hold(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }
}

impl Linker {
    /// A set of no term, to be lent to [`Linker::candidates`] over and over.
    pub(super) fn no_marks(&self) -> Bits {
        Bits::none(self.lexicon.idf.len())
    }

    /// The candidates of a listing, at most ten on each other platform: those that share a part number first, then by
    /// cosine, then by uid. `marks` holds no term before and after.
    pub(super) fn candidates(&self, at: u32, marks: &mut Bits) -> Vec<u32> {
        let profile = &self.profiles[at as usize];
        let own = self.listings_of(profile.platform);
        // Two listings with a barcode are told apart by it.
        let may_link =
            |other: &u32| !own.contains(other) && (profile.gtin == 0 || !self.barcoded.hold(*other));
        let mut by_part = Vec::new();
        for part in profile.parts.iter().chain(&profile.mpn) {
            self.parts.related(part, &mut by_part);
        }
        by_part.retain(may_link);
        by_part.sort_unstable();
        by_part.dedup();
        let mut found = by_part.clone();
        self.gather(profile, may_link, &mut found);
        found.sort_unstable();
        found.dedup();
        marks.flip(&profile.terms);
        let mut kept = Vec::with_capacity(found.len());
        // Places lie by platform, then uid.
        let mut rest = found.as_slice();
        for &end in &self.platform_ends {
            let group;
            (group, rest) = rest.split_at(rest.partition_point(|&at| at < end));
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
        marks.flip(&profile.terms);
        kept
    }

    /// Listings that share a rare term, or two common ones; rarest terms first, as far as they are gathered.
    fn gather(&self, profile: &Profile, may_link: impl Fn(&u32) -> bool, found: &mut Vec<u32>) {
        let mut terms: Vec<(usize, u32)> =
            profile.terms.iter().map(|&term| (self.lexicon.holders(term).len(), term)).collect();
        terms.sort_unstable();
        let most = (GATHERED / self.profiles.len().max(1)).clamp(GATHERED_MIN, GATHERED_MAX);
        let (mut gathered, mut common) = (0, Vec::new());
        for (holders, term) in terms {
            gathered += holders;
            if gathered > most && gathered > holders {
                break;
            }
            let holders = self.lexicon.holders(term);
            // Of very many that hold a listing's rarest term, some are looked at, from all platforms alike.
            let holders = holders.iter().step_by(holders.len().div_ceil(GATHERED_MAX).max(1));
            let holders = holders.copied().filter(&may_link);
            if self.lexicon.is_common(term) {
                common.extend(holders);
            } else {
                found.extend(holders);
            }
        }
        common.sort_unstable();
        found.extend(common.chunk_by(|x, y| x == y).filter(|same| same.len() > 1).map(|same| same[0]));
    }

    /// [`Linker::cosine`] where the terms of `a` are marked; added up in the same order, so it is the same number.
    fn marked_cosine(&self, marks: &Bits, a: &Profile, b: u32) -> f64 {
        let (terms, length) = self.vectors.get(b);
        let common = terms.iter().filter(|&&term| marks.hold(term));
        let dot: f64 = common.map(|&term| self.lexicon.idf[term as usize].powi(2)).sum();
        let lengths = a.length * length;
        if lengths > 0.0 { dot / lengths } else { 0.0 }
    }

    /// Cosine of the vectors of two listings' terms.
    pub(super) fn cosine(&self, a: &Profile, b: &Profile) -> f64 {
        let mut dot = 0.0;
        shared(&a.terms, &b.terms, |term| dot += self.lexicon.idf[term as usize].powi(2));
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
