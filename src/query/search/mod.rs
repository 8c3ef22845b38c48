//! From the words of `q` to terms that listings hold.
//!
//! A query that some listing matches is taken as it is written. Else it is read in four *versions*: as written, with words
//! joined and split, with unknown words spelled right, with both; the first that some listing matches as a whole wins.
//! Where none does, words are dropped from each, and the version wins that keeps the greatest part of its weight. What
//! became of the words is told with the answer.

mod correct;
mod drop;
mod thing;
mod version;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use self::drop::{Before, Kept};
use self::version::{Version, Word};
use super::category;
use super::refusal::{NoResultsDetails, NoResultsReason, Refusal};
use crate::catalog::{Catalog, Matches, SoughtTerms, Wanted};
use crate::domain::Country;
use crate::domain::text::name;
use crate::domain::text::terms::{Term, terms};

pub use self::thing::thing;

/// Terms that are suggested.
const SUGGESTIONS_MAX: usize = 5;
/// Words about asking and not about the thing, as terms are folded.
const ASK_WORDS: [&str; 16] = [
    "a", "best", "buy", "cheap", "cheapest", "de", "des", "du", "for", "la", "le", "les", "of", "price",
    "prix", "the",
];

/// What a term was corrected to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TermCorrection")]
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
    /// The one of them that names what is asked for.
    thing: Option<u32>,
    /// How many different terms were searched for, those that nothing holds too.
    pub distinct: usize,
    /// Whether listings that hold half of the terms are of interest.
    is_tolerant: bool,
    /// The best matches.
    pub matches: Matches,
}

/// Finds what a text means in a country, among the rows that are accepted; `limit` matches of it.
///
/// # Errors
/// `NO_RESULTS` where nothing of the text is held by any of them.
pub fn understand(
    catalog: &Catalog,
    q: &str,
    is_exact: bool,
    wanted: &Wanted<'_, impl Fn(u32) -> bool>,
) -> Result<Understood, Refusal> {
    let asked = terms(q);
    let search = Search { catalog, wanted, is_exact, heads: name::heads(&asked) };
    let known: Vec<Option<u32>> = asked.iter().map(|term| search.known(&term.folded)).collect();
    // A query that is matched as it is written, which most are, pays for nothing else.
    if let Some(found) = search.all_of(known.iter().copied(), &known, || None) {
        return Ok(found);
    }
    let written = as_written(&asked, &known);
    let found = if is_exact { search.exact(&written) } else { search.tolerant(&written) };
    found.ok_or_else(|| search.nothing(q, &written))
}

/// A catalog with what is wanted of it.
struct Search<'a, F> {
    catalog: &'a Catalog,
    wanted: &'a Wanted<'a, F>,
    /// Whether words are taken as they are written.
    is_exact: bool,
    /// Where the words stand that may say what is asked for, the surest first.
    heads: Vec<usize>,
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    fn word(&self, folded: String) -> Word {
        Word { term: self.known(&folded), folded, origin: 0 }
    }

    fn known(&self, folded: &str) -> Option<u32> {
        self.catalog.text.known(folded, self.wanted.country)
    }

    /// Only the last terms may go.
    fn exact(&self, written: &Version) -> Option<Understood> {
        let leading: Vec<u32> = written.words.iter().map_while(|word| word.term).collect();
        let kept = longest_prefix(self.catalog, &leading, 0, self.wanted);
        let is_kept: Vec<bool> = (0..written.words.len()).map(|at| at < kept).collect();
        (kept > 0).then(|| self.found(written, &distinct_numbers(leading[..kept].iter().copied()), &is_kept))
    }

    /// The first correction that makes all words match; where none does, the version that keeps most of them.
    fn tolerant(&self, written: &Version) -> Option<Understood> {
        let mut versions = vec![written.clone()];
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
        let (mut best, mut before): (Option<(&Version, Kept)>, _) = (None, Before::default());
        for version in &versions {
            if let Some(kept) = self.dropped(version, &mut before)
                && best.as_ref().is_none_or(|(_, other)| kept.keeps_more_than(other))
            {
                best = Some((version, kept));
            }
        }
        best.map(|(version, kept)| {
            let terms = version.distinct();
            let needed: Vec<u32> =
                terms.iter().zip(&kept.terms).filter(|(_, kept)| **kept).filter_map(|(of, _)| of.1).collect();
            let kept: HashSet<&str> = terms
                .iter()
                .zip(&kept.terms)
                .filter(|(_, kept)| **kept)
                .map(|(of, _)| of.0.as_str())
                .collect();
            let is_kept: Vec<bool> =
                version.words.iter().map(|word| kept.contains(word.folded.as_str())).collect();
            self.found(version, &needed, &is_kept)
        })
    }

    /// The matches of a corrected version as a whole, if there are any.
    fn whole(&self, version: &Version) -> Option<Understood> {
        self.all_of(version.words.iter().map(|word| word.term), &version.became(), || {
            version.told(&vec![true; version.words.len()]).0
        })
    }

    /// Which of the terms that a match holds names what is asked for, given what each term of the query became.
    fn thing(&self, became: &[Option<u32>], needed: &[u32]) -> Option<u32> {
        thing(&self.catalog.text, self.heads.iter().filter_map(|&at| became[at]), needed)
    }

    /// The listings that hold all of some terms, if all are known and there are any.
    fn all_of(
        &self,
        terms: impl Iterator<Item = Option<u32>>,
        became: &[Option<u32>],
        corrected_terms: impl FnOnce() -> Option<Vec<Correction>>,
    ) -> Option<Understood> {
        let terms = distinct_numbers(terms.collect::<Option<Vec<u32>>>()?.into_iter());
        let thing = self.thing(became, &terms);
        let sought = SoughtTerms { needed: &terms, scored: &terms, thing };
        let matches = self.catalog.text.search(sought, self.wanted);
        let found = !matches.hits.is_empty();
        found.then(|| Understood {
            corrected_terms: corrected_terms(),
            dropped_terms: None,
            distinct: terms.len(),
            scored: terms.clone(),
            needed: terms,
            thing,
            is_tolerant: !self.is_exact,
            matches,
        })
    }

    /// The matches of what is kept of a version.
    fn found(&self, version: &Version, needed: &[u32], is_kept: &[bool]) -> Understood {
        let scored = distinct_numbers(version.words.iter().filter_map(|word| word.term));
        let thing = self.thing(&version.became(), needed);
        let matches = self.catalog.text.search(SoughtTerms { needed, scored: &scored, thing }, self.wanted);
        let (corrected_terms, dropped_terms) = version.told(is_kept);
        Understood {
            corrected_terms,
            dropped_terms,
            needed: needed.to_vec(),
            scored,
            thing,
            distinct: version.distinct().len(),
            is_tolerant: !self.is_exact,
            matches,
        }
    }

    /// The refusal that tells what was understood, what is near, where such things are kept, and whether the other country
    /// has it.
    fn nothing(&self, q: &str, written: &Version) -> Refusal {
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
        let remedy = match other_country {
            Some(_) => "",
            None if self.is_exact => "; ask without exact_query, for other words, or a barcode",
            None if suggestions.is_empty() => "; ask for other words, or a barcode",
            None => "; ask for one of the suggestions",
        };
        let shelf = category::of_everyday_name(self.catalog, country, q)
            .map_or_else(String::new, |path| format!("; shops keep it under {path}"));
        let message = format!("no priced listing of {} matches q{shelf}{remedy}", country.as_str());
        let details = NoResultsDetails {
            terms: Some(terms),
            suggestions: Some(suggestions),
            ..NoResultsDetails::new(NoResultsReason::UnknownProduct)
        };
        Refusal::NoResults { message, details, suggest: None }.elsewhere(other_country)
    }

    /// The other country, where it has a listing that matches all words as they are written.
    fn other_country(&self, written: &Version) -> Option<Country> {
        self.wanted.country.others().find(|&country| {
            let known = |word: &Word| self.catalog.text.known(&word.folded, country);
            let terms: Option<Vec<u32>> = written.words.iter().map(known).collect();
            let anywhere = Wanted { country, limit: 1, among: None, accept: |_| true };
            terms.is_some_and(|terms| self.catalog.text.any(&distinct_numbers(terms.into_iter()), &anywhere))
        })
    }
}

