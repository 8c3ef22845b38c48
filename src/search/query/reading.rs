//! A version of a query: its words, and the terms of the request from which they come.

use std::ops::Range;

use super::{Correction, Reading};
use crate::lang::Lexicon;
use crate::lang::quantities::{self, NumberCode};
use crate::lang::text::name;
use crate::lang::text::terms::{Term, TermKind};

/// A word of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) folded: String,
    /// The number of the word as a term; `None` if no priced listing of the country contains it.
    pub(super) term: Option<u32>,
    /// The quantity that the word states, unless words are used as written.
    pub(super) quantity: Option<NumberCode>,
    /// The index of its origin in [`Version::origins`].
    pub(super) origin: usize,
}

/// The terms of the request from which words of a version come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// The terms as written; several if they were joined.
    pub(super) written: Vec<String>,
    /// The text that replaces the terms; `None` if they are used as written.
    pub(super) to: Option<String>,
    /// Whether the text is another name of the same product or property, and not a correction.
    pub(super) is_renamed: bool,
    /// Whether a hyphen or a slash joins these terms to the previous origin.
    pub(super) is_glued: bool,
}

/// A version of a query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Version {
    pub(super) words: Vec<Word>,
    pub(super) origins: Vec<Origin>,
    /// Indices of the terms of the request that may be the head noun, most likely first.
    pub(super) head_nouns: Vec<usize>,
}

impl Version {
    /// The version of a text as written. `known` returns the number of a term.
    pub(super) fn as_written(lexicon: &Lexicon, asked: &[Term], known: impl Fn(&str) -> Option<u32>) -> Self {
        let mut version = Self { head_nouns: name::head_nouns(lexicon, asked), ..Self::default() };
        for term in asked {
            let word =
                Word { folded: term.folded.clone(), term: known(&term.folded), quantity: None, origin: 0 };
            version.take(&[word], &[&term.written], None, term.is_glued());
        }
        version
    }

