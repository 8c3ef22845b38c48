//! Match quality: the share of a query's weight that a listing satisfies.
//!
//! A term of the query counts in full where the listing holds it in the role in which it was asked, at a fraction where
//! it holds it in another role, and not at all where it does not hold it. The sum over the terms, divided by the
//! weight of the whole query, is rounded down to hundredths once; the methodology page has the formula with its constants.

use std::sync::atomic::{AtomicU16, Ordering};

use super::postings::{Subset, TypeSet};
use super::{TermField, TextIndex, term_field};
use crate::snapshot::layout::{NONE, posting};
use crate::types::{Country, Ratio4};

/// A term counts in full, in percent of its weight.
pub const FULL_PCT: u64 = 100;
/// A term names a product type when it is the head noun of at least one in so many of the listings that hold it.
const TYPE_ONE_IN: usize = 5;
/// Queries of so many weighted terms or more are titles.
pub const TITLE_TERMS_MIN: usize = 5;
/// The constants of the formula; `benches/quality/fit_match_quality.py` chooses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QualityConstants {
    /// Weight of the head noun, in percent.
    pub head_pct: u64,
    /// The head noun weighs at least so much of the mean of the query's weighted terms before that, in percent: a frequent
    /// head noun still says what is asked for.
    pub head_of_mean_pct: u64,
    /// Weight of the terms of a brand that the query names, in percent.
    pub brand_pct: u64,
    /// Share of its weight, in percent, that a corrected, joined or split term counts.
    pub corrected_pct: u64,
    /// Share of its weight, in percent, that a product type counts which the listing only mentions.
    pub out_of_role_pct: u64,
    /// Least quality of a title of which the listing holds brand and part number.
    pub title_brand_and_part: MatchQuality,
    /// Least quality of a title of which it holds a part number, or brand and head noun.
    pub title_part_or_type: MatchQuality,
}

impl Default for QualityConstants {
    fn default() -> Self {
        Self {
            head_pct: 200,
            head_of_mean_pct: 75,
            brand_pct: 130,
            corrected_pct: 55,
            out_of_role_pct: 25,
            title_brand_and_part: MatchQuality(80),
            title_part_or_type: MatchQuality(50),
        }
    }
}

/// Share of a query's weight that a listing satisfies, in hundredths, rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MatchQuality(u8);

impl MatchQuality {
    /// A quality of so many hundredths, at most 100.
    pub const fn of_hundredths(hundredths: u8) -> Self {
        Self(if hundredths > 100 { 100 } else { hundredths })
    }

    /// So many hundredths.
    pub const fn hundredths(self) -> u8 {
        self.0
    }

    /// Tenths, rounded down: matches are ordered by these before their score.
    pub const fn tenths(self) -> u8 {
        self.0 / 10
    }

    /// The quality as answers show it.
    pub fn ratio(self) -> Ratio4 {
        Ratio4::new(i64::from(self.0) * 100)
    }

    /// The quality of so much weight × percent of all weight.
    pub(super) fn of(satisfied: u64, total: u64) -> Self {
        Self(satisfied.checked_div(total).unwrap_or(0).min(100) as u8)
    }
}

impl QualityConstants {
    /// Sets a constant by its name, in percent; whether there is one.
    pub fn set(&mut self, name: &str, percent: u64) -> bool {
        let quality = || MatchQuality::of_hundredths(percent.min(100) as u8);
        match name {
            "head_pct" => self.head_pct = percent,
            "head_of_mean_pct" => self.head_of_mean_pct = percent,
            "brand_pct" => self.brand_pct = percent,
            "corrected_pct" => self.corrected_pct = percent,
            "out_of_role_pct" => self.out_of_role_pct = percent,
            "title_brand_and_part" => self.title_brand_and_part = quality(),
            "title_part_or_type" => self.title_part_or_type = quality(),
            _ => return false,
        }
        true
    }
}

/// Where a listing must hold a term so that it counts in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Anywhere: the term names no product type.
    Any,
    /// In what name and brand say of the product itself: the head noun of a query that is the name of a brand or model.
    Name,
    /// As head noun, in the last two segments of the category, or in a brand that the query names: the term names a product
    /// type.
    Type,
}

/// A known term of a query, and what a match gains by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term.
    pub term: u32,
    /// Its weight.
    pub weight: u64,
    /// Share of its weight, in percent, that it counts in its role: less than [`FULL_PCT`] for a corrected one.
    pub full_pct: u64,
    /// Where it must be held.
    pub role: Role,
    /// Whether a listing that holds it may be what was asked for. Numbers, units and words about asking are no evidence.
    pub is_evidence: bool,
    /// Whether it is a part number or a model number.
    pub is_part_number: bool,
}

