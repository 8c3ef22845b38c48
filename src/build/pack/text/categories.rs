//! What the paths of categories say.

use super::super::super::canonical::{NONE, Names};
use super::labels::Labels;
use super::numbers::Numbers;
use crate::snapshot::layout::{Held, posting};

/// The terms of every category's path.
pub(super) struct CategoryTerms {
    /// All of them, ascending.
    pub terms: Vec<u32>,
    /// A bit for each way in which categories hold each.
    pub held: Vec<u8>,
    /// The bits of postings of each category's terms.
    pub bits: Vec<u64>,
    /// The terms of category `i` end at `ends[i]`.
    ends: Vec<usize>,
    /// Their places among all.
    of: Vec<u32>,
}

impl CategoryTerms {
    /// What the paths of categories say, given what their labels do.
    pub(super) fn of(names: &Names, labels: &Labels, numbers: &Numbers) -> Self {
        let mut terms = numbers.of_labels.clone();
        terms.sort_unstable();
        terms.dedup();
        let held = vec![0; terms.len()];
        let mut all = Self { terms, held, bits: Vec::new(), ends: Vec::new(), of: Vec::new() };
        for (at, category) in (0..).zip(&names.categories) {
            let place = |number: &u32| all.terms.partition_point(|term| term < number) as u32;
            let mut last: Vec<u32> =
                numbers.of_labels[labels.categories.range(at)].iter().map(place).collect();
            last.sort_unstable();
            last.dedup();
            let above: &[u32] = if category.parent == NONE { &[] } else { all.at(category.parent) };
            let above: Vec<u32> =
                above.iter().copied().filter(|term| last.binary_search(term).is_err()).collect();
            for (terms, held) in [(&last, Held::Category), (&above, Held::Above)] {
                for &term in terms {
                    all.held[term as usize] |= 1 << held as u8;
                }
                all.of.extend_from_slice(terms);
            }
            all.ends.push(all.of.len());
            all.bits.push(posting::bits(all.at(at).iter().map(|&term| all.terms[term as usize])));
        }
        all
    }

    /// The terms of a category's path, each once, as places among all.
    pub(super) fn at(&self, category: u32) -> &[u32] {
        let category = category as usize;
        let from = if category == 0 { 0 } else { self.ends[category - 1] };
        &self.of[from..self.ends[category]]
    }
}
