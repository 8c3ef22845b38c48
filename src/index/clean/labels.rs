//! Texts as numbers, and the spelling that stands for several.

use std::collections::HashMap;

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
}
