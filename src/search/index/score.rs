//! The score of a match.
//!
//! Matches are ordered by the tenths of their quality (`quality`), then by their score. The score of a listing is the
//! sum of `idf × gain` over the distinct terms of the query. The `idf` states how rare a term is among the priced
//! listings of the country. The gain depends on how the listing contains the term. It is `f / (f + length)`, which is
//! BM25's saturation by length without the counting of repetitions. `f` is 1 for a word of the name or the brand,
//! [`ASIDE`] for a word after "for", "with" and the like, and [`CATEGORY`] or [`ABOVE`] for a word that only the
//! category contains. The gain of a category word is capped at [`CATEGORY_MOST`] or [`ABOVE_MOST`], because a short
//! name does not make the word more relevant. Two kinds of terms get a bonus. The term that names the requested product
//! gets [`THING`] if the listing is this product, and [`NEAR`] if the term is only a trait of the listing. Another term
//! gets [`KIND`] if it is a trait of the listing, and [`NEAR`] if it names the product that the listing is.

use super::postings::{Cursor, DocSet, Subset};
use super::quality::{QualityQuery, Role};
use super::top_k::{MatchScore, Top};
use super::{SoughtTerms, TextIndex};
use crate::snapshot::layout::TermField;
use crate::types::Country;

/// BM25's k1: how strongly the other terms of a name reduce the gain of a match.
const K1: f32 = 1.2;
/// BM25's b: how much of that reduction depends on the number of terms.
const B: f32 = 0.75;
/// Weight of a term that the name contains only after "for", "with" and the like.
const ASIDE: f32 = 0.4;
/// Weight of a term that only the last segment of the category contains, and the maximum of its gain.
const CATEGORY: f32 = 0.65;
const CATEGORY_MOST: f32 = 0.35;
/// Weight of a term that only a higher segment of the category contains, and the maximum of its gain.
const ABOVE: f32 = 0.13;
const ABOVE_MOST: f32 = 0.1;
/// Bonus of the term that names the requested product, if the listing is this product.
const THING: f32 = 0.25;
/// Bonus of another term that is a trait of the listing: "sparkling" for sparkling wines.
const KIND: f32 = 0.05;
/// Bonus of the term that names the requested product if it is only a trait of the listing, and of another term if it
/// names the product that the listing is.
const NEAR: f32 = 0.02;
/// Maximum difference between sums of the same scores in different orders, per term, in units of the last place. An
/// addition contributes at most half a unit in each of two orders, one unit in total. The value is twice as large, as a
/// margin.
const LAST_DIGITS_PER_TERM: f32 = 2.0;
/// Lengths up to this value are not quantized.
const EXACT_LENGTH_MAX: u32 = 24;

/// Scores the docs of a country for the terms of a query, in ascending order and one length after the other.
#[derive(Clone)]
pub(super) struct Scorer<'a> {
    index: &'a TextIndex,
    terms: Vec<Scored<'a>>,
    cursors: Vec<Cursor<'a>>,
    /// The contribution of each term, by the field in which a doc of the current length contains it. An upper bound
    /// where the contribution depends on the doc.
    parts: Vec<[Worth; TermField::ALL.len()]>,
    /// The maximum contribution of each term to a doc of the current length, by class.
    most: Vec<[Worth; Class::ALL.len()]>,
    /// The weights and roles by which quality is measured; `None` if it is not measured.
    quality: Option<&'a QualityQuery>,
    /// The weight × percent that corresponds to a tenth of quality.
    per_tenth: u64,
    /// The maximum that the quantities of the query contribute, in weight × percent.
    quantities_most: u64,
}

/// The contribution of terms to a match. An upper bound where it depends on more than the fields of the terms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Worth {
    /// Satisfied weight, as weight × percent.
    pub(super) satisfied: u64,
    score: f32,
    /// The maximum tenths of quality that the rule for titles grants for one of the terms.
    pub(super) title_tenths: u32,
}

