//! The listings that hold a part of some terms: at least half of them, or those that weigh most together.
//!
//! Both walk the places of one term after the other, rarest or heaviest first, and leave a place, or a term with all its
//! places, when it is known to hold too little to matter.

use std::cmp::Reverse;

use super::holders::Cursor;
use super::score::Scorer;
use super::top::Top;
use super::{Matches, SoughtTerms, TextIndex, Wanted};
use crate::snapshot::layout::{posting, set};

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
    /// The best priced listings that hold at least `least` of the terms by which they are scored, one of these being rare,
    /// but not all that are needed, which are of these terms.
    pub fn search_some(
        &self,
        sought: SoughtTerms<'_>,
        least: usize,
        wanted: &Wanted<impl Fn(u32) -> bool>,
    ) -> Matches {
        let (terms, country) = (sought.scored, wanted.country);
        let mut order: Vec<usize> = (0..terms.len()).collect();
        order.sort_by_key(|&at| (self.priced_with(terms[at], country), terms[at]));
        let rare_max = RARE_LISTINGS_MIN.max(self.priced_count(country) / RARE_ONE_IN);
        let rare = order.partition_point(|&at| self.priced_with(terms[at], country) <= rare_max);
        let mut top = self.top(wanted.limit);
        let needed: Vec<usize> = (0..terms.len()).filter(|&at| sought.needed.contains(&terms[at])).collect();
        let mut seen = Seen::new(self.place_row.len());
        let before_all = Scorer::new(self, sought, country);
        let of_categories = terms.iter().filter(|&&term| self.is_held_by_categories(term)).count();
        let shortest = least.saturating_sub(of_categories) as u32;
        for nth in 0..rare {
            // What holds a rarer one was seen, or scores too little; other places may miss so many of the terms that are left.
            let Some(missed_max) = (terms.len() - nth).checked_sub(least) else { break };
            let mut scorer = before_all.clone();
            // Sets are asked first: a look into one costs least.
            let mut others = order[nth + 1..].to_vec();
            others.sort_by_key(|&at| !scorer.has_set(at));
            for (length, postings) in self.stretches_of(terms[order[nth]], country, shortest) {
                let mut places = postings
                    .iter()
                    .map(|&of| posting::place(of))
                    .filter(|&place| seen.is_new(place))
                    .peekable();
                if places.peek().is_none() {
                    continue;
                }
                scorer.turn_to(length);
                top.begin_run();
                let most = scorer.most_of(&order[nth..]);
                if !top.may_take(most) {
                    break;
                }
                for place in places {
                    if !may_matter(&mut scorer, &others, missed_max, most, &top, place) {
                        continue;
                    }
                    let score = scorer.score(place);
                    if top.may_take(score)
                        && !needed.iter().all(|&at| scorer.held(at, place).is_some())
                        && (wanted.accept)(self.place_row[place as usize])
                    {
                        top.push(score, place);
                    }
                }
            }
        }
        self.matches(top)
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
            let cursor = |&at: &usize| (at, Cursor::of(self, terms[at].term, wanted.country));
            let mut cursors: Vec<(usize, Cursor<'_>)> = order.iter().map(cursor).collect();
            for &posting in self.priced_postings(terms[at].term, wanted.country) {
                let place = posting::place(posting);
                if let Some(held) = heavier(terms, &mut cursors, place, best)
                    && (wanted.accept)(self.place_row[place as usize])
                {
                    best = held;
                }
            }
        }
        (0..terms.len()).map(|at| best.2 & which(at) != 0).collect()
    }
}

/// The places that were looked at.
struct Seen(Vec<set::PlaceLine>);

impl Seen {
    /// None of so many.
    fn new(places: usize) -> Self {
        Self(vec![[0; _]; set::lines(places)])
    }

    /// Whether a place was not seen before; now it is.
    fn is_new(&mut self, place: u32) -> bool {
        let (line, word, bit) = set::bit(place);
        let word = &mut self.0[line][word];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// The bit of one of the terms: the first of all has the highest.
const fn which(at: usize) -> u16 {
    1 << (u16::BITS as usize - 1 - at)
}

/// The terms that a place holds, if they are better than the best; the heaviest are asked for first.
fn heavier(terms: &[Weighed], cursors: &mut [(usize, Cursor<'_>)], place: u32, best: Heavy) -> Option<Heavy> {
    let mut held: Heavy = (0, 0, 0);
    let mut left: u64 = terms.iter().map(|of| of.weight).sum();
    for (at, cursor) in cursors {
        if held.0 + left < best.0 {
            return None;
        }
        let weight = terms[*at].weight;
        left -= weight;
        if cursor.has(place) {
            held = (held.0 + weight, held.1 + 1, held.2 | which(*at));
        }
    }
    (held > best).then_some(held)
}

/// Whether a place may be among the best that scores at most so much, which is if it holds all of these terms, and that may
/// miss so many of them.
fn may_matter(
    scorer: &mut Scorer<'_>,
    terms: &[usize],
    mut missed_max: usize,
    mut most: f32,
    top: &Top<'_>,
    place: u32,
) -> bool {
    terms.iter().all(|&at| {
        let part = match scorer.at_most(at, place) {
            Some(part) => part,
            None if missed_max == 0 => return false,
            None => {
                missed_max -= 1;
                0.0
            }
        };
        most -= scorer.most_at(at) - part;
        top.may_take(most)
    })
}
