//! The terms that weigh most of those that one listing holds together.
//!
//! A few terms have few parts, which are asked for, the heaviest first. The postings of more are walked side by side, some
//! thousand places at a time, and what a place holds is added up: an addition for a posting, where asking would be a search
//! for each posting and term. Where only some places may be accepted, a frequent term is added to those of its set that are
//! among them. Of terms most of which were looked at before, only the places of the others are looked at.

use std::cmp::Reverse;

use super::holders::{Cursor, PlaceSet, has};
use super::visit::places;
use super::{Places, TextIndex, Wanted};
use crate::domain::Country;
use crate::snapshot::layout::set::PlaceLine;
use crate::snapshot::layout::{posting, set};

/// Terms among which the heaviest that are held together are looked for.
pub const HEAVIEST_TERMS_MAX: usize = 16;
/// Terms of which all parts are asked for.
const FEW_TERMS_MAX: usize = 8;
/// What it costs to ask a place for one of many terms, as additions.
const QUESTION_COST: usize = 2;
/// What it costs to gather the place of a posting, as additions.
const GATHERING_COST: usize = 16;
/// Places that are added up at a time.
const PLACES_AT_A_TIME: u32 = 2_048;
/// Lines of sets that say of these whether they hold a term.
const LINES_AT_A_TIME: usize = (PLACES_AT_A_TIME / set::PLACES) as usize;

/// A term and its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighed {
    /// The term.
    pub term: u32,
    /// Its weight, less than 2^39.
    pub weight: u64,
}

/// The heaviest of some terms that are held together.
#[derive(Debug, Clone)]
pub struct Heaviest {
    of: Vec<Weighed>,
    /// Of each of the first terms (at most [`HEAVIEST_TERMS_MAX`]) whether it is one of them.
    pub held: Vec<bool>,
}

/// Some of the terms in one number, the better the greater: their weight, how many, and which, the first of all in the
/// highest bit. That of several is the sum of theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Heavy(u64);

impl Heavy {
    const COUNT_BITS: u32 = HEAVIEST_TERMS_MAX.ilog2() + 1;

    /// The term at a place among them.
    const fn of(at: usize, weight: u64) -> Self {
        Self((weight << Self::COUNT_BITS | 1) << HEAVIEST_TERMS_MAX | Self::bit(at))
    }

    const fn bit(at: usize) -> u64 {
        1 << (HEAVIEST_TERMS_MAX - 1 - at)
    }

    const fn has(self, at: usize) -> bool {
        self.0 & Self::bit(at) != 0
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    const fn has_all(self, other: Self) -> bool {
        let which = other.0 & (Self::bit(0) * 2 - 1);
        self.0 & which == which
    }
}

impl Heaviest {
    fn has(&self, term: Weighed) -> bool {
        self.of.iter().zip(&self.held).any(|(of, held)| *held && *of == term)
    }

    /// The terms among others without one of which nothing holds more than these; `None` where these are not among them, or
    /// what both were found of stands in another order.
    fn new_among(&self, terms: &[Weighed]) -> Option<Vec<Weighed>> {
        let are_among = self.of.iter().filter(|of| self.has(**of)).all(|of| terms.contains(of));
        let (old, new): (Vec<Weighed>, Vec<Weighed>) =
            terms.iter().copied().partition(|of| self.of.contains(of));
        let is_in_order = self.of.iter().filter(|of| terms.contains(of)).eq(&old);
        (are_among && is_in_order).then_some(new)
    }
}

impl TextIndex {
    /// Which of the first terms (at most [`HEAVIEST_TERMS_MAX`]) some priced listing that is accepted holds together and
    /// that weigh most; of equal weight more terms, then earlier ones. Those of other terms, found before for the same that
    /// is wanted, may save work.
    pub fn heaviest(
        &self,
        terms: &[Weighed],
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
        before: Option<&Heaviest>,
    ) -> Heaviest {
        let terms = &terms[..terms.len().min(HEAVIEST_TERMS_MAX)];
        let heavy = |at: usize| Heavy::of(at, terms[at].weight);
        let mut heaviest_first: Vec<(Heavy, u32)> =
            (0..terms.len()).map(|at| (heavy(at), terms[at].term)).collect();
        heaviest_first.sort_unstable_by_key(|of| Reverse(*of));
        let postings = |of: &[Weighed]| self.postings_of(of.iter().map(|of| of.term), wanted.country);
        let new = before.and_then(|before| Some((before, before.new_among(terms)?)));
        let best = match new.filter(|(_, new)| postings(new) * GATHERING_COST < postings(terms)) {
            Some((before, new)) => {
                let places = self.places_of(&new, wanted);
                let Wanted { country, limit, ref accept, .. } = *wanted;
                let among = Some(Places { listed: &places, set: None });
                let wanted = Wanted { country, limit, among, accept };
                let found = (0..terms.len()).filter(|&at| before.has(terms[at]));
                self.greatest(&heaviest_first, &wanted)
                    .max(found.map(heavy).fold(Heavy::default(), Heavy::and))
            }
            None => self.greatest(&heaviest_first, wanted),
        };
        Heaviest { of: terms.to_vec(), held: (0..terms.len()).map(|at| best.has(at)).collect() }
    }