impl Worth {
    fn max(self, other: Self) -> Self {
        Self {
            satisfied: self.satisfied.max(other.satisfied),
            score: self.score.max(other.score),
            title_tenths: self.title_tenths.max(other.title_tenths),
        }
    }

    /// Adds contributions in order. The sum of no contributions is 0.0. `Iterator::sum` would return -0.0, whose bit
    /// pattern compares greater than any score.
    pub(super) fn sum(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::default(), |sum, part| Self {
            satisfied: sum.satisfied + part.satisfied,
            score: sum.score + part.score,
            title_tenths: sum.title_tenths.max(part.title_tenths),
        })
    }
}

/// A term of a query with the data that scoring needs.
#[derive(Clone)]
struct Scored<'a> {
    weight: f32,
    /// Whether the term names the requested product.
    is_product_type: bool,
    /// The fields in which any priced listing contains the term, one bit per field.
    ways: u8,
    /// The contribution of the term to the quality: first out of its role, then in its role.
    unscored: [Worth; 2],
    /// The fields in which the term is always in its role, one bit per field.
    in_role: u8,
    /// Whether a doc may contain the term in its role for a reason that the field does not show: the doc's parent
    /// category (`by_parent`) or its brand (`by_brand`).
    by_parent: bool,
    by_brand: bool,
    /// The docs that contain the term in its role, if a set of them exists.
    types: Option<Subset<'a>>,
}

/// How a doc contains a term, at the granularity that determines its quality and the largest part of its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// The doc contains the term out of its role, unless the query names the brand of the doc.
    OutOfRole,
    /// The doc contains the term in its role, but is not the product that the term names.
    InRole,
    /// The doc is the product that the term names.
    ProductType,
}

impl Class {
    const ALL: [Self; 3] = [Self::OutOfRole, Self::InRole, Self::ProductType];

    /// The bit mask of some classes.
    pub(super) fn bits<const N: usize>(classes: [Self; N]) -> u8 {
        classes.into_iter().fold(0, |bits, class| bits | 1 << class as u8)
    }
}

/// The information about how docs contain a term, before they are scored.
pub(super) enum Known {
    /// The docs are in one of these classes, given as a bit mask.
    Classes(u8),
    TermField(TermField),
}

/// A set that divides docs by the classes of a term.
pub(super) struct Divider<'a> {
    /// The index of the term among the scored terms.
    pub(super) at: usize,
    pub(super) docs: Subset<'a>,
    /// The possible classes of docs outside the set, and of docs in it.
    pub(super) classes: [u8; 2],
}

/// The `length` in the formula of the gain.
#[derive(Debug, Clone, Copy)]
struct Length(f32);

impl Scored<'_> {
    /// The possible classes of docs that contain the term in this field.
    fn classes(&self, held: TermField) -> u8 {
        if held.is_product_type() {
            Class::bits([Class::ProductType])
        } else if self.in_role >> held as u8 & 1 == 1 {
            Class::bits([Class::InRole])
        } else if self.by_parent {
            Class::bits([Class::InRole, Class::OutOfRole])
        } else {
            Class::bits([Class::OutOfRole])
        }
    }

    /// The maximum contribution of the term to the quality of a doc of this class.
    fn unscored(&self, class: Class) -> Worth {
        self.unscored[usize::from(class != Class::OutOfRole || self.by_brand)]
    }
}

impl<'a> Scorer<'a> {
    /// A scorer before the first doc of a country.
    pub(super) fn new(index: &'a TextIndex, sought: SoughtTerms<'a>, country: Country) -> Self {
        let terms = sought.scored;
        Self {
            index,
            per_tenth: sought.quality.map_or(u64::MAX, |query| 10 * query.total.max(1)),
            terms: (0..terms.len()).map(|at| Scored::of(index, sought, at, country)).collect(),
            cursors: terms.iter().map(|&term| Cursor::of(index, term, country)).collect(),
            parts: vec![[Worth::default(); _]; terms.len()],
            most: vec![[Worth::default(); _]; terms.len()],
            quality: sought.quality,
            quantities_most: sought.quality.map_or(0, QualityQuery::most_of_quantities),
        }
    }

