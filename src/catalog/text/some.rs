//! The listings that hold a part of some terms: at least half of them, or those that weigh most together.
//!
//! Both walk the places of one term after the other, rarest or heaviest first, and pass over places whose bits tell that
//! they hold too little to matter.

use std::cmp::Reverse;

use super::score::{Scored, sum};
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
        let bits = terms.iter().map(|&term| posting::bit(term)).collect();
        let (top, most) = (Top::new(wanted.limit), Vec::new());
        let mut enough = Enough { index: self, scored, bits, least, needed, top, length: None, most };
        for (at, &term) in rare.iter().enumerate() {
            // Places that hold none of those before hold too few of those that are left.
            if terms.len() - at < least {
                break;
            }
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
                let may_hold = |of: &Weighed| {
                    posting.is_none_or(|of_place| posting::has(of_place, posting::bit(of.term)))
                };
                if heavy(terms, may_hold) <= best || !(wanted.accept)(self.place_row[place as usize]) {
                    return;
                }
                let own = self.terms_at(place);
                best = best.max(heavy(terms, |of| self.held(place, own, of.term).is_some()));
            });
        }
        (0..terms.len()).map(|at| best.2 & which(at) != 0).collect()
    }

    /// Visits the priced places of a country that hold a term, with their postings if name or brand has it.
    fn each_place(&self, term: u32, country: Country, mut visit: impl FnMut(u32, Option<u64>)) {
        for &posting in self.priced_postings(term, country) {
            visit(posting::place(posting), Some(posting));
        }
        let priced = &self.priced[country.as_u8() as usize];
        for row in self.categories.rows(term, country).flat_map(|(_, rows)| rows.clone()) {
            let place = self.row_place[row as usize];
            let is_named = || self.terms_at(place).iter().any(|&of| held_term::term(of) == term);
            if priced.contains(&place) && !is_named() {
                visit(place, None);
            }
        }
    }
}

/// The bit of one of the terms: the first of all has the highest.
const fn which(at: usize) -> u16 {
    1 << (u16::BITS as usize - 1 - at)
}

/// What those terms weigh together that are held.
fn heavy(terms: &[Weighed], is_held: impl Fn(&Weighed) -> bool) -> Heavy {
    let held = terms.iter().enumerate().filter(|(_, of)| is_held(of));
    held.fold((0, 0, 0), |(weight, count, all), (at, of)| (weight + of.weight, count + 1, all | which(at)))
}

/// Keeps the best that hold enough.
struct Enough<'a> {
    index: &'a TextIndex,
    scored: Vec<Scored>,
    /// The bit of each of these.
    bits: Vec<u64>,
    least: usize,
    needed: &'a [u32],
    top: Top,
    /// The length that the next is for.
    length: Option<u8>,
    /// What each term adds at most at this length.
    most: Vec<f32>,
}

impl Enough<'_> {
    /// Whether a place may hold enough, and score enough.
    fn may_matter(&mut self, posting: u64, place: u32) -> bool {
        if self.bits.iter().filter(|&&bit| posting::has(posting, bit)).count() < self.least {
            return false;
        }
        let terms = posting::terms(posting);
        if self.length != Some(terms) {
            let length = self.index.length(terms.into());
            self.length = Some(terms);
            self.most.clear();
            self.most.extend(self.scored.iter().map(|of| of.most(length)));
        }
        let may_hold = self.bits.iter().zip(&self.most).filter(|&(&bit, _)| posting::has(posting, bit));
        self.top.may_take(sum(may_hold.map(|(_, &most)| most)), place)
    }

    fn take(&mut self, place: u32, own: &[u32]) {
        let is_held = |term: u32| self.index.held(place, own, term).is_some();
        let count = self.scored.iter().filter(|of| is_held(of.term)).count();
        if count >= self.least && !self.needed.iter().all(|&term| is_held(term)) {
            self.top.push(self.index.score(&self.scored, place, own), place);
        }
    }
}
