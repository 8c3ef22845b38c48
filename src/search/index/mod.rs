//! The text index: search over names, brands and category paths.
//!
//! A listing stands in the index at a *doc ordinal*. Doc ordinals are ordered by country, priced listings first, then
//! by *length* (the number of terms of name and brand, varieties such as a taste counting twice), then by the rank of
//! equally good matches: members of the entity, stock, price, date, uid. Scores fall with the length, so a search goes
//! upwards and stops where no longer listing can be among the best.
//!
//! A listing is found by the terms of its name and brand and by those of its category's path. All of them are postings
//! ([`posting`]): a doc ordinal and how the listing holds the term ([`TermField`]), in 32 bits, ascending. A posting
//! decides what its term is worth, so a match is scored by postings alone, and no listing is read that is not in the
//! answer. A term that one listing in 128 holds has sets beside its postings ([`layout::set`]): bits of the doc
//! ordinals that hold it, in lines of 512, with the number of postings before each line, so a doc ordinal leads to its
//! posting; and bits of those that are the thing which the term names. A third set, of those that hold the term as a
//! product type, is made when a query first needs it.
//!
//! - `find` walks the listings that hold all of some terms. Frequent terms are intersected by their sets; otherwise
//!   the postings of the rarest term are walked, and the other terms are looked up in their sets or by galloping
//!   search in their postings. `best_per_entity` keeps the best listing of each product, so a search is asked for as
//!   many products as the answer shows.
//! - `partial` walks the listings that hold a part of the terms, 512 doc ordinals at a time. The qualities of all of
//!   them are summed at once, one bit vector for each binary digit, and only candidates for the top are scored.
//! - `quality` and `score` have the formulas by which matches are ordered: tenths of the quality, then the score, then
//!   the rank. The three are packed into one key of 64 bits (`top_k`).
//! - `fuzzy` finds terms by spelling. The letters of every term are kept as bits, which are compared before any term
//!   is read.
//! - `postings`, `categories` and `collector` are the parts of the walks. `check` compares what the index stores
//!   twice.
//!
//! A search library is not used. A name has eight terms and matches a handful of listings, so the work of a library
//! per term (dictionary automaton, opening and unpacking blocks of postings) cost more than the rest of the answer. A
//! library also does not rank by attributes of a listing.

mod best_per_entity;
mod categories;
mod check;
mod collector;
mod find;
mod fuzzy;
mod partial;
mod postings;
pub(super) mod quality;
mod score;
mod top_k;

use std::ops::Range;
use std::sync::OnceLock;

use polars_buffer::Buffer;

use self::categories::CategoryTerms;
use self::fuzzy::FirstLetters;
use self::postings::{Sets, TypeSet};
use self::quality::TermUses;
use crate::snapshot::columns::{ColumnFile, StringColumn};
use crate::snapshot::layout::set::DocBlock;
use crate::snapshot::layout::{self, TermField, posting, term_field};
use crate::snapshot::lists::Ends;
use crate::snapshot::tables::Listings;
use crate::types::Country;

pub use categories::CategoryLabel;
pub use fuzzy::Near;
pub use partial::PartialMatch;
pub use quality::{
    FULL_PCT, MatchQuality, NamedBrand, QualityConstants, QualityQuery, QueryTerm, Role, TITLE_TERMS_MIN,
};

/// Terms that matches are ranked by, beside those that they hold.
const RANKED_TERMS_MAX: usize = 64;