/// A query as it is written; of each term its number, if it is known.
fn as_written(asked: &[Term], known: &[Option<u32>]) -> Version {
    let mut version = Version::default();
    for (asked, &term) in asked.iter().zip(known) {
        let word = Word { folded: asked.folded.clone(), term, origin: 0 };
        version.take(&[word], &[&asked.written], None, asked.is_glued());
    }
    version
}

impl Understood {
    /// More of the matches, up to `limit` of them.
    pub fn again(&self, catalog: &Catalog, wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Matches {
        catalog.text.search(self.sought(), wanted)
    }

    fn sought(&self) -> SoughtTerms<'_> {
        SoughtTerms { needed: &self.needed, scored: &self.scored, thing: self.thing }
    }

    /// Listings that hold at least half of the terms, but not all that a match holds.
    pub fn half_matches(&self, catalog: &Catalog, wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Matches {
        let least = self.distinct.div_ceil(2);
        if !self.is_tolerant || self.scored.len() < least {
            return Matches { hits: Vec::new(), all: true };
        }
        catalog.text.search_some(self.sought(), least, wanted)
    }

    /// How many of the terms a listing holds, and how many there are.
    pub fn matched(&self, catalog: &Catalog, row: u32) -> [u32; 2] {
        [catalog.text.held_count(row, &self.scored) as u32, self.distinct as u32]
    }
}

/// How many leading terms some listing holds together, given how many it certainly does. A part of what is held together is
/// held together, so bisection finds it.
pub fn longest_prefix(
    catalog: &Catalog,
    terms: &[u32],
    held: usize,
    wanted: &Wanted<'_, impl Fn(u32) -> bool>,
) -> usize {
    let any = |count: usize| catalog.text.any(&distinct_numbers(terms[..count].iter().copied()), wanted);
    let (mut held, mut too_many) = (held, terms.len() + 1);
    while held + 1 < too_many {
        let middle = usize::midpoint(held, too_many);
        if any(middle) { held = middle } else { too_many = middle }
    }
    held
}

/// Terms in order, each once.
fn distinct_numbers(terms: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut distinct: Vec<(usize, u32)> = terms.enumerate().collect();
    distinct.sort_unstable_by_key(|&(at, term)| (term, at));
    distinct.dedup_by_key(|&mut (_, term)| term);
    distinct.sort_unstable();
    distinct.into_iter().map(|(_, term)| term).collect()
}

fn is_ask_word(folded: &str) -> bool {
    ASK_WORDS.binary_search(&folded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::fold_term;

    #[test]
    fn ask_words_are_sorted_and_folded() {
        assert!(ASK_WORDS.is_sorted_by(|a, b| a < b));
        assert!(ASK_WORDS.iter().all(|word| fold_term(word) == *word && is_ask_word(word)));
        assert!(!is_ask_word("organic"));
    }
}
