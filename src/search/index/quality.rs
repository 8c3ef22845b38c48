//! Match quality: the share of a query's weight that a listing satisfies.
//!
//! The weight of a term counts in full if the listing contains the term in the required role, in part if the listing
//! contains it in another role, and not at all otherwise. The sum of these contributions is divided by the weight of
//! the whole query and rounded down to hundredths once. The methodology page has the formula with its constants.

use std::sync::atomic::{AtomicU16, Ordering};

use super::postings::{Subset, TypeSet};
use super::{TermField, TextIndex, term_field};
use crate::snapshot::layout::{NONE, posting};
use crate::types::{Country, Ratio4};

/// The percentage of its weight at which a term counts in full.
pub const FULL_PCT: u64 = 100;
/// A term names a product type if at least one in this many of the listings that contain it have it as head noun or in
/// the last segment of their category.
const TYPE_ONE_IN: usize = 5;
/// Queries with at least this many weighted terms are titles.
pub const TITLE_TERMS_MIN: usize = 5;
/// The constants of the formula, chosen by `benches/quality/fit_match_quality.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QualityConstants {
    /// Weight of the head noun, in percent.
    pub head_pct: u64,
    /// Minimum weight of the head noun before `head_pct` is applied, in percent of the mean weight of the query's
    /// weighted terms. It keeps a frequent head noun relevant.
    pub head_of_mean_pct: u64,
    /// Weight of the terms of a brand that the query names, in percent.
    pub brand_pct: u64,
    /// Percentage of its weight at which a corrected, joined or split term counts.
    pub corrected_pct: u64,
    /// Percentage of its weight at which a term counts if the listing contains it out of its role.
    pub out_of_role_pct: u64,
    /// Minimum quality of a title (a query of many terms) if the listing has the brand and a part number of the title.
    pub title_brand_and_part: MatchQuality,
    /// Minimum quality of a title if the listing has a part number of the title, or both its brand and its head noun.
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

/// The share of a query's weight that a listing satisfies, in hundredths, rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MatchQuality(u8);

impl MatchQuality {
    /// Creates a quality from hundredths, capped at 100.
    pub const fn of_hundredths(hundredths: u8) -> Self {
        Self(if hundredths > 100 { 100 } else { hundredths })
    }

    /// The quality in hundredths.
    pub const fn hundredths(self) -> u8 {
        self.0
    }

    /// The quality in tenths, rounded down. Matches are ordered by the tenths before their score.
    pub const fn tenths(self) -> u8 {
        self.0 / 10
    }

    /// The quality as a ratio, as in answers.
    pub fn ratio(self) -> Ratio4 {
        Ratio4::new(i64::from(self.0) * 100)
    }

    /// The quality for a satisfied weight, given as weight × percent, and a total weight.
    pub(super) fn of(satisfied: u64, total: u64) -> Self {
        Self(satisfied.checked_div(total).unwrap_or(0).min(100) as u8)
    }
}

impl QualityConstants {
    /// Sets a constant by its name, in percent. Returns whether the name is known.
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

/// The role in which a listing must contain a term so that the term counts in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Anywhere: the term does not name a product type.
    Any,
    /// In the part of name and brand that describes the product itself. Used for a head noun that is the name of a
    /// brand or a model.
    Name,
    /// As head noun, in the last two segments of the category, or in a brand that the query names. Used for terms
    /// that name a product type.
    Type,
}

/// A known term of a query, and its contribution to a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// Number of the term.
    pub term: u32,
    /// Weight of the term.
    pub weight: u64,
    /// Percentage of the weight that counts if a listing contains the term in its role. It is less than [`FULL_PCT`]
    /// for a corrected term.
    pub full_pct: u64,
    /// The role in which a listing must contain the term.
    pub role: Role,
    /// Whether a listing that contains the term is a plausible answer. This is false for numbers, quantities and
    /// request words.
    pub is_evidence: bool,
    /// Whether the term is a part number or a model number.
    pub is_part_number: bool,
}

impl QueryTerm {
    /// Whether the term is in its role in this field. If not, the parent category or the brand of a listing may still
    /// put it in its role.
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
    /// The known terms of the query that form the name of the brand.
    pub terms: Vec<u32>,
}

/// The weights and roles of the terms of a query, by which the quality of a match is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QualityQuery {
    /// The known terms of the query. Each occurs once.
    pub terms: Vec<QueryTerm>,
    /// The weight of all terms, including unknown ones.
    pub total: u64,
    /// The head noun, if it is a known term.
    pub head: Option<u32>,
    /// The brands that the query names.
    pub brands: Vec<NamedBrand>,
    /// Whether the query has at least [`TITLE_TERMS_MIN`] terms with a weight above 0.
    pub is_title: bool,
    /// The constants of the formula.
    pub constants: QualityConstants,
}

