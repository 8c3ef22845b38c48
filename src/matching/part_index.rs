//! Part numbers of a country, which of them begin with which, and the listings that have them.

use std::ops::Range;

use rayon::prelude::*;

/// Part numbers in order.
pub(super) struct Parts {
    sorted: Vec<Part>,
    /// Listings by part number, then place.
    listings: Vec<u32>,
}

struct Part {
    text: Box<str>,
    /// Where its listings end among all.
    end: u32,
    /// How many begin with it, itself among them: they stand in a row.
    family: u32,
    /// The longest other one that it begins with.
    begins_with: Option<u32>,
}

impl Parts {
    /// Of part numbers, each with the place of a listing that has it.
    pub(super) fn of<'a>(parts: impl Iterator<Item = (&'a str, u32)>) -> Self {
        let mut all: Vec<(&str, u32)> = parts.collect();
        all.par_sort_unstable();
        all.dedup();
        let mut sorted: Vec<Part> = Vec::new();
        // Those that the last one begins with, and itself.
        let mut beginnings: Vec<u32> = Vec::new();
        let mut end = 0;
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let text = same[0].0;
            end += same.len() as u32;
            while beginnings.pop_if(|at| !text.starts_with(&*sorted[*at as usize].text)).is_some() {}
            for &at in &beginnings {
                sorted[at as usize].family += 1;
            }
            let begins_with = beginnings.last().copied();
            beginnings.push(sorted.len() as u32);
            sorted.push(Part { text: text.into(), end, family: 1, begins_with });
        }
        Self { sorted, listings: all.into_iter().map(|(_, at)| at).collect() }
    }

    fn find(&self, part: &str) -> Option<usize> {
        self.sorted.binary_search_by(|other| (*other.text).cmp(part)).ok()
    }

    /// Listings of part numbers that stand in a row.
    fn listings(&self, parts: Range<usize>) -> &[u32] {
        let end = |at: usize| at.checked_sub(1).map_or(0, |at| self.sorted[at].end as usize);
        &self.listings[end(parts.start)..end(parts.end)]
    }

    /// Listings with exactly this part number, by place.
    pub(super) fn postings(&self, part: &str) -> &[u32] {
        self.find(part).map_or(&[], |at| self.listings(at..at + 1))
    }

    /// Listings whose part number begins with this one, which some listing has, or is a beginning of it; at most so many
    /// of each.
    pub(super) fn related(&self, part: &str, most: usize) -> Vec<u32> {
        let Some(at) = self.find(part) else { return Vec::new() };
        let family = self.listings(at..at + self.sorted[at].family as usize);
        let mut related: Vec<u32> = family.iter().take(most).copied().collect();
        let beginning = |at: &usize| self.sorted[*at].begins_with.map(|at| at as usize);
        for at in std::iter::successors(beginning(&at), beginning) {
            related.extend(self.listings(at..at + 1).iter().take(most));
        }
        related
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_same_parts_as_a_full_scan(
            parts in prop::collection::vec("[a1é]{1,5}", 0..40),
        ) {
            let places = || parts.iter().map(String::as_str).zip(0_u32..);
            let known = Parts::of(places().chain(places().take(3)));
            let sorted = |mut places: Vec<u32>| { places.sort_unstable(); places };
            for part in &parts {
                let same: Vec<u32> = places().filter(|(other, _)| other == part).map(|(_, at)| at).collect();
                prop_assert_eq!(known.postings(part), same);
                let begins = |(other, _): &(&str, u32)| other.starts_with(part.as_str()) || part.starts_with(other);
                let all: Vec<u32> = places().filter(begins).map(|(_, at)| at).collect();
                prop_assert_eq!(sorted(known.related(part, usize::MAX)), all);
            }
            prop_assert!(known.postings("b").is_empty() && known.related("b", usize::MAX).is_empty());
        }
    }

    #[test]
    fn so_many_of_each_are_told() {
        let parts = Parts::of(["ab12", "ab1", "ab12", "ab12c", "ab1"].into_iter().zip(0..));
        assert_eq!(parts.related("ab12", 2), [0, 2, 1, 4]);
        assert_eq!(parts.related("ab12", 1), [0, 1]);
        assert_eq!(parts.related("ab1", 9), [1, 4, 0, 2, 3]);
    }
}