    /// How many postings some terms have of a country's priced listings.
    fn postings_of(&self, terms: impl Iterator<Item = u32>, country: Country) -> usize {
        terms.map(|term| self.priced_with(term, country) as usize).sum()
    }

    /// The accepted places of priced listings that hold any of some terms, ascending.
    fn places_of(&self, terms: &[Weighed], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Vec<u32> {
        let postings = terms.iter().flat_map(|of| self.priced_postings(of.term, wanted.country));
        let places = postings.map(|of| posting::place(*of));
        let mut places: Vec<u32> =
            places.filter(|&place| (wanted.accept)(self.place_row[place as usize])).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The greatest of what accepted places hold, the heaviest term coming first.
    fn greatest(&self, terms: &[(Heavy, u32)], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Heavy {
        let postings = self.postings_of(terms.iter().map(|&(_, term)| term), wanted.country);
        let is_few = terms.len() <= FEW_TERMS_MAX;
        let question = if is_few { 1 } else { QUESTION_COST };
        match wanted.among {
            Some(Places { listed, .. }) if listed.len() * terms.len() * question < postings => {
                self.one_by_one(listed, terms, wanted)
            }
            _ if is_few => self.of_few(terms, wanted),
            _ => self.side_by_side(terms, wanted),
        }
    }

    /// The greatest of what some places hold.
    fn one_by_one(
        &self,
        places: &[u32],
        terms: &[(Heavy, u32)],
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Heavy {
        let mut cursors: Vec<Cursor<'_>> =
            terms.iter().map(|&(_, term)| Cursor::of(self, term, wanted.country)).collect();
        let all = terms.iter().fold(Heavy::default(), |all, &(heavy, _)| all.and(heavy));
        let mut best = Heavy::default();
        for &place in places {
            let mut held = all;
            for (cursor, &(heavy, _)) in cursors.iter_mut().zip(terms) {
                if held <= best {
                    break;
                }
                if !cursor.has(place) {
                    held = held.without(heavy);
                }
            }
            if held > best && (wanted.accept)(self.place_row[place as usize]) {
                best = held;
            }
        }
        best
    }

    /// The first part of the terms that is held together, the heaviest coming first; those with a pair that is not are passed
    /// over.
    fn of_few(&self, terms: &[(Heavy, u32)], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Heavy {
        let is_held = |part: Heavy| {
            let held = terms.iter().filter(|&&(heavy, _)| part.has_all(heavy));
            self.any(&held.map(|&(_, term)| term).collect::<Vec<u32>>(), wanted)
        };
        let mut apart = Vec::new();
        for (at, (first, _)) in terms.iter().enumerate() {
            let pairs = terms[at + 1..].iter().map(|(second, _)| first.and(*second));
            apart.extend(pairs.filter(|pair| !is_held(*pair)));
        }
        let mut parts = vec![Heavy::default()];
        for &(heavy, _) in terms {
            let with: Vec<Heavy> = parts.iter().map(|part| part.and(heavy)).collect();
            parts.extend(with.into_iter().filter(|part| !apart.iter().any(|pair| part.has_all(*pair))));
        }
        parts.sort_unstable_by_key(|part| Reverse(*part));
        parts.into_iter().find(|part| is_held(*part)).unwrap_or_default()
    }

    /// The greatest of what places hold, added up for many of them at a time.
    fn side_by_side(&self, terms: &[(Heavy, u32)], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Heavy {
        let mut terms: Vec<Added<'_>> = terms
            .iter()
            .map(|&(heavy, term)| Added {
                heavy,
                left: self.priced_postings(term, wanted.country),
                set: self.sets.get(term),
            })
            .collect();
        let is_accepted = |place: u32| (wanted.accept)(self.place_row[place as usize]);
        match wanted.among {
            Some(among) => {
                greatest_of_some(&mut terms, among.listed, &among.lines(self.place_row.len()), is_accepted)
            }
            None => greatest_of_all(&mut terms, is_accepted),
        }
    }
}

/// A term that is added to what places hold.
struct Added<'a> {
    heavy: Heavy,
    /// Its postings of places that are still to come.
    left: &'a [u32],
    set: Option<PlaceSet<'a>>,
}

/// What each place of a part holds of the terms that were added.
type Sums = [Heavy; PLACES_AT_A_TIME as usize];

/// The greatest of what accepted places hold.
fn greatest_of_all(terms: &mut [Added<'_>], is_accepted: impl Fn(u32) -> bool) -> Heavy {
    let mut best = Heavy::default();
    while let Some(first) = terms.iter().filter_map(|of| of.left.first()).min() {
        let part = posting::place(*first) / PLACES_AT_A_TIME;
        let mut held = [Heavy::default(); _];
        let most = terms.iter_mut().map(|of| of.add(&mut held, part)).max();
        if most > Some(best) {
            for (place, held) in (part * PLACES_AT_A_TIME..).zip(held) {
                if held > best && is_accepted(place) {
                    best = held;
                }
            }
        }
    }
    best
}

/// The greatest of what those of some places hold that are accepted; `lines` say which are among them.
fn greatest_of_some(
    terms: &mut [Added<'_>],
    places: &[u32],
    lines: &[PlaceLine],
    is_accepted: impl Fn(u32) -> bool,
) -> Heavy {
    let mut best = Heavy::default();
    let mut held = [Heavy::default(); _];
    for places in places.chunk_by(|a, b| a / PLACES_AT_A_TIME == b / PLACES_AT_A_TIME) {
        let part = places[0] / PLACES_AT_A_TIME;
        for place in places {
            held[(place % PLACES_AT_A_TIME) as usize] = Heavy::default();
        }
        let most = terms.iter_mut().map(|of| of.add_to_some(lines, &mut held, part)).max();
        if most > Some(best) {
            for &place in places {
                let held = held[(place % PLACES_AT_A_TIME) as usize];
                if held > best && is_accepted(place) {
                    best = held;
                }
            }
        }
    }
    best
}

impl Added<'_> {
    /// Adds the term to what the places of a part hold; gives the most that any of those to which it was added holds now.
    fn add(&mut self, held: &mut Sums, part: u32) -> Heavy {
        let (mut most, mut count) = (Heavy::default(), 0);
        for place in self.left.iter().map(|of| posting::place(*of)) {
            if place / PLACES_AT_A_TIME != part {
                break;
            }
            most = most.max(self.add_at(held, place));
            count += 1;
        }
        self.left = &self.left[count..];
        most
    }

    /// The same for some places, which are few: of a set only theirs are seen.
    fn add_to_some(&mut self, some: &[PlaceLine], held: &mut Sums, part: u32) -> Heavy {
        let mut most = Heavy::default();
        if let Some(set) = self.set {
            let first = part as usize * LINES_AT_A_TIME;
            let both = set.lines[first..].iter().zip(&some[first..]).take(LINES_AT_A_TIME);
            for (line, (holding, some)) in (first as u32..).zip(both) {
                for place in places(line, &set::both(holding, some)) {
                    most = most.max(self.add_at(held, place));
                }
            }
            return most;
        }
        let mut count = 0;
        for place in self.left.iter().map(|of| posting::place(*of)) {
            if place / PLACES_AT_A_TIME > part {
                break;
            }
            if place / PLACES_AT_A_TIME == part && has(some, place) {
                most = most.max(self.add_at(held, place));
            }
            count += 1;
        }
        self.left = &self.left[count..];
        most
    }

    fn add_at(&self, held: &mut Sums, place: u32) -> Heavy {
        let held = &mut held[(place % PLACES_AT_A_TIME) as usize];
        *held = held.and(self.heavy);
        *held
    }
}
