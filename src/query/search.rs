//! From the words of `q` to terms that listings hold.
//!
//! A query that some listing matches is taken as it is written. Else it is read in four *versions*: as written, with words
//! joined and split, with unknown words spelled right, with both; the first that some listing matches as a whole wins.
//! Where none does, words are dropped from each, and the version wins that keeps the greatest part of its weight. What
//! became of the words is told with the answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::refusal::{NoResultsDetails, Reason, Refusal};
use crate::catalog::{Catalog, HEAVIEST_TERMS_MAX, Matches, Wanted, Weighed};
use crate::domain::text::fold_term;
use crate::domain::text::terms::{Term, label_terms, terms};
use crate::domain::{Country, everyday};

/// Unknown terms of a query that are split or spelled right.
const CORRECTED_MAX: usize = 8;
/// Shortest word that is split, in letters.
const SPLIT_LETTERS_MIN: usize = 6;
/// Shortest part of a split word, in letters.
const PART_LETTERS_MIN: usize = 3;
/// Terms that are suggested.
const SUGGESTIONS_MAX: usize = 5;
/// Binary digits of a weight behind its point, so that sums of weights are exact.
const WEIGHT_FRACTION_BITS: i32 = 20;
/// Words about asking and not about the thing, as terms are folded.
const ASK_WORDS: [&str; 16] = [
    "a", "best", "buy", "cheap", "cheapest", "de", "des", "du", "for", "la", "le", "les", "of", "price",
    "prix", "the",
];

/// What a term was corrected to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Correction {
    /// The term as it was asked for; several where they were joined.
    pub from: String,
    /// What was searched for instead, as product names mostly spell it; several where it was split.
    pub to: String,
}

/// A text as it was understood, and what it found.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// Terms that were corrected; `None` when none was.
    pub corrected_terms: Option<Vec<Correction>>,
    /// Terms that were dropped; `None` when none was.
    pub dropped_terms: Option<Vec<String>>,
    /// Terms that a match holds.
    needed: Vec<u32>,
    /// Terms that matches are ranked by, the dropped ones too.
    scored: Vec<u32>,
    /// How many different terms were searched for, those that nothing holds too.
    pub distinct: usize,
    /// Whether listings that hold half of the terms are of interest.
    is_tolerant: bool,
    /// The best matches.
    pub matches: Matches,
}

/// A word of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    folded: String,
    /// Its number, where priced listings of the country hold it.
    term: Option<u32>,
    /// Which of the version's origins it comes from.
    origin: usize,
}

/// What words of a version come from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    /// As asked for; several terms where they were joined.
    written: Vec<String>,
    /// As it was corrected.
    to: Option<String>,
    /// Whether a hyphen or a slash joins it to the origin before.
    is_glued: bool,
}

/// A reading of a query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Version {
    words: Vec<Word>,
    origins: Vec<Origin>,
}

/// A term of a version, once.
struct Distinct {
    folded: String,
    term: Option<u32>,
    weight: u64,
}

/// What is kept of a version: of each distinct term whether it is.
struct Kept {
    terms: Vec<bool>,
    weight: u64,
    of: u64,
}

/// Finds what a text means in a country, among the rows that are accepted; `limit` matches of it.
///
/// # Errors
/// `NO_RESULTS` where nothing of the text is held by any of them.
pub fn understand(
    catalog: &Catalog,
    q: &str,
    is_exact: bool,
    wanted: &Wanted<impl Fn(u32) -> bool>,
) -> Result<Understood, Refusal> {
    let search = Search { catalog, wanted };
    let asked = terms(q);
    let written = search.as_written(&asked);
    let found = if is_exact { search.exact(&written) } else { search.tolerant(&written) };
    found.ok_or_else(|| search.nothing(&written))
}

