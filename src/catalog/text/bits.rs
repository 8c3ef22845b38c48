//! Bit sets of the places that hold a frequent term: asking one costs a load, whatever the term's number of places.

use super::TextIndex;
use crate::domain::Country;

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
    /// The sets of those terms that are frequent, by name, brand or category.
    pub(super) fn of(index: &TextIndex) -> Self {
        let all = index.place_row.len();
        let by_category = |term| Country::ALL.map(|country| index.categories.count(term, country));
        let frequent = |&term: &u32| {
            let places = index.postings(term).len() + by_category(term).iter().sum::<usize>();
            places > 0 && places * FREQUENT_ONE_IN >= all
        };
        let terms: Vec<u32> = (0..index.term_held.len() as u32).filter(frequent).collect();
        let sets = terms.iter().map(|&term| PlaceSet::of(index.places_with(term), all)).collect();
        Self { terms, sets }
    }

    /// The set of a term, if it is frequent.
    pub(super) fn get(&self, term: u32) -> Option<&PlaceSet> {
        self.terms.binary_search(&term).ok().map(|at| &self.sets[at])
    }
}

impl PlaceSet {
    fn of(places: impl Iterator<Item = u32>, all: usize) -> Self {
        let mut words = vec![0; all.div_ceil(u64::BITS as usize)];
        for place in places {
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
    fn a_set_knows_its_places() {
        let set = PlaceSet::of((0..1_000).step_by(3), 1_000);
        assert!((0..1_000).all(|place| set.has(place) == (place % 3 == 0)));
    }
}
