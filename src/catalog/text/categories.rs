//! The terms of category paths: by category, and where their listings lie.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::catalog::{Node, Taxonomy};
use crate::domain::Country;
use crate::domain::text::name::{Part, name_terms};
use crate::domain::text::terms::label_terms;
use crate::snapshot::columns::StringColumn;
use crate::snapshot::layout::{Held, UNCATEGORIZED, held_term};

/// Rows by country, and how they hold a term by their category.
type HeldRows = [Vec<(Held, Range<u32>)>; Country::ALL.len()];

/// The terms that listings hold by their category.
#[derive(Debug, Default)]
pub(super) struct CategoryTerms {
    /// The terms of each category's path and whether the last segment has them, by term.
    of: Vec<Vec<u32>>,
    /// Rows of the categories whose paths have a term, and how they hold it, by country.
    rows: HashMap<u32, HeldRows>,
    /// The things that last segments name: "keyboard" of "Wireless Keyboards".
    heads: HashSet<u32>,
}

impl CategoryTerms {
    /// Reads the labels of a tree over so many rows.
    ///
    /// # Errors
    /// When a word is not among the terms, or a category's rows are not among the listings.
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
            let head = name_terms(&node.label).into_iter().find(|term| !is_silent && term.part == Part::Head);
            all.heads.extend(head.and_then(|head| terms.view().find(&head.folded)).map(|term| term as u32));
            let above = above.into_iter().filter(|term| !last.contains(term));
            let mut own: Vec<u32> = above.map(|term| held_term::of(term, Held::Above)).collect();
            own.extend(last.iter().map(|&term| held_term::of(term, Held::Category)));
            own.sort_unstable_by_key(|&of| held_term::term(of));
            own.dedup();
            all.take_rows(&own, &own_rows(taxonomy, at, rows)?);
            all.of.push(own);
        }
        Ok(all)
    }

    /// Takes the rows of a category, by country, for the terms of its path. Rows that follow those of the category before
    /// and hold the term as they do are one range with them.
    fn take_rows(&mut self, terms: &[u32], rows: &[Range<u32>; Country::ALL.len()]) {
        for &of in terms {
            let held = held_term::held(of);
            let ranges = self.rows.entry(held_term::term(of)).or_default();
            for (ranges, rows) in ranges.iter_mut().zip(rows) {
                match ranges.last_mut() {
                    _ if rows.is_empty() => {}
                    Some((as_before, before)) if *as_before == held && before.end == rows.start => {
                        before.end = rows.end;
                    }
                    _ => ranges.push((held, rows.clone())),
                }
            }
        }
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

    /// Rows of a country whose category's path has the term, priced or not, and how they hold it by it: ranges apart from
    /// each other.
    pub(super) fn rows(&self, term: u32, country: Country) -> impl Iterator<Item = &(Held, Range<u32>)> {
        self.rows.get(&term).into_iter().flat_map(move |rows| &rows[country.as_u8() as usize])
    }

    /// How many rows these are.
    pub(super) fn count(&self, term: u32, country: Country) -> usize {
        self.rows(term, country).map(|(_, rows)| rows.len()).sum()
    }
}

/// The rows of a category that lie in none of its children, by country: they come first. Whether the rows of categories
/// are those of its listings is checked later.
///
/// # Errors
/// When they do not lie among so many rows.
fn own_rows(
    taxonomy: &Taxonomy,
    node: Node,
    rows: usize,
) -> Result<[Range<u32>; Country::ALL.len()], String> {
    let all = Country::ALL.map(|country| taxonomy.rows(country, node));
    if all.iter().any(|all| all.end as usize > rows) {
        return Err(format!("indices: the rows of category {node} do not lie among the listings"));
    }
    Ok(Country::ALL.map(|country| {
        let all = &all[country.as_u8() as usize];
        let mut below =
            (node + 1..taxonomy.node(node).subtree_end).map(|child| taxonomy.rows(country, child));
        let end = below.find(|rows| !rows.is_empty()).map_or(all.end, |rows| rows.start.min(all.end));
        all.start.min(end)..end
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_held_by_its_last_segment_before_those_above() {
        let own = vec![held_term::of(2, Held::Above), held_term::of(7, Held::Category)];
        let rows = HashMap::from([(7, [vec![(Held::Category, 0..3), (Held::Above, 5..9)], vec![]])]);
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
