//! The listings that hold a part of some terms: at least half of them, or those that weigh most together.
//!
//! Both walk the places of one term after the other, rarest or heaviest first, and pass over places whose bits tell that
//! they hold too little to matter.

use std::cmp::Reverse;

use super::score::Scored;
use super::top::Top;
use super::{Matches, TextIndex, Wanted};
use crate::domain::Country;
use crate::snapshot::layout::{held_term, posting};

/// Terms among which the heaviest that are held together are looked for.
pub const HEAVIEST_TERMS_MAX: usize = 16;
/// Priced listings that may hold a term by which half-matches are found, at least.
const RARE_LISTINGS_MIN: u32 = 1_000;
/// The same as a part of the country's priced listings.
const RARE_ONE_IN: u32 = 100;

/// A term and its weight.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// The term.
    pub term: u32,
    /// Its weight.
    pub weight: u64,
}

/// Terms that a place holds: their weight, how many, and which, the first of all in the highest bit.
type Heavy = (u64, u32, u16);

impl TextIndex {
    /// The best priced listings that hold at least `least` of the terms, by all of them, one of these being rare, but not
    /// all of `needed`.
    pub fn search_some(
        &self,
        terms: &[u32],
        least: usize,
        needed: &[u32],
        wanted: &Wanted<impl Fn(u32) -> bool>,
    ) -> Matches {
        let country = wanted.country;
        let scored = self.scored(terms, country);
        let rare_max = RARE_LISTINGS_MIN.max(self.priced_count(country) / RARE_ONE_IN);
        let mut rare: Vec<u32> = terms.to_vec();
        rare.retain(|&term| self.priced_with(term, country) <= rare_max);
        rare.sort_by_key(|&term| (self.priced_with(term, country), term));
        let mut enough = Enough { index: self, scored, least, needed, top: Top::new(wanted.limit) };
        for (at, &term) in rare.iter().enumerate() {
            self.each_place(term, country, |place, posting| {
                if posting.is_some_and(|posting| !enough.may_matter(posting, place)) {
                    return;
                }
                let own = self.terms_at(place);
                let holds = |&term: &u32| self.held(place, own, term).is_some();
                if !rare[..at].iter().any(holds) && (wanted.accept)(self.place_row[place as usize]) {
                    enough.take(place, own);
                }
            });
        }
        self.matches(enough.top)
    }

    /// Which of the first terms (at most [`HEAVIEST_TERMS_MAX`]) some priced listing that is accepted holds together and
    /// that weigh most; of equal weight more terms, then earlier ones.
    pub fn heaviest(&self, terms: &[Weighed], wanted: &Wanted<impl Fn(u32) -> bool>) -> Vec<bool> {
        let terms = &terms[..terms.len().min(HEAVIEST_TERMS_MAX)];
        let bit = |at: usize| 1_u16 << (u16::BITS as usize - 1 - at);
        let mut order: Vec<usize> = (0..terms.len()).collect();
        order.sort_by_key(|&at| {
            (Reverse(terms[at].weight), self.priced_with(terms[at].term, wanted.country), at)
        });
        let mut best: Heavy = (0, 0, 0);
        for (nth, &at) in order.iter().enumerate() {
            let left = &order[nth..];
            let most = left.iter().map(|&at| terms[at].weight).sum::<u64>();
            if (most, left.len() as u32, u16::MAX) <= best {
                break;
            }
            self.each_place(terms[at].term, wanted.country, |place, posting| {
                let sum = |is_held: &dyn Fn(&Weighed) -> bool| {
                    let held = terms.iter().enumerate().filter(|(_, of)| is_held(of));
                    held.fold((0, 0, 0), |(weight, count, which), (at, of)| {
                        (weight + of.weight, count + 1, which | bit(at))
                    })
                };
                let may_hold =
                    |of: &Weighed| posting.is_none_or(|posting| posting::has(posting, posting::bit(of.term)));
                if sum(&may_hold) <= best || !(wanted.accept)(self.place_row[place as usize]) {
                    return;
                }
                let own = self.terms_at(place);
                best = best.max(sum(&|of| self.held(place, own, of.term).is_some()));
            });
        }
        (0..terms.len()).map(|at| best.2 & bit(at) != 0).collect()
    }

    /// Visits the priced places of a country that hold a term, with their postings if name or brand has it.
    fn each_place(&self, term: u32, country: Country, mut visit: impl FnMut(u32, Option<u64>)) {
        for &posting in self.priced_postings(term, country) {
            visit(posting::place(posting), Some(posting));
        }
        let priced = &self.priced[country.as_u8() as usize];
        for row in self.categories.rows(term, country).cloned().flatten() {
            let place = self.row_place[row as usize];
            let is_named = || self.terms_at(place).iter().any(|&of| held_term::term(of) == term);
            if priced.contains(&place) && !is_named() {
                visit(place, None);
            }
        }
    }
}

/// Keeps the best that hold enough.
struct Enough<'a> {
    index: &'a TextIndex,
    scored: Vec<Scored>,
    least: usize,
    needed: &'a [u32],
    top: Top,
}

impl Enough<'_> {
    /// Whether a place may hold enough, and score enough.
    fn may_matter(&self, posting: u64, place: u32) -> bool {
        let length = self.index.length(posting::terms(posting).into());
        let may_hold = self.scored.iter().filter(|of| posting::has(posting, posting::bit(of.term)));
        let (count, most) = may_hold.fold((0, 0.0), |(count, most), of| (count + 1, most + of.most(length)));
        count >= self.least && self.top.may_take(most, place)
    }

    fn take(&mut self, place: u32, own: &[u32]) {
        let is_held = |term: u32| self.index.held(place, own, term).is_some();
        let count = self.scored.iter().filter(|of| is_held(of.term)).count();
        if count >= self.least && !self.needed.iter().all(|&term| is_held(term)) {
            self.top.push(self.index.score(&self.scored, place, own), place);
        }
    }
}