    /// The maximum that the quantities of the query contribute, in weight × percent.
    pub(super) fn quantities_most(&self) -> u64 {
        self.quantities_most
    }

    /// Starts the docs of a length. Returns an upper bound of the match score of these docs and of longer ones.
    ///
    /// The bound holds to the last bit: rounding preserves the order of sums, products and quotients, so a longer doc,
    /// or one with weaker fields, cannot score more.
    pub(super) fn turn_to(&mut self, length: u32) -> MatchScore {
        let [of_others, of_things] =
            [false, true].map(|is_product_type| self.index.gains(length, is_product_type));
        for (at, of) in self.terms.iter().enumerate() {
            let gains = if of.is_product_type { of_things } else { of_others };
            let most = &mut self.most[at];
            *most = [Worth::default(); _];
            self.parts[at] = TermField::ALL.map(|held| {
                let score = of.weight * gains[held as usize];
                let classes = of.classes(held);
                let classes = Class::ALL.into_iter().filter(|&class| classes >> class as u8 & 1 == 1);
                classes.fold(Worth::default(), |part, class| {
                    let worth = Worth { score, ..of.unscored(class) };
                    if of.ways >> held as u8 & 1 == 1 {
                        most[class as usize] = most[class as usize].max(worth);
                    }
                    part.max(worth)
                })
            });
        }
        self.most(|_| Known::Classes(u8::MAX))
    }

    /// An upper bound of the match score of docs of this length, given what is known about their terms.
    pub(super) fn most(&self, known: impl Fn(usize) -> Known) -> MatchScore {
        let most = |at: usize| match known(at) {
            Known::Classes(classes) => self.most_at(at, classes),
            Known::TermField(held) => self.parts[at][held as usize],
        };
        self.bound(Worth::sum((0..self.most.len()).map(most)))
    }

    /// The maximum contribution of one term to a doc of this length that is in one of these classes.
    pub(super) fn most_at(&self, at: usize, classes: u8) -> Worth {
        let among = Class::ALL.into_iter().filter(|&class| classes >> class as u8 & 1 == 1);
        among.fold(Worth::default(), |most, class| most.max(self.most[at][class as usize]))
    }

    /// The match score of a doc whose terms contribute at most this much.
    fn bound(&self, worth: Worth) -> MatchScore {
        let tenths = ((worth.satisfied + self.quantities_most) / self.per_tenth).min(10) as u32;
        MatchScore { tenths: tenths.max(worth.title_tenths) as u8, score: worth.score }
    }

    /// Whether a doc whose terms contribute at most `most` may be among the best. The result is valid for any order in
    /// which the contributions are added.
    pub(super) fn may_be_among(&self, top: &Top<'_>, doc: u32, most: Worth) -> bool {
        let spare = 1.0 + LAST_DIGITS_PER_TERM * self.terms.len() as f32 * f32::EPSILON;
        let most = Worth { score: most.score * spare, ..most };
        let without_title = Worth { title_tenths: 0, ..most };
        top.may_take(self.bound(without_title)) || top.may_take(self.bound(most)) && self.may_have_title(doc)
    }

    /// Whether a doc may reach a minimum for titles, through its brand or a part number.
    fn may_have_title(&self, doc: u32) -> bool {
        self.quality.is_some_and(|query| {
            query.terms.iter().any(|term| term.is_part_number) || self.index.has_brand_of(doc, query)
        })
    }

