//! The terms of category paths, by category.

use std::collections::HashSet;

use crate::lang::lexicon::{Kind, Lexicon};
use crate::lang::text::name::{is_accessory, label_head, label_product_types};
use crate::lang::text::terms::label_terms;
use crate::snapshot::columns::StringColumn;
use crate::snapshot::layout::{TermField, UNCATEGORIZED, term_field};
use crate::types::Country;

/// A category of the tree, with the text that is indexed.
#[derive(Debug, Clone, Copy)]
pub struct CategoryLabel<'a> {
    /// Slug path.
    pub slug: &'a str,
    /// Display label of the last segment.
    pub label: &'a str,
    /// The parent, unless the category is a root. Parents come before their children.
    pub parent: Option<u32>,
}

/// The terms that listings contain through their category.
#[derive(Debug, Default)]
pub(super) struct CategoryTerms {
    /// The terms of each category's path, each packed with its field ([`term_field`]), sorted by term.
    of: Vec<Vec<u32>>,
    /// The head nouns of last segments: "keyboard" of "Wireless Keyboards".
    head_nouns: HashSet<u32>,
    /// The number of terms of the longest path.
    longest: usize,
    /// The terms of the label of each category's parent, sorted.
    parents: Vec<Vec<u32>>,
    /// Whether products of each category are sold under names that do not state what they are.
    is_free_name: Vec<bool>,
    /// Whether the last segment of each category names only accessories.
    is_accessory: Vec<bool>,
    /// The union of `parents` over the categories with priced listings in a country, by country.
    of_parents: [HashSet<u32>; Country::ALL.len()],
    /// The terms of the last two segments of the same categories, by country.
    last_two: [HashSet<u32>; Country::ALL.len()],
}

