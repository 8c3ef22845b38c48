//! What is left of a version that nothing matches as a whole.

use super::version::Version;
use super::{Search, is_ask_word, longest_prefix};
use crate::catalog::{Heaviest, Weighed};
use crate::domain::everyday;

/// Binary digits of a weight behind its point, so that sums of weights are exact.
const WEIGHT_FRACTION_BITS: i32 = 20;

/// A term of a version, once.
struct Distinct {
    folded: String,
    term: Option<u32>,
    weight: u64,
}

/// What is kept of a version: of each distinct term whether it is.
pub(super) struct Kept {
    pub(super) terms: Vec<bool>,
    weight: u64,
    of: u64,
}

/// What was found of the version before, which mostly has the same terms.
#[derive(Default)]
pub(super) struct Before {
    /// Its terms, and how many leading ones some listing holds together.
    terms: Vec<u32>,
    held: usize,
    heaviest: Option<Heaviest>,
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// What is left of a version when unknown terms, then ask-words, then the last ones went until something matches, or
    /// the heaviest terms that some listing holds together where that keeps less than half; `None` when nothing of weight
    /// is. What was found of the version before is looked at, and becomes what was found of this one.
    pub(super) fn dropped(&self, version: &Version, before: &mut Before) -> Option<Kept> {
        let terms: Vec<Distinct> = version.distinct().into_iter().map(|of| self.weighed(of)).collect();
        let known: Vec<usize> = (0..terms.len()).filter(|&at| terms[at].term.is_some()).collect();
        let number = |ats: &[usize]| -> Vec<u32> { ats.iter().filter_map(|&at| terms[at].term).collect() };
        let mut kept = known.clone();
        if !self.catalog.text.any(&number(&kept), self.wanted) {
            kept.retain(|&at| !is_ask_word(&terms[at].folded));
            kept.truncate(self.leading(number(&kept), before));
        }
        let weight = |ats: &[usize]| ats.iter().map(|&at| terms[at].weight).sum::<u64>();
        if 2 * weight(&kept) < weight(&known) {
            let weighed: Vec<Weighed> = known
                .iter()
                .filter_map(|&at| Some(Weighed { term: terms[at].term?, weight: terms[at].weight }))
                .collect();
            let found = self.catalog.text.heaviest(&weighed, self.wanted, before.heaviest.as_ref());
            kept = known.iter().zip(&found.held).filter(|(_, held)| **held).map(|(&at, _)| at).collect();
            before.heaviest = Some(found);
        }
        let of = terms.iter().map(|of| of.weight).sum();
        let mut is_kept = vec![false; terms.len()];
        for &at in &kept {
            is_kept[at] = true;
        }
        // Words about asking are no answer to what was asked for.
        let weight = weight(&kept);
        (weight > 0).then_some(Kept { terms: is_kept, weight, of })
    }

    /// How many leading terms some listing holds together.
    fn leading(&self, terms: Vec<u32>, before: &mut Before) -> usize {
        let common = terms.iter().zip(&before.terms).take_while(|(term, before)| term == before).count();
        if common <= before.held {
            before.held = longest_prefix(self.catalog, &terms, common, self.wanted);
        }
        before.terms = terms;
        before.held
    }

    /// A term with its weight: how rare it is, nothing for an ask-word, twice for the thing that a category names; a colour
    /// is none.
    fn weighed(&self, (folded, term): (String, Option<u32>)) -> Distinct {
        let (text, country) = (&self.catalog.text, self.wanted.country);
        let with = term.map_or(0, |term| text.priced_with(term, country));
        let weight = (text.idf(with, country) * 2_f64.powi(WEIGHT_FRACTION_BITS)).round() as u64;
        let weight = match term {
            _ if is_ask_word(&folded) => 0,
            Some(term) if text.names_category(term) && !everyday::table().is_colour(&folded) => 2 * weight,
            _ => weight,
        };
        Distinct { folded, term, weight }
    }
}

impl Kept {
    /// Whether this is a greater part of its version than the other is of its own.
    pub(super) fn keeps_more_than(&self, other: &Self) -> bool {
        u128::from(self.weight) * u128::from(other.of) > u128::from(other.weight) * u128::from(self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greater_share_wins_and_the_earlier_of_equals() {
        let kept = |weight, of| Kept { terms: Vec::new(), weight, of };
        assert!(kept(2, 3).keeps_more_than(&kept(1, 2)));
        assert!(!kept(1, 2).keeps_more_than(&kept(2, 4)), "equal shares");
        assert!(!kept(1, 3).keeps_more_than(&kept(1, 2)));
        assert!(kept(u64::MAX, u64::MAX).keeps_more_than(&kept(u64::MAX - 1, u64::MAX)), "no overflow");
    }
}
