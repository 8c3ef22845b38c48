//! What a match is worth.
//!
//! The score of a listing is a sum over the distinct terms of the query of `idf × gain`: how rare the term is among the
//! priced listings of the country, times what it is worth as this listing holds it. In name and brand that is BM25's
//! saturation by length without its counting of repetitions: `f / (f + length)`, `f` being 1, [`ASIDE`] for what follows
//! "for", "with" and the like, and [`CATEGORY`] or [`ABOVE`] for a word that only the category has, which is never worth more than
//! [`CATEGORY_MOST`] or [`ABOVE_MOST`]: a short name says nothing for it. A listing that is the thing
//! that the query asks for has [`THING`] more for the term that names it, and [`KIND`] for other terms that tell it apart
//! from its like; what comes near to either has [`NEAR`].

use super::holders::{Cursor, Things};
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
/// By how many last digits a sum of scores may be off for each of its terms, whatever the order in which these are added
/// and taken off again: half a digit whenever a term is added, in either order, or taken off; and as much to spare.
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
    parts: Vec<[f32; Held::ALL.len()]>,
    /// The most of these where a place is not the thing that the term names, and where it is.
    most: Vec<[f32; 2]>,
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
    pub(super) fn new(index: &'a TextIndex, sought: SoughtTerms<'_>, country: Country) -> Self {
        let terms = sought.scored;
        let idf = |term: u32| index.idf(index.priced_with(term, country), country) as f32;
        let scored = |(at, &term): (usize, &u32)| Scored {
            weight: if sought.ranks(at) { idf(term) } else { 0.0 },
            is_thing: sought.thing == Some(term),
            ways: index.term_held[term as usize],
        };
        Self {
            index,
            terms: terms.iter().enumerate().map(scored).collect(),
            cursors: terms.iter().map(|&term| Cursor::of(index, term, country)).collect(),
            parts: vec![[0.0; Held::ALL.len()]; terms.len()],
            most: vec![[0.0; 2]; terms.len()],
        }
    }

    /// Turns to places of a length; says what they, or longer ones, score at most.
    ///
    /// Exact to the bit: rounding keeps the order of sums, products and quotients, so that no longer place and none with
    /// weaker ways to hold terms scores more.
    pub(super) fn turn_to(&mut self, length: u32) -> f32 {
        let [of_others, of_things] = [false, true].map(|is_thing| self.index.gains(length, is_thing));
        for ((parts, most), of) in self.parts.iter_mut().zip(&mut self.most).zip(&self.terms) {
            let gains = if of.is_thing { of_things } else { of_others };
            *parts = gains.map(|gain| of.weight * gain);
            *most = [false, true].map(|is_thing| {
                let ways = Held::among(of.ways).filter(|held| held.is_thing() == is_thing);
                ways.map(|held| parts[held as usize]).fold(0.0, f32::max)
            });
        }
        self.most(|_| Known::Nothing)
    }

    /// What places of this length score at most of which so much is known.
    pub(super) fn most(&self, known: impl Fn(usize) -> Known) -> f32 {
        let most = |at| match known(at) {
            Known::Nothing => self.most_at(at),
            Known::Thing(is_thing) => self.most[at][usize::from(is_thing)],
            Known::Held(held) => self.part(at, held),
        };
        sum((0..self.most.len()).map(most))
    }

    /// What a place of this length scores at most that holds no other terms than these; it stays so, whatever rounding does,
    /// when what the place does not add is taken off term by term.
    pub(super) fn most_of(&self, terms: &[usize]) -> f32 {
        let all = sum(terms.iter().map(|&at| self.most_at(at)));
        all * (1.0 + LAST_DIGITS_PER_TERM * terms.len() as f32 * f32::EPSILON)
    }

    /// What one of the terms adds at most to a place of this length.
    pub(super) fn most_at(&self, at: usize) -> f32 {
        let [other, thing] = self.most[at];
        other.max(thing)
    }

    /// The places that are the thing which a term names, of terms that have a set of them.
    pub(super) fn things(&self) -> impl Iterator<Item = (usize, Things<'a>)> {
        self.cursors.iter().enumerate().filter_map(|(at, cursor)| Some((at, cursor.set()?.things?)))
    }

    /// What a place of this length adds that holds one of the terms so.
    pub(super) fn part(&self, at: usize, held: Held) -> f32 {
        self.parts[at][held as usize]
    }

    /// Whether one of the terms has a set.
    pub(super) fn has_set(&self, at: usize) -> bool {
        self.cursors[at].set().is_some()
    }

    /// What a place of this length adds at most by one of the terms, as one look tells; `None` where it does not hold it.
    pub(super) fn at_most(&mut self, at: usize, place: u32) -> Option<f32> {
        match self.cursors[at].set() {
            Some(set) => set.has(place).then(|| self.most[at][usize::from(set.is_thing(place))]),
            None => self.cursors[at].held(place).map(|held| self.part(at, held)),
        }
    }

    /// Whether a place holds one of the terms.
    pub(super) fn has(&mut self, at: usize, place: u32) -> bool {
        self.cursors[at].has(place)
    }

    /// The score of a place of this length, summed in the order of the query so that it has one value.
    pub(super) fn score(&mut self, place: u32) -> f32 {
        let Self { cursors, parts, .. } = self;
        let part = |(cursor, parts): (&mut Cursor<'_>, &[f32; _])| Some(parts[cursor.held(place)? as usize]);
        sum(cursors.iter_mut().zip(parts.iter()).filter_map(part))
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

/// The sum of parts in their order: 0.0 of none, where the sum of an iterator is -0.0, whose bits are no small score.
pub(super) fn sum(parts: impl Iterator<Item = f32>) -> f32 {
    parts.fold(0.0, |sum, part| sum + part)
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
        assert_eq!(sum([].into_iter()).to_bits(), 0);
        assert_eq!(sum([0.0, 0.5].into_iter()).to_bits(), 0.5_f32.to_bits());
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