impl QueryTerm {
    /// Whether a listing that holds the term so holds it in its role, whatever its category and its brand.
    pub(super) fn is_in_role(&self, held: TermField) -> bool {
        match self.role {
            Role::Any => true,
            Role::Name => held == TermField::Own || held.is_of_type(),
            Role::Type => held.is_of_type(),
        }
    }
}

/// A brand that a query names in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedBrand {
    /// Index of the brand.
    pub brand: u32,
    /// The terms of its name.
    pub terms: Vec<u32>,
}

/// The query by which the quality of a match is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QualityQuery {
    /// The known terms of the query, each once.
    pub terms: Vec<QueryTerm>,
    /// The weight of all its terms, unknown ones too.
    pub total: u64,
    /// The head noun, if it is known.
    pub head: Option<u32>,
    /// Brands that it names.
    pub brands: Vec<NamedBrand>,
    /// Whether it has [`TITLE_TERMS_MIN`] weighted terms or more.
    pub is_title: bool,
    /// The constants of the formula.
    pub constants: QualityConstants,
}

/// Sum over the terms that a listing holds.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    satisfied: u64,
    has_evidence: bool,
    has_part_number: bool,
    has_type: bool,
}

impl QualityQuery {
    /// The most that a listing can gain by a title's brand and the term that it holds so.
    pub(super) fn title_most(&self, term: &QueryTerm, is_in_role: bool) -> MatchQuality {
        match self.is_title {
            true if term.is_part_number => self.constants.title_brand_and_part,
            true if is_in_role && self.head == Some(term.term) => self.constants.title_part_or_type,
            _ => MatchQuality::default(),
        }
    }

    /// Weight × percent that a term adds, in its role or in another.
    pub(super) fn satisfied(&self, term: &QueryTerm, is_in_role: bool) -> u64 {
        let out_of_role = term.full_pct.min(self.constants.out_of_role_pct);
        term.weight * if is_in_role { term.full_pct } else { out_of_role }
    }

    /// Whether one of the brands that the query names has a term, of a brand if one is given.
    pub(super) fn is_brand_term(&self, term: u32, brand: Option<u32>) -> bool {
        let mut named = self.brands.iter().filter(|named| brand.is_none_or(|brand| named.brand == brand));
        named.any(|named| named.terms.contains(&term))
    }
}

impl TextIndex {
    /// How much of a query a listing satisfies.
    pub fn quality(&self, row: u32, query: &QualityQuery) -> MatchQuality {
        let doc = self.row_doc[row as usize];
        let own = self.terms_at(doc);
        self.quality_of_doc(doc, query, |at| {
            let term = &query.terms[at];
            let held = self.held(doc, own, term.term)?;
            Some(self.is_in_role(doc, query, term, held))
        })
    }

    /// The same for a doc, given of each of the terms that it holds whether it holds it in its role.
    pub(super) fn quality_of_doc(
        &self,
        doc: u32,
        query: &QualityQuery,
        mut is_in_role: impl FnMut(usize) -> Option<bool>,
    ) -> MatchQuality {
        let mut sum = Sum::default();
        for (at, term) in query.terms.iter().enumerate() {
            if let Some(is_in_role) = is_in_role(at) {
                sum.satisfied += query.satisfied(term, is_in_role);
                sum.has_evidence |= term.is_evidence;
                sum.has_part_number |= term.is_part_number;
                sum.has_type |= is_in_role && query.head == Some(term.term);
            }
        }
        if !sum.has_evidence {
            return MatchQuality::default();
        }
        let quality = MatchQuality::of(sum.satisfied, query.total);
        if query.is_title { self.at_least_as_title(doc, query, sum, quality) } else { quality }
    }

    /// A quality, or more by the brand, part number and head noun of a title that a listing holds.
    fn at_least_as_title(
        &self,
        doc: u32,
        query: &QualityQuery,
        sum: Sum,
        quality: MatchQuality,
    ) -> MatchQuality {
        let QualityConstants { title_brand_and_part, title_part_or_type, .. } = query.constants;
        let (without_brand, with_brand) = match (sum.has_part_number, sum.has_type) {
            (true, _) => (title_part_or_type, title_brand_and_part),
            (false, true) => (MatchQuality::default(), title_part_or_type),
            (false, false) => return quality,
        };
        let least =
            if with_brand > quality && self.has_brand_of(doc, query) { with_brand } else { without_brand };
        quality.max(least)
    }