/// The text index of a snapshot.
pub struct TextIndex {
    /// The row of each doc, and the doc of each row.
    doc_row: Buffer<u32>,
    row_doc: Buffer<u32>,
    /// The rank of each doc among equally good matches.
    doc_rank: Buffer<u32>,
    /// The terms of each doc: those of the name, then those that only the brand has.
    doc_ends: Ends<u32>,
    doc_terms: Buffer<u32>,
    name_terms: Buffer<u32>,
    /// The postings of each term.
    term_ends: Ends,
    postings: Buffer<u32>,
    sets: Sets,
    /// Those of the docs that hold a frequent term as a product type.
    type_sets: Vec<OnceLock<TypeSet>>,
    /// In which ways anything holds a term: a bit for each.
    term_held: Buffer<u8>,
    /// How many priced listings of a country hold a term, by country.
    term_priced: Buffer<u32>,
    term_letters: Buffer<u32>,
    /// Terms in order.
    terms: StringColumn,
    spelled: StringColumn,
    first_letters: FirstLetters,
    /// Bytes of the longest term.
    longest: usize,
    row_category: Buffer<u32>,
    row_entity: Buffer<u32>,
    row_brand: Buffer<u32>,
    categories: CategoryTerms,
    /// How priced listings use each term, by country.
    uses: [TermUses; Country::ALL.len()],
    /// Terms of an average doc.
    average: f32,
    /// Docs of priced listings by country.
    priced: [Range<u32>; Country::ALL.len()],
    /// The same, cut where lengths change.
    stretches: [Vec<Stretch>; Country::ALL.len()],
}

/// Docs in a row whose names and brands are of one length: so many terms, those of a variety counted more.
struct Stretch {
    length: u32,
    docs: Range<u32>,
}

/// A listing that matches a query best of those of its product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Row of the listing.
    pub row: u32,
    /// The share of the query that it satisfies, where that was asked for.
    pub quality: MatchQuality,
    /// How well it matches among those of like quality.
    pub score: f32,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// The best matches in rank order, one of each product (entity).
    pub hits: Vec<Hit>,
    /// Whether no other product matches, whatever its quality.
    pub all: bool,
}

/// What is searched for, by the numbers of distinct terms.
#[derive(Debug, Clone, Copy)]
pub struct SoughtTerms<'a> {
    /// What a match holds.
    pub needed: &'a [u32],
    /// What is counted, and what matches are ranked by: by the first 64 and by what a match holds.
    pub scored: &'a [u32],
    /// Which of these names the thing that is asked for.
    pub product_type: Option<u32>,
    /// The query by which quality is measured; its terms are those that are scored. Without it matches are ordered by
    /// score alone.
    pub quality: Option<&'a QualityQuery>,
    /// Matches whose quality has fewer tenths are left out.
    pub least: MatchQuality,
}

/// Where is searched, and how much is wanted.
#[derive(Debug, Clone, Copy)]
pub struct SearchScope<'a, F> {
    /// The country.
    pub country: Country,
    /// How many products, if so many match.
    pub limit: usize,
    /// The docs of priced listings that may be accepted; `None` for all.
    pub among: Option<DocOrdinals<'a>>,
    /// Takes or refuses a row.
    pub accept: F,
}

/// Some docs of priced listings of a country.
#[derive(Debug, Clone, Copy)]
pub struct DocOrdinals<'a> {
    /// Ascending.
    pub listed: &'a [u32],
    /// Of many, which of all docs are among them.
    pub set: Option<&'a [DocBlock]>,
}

impl SoughtTerms<'_> {
    /// Whether matches are ranked by the term at a place among those that are scored: by all that somebody may ask for, of
    /// a longer text by the first, and by what a match holds.
    fn ranks(&self, at: usize) -> bool {
        at < RANKED_TERMS_MAX || self.needed.contains(&self.scored[at])
    }
}

