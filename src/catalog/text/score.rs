//! What a match is worth.
//!
//! Matches are ordered by the tenths of their quality (`quality`), then by their score. The score of a listing is a sum over the distinct terms of the query of `idf × gain`: how rare the term is among the
//! priced listings of the country, times what it is worth as this listing holds it. In name and brand that is BM25's
//! saturation by length without its counting of repetitions: `f / (f + length)`, `f` being 1, [`ASIDE`] for what follows
//! "for", "with" and the like, and [`CATEGORY`] or [`ABOVE`] for a word that only the category has, which is never worth more than
//! [`CATEGORY_MOST`] or [`ABOVE_MOST`]: a short name says nothing for it. A listing that is the thing
//! that the query asks for has [`THING`] more for the term that names it, and [`KIND`] for other terms that tell it apart
//! from its like; what comes near to either has [`NEAR`].

use super::holders::{Cursor, Things};
use super::quality::QualityQuery;
use super::top::{Merit, Top};
use super::{SoughtTerms, TextIndex};
use crate::domain::Country;
use crate::snapshot::layout::Held;

/// BM25's k1: how much the number of terms beside a match takes from it.
const K1: f32 = 1.2;
/// BM25's b: how much of that depends on the number.
const B: f32 = 0.75;
/// Weight in its name of a term that speaks of something else.
const ASIDE: f32 = 0.4;
/// Weight of a term that only the last segment of the category has, and its most worth.
const CATEGORY: f32 = 0.65;
const CATEGORY_MOST: f32 = 0.35;
/// Weight of a term that only a segment above has, and its most worth.
const ABOVE: f32 = 0.13;
const ABOVE_MOST: f32 = 0.1;
/// What it is worth to be the thing that is asked for.
const THING: f32 = 0.25;
/// What it is worth to be of the kind that another term tells apart: "sparkling" of sparkling wines.
const KIND: f32 = 0.05;
/// What it is worth to bear the name of the thing that is asked for among other things, or to be another thing that the query
/// names.
const NEAR: f32 = 0.02;
/// By how many last digits a sum of scores may be off for each of its terms, whatever the order in which these are added:
/// half a digit whenever a term is added, in either order; and as much to spare.
const LAST_DIGITS_PER_TERM: f32 = 2.0;
/// Lengths up to this one count as they are.
const EXACT_LENGTH_MAX: u32 = 24;

/// The terms of a query, that score the places of a country: upwards, those of one length after those of another.
#[derive(Clone)]
pub(super) struct Scorer<'a> {
    index: &'a TextIndex,
    terms: Vec<Scored>,
    cursors: Vec<Cursor<'a>>,
    /// What each term adds, by how a place of the current length holds it.
    parts: Vec<[Worth; Held::ALL.len()]>,
    /// The most of these where a place is not the thing that the term names, and where it is.
    most: Vec<[Worth; 2]>,
    /// The query by which quality is measured.
    quality: Option<&'a QualityQuery>,
    /// The most that each term adds, without its score, by how a place holds it.
    unscored: Vec<[Worth; Held::ALL.len()]>,
    /// Whether a place can make a term satisfy more than how it is held tells.
    by_place: Vec<bool>,
    /// Weight × percent in a tenth of the quality.
    per_tenth: u64,
}

/// Gain of a match by its terms; the upper bound where it depends on more than how they are held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Worth {
    /// Weight × percent.
    satisfied: u64,
    score: f32,
    /// Tenths of the quality that a title has with one of the terms at most, whatever the others add.
    title_tenths: u8,
}

impl Worth {
    fn max(self, other: Self) -> Self {
        Self {
            satisfied: self.satisfied.max(other.satisfied),
            score: self.score.max(other.score),
            title_tenths: self.title_tenths.max(other.title_tenths),
        }
    }

    /// The sum in order: 0.0 of none, where the sum of an iterator is -0.0, whose bits are no small score.
    fn sum(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::default(), Self::and)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            satisfied: self.satisfied + other.satisfied,
            score: self.score + other.score,
            title_tenths: self.title_tenths.max(other.title_tenths),
        }
    }
}

/// A term of a query with what scoring needs of it.
#[derive(Clone)]
struct Scored {
    weight: f32,
    /// Whether it names the thing that is asked for.
    is_thing: bool,
    /// In which ways anything holds it.
    ways: u8,
}

/// What is known of how places hold a term.
pub(super) enum Known {
    Nothing,
    /// Whether they are the thing that it names.
    Thing(bool),
    Held(Held),
}

/// The length part of the saturation.
#[derive(Debug, Clone, Copy)]
struct Length(f32);