    /// Whether a query names the brand of a listing: of one without a brand the first word of its name.
    pub(super) fn has_brand_of(&self, doc: u32, query: &QualityQuery) -> bool {
        match self.row_brand[self.doc_row[doc as usize] as usize] {
            NONE => self.terms_at(doc).first().is_some_and(|&first| {
                let first = term_field::term(first);
                query.terms.iter().any(|of| of.term == first && of.is_evidence)
            }),
            brand => query.brands.iter().any(|named| named.brand == brand),
        }
    }

    /// Whether a listing that holds a term so holds it in its role.
    pub(super) fn is_in_role(
        &self,
        doc: u32,
        query: &QualityQuery,
        term: &QueryTerm,
        held: TermField,
    ) -> bool {
        term.is_in_role(held) || {
            let row = self.doc_row[doc as usize] as usize;
            self.categories.is_in_parent(self.row_category[row], term.term)
                || query.is_brand_term(term.term, Some(self.row_brand[row]))
        }
    }

    /// The docs that hold a frequent term as a product type, whatever brands a query names. Found when a query first has
    /// the term.
    pub(super) fn type_set(&self, term: u32) -> Option<Subset<'_>> {
        let is_of_type = |of: u32| {
            let category = || self.row_category[self.doc_row[posting::doc(of) as usize] as usize];
            posting::held(of).is_of_type() || self.categories.is_in_parent(category(), term)
        };
        let holding = || self.postings(term).iter().copied().filter(|&of| is_of_type(of)).map(posting::doc);
        let set = &self.type_sets[self.sets.find(term)?];
        Some(set.get_or_init(|| TypeSet::of(holding(), self.doc_row.len())).subset())
    }

    /// Whether a term names a product type in a country: a word of the last two segments of a priced listing's category, or
    /// the head noun of enough of the listings that hold it. Looked up once for each term, when a query first has it.
    pub fn names_type(&self, term: u32, country: Country) -> bool {
        self.use_of(term, country).names_type
    }

    /// In which ways priced listings of a country hold a term: a bit for each.
    pub(super) fn priced_ways(&self, term: u32, country: Country) -> u8 {
        self.use_of(term, country).ways
    }

    fn use_of(&self, term: u32, country: Country) -> TermUse {
        self.uses[country.as_u8() as usize].get(term, || {
            let postings = self.priced_postings(term, country);
            let least = postings.len().div_ceil(TYPE_ONE_IN);
            let (mut head_nouns, mut ways) = (0, 0);
            for held in postings.iter().map(|&of| posting::held(of)) {
                ways |= 1 << held as u8;
                head_nouns += usize::from(held.is_of_type());
            }
            let names_type =
                self.categories.is_of_last_two(term, country) || (least > 0 && head_nouns >= least);
            TermUse { names_type, ways }
        })
    }
}

/// How the priced listings of a country use a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TermUse {
    names_type: bool,
    /// The ways in which they hold it.
    ways: u8,
}

/// How the priced listings of a country use its terms: looked up once for each term.
pub(super) struct TermUses(Vec<AtomicU16>);

impl TermUses {
    const KNOWN: u16 = 1 << u8::BITS;
    const TYPE: u16 = Self::KNOWN << 1;

    /// Of so many terms.
    pub(super) fn of(terms: usize) -> Self {
        Self((0..terms).map(|_| AtomicU16::new(0)).collect())
    }

    fn get(&self, term: u32, look_up: impl FnOnce() -> TermUse) -> TermUse {
        let known = &self.0[term as usize];
        let bits = known.load(Ordering::Relaxed);
        if bits & Self::KNOWN != 0 {
            return TermUse { names_type: bits & Self::TYPE != 0, ways: bits as u8 };
        }
        let found = look_up();
        let is_type = if found.names_type { Self::TYPE } else { 0 };
        known.store(u16::from(found.ways) | Self::KNOWN | is_type, Ordering::Relaxed);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_is_rounded_down_once_and_kept_within_bounds() {
        for (satisfied, total, hundredths) in
            [(0, 0, 0), (0, 7, 0), (200, 3, 66), (300, 3, 100), (299, 3, 99), (900, 3, 100)]
        {
            assert_eq!(MatchQuality::of(satisfied, total).hundredths(), hundredths, "{satisfied}/{total}");
        }
        assert_eq!([0, 9, 10, 99, 100].map(|of| MatchQuality::of_hundredths(of).tenths()), [0, 0, 1, 9, 10]);
    }

    #[test]
    fn uses_are_looked_up_once() {
        let uses = TermUses::of(2);
        for (term, names_type, ways) in [(1, true, 0b1001), (0, false, 0)] {
            let found = TermUse { names_type, ways };
            assert_eq!(uses.get(term, || found), found);
            assert_eq!(uses.get(term, || unreachable!("known")), found);
        }
    }
}
