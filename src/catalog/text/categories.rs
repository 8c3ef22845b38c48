//! The terms of category paths: by category, and where their listings lie.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::catalog::{Node, Taxonomy};
use crate::domain::Country;
use crate::domain::text::name::{Part, name_terms};
use crate::domain::text::terms::label_terms;
use crate::snapshot::columns::StringColumn;
use crate::snapshot::layout::{Held, UNCATEGORIZED, held_term};

/// The terms that listings hold by their category.
#[derive(Debug, Default)]
pub(super) struct CategoryTerms {
    /// The terms of each category's path and whether the last segment has them, by term.
    of: Vec<Vec<u32>>,
    /// Rows of the categories whose paths have a term, by country.
    rows: HashMap<u32, [Vec<Range<u32>>; Country::ALL.len()]>,
    /// The things that last segments name: "keyboard" of "Wireless Keyboards".
    heads: HashSet<u32>,
}

impl CategoryTerms {
    /// Reads the labels of a tree over so many rows.
    ///
    /// # Errors
    /// When a word is not among the terms, or a category's rows are not there.
    pub(super) fn load(taxonomy: &Taxonomy, terms: &StringColumn, rows: usize) -> Result<Self, String> {
        let mut all = Self::default();
        for (at, node) in (0..).zip(taxonomy.nodes()) {
            let is_silent = node.slug == UNCATEGORIZED;
            let label = if is_silent { Vec::new() } else { label_terms(&node.label) };
            let mut last = Vec::with_capacity(label.len());
            for term in label {
                let number = terms.view().find(&term);
                let missing = || format!("text: {term:?} of category {} is not among its terms", node.slug);
                last.push(number.ok_or_else(missing)? as u32);
            }
            let above: Vec<u32> = node.parent.map_or_else(Vec::new, |parent| all.terms(parent).collect());
            for &term in last.iter().filter(|term| !above.contains(term)) {
                all.take_rows(taxonomy, at, term, rows)?;
            }
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

    fn take_rows(&mut self, taxonomy: &Taxonomy, node: Node, term: u32, rows: usize) -> Result<(), String> {
        let ranges = self.rows.entry(term).or_default();
        for country in Country::ALL {
            let range = taxonomy.rows(country, node);
            if range.end as usize > rows {
                return Err(format!("indices: the rows of category {node} do not lie among the listings"));
            }
            if !range.is_empty() && ranges[country.as_u8() as usize].last() != Some(&range) {
                ranges[country.as_u8() as usize].push(range);
            }
        }
        Ok(())
    }

    /// How the listings of a category hold a term by it, if they do.
    pub(super) fn held(&self, category: u32, term: u32) -> Option<Held> {
        let own = &self.of[category as usize];
        own.iter().find(|&&of| held_term::term(of) == term).map(|&of| held_term::held(of))
    }

    /// The terms of a category's path.
    pub(super) fn terms(&self, category: u32) -> impl Iterator<Item = u32> {
        self.of[category as usize].iter().map(|&of| held_term::term(of))
    }

    /// Whether a term is the thing that the last segment of some category names.
    pub(super) fn is_head(&self, term: u32) -> bool {
        self.heads.contains(&term)
    }

    /// The terms of all categories with how they are held.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        self.of.iter().flatten().copied()
    }

    /// Whether the path of any category has the term.
    pub(super) fn any(&self, term: u32) -> bool {
        self.rows.contains_key(&term)
    }

    /// Rows of a country whose category's path has the term, priced or not: ranges apart from each other.
    pub(super) fn rows(&self, term: u32, country: Country) -> impl Iterator<Item = &Range<u32>> {
        self.rows.get(&term).into_iter().flat_map(move |rows| &rows[country.as_u8() as usize])
    }

    /// How many rows these are.
    pub(super) fn count(&self, term: u32, country: Country) -> usize {
        self.rows(term, country).map(ExactSizeIterator::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_held_by_its_last_segment_before_those_above() {
        let own = vec![held_term::of(2, Held::Above), held_term::of(7, Held::Category)];
        let rows = HashMap::from([(7, [vec![0..3, 5..9], vec![]])]);
        let categories = CategoryTerms { of: vec![Vec::new(), own], rows, heads: HashSet::from([7]) };
        assert_eq!(
            [2, 3, 7].map(|term| categories.held(1, term)),
            [Some(Held::Above), None, Some(Held::Category)]
        );
        assert_eq!(categories.held(0, 7), None);
        assert_eq!(categories.terms(1).collect::<Vec<_>>(), [2, 7]);
        let country = |code| Country::ALL.into_iter().find(|of| of.as_u8() == code).expect("a country");
        assert_eq!([0, 1].map(|code| categories.count(7, country(code))), [7, 0]);
        assert_eq!((categories.any(7), categories.any(2), categories.is_head(2)), (true, false, false));
    }
}
