//! Finds terms that are spelled similarly to a word, to correct typing errors.
//!
//! An edit inserts, removes or replaces a letter, or transposes two neighbouring letters. No part of a word is edited
//! twice (optimal string alignment distance). The letters of every term are kept as a bit mask, by which most terms are
//! rejected without reading their text.

use std::cmp::Reverse;
use std::ops::Range;

use super::TextIndex;
use crate::snapshot::StringsView;
use crate::snapshot::layout::letters;
use crate::types::Country;

/// The length of the shortest word that is corrected, in letters.
const LETTERS_MIN: usize = 4;
/// The length of the shortest word for which two edits are allowed, in letters.
const TWO_EDITS_LETTERS_MIN: usize = 8;

/// A term that is spelled similarly to a word. Smaller values are better corrections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// The edit distance.
    pub edits: usize,
    /// Whether the first letters differ.
    pub begins_otherwise: bool,
    /// The number of priced listings of the country that contain the term.
    pub listings: Reverse<u32>,
    /// The term. Terms are numbered in alphabetical order.
    pub term: u32,
}

/// The maximum number of bytes of a letter.
const LETTER_BYTES_MAX: usize = 4;

impl TextIndex {
    /// The terms that are spelled similarly to a word, best first. Only terms of priced listings of the country are
    /// returned. The word is given in two forms, as typed and folded, and a term is at most one edit away from one of
    /// them. For a long word, terms with the same first letter may be two edits away.
    ///
    /// Empty for words that are short or contain a digit.
    pub fn near(&self, written: &str, folded: &str, country: Country) -> Vec<Near> {
        let count = written.chars().count();
        if count < LETTERS_MIN || written.chars().any(char::is_numeric) {
            return Vec::new();
        }
        let edits_max = if count < TWO_EDITS_LETTERS_MIN { 1 } else { 2 };
        let mut forms = vec![written, folded];
        forms.dedup();
        // A form longer than the longest term plus the allowed edits matches no term.
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

    /// Compares a term with both forms of a word. `None` if the term is too far from both or if no priced listing
    /// contains it. The first letter counts as equal if it equals the first letter of either form: "l'oréal" is folded
    /// to "oreal", but the user typed the l.
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

    /// Terms that may be near a form: terms with the same first letter and similar letters, and terms that result from
    /// an edit of the form's first letter.
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

/// The first letters of terms, in order, each with the end of its range of terms.
#[derive(Debug, Default)]
pub(super) struct FirstLetters(Vec<(char, u32)>);

impl FirstLetters {
    /// Computes the ranges for sorted terms.
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

    /// The range of terms that begin with a letter.
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
