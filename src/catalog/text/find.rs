//! The listings that hold all of some terms.
//!
//! A search walks the postings of its rarest term, the shortest listings first, until none that follows can matter. It
//! passes over those that tell of themselves that they lack a term, asks the bit sets of frequent terms, and looks at the
//! terms of the places that are left. Listings that hold the rarest term by their category alone have no posting: they
//! are walked by the rows of these categories, unless none of them can matter.

use std::ops::ControlFlow;

use super::bits::PlaceSet;
use super::score::{Scored, sum};
use super::top::Top;
use super::{Hit, Matches, TextIndex, Wanted};
use crate::domain::Country;
use crate::snapshot::layout::{Held, held_term, posting};

/// Postings that are thinned out at a time, so that they stay in the first cache.
const POSTINGS_AT_A_TIME: usize = 512;

/// What is made of the places that hold all terms.
trait Visitor {
    /// Whether any place may matter of those that have this many terms or more and hold the rarest one in their name or
    /// brand.
    fn may_any_matter(&mut self, _terms: u8) -> bool {
        true
    }
    /// Whether any place may matter that holds the rarest term so, by its category alone.
    fn may_any_matter_by_category(&mut self, _held: Held) -> bool {
        true
    }
    /// Whether a place may matter that holds the rarest term so.
    fn may_matter(&self, _held: Held, _place: u32) -> bool {
        true
    }
    /// Takes a place that holds all terms.
    fn take(&mut self, place: u32, own: &[u32]) -> ControlFlow<()>;
}

/// Terms that a place must hold beside the rarest one.
struct Others<'a> {
    bits: u64,
    sets: Vec<&'a PlaceSet>,
    looked_at: Vec<u32>,
}

impl TextIndex {
    /// The best priced listings that hold all terms of `needed`, by the terms of `scored`, all of them distinct.
    pub fn search(&self, needed: &[u32], scored: &[u32], wanted: &Wanted<impl Fn(u32) -> bool>) -> Matches {
        let Some(rarest) = self.rarest(needed, wanted.country) else {
            return Matches { hits: Vec::new(), all: true };
        };
        let rarest_at = scored.iter().position(|&term| term == rarest);
        let scored = self.scored(scored, wanted.country);
        let (top, bounds, most) = (Top::new(wanted.limit), [0.0; Held::ALL.len()], Vec::new());
        let mut best = Best { index: self, scored, rarest_at, accept: &wanted.accept, top, bounds, most };
        self.walk(needed, wanted.country, &mut best);
        self.matches(best.top)
    }

    /// Whether any priced listing that is accepted holds all of the terms.
    pub fn any(&self, needed: &[u32], wanted: &Wanted<impl Fn(u32) -> bool>) -> bool {
        let mut any = Any { index: self, accept: &wanted.accept, found: false };
        self.walk(needed, wanted.country, &mut any);
        any.found
    }

    /// How many priced listings of the country hold all of the terms.
    pub fn count(&self, needed: &[u32], country: Country) -> u32 {
        let mut count = Count(0);
        self.walk(needed, country, &mut count);
        count.0
    }

    /// The best of places, as listings.
    pub(super) fn matches(&self, top: Top) -> Matches {
        let all = top.is_all();
        let hit = |(score, place): (f32, u32)| Hit { row: self.place_row[place as usize], score };
        Matches { hits: top.into_ranked().map(hit).collect(), all }
    }

    /// The term that fewest priced listings of the country hold.
    fn rarest(&self, terms: &[u32], country: Country) -> Option<u32> {
        terms.iter().copied().min_by_key(|&term| (self.priced_with(term, country), term))
    }

    /// Visits the priced places of a country that hold all of the terms.
    fn walk(&self, needed: &[u32], country: Country, visitor: &mut impl Visitor) {
        let Some(rarest) = self.rarest(needed, country) else { return };
        let others = self.others(needed, rarest);
        if self.walk_named(rarest, &others, country, visitor).is_continue() && self.categories.any(rarest) {
            let _ = self.walk_by_category(rarest, &others, country, visitor);
        }
    }

