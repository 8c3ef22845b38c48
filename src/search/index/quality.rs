//! Match quality: the share of a query's weight that a listing satisfies.
//!
//! The weight of a term counts in full if the listing contains the term in the required role, in part if the listing
//! contains it in another role, and not at all otherwise. The sum of these contributions is divided by the weight of
//! the whole query and rounded down to hundredths once. The methodology page has the formula with its constants.

use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};

use super::postings::{Subset, TypeSet};
use super::properties::Form;
use super::{TermField, TextIndex, term_field};
use crate::lang::quantities::{NumberCode, Stated};
use crate::snapshot::layout::{NONE, posting};
use crate::types::{Country, Ratio4};

/// The percentage of its weight at which a term counts in full.
pub const FULL_PCT: u64 = 100;
/// A term names a product type if at least one in this many of the listings that contain it have it as head noun or in
/// the last segment of their category.
const TYPE_ONE_IN: usize = 5;
/// Queries with at least this many weighted terms are titles.
pub const TITLE_TERMS_MIN: usize = 5;
/// The maximum number of compounds of a query.
pub const COMPOUNDS_MAX: usize = 8;
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
    /// Percentage of its weight at which a word of a compound counts if the listing does not contain all of its words.
    pub compound_part_pct: u64,
    /// Percentage of its weight at which a quantity counts if the listing states none of its dimension.
    pub no_quantity_pct: u64,
    /// Weight of a word that no priced listing of the country contains, in percent.
    pub unknown_pct: u64,
    /// The same in a title.
    pub title_unknown_pct: u64,
    /// Percentage of the weight of a property that is subtracted if the listing states another one.
    pub other_property_pct: u64,
    /// Percentage to which the quality is reduced if the listing does not contain the product type that the query asks
    /// for.
    pub without_type_pct: u64,
    /// Minimum quality of a title (a query of many terms) if the listing has the brand and a part number of the title.
    pub title_brand_and_part: MatchQuality,
    /// Minimum quality of a title if the listing has a part number of the title, or both its brand and its head noun.
    pub title_part_or_type: MatchQuality,
}

