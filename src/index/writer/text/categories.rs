//! What the paths of categories say.

use std::collections::BTreeMap;

use super::super::super::normalized::{NONE, Names};
use super::labels::Labels;
use super::numbers::Numbers;
use crate::snapshot::layout::{TermField, term_field};

/// The terms of every category's path and how its listings hold them by it.
pub(super) struct CategoryTerms {
    /// The terms of category `i` end at `ends[i]`.
    ends: Vec<usize>,
    held_terms: Vec<u32>,
}

impl CategoryTerms {
    /// What the paths of categories say, given what their labels do.
    pub(super) fn of(names: &Names, labels: &Labels, numbers: &Numbers) -> Self {
        let mut all = Self { ends: Vec::new(), held_terms: Vec::new() };
        for (at, category) in (0..).zip(&names.categories) {
            let numbered = numbers.of_labels[labels.categories.range(at)].iter();
            let held = labels.categories.get(at).filter_map(|term| labels.held(at, term));
            let mut last: BTreeMap<u32, TermField> = numbered.copied().zip(held).collect();
            let above: &[u32] = if category.parent == NONE { &[] } else { all.at(category.parent) };
            for &of in above {
                last.entry(term_field::term(of)).or_insert(TermField::Above);
            }
            all.held_terms.extend(last.into_iter().map(|(term, held)| term_field::of(term, held)));
            all.ends.push(all.held_terms.len());
        }
        all
    }

    /// The terms of a category's path, each once, and how its listings hold them by it.
    pub(super) fn at(&self, category: u32) -> &[u32] {
        let category = category as usize;
        let from = if category == 0 { 0 } else { self.ends[category - 1] };
        &self.held_terms[from..self.ends[category]]
    }
}
