//! From the words of `q` to the listings that are meant.
//!
//! A query that some listing holds as a whole is taken as it is written; it costs nothing of the following but its
//! weights. Otherwise it is read in four *versions*: as written, with words joined and split, with unknown words
//! corrected, with both. The first that some listing holds as a whole wins, else the one whose best match has the
//! highest quality. Where no listing holds all terms well enough, other names of the same thing in the everyday table
//! are tried.
//!
//! `weights` gives each term its weight in the *match quality*, the share of the query that a listing satisfies, and
//! the role in which a listing must hold it: head noun or word of the category for a product type, any role for other
//! words. The index ([`crate::search::index`]) adds the quality up beside the score, from the same postings, in
//! integers. Where no listing holds all terms, it returns listings that hold a term of at least the lower median
//! weight.
//!
//! A best match below the least quality is a refusal ([`WeakMatch`]), which is decided before any payment.
//! `query::suggest` completes the refusal with terms, categories and another country, since that costs more than the
//! search itself.

mod correct;
mod reading;
mod weights;

use schemars::JsonSchema;
use serde::Serialize;

use self::reading::Version;
use super::index::TextIndex;
use crate::catalog::Catalog;
use crate::lang::everyday::{self, BareQuery};
use crate::lang::text::name::is_qualifier;
use crate::lang::text::terms::{Term, TermKind, terms};
use crate::search::index::{
    MatchQuality, Matches, PartialMatch, QualityConstants, QualityQuery, SearchScope, SoughtTerms,
};
use crate::types::Ratio4;

/// The least quality of a match that is answered, unless a request names another.
pub const DEFAULT_MIN_QUALITY: MatchQuality = MatchQuality::of_hundredths(36);

/// Where no listing holds all terms with this quality, other names of the thing are searched for, and must have it.
const OTHER_NAME_MIN: MatchQuality = MatchQuality::of_hundredths(60);

/// How a text is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strictness {
    /// Whether words are taken as they are written, and only last ones may be missing.
    pub is_exact: bool,
    /// The least quality of a match, if the request names one.
    pub min_quality: Option<MatchQuality>,
    /// The constants by which quality is measured: others where they are being chosen.
    pub constants: QualityConstants,
}

impl Strictness {
    /// The least quality of a match that is answered.
    pub fn least(self) -> MatchQuality {
        let default = if self.is_exact { MatchQuality::default() } else { DEFAULT_MIN_QUALITY };
        self.min_quality.unwrap_or(default)
    }
}

/// What a term was corrected to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TermCorrection")]
pub struct Correction {
    /// The term as it was asked for; several where they were joined.
    pub from: String,
    /// What was searched for instead, as product names mostly spell it; several where it was split.
    pub to: String,
}

/// How a part of a query was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "QueryReading")]
pub struct Reading {
    /// The words as they were asked for.
    pub from: String,
    /// What was searched for instead: another name of the same thing, or a quantity in another unit. Null for a bound of the
    /// price, which is not applied.
    pub to: Option<String>,
}

/// How a text was read. All is null for look-ups by uid or barcode.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TextReading {
    /// Terms that nothing has as they are written, and what was searched for instead; null when none was corrected.
    pub corrected_terms: Option<Vec<Correction>>,
    /// Terms that the best match does not hold; null when it holds all.
    pub dropped_terms: Option<Vec<String>>,
    /// Share of the query's weight that the best match satisfies, 0 to 1, rounded down to two decimals; 1 when it holds every
    /// term in the role in which it was asked.
    pub match_quality: Option<Ratio4>,
    /// Parts of the query that were read otherwise; null when none was.
    pub understood_as: Option<Vec<Reading>>,
}

/// A search, by the numbers of its terms.
#[derive(Debug, Clone, PartialEq)]
struct Searched {
    /// Terms that a match holds; none where it may hold a part of those that are scored.
    needed: Vec<u32>,
    /// Known terms, by which matches are ranked.
    scored: Vec<u32>,
    /// The one of them that names what is asked for.
    type_term: Option<u32>,
    /// The query by which quality is measured.
    query: QualityQuery,
}