impl Default for QualityConstants {
    fn default() -> Self {
        Self {
            head_pct: 175,
            head_of_mean_pct: 75,
            brand_pct: 130,
            corrected_pct: 55,
            out_of_role_pct: 25,
            compound_part_pct: 25,
            without_type_pct: 60,
            other_property_pct: 100,
            unknown_pct: 200,
            title_unknown_pct: 50,
            no_quantity_pct: 50,
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
            "compound_part_pct" => self.compound_part_pct = percent,
            "no_quantity_pct" => self.no_quantity_pct = percent,
            "unknown_pct" => self.unknown_pct = percent,
            "title_unknown_pct" => self.title_unknown_pct = percent,
            "other_property_pct" => self.other_property_pct = percent,
            "without_type_pct" => self.without_type_pct = percent,
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
    /// Anywhere, also in the part of a name that describes other things. Used if the query describes other things too.
    Anywhere,
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
    /// The index of the compound that the term belongs to, in [`QualityQuery::compounds`].
    pub compound: Option<usize>,
}

impl QueryTerm {
    /// Whether the term is in its role in this field. If not, the parent category or the brand of a listing may still
    /// put it in its role.
    pub(super) fn is_in_role(&self, held: TermField) -> bool {
        match self.role {
            Role::Any => held != TermField::Aside,
            Role::Anywhere => true,
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

/// A quantity that a query states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryQuantity {
    /// The quantity.
    pub number: NumberCode,
    /// Weight of the quantity.
    pub weight: u64,
}

/// A property that a query states, and its alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Weight of the words that state it.
    pub weight: u64,
    /// The forms of the property.
    pub own: Vec<Form>,
    /// The forms of its alternatives.
    pub others: Vec<Form>,
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
    /// Whether the head noun names a product type, which a listing must contain.
    pub asks_type: bool,
    /// Whether the query names an accessory.
    pub asks_accessory: bool,
    /// The categories in which the everyday table expects the head noun, as ranges of the tree in preorder.
    pub expected_categories: Vec<Range<u32>>,
    /// The number of distinct words of each compound: words that name a product only together, such as "oat milk", and
    /// the pieces of a part number.
    pub compounds: Vec<u32>,
    /// The index of the compound that contains the head noun.
    pub head_compound: Option<usize>,
    /// The quantities that the query states.
    pub quantities: Vec<QueryQuantity>,
    /// The properties that the query states, such as "boneless", and that have alternatives.
    pub properties: Vec<Property>,
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
    /// Of the terms that belong to no compound.
    satisfied: u64,
    compounds: [CompoundSum; COMPOUNDS_MAX],
    has_evidence: bool,
    has_part_number: bool,
    /// Whether the listing contains the head noun in its role; `None` if it does not contain it.
    is_head_in_role: Option<bool>,
}

/// The contributions of the words of a compound.
#[derive(Debug, Clone, Copy, Default)]
struct CompoundSum {
    /// The number of words that the listing contains.
    held: u32,
    /// Their contribution if the listing contains all words of the compound, and if it does not.
    whole: u64,
    part: u64,
    /// Whether the listing contains the head noun of the compound out of its role.
    is_out_of_role: bool,
}

impl Sum {
    fn add(&mut self, query: &QualityQuery, term: &QueryTerm, is_in_role: bool) {
        let satisfied = query.satisfied(term, is_in_role);
        match term.compound {
            Some(at) => {
                let compound = &mut self.compounds[at];
                compound.held += 1;
                compound.whole += satisfied;
                compound.part += satisfied.min(term.weight * query.constants.compound_part_pct);
            }
            None => self.satisfied += satisfied,
        }
        self.has_evidence |= term.is_evidence;
        self.has_part_number |= term.is_part_number;
        if query.head == Some(term.term) {
            self.is_head_in_role = Some(is_in_role);
            if let Some(at) = term.compound {
                self.compounds[at].is_out_of_role = !is_in_role;
            }
        }
    }
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

    /// The lower median of the weights above 0; `None` if no term has a weight.
    pub fn lower_median(&self) -> Option<u64> {
        let mut weights: Vec<u64> =
            self.terms.iter().map(|of| of.weight).filter(|weight| *weight > 0).collect();
        weights.sort_unstable();
        weights.get(weights.len().saturating_sub(1) / 2).copied()
    }

    /// The maximum that quantities contribute to the quality of a listing, in weight × percent.
    pub(super) fn most_of_quantities(&self) -> u64 {
        self.quantities.iter().map(|quantity| quantity.weight * FULL_PCT).sum()
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
                sum.add(query, term, is_in_role);
            }
        }
        if !sum.has_evidence {
            return MatchQuality::default();
        }
        let quality = MatchQuality::of(self.satisfied(doc, query, &sum), query.total);
        if query.is_title { self.at_least_as_title(doc, query, &sum, quality) } else { quality }
    }

    /// The satisfied weight, as weight × percent: of terms, compounds and quantities, less that of quantities and
    /// properties that the listing contradicts.
    fn satisfied(&self, doc: u32, query: &QualityQuery, sum: &Sum) -> u64 {
        let constants = &query.constants;
        let (mut satisfied, mut contradicted) = (sum.satisfied, 0);
        for (compound, words) in sum.compounds.iter().zip(&query.compounds) {
            let is_whole = compound.held == *words && !compound.is_out_of_role;
            satisfied += if is_whole { compound.whole } else { compound.part };
        }
        let row = self.doc_row[doc as usize];
        for quantity in &query.quantities {
            match self.stated(row, quantity.number) {
                Stated::Equal => satisfied += quantity.weight * FULL_PCT,
                Stated::Nothing => satisfied += quantity.weight * constants.no_quantity_pct,
                Stated::Other => contradicted += quantity.weight * FULL_PCT,
            }
        }
        let properties = query.properties.iter().filter(|property| self.contradicts(doc, property));
        contradicted +=
            properties.map(|property| property.weight * constants.other_property_pct).sum::<u64>();
        satisfied = satisfied.saturating_sub(contradicted);
        let is_whole = |compound: usize| sum.compounds[compound].held == query.compounds[compound];
        let has_type = sum.is_head_in_role.is_some() && query.head_compound.is_none_or(is_whole);
        if has_type || !query.asks_type { satisfied } else { satisfied * constants.without_type_pct / 100 }
    }

    /// Whether the name of a listing states an alternative of a property and not the property.
    fn contradicts(&self, doc: u32, property: &Property) -> bool {
        let own = &self.terms_at(doc)[..self.name_terms[doc as usize] as usize];
        let is_said = |term: &u32| {
            let is_it = |of: &&u32| term_field::term(**of) == *term;
            own.iter().find(is_it).is_some_and(|&of| term_field::held(of) != TermField::Aside)
        };
        let states = |form: &Form| form.iter().all(is_said);
        !property.own.iter().any(states) && property.others.iter().any(states)
    }

    /// The quality after applying the minimums for titles, if the listing has the brand, part number or head noun of
    /// the title.
    fn at_least_as_title(
        &self,
        doc: u32,
        query: &QualityQuery,
        sum: &Sum,
        quality: MatchQuality,
    ) -> MatchQuality {
        let QualityConstants { title_brand_and_part, title_part_or_type, .. } = query.constants;
        let (without_brand, with_brand) = match (sum.has_part_number, sum.is_head_in_role == Some(true)) {
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
        let row = self.doc_row[doc as usize] as usize;
        let category = self.row_category[row];
        if query.is_brand_term(term.term, Some(self.row_brand[row])) {
            return true;
        }
        let is_of_category = || self.categories.is_in_parent(category, term.term);
        match term.role {
            Role::Type if self.is_of_accessory(category, query, held) => false,
            Role::Type if self.is_free_name(category, query, term.term, held) => is_of_category(),
            _ => term.is_in_role(held) || is_of_category(),
        }
    }

    /// The docs of categories with their own rules of roles, one bit per doc.
    pub(super) fn docs_with_category_rules(&self) -> Vec<u64> {
        let mut bits = vec![0; self.doc_row.len().div_ceil(u64::BITS as usize)];
        for (doc, &row) in self.doc_row.iter().enumerate() {
            let has_category_rules = self.categories.has_category_rules(self.row_category[row as usize]);
            bits[doc / 64] |= u64::from(has_category_rules) << (doc % 64);
        }
        bits
    }

    /// Whether a doc is in a category with its own rules of roles.
    pub(super) fn has_category_rules(&self, doc: u32) -> bool {
        self.category_rules[doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    /// Whether a category of accessories contains a term as what the accessory belongs to: "phone" in "Phone Cases".
    fn is_of_accessory(&self, category: u32, query: &QualityQuery, held: TermField) -> bool {
        !query.asks_accessory
            && !matches!(held, TermField::ProductType | TermField::CategoryType)
            && self.categories.is_accessory(category)
    }

    /// Whether a term is the head of a name that does not state what the product is: "Blueberry" of a wine.
    fn is_free_name(&self, category: u32, query: &QualityQuery, term: u32, held: TermField) -> bool {
        held == TermField::ProductType
            && self.categories.is_free_name(category, term)
            && !(query.head == Some(term)
                && query.expected_categories.iter().any(|shelf| shelf.contains(&category)))
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

    /// Whether priced listings of a country have a term as the head of a name that does not state what they are.
    pub fn is_in_free_names(&self, term: u32, country: Country) -> bool {
        self.use_of(term, country).is_in_free_names
    }

    /// The fields in which priced listings of a country contain a term, one bit per field.
    pub(super) fn priced_ways(&self, term: u32, country: Country) -> u8 {
        self.use_of(term, country).ways
    }

    fn use_of(&self, term: u32, country: Country) -> TermUse {
        self.uses[country.as_u8() as usize].get(term, || {
            let postings = self.priced_postings(term, country);
            let least = postings.len().div_ceil(TYPE_ONE_IN);
            let (mut head_nouns, mut ways, mut free_names) = (0, 0, 0);
            for &of in postings {
                let held = posting::held(of);
                ways |= 1 << held as u8;
                let category = || self.row_category[self.doc_row[posting::doc(of) as usize] as usize];
                let is_free_name =
                    || held == TermField::ProductType && self.categories.is_free_name(category(), term);
                let is_free_name = is_free_name();
                free_names += usize::from(is_free_name);
                head_nouns += usize::from(held.is_of_type() && !is_free_name);
            }
            let has_digit = self.term(term).bytes().any(|byte| byte.is_ascii_digit());
            let names_type = !has_digit
                && (self.categories.is_of_last_two(term, country) || (least > 0 && head_nouns >= least));
            TermUse { names_type, is_in_free_names: free_names > 0, ways }
        })
    }
}

/// The fields in which priced listings of a country contain a term, and whether the term names a product type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TermUse {
    names_type: bool,
    is_in_free_names: bool,
    /// The fields, one bit per field.
    ways: u8,
}

/// The use of each term by the priced listings of a country, cached on first use.
pub(super) struct TermUses(Vec<AtomicU16>);

impl TermUses {
    const KNOWN: u16 = 1 << u8::BITS;
    const TYPE: u16 = Self::KNOWN << 1;
    const FREE_NAME: u16 = Self::TYPE << 1;

    /// Creates an empty cache for this many terms.
    pub(super) fn of(terms: usize) -> Self {
        Self((0..terms).map(|_| AtomicU16::new(0)).collect())
    }

    fn get(&self, term: u32, look_up: impl FnOnce() -> TermUse) -> TermUse {
        let known = &self.0[term as usize];
        let bits = known.load(Ordering::Relaxed);
        if bits & Self::KNOWN != 0 {
            return TermUse {
                names_type: bits & Self::TYPE != 0,
                is_in_free_names: bits & Self::FREE_NAME != 0,
                ways: bits as u8,
            };
        }
        let found = look_up();
        let is_type = if found.names_type { Self::TYPE } else { 0 };
        let is_free_name = if found.is_in_free_names { Self::FREE_NAME } else { 0 };
        known.store(u16::from(found.ways) | Self::KNOWN | is_type | is_free_name, Ordering::Relaxed);
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
        for (term, names_type, is_in_free_names, ways) in [(1, true, false, 0b1001), (0, false, true, 0)] {
            let found = TermUse { names_type, is_in_free_names, ways };
            assert_eq!(uses.get(term, || found), found);
            assert_eq!(uses.get(term, || unreachable!("known")), found);
        }
    }
}
