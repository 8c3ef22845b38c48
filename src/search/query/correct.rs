//! Corrections of a query: joining words, splitting words and fixing spelling.

use super::is_spelled_right;
use super::reading::{Version, Word};
use super::{Search, distinct_numbers};
use crate::lang::text::terms::word_term;

/// The maximum number of unknown terms of a query that are split, and the maximum number whose spelling is corrected.
const CORRECTED_MAX: usize = 8;
/// The length of the shortest word that is split, in letters.
const SPLIT_LETTERS_MIN: usize = 6;
/// The maximum number of bytes that folding removes from a part of a word: accents, endings, a spelled-out unit.
const FOLDED_AWAY_BYTES_MAX: usize = 64;
/// The length of the shortest part of a split word, in letters.
const PART_LETTERS_MIN: usize = 3;

impl<F: Fn(u32) -> bool> Search<'_, F> {
    fn word(&self, folded: String) -> Word {
        Word { term: self.known(&folded), folded, quantity: None, origin: 0 }
    }

    /// Joins neighbouring words that form a known term, and splits unknown terms into two that occur together, from
    /// left to right.
    pub(super) fn joined_and_split(&self, version: &Version) -> Version {
        let mut out = version.emptied();
        let mut unknown = 0;
        let mut at = 0;
        while at < version.words.len() {
            let (word, origin) = (&version.words[at], &version.origins[at]);
            if let Some((count, joined)) = self.joined(version, at) {
                let origins = &version.origins[at..at + count];
                let written: Vec<&String> = origins.iter().flat_map(|origin| &origin.written).collect();
                let to = joined.term.map(|term| self.catalog.text.spelled(term).to_owned());
                out.take(&[joined], &written, to, origin.is_glued);
                at += count;
                continue;
            }
            let is_unknown = word.term.is_none() && word.quantity.is_none();
            unknown += usize::from(is_unknown);
            let split = (is_unknown && unknown <= CORRECTED_MAX).then(|| self.split(&origin.written[0]));
            match split.flatten() {
                Some((parts, to)) => out.take(&parts, &[&origin.written[0]], Some(to), origin.is_glued),
                None => out.take(std::slice::from_ref(word), &[&origin.written[0]], None, origin.is_glued),
            }
            at += 1;
        }
        out
    }

    /// The known term that results from joining the words from `at` on, and the number of these words. All words that
    /// hyphens and slashes connect are tried first, then two neighbours.
    fn joined(&self, version: &Version, at: usize) -> Option<(usize, Word)> {
        let glued = version.origins[at + 1..].iter().take_while(|origin| origin.is_glued).count() + 1;
        let starts = !version.origins[at].is_glued;
        let counts = [Some(glued).filter(|&count| starts && count > 2), Some(2)];
        counts.into_iter().flatten().filter(|count| at + count <= version.words.len()).find_map(|count| {
            let written: String =
                version.origins[at..at + count].iter().flat_map(|origin| origin.written.clone()).collect();
            let word = self.word(word_term(&self.catalog.lexicon, &written));
            word.term.is_some().then_some((count, word))
        })
    }

    /// Splits a word into two known terms that occur together in a listing. If several splits are possible, the split
    /// that occurs in the most listings is used.
    fn split(&self, written: &str) -> Option<(Vec<Word>, String)> {
        let letters: Vec<usize> = written.char_indices().map(|(at, _)| at).collect();
        if letters.len() < SPLIT_LETTERS_MIN {
            return None;
        }
        // A part longer than the longest term cannot be a term. This bounds the work for very long words.
        let longest = self.catalog.text.longest_term_bytes() + FOLDED_AWAY_BYTES_MAX;
        let mut best: Option<(u32, Vec<Word>)> = None;
        for &at in &letters[PART_LETTERS_MIN..=letters.len() - PART_LETTERS_MIN] {
            let (first, second) = written.split_at(at);
            if first.len().max(second.len()) > longest {
                continue;
            }
            let parts = [
                self.word(word_term(&self.catalog.lexicon, first)),
                self.word(word_term(&self.catalog.lexicon, second)),
            ];
            let Some(terms) = parts.iter().map(|part| part.term).collect::<Option<Vec<u32>>>() else {
                continue;
            };
            let count = self.catalog.text.count(&distinct_numbers(terms.into_iter()), self.wanted.country);
            if count > best.as_ref().map_or(0, |(count, _)| *count) {
                best = Some((count, parts.into()));
            }
        }
        let (_, parts) = best?;
        let spelled: Vec<&str> =
            parts.iter().filter_map(|part| part.term).map(|term| self.catalog.text.spelled(term)).collect();
        let to = spelled.join(" ");
        Some((parts, to))
    }

    /// Replaces unknown terms by the known terms with the most similar spelling.
    pub(super) fn spelled(&self, version: &Version) -> Version {
        let mut out = version.clone();
        let unknown = out.words.iter_mut().filter(|word| word.term.is_none() && word.quantity.is_none());
        for word in unknown.take(CORRECTED_MAX) {
            let origin = &mut out.origins[word.origin];
            let written = origin.written.concat();
            if is_spelled_right(self.catalog, &word.folded) {
                continue;
            }
            let near = self.catalog.text.near(&written, &word.folded, self.wanted.country);
            if let Some(near) = near.first() {
                word.term = Some(near.term);
                self.catalog.text.term(near.term).clone_into(&mut word.folded);
                origin.to = Some(self.catalog.text.spelled(near.term).to_owned());
            }
        }
        out
    }
}