/// A catalog with what is wanted of it.
struct Search<'a, F> {
    catalog: &'a Catalog,
    wanted: &'a Wanted<F>,
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    fn as_written(&self, asked: &[Term]) -> Version {
        let mut version = Version::default();
        for term in asked {
            version.take(&[self.word(term.folded.clone())], &[&term.written], None, term.is_glued);
        }
        version
    }

    fn word(&self, folded: String) -> Word {
        Word { term: self.known(&folded), folded, origin: 0 }
    }

    fn known(&self, folded: &str) -> Option<u32> {
        self.catalog.text.known(folded, self.wanted.country)
    }

    /// Only the last terms may go.
    fn exact(&self, written: &Version) -> Option<Understood> {
        let leading: Vec<u32> = written.words.iter().map_while(|word| word.term).collect();
        let kept = self.longest_prefix(&leading);
        let is_kept: Vec<bool> = (0..written.words.len()).map(|at| at < kept).collect();
        (kept > 0)
            .then(|| self.found(written, &distinct_numbers(leading[..kept].iter().copied()), &is_kept, false))
    }

    fn tolerant(&self, written: &Version) -> Option<Understood> {
        let mut versions = vec![written.clone()];
        if let Some(found) = self.whole(written) {
            return Some(found);
        }
        let joined = self.joined_and_split(written);
        let corrections: [&dyn Fn() -> Version; 3] =
            [&|| joined.clone(), &|| self.spelled(written), &|| self.spelled(&joined)];
        for correct in corrections {
            let version = correct();
            if !versions.contains(&version) {
                if let Some(found) = self.whole(&version) {
                    return Some(found);
                }
                versions.push(version);
            }
        }
        let mut best: Option<(&Version, Kept)> = None;
        for version in &versions {
            if let Some(kept) = self.dropped(version)
                && best.as_ref().is_none_or(|(_, other)| kept.keeps_more_than(other))
            {
                best = Some((version, kept));
            }
        }
        best.map(|(version, kept)| {
            let terms = version.distinct();
            let needed: Vec<u32> =
                terms.iter().zip(&kept.terms).filter(|(_, kept)| **kept).filter_map(|(of, _)| of.1).collect();
            let is_kept =
                |word: &Word| terms.iter().zip(&kept.terms).any(|(of, kept)| *kept && of.0 == word.folded);
            let is_kept: Vec<bool> = version.words.iter().map(is_kept).collect();
            self.found(version, &needed, &is_kept, true)
        })
    }

    /// The matches of a version as a whole, if there are any.
    fn whole(&self, version: &Version) -> Option<Understood> {
        let terms: Option<Vec<u32>> = version.words.iter().map(|word| word.term).collect();
        let terms = distinct_numbers(terms?.into_iter());
        let found = self.found(version, &terms, &vec![true; version.words.len()], true);
        (!found.matches.hits.is_empty()).then_some(found)
    }

    fn found(&self, version: &Version, needed: &[u32], is_kept: &[bool], is_tolerant: bool) -> Understood {
        let scored = distinct_numbers(version.words.iter().filter_map(|word| word.term));
        let matches = self.catalog.text.search(needed, &scored, self.wanted);
        let (corrected_terms, dropped_terms) = version.told(is_kept);
        let distinct = version.distinct().len();
        Understood {
            corrected_terms,
            dropped_terms,
            needed: needed.to_vec(),
            scored,
            distinct,
            is_tolerant,
            matches,
        }
    }

    /// How many leading terms some listing holds together.
    fn longest_prefix(&self, terms: &[u32]) -> usize {
        longest_prefix(self.catalog, terms, self.wanted)
    }

    /// From the left, neighbours that make a known term are joined, and unknown terms split into two that go together.
    fn joined_and_split(&self, version: &Version) -> Version {
        let mut out = Version::default();
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
            unknown += usize::from(word.term.is_none());
            let split =
                (word.term.is_none() && unknown <= CORRECTED_MAX).then(|| self.split(&origin.written[0]));
            match split.flatten() {
                Some((parts, to)) => out.take(&parts, &[&origin.written[0]], Some(to), origin.is_glued),
                None => out.take(std::slice::from_ref(word), &[&origin.written[0]], None, origin.is_glued),
            }
            at += 1;
        }
        out
    }

    /// The known term that the words from here make: all that hyphens and slashes join, or two neighbours.
    fn joined(&self, version: &Version, at: usize) -> Option<(usize, Word)> {
        let glued = version.origins[at + 1..].iter().take_while(|origin| origin.is_glued).count() + 1;
        let starts = !version.origins[at].is_glued;
        let counts = [Some(glued).filter(|&count| starts && count > 2), Some(2)];
        counts.into_iter().flatten().filter(|count| at + count <= version.words.len()).find_map(|count| {
            let written: String =
                version.origins[at..at + count].iter().flat_map(|origin| origin.written.clone()).collect();
            let word = self.word(compared(&written));
            word.term.is_some().then_some((count, word))
        })
    }

    /// Two known terms that some listing holds both and that a word is made of: those that most listings hold.
    fn split(&self, written: &str) -> Option<(Vec<Word>, String)> {
        let letters: Vec<usize> = written.char_indices().map(|(at, _)| at).collect();
        if letters.len() < SPLIT_LETTERS_MIN {
            return None;
        }
        let mut best: Option<(u32, Vec<Word>)> = None;
        for &at in &letters[PART_LETTERS_MIN..=letters.len() - PART_LETTERS_MIN] {
            let (first, second) = written.split_at(at);
            let parts = [self.word(compared(first)), self.word(compared(second))];
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

    /// Unknown terms become the known ones that are spelled most like them.
    fn spelled(&self, version: &Version) -> Version {
        let mut out = version.clone();
        let unknown = out.words.iter_mut().filter(|word| word.term.is_none());
        for word in unknown.take(CORRECTED_MAX) {
            let origin = &mut out.origins[word.origin];
            let written = origin.written.concat();
            if is_fixed(&word.folded) {
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

    /// What is left of a version when unknown terms, then ask-words, then the last ones went until something matches, or
    /// the heaviest terms that some listing holds together where that keeps less than half; `None` when nothing is.
    fn dropped(&self, version: &Version) -> Option<Kept> {
        let terms: Vec<Distinct> = version.distinct().into_iter().map(|of| self.weighed(of)).collect();
        let known: Vec<usize> = (0..terms.len()).filter(|&at| terms[at].term.is_some()).collect();
        let number = |ats: &[usize]| -> Vec<u32> { ats.iter().filter_map(|&at| terms[at].term).collect() };
        let mut kept = known.clone();
        if !self.catalog.text.any(&number(&kept), self.wanted) {
            kept.retain(|&at| !is_ask_word(&terms[at].folded));
            kept.truncate(self.longest_prefix(&number(&kept)));
        }
        let weight = |ats: &[usize]| ats.iter().map(|&at| terms[at].weight).sum::<u64>();
        if 2 * weight(&kept) < weight(&known) {
            let first = &known[..known.len().min(HEAVIEST_TERMS_MAX)];
            let weighed: Vec<Weighed> = first
                .iter()
                .filter_map(|&at| Some(Weighed { term: terms[at].term?, weight: terms[at].weight }))
                .collect();
            let is_held = self.catalog.text.heaviest(&weighed, self.wanted);
            kept = first.iter().zip(is_held).filter(|(_, held)| *held).map(|(&at, _)| at).collect();
        }
        let of = terms.iter().map(|of| of.weight).sum();
        let is_kept = (0..terms.len()).map(|at| kept.contains(&at)).collect();
        (!kept.is_empty()).then(|| Kept { terms: is_kept, weight: weight(&kept), of })
    }

    /// A term with its weight: how rare it is, nothing for an ask-word, twice for the thing that a category names.
    fn weighed(&self, (folded, term): (String, Option<u32>)) -> Distinct {
        let (text, country) = (&self.catalog.text, self.wanted.country);
        let with = term.map_or(0, |term| text.priced_with(term, country));
        let weight = (text.idf(with, country) * 2_f64.powi(WEIGHT_FRACTION_BITS)).round() as u64;
        let weight = match term {
            _ if is_ask_word(&folded) => 0,
            Some(term) if text.names_category(term) => 2 * weight,
            _ => weight,
        };
        Distinct { folded, term, weight }
    }

    /// The refusal that tells what was understood, what is near, and whether the other country has it.
    fn nothing(&self, written: &Version) -> Refusal {
        let country = self.wanted.country;
        let unknown = written.words.iter().find(|word| word.term.is_none());
        let near = unknown.map_or_else(Vec::new, |word| {
            self.catalog.text.near(&written.origins[word.origin].written.concat(), &word.folded, country)
        });
        let suggestions: Vec<String> = near
            .iter()
            .take(SUGGESTIONS_MAX)
            .map(|near| self.catalog.text.spelled(near.term).to_owned())
            .collect();
        let terms = written.origins.iter().flat_map(|origin| origin.written.clone()).collect();
        let other_country = self.other_country(written);
        let message = format!(
            "no priced listing of {} matches any term of q; {}",
            country.as_str(),
            match other_country {
                Some(other) => format!("{} has it: ask with country={}", other.as_str(), other.as_str()),
                None if suggestions.is_empty() => "ask for other words, or a barcode".to_owned(),
                None => "ask for one of the suggestions".to_owned(),
            }
        );
        let details = NoResultsDetails {
            terms: Some(terms),
            suggestions: Some(suggestions),
            other_country: Some(other_country),
            ..NoResultsDetails::new(Reason::UnknownProduct)
        };
        Refusal::NoResults { message, details }
    }

    /// The other country, where it has a listing that matches all words as they are written.
    fn other_country(&self, written: &Version) -> Option<Country> {
        Country::ALL.into_iter().filter(|&country| country != self.wanted.country).find(|&country| {
            let known = |word: &Word| self.catalog.text.known(&word.folded, country);
            let terms: Option<Vec<u32>> = written.words.iter().map(known).collect();
            let anywhere = Wanted { country, limit: 1, accept: |_| true };
            terms.is_some_and(|terms| self.catalog.text.any(&distinct_numbers(terms.into_iter()), &anywhere))
        })
    }
}

impl Understood {
    /// More of the matches, up to `limit` of them.
    pub fn again(&self, catalog: &Catalog, wanted: &Wanted<impl Fn(u32) -> bool>) -> Matches {
        catalog.text.search(&self.needed, &self.scored, wanted)
    }

    /// Listings that hold at least half of the terms, but not all that a match holds.
    pub fn half_matches(&self, catalog: &Catalog, wanted: &Wanted<impl Fn(u32) -> bool>) -> Matches {
        let least = self.distinct.div_ceil(2);
        if !self.is_tolerant || self.scored.len() < least {
            return Matches { hits: Vec::new(), all: true };
        }
        catalog.text.search_some(&self.scored, least, &self.needed, wanted)
    }

    /// How many of the terms a listing holds, and how many there are.
    pub fn matched(&self, catalog: &Catalog, row: u32) -> [u32; 2] {
        [catalog.text.held_count(row, &self.scored) as u32, self.distinct as u32]
    }
}

impl Version {
    /// Appends words that come from these terms.
    fn take(&mut self, words: &[Word], written: &[&String], to: Option<String>, is_glued: bool) {
        let origin = self.origins.len();
        self.words.extend(words.iter().map(|word| Word { origin, ..word.clone() }));
        let written = written.iter().map(|&term| term.clone()).collect();
        self.origins.push(Origin { written, to, is_glued });
    }

    /// Different terms in order.
    fn distinct(&self) -> Vec<(String, Option<u32>)> {
        let mut distinct: Vec<(String, Option<u32>)> = Vec::with_capacity(self.words.len());
        for word in &self.words {
            if !distinct.iter().any(|(folded, _)| *folded == word.folded) {
                distinct.push((word.folded.clone(), word.term));
            }
        }
        distinct
    }

    /// What is told of corrections and dropped terms, given which words are kept. What was corrected and then dropped is
    /// only dropped.
    fn told(&self, is_kept: &[bool]) -> (Option<Vec<Correction>>, Option<Vec<String>>) {
        let (mut corrected, mut dropped) = (Vec::new(), Vec::new());
        for (at, origin) in self.origins.iter().enumerate() {
            let is_kept = self.words.iter().zip(is_kept).any(|(word, kept)| word.origin == at && *kept);
            match &origin.to {
                _ if !is_kept => dropped.extend(origin.written.iter().cloned()),
                Some(to) => corrected.push(Correction { from: origin.written.join(" "), to: to.clone() }),
                None => {}
            }
        }
        ((!corrected.is_empty()).then_some(corrected), (!dropped.is_empty()).then_some(dropped))
    }
}

impl Kept {
    /// Whether this is a greater part of its version than the other is of its own.
    fn keeps_more_than(&self, other: &Self) -> bool {
        u128::from(self.weight) * u128::from(other.of) > u128::from(other.weight) * u128::from(self.of)
    }
}

/// How many leading terms some listing holds together. A part of what is held together is held together, so bisection
/// finds it.
pub fn longest_prefix(catalog: &Catalog, terms: &[u32], wanted: &Wanted<impl Fn(u32) -> bool>) -> usize {
    let any = |count: usize| catalog.text.any(&distinct_numbers(terms[..count].iter().copied()), wanted);
    let (mut held, mut too_many) = (0, terms.len() + 1);
    while held + 1 < too_many {
        let middle = usize::midpoint(held, too_many);
        if any(middle) { held = middle } else { too_many = middle }
    }
    held
}

/// Terms in order, each once.
fn distinct_numbers(terms: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut distinct = Vec::new();
    for term in terms {
        if !distinct.contains(&term) {
            distinct.push(term);
        }
    }
    distinct
}

/// What a word is compared by that a correction makes: a number may have met its unit.
fn compared(word: &str) -> String {
    match label_terms(word).as_slice() {
        [term] => term.clone(),
        _ => fold_term(word),
    }
}

fn is_ask_word(folded: &str) -> bool {
    ASK_WORDS.binary_search(&folded).is_ok()
}

/// Whether a word is never corrected.
fn is_fixed(folded: &str) -> bool {
    is_ask_word(folded) || everyday::table().has_word(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(folded: &str, term: Option<u32>) -> Word {
        Word { folded: folded.to_owned(), term, origin: 0 }
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
    fn ask_words_are_sorted_and_folded() {
        assert!(ASK_WORDS.is_sorted_by(|a, b| a < b));
        assert!(ASK_WORDS.iter().all(|word| fold_term(word) == *word && is_ask_word(word)));
        assert!(!is_ask_word("organic"));
    }

    #[test]
    fn what_is_told_follows_the_query() {
        let version = version(&[
            (&["the"], &["the"], None),
            (&["de", "walt"], &["dewalt"], Some("dewalt")),
            (&["peanutbutter"], &["peanut", "butter"], Some("peanut butter")),
            (&["smoth"], &["smooth"], Some("smooth")),
        ]);
        let told = |is_kept: [bool; 5]| {
            let (corrected, dropped) = version.told(&is_kept);
            let corrected: Vec<String> =
                corrected.into_iter().flatten().map(|of| format!("{} = {}", of.from, of.to)).collect();
            (corrected.join(", "), dropped.map(|dropped| dropped.join(" ")))
        };
        let all = "de walt = dewalt, peanutbutter = peanut butter, smoth = smooth".to_owned();
        assert_eq!(told([true; 5]), (all, None));
        // What was corrected and then dropped is only dropped; a split stays as long as a part of it does.
        let (corrected, dropped) = told([true, false, false, true, false]);
        assert_eq!(corrected, "peanutbutter = peanut butter");
        assert_eq!(dropped.as_deref(), Some("de walt smoth"));
        assert_eq!(told([false; 5]), (String::new(), Some("the de walt peanutbutter smoth".to_owned())));
    }

    #[test]
    fn terms_count_once() {
        let version =
            version(&[(&["egg"], &["egg"], None), (&["eggs"], &["egg"], None), (&["box"], &["box"], None)]);
        let folded: Vec<String> = version.distinct().into_iter().map(|(folded, _)| folded).collect();
        assert_eq!(folded, ["egg", "box"]);
        assert_eq!(distinct_numbers([3, 1, 3, 2, 1].into_iter()), [3, 1, 2]);
    }

    #[test]
    fn the_greater_share_wins_and_the_earlier_of_equals() {
        let kept = |weight, of| Kept { terms: Vec::new(), weight, of };
        assert!(kept(2, 3).keeps_more_than(&kept(1, 2)));
        assert!(!kept(1, 2).keeps_more_than(&kept(2, 4)), "equal shares");
        assert!(!kept(1, 3).keeps_more_than(&kept(1, 2)));
        assert!(!kept(0, 0).keeps_more_than(&kept(0, 0)), "only ask-words");
        assert!(kept(u64::MAX, u64::MAX).keeps_more_than(&kept(u64::MAX - 1, u64::MAX)), "no overflow");
    }
}
