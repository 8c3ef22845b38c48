//! Query processing: from the words of `q` to the matching listings.
//!
//! If a listing contains all terms of the query, the query is used as written, and only its weights are computed.
//! Otherwise four *versions* of the query are tried: as written, with words joined and split, with unknown words
//! corrected, and with both changes. The first version whose terms are all in one listing is used. If there is no such
//! version, the version whose best match has the highest quality is used. If no listing contains all terms with enough
//! quality, other names of the same product in the everyday table are tried.
//!
//! `weights` assigns two values to each term. The weight determines how much the term contributes to the *match
//! quality*, which is the share of the query that a listing satisfies. The role determines how a listing must contain
//! the term: a product type as head noun or as a word of the category, other words in any role. The index
//! ([`crate::search::index`]) sums the quality in integers, from the same postings as the score. If no listing contains
//! all terms, the index returns listings that contain a term whose weight is at least the lower median of the weights.
//!
//! A query whose best match is below the least quality is rejected ([`WeakMatch`]) before any payment.
//! `crate::query::suggest` adds suggested terms, categories and another country to the rejection. This is a separate
//! step because it costs more than the search itself.

mod correct;
mod reading;
mod rename;
mod roles;
mod weights;

use schemars::JsonSchema;
use serde::Serialize;

use self::reading::{Version, Word};
use crate::catalog::Catalog;
use crate::lang::asking::BareQuery;
use crate::lang::everyday;
use crate::lang::lexicon::Kind;
use crate::lang::quantities::Stated;
use crate::lang::text::name::is_qualifier;
use crate::lang::text::terms::{Term, terms};
use crate::search::index::{
    MatchQuality, Matches, PartialMatch, QualityConstants, QualityQuery, SearchScope, SoughtTerms,
};
use crate::types::Ratio4;

/// The default of `min_quality`: a query is rejected if the quality of its best match is lower.
pub const DEFAULT_MIN_QUALITY: MatchQuality = MatchQuality::of_hundredths(40);

/// If no listing contains all terms with at least this quality, other names of the product are searched for. Their
/// matches must also reach this quality.
const OTHER_NAME_MIN: MatchQuality = MatchQuality::of_hundredths(60);

/// How strictly a text is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strictness {
    /// Whether words are used as written. If so, a match may lack only words at the end of the query.
    pub is_exact: bool,
    /// The least quality of the best match, if the request sets one.
    pub min_quality: Option<MatchQuality>,
    /// The constants by which quality is measured. They differ from the default only while they are being fitted.
    pub constants: QualityConstants,
}

impl Strictness {
    /// The least quality in effect: `min_quality` if it is set, else 0 for exact matching and [`DEFAULT_MIN_QUALITY`]
    /// otherwise.
    pub fn least(self) -> MatchQuality {
        let default = if self.is_exact { MatchQuality::default() } else { DEFAULT_MIN_QUALITY };
        self.min_quality.unwrap_or(default)
    }
}

/// A term of the request that was corrected, split, or joined with other terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TermCorrection")]
pub struct Correction {
    /// Term of the request, or several terms if they were joined.
    pub from: String,
    /// Text that was searched for instead, in the spelling that most product names use. It has several words if the
    /// term was split.
    pub to: String,
}

/// A part of a query that was interpreted as other words, as another unit or as a price limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "QueryReading")]
pub struct Reading {
    /// Words of the request.
    pub from: String,
    /// Text that was searched for instead: another name of the same product, or a quantity in another unit. Null for a
    /// price limit, which the search does not apply.
    pub to: Option<String>,
}

/// The interpretation of the searched text. All fields are null for lookups by uid or barcode.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TextReading {
    /// Terms that were corrected, joined or split, each with the text that was searched for instead; null when there
    /// are none.
    pub corrected_terms: Option<Vec<Correction>>,
    /// Terms that the best match does not contain; null when it contains all terms.
    pub dropped_terms: Option<Vec<String>>,
    /// Share of the weight of the query's terms that the best match satisfies, 0 to 1, rounded down to two decimals; 1
    /// when it contains every term without correction and in the role that the query implies.
    pub match_quality: Option<Ratio4>,
    /// Parts of the query that were interpreted as other words, as another unit or as a price limit; null when there
    /// are none.
    pub understood_as: Option<Vec<Reading>>,
}