    /// The sets that divide docs: first the sets by role, which have the largest effect, then the set of the requested
    /// product, then the sets of other products.
    pub(super) fn dividers(&self) -> impl Iterator<Item = Divider<'a>> {
        let by_role = self.terms.iter().enumerate().filter_map(|(at, of)| {
            let classes = [Class::bits([Class::OutOfRole]), Class::bits([Class::InRole, Class::ProductType])];
            Some(Divider { at, docs: of.types?, classes })
        });
        let by_type = |is_sought: bool| {
            let terms = self.terms.iter().zip(&self.cursors).enumerate();
            let terms = terms.filter(move |(_, (of, _))| of.is_product_type == is_sought);
            terms.filter_map(|(at, (_, cursor))| {
                let classes =
                    [Class::bits([Class::OutOfRole, Class::InRole]), Class::bits([Class::ProductType])];
                Some(Divider { at, docs: cursor.set()?.product_types?, classes })
            })
        };
        by_role.chain(by_type(true)).chain(by_type(false))
    }

    /// The contribution of one term to the quality, first out of its role, then in its role. The `score` of both is 0.
    pub(super) fn quality_at(&self, at: usize) -> [Worth; 2] {
        [Class::OutOfRole, Class::InRole].map(|class| self.terms[at].unscored(class))
    }

    /// The weight × percent that corresponds to a tenth of quality.
    pub(super) fn per_tenth(&self) -> u64 {
        self.per_tenth
    }

    /// The docs that contain one of the terms in its role, if a set of them exists.
    pub(super) fn types(&self, at: usize) -> Option<Subset<'a>> {
        self.terms[at].types
    }

    /// Whether a doc that contains one of the terms in this field may contain it in its role.
    pub(super) fn may_be_in_role(&self, at: usize, held: TermField) -> bool {
        self.terms[at].classes(held) != Class::bits([Class::OutOfRole])
    }

    /// The set of one of the terms, if it has one.
    pub(super) fn set(&self, at: usize) -> Option<DocSet<'a>> {
        self.cursors[at].set()
    }

    /// Whether a doc contains one of the terms.
    pub(super) fn has(&mut self, at: usize, doc: u32) -> bool {
        self.cursors[at].has(doc)
    }

    /// The match score of a doc of this length. Terms are summed in the order of the query, so that equal docs get
    /// bit-identical scores.
    pub(super) fn match_score(&mut self, doc: u32) -> MatchScore {
        let Self { index, cursors, parts, quality, terms, .. } = self;
        let mut score = 0.0;
        let mut held = |at: usize| {
            let held = cursors[at].held(doc)?;
            score += parts[at][held as usize].score;
            Some(held)
        };
        let tenths = if let Some(query) = quality {
            let is_in_role = |at: usize| {
                let (of, held) = (&terms[at], held(at)?);
                if query.terms[at].role == Role::Type && index.has_category_rules(doc) {
                    return Some(index.is_in_role(doc, query, &query.terms[at], held));
                }
                let by_doc = of.by_parent || of.by_brand;
                let by_doc = || by_doc && index.is_in_role(doc, query, &query.terms[at], held);
                Some(
                    of.in_role >> held as u8 & 1 == 1 || of.types.map_or_else(by_doc, |types| types.has(doc)),
                )
            };
            index.quality_of_doc(doc, query, is_in_role).tenths()
        } else {
            (0..parts.len()).for_each(|at| _ = held(at));
            0
        };
        MatchScore { tenths, score }
    }
}

impl<'a> Scored<'a> {
    fn of(index: &'a TextIndex, sought: SoughtTerms<'_>, at: usize, country: Country) -> Self {
        let term = sought.scored[at];
        let idf = || index.idf(index.priced_with(term, country), country) as f32;
        let scored = Self {
            weight: if sought.ranks(at) { idf() } else { 0.0 },
            is_product_type: sought.product_type == Some(term),
            ways: index.priced_ways(term, country),
            unscored: [Worth::default(); _],
            in_role: u8::MAX,
            by_parent: false,
            by_brand: false,
            types: None,
        };
        let Some(query) = sought.quality else { return scored };
        let of = &query.terms[at];
        let by_way = TermField::ALL.into_iter().filter(|held| of.is_in_role(*held));
        let in_role = by_way.fold(0, |ways, held| ways | 1 << held as u8);
        let (by_parent, by_brand) = (
            in_role != u8::MAX && index.categories.is_of_parents(term, country),
            query.is_brand_term(term, None),
        );
        let has_types = of.role == Role::Type && !by_brand && scored.ways & !in_role != 0;
        let unscored = |is_in_role| Worth {
            satisfied: query.satisfied(of, is_in_role),
            score: 0.0,
            title_tenths: query.title_most(of, is_in_role).tenths().into(),
        };
        Self {
            unscored: [false, true].map(unscored),
            in_role,
            by_parent,
            by_brand,
            types: if has_types { index.type_set(term) } else { None },
            ..scored
        }
    }
}