impl Searched {
    fn terms(&self, least: MatchQuality) -> SoughtTerms<'_> {
        let Self { needed, scored, type_term, query } = self;
        SoughtTerms { needed, scored, product_type: *type_term, quality: Some(query), least }
    }

    /// The listings that hold all that is needed; where nothing is, those that hold a weighty part. Those of fewer tenths than
    /// a quality are left out.
    fn matches(
        &self,
        catalog: &Catalog,
        wanted: &SearchScope<'_, impl Fn(u32) -> bool>,
        least: MatchQuality,
    ) -> Matches {
        if self.needed.is_empty() {
            catalog.text.search_some(self.terms(least), PartialMatch::Weighty, wanted)
        } else {
            catalog.text.search(self.terms(least), wanted)
        }
    }
}

/// A text as it was understood, and what it found.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// How it was read.
    pub reading: TextReading,
    /// The search.
    searched: Searched,
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
/// With the best matches where none has the least quality.
pub fn understand(
    catalog: &Catalog,
    q: &str,
    strictness: Strictness,
    wanted: &SearchScope<'_, impl Fn(u32) -> bool>,
) -> Result<Understood, WeakMatch> {
    let search = Search { catalog, wanted, strictness };
    let asked = without_asking(q, strictness);
    let text = asked.as_ref().map_or(q, |asked| &asked.rest);
    let terms = terms(text);
    let written = search.as_written(&terms);
    let found = if strictness.is_exact { search.exact(&written) } else { search.tolerant(text, &written) };
    let best = found.as_ref().map_or(MatchQuality::default(), VersionMatches::quality);
    match found {
        Some(found) if best >= strictness.least() => {
            let amounts = asked.map_or_else(Vec::new, |asked| asked.amounts);
            Ok(search.understood(found, &terms, amounts))
        }
        found => Err(search.weak_match(&terms, found.as_ref())),
    }
}

/// A text without its phrases about asking, where they are looked for and it has some.
pub fn without_asking(q: &str, strictness: Strictness) -> Option<BareQuery> {
    if strictness.is_exact { None } else { everyday::table().without_asking(q) }
}

/// A catalog with what is wanted of it.
struct Search<'a, F> {
    catalog: &'a Catalog,
    wanted: &'a SearchScope<'a, F>,
    strictness: Strictness,
}

/// Matches of a version.
struct VersionMatches {
    version: Version,
    /// The name in the everyday table that was searched for instead of the text.
    other_name: Option<&'static str>,
    searched: Searched,
    matches: Matches,
}

impl VersionMatches {
    fn quality(&self) -> MatchQuality {
        self.matches.hits.first().map_or(MatchQuality::default(), |hit| hit.quality)
    }

