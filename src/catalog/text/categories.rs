//! The terms of category paths, by category.

use std::collections::HashSet;

use crate::catalog::Taxonomy;
use crate::domain::text::name::{Part, name_terms};
use crate::domain::text::terms::label_terms;
use crate::snapshot::columns::StringColumn;
use crate::snapshot::layout::{Held, UNCATEGORIZED, held_term};

/// The terms that listings hold by their category.
#[derive(Debug, Default)]
pub(super) struct CategoryTerms {
    /// The terms of each category's path and whether the last segment has them, by term.
    of: Vec<Vec<u32>>,
    /// The things that last segments name: "keyboard" of "Wireless Keyboards".
    heads: HashSet<u32>,
}

impl CategoryTerms {
    /// Reads the labels of a tree.
    ///
    /// # Errors
    /// When a word is not among the terms.
    pub(super) fn load(taxonomy: &Taxonomy, terms: &StringColumn) -> Result<Self, String> {
        let mut all = Self::default();
        for node in taxonomy.nodes() {
            let is_silent = node.slug == UNCATEGORIZED;
            let label = if is_silent { Vec::new() } else { label_terms(&node.label) };
            let mut last = Vec::with_capacity(label.len());
            for term in label {
                let number = terms.view().find(&term);
                let missing = || format!("text: {term:?} of category {} is not among its terms", node.slug);
                last.push(number.ok_or_else(missing)? as u32);
            }
            let above: Vec<u32> = node.parent.map_or_else(Vec::new, |parent| all.terms(parent).collect());
            let head = name_terms(&node.label).into_iter().find(|term| !is_silent && term.part == Part::Head);
            all.heads.extend(head.and_then(|head| terms.view().find(&head.folded)).map(|term| term as u32));
            let above = above.into_iter().filter(|term| !last.contains(term));
            let mut own: Vec<u32> = above.map(|term| held_term::of(term, Held::Above)).collect();
            own.extend(last.iter().map(|&term| held_term::of(term, Held::Category)));
            own.sort_unstable_by_key(|&of| held_term::term(of));
            own.dedup();
            all.of.push(own);
        }
        Ok(all)
    }

    /// How the listings of a category hold a term by it, if they do.
    pub(super) fn held(&self, category: u32, term: u32) -> Option<Held> {
        let own = &self.of[category as usize];
        own.iter().find(|&&of| held_term::term(of) == term).map(|&of| held_term::held(of))
    }

    /// The terms of a category's path.
    pub(super) fn terms(&self, category: u32) -> impl Iterator<Item = u32> {
        self.held_terms(category).iter().map(|&of| held_term::term(of))
    }

    /// The terms of a category's path, and how its listings hold them by it.
    pub(super) fn held_terms(&self, category: u32) -> &[u32] {
        &self.of[category as usize]
    }

    /// Whether a term is the thing that the last segment of some category names.
    pub(super) fn is_head(&self, term: u32) -> bool {
        self.heads.contains(&term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_held_by_its_last_segment_before_those_above() {
        let own = vec![held_term::of(2, Held::Above), held_term::of(7, Held::Category)];
        let categories = CategoryTerms { of: vec![Vec::new(), own], heads: HashSet::from([7]) };
        assert_eq!(
            [2, 3, 7].map(|term| categories.held(1, term)),
            [Some(Held::Above), None, Some(Held::Category)]
        );
        assert_eq!(categories.held(0, 7), None);
        assert_eq!(categories.terms(1).collect::<Vec<_>>(), [2, 7]);
        assert_eq!((categories.is_head(7), categories.is_head(2)), (true, false));
    }
}
