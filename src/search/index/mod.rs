//! The text index: search over names, brands and category paths.
//!
//! Each listing has a number in the index, its *doc ordinal*, or *doc* for short. Docs are ordered by country with
//! priced listings first, then by *length* (the number of terms of name and brand, where a variety such as a taste
//! counts twice), then by the rank of equally good matches: members of the entity, stock, price, date, uid. Scores fall
//! with the length. A search therefore walks docs in ascending order and stops when no listing of a greater length can
//! be among the best.
//!
//! A listing is found by the terms of its name, of its brand and of the path of its category. Each term has a list of
//! postings ([`posting`]) in ascending order. A posting packs a doc ordinal and the field in which the listing contains
//! the term ([`TermField`]) into 32 bits. A posting determines how much its term contributes, so a match is scored from
//! postings alone, and only listings in the answer are read. A frequent term, which at least one listing in 128
//! contains, also has sets ([`layout::set`]). The first set has one bit per doc, which is set if the doc contains the
//! term. The bits are stored in lines of 512, with the number of postings before each line, so that the posting of a
//! doc can be found by counting bits. The second set has the docs that are the product that the term names. The third
//! set has the docs that contain the term as a product type. It is built when a query first needs it.
//!
//! - `find` finds the listings that contain all needed terms. If all terms are frequent, their sets are intersected.
//!   Otherwise the postings of the rarest term are walked, and the other terms are looked up in their sets or by
//!   galloping search in their postings. `best_per_entity` keeps the best listing of each product, so a search requests
//!   as many products as the answer shows.
//! - `partial` finds the listings that contain only a part of the terms. It processes 512 docs at a time and sums the
//!   qualities of all of them at once, with one bit vector for each binary digit. Only docs that may be among the best
//!   are scored.
//! - `quality` and `score` implement the formulas that order matches: tenths of the quality, then the score, then the
//!   rank. The three are packed into one key of 64 bits (`top_k`).
//! - `fuzzy` finds terms by spelling. The letters of every term are kept as a bit mask, which is compared before any
//!   term is read.
//! - `properties` has the forms of properties that the lexicon lists.
//! - `postings`, `categories` and `collector` are building blocks of these searches. `check` compares the data that the
//!   index stores twice.
//!
//! A search library is not used. A name has about eight terms and a query matches few listings, so the work that a
//! library does for each term (dictionary automaton, opening and unpacking blocks of postings) cost more than the rest
//! of the answer. In addition, a library does not rank by attributes of a listing.

mod best_per_entity;
mod categories;
mod check;
mod collector;
mod find;
mod fuzzy;
mod partial;
mod postings;
mod properties;
pub(super) mod quality;
mod score;
mod top_k;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use polars_buffer::Buffer;

use self::categories::CategoryTerms;
use self::fuzzy::FirstLetters;
use self::postings::{Sets, TypeSet};
use self::properties::PropertyForms;
use self::quality::TermUses;
use crate::lang::Lexicon;
use crate::lang::quantities::{NumberCode, Stated};
use crate::snapshot::columns::{ColumnFile, StringColumn};
use crate::snapshot::layout::set::DocBlock;
use crate::snapshot::layout::{self, TermField, posting, term_field};
use crate::snapshot::lists::Ends;
use crate::snapshot::tables::Listings;
use crate::types::Country;

pub use categories::CategoryLabel;
pub use fuzzy::Near;
pub use partial::PartialMatch;
pub use properties::Form;
pub use quality::{
    COMPOUNDS_MAX, FULL_PCT, MatchQuality, NamedBrand, Property, QualityConstants, QualityQuery,
    QueryQuantity, QueryTerm, Role, TITLE_TERMS_MIN,
};

/// The number of leading scored terms that contribute to the score. Needed terms always contribute.
const RANKED_TERMS_MAX: usize = 64;

