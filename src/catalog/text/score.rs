//! What a match is worth.
//!
//! The score of a listing is a sum over the distinct terms of the query of `idf × gain`: how rare the term is among the
//! priced listings of the country, times what it is worth as this listing holds it. In name and brand that is BM25's
//! saturation by length without its counting of repetitions: `f / (f + length)`, `f` being 1, or [`ASIDE`] for what
//! follows "for", "with" and the like. A word that only the category has is worth a constant. A listing that is the thing
//! that a term names has [`THING`] more for it.

use super::TextIndex;
use crate::domain::Country;
use crate::snapshot::layout::Held;

/// BM25's k1: how much the number of terms beside a match takes from it.
const K1: f32 = 1.2;
/// BM25's b: how much of that depends on the number.
const B: f32 = 0.75;
/// Weight in its name of a term that speaks of something else.
const ASIDE: f32 = 0.4;
/// Worth of a word that only the last segment of the category has.
const CATEGORY: f32 = 0.3;
/// Worth of a word that only a segment above has.
const ABOVE: f32 = 0.1;
/// What it is worth to be the thing that a term names.
const THING: f32 = 0.25;
/// Lengths up to this one count as they are.
const EXACT_LENGTH_MAX: u32 = 24;

/// A term of a query with what scoring needs of it.
pub(super) struct Scored {
    pub(super) term: u32,
    weight: f32,
    /// In which ways anything holds it.
    held: u8,
}

/// The length part of the saturation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length(f32);

impl Scored {
    /// What a place that holds the term so adds.
    pub(super) fn part(&self, held: Held, length: Length) -> f32 {
        self.weight * gain(held, length)
    }

    /// What a place of this length adds at most.
    pub(super) fn most(&self, length: Length) -> f32 {
        self.ways().map(|held| self.part(held, length)).fold(0.0, f32::max)
    }

    /// The ways in which anything holds the term.
    pub(super) fn ways(&self) -> impl Iterator<Item = Held> {
        let ways = self.held;
        Held::ALL.into_iter().filter(move |held| ways & 1 << *held as u8 != 0)
    }
}

fn gain(held: Held, Length(length): Length) -> f32 {
    match held {
        Held::Thing => 1.0 / (1.0 + length) + THING,
        Held::Own => 1.0 / (1.0 + length),
        Held::AsideThing => ASIDE / (ASIDE + length) + THING,
        Held::Aside => ASIDE / (ASIDE + length),
        Held::Number => 0.0,
        Held::Category => CATEGORY + THING,
        Held::Above => ABOVE,
    }
}

impl TextIndex {
    /// The terms of a query, as they are scored in a country.
    pub(super) fn scored(&self, terms: &[u32], country: Country) -> Vec<Scored> {
        let scored = |&term: &u32| Scored {
            term,
            weight: self.idf(self.priced_with(term, country), country) as f32,
            held: self.term_held[term as usize],
        };
        terms.iter().map(scored).collect()
    }

    /// Inverse document frequency of a term that so many priced listings of the country hold.
    pub fn idf(&self, with: u32, country: Country) -> f64 {
        let (with, all) = (f64::from(with), f64::from(self.priced_count(country)));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The length part of a name and brand of so many terms.
    pub(super) fn length(&self, terms: u32) -> Length {
        Length(K1 * (1.0 - B + B * counted_length(terms) as f32 / self.average))
    }

    /// The score of a place, summed in the order of the query so that it has one value.
    pub(super) fn score(&self, scored: &[Scored], place: u32, own: &[u32]) -> f32 {
        let length = self.length(own.len() as u32);
        let part = |of: &Scored| self.held(place, own, of.term).map(|held| of.part(held, length));
        sum(scored.iter().filter_map(part))
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
            let gains = [Held::Thing, Held::Own, Held::Aside, Held::Number].map(|held| gain(held, length));
            assert!(gains.is_sorted_by(|a, b| a > b), "{gains:?}");
            assert!(gain(Held::Category, length) > gain(Held::Above, length));
            assert!(gain(Held::AsideThing, length) > gain(Held::Aside, length));
        }
    }
}