/// A search in the text index, with terms given by their numbers.
#[derive(Debug, Clone, PartialEq)]
struct Searched {
    /// Terms that a match must contain. Empty if a match may contain only a part of the scored terms.
    needed: Vec<u32>,
    /// Known terms, by which matches are ranked.
    scored: Vec<u32>,
    /// The scored term that names the requested product type, if any.
    type_term: Option<u32>,
    /// The weights and roles of the terms, by which quality is measured.
    query: QualityQuery,
}

impl Searched {
    fn terms(&self, least: MatchQuality) -> SoughtTerms<'_> {
        let Self { needed, scored, type_term, query } = self;
        SoughtTerms { needed, scored, product_type: *type_term, quality: Some(query), least }
    }

    /// Finds the listings that contain all needed terms. Without needed terms, finds the listings that contain a term
    /// whose weight is at least the lower median of the weights. Listings with fewer tenths of quality than `least` are
    /// left out.
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

/// The interpretation of a text, and its matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// How the text was interpreted.
    pub reading: TextReading,
    /// The search that found `matches`. It can be repeated with another scope.
    searched: Searched,
    /// The number of distinct terms that were searched for, including those that no listing contains.
    pub distinct: usize,
    /// Whether listings that contain only half of the terms may be returned. False for exact matching.
    is_tolerant: bool,
    /// The best matches.
    pub matches: Matches,
}

/// Searches for a text in the scope `wanted`, and returns up to `wanted.limit` matches.
///
/// # Errors
/// Returns an error with the best matches if none of them has the least quality.
pub fn understand(
    catalog: &Catalog,
    q: &str,
    strictness: Strictness,
    wanted: &SearchScope<'_, impl Fn(u32) -> bool>,
) -> Result<Understood, WeakMatch> {
    let search = Search { catalog, wanted, strictness };
    let asked = without_asking(catalog, q, strictness);
    let text = asked.as_ref().map_or(q, |asked| &asked.rest);
    let terms = terms(&catalog.lexicon, text);
    let mut written = search.as_written(&terms);
    if !strictness.is_exact {
        written.read_quantities(&catalog.lexicon, text);
    }
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

/// Whether a folded word is about asking or in the everyday table, so that it is not a misspelling of another word.
pub fn is_spelled_right(catalog: &Catalog, word: &str) -> bool {
    catalog.lexicon.has(Kind::Ask, word) || everyday::table().has_word(word)
}

/// The text without its request phrases, such as "how much is". `None` if it has no such phrase, if nothing else
/// remains, or if matching is exact.
pub fn without_asking(catalog: &Catalog, q: &str, strictness: Strictness) -> Option<BareQuery> {
    if strictness.is_exact { None } else { catalog.lexicon.without_asking(q) }
}

/// A catalog with the parameters of a search.
struct Search<'a, F> {
    catalog: &'a Catalog,
    wanted: &'a SearchScope<'a, F>,
    strictness: Strictness,
}

/// A version of a query and its matches.
#[derive(Clone)]
struct VersionMatches {
    version: Version,
    /// The name in the everyday table that was searched for instead of the text, if any.
    other_name: Option<&'static str>,
    searched: Searched,
    matches: Matches,
}

impl VersionMatches {
    fn quality(&self) -> MatchQuality {
        self.matches.hits.first().map_or(MatchQuality::default(), |hit| hit.quality)
    }