    /// Reads the quantities of the words: numbers with a unit, which may be a word of its own, percentages, and words
    /// such as "dozen". A text of quantities alone is used as written.
    pub(super) fn read_quantities(&mut self, lexicon: &Lexicon, text: &str) {
        let mut read: Vec<Option<NumberCode>> = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let of_word = quantities::only(lexicon, &word.folded);
            let percentage = || quantities::percentage(lexicon, text, &word.folded);
            read.push(of_word.or_else(percentage));
            let Some(before) = at.checked_sub(1) else { continue };
            let number = self.words[before].folded.as_str();
            let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok();
            if is_number && read[before].is_none() && read[at].is_none() {
                let of_both = quantities::only(lexicon, &format!("{number} {}", word.folded));
                (read[before], read[at]) = (of_both, of_both);
            }
        }
        if read.iter().any(Option::is_none) {
            self.words.iter_mut().zip(read).for_each(|(word, quantity)| word.quantity = quantity);
        }
    }

    /// An empty version with the same head nouns.
    pub(super) fn emptied(&self) -> Self {
        Self { head_nouns: self.head_nouns.clone(), ..Self::default() }
    }

    /// Appends words that come from the terms `written`.
    pub(super) fn take(&mut self, words: &[Word], written: &[&String], to: Option<String>, is_glued: bool) {
        let written = written.iter().map(|&term| term.clone()).collect();
        self.push(words, Origin { written, to, is_renamed: false, is_glued });
    }

    /// Appends words of an origin.
    fn push(&mut self, words: &[Word], from: Origin) {
        let origin = self.origins.len();
        self.words.extend(words.iter().map(|word| Word { origin, ..word.clone() }));
        self.origins.push(from);
    }

    /// The same version with the words of some origins replaced by another name. A replaced correction stays a
    /// correction.
    pub(super) fn renamed(&self, origins: Range<usize>, words: &[Word], to: &str) -> Self {
        let replaced = &self.origins[origins.clone()];
        let name = Origin {
            written: replaced.iter().flat_map(|origin| origin.written.clone()).collect(),
            to: Some(to.to_owned()),
            is_renamed: replaced.iter().all(|origin| origin.to.is_none() || origin.is_renamed),
            is_glued: replaced[0].is_glued,
        };
        let mut renamed = self.emptied();
        for at in (0..self.origins.len()).filter(|&at| at == origins.start || !origins.contains(&at)) {
            if at == origins.start {
                renamed.push(words, name.clone());
                continue;
            }
            let own: Vec<Word> = self.words.iter().filter(|word| word.origin == at).cloned().collect();
            renamed.push(&own, self.origins[at].clone());
        }
        renamed
    }

    /// The indices of the distinct words, each at its first occurrence, in order.
    pub(super) fn distinct(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.words.len()).collect();
        places.sort_by_key(|&at| self.words[at].folded.as_str());
        places.dedup_by_key(|at| self.words[*at].folded.as_str());
        places.sort_unstable();
        places
    }

    /// The terms of the request that were interpreted as other names or as a quantity in another unit, in order.
    pub(super) fn readings(&self, asked: &[Term]) -> Vec<Reading> {
        let (mut readings, mut rest) = (Vec::new(), asked);
        for origin in &self.origins {
            let own;
            (own, rest) = rest.split_at(origin.written.len());
            if origin.is_renamed {
                readings.push(Reading { from: origin.written.join(" "), to: origin.to.clone() });
                continue;
            }
            let is_converted = |term: &&Term| term.kind == TermKind::Quantity && term.folded != term.written;
            let converted = own.iter().filter(is_converted);
            readings.extend(
                converted.map(|term| Reading { from: term.written.clone(), to: Some(term.folded.clone()) }),
            );
        }
        readings
    }

    /// The folded words.
    pub(super) fn folded(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.folded.as_str()).collect()
    }

    /// The number of words from `at` on that hyphens and slashes connect.
    pub(super) fn glued(&self, at: usize) -> usize {
        let is_glued =
            |pair: &&[Word]| pair[0].origin != pair[1].origin && self.origins[pair[1].origin].is_glued;
        1 + self.words[at..].windows(2).take_while(is_glued).count()
    }

    /// The numbers of the distinct known words, in order.
    pub(super) fn known(&self) -> Vec<u32> {
        self.distinct().into_iter().filter_map(|at| self.words[at].term).collect()
    }

    /// The numbers of the distinct known words that state no quantity, in order.
    pub(super) fn needed(&self) -> Vec<u32> {
        let distinct = self.distinct().into_iter().map(|at| &self.words[at]);
        distinct.filter(|word| word.quantity.is_none()).filter_map(|word| word.term).collect()
    }

    /// Whether all words are known or state a quantity, and one is known.
    pub(super) fn is_known(&self) -> bool {
        self.words.iter().all(|word| word.term.is_some() || word.quantity.is_some())
            && self.words.iter().any(|word| word.quantity.is_none())
    }

    /// For each term of the request, the index of the word that replaces it. For a split term, this is the index of the
    /// last part.
    pub(super) fn became(&self) -> Vec<usize> {
        let mut last = vec![0; self.origins.len()];
        self.words.iter().enumerate().for_each(|(at, word)| last[word.origin] = at);
        let of_origin = |(origin, word): (&Origin, usize)| std::iter::repeat_n(word, origin.written.len());
        self.origins.iter().zip(last).flat_map(of_origin).collect()
    }

    /// The spelling of a word: as written, or as corrected.
    pub(super) fn spelled(&self, at: usize) -> String {
        let word = &self.words[at];
        let origin = &self.origins[word.origin];
        match &origin.to {
            None => origin.written.concat(),
            Some(to) => {
                let first = self.words.partition_point(|other| other.origin < word.origin);
                to.split(' ').nth(at - first).unwrap_or_default().to_owned()
            }
        }
    }

    /// The corrections and the dropped terms that the answer reports. `is_held` states for each word whether the match
    /// contains it. A term that was corrected and then dropped is reported only as dropped. For a split term, only the
    /// parts that the match contains are reported as its correction.
    pub(super) fn told(&self, is_held: &[bool]) -> (Option<Vec<Correction>>, Option<Vec<String>>) {
        let (mut corrected, mut dropped) = (Vec::new(), Vec::new());
        let mut held: Vec<Vec<bool>> = vec![Vec::new(); self.origins.len()];
        self.words.iter().zip(is_held).for_each(|(word, is_held)| held[word.origin].push(*is_held));
        for (origin, is_held) in self.origins.iter().zip(held) {
            match &origin.to {
                _ if !is_held.contains(&true) => dropped.extend(origin.written.iter().cloned()),
                Some(_) if origin.is_renamed => {}
                Some(to) => {
                    let parts = to.split(' ').zip(is_held).filter(|(_, is_held)| *is_held);
                    let to: Vec<&str> = parts.map(|(part, _)| part).collect();
                    corrected.push(Correction { from: origin.written.join(" "), to: to.join(" ") });
                }
                None => {}
            }
        }
        ((!corrected.is_empty()).then_some(corrected), (!dropped.is_empty()).then_some(dropped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(folded: &str, term: Option<u32>) -> Word {
        Word { folded: folded.to_owned(), term, quantity: None, origin: 0 }
    }

    fn version(origins: &[(&[&str], &[&str], Option<&str>)]) -> Version {
        let mut version = Version::default();
        for (written, folded, to) in origins {
            let written: Vec<String> = written.iter().map(|&term| term.to_owned()).collect();
            let words: Vec<Word> = folded.iter().map(|folded| word(folded, Some(1))).collect();
            version.take(
                &words,
                &written.iter().collect::<Vec<_>>(),
                to.as_ref().map(|&to| to.to_owned()),
                false,
            );
        }
        version
    }

    #[test]
    fn reports_corrections_and_drops_in_query_order() {
        let version = version(&[
            (&["the"], &["the"], None),
            (&["de", "walt"], &["dewalt"], Some("dewalt")),
            (&["peanutbutter"], &["peanut", "butter"], Some("peanut butter")),
            (&["smoth"], &["smooth"], Some("smooth")),
        ]);
        assert_eq!(version.became(), [0, 1, 1, 3, 4]);
        let spelled: Vec<String> = (0..5).map(|at| version.spelled(at)).collect();
        assert_eq!(spelled, ["the", "dewalt", "peanut", "butter", "smooth"]);
        let told = |is_held: [bool; 5]| {
            let (corrected, dropped) = version.told(&is_held);
            let corrected: Vec<String> =
                corrected.into_iter().flatten().map(|of| format!("{} = {}", of.from, of.to)).collect();
            (corrected.join(", "), dropped.map(|dropped| dropped.join(" ")))
        };
        let all = "de walt = dewalt, peanutbutter = peanut butter, smoth = smooth".to_owned();
        assert_eq!(told([true; 5]), (all, None));
        // A term that was corrected and then dropped is reported only as dropped. For a split term, only the remaining
        // part is reported.
        let (corrected, dropped) = told([true, false, false, true, false]);
        assert_eq!(corrected, "peanutbutter = butter");
        assert_eq!(dropped.as_deref(), Some("de walt smoth"));
        assert_eq!(told([false; 5]), (String::new(), Some("the de walt peanutbutter smoth".to_owned())));
    }

    #[test]
    fn terms_count_once() {
        let version =
            version(&[(&["egg"], &["egg"], None), (&["eggs"], &["egg"], None), (&["box"], &["box"], None)]);
        assert_eq!(version.distinct(), [0, 2]);
        assert_eq!(super::super::distinct_numbers([3, 1, 3, 2, 1].into_iter()), [3, 1, 2]);
    }
}