/// The text index of a snapshot.
pub struct TextIndex {
    lexicon: Arc<Lexicon>,
    /// The row of each doc (`doc_row`) and the doc of each row (`row_doc`).
    doc_row: Buffer<u32>,
    row_doc: Buffer<u32>,
    /// The rank of each doc among equally good matches.
    doc_rank: Buffer<u32>,
    /// The terms of each doc with their fields: first the terms of the name, whose number is in `name_terms`, then the
    /// terms that only the brand contains.
    doc_ends: Ends<u32>,
    doc_terms: Buffer<u32>,
    name_terms: Buffer<u32>,
    /// The quantities that the name of each row states, as codes ([`NumberCode`]).
    quantity_ends: Ends,
    quantities: Buffer<u64>,
    /// The postings of each term.
    term_ends: Ends,
    postings: Buffer<u32>,
    sets: Sets,
    /// For each frequent term, the docs that contain it as a product type. Built on first use.
    type_sets: Vec<OnceLock<TypeSet>>,
    /// For each term, the fields in which any listing contains it, one bit per field.
    term_held: Buffer<u8>,
    /// The number of priced listings that contain a term, by country.
    term_priced: Buffer<u32>,
    term_letters: Buffer<u32>,
    /// The terms in alphabetical order.
    terms: StringColumn,
    spelled: StringColumn,
    first_letters: FirstLetters,
    /// The length of the longest term, in bytes.
    longest: usize,
    row_category: Buffer<u32>,
    row_entity: Buffer<u32>,
    row_brand: Buffer<u32>,
    categories: CategoryTerms,
    /// For each term, the fields in which priced listings contain it, and whether it names a product type, by country.
    uses: [TermUses; Country::ALL.len()],
    property_forms: OnceLock<PropertyForms>,
    /// The docs of categories with their own rules of roles, one bit per doc.
    category_rules: Vec<u64>,
    /// The average length of a doc, in terms.
    average: f32,
    /// The range of docs of priced listings, by country.
    priced: [Range<u32>; Country::ALL.len()],
    /// The same ranges, split where the length changes.
    stretches: [Vec<Stretch>; Country::ALL.len()],
}

/// Consecutive docs of the same length, which is the number of terms of name and brand, where the terms of a variety
/// count twice.
struct Stretch {
    length: u32,
    docs: Range<u32>,
}

/// A match: the best-matching listing of a product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Row of the listing.
    pub row: u32,
    /// The share of the query that the listing satisfies; 0 if the search does not measure quality.
    pub quality: MatchQuality,
    /// The score, which orders matches of the same quality.
    pub score: f32,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// The best matches in rank order, one per product (entity).
    pub hits: Vec<Hit>,
    /// Whether `hits` contains all matching products, including products of low quality.
    pub all: bool,
}

/// The terms of a search, by their numbers. Each term occurs once.
#[derive(Debug, Clone, Copy)]
pub struct SoughtTerms<'a> {
    /// Terms that a match must contain.
    pub needed: &'a [u32],
    /// Terms that contribute to the quality and the score. The score is computed from the first 64 of these terms and
    /// from the needed terms.
    pub scored: &'a [u32],
    /// The scored term that names the requested product type, if any.
    pub product_type: Option<u32>,
    /// The weights and roles by which quality is measured, for the same terms as `scored`. If it is `None`, matches are
    /// ordered by score alone.
    pub quality: Option<&'a QualityQuery>,
    /// Matches whose quality has fewer tenths than this quality are left out.
    pub least: MatchQuality,
}

/// The scope and the size of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchScope<'a, F> {
    /// The country.
    pub country: Country,
    /// The maximum number of products.
    pub limit: usize,
    /// Docs to which the search may be restricted: a superset of the docs of accepted priced listings. `None` for all
    /// docs.
    pub among: Option<DocOrdinals<'a>>,
    /// Returns whether a row is accepted.
    pub accept: F,
}

/// A selection of the docs of priced listings of a country.
#[derive(Debug, Clone, Copy)]
pub struct DocOrdinals<'a> {
    /// The docs, in ascending order.
    pub listed: &'a [u32],
    /// The same docs as a set, if they are many.
    pub set: Option<&'a [DocBlock]>,
}

impl SoughtTerms<'_> {
    /// Whether the scored term at an index contributes to the ranking. The first 64 terms do, which covers any query
    /// that a person types, and so do all needed terms.
    fn ranks(&self, at: usize) -> bool {
        at < RANKED_TERMS_MAX || self.needed.contains(&self.scored[at])
    }
}