impl CategoryTerms {
    /// Reads the labels of a category tree.
    ///
    /// # Errors
    /// Returns an error if a word is not in the term dictionary.
    pub(super) fn load(
        lexicon: &Lexicon,
        categories: &[CategoryLabel<'_>],
        terms: &StringColumn,
    ) -> Result<Self, String> {
        let mut all = Self::default();
        for node in categories {
            let label = if node.slug == UNCATEGORIZED { "" } else { node.label };
            let number = |term: &String| {
                let missing =
                    || format!("text: term {term:?} of category {} is not in the term dictionary", node.slug);
                terms.view().find(term).map(|number| number as u32).ok_or_else(missing)
            };
            let last: Vec<u32> = label_terms(lexicon, label).iter().map(number).collect::<Result<_, _>>()?;
            let named = label_product_types(lexicon, label);
            let product_types: Vec<u32> = named.iter().map(number).collect::<Result<_, _>>()?;
            all.is_accessory
                .push(!named.is_empty() && named.iter().all(|named| is_accessory(lexicon, named)));
            all.head_nouns.extend(label_head(lexicon, label).as_ref().map(number).transpose()?);
            let above: Vec<u32> = node.parent.map_or_else(Vec::new, |parent| all.terms(parent).collect());
            let above = above.into_iter().filter(|term| !last.contains(term));
            let mut own: Vec<u32> = above.map(|term| term_field::of(term, TermField::Above)).collect();
            own.extend(last.iter().map(|term| {
                let is_product_type = product_types.contains(term);
                term_field::of(
                    *term,
                    if is_product_type { TermField::CategoryType } else { TermField::CategoryTrait },
                )
            }));
            own.sort_unstable_by_key(|&of| term_field::term(of));
            own.dedup();
            let is_free_name = named.iter().any(|named| lexicon.has(Kind::FreeName, named))
                || node.parent.is_some_and(|parent| all.is_free_name[parent as usize]);
            all.is_free_name.push(is_free_name);
            all.longest = all.longest.max(own.len());
            all.of.push(own);
            let of_parent = node.parent.map_or_else(Vec::new, |parent| all.last_segment(parent));
            all.parents.push(of_parent);
        }
        Ok(all)
    }

    /// The number of categories.
    pub(super) fn count(&self) -> usize {
        self.of.len()
    }

    /// Records that a category has priced listings in a country.
    pub(super) fn note_priced(&mut self, category: u32, country: Country) {
        let last = self.last_segment(category);
        let parent = &self.parents[category as usize];
        self.of_parents[country.as_u8() as usize].extend(parent);
        self.last_two[country.as_u8() as usize].extend(last.iter().chain(parent));
    }

    /// The terms of a category's last segment, ascending.
    fn last_segment(&self, category: u32) -> Vec<u32> {
        let own = self.held_terms(category).iter();
        own.filter(|&&of| term_field::held(of) != TermField::Above).map(|&of| term_field::term(of)).collect()
    }

    /// Whether the last segment of a category names only accessories.
    pub(super) fn is_accessory(&self, category: u32) -> bool {
        self.is_accessory[category as usize]
    }

    /// Whether products of a category are sold under names that do not state what they are, and its last segment does
    /// not contain the term.
    pub(super) fn is_free_name(&self, category: u32, term: u32) -> bool {
        self.is_free_name[category as usize]
            && self.held(category, term).is_none_or(|held| held == TermField::Above)
    }

    /// Whether the role of a term may depend on the category in other ways than through its words.
    pub(super) fn has_category_rules(&self, category: u32) -> bool {
        self.is_free_name[category as usize] || self.is_accessory[category as usize]
    }

    /// Whether a term occurs in the second-last segment of a category's path.
    pub(super) fn is_in_parent(&self, category: u32, term: u32) -> bool {
        self.parents[category as usize].binary_search(&term).is_ok()
    }

    /// Whether a term occurs in the second-last segment of any category with priced listings in the country.
    pub(super) fn is_of_parents(&self, term: u32, country: Country) -> bool {
        self.of_parents[country.as_u8() as usize].contains(&term)
    }

    /// Whether a term occurs in the last two segments of any category with priced listings in the country.
    pub(super) fn is_of_last_two(&self, term: u32, country: Country) -> bool {
        self.last_two[country.as_u8() as usize].contains(&term)
    }

    /// The field in which a category's path contains a term; `None` if the path does not contain it.
    pub(super) fn held(&self, category: u32, term: u32) -> Option<TermField> {
        let own = &self.of[category as usize];
        own.iter().find(|&&of| term_field::term(of) == term).map(|&of| term_field::held(of))
    }

    /// The terms of a category's path.
    pub(super) fn terms(&self, category: u32) -> impl Iterator<Item = u32> {
        self.held_terms(category).iter().map(|&of| term_field::term(of))
    }

    /// The terms of a category's path, each packed with its field.
    pub(super) fn held_terms(&self, category: u32) -> &[u32] {
        &self.of[category as usize]
    }

    /// The number of terms of the longest path.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether a term is the head noun of the last segment of any category.
    pub(super) fn is_head(&self, term: u32) -> bool {
        self.head_nouns.contains(&term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_held_by_its_last_segment_before_those_above() {
        let own = vec![term_field::of(2, TermField::Above), term_field::of(7, TermField::CategoryType)];
        let mut categories = CategoryTerms {
            of: vec![vec![term_field::of(2, TermField::CategoryTrait)], own],
            head_nouns: HashSet::from([7]),
            longest: 2,
            parents: vec![Vec::new(), vec![2]],
            ..CategoryTerms::default()
        };
        assert_eq!(
            [2, 3, 7].map(|term| categories.held(1, term)),
            [Some(TermField::Above), None, Some(TermField::CategoryType)]
        );
        assert_eq!(categories.held(0, 7), None);
        assert!(categories.is_in_parent(1, 2) && !categories.is_in_parent(0, 2));
        categories.note_priced(1, Country::Ca);
        assert!(categories.is_of_parents(2, Country::Ca) && !categories.is_of_parents(2, Country::Us));
        assert!(categories.is_of_last_two(2, Country::Ca) && categories.is_of_last_two(7, Country::Ca));
        assert!(!categories.is_of_last_two(7, Country::Us));
        assert_eq!(categories.terms(1).collect::<Vec<_>>(), [2, 7]);
        assert_eq!((categories.is_head(7), categories.is_head(2)), (true, false));
    }
}