    fn others(&self, needed: &[u32], rarest: u32) -> Others<'_> {
        let others: Vec<u32> = needed.iter().copied().filter(|&term| term != rarest).collect();
        let bits = posting::bits(others.iter().copied());
        let (sets, looked_at): (Vec<_>, Vec<_>) = others
            .into_iter()
            .map(|term| (self.frequent.get(term), term))
            .partition(|(set, _)| set.is_some());
        Others {
            bits,
            sets: sets.into_iter().filter_map(|(set, _)| set).collect(),
            looked_at: looked_at.into_iter().map(|(_, term)| term).collect(),
        }
    }

    /// Places that hold the rarest term in name or brand.
    fn walk_named(
        &self,
        rarest: u32,
        others: &Others<'_>,
        country: Country,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let mut room = [0; POSTINGS_AT_A_TIME];
        let mut length = None;
        for postings in self.priced_postings(rarest, country).chunks(POSTINGS_AT_A_TIME) {
            for &posting in thinned(postings, others.bits, &mut room) {
                let (place, terms) = (posting::place(posting), posting::terms(posting));
                if length != Some(terms) {
                    length = Some(terms);
                    // Those that follow are no shorter.
                    if !visitor.may_any_matter(terms) {
                        return ControlFlow::Continue(());
                    }
                }
                if visitor.may_matter(posting::held(posting), place) {
                    let own = self.terms_at(place);
                    if self.holds(place, own, others) {
                        visitor.take(place, own)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Places that hold the rarest term by their category and not in name or brand: those of its last segment first.
    fn walk_by_category(
        &self,
        rarest: u32,
        others: &Others<'_>,
        country: Country,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let priced = &self.priced[country.as_u8() as usize];
        for held in [Held::Category, Held::Above] {
            if !visitor.may_any_matter_by_category(held) {
                continue;
            }
            let rows = self.categories.rows(rarest, country).filter(|(how, _)| *how == held);
            for row in rows.flat_map(|(_, rows)| rows.clone()) {
                let place = self.row_place[row as usize];
                if priced.contains(&place)
                    && visitor.may_matter(held, place)
                    && others.sets.iter().all(|set| set.has(place))
                {
                    let own = self.terms_at(place);
                    let is_named = own.iter().any(|&of| held_term::term(of) == rarest);
                    if !is_named && self.holds(place, own, others) {
                        visitor.take(place, own)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn holds(&self, place: u32, own: &[u32], others: &Others<'_>) -> bool {
        others.sets.iter().all(|set| set.has(place))
            && others.looked_at.iter().all(|&term| self.held(place, own, term).is_some())
    }
}

/// Keeps the best.
struct Best<'a, F> {
    index: &'a TextIndex,
    scored: Vec<Scored>,
    /// Where the rarest term stands among those that are scored.
    rarest_at: Option<usize>,
    accept: &'a F,
    top: Top,
    /// What the places that come next score at most, by how they hold the rarest term.
    bounds: [f32; Held::ALL.len()],
    /// Room for what each term adds at most.
    most: Vec<f32>,
}

impl<F> Best<'_, F> {
    /// What places with so many terms score at most, by how they hold the rarest one; returns the most of these.
    ///
    /// Exact to the bit: rounding keeps the order of sums, products and quotients, so that no place with more terms or
    /// weaker ways to hold them scores more.
    fn set_bounds(&mut self, terms: u32, by_category: bool) -> f32 {
        let length = self.index.length(terms);
        self.most.clear();
        self.most.extend(self.scored.iter().map(|of| of.most(length)));
        let Some(rarest) = self.rarest_at else {
            let most = sum(self.most.iter().copied());
            self.bounds = [most; Held::ALL.len()];
            return most;
        };
        let mut all = 0.0_f32;
        for held in self.scored[rarest].ways().filter(|held| held.is_by_category() == by_category) {
            self.most[rarest] = self.scored[rarest].part(held, length);
            let most = sum(self.most.iter().copied());
            self.bounds[held as usize] = most;
            all = all.max(most);
        }
        all
    }
}

impl<F: Fn(u32) -> bool> Visitor for Best<'_, F> {
    fn may_any_matter(&mut self, terms: u8) -> bool {
        let most = self.set_bounds(terms.into(), false);
        self.top.may_take(most, 0)
    }

    fn may_any_matter_by_category(&mut self, held: Held) -> bool {
        // Names may have no term at all.
        self.set_bounds(0, true);
        self.top.may_take(self.bounds[held as usize], 0)
    }

    fn may_matter(&self, held: Held, place: u32) -> bool {
        self.top.may_take(self.bounds[held as usize], place)
    }

    fn take(&mut self, place: u32, own: &[u32]) -> ControlFlow<()> {
        if (self.accept)(self.index.place_row[place as usize]) {
            self.top.push(self.index.score(&self.scored, place, own), place);
        }
        ControlFlow::Continue(())
    }
}

/// Looks for one.
struct Any<'a, F> {
    index: &'a TextIndex,
    accept: &'a F,
    found: bool,
}

impl<F: Fn(u32) -> bool> Visitor for Any<'_, F> {
    fn take(&mut self, place: u32, _: &[u32]) -> ControlFlow<()> {
        self.found = (self.accept)(self.index.place_row[place as usize]);
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Counts.
struct Count(u32);

impl Visitor for Count {
    fn take(&mut self, _: u32, _: &[u32]) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Those of few postings whose places have the bits. Without a branch, as nobody can guess them.
fn thinned<'a>(postings: &[u64], bits: u64, room: &'a mut [u64; POSTINGS_AT_A_TIME]) -> &'a [u64] {
    let mut left = 0;
    for &posting in postings {
        room[left] = posting;
        left += usize::from(posting::has(posting, bits));
    }
    &room[..left]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_tell_of_their_places() {
        let other = 7;
        let without = (0..9).find(|&term| posting::bit(term) != posting::bit(other)).expect("another bit");
        let of = |place, term| posting::of(place, 3, posting::bit(term), Held::Own);
        let mut room = [0; POSTINGS_AT_A_TIME];
        let left = thinned(&[of(1, other), of(3, without), of(9, other)], posting::bit(other), &mut room);
        assert_eq!(left.iter().copied().map(posting::place).collect::<Vec<_>>(), [1, 9]);
        let long = posting::of(u32::MAX, 1_000, posting::bits([other, without]), Held::Above);
        assert_eq!(
            (posting::place(long), posting::terms(long), posting::held(long)),
            (u32::MAX, posting::TERMS_MAX, Held::Above)
        );
    }
}