impl TextIndex {
    /// Loads the index, given the categories in preorder and the range of rows of each country.
    ///
    /// # Errors
    /// Returns an error if a column is missing or is inconsistent.
    pub fn load(
        file: &ColumnFile,
        lexicon: Arc<Lexicon>,
        listings: &Listings,
        categories: &[CategoryLabel<'_>],
        countries: &[Range<u32>; Country::ALL.len()],
    ) -> Result<Self, String> {
        let rows = listings.priced.len();
        let (doc_terms, postings): (Buffer<u32>, Buffer<u32>) =
            (file.column("place_terms")?, file.column("postings")?);
        let term_held: Buffer<u8> = file.column("term_held")?;
        let quantities: Buffer<u64> = file.column("quantities")?;
        let count = term_held.len();
        let terms = file.strings("term", count)?;
        let longest = (0..count).map(|term| terms.view().bytes_at(term).len()).max().unwrap_or(0);
        let sets = Sets::load(file, rows)?;
        let mut index = Self {
            categories: CategoryTerms::load(&lexicon, categories, &terms)?,
            lexicon,
            row_category: listings.category.clone(),
            row_entity: listings.entity.clone(),
            row_brand: listings.brand.clone(),
            uses: Country::ALL.map(|_| TermUses::of(count)),
            doc_row: file.column_of("place_row", rows)?,
            row_doc: file.column_of("row_place", rows)?,
            doc_rank: file.column_of("place_rank", rows)?,
            type_sets: sets.terms.iter().map(|_| OnceLock::new()).collect(),
            sets,
            stretches: Country::ALL.map(|_| Vec::new()),
            doc_ends: Ends::load(file, "place", rows, doc_terms.len())?,
            average: (doc_terms.len() as f32 / rows.max(1) as f32).max(1.0),
            doc_terms,
            quantity_ends: Ends::load(file, "quantity", rows, quantities.len())?,
            quantities,
            name_terms: file.column_of("name_terms", rows)?,
            term_ends: Ends::load(file, "term", count, postings.len())?,
            terms,
            spelled: file.strings("term_spelled", count)?,
            term_priced: file.column_of("term_priced", count * Country::ALL.len())?,
            term_letters: file.column_of("term_letters", count)?,
            first_letters: FirstLetters::default(),
            category_rules: Vec::new(),
            property_forms: OnceLock::new(),
            longest,
            term_held,
            postings,
            priced: Country::ALL.map(|country| {
                let all = &countries[country.as_u8() as usize];
                let priced = &listings.priced[all.start as usize..all.end as usize];
                all.start..all.start + priced.iter().map(|&is| u32::from(is == 1)).sum::<u32>()
            }),
        };
        index.fault(categories.len()).map_or(Ok(()), Err)?;
        index.stretches = Country::ALL.map(|country| index.cut(country));
        index.note_priced(listings, countries);
        index.category_rules = index.docs_with_category_rules();
        index.first_letters = FirstLetters::of(index.terms.view());
        Ok(index)
    }

    /// Records the categories that have priced listings, by country.
    fn note_priced(&mut self, listings: &Listings, countries: &[Range<u32>; Country::ALL.len()]) {
        for country in Country::ALL {
            let rows = &countries[country.as_u8() as usize];
            let rows = rows.start as usize..rows.end as usize;
            let mut is_priced = vec![false; self.categories.count()];
            for (&category, &priced) in listings.category[rows.clone()].iter().zip(&listings.priced[rows]) {
                is_priced[category as usize] |= priced == 1;
            }
            for category in
                (0..).zip(is_priced).filter_map(|(category, is_priced)| is_priced.then_some(category))
            {
                self.categories.note_priced(category, country);
            }
        }
    }

    /// Returns the first inconsistency that would make the index unsafe to walk.
    fn fault(&self, categories: usize) -> Option<String> {
        let rows = self.doc_row.len();
        let within = |values: &[u32], end: usize| values.iter().all(|&value| (value as usize) < end);
        if !within(&self.row_category, categories) {
            return Some("text: the category of a listing does not exist".into());
        }
        let sound = within(&self.doc_row, rows)
            && within(&self.row_doc, rows)
            && self.postings.iter().all(|&of| (posting::doc(of) as usize) < rows)
            && self.doc_terms.iter().all(|&of| (term_field::term(of) as usize) < self.term_held.len());
        (!sound).then(|| "text: a term or a doc ordinal is out of range".into())
    }

    /// The number of a folded term; `None` if no listing contains it.
    pub fn look_up(&self, term: &str) -> Option<u32> {
        self.terms.view().find(term).map(|at| at as u32)
    }

    /// The number of a folded term, if a priced listing of the country contains it.
    pub fn known(&self, term: &str, country: Country) -> Option<u32> {
        self.look_up(term).filter(|&term| self.priced_with(term, country) > 0)
    }

    /// The length of the longest term, in bytes. Longer words are always unknown.
    pub fn longest_term_bytes(&self) -> usize {
        self.longest
    }

    /// The text of a term.
    pub fn term(&self, term: u32) -> &str {
        self.terms.get(term)
    }

    /// A term in the spelling that most names use.
    pub fn spelled(&self, term: u32) -> &str {
        match self.spelled.get(term) {
            "" => self.terms.get(term),
            spelled => spelled,
        }
    }

    /// The number of priced listings of the country that contain a term.
    pub fn priced_with(&self, term: u32, country: Country) -> u32 {
        self.term_priced[country.as_u8() as usize * self.term_held.len() + term as usize]
    }

    /// The number of priced listings of the country.
    pub fn priced_count(&self, country: Country) -> u32 {
        self.priced[country.as_u8() as usize].len() as u32
    }

    /// Whether a term is the head noun of the last segment of any category: "keyboard" of "Wireless Keyboards".
    pub fn names_category(&self, term: u32) -> bool {
        self.categories.is_head(term)
    }

    /// Whether any listing has the term as its product type.
    pub fn names_listing(&self, term: u32) -> bool {
        TermField::among(self.term_held[term as usize]).any(TermField::is_product_type)
    }

    /// The distinct terms of a listing's name.
    pub fn name_terms(&self, row: u32) -> Vec<u32> {
        let doc = self.row_doc[row as usize];
        let own = &self.terms_at(doc)[..self.name_terms[doc as usize] as usize];
        own.iter().map(|&of| term_field::term(of)).collect()
    }

    /// Whether the name of a listing states a quantity, another one of its dimension, or none.
    pub fn stated(&self, row: u32, quantity: NumberCode) -> Stated {
        quantity.stated(self.quantities[self.quantity_ends.of(row as usize)].iter().copied())
    }

    /// Counts the given terms that a listing contains.
    pub fn held_count(&self, row: u32, terms: &[u32]) -> usize {
        let doc = self.row_doc[row as usize];
        let own = self.terms_at(doc);
        terms.iter().filter(|&&term| self.held(doc, own, term).is_some()).count()
    }

    /// The field in which a doc contains a term; `None` if the doc does not contain it. `own` are the terms of the
    /// doc's name and brand.
    fn held(&self, doc: u32, own: &[u32], term: u32) -> Option<TermField> {
        let held = own.iter().find(|&&of| term_field::term(of) == term);
        held.map(|&of| term_field::held(of)).or_else(|| self.held_by_category(doc, term))
    }

    fn held_by_category(&self, doc: u32, term: u32) -> Option<TermField> {
        let category = || self.row_category[self.doc_row[doc as usize] as usize];
        self.is_held_by_categories(term).then(|| self.categories.held(category(), term))?
    }

    /// Whether any listing contains a term through its category alone.
    fn is_held_by_categories(&self, term: u32) -> bool {
        self.term_held[term as usize] & TermField::BY_CATEGORY != 0
    }

    fn postings(&self, term: u32) -> &[u32] {
        &self.postings[self.term_ends.of(term as usize)]
    }

    /// The postings of a term in the priced docs of a country, which are contiguous.
    fn priced_postings(&self, term: u32, country: Country) -> &[u32] {
        at_docs(self.postings(term), posting::doc, self.priced[country.as_u8() as usize].clone())
    }

    /// The minimum length of a doc that can contain `held` of the terms, if as many of them as possible come from its
    /// category. `None` if no priced doc of the country is that long.
    fn shortest(&self, held: usize, terms: &[u32], country: Country) -> Option<u32> {
        let of_categories = terms.iter().filter(|&&term| self.is_held_by_categories(term)).count();
        let shortest = held.saturating_sub(of_categories.min(self.categories.longest())) as u32;
        (!self.stretches(country, shortest).is_empty()).then_some(shortest)
    }

    /// The priced docs of a country with at least `shortest` terms, grouped by length.
    fn stretches(&self, country: Country, shortest: u32) -> &[Stretch] {
        let all = &self.stretches[country.as_u8() as usize];
        &all[all.partition_point(|stretch| stretch.length < shortest)..]
    }

    /// The postings of a country's priced docs with at least `shortest` terms, grouped by length.
    fn stretches_of(
        &self,
        term: u32,
        country: Country,
        shortest: u32,
    ) -> impl Iterator<Item = (u32, &[u32])> {
        self.by_length(self.priced_postings(term, country), posting::doc, country, shortest)
    }

    /// Groups values by the length of their docs, without docs shorter than `shortest`. The values must belong to
    /// priced docs of the country, in ascending order. `doc` returns the doc of a value.
    fn by_length<'a>(
        &'a self,
        of_docs: &'a [u32],
        doc: impl Fn(u32) -> u32 + Copy + 'a,
        country: Country,
        shortest: u32,
    ) -> impl Iterator<Item = (u32, &'a [u32])> {
        let stretches = self.stretches(country, shortest);
        let from = stretches.first().map_or(0, |first| first.docs.start);
        let mut left = split_at_doc(of_docs, doc, from).1;
        let of_stretch = move |stretch: &Stretch| {
            let (these, others) = split_at_doc(left, doc, stretch.docs.end);
            left = others;
            (!these.is_empty()).then_some((stretch.length, these))
        };
        stretches.iter().filter_map(of_stretch)
    }

