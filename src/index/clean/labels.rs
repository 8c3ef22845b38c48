//! Texts as numbers, the spelling that stands for several, and the canonical brands of the spellings in listings.

use std::collections::{BTreeMap, HashMap};

use crate::index::normalized::{Brand, NONE};
use crate::lang::brand::brand_key;

/// Gives each text a number, in order of appearance.
#[derive(Debug, Default)]
pub(in crate::index) struct Interner {
    numbers: HashMap<String, u32>,
    texts: Vec<String>,
}

impl Interner {
    /// The number of `text`.
    pub(in crate::index) fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }

    /// All texts, by number.
    pub(in crate::index) fn texts(&self) -> &[String] {
        &self.texts
    }
}

/// Counts spellings.
#[derive(Debug, Default)]
pub(in crate::index) struct Spellings {
    counts: HashMap<String, u64>,
}

impl Spellings {
    /// Counts `spelling` `times` times.
    pub(in crate::index) fn add(&mut self, spelling: &str, times: u64) {
        if let Some(count) = self.counts.get_mut(spelling) {
            *count += times;
        } else {
            self.counts.insert(spelling.to_owned(), times);
        }
    }

    /// The most frequent spelling; among equals the first by code point.
    pub(in crate::index) fn label(self) -> String {
        let best = self.counts.into_iter().min_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        best.map(|(spelling, _)| spelling).unwrap_or_default()
    }
}

/// Folds `spellings`, each of `listings[i]` listings, into brands; those of none are left out.
///
/// Returns the brands by label and for each spelling the index of its brand, or [`NONE`] for a placeholder.
pub(in crate::index) fn fold_brands(spellings: &[String], listings: &[u64]) -> (Vec<Brand>, Vec<u32>) {
    let mut by_key: BTreeMap<String, (Spellings, Vec<usize>)> = BTreeMap::new();
    for (number, (spelling, &count)) in spellings.iter().zip(listings).enumerate() {
        // Of listings that newer rows took the place of.
        if count == 0 {
            continue;
        }
        let Some(key) = brand_key(spelling) else { continue };
        let (counts, members) = by_key.entry(key).or_default();
        counts.add(spelling, count);
        members.push(number);
    }
    let mut labelled: Vec<_> =
        by_key.into_iter().map(|(key, (counts, members))| (counts.label(), key, members)).collect();
    labelled.sort_unstable_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut index = vec![NONE; spellings.len()];
    let mut brands = Vec::with_capacity(labelled.len());
    for (label, key, members) in labelled {
        for number in members {
            index[number] = brands.len() as u32;
        }
        brands.push(Brand { key, label });
    }
    (brands, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_spelling_wins_and_ties_go_by_code_point() {
        let mut spellings = Spellings::default();
        spellings.add("sony", 2);
        spellings.add("SONY", 2);
        spellings.add("Sony", 1);
        assert_eq!(spellings.label(), "SONY");
    }

    #[test]
    fn numbers_follow_appearance() {
        let mut interner = Interner::default();
        assert_eq!(["b", "a", "b"].map(|text| interner.number(text)), [0, 1, 0]);
        assert_eq!(interner.texts(), ["b", "a"]);
    }

    #[test]
    fn variants_share_a_brand_and_placeholders_have_none() {
        let spellings = ["Sony", "N/A", "SONY", "Acer", "Gone"].map(str::to_owned);
        let (brands, index) = fold_brands(&spellings, &[1, 9, 2, 1, 0]);
        let labels: Vec<_> = brands.iter().map(|brand| brand.label.as_str()).collect();
        assert_eq!(labels, ["Acer", "SONY"]);
        assert_eq!(index, [1, NONE, 1, 0, NONE]);
    }
}