impl<'a> Scorer<'a> {
    /// Before the first place of a country.
    pub(super) fn new(index: &'a TextIndex, sought: SoughtTerms<'a>, country: Country) -> Self {
        let terms = sought.scored;
        let idf = |term: u32| index.idf(index.priced_with(term, country), country) as f32;
        let scored = |(at, &term): (usize, &u32)| Scored {
            weight: if sought.ranks(at) { idf(term) } else { 0.0 },
            is_thing: sought.thing == Some(term),
            ways: index.priced_ways(term, country),
        };
        let by_place = |query: &'a QualityQuery| {
            query.terms.iter().map(|term| index.may_be_in_role(query, term, country)).collect()
        };
        let by_place: Vec<bool> = sought.quality.map_or_else(|| vec![false; terms.len()], by_place);
        let unscored = |query: &'a QualityQuery| {
            let terms = query.terms.iter().zip(&by_place);
            terms
                .map(|(term, &by_place)| {
                    Held::ALL.map(|held| {
                        let is_in_role = by_place || term.is_in_role(held);
                        Worth {
                            satisfied: query.satisfied(term, is_in_role),
                            score: 0.0,
                            title_tenths: query.title_most(term, is_in_role).tenths(),
                        }
                    })
                })
                .collect()
        };
        Self {
            index,
            unscored: sought.quality.map_or_else(|| vec![[Worth::default(); _]; terms.len()], unscored),
            per_tenth: sought.quality.map_or(u64::MAX, |query| 10 * query.total.max(1)),
            terms: terms.iter().enumerate().map(scored).collect(),
            cursors: terms.iter().map(|&term| Cursor::of(index, term, country)).collect(),
            parts: vec![[Worth::default(); Held::ALL.len()]; terms.len()],
            most: vec![[Worth::default(); 2]; terms.len()],
            quality: sought.quality,
            by_place,
        }
    }

    /// Turns to places of a length; says what they, or longer ones, are worth at most.
    ///
    /// Exact to the bit: rounding keeps the order of sums, products and quotients, so that no longer place and none with
    /// weaker ways to hold terms scores more.
    pub(super) fn turn_to(&mut self, length: u32) -> Merit {
        let [of_others, of_things] = [false, true].map(|is_thing| self.index.gains(length, is_thing));
        for (at, of) in self.terms.iter().enumerate() {
            let gains = if of.is_thing { of_things } else { of_others };
            let unscored = &self.unscored[at];
            let part =
                |held: Held| Worth { score: of.weight * gains[held as usize], ..unscored[held as usize] };
            self.parts[at] = Held::ALL.map(part);
            let parts = &self.parts[at];
            self.most[at] = [false, true].map(|is_thing| {
                let ways = Held::among(of.ways).filter(|held| held.is_thing() == is_thing);
                ways.map(|held| parts[held as usize]).fold(Worth::default(), Worth::max)
            });
        }
        self.most(|_| Known::Nothing)
    }

    /// Upper bound of the merit of places of this length of which so much is known.
    pub(super) fn most(&self, known: impl Fn(usize) -> Known) -> Merit {
        let most = |at| match known(at) {
            Known::Nothing => self.most_at(at),
            Known::Thing(is_thing) => self.most[at][usize::from(is_thing)],
            Known::Held(held) => self.part(at, held),
        };
        self.bound(Worth::sum((0..self.most.len()).map(most)))
    }

    /// The most that a place can be worth whose terms add so much.
    fn bound(&self, worth: Worth) -> Merit {
        let tenths = (worth.satisfied / self.per_tenth).min(10) as u8;
        Merit { tenths: tenths.max(worth.title_tenths), score: worth.score }
    }

    /// Whether a place may be among the best whose terms add at most so much, added up in any order.
    pub(super) fn may_be_among(&self, top: &Top<'_>, most: Worth) -> bool {
        // Most are too little by their quality alone, which takes no division.
        let tenths = top.bar_tenths();
        if most.satisfied < u64::from(tenths) * self.per_tenth && most.title_tenths < tenths {
            return false;
        }
        let spare = 1.0 + LAST_DIGITS_PER_TERM * self.terms.len() as f32 * f32::EPSILON;
        top.may_take(self.bound(Worth { score: most.score * spare, ..most }))
    }

    /// What one of the terms adds at most to a place of this length.
    pub(super) fn most_at(&self, at: usize) -> Worth {
        let [other, thing] = self.most[at];
        other.max(thing)
    }

    /// The places that are the thing which a term names, of terms that have a set of them.
    pub(super) fn things(&self) -> impl Iterator<Item = (usize, Things<'a>)> {
        self.cursors.iter().enumerate().filter_map(|(at, cursor)| Some((at, cursor.set()?.things?)))
    }

    /// What a place of this length adds that holds one of the terms so.
    pub(super) fn part(&self, at: usize, held: Held) -> Worth {
        self.parts[at][held as usize]
    }

    /// Whether one of the terms has a set.
    pub(super) fn has_set(&self, at: usize) -> bool {
        self.cursors[at].set().is_some()
    }

    /// What a place of this length adds at most by one of the terms, as one look tells; `None` where it does not hold it.
    pub(super) fn at_most(&mut self, at: usize, place: u32) -> Option<Worth> {
        match self.cursors[at].set() {
            Some(set) => set.has(place).then(|| self.most[at][usize::from(set.is_thing(place))]),
            None => self.cursors[at].held(place).map(|held| self.part(at, held)),
        }
    }

    /// Whether a place holds one of the terms.
    pub(super) fn has(&mut self, at: usize, place: u32) -> bool {
        self.cursors[at].has(place)
    }

    /// Merit of a place of this length, summed in the order of the query so that its score has one value.
    pub(super) fn merit(&mut self, place: u32) -> Merit {
        let Self { index, cursors, parts, quality, by_place, .. } = self;
        let mut score = 0.0;
        let mut held = |at: usize| {
            let held = cursors[at].held(place)?;
            score += parts[at][held as usize].score;
            Some(held)
        };
        let tenths = if let Some(query) = quality {
            let is_in_role = |at: usize| {
                let (term, held) = (&query.terms[at], held(at)?);
                Some(term.is_in_role(held) || by_place[at] && index.is_in_role(place, query, term, held))
            };
            index.quality_of_place(place, query, is_in_role).tenths()
        } else {
            (0..parts.len()).for_each(|at| _ = held(at));
            0
        };
        Merit { tenths, score }
    }
}

