//! Bit sets of the places that have a frequent term: asking one costs a load, whatever the term's number of places.

use crate::snapshot::layout::posting;

/// A term is frequent when one in this many places has it; its bits then take no more than four times its list.
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
    pub(super) fn of<'a>(lists: impl Iterator<Item = &'a [u32]>, all: usize) -> Self {
        let frequent = |postings: &&[u32]| !postings.is_empty() && postings.len() * FREQUENT_ONE_IN >= all;
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
    fn of(postings: &[u32], all: usize) -> Self {
        let mut words = vec![0; all.div_ceil(u64::BITS as usize)];
        for place in postings.iter().copied().map(posting::place) {
            words[place as usize / u64::BITS as usize] |= 1 << (place % u64::BITS);
        }
        Self(words)
    }

    /// Moves the postings whose places are in the set to the front and counts them. Without a branch, as nobody can
    /// guess them.
    pub(super) fn thin(&self, postings: &mut [u32]) -> usize {
        let mut left = 0;
        for at in 0..postings.len() {
            let of = postings[at];
            postings[left] = of;
            let place = posting::place(of);
            let word = self.0[place as usize / u64::BITS as usize];
            left += (word >> (place % u64::BITS) & 1) as usize;
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequent_term_thins_out_postings() {
        let postings =
            |places: &[u32]| places.iter().map(|&place| posting::of(place, 1 + place % 2)).collect();
        let often: Vec<u32> = postings(&(0..1_000).step_by(3).collect::<Vec<u32>>());
        let lists = [&[5][..], &often, &[]];
        let frequent = FrequentTerms::of(lists.into_iter(), 1_000);
        assert!(frequent.get(0).is_none() && frequent.get(2).is_none());
        let mut some: Vec<u32> = postings(&[0, 1, 63, 64, 65, 66, 998, 999]);
        let left = frequent.get(1).map(|set| set.thin(&mut some));
        assert_eq!(left.map(|left| some[..left].to_vec()), Some(postings(&[0, 63, 66, 999])));
    }
}
