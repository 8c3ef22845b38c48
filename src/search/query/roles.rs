//! The product that a query asks for: its head noun, the words that name something only together, the categories in which
//! it is expected, and properties with alternatives.

use super::Search;
use super::reading::{Version, Word};
use super::weights::is_part_number;
use crate::lang::everyday;
use crate::lang::text::name::is_accessory;
use crate::search::index::{COMPOUNDS_MAX, Form, Property, QualityQuery, Role};

/// The maximum number of words of a name in the everyday table, or of a form of a property, that is looked up.
const PHRASE_WORDS_MAX: usize = 4;

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// The word that names the requested product: the most likely head noun, or the one before properties that follow it, as
    /// in "tofu ferme".
    pub(super) fn head(&self, version: &Version) -> Option<usize> {
        let became = version.became();
        let candidates = version.head_nouns.iter().filter_map(|&asked| became.get(asked).copied());
        let candidates: Vec<usize> = candidates.filter(|&at| version.words[at].quantity.is_none()).collect();
        let is_property = |at: &usize| self.catalog.lexicon.is_property(&version.words[*at].folded);
        let is_name = |at: &usize| self.is_name(&version.words[*at]);
        let named = candidates.iter().find(|at| is_name(at) || !is_property(at)).filter(|at| is_name(at));
        named.or(candidates.first()).copied()
    }

    /// Whether a word is the name of a product in the everyday table, or the head noun of a category.
    fn is_name(&self, word: &Word) -> bool {
        everyday::table().is_phrase(&word.folded)
            || word.term.is_some_and(|term| self.catalog.text.names_category(term))
    }

    /// Adds the roles, compounds and properties of a query. A title describes a product in more words than another shop
    /// uses, so a listing may lack any of them.
    pub(super) fn add_roles(&self, version: &Version, head: Option<usize>, query: &mut QualityQuery) {
        let is_accessory = |word: &Word| is_accessory(&self.catalog.lexicon, &word.folded);
        query.asks_accessory = version.words.iter().any(is_accessory);
        if query.is_title {
            return;
        }
        for (at, words) in self.compounds(version).into_iter().enumerate() {
            query.compounds.push(words.len() as u32);
            for of in &mut query.terms {
                if words.contains(&self.catalog.text.term(of.term)) {
                    of.compound = Some(at);
                }
            }
            if head.is_some_and(|head| words.contains(&version.words[head].folded.as_str())) {
                query.head_compound = Some(at);
            }
        }
        // Of a compound only the head noun names the product type.
        for of in
            query.terms.iter_mut().filter(|of| of.compound.is_some() && of.compound == query.head_compound)
        {
            if query.head != Some(of.term) && of.role == Role::Type {
                of.role = Role::Any;
            }
        }
        query.properties = self.properties(version, query);
        if let Some(head) = head {
            let word = &version.words[head];
            let names_type = |term| self.catalog.text.names_type(term, self.wanted.country);
            query.properties.extend(self.other_products(query));
            query.asks_type = self.is_name(word) || word.term.is_some_and(names_type);
            let is_in_free_names = |term| self.catalog.text.is_in_free_names(term, self.wanted.country);
            if word.term.is_some_and(is_in_free_names) {
                query.expected_categories =
                    self.expected_categories(version, head, query.head_compound.is_some());
            }
        }
    }

    /// The distinct words of each compound: names of the everyday table that have several words, and part numbers
    /// whose pieces hyphens and slashes connect.
    fn compounds<'v>(&self, version: &'v Version) -> Vec<Vec<&'v str>> {
        let words = version.folded();
        let mut compounds = Vec::new();
        let mut at = 0;
        while at < words.len() && compounds.len() < COMPOUNDS_MAX {
            let is_compound = |count: &usize| everyday::table().is_compound(&words[at..at + count].join(" "));
            let is_part_number = |count: &usize| {
                *count > 1 && is_part_number(&self.catalog.lexicon, &words[at..at + count].concat())
            };
            let longest = (2..=PHRASE_WORDS_MAX.min(words.len() - at)).rev().find(is_compound);
            let count = longest.or(Some(version.glued(at)).filter(is_part_number)).unwrap_or(1);
            if count > 1 {
                let mut own = words[at..at + count].to_vec();
                own.sort_unstable();
                own.dedup();
                own.retain(|word| !compounds.iter().any(|other: &Vec<&str>| other.contains(word)));
                compounds.push(own);
            }
            at += count;
        }
        compounds
    }

    /// The categories in which the everyday table expects the head noun, or the compound that contains it.
    fn expected_categories(
        &self,
        version: &Version,
        head: usize,
        is_compound: bool,
    ) -> Vec<std::ops::Range<u32>> {
        let words = version.folded();
        let longest = if is_compound { PHRASE_WORDS_MAX } else { 1 };
        let patterns = (1..=longest).rev().find_map(|count| {
            let mut from = (head.saturating_sub(count - 1)..=head).rev();
            from.find_map(|from| everyday::table().patterns_of(&words.get(from..from + count)?.join(" ")))
        });
        let Some(patterns) = patterns else { return Vec::new() };
        let taxonomy = &self.catalog.taxonomy;
        let nodes = taxonomy.meetings(patterns).into_iter().map(|met| met.node);
        nodes.map(|node| node..taxonomy.node(node).subtree_end).collect()
    }

    /// The properties that words of a version state, with the sum of the weights of these words.
    fn properties(&self, version: &Version, query: &QualityQuery) -> Vec<Property> {
        let (words, mut properties, mut at) = (version.folded(), Vec::new(), 0);
        while at < words.len() {
            let longest = (1..=PHRASE_WORDS_MAX.min(words.len() - at)).rev().find_map(|count| {
                Some((count, self.catalog.text.alternatives(&words[at..at + count].join(" "))?))
            });
            let Some((count, (own, others))) = longest else {
                at += 1;
                continue;
            };
            let is_own = |term: u32| version.words[at..at + count].iter().any(|word| word.term == Some(term));
            let weights = query.terms.iter().filter(|of| is_own(of.term)).map(|of| of.weight);
            properties.push(Property { weight: weights.sum(), own, others });
            at += count;
        }
        properties
    }

    /// The phrases of the lexicon in which the head noun names another product: "almond milk" for "milk".
    fn other_products(&self, query: &QualityQuery) -> Option<Property> {
        let head = query.terms.iter().find(|of| query.head == Some(of.term))?;
        let is_asked = |term: &u32| query.terms.iter().any(|of| of.term == *term);
        let phrases = self.catalog.text.other_products(head.term).iter();
        let others: Vec<Form> = phrases.filter(|form| !form.iter().all(is_asked)).cloned().collect();
        (!others.is_empty()).then(|| Property { weight: head.weight, own: Vec::new(), others })
    }
}