    /// Returns the version whose best match has the higher quality; `self` if the qualities are equal.
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
        Version::as_written(&self.catalog.lexicon, asked, |folded| self.known(folded))
    }

    /// Exact matching: the matches contain as many leading terms of the query as one listing contains together.
    fn exact(&self, written: &Version) -> Option<VersionMatches> {
        let leading: Vec<u32> = written.words.iter().map_while(|word| word.term).collect();
        let kept = longest_prefix(self.catalog, &leading, 0, self.wanted);
        let needed = distinct_numbers(leading[..kept].iter().copied());
        (kept > 0).then(|| self.found(written, needed, MatchQuality::default()))?
    }

    /// Tolerant matching: the best match over all versions and other names of the product.
    fn tolerant(&self, text: &str, written: &Version) -> Option<VersionMatches> {
        let found = self.of_versions(written);
        let is_sure =
            |found: &VersionMatches| !found.searched.needed.is_empty() && found.quality() >= OTHER_NAME_MIN;
        if found.as_ref().is_some_and(is_sure) {
            return found;
        }
        let found = self.renamed(written, found);
        if found.as_ref().is_some_and(is_sure) {
            return found;
        }
        let mut named = everyday::table().other_names(text).filter_map(|name| {
            let found = self.whole(&self.as_written(&terms(&self.catalog.lexicon, name)), OTHER_NAME_MIN)?;
            (found.quality() >= OTHER_NAME_MIN).then_some(VersionMatches { other_name: Some(name), ..found })
        });
        let found = found.or_else(|| named.next())?;
        Some(named.fold(found, |best, other| best.or_better(Some(other))))
    }

    /// The matches of the first version whose terms are all in one listing. If there is no such version, the matches of
    /// the version whose best match has the highest quality.
    fn of_versions(&self, written: &Version) -> Option<VersionMatches> {
        let whole = self.whole(written, MatchQuality::default());
        if whole.is_some() {
            return whole;
        }
        let mut versions = vec![written.clone()];
        let joined = self.joined_and_split(written);
        let mut weak: Option<VersionMatches> = None;
        let corrections: [&dyn Fn() -> Version; 3] =
            [&|| joined.clone(), &|| self.spelled(written), &|| self.spelled(&joined)];
        for correct in corrections {
            let version = correct();
            if !versions.contains(&version) {
                let whole = self.whole(&version, MatchQuality::default());
                match whole {
                    Some(whole) if whole.quality() >= self.strictness.least() => {
                        return Some(whole);
                    }
                    Some(whole) => {
                        weak = Some(match weak {
                            Some(weak) => weak.or_better(Some(whole)),
                            None => whole,
                        });
                    }
                    None => versions.push(version),
                }
            }
        }
        versions.iter().fold(weak, |best: Option<VersionMatches>, version| {
            let least = best.as_ref().map_or(MatchQuality::default(), VersionMatches::quality);
            let found = self.found(version, Vec::new(), least);
            match best {
                Some(best) => Some(best.or_better(found)),
                None => found,
            }
        })
    }

    /// The matches that contain all words of a version and have at least as many tenths of quality as `least`. `None`
    /// if a word is unknown or if there are no matches.
    fn whole(&self, version: &Version, least: MatchQuality) -> Option<VersionMatches> {
        if !version.is_known() || version.words.is_empty() {
            return None;
        }
        self.found(version, version.needed(), least)
    }

    /// The matches of a version with at least as many tenths of quality as `least`. They contain the needed terms, or a
    /// part of the terms if `needed` is empty. `None` if there are no matches.
    fn found(&self, version: &Version, needed: Vec<u32>, least: MatchQuality) -> Option<VersionMatches> {
        let (scored, query) = (version.known(), self.weigh(version));
        let became = version.became();
        let head_nouns = version.head_nouns.iter().filter_map(|&asked| version.words[became[asked]].term);
        let may_be_type = if needed.is_empty() { &scored } else { &needed };
        let type_term = type_term(self.catalog, head_nouns, may_be_type);
        let searched = Searched { needed, scored, type_term, query };
        let matches = searched.matches(self.catalog, self.wanted, least);
        let version = version.clone();
        (!matches.hits.is_empty()).then_some(VersionMatches { version, other_name: None, searched, matches })
    }

    /// Whether a listing contains a word, or states its quantity in any unit.
    fn holds(&self, row: u32, word: &Word) -> bool {
        let text = &self.catalog.text;
        word.term.is_some_and(|term| text.held_count(row, &[term]) > 0)
            || word.quantity.is_some_and(|quantity| text.stated(row, quantity) == Stated::Equal)
    }

    /// Describes how a text was interpreted, given the version that matched.
    fn understood(&self, found: VersionMatches, asked: &[Term], amounts: Vec<String>) -> Understood {
        let row = found.matches.hits[0].row;
        let is_held: Vec<bool> = found.version.words.iter().map(|word| self.holds(row, word)).collect();
        let (corrected_terms, dropped_terms) = found.version.told(&is_held);
        let mut readings: Vec<Reading> = Vec::new();
        if let Some(name) = found.other_name {
            let from: Vec<&str> = asked.iter().map(|term| term.written.as_str()).collect();
            readings.push(Reading { from: from.join(" "), to: Some(name.to_owned()) });
        } else {
            readings.extend(found.version.readings(asked));
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

impl Understood {
    /// Repeats the search with another scope or limit.
    pub fn again(&self, catalog: &Catalog, wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> Matches {
        self.searched.matches(catalog, wanted, MatchQuality::default())
    }

    /// The listings that contain at least half of the terms, but not all needed terms. Empty if no terms are needed, if
    /// matching is exact, or if fewer than half of the terms are known.
    pub fn half_matches(&self, catalog: &Catalog, wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> Matches {
        let least = self.distinct.div_ceil(2);
        if !self.is_tolerant || self.searched.needed.is_empty() || self.searched.scored.len() < least {
            return Matches { hits: Vec::new(), all: true };
        }
        let terms = self.searched.terms(MatchQuality::default());
        catalog.text.search_some(terms, PartialMatch::Half(least), wanted)
    }

    /// The number of terms that a listing contains, and the number of all terms.
    pub fn matched(&self, catalog: &Catalog, row: u32) -> [u32; 2] {
        [catalog.text.held_count(row, &self.searched.scored) as u32, self.distinct as u32]
    }
}

/// The largest number of leading terms that one listing contains together. `held` is a lower bound of this number.
/// Bisection is valid because any prefix of terms that occur together also occurs together.
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

/// The distinct terms, in the order of their first occurrence.
fn distinct_numbers(terms: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut distinct: Vec<(usize, u32)> = terms.enumerate().collect();
    distinct.sort_unstable_by_key(|&(at, term)| (term, at));
    distinct.dedup_by_key(|&mut (_, term)| term);
    distinct.sort_unstable();
    distinct.into_iter().map(|(_, term)| term).collect()
}

/// The needed term that names the product. This term must be the product type of some listing, and must not be a
/// colour, a size or a similar qualifier: "vin rouge" is a wine. The candidates for the head noun are tried first, then
/// the other needed terms from last to first.
pub fn type_term(catalog: &Catalog, head_nouns: impl Iterator<Item = u32>, needed: &[u32]) -> Option<u32> {
    let Catalog { text, lexicon, .. } = catalog;
    let is_product_type = |term: &u32| text.names_listing(*term) && !is_qualifier(lexicon, text.term(*term));
    let head_nouns = head_nouns.filter(|head| needed.contains(head));
    head_nouns.chain(needed.iter().rev().copied()).find(is_product_type)
}

/// The maximum number of products named in a rejection.
const NEAREST_MAX: usize = 3;

/// The rejection of a text whose best match is below the least quality.
#[derive(Debug, Clone, PartialEq)]
pub struct WeakMatch {
    /// The terms of the text as written.
    pub terms: Vec<String>,
    /// The quality of the best match; 0 if nothing matches.
    pub quality: MatchQuality,
    /// The least quality that was required.
    pub least: MatchQuality,
    /// Names and qualities of the best matches, at most three, one per product.
    pub nearest: Vec<(String, MatchQuality)>,
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// The rejection of a text without a match of the least quality. It contains the best matches, if there are any.
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
