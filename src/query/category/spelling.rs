//! Finds categories for a mistyped text by correcting one of its words.
//!
//! The known words are the words of the country's category segments and of the everyday table. The maximum number of
//! edits is the same as in product search.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Candidate, MatchSource, View};
use crate::analytics::category_scope::CategoryScope;
use crate::catalog::Node;
use crate::lang::everyday::{self, Pattern};
use crate::lang::text::terms::{Term, TermKind, terms};

/// Minimum length of a word that is corrected, in letters.
const LETTERS_MIN: usize = 4;
/// Minimum length of a word that may be corrected by two edits, in letters.
const TWO_EDITS_LETTERS_MIN: usize = 8;
/// Maximum number of unknown words of a text that are tried.
const UNKNOWN_MAX: usize = 8;
/// Maximum number of corrections that are tried for each unknown word, the nearest first.
const TRIED_MAX: usize = 5;

/// A possible correction. In ascending order, the most likely correction comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Near<'a> {
    edits: usize,
    begins_otherwise: bool,
    /// Number of priced listings of the largest category whose segment contains the word.
    products: Reverse<u32>,
    word: &'a str,
}

impl View<'_> {
    /// Corrects one unknown word of the text at a time. Returns the best category for each unknown word whose
    /// correction finds a category.
    pub(super) fn corrected(&self, input: &str, root: Option<Node>) -> Vec<CategoryScope> {
        if everyday::is_path(input) {
            return Vec::new();
        }
        let terms = terms(&self.catalog.lexicon, input);
        let mut unknown: Vec<usize> = (0..terms.len()).filter(|&at| may_be_corrected(&terms[at])).collect();
        if unknown.is_empty() {
            return Vec::new();
        }
        let known = self.known();
        unknown.retain(|&at| !known.contains_key(terms[at].folded.as_str()));
        let better = unknown.into_iter().take(UNKNOWN_MAX).filter_map(|at| {
            let near = self.near(&terms[at], &known);
            near.into_iter().take(TRIED_MAX).find_map(|near| self.with_word(&terms, at, near.word, root))
        });
        better.collect()
    }

    /// Returns every known word, with the nodes of the country whose segments contain it.
    fn known(&self) -> BTreeMap<&str, Vec<Node>> {
        let mut known: BTreeMap<&str, Vec<Node>> =
            everyday::table().words().map(|word| (word, Vec::new())).collect();
        for (word, nodes) in self.catalog.taxonomy.segment_words() {
            let nodes: Vec<Node> = nodes.iter().copied().filter(|&node| self.exists(node)).collect();
            if !nodes.is_empty() {
                known.insert(word, nodes);
            }
        }
        known
    }

    /// Returns the known words that are spelled like a term, the most likely first.
    fn near<'a>(&self, term: &Term, known: &BTreeMap<&'a str, Vec<Node>>) -> Vec<Near<'a>> {
        let letters = term.written.chars().count();
        let edits_max = if letters < TWO_EDITS_LETTERS_MIN { 1 } else { 2 };
        let products = |nodes: &[Node]| {
            nodes.iter().map(|&node| self.products(CategoryScope::Category(node))).max().unwrap_or_default()
        };
        let near = |(&word, nodes): (&&'a str, &Vec<Node>)| {
            let begins_otherwise = word.chars().next() != term.written.chars().next();
            let edits_max = if begins_otherwise { 1 } else { edits_max };
            if word.len().abs_diff(term.folded.len()) > edits_max + 1 {
                return None;
            }
            let edits =
                strsim::osa_distance(word, &term.written).min(strsim::osa_distance(word, &term.folded));
            let near = Near { edits, begins_otherwise, products: Reverse(products(nodes)), word };
            (edits <= edits_max).then_some(near)
        };
        let mut found: Vec<Near<'a>> = known.iter().filter_map(near).collect();
        found.sort_unstable();
        found
    }

    /// Returns the best category after the term at `at` is replaced by `word`. If no reading finds a category, a
    /// category whose segment contains all terms is returned.
    fn with_word(&self, terms: &[Term], at: usize, word: &str, root: Option<Node>) -> Option<CategoryScope> {
        let word_at = |other: usize| if other == at { word } else { terms[other].written.as_str() };
        let text = (0..terms.len()).map(word_at).collect::<Vec<_>>().join(" ");
        let mut candidates = self.candidates(&text, root);
        if candidates.is_empty() {
            let folded = |other: usize| if other == at { word } else { terms[other].folded.as_str() };
            let pattern = Pattern::of((0..terms.len()).map(|other| folded(other).to_owned()));
            let meetings = self.catalog.taxonomy.meetings(&[pattern]).into_iter();
            let here = meetings.filter(|met| !met.is_spread && self.is_within(met.node, root));
            candidates = here.map(|met| Candidate::node(met.node, MatchSource::Text)).collect();
        }
        self.rank(&mut candidates);
        candidates.first().map(|best| best.category_scope)
    }
}

/// Whether a term may be a mistyped word.
fn may_be_corrected(term: &Term) -> bool {
    term.kind == TermKind::Word
        && term.written.chars().count() >= LETTERS_MIN
        && !term.written.chars().any(char::is_numeric)
        && !everyday::table().has_word(&term.folded)
}