    /// The better of two, the first of equals.
    fn or_better(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.quality() > self.quality() => other,
            _ => self,
        }
    }
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    fn known(&self, folded: &str) -> Option<u32> {
        self.catalog.text.known(folded, self.wanted.country)
    }

    fn as_written(&self, asked: &[Term]) -> Version {
        Version::as_written(asked, |folded| self.known(folded))
    }

    /// Only the last terms may be missing.
    fn exact(&self, written: &Version) -> Option<VersionMatches> {
        let leading: Vec<u32> = written.words.iter().map_while(|word| word.term).collect();
        let kept = longest_prefix(self.catalog, &leading, 0, self.wanted);
        let needed = distinct_numbers(leading[..kept].iter().copied());
        (kept > 0).then(|| self.found(written, needed, MatchQuality::default()))?
    }

    /// The best match of a text.
    fn tolerant(&self, text: &str, written: &Version) -> Option<VersionMatches> {
        let found = self.of_versions(written);
        let is_sure =
            |found: &VersionMatches| !found.searched.needed.is_empty() && found.quality() >= OTHER_NAME_MIN;
        if found.as_ref().is_some_and(is_sure) {
            return found;
        }
        let mut named = everyday::table().other_names(text).filter_map(|name| {
            let found = self.whole(&self.as_written(&terms(name)), OTHER_NAME_MIN)?;
            (found.quality() >= OTHER_NAME_MIN).then_some(VersionMatches { other_name: Some(name), ..found })
        });
        let found = found.or_else(|| named.next())?;
        Some(named.fold(found, |best, other| best.or_better(Some(other))))
    }

    /// The first version that some listing holds as a whole; where none does, the one whose best match is best.
    fn of_versions(&self, written: &Version) -> Option<VersionMatches> {
        let whole = self.whole(written, MatchQuality::default());
        if whole.is_some() {
            return whole;
        }
        let mut versions = vec![written.clone()];
        let joined = self.joined_and_split(written);
        let corrections: [&dyn Fn() -> Version; 3] =
            [&|| joined.clone(), &|| self.spelled(written), &|| self.spelled(&joined)];
        for correct in corrections {
            let version = correct();
            if !versions.contains(&version) {
                let whole = self.whole(&version, MatchQuality::default());
                if whole.is_some() {
                    return whole;
                }
                versions.push(version);
            }
        }
        versions.iter().fold(None, |best: Option<VersionMatches>, version| {
            let least = best.as_ref().map_or(MatchQuality::default(), VersionMatches::quality);
            let found = self.found(version, Vec::new(), least);
            match best {
                Some(best) => Some(best.or_better(found)),
                None => found,
            }
        })
    }

    /// Matches that hold a version as a whole, down to the tenths of a quality.
    fn whole(&self, version: &Version, least: MatchQuality) -> Option<VersionMatches> {
        if !version.is_known() || version.words.is_empty() {
            return None;
        }
        self.found(version, version.known(), least)
    }

    /// The matches of a version that hold some of its terms, or a part of them, down to the tenths of a quality, if there are
    /// any.
    fn found(&self, version: &Version, needed: Vec<u32>, least: MatchQuality) -> Option<VersionMatches> {
        let (scored, query) = (version.known(), self.weigh(version));
        let became = version.became();
        let head_nouns = version.head_nouns.iter().filter_map(|&asked| version.words[became[asked]].term);
        let may_be_type = if needed.is_empty() { &scored } else { &needed };
        let type_term = type_term(&self.catalog.text, head_nouns, may_be_type);
        let searched = Searched { needed, scored, type_term, query };
        let matches = searched.matches(self.catalog, self.wanted, least);
        let version = version.clone();
        (!matches.hits.is_empty()).then_some(VersionMatches { version, other_name: None, searched, matches })
    }

    /// The reading of a text that was found.
    fn understood(&self, found: VersionMatches, asked: &[Term], amounts: Vec<String>) -> Understood {
        let row = found.matches.hits[0].row;
        let is_held = |term: u32| self.catalog.text.held_count(row, &[term]) > 0;
        let is_held: Vec<bool> =
            found.version.words.iter().map(|word| word.term.is_some_and(is_held)).collect();
        let (corrected_terms, dropped_terms) = found.version.told(&is_held);
        let mut readings: Vec<Reading> = Vec::new();
        match found.other_name {
            Some(name) => {
                let from: Vec<&str> = asked.iter().map(|term| term.written.as_str()).collect();
                readings.push(Reading { from: from.join(" "), to: Some(name.to_owned()) });
            }
            None => readings.extend(
                asked
                    .iter()
                    .filter(|term| is_converted(term))
                    .map(|term| Reading { from: term.written.clone(), to: Some(term.folded.clone()) }),
            ),
        }
        readings.extend(amounts.into_iter().map(|from| Reading { from, to: None }));
        let quality = found.quality().ratio();
        let VersionMatches { version, searched, matches, .. } = found;
        Understood {
            reading: TextReading {
                corrected_terms,
                dropped_terms,
                match_quality: Some(quality),
                understood_as: (!readings.is_empty()).then_some(readings),
            },
            searched,
            distinct: version.distinct().len(),
            is_tolerant: !self.strictness.is_exact,
            matches,
        }
    }
}

