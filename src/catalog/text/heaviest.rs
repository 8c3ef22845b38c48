//! The terms that weigh most of those that one listing holds together.
//!
//! A few terms have few parts, which are asked for, the heaviest first. Of more, the places of rare ones are asked for the
//! others one by one; the postings of those that are left are walked side by side, some hundred places at a time, and what a
//! place holds is added up: an addition for a posting, where asking would be a search for each posting and term.

use std::cmp::Reverse;

use super::holders::Cursor;
use super::{TextIndex, Wanted};
use crate::domain::Country;
use crate::snapshot::layout::posting;

/// Terms among which the heaviest that are held together are looked for.
pub const HEAVIEST_TERMS_MAX: usize = 16;
/// Terms of which all parts are asked for.
const FEW_TERMS_MAX: usize = 8;
/// Postings that are added up in the time that a place is asked for a term.
const ADDED_PER_ASKED: usize = 4;
/// Places that are added up at a time.
const PLACES_AT_A_TIME: usize = 512;

/// A term and its weight.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// The term.
    pub term: u32,
    /// Its weight, less than 2^39.
    pub weight: u64,
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

/// A term before its places.
struct Walked<'a> {
    heavy: Heavy,
    cursor: Cursor<'a>,
    postings: &'a [u32],
}

impl TextIndex {
    /// Which of the first terms (at most [`HEAVIEST_TERMS_MAX`]) some priced listing that is accepted holds together and
    /// that weigh most; of equal weight more terms, then earlier ones.
    pub fn heaviest(&self, terms: &[Weighed], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Vec<bool> {
        let terms = &terms[..terms.len().min(HEAVIEST_TERMS_MAX)];
        let postings = || terms.iter().map(|of| self.priced_with(of.term, wanted.country) as usize).sum();
        // Places are asked for each term, and postings walked.
        let best = match wanted.among {
            Some(places) if places.len() * terms.len() < postings() => {
                let places = places.iter().copied();
                let terms = self.walked(terms, wanted.country);
                self.one_by_one(places, Heavy::default(), &terms, Heavy::default(), wanted)
            }
            _ if terms.len() <= FEW_TERMS_MAX => self.of_few(terms, wanted),
            _ => self.of_many(terms, wanted),
        };
        (0..terms.len()).map(|at| best.has(at)).collect()
    }

    /// The first part of the terms that is held together, the heaviest coming first; those with a pair that is not are passed
    /// over.
    fn of_few(&self, terms: &[Weighed], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Heavy {
        let is_held = |part: Heavy| {
            let held = terms.iter().enumerate().filter(|(at, _)| part.has(*at));
            self.any(&held.map(|(_, of)| of.term).collect::<Vec<u32>>(), wanted)
        };
        let each: Vec<Heavy> = terms.iter().enumerate().map(|(at, of)| Heavy::of(at, of.weight)).collect();
        let mut apart = Vec::new();
        for (at, first) in each.iter().enumerate() {
            let pairs = each[at + 1..].iter().map(|second| first.and(*second));
            apart.extend(pairs.filter(|pair| !is_held(*pair)));
        }
        let mut parts = vec![Heavy::default()];
        for of in each {
            let with: Vec<Heavy> = parts.iter().map(|part| part.and(of)).collect();
            parts.extend(with.into_iter().filter(|part| !apart.iter().any(|pair| part.has_all(*pair))));
        }
        parts.sort_unstable_by_key(|part| Reverse(*part));
        parts.into_iter().find(|part| is_held(*part)).unwrap_or_default()
    }

    /// The greatest of what places hold.
    fn of_many(&self, terms: &[Weighed], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Heavy {
        let mut terms = self.walked(terms, wanted.country);
        let (mut left, mut best) = (terms.as_mut_slice(), Heavy::default());
        // What holds a heavier one was asked for all the others.
        while !left.is_empty() && all(left) > best {
            let postings: usize = left.iter().map(|of| of.postings.len()).sum();
            if left[0].postings.len() * asked(left, best) * ADDED_PER_ASKED > postings {
                return self.side_by_side(left, best, wanted);
            }
            let places = left[0].postings.iter().map(|&of| posting::place(of));
            best = self.one_by_one(places, left[0].heavy, &left[1..], best, wanted);
            left = &mut left[1..];
        }
        best
    }

    /// Terms before their places, the heaviest first.
    fn walked(&self, terms: &[Weighed], country: Country) -> Vec<Walked<'_>> {
        let walked = |(at, of): (usize, &Weighed)| Walked {
            heavy: Heavy::of(at, of.weight),
            cursor: Cursor::of(self, of.term, country),
            postings: self.priced_postings(of.term, country),
        };
        let mut walked: Vec<Walked<'_>> = terms.iter().enumerate().map(walked).collect();
        walked.sort_unstable_by_key(|of| Reverse(of.heavy));
        walked
    }

    /// The greatest of what some places hold, if it is more than the best: what all of them do, and others for which they are
    /// asked.
    fn one_by_one(
        &self,
        places: impl Iterator<Item = u32>,
        held_by_all: Heavy,
        others: &[Walked<'_>],
        mut best: Heavy,
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Heavy {
        let mut cursors: Vec<Cursor<'_>> = others.iter().map(|of| of.cursor.clone()).collect();
        let most = held_by_all.and(all(others));
        for place in places {
            let mut held = most;
            for (cursor, of) in cursors.iter_mut().zip(others) {
                if held <= best {
                    break;
                }
                if !cursor.has(place) {
                    held = held.without(of.heavy);
                }
            }
            if held > best && (wanted.accept)(self.place_row[place as usize]) {
                best = held;
            }
        }
        best
    }

    /// The greatest of what places hold, if it is more than the best.
    fn side_by_side(
        &self,
        terms: &mut [Walked<'_>],
        mut best: Heavy,
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Heavy {
        let mut held = [Heavy::default(); PLACES_AT_A_TIME];
        while let Some(first) = terms.iter().filter_map(|of| of.postings.first()).min() {
            let from = posting::place(*first);
            let most = terms.iter_mut().map(|of| of.add_to(&mut held, from)).max();
            if most > Some(best) {
                for (place, &held) in (from..).zip(&held) {
                    if held > best && (wanted.accept)(self.place_row[place as usize]) {
                        best = held;
                    }
                }
            }
            held.fill(Heavy::default());
        }
        best
    }
}

/// All of some terms.
fn all(terms: &[Walked<'_>]) -> Heavy {
    terms.iter().fold(Heavy::default(), |all, of| all.and(of.heavy))
}

/// How many terms beside the first a place is asked for that holds none of them.
fn asked(terms: &[Walked<'_>], best: Heavy) -> usize {
    let mut held = all(terms);
    let mut others = terms[1..].iter();
    let mut count = 0;
    while held > best
        && let Some(of) = others.next()
    {
        held = held.without(of.heavy);
        count += 1;
    }
    count
}

impl Walked<'_> {
    /// Adds the term to what places hold, from one on, and leaves its postings of places further on; gives the most that one
    /// of these places holds now.
    fn add_to(&mut self, held: &mut [Heavy], from: u32) -> Heavy {
        let (mut most, mut count) = (Heavy::default(), 0);
        for &of in self.postings {
            let Some(held) = held.get_mut((posting::place(of) - from) as usize) else { break };
            *held = held.and(self.heavy);
            most = most.max(*held);
            count += 1;
        }
        self.postings = &self.postings[count..];
        most
    }
}