    /// The docs of priced listings of a country in ascending order, with their rows.
    pub fn priced_rows(&self, country: Country) -> impl Iterator<Item = (u32, u32)> {
        let docs = self.priced[country.as_u8() as usize].clone();
        docs.map(|doc| (doc, self.doc_row[doc as usize]))
    }

    /// Splits the docs of priced listings of a country where the length changes.
    fn cut(&self, country: Country) -> Vec<Stretch> {
        let Range { mut start, end } = self.priced[country.as_u8() as usize].clone();
        let mut stretches = Vec::new();
        while start < end {
            let length = self.length(start);
            // Binary search for the first doc of a greater length.
            let (mut low, mut high) = (start + 1, end);
            while low < high {
                let middle = low.midpoint(high);
                if self.length(middle) <= length { low = middle + 1 } else { high = middle }
            }
            stretches.push(Stretch { length, docs: start..low });
            start = low;
        }
        stretches
    }

    /// The length of a doc: the number of terms of its name and brand, where the terms of a variety count twice.
    fn length(&self, doc: u32) -> u32 {
        let own = self.terms_at(doc);
        let name = own.iter().take(self.name_terms[doc as usize] as usize);
        let read = |&of: &u32| (self.terms.get(term_field::term(of)), term_field::held(of));
        layout::length(&self.lexicon, own.len(), name.map(read))
    }

    fn terms_at(&self, doc: u32) -> &[u32] {
        &self.doc_terms[self.doc_ends.of(doc as usize)]
    }
}

/// Splits values, which must be in the order of their docs, at the first value whose doc is not before `at`.
fn split_at_doc(of_docs: &[u32], doc: impl Fn(u32) -> u32, at: u32) -> (&[u32], &[u32]) {
    of_docs.split_at(of_docs.partition_point(|&of| doc(of) < at))
}

/// The values whose docs are in a range. The values must be in the order of their docs.
fn at_docs(of_docs: &[u32], doc: impl Fn(u32) -> u32 + Copy, range: Range<u32>) -> &[u32] {
    split_at_doc(split_at_doc(of_docs, doc, range.start).1, doc, range.end).0
}