/// The gain of a term that a listing contains in this field. `is_product_type` states whether the term names the
/// requested product.
fn gain(held: TermField, is_product_type: bool, Length(length): Length) -> f32 {
    let saturated = |weight: f32| weight / (weight + length);
    let own = saturated(1.0);
    let by_category = saturated(CATEGORY).min(CATEGORY_MOST);
    let (as_type, as_trait) = if is_product_type { (THING, NEAR) } else { (NEAR, KIND) };
    match held {
        TermField::ProductType => own + as_type,
        TermField::Trait => own + as_trait,
        TermField::Own => own,
        TermField::CategoryType => by_category + as_type,
        TermField::CategoryTrait => by_category + as_trait,
        TermField::Aside => saturated(ASIDE),
        TermField::Above => saturated(ABOVE).min(ABOVE_MOST),
        TermField::Number => 0.0,
    }
}

impl TextIndex {
    /// The inverse document frequency of a term that `with` priced listings of the country contain.
    pub fn idf(&self, with: u32, country: Country) -> f64 {
        let (with, all) = (f64::from(with), f64::from(self.priced_count(country)));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The gain of a term in a name and brand of this many terms, by field.
    fn gains(&self, terms: u32, is_product_type: bool) -> [f32; TermField::ALL.len()] {
        let length = Length(K1 * (1.0 - B + B * counted_length(terms) as f32 / self.average));
        TermField::ALL.map(|held| gain(held, is_product_type, length))
    }
}

/// A length, quantized to four significant binary digits beyond the exact range, as search engines store it in a
/// byte.
fn counted_length(terms: u32) -> u32 {
    let beyond = terms.saturating_sub(EXACT_LENGTH_MAX);
    let dropped = (u32::BITS - beyond.leading_zeros()).saturating_sub(4);
    terms.min(EXACT_LENGTH_MAX) + (beyond >> dropped << dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_to_four_binary_digits() {
        for (terms, counted) in
            [(0, 0), (24, 24), (39, 39), (41, 40), (55, 54), (59, 56), (95, 88), (104, 104)]
        {
            assert_eq!(counted_length(terms), counted, "{terms}");
        }
    }

    #[test]
    fn sums_no_scores_to_zero() {
        let worth = |score| Worth { score, ..Worth::default() };
        assert_eq!(Worth::sum([].into_iter()).score.to_bits(), 0);
        assert_eq!(Worth::sum([0.0, 0.5].map(worth).into_iter()).score.to_bits(), 0.5_f32.to_bits());
    }

    #[test]
    fn a_stronger_way_to_hold_a_term_is_worth_more() {
        for length in [0.1, 0.5, 1.0, 4.0].map(Length) {
            for (is_product_type, ways) in [
                (
                    true,
                    [
                        TermField::ProductType,
                        TermField::Trait,
                        TermField::Own,
                        TermField::Aside,
                        TermField::Number,
                    ]
                    .as_slice(),
                ),
                (
                    true,
                    &[TermField::CategoryType, TermField::CategoryTrait, TermField::Above, TermField::Number],
                ),
                (
                    false,
                    &[
                        TermField::Trait,
                        TermField::ProductType,
                        TermField::Own,
                        TermField::Aside,
                        TermField::Number,
                    ],
                ),
                (
                    false,
                    &[TermField::CategoryTrait, TermField::CategoryType, TermField::Above, TermField::Number],
                ),
            ] {
                let gains: Vec<f32> = ways.iter().map(|held| gain(*held, is_product_type, length)).collect();
                assert!(gains.is_sorted_by(|a, b| a > b), "{gains:?}");
            }
        }
    }
}
