//! Which pairs are looked at: listings of two platforms that share rare terms or part numbers.

use super::Linker;
use super::profile::Profile;
use super::terms::PART_CHARS_MIN;

/// Most candidates of a listing on another platform.
const CANDIDATES_MAX: usize = 10;
/// Listings that are gathered for one listing, rarest terms first, in a small country.
const GATHERED_MAX: usize = 4096;
/// And in a large one.
const GATHERED_MIN: usize = 160;
/// Listings that are gathered for all of a country, roughly; between the two bounds for each.
const GATHERED: usize = 50_000_000;

/// Part numbers in order, each with a listing that has it.
pub(super) struct Parts {
    sorted: Vec<(Box<str>, u32)>,
}

impl Parts {
    pub(super) fn of(profiles: &[Profile]) -> Self {
        let numbers =
            |profile: &Profile| profile.parts.iter().chain(&profile.mpn).cloned().collect::<Vec<_>>();
        let mut sorted: Vec<(Box<str>, u32)> = profiles
            .iter()
            .zip(0..)
            .flat_map(|(profile, at)| numbers(profile).into_iter().map(move |part| (part, at)))
            .collect();
        sorted.sort_unstable();
        sorted.dedup();
        Self { sorted }
    }

    /// Listings whose part number begins with `prefix`.
    fn beginning_with(&self, prefix: &str) -> &[(Box<str>, u32)] {
        let from = self.sorted.partition_point(|(part, _)| &**part < prefix);
        let all = &self.sorted[from..];
        &all[..all.partition_point(|(part, _)| part.starts_with(prefix))]
    }

    /// Listings with exactly this part number.
    pub(super) fn holders(&self, part: &str) -> &[(Box<str>, u32)] {
        let all = self.beginning_with(part);
        &all[..all.partition_point(|(other, _)| &**other == part)]
    }

    /// Listings whose part number begins with this one, or that one's beginning.
    fn related(&self, part: &str, found: &mut Vec<u32>) {
        found.extend(self.beginning_with(part).iter().take(GATHERED_MAX).map(|(_, at)| *at));
        for end in (PART_CHARS_MIN..part.len()).filter(|&end| part.is_char_boundary(end)) {
            found.extend(self.holders(&part[..end]).iter().take(GATHERED_MAX).map(|(_, at)| *at));
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

/// A set of terms, one bit each.
pub(super) struct Marks {
    bits: Vec<u64>,
}

impl Marks {
    fn flip(&mut self, terms: &[u32]) {
        for &term in terms {
            self.bits[term as usize / 64] ^= 1 << (term % 64);
        }
    }

    fn hold(&self, term: u32) -> bool {
        self.bits[term as usize / 64] >> (term % 64) & 1 == 1
    }
}

impl Linker {
    /// A set of no term, to be lent to [`Linker::candidates`] over and over.
    pub(super) fn no_marks(&self) -> Marks {
        Marks { bits: vec![0; self.lexicon.idf.len().div_ceil(64)] }
    }

    /// The candidates of a listing, at most ten on each other platform: those that share a part number first, then by
    /// cosine, then by uid. `marks` holds no term before and after.
    pub(super) fn candidates(&self, at: u32, marks: &mut Marks) -> Vec<u32> {
        let profile = &self.profiles[at as usize];
        let mut by_part = Vec::new();
        for part in profile.parts.iter().chain(&profile.mpn) {
            self.parts.related(part, &mut by_part);
        }
        by_part.sort_unstable();
        by_part.dedup();
        let mut found = by_part.clone();
        self.gather(profile, &mut found);
        found.sort_unstable();
        found.dedup();
        found.retain(|&other| {
            let other = &self.profiles[other as usize];
            other.platform != profile.platform && (profile.gtin == 0 || other.gtin == 0)
        });
        marks.flip(&profile.terms);
        // Places lie by platform, then uid.
        let platform = |at: &u32| self.profiles[*at as usize].platform;
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
        marks.flip(&profile.terms);
        kept
    }

    /// Listings that share a rare term, or two common ones; rarest terms first, as far as they are gathered.
    fn gather(&self, profile: &Profile, found: &mut Vec<u32>) {
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
            // Two listings with a barcode are told apart by it.
            let may_link = |other: &&u32| profile.gtin == 0 || self.profiles[**other as usize].gtin == 0;
            let holders = holders.filter(may_link).copied();
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
    fn marked_cosine(&self, marks: &Marks, a: &Profile, b: u32) -> f64 {
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
