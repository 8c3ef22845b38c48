//! The listings that hold all of some terms.
//!
//! Places lie shortest first, so a search goes upwards until nothing that follows can be among the best. Terms that all
//! have a set are intersected line by line; else the postings of the rarest are walked, and the other terms say of each
//! place whether they are held there. How a place holds its terms is known from their postings: a search goes to no
//! listing that it does not give back.

use std::ops::ControlFlow;

use super::best_per_entity::Best;
use super::collector::{self, Gate, Visitor, bits, within};
use super::postings::Cursor;
use super::score::Scorer;
use super::top_k::Top;
use super::{DocOrdinals, Hit, MatchQuality, Matches, SoughtTerms, TextIndex, Wanted};
use crate::snapshot::layout::set::DocBlock;
use crate::snapshot::layout::{posting, set};
use crate::types::Country;

/// Postings that are walked until it is asked anew which may matter.
const POSTINGS_AT_A_TIME: usize = 64;

/// The way to the places that hold all of some terms.
#[derive(Clone, Copy)]
struct Way {
    /// The term that fewest of them hold.
    rarest: u32,
    /// The length of the shortest.
    shortest: u32,
}

impl TextIndex {
    /// The best priced listings that hold all terms that are needed.
    pub fn search(&self, sought: SoughtTerms<'_>, wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Matches {
        let Some(way) = self.way(sought.needed, wanted.country) else {
            return Matches { hits: Vec::new(), all: true };
        };
        let rarest_at = sought.scored.iter().position(|&term| term == way.rarest);
        let scorer = Scorer::new(self, sought, wanted.country);
        let accept = |place: u32| (wanted.accept)(self.place_row[place as usize]);
        let mut best = Best::new(scorer, rarest_at, self.top(wanted.limit, sought.least), accept);
        self.walk(way, sought.needed, wanted.country, wanted.among, &mut best);
        self.matches(best.into_top(), sought)
    }

    /// Whether any priced listing that is accepted holds all of the terms.
    pub fn any(&self, needed: &[u32], wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> bool {
        let mut any = Any { place_row: &self.place_row, accept: &wanted.accept, found: false };
        if let Some(way) = self.way(needed, wanted.country) {
            self.walk(way, needed, wanted.country, wanted.among, &mut any);
        }
        any.found
    }

    /// How many priced listings of the country hold all of the terms.
    pub fn count(&self, needed: &[u32], country: Country) -> u32 {
        let mut count = Count(0);
        if let Some(way) = self.way(needed, country) {
            self.walk(way, needed, country, None, &mut count);
        }
        count.0
    }

    /// Nothing yet of the best places of so many products that have the tenths of a quality.
    pub(super) fn top(&self, limit: usize, least: MatchQuality) -> Top<'_> {
        Top::new(limit, least.tenths(), &self.place_rank, &self.place_row, &self.row_entity)
    }

    /// The best of places, as listings.
    pub(super) fn matches(&self, top: Top<'_>, sought: SoughtTerms<'_>) -> Matches {
        let hit = |(score, place): (f32, u32)| {
            let row = self.place_row[place as usize];
            Hit {
                row,
                score,
                quality: sought.quality.map_or_else(MatchQuality::default, |of| self.quality(row, of)),
            }
        };
        let (best, all) = top.into_ranked();
        Matches { hits: best.map(hit).collect(), all }
    }

    /// The way to the priced places of a country that hold all of the terms, unless no name is long enough.
    fn way(&self, needed: &[u32], country: Country) -> Option<Way> {
        let rarest = needed.iter().copied().min_by_key(|&term| (self.priced_with(term, country), term))?;
        Some(Way { rarest, shortest: self.shortest(needed.len(), needed, country)? })
    }

