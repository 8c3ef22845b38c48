//! Bit sets of the places that have a frequent term: asking one costs a load, whatever the term's number of places.

use crate::snapshot::layout::posting;

/// A term is frequent when one in this many places has it; its bits then take no more than twice its postings.
const FREQUENT_ONE_IN: usize = 128;

/// The bit sets of frequent terms.
#[derive(Debug, Default)]
pub(super) struct FrequentTerms {
    /// Ascending.
    terms: Vec<u32>,
    sets: Vec<PlaceSet>,
}

/// A set of places.
#[derive(Debug)]
pub(super) struct PlaceSet(Vec<u64>);

impl FrequentTerms {
    /// The sets of those among the terms 0, 1, 2, … with these postings that are frequent among `all` places.
    pub(super) fn of<'a>(lists: impl Iterator<Item = &'a [u64]>, all: usize) -> Self {
        let frequent = |postings: &&[u64]| !postings.is_empty() && postings.len() * FREQUENT_ONE_IN >= all;
        let (terms, sets) = (0..)
            .zip(lists)
            .filter(|(_, postings)| frequent(postings))
            .map(|(term, postings)| (term, PlaceSet::of(postings, all)))
            .unzip();
        Self { terms, sets }
    }

    /// The set of a term, if it is frequent.
    pub(super) fn get(&self, term: u32) -> Option<&PlaceSet> {
        self.terms.binary_search(&term).ok().map(|at| &self.sets[at])
    }
}

impl PlaceSet {
    fn of(postings: &[u64], all: usize) -> Self {
        let mut words = vec![0; all.div_ceil(u64::BITS as usize)];
        for place in postings.iter().copied().map(posting::place) {
            words[place as usize / u64::BITS as usize] |= 1 << (place % u64::BITS);
        }
        Self(words)
    }

    /// Whether a place is in the set.
    pub(super) fn has(&self, place: u32) -> bool {
        self.0[place as usize / u64::BITS as usize] >> (place % u64::BITS) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequent_term_knows_its_places() {
        let postings = |places: &[u32]| -> Vec<u64> {
            places.iter().map(|&place| posting::of(place, 3, posting::bit(7), 1)).collect()
        };
        let (rare, often) = (postings(&[5]), postings(&(0..1_000).step_by(3).collect::<Vec<u32>>()));
        let frequent = FrequentTerms::of([&rare[..], &often, &[]].into_iter(), 1_000);
        assert!(frequent.get(0).is_none() && frequent.get(2).is_none());
        let set = frequent.get(1).expect("a frequent term");
        assert!((0..1_000).all(|place| set.has(place) == (place % 3 == 0)));
    }
}