/// Whether a quantity is compared in another unit than it is asked in.
fn is_converted(term: &Term) -> bool {
    term.kind == TermKind::Quantity && term.folded != term.written
}

impl Understood {
    /// More of the matches, up to `limit` of them.
    pub fn again(&self, catalog: &Catalog, wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> Matches {
        self.searched.matches(catalog, wanted, MatchQuality::default())
    }

    /// Where matches hold all that is needed: listings that hold at least half of the terms, but not all that a match holds.
    pub fn half_matches(&self, catalog: &Catalog, wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> Matches {
        let least = self.distinct.div_ceil(2);
        if !self.is_tolerant || self.searched.needed.is_empty() || self.searched.scored.len() < least {
            return Matches { hits: Vec::new(), all: true };
        }
        let terms = self.searched.terms(MatchQuality::default());
        catalog.text.search_some(terms, PartialMatch::Half(least), wanted)
    }

    /// How many of the terms a listing holds, and how many there are.
    pub fn matched(&self, catalog: &Catalog, row: u32) -> [u32; 2] {
        [catalog.text.held_count(row, &self.searched.scored) as u32, self.distinct as u32]
    }
}

/// How many leading terms some listing holds together, given how many it certainly does. A part of what is held together is
/// held together, so bisection finds it.
pub fn longest_prefix(
    catalog: &Catalog,
    terms: &[u32],
    held: usize,
    wanted: &SearchScope<'_, impl Fn(u32) -> bool>,
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

/// Which of the terms that a match holds names it: the first of those that may be the head, else the last one, that some
/// listing is. Colours, sizes and the like name no thing: "vin rouge" is a wine.
pub fn type_term(text: &TextIndex, head_nouns: impl Iterator<Item = u32>, needed: &[u32]) -> Option<u32> {
    let is_product_type = |term: &u32| text.names_listing(*term) && !is_qualifier(text.term(*term));
    let head_nouns = head_nouns.filter(|head| needed.contains(head));
    head_nouns.chain(needed.iter().rev().copied()).find(is_product_type)
}

/// Products that are named.
const NEAREST_MAX: usize = 3;

/// The best matches of a text, none of which has the least quality.
#[derive(Debug, Clone, PartialEq)]
pub struct WeakMatch {
    /// The terms of the text as they were written.
    pub terms: Vec<String>,
    /// The quality of the best match; 0 where nothing matches.
    pub quality: MatchQuality,
    /// The quality that a match must have.
    pub least: MatchQuality,
    /// Names and qualities of the best matches, at most three, one per product.
    pub nearest: Vec<(String, MatchQuality)>,
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// What came near to a text whose best match, if any, has too little quality.
    fn weak_match(&self, asked: &[Term], found: Option<&VersionMatches>) -> WeakMatch {
        let SearchScope { country, among, ref accept, .. } = *self.wanted;
        let wanted = SearchScope { country, limit: NEAREST_MAX, among, accept };
        let hits = found.map_or_else(Vec::new, |found| match &found.matches {
            known if known.all || known.hits.len() >= NEAREST_MAX => known.hits.clone(),
            _ => found.searched.matches(self.catalog, &wanted, MatchQuality::default()).hits,
        });
        let nearest = hits.iter().take(NEAREST_MAX);
        WeakMatch {
            terms: asked.iter().map(|term| term.written.clone()).collect(),
            quality: found.map_or(MatchQuality::default(), VersionMatches::quality),
            least: self.strictness.least(),
            nearest: nearest
                .map(|hit| (self.catalog.listing(hit.row).name().to_owned(), hit.quality))
                .collect(),
        }
    }
}
