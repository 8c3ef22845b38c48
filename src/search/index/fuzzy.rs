//! Terms that are spelled like a word, for a word that was mistyped.
//!
//! An edit is a letter inserted, removed or replaced, or two neighbours transposed; no part is edited twice (optimal
//! string alignment). The letters of every term are kept as bits, so most terms are rejected unread.

use std::cmp::Reverse;
use std::ops::Range;

use super::TextIndex;
use crate::snapshot::StringsView;
use crate::snapshot::layout::letters;
use crate::types::Country;

/// Shortest word, in letters, that is corrected.
const LETTERS_MIN: usize = 4;
/// Shortest word, in letters, that may be two edits away from what was meant.
const TWO_EDITS_LETTERS_MIN: usize = 8;

/// A term that is spelled like a word, the better the less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// Edits between them.
    pub edits: usize,
    /// Whether they begin with different letters.
    pub begins_otherwise: bool,
    /// How many priced listings of the country hold the term.
    pub listings: Reverse<u32>,
    /// The term; terms are numbered in their order.
    pub term: u32,
}

/// Bytes of a letter, at most.
const LETTER_BYTES_MAX: usize = 4;

impl TextIndex {
    /// The terms that priced listings of the country hold and that are spelled like a word, given as written and as
    /// folded: one edit away from either, or two, beginning with the same letter, for a long word. The best first.
    ///
    /// Nothing for words that are short or have a digit.
    pub fn near(&self, written: &str, folded: &str, country: Country) -> Vec<Near> {
        let count = written.chars().count();
        if count < LETTERS_MIN || written.chars().any(char::is_numeric) {
            return Vec::new();
        }
        let edits_max = if count < TWO_EDITS_LETTERS_MIN { 1 } else { 2 };
        let mut forms = vec![written, folded];
        forms.dedup();
        // What is longer than the longest term and the edits is near to none.
        forms.retain(|form| form.len() <= self.longest + edits_max * LETTER_BYTES_MAX);
        let mut firsts: Vec<char> = forms.iter().filter_map(|form| form.chars().next()).collect();
        firsts.dedup();
        let mut terms: Vec<u32> =
            forms.iter().flat_map(|form| self.candidates(form, &firsts, edits_max)).collect();
        terms.sort_unstable();
        terms.dedup();
        let near = |&term: &u32| self.nearness(term, &forms, &firsts, edits_max, country);
        let mut found: Vec<Near> = terms.iter().filter_map(near).collect();
        found.sort_unstable();
        found
    }

    /// How near a term is to the nearest form. It begins like the word if it begins like either form: who mistypes
    /// "l'oréal" behind the apostrophe has typed its l.
    fn nearness(
        &self,
        term: u32,
        forms: &[&str],
        firsts: &[char],
        edits_max: usize,
        country: Country,
    ) -> Option<Near> {
        let listings = Reverse(self.priced_with(term, country));
        let text = self.term(term);
        let begins_otherwise = text.chars().next().is_none_or(|first| !firsts.contains(&first));
        let edits = forms.iter().map(|form| strsim::osa_distance(form, text)).min()?;
        let is_near = edits <= if begins_otherwise { 1 } else { edits_max };
        (is_near && listings.0 > 0).then_some(Near { edits, begins_otherwise, listings, term })
    }

    /// Terms that may be near a form: those that begin like the word and have like letters, and those that an edit of
    /// the form's first letter makes.
    fn candidates(&self, form: &str, firsts: &[char], edits_max: usize) -> Vec<u32> {
        let Some(first) = form.chars().next() else { return Vec::new() };
        let rest = &form[first.len_utf8()..];
        let own = letters::of(form);
        let alike =
            |&term: &u32| letters::may_be_within(edits_max as u32, own, self.term_letters[term as usize]);
        let beginning = firsts.iter().flat_map(|&first| self.first_letters.terms(first));
        let mut found: Vec<u32> = beginning.filter(alike).collect();
        let mut second = rest.chars();
        if let Some(second_letter) = second.next() {
            found.extend(self.look_up(rest));
            found.extend(self.look_up(&format!("{second_letter}{first}{}", second.as_str())));
        }
        for (letter, _) in &self.first_letters.0 {
            found.extend(self.look_up(&format!("{letter}{rest}")));
            found.extend(self.look_up(&format!("{letter}{form}")));
        }
        found
    }
}

/// The letters with which terms begin, in order, each with the end of its terms.
#[derive(Debug, Default)]
pub(super) struct FirstLetters(Vec<(char, u32)>);

impl FirstLetters {
    /// Of terms in order.
    pub(super) fn of(terms: StringsView<'_>) -> Self {
        let first = |at: usize| terms.get(at).chars().next().unwrap_or_default();
        let mut letters: Vec<(char, u32)> = Vec::new();
        let mut from = 0;
        while from < terms.len() {
            let letter = first(from);
            let (mut low, mut high) = (from + 1, terms.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                if first(middle) <= letter { low = middle + 1 } else { high = middle }
            }
            letters.push((letter, low as u32));
            from = low;
        }
        Self(letters)
    }

    /// The terms that begin with a letter.
    fn terms(&self, letter: char) -> Range<u32> {
        match self.0.binary_search_by_key(&letter, |&(letter, _)| letter) {
            Ok(at) => at.checked_sub(1).map_or(0, |before| self.0[before].1)..self.0[at].1,
            Err(_) => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Strings;

    #[test]
    fn first_letters_divide_the_terms() {
        let terms: Strings = ["1a", "2", "apple", "axe", "box", "ßo", "éclair"].into_iter().collect();
        let letters = FirstLetters::of(terms.view());
        assert_eq!(letters.0, [('1', 1), ('2', 2), ('a', 4), ('b', 5), ('ß', 6), ('é', 7)]);
        assert_eq!([letters.terms('a'), letters.terms('1'), letters.terms('c')], [2..4, 0..1, 0..0]);
        assert!(FirstLetters::of(Strings::default().view()).0.is_empty());
    }
}