    /// Visits the priced places of a country that hold all of the terms: those among some, if these are fewer than hold the
    /// rarest.
    fn walk(
        &self,
        way: Way,
        needed: &[u32],
        country: Country,
        among: Option<DocOrdinals<'_>>,
        visitor: &mut impl Visitor,
    ) {
        let Way { rarest, shortest } = way;
        if let Some(DocOrdinals { listed: places, .. }) = among
            && places.len() < self.priced_with(rarest, country) as usize
        {
            let _ = self.walk_places(places, needed, shortest, country, visitor);
            return;
        }
        let mut others: Vec<u32> = needed.iter().copied().filter(|&term| term != rarest).collect();
        others.sort_unstable_by_key(|&term| (self.priced_with(term, country), term));
        let mut others: Vec<Cursor<'_>> =
            others.into_iter().map(|term| Cursor::of(self, term, country)).collect();
        let sets = others.iter().map(|of| Some(of.set()?.lines));
        // Few are among the places that are accepted, so these are asked first.
        let among = among.and_then(|among| among.set).map(Some);
        let sets: Option<Vec<&[DocBlock]>> = among.into_iter().chain(sets).collect();
        let _ = match (self.sets.get(rarest), sets) {
            (Some(set), Some(others)) => self.walk_sets(set.lines, &others, shortest, country, visitor),
            _ => self.walk_postings(rarest, &mut others, shortest, country, visitor),
        };
    }

    /// Visits those of some places that hold all of the terms.
    fn walk_places(
        &self,
        places: &[u32],
        needed: &[u32],
        shortest: u32,
        country: Country,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let mut needed: Vec<Cursor<'_>> =
            needed.iter().map(|&term| Cursor::of(self, term, country)).collect();
        for (length, places) in self.by_length(places, |place| place, country, shortest) {
            if !visitor.turn_to(length) {
                break;
            }
            for &place in places {
                if needed.iter_mut().all(|of| of.has(place)) {
                    visitor.take(place)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the places of a set that all others have.
    fn walk_sets(
        &self,
        set: &[DocBlock],
        others: &[&[DocBlock]],
        shortest: u32,
        country: Country,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        for stretch in self.stretches(country, shortest) {
            if !visitor.turn_to(stretch.length) {
                break;
            }
            let (first, last) = (stretch.places.start, stretch.places.end - 1);
            let (from, to) = (first / set::PLACES, last / set::PLACES);
            for sixty_four in from / u64::BITS..=to / u64::BITS {
                let lines = visitor.lines(sixty_four as usize);
                for at in bits(lines & within(sixty_four, from, to)) {
                    let line = sixty_four * u64::BITS + at;
                    let mut places = visitor.first_look(line as usize);
                    for other in [set].iter().chain(others) {
                        if set::is_filled(&places) {
                            places = set::both(&places, &other[line as usize]);
                        }
                    }
                    // Lines at the ends have places of other stretches, too.
                    if line == from || line == to {
                        places = set::both(&places, &collector::line_within(line, &stretch.places));
                    }
                    if set::is_filled(&places) {
                        visitor.thin_out(line as usize, &mut places);
                        collector::places(line, &places).try_for_each(|place| visitor.take(place))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the places of a term that all others hold.
    fn walk_postings(
        &self,
        rarest: u32,
        others: &mut [Cursor<'_>],
        shortest: u32,
        country: Country,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        for (length, postings) in self.stretches_of(rarest, country, shortest) {
            if !visitor.turn_to(length) {
                break;
            }
            for postings in postings.chunks(POSTINGS_AT_A_TIME) {
                let gates = visitor.gates();
                for &posting in postings {
                    let place = posting::place(posting);
                    let held = posting::held(posting);
                    let may_matter = match gates[held as usize] {
                        Gate::Open => true,
                        Gate::Guarded => visitor.may_matter(place, held),
                        Gate::Shut => false,
                    };
                    if may_matter && others.iter_mut().all(|of| of.has(place)) {
                        visitor.take(place)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Looks for one.
struct Any<'a, F> {
    place_row: &'a [u32],
    accept: &'a F,
    found: bool,
}

impl<F: Fn(u32) -> bool> Visitor for Any<'_, F> {
    fn take(&mut self, place: u32) -> ControlFlow<()> {
        self.found = (self.accept)(self.place_row[place as usize]);
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Counts.
struct Count(u32);

impl Visitor for Count {
    fn take(&mut self, _: u32) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}