impl TextIndex {
    /// Loads the index of listings, given the categories in preorder and which rows are a country's.
    ///
    /// # Errors
    /// When a column is missing or cannot be walked.
    pub fn load(
        file: &ColumnFile,
        listings: &Listings,
        categories: &[CategoryLabel<'_>],
        countries: &[Range<u32>; Country::ALL.len()],
    ) -> Result<Self, String> {
        let rows = listings.priced.len();
        let (doc_terms, postings): (Buffer<u32>, Buffer<u32>) =
            (file.column("place_terms")?, file.column("postings")?);
        let term_held: Buffer<u8> = file.column("term_held")?;
        let count = term_held.len();
        let terms = file.strings("term", count)?;
        let longest = (0..count).map(|term| terms.view().bytes_at(term).len()).max().unwrap_or(0);
        let sets = Sets::load(file, rows)?;
        let mut index = Self {
            categories: CategoryTerms::load(categories, &terms)?,
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
            name_terms: file.column_of("name_terms", rows)?,
            term_ends: Ends::load(file, "term", count, postings.len())?,
            terms,
            spelled: file.strings("term_spelled", count)?,
            term_priced: file.column_of("term_priced", count * Country::ALL.len())?,
            term_letters: file.column_of("term_letters", count)?,
            first_letters: FirstLetters::default(),
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
        for country in Country::ALL {
            let rows = &countries[country.as_u8() as usize];
            let rows = rows.start as usize..rows.end as usize;
            let mut is_priced = vec![false; categories.len()];
            for (&category, &priced) in listings.category[rows.clone()].iter().zip(&listings.priced[rows]) {
                is_priced[category as usize] |= priced == 1;
            }
            for category in
                (0..).zip(is_priced).filter_map(|(category, is_priced)| is_priced.then_some(category))
            {
                index.categories.note_priced(category, country);
            }
        }
        index.first_letters = FirstLetters::of(index.terms.view());
        Ok(index)
    }

    /// What keeps the index from being walked, if anything.
    fn fault(&self, categories: usize) -> Option<String> {
        let rows = self.doc_row.len();
        let within = |values: &[u32], end: usize| values.iter().all(|&value| (value as usize) < end);
        if !within(&self.row_category, categories) {
            return Some("text: the category of a listing is not there".into());
        }
        let sound = within(&self.doc_row, rows)
            && within(&self.row_doc, rows)
            && self.postings.iter().all(|&of| (posting::doc(of) as usize) < rows)
            && self.doc_terms.iter().all(|&of| (term_field::term(of) as usize) < self.term_held.len());
        (!sound).then(|| "text: a term or a doc ordinal is out of range".into())
    }

    /// The number of a folded term; `None` for one that nothing has.
    pub fn look_up(&self, term: &str) -> Option<u32> {
        self.terms.view().find(term).map(|at| at as u32)
    }

    /// The number of a folded term that a priced listing of the country holds.
    pub fn known(&self, term: &str, country: Country) -> Option<u32> {
        self.look_up(term).filter(|&term| self.priced_with(term, country) > 0)
    }

    /// Bytes of the longest term: nothing longer is known.
    pub fn longest_term_bytes(&self) -> usize {
        self.longest
    }

    /// A term.
    pub fn term(&self, term: u32) -> &str {
        self.terms.get(term)
    }

    /// A term as names mostly spell it.
    pub fn spelled(&self, term: u32) -> &str {
        match self.spelled.get(term) {
            "" => self.terms.get(term),
            spelled => spelled,
        }
    }

    /// How many priced listings of the country hold a term.
    pub fn priced_with(&self, term: u32, country: Country) -> u32 {
        self.term_priced[country.as_u8() as usize * self.term_held.len() + term as usize]
    }

    /// How many listings of the country are priced.
    pub fn priced_count(&self, country: Country) -> u32 {
        self.priced[country.as_u8() as usize].len() as u32
    }

    /// Whether a term is the thing that the last segment of some category names: "keyboard" of "Wireless Keyboards".
    pub fn names_category(&self, term: u32) -> bool {
        self.categories.is_head(term)
    }

    /// Whether a term is what some listing is.
    pub fn names_listing(&self, term: u32) -> bool {
        TermField::among(self.term_held[term as usize]).any(TermField::is_product_type)
    }

    /// The terms of a listing's name, each once.
    pub fn name_terms(&self, row: u32) -> Vec<u32> {
        let doc = self.row_doc[row as usize];
        let own = &self.terms_at(doc)[..self.name_terms[doc as usize] as usize];
        own.iter().map(|&of| term_field::term(of)).collect()
    }

    /// How many of some terms a listing holds.
    pub fn held_count(&self, row: u32, terms: &[u32]) -> usize {
        let doc = self.row_doc[row as usize];
        let own = self.terms_at(doc);
        terms.iter().filter(|&&term| self.held(doc, own, term).is_some()).count()
    }

    /// How a doc holds a term, if it does; `own` are the terms of its name and brand.
    fn held(&self, doc: u32, own: &[u32], term: u32) -> Option<TermField> {
        let held = own.iter().find(|&&of| term_field::term(of) == term);
        held.map(|&of| term_field::held(of)).or_else(|| self.held_by_category(doc, term))
    }

    fn held_by_category(&self, doc: u32, term: u32) -> Option<TermField> {
        let category = || self.row_category[self.doc_row[doc as usize] as usize];
        self.is_held_by_categories(term).then(|| self.categories.held(category(), term))?
    }

    /// Whether some listing holds a term by its category alone.
    fn is_held_by_categories(&self, term: u32) -> bool {
        self.term_held[term as usize] & TermField::BY_CATEGORY != 0
    }

    fn postings(&self, term: u32) -> &[u32] {
        &self.postings[self.term_ends.of(term as usize)]
    }

    /// The postings of a country's priced docs: they lie together.
    fn priced_postings(&self, term: u32, country: Country) -> &[u32] {
        at_docs(self.postings(term), posting::doc, self.priced[country.as_u8() as usize].clone())
    }

    /// The length of the shortest name and brand that may hold so many of the terms, the rest being its category's; `None`
    /// where no priced listing of the country has as long ones.
    fn shortest(&self, held: usize, terms: &[u32], country: Country) -> Option<u32> {
        let of_categories = terms.iter().filter(|&&term| self.is_held_by_categories(term)).count();
        let shortest = held.saturating_sub(of_categories.min(self.categories.longest())) as u32;
        (!self.stretches(country, shortest).is_empty()).then_some(shortest)
    }

    /// The docs of priced listings of a country with so many terms or more, by their number.
    fn stretches(&self, country: Country, shortest: u32) -> &[Stretch] {
        let all = &self.stretches[country.as_u8() as usize];
        &all[all.partition_point(|stretch| stretch.length < shortest)..]
    }

    /// The postings of a country's priced docs with so many terms or more, by their number.
    fn stretches_of(
        &self,
        term: u32,
        country: Country,
        shortest: u32,
    ) -> impl Iterator<Item = (u32, &[u32])> {
        self.by_length(self.priced_postings(term, country), posting::doc, country, shortest)
    }

    /// What stands for priced docs of a country, upwards, cut where lengths change, with these; from a length on.
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

    /// The docs of priced listings of a country, ascending, and their rows.
    pub fn priced_rows(&self, country: Country) -> impl Iterator<Item = (u32, u32)> {
        let docs = self.priced[country.as_u8() as usize].clone();
        docs.map(|doc| (doc, self.doc_row[doc as usize]))
    }

    /// Cuts the docs of priced listings of a country where lengths change.
    fn cut(&self, country: Country) -> Vec<Stretch> {
        let Range { mut start, end } = self.priced[country.as_u8() as usize].clone();
        let mut stretches = Vec::new();
        while start < end {
            let length = self.length(start);
            // Those that are longer, by halves.
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

    /// How many terms the name and brand of a doc have, those of a variety counted more.
    fn length(&self, doc: u32) -> u32 {
        let own = self.terms_at(doc);
        let name = own.iter().take(self.name_terms[doc as usize] as usize);
        let read = |&of: &u32| (self.terms.get(term_field::term(of)), term_field::held(of));
        layout::length(own.len(), name.map(read))
    }

    fn terms_at(&self, doc: u32) -> &[u32] {
        &self.doc_terms[self.doc_ends.of(doc as usize)]
    }
}

/// Of what stands for docs, upwards, that of docs before one, and from it on.
fn split_at_doc(of_docs: &[u32], doc: impl Fn(u32) -> u32, at: u32) -> (&[u32], &[u32]) {
    of_docs.split_at(of_docs.partition_point(|&of| doc(of) < at))
}

/// Of what stands for docs, upwards, that of a range of them.
fn at_docs(of_docs: &[u32], doc: impl Fn(u32) -> u32 + Copy, range: Range<u32>) -> &[u32] {
    split_at_doc(split_at_doc(of_docs, doc, range.start).1, doc, range.end).0
}