/// The summed contributions of the query terms that a listing contains, and properties of these terms.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    satisfied: u64,
    has_evidence: bool,
    has_part_number: bool,
    has_type: bool,
}

impl QualityQuery {
    /// The maximum quality that the rule for titles grants to a listing that contains this term.
    pub(super) fn title_most(&self, term: &QueryTerm, is_in_role: bool) -> MatchQuality {
        match self.is_title {
            true if term.is_part_number => self.constants.title_brand_and_part,
            true if is_in_role && self.head == Some(term.term) => self.constants.title_part_or_type,
            _ => MatchQuality::default(),
        }
    }

    /// The contribution of a term, in weight × percent, in its role or out of its role.
    pub(super) fn satisfied(&self, term: &QueryTerm, is_in_role: bool) -> u64 {
        let out_of_role = term.full_pct.min(self.constants.out_of_role_pct);
        term.weight * if is_in_role { term.full_pct } else { out_of_role }
    }

    /// Whether a term belongs to a brand that the query names. If `brand` is given, only that brand counts.
    pub(super) fn is_brand_term(&self, term: u32, brand: Option<u32>) -> bool {
        let mut named = self.brands.iter().filter(|named| brand.is_none_or(|brand| named.brand == brand));
        named.any(|named| named.terms.contains(&term))
    }
}

impl TextIndex {
    /// The match quality of a listing.
    pub fn quality(&self, row: u32, query: &QualityQuery) -> MatchQuality {
        let doc = self.row_doc[row as usize];
        let own = self.terms_at(doc);
        self.quality_of_doc(doc, query, |at| {
            let term = &query.terms[at];
            let held = self.held(doc, own, term.term)?;
            Some(self.is_in_role(doc, query, term, held))
        })
    }

    /// The match quality of a doc. `is_in_role` returns whether the doc contains the term at an index in its role;
    /// `None` if the doc does not contain the term.
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

    /// The quality after applying the minimums for titles, if the listing has the brand, part number or head noun of
    /// the title.
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

    /// Whether a query names the brand of a listing. For a listing without a brand, the first word of its name counts
    /// as the brand.
    pub(super) fn has_brand_of(&self, doc: u32, query: &QualityQuery) -> bool {
        match self.row_brand[self.doc_row[doc as usize] as usize] {
            NONE => self.terms_at(doc).first().is_some_and(|&first| {
                let first = term_field::term(first);
                query.terms.iter().any(|of| of.term == first && of.is_evidence)
            }),
            brand => query.brands.iter().any(|named| named.brand == brand),
        }
    }

    /// Whether a doc that contains a term in this field contains it in its role, because of the field, of its parent
    /// category or of its brand.
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

    /// The docs that contain a frequent term as a product type, without regard to brands. `None` if the term is not
    /// frequent. Built when a query first contains the term.
    pub(super) fn type_set(&self, term: u32) -> Option<Subset<'_>> {
        let is_of_type = |of: u32| {
            let category = || self.row_category[self.doc_row[posting::doc(of) as usize] as usize];
            posting::held(of).is_of_type() || self.categories.is_in_parent(category(), term)
        };
        let holding = || self.postings(term).iter().copied().filter(|&of| is_of_type(of)).map(posting::doc);
        let set = &self.type_sets[self.sets.find(term)?];
        Some(set.get_or_init(|| TypeSet::of(holding(), self.doc_row.len())).subset())
    }

    /// Whether a term names a product type in a country. It does if the last two segments of a priced listing's
    /// category contain it, or if enough of the listings that contain it have it as head noun or in the last segment.
    /// Computed when a query first contains the term, and then cached.
    pub fn names_type(&self, term: u32, country: Country) -> bool {
        self.use_of(term, country).names_type
    }

    /// The fields in which priced listings of a country contain a term, one bit per field.
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

/// The fields in which priced listings of a country contain a term, and whether the term names a product type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TermUse {
    names_type: bool,
    /// The fields, one bit per field.
    ways: u8,
}

/// The use of each term by the priced listings of a country, cached on first use.
pub(super) struct TermUses(Vec<AtomicU16>);

impl TermUses {
    const KNOWN: u16 = 1 << u8::BITS;
    const TYPE: u16 = Self::KNOWN << 1;

    /// Creates an empty cache for this many terms.
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
