//! The terms of the labels of brands and categories, and those of the paths of categories.

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;

use crate::index::normalized::{Category, Names};
use crate::lang::text::name::{label_head, label_product_types};
use crate::lang::text::terms::label_terms;
use crate::snapshot::Strings;
use crate::snapshot::layout::{TermField, UNCATEGORIZED};

/// Labels that are split at a time.
const LABELS_AT_A_TIME: usize = 1 << 14;

/// What labels say.
pub(super) struct Labels {
    /// Of each brand.
    pub brands: Lists,
    /// Of the last segment of each category; nothing where nothing is said.
    pub categories: Lists,
    /// The things that it names.
    pub things: Lists,
    /// The heads of all.
    heads: HashSet<String>,
}

/// Lists of terms, all in one buffer.
#[derive(Default)]
pub(super) struct Lists {
    /// List `i` ends at `ends[i]`.
    ends: Vec<usize>,
    terms: Strings,
}

impl Labels {
    pub(super) fn of(names: &Names) -> Self {
        Self {
            brands: Lists::of(&names.brands, |brand| label_terms(&names.lexicon, &brand.label)),
            categories: Lists::of(&names.categories, |category| label_terms(&names.lexicon, label(category))),
            things: Lists::of(&names.categories, |category| {
                label_product_types(&names.lexicon, label(category))
            }),
            heads: names
                .categories
                .iter()
                .filter_map(|category| label_head(&names.lexicon, label(category)))
                .collect(),
        }
    }

    /// How the listings of a category hold a term by its last segment, if they do.
    pub(super) fn held(&self, category: u32, term: &str) -> Option<TermField> {
        let is_in = |lists: &Lists| lists.get(category).any(|other| other == term);
        let is_product_type = || is_in(&self.things);
        is_in(&self.categories)
            .then(|| if is_product_type() { TermField::CategoryType } else { TermField::CategoryTrait })
    }

    /// Whether a category, which need not be the listing's, is named after a thing.
    pub(super) fn names(&self, thing: &str) -> bool {
        self.heads.contains(thing)
    }
}

/// What a category is called; nothing where that says nothing.
fn label(category: &Category) -> &str {
    if category.slug == UNCATEGORIZED { "" } else { &category.label }
}

impl Lists {
    fn of<T: Sync>(all: &[T], terms: impl Fn(&T) -> Vec<String> + Sync) -> Self {
        let mut lists = Self::default();
        for all in all.chunks(LABELS_AT_A_TIME) {
            let split: Vec<Vec<String>> = all.par_iter().map(&terms).collect();
            for list in split {
                for term in &list {
                    lists.terms.push(term);
                }
                lists.ends.push(lists.terms.len());
            }
        }
        lists
    }

    /// Where the terms of a list lie among all; nowhere if there is no such list.
    pub(super) fn range(&self, list: u32) -> Range<usize> {
        let list = list as usize;
        match self.ends.get(list) {
            Some(&end) => list.checked_sub(1).map_or(0, |before| self.ends[before])..end,
            None => 0..0,
        }
    }

    /// The terms of a list; none if there is no such list.
    pub(super) fn get(&self, list: u32) -> impl Iterator<Item = &str> {
        self.range(list).map(|at| self.terms.get(at))
    }

    /// The terms of all lists.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.terms.iter()
    }
}