/// What a term is worth that does, or does not, name the thing that is asked for.
fn gain(held: Held, is_thing: bool, Length(length): Length) -> f32 {
    let saturated = |weight: f32| weight / (weight + length);
    let own = saturated(1.0);
    let by_category = saturated(CATEGORY).min(CATEGORY_MOST);
    let (as_thing, as_trait) = if is_thing { (THING, NEAR) } else { (NEAR, KIND) };
    match held {
        Held::Thing => own + as_thing,
        Held::Trait => own + as_trait,
        Held::Own => own,
        Held::CategoryThing => by_category + as_thing,
        Held::CategoryTrait => by_category + as_trait,
        Held::Aside => saturated(ASIDE),
        Held::Above => saturated(ABOVE).min(ABOVE_MOST),
        Held::Number => 0.0,
    }
}

impl TextIndex {
    /// Inverse document frequency of a term that so many priced listings of the country hold.
    pub fn idf(&self, with: u32, country: Country) -> f64 {
        let (with, all) = (f64::from(with), f64::from(self.priced_count(country)));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// What a term is worth in a name and brand of so many, by how it is held.
    fn gains(&self, terms: u32, is_thing: bool) -> [f32; Held::ALL.len()] {
        let length = Length(K1 * (1.0 - B + B * counted_length(terms) as f32 / self.average));
        Held::ALL.map(|held| gain(held, is_thing, length))
    }
}

/// A length as it counts: to four binary digits beyond the first lengths, as search engines keep it in a byte.
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
    fn nothing_scores_nothing() {
        let worth = |score| Worth { score, ..Worth::default() };
        assert_eq!(Worth::sum([].into_iter()).score.to_bits(), 0);
        assert_eq!(Worth::sum([0.0, 0.5].map(worth).into_iter()).score.to_bits(), 0.5_f32.to_bits());
    }

    #[test]
    fn a_stronger_way_to_hold_a_term_is_worth_more() {
        for length in [0.1, 0.5, 1.0, 4.0].map(Length) {
            for (is_thing, ways) in [
                (true, [Held::Thing, Held::Trait, Held::Own, Held::Aside, Held::Number].as_slice()),
                (true, &[Held::CategoryThing, Held::CategoryTrait, Held::Above, Held::Number]),
                (false, &[Held::Trait, Held::Thing, Held::Own, Held::Aside, Held::Number]),
                (false, &[Held::CategoryTrait, Held::CategoryThing, Held::Above, Held::Number]),
            ] {
                let gains: Vec<f32> = ways.iter().map(|held| gain(*held, is_thing, length)).collect();
                assert!(gains.is_sorted_by(|a, b| a > b), "{gains:?}");
            }
        }
    }
}
