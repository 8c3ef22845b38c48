//! Finds the listings that contain all of the given terms.
//!
//! Docs are ordered by length, so a search walks them in ascending order and stops when no later doc can be among the
//! best. If every term has a set, the sets are intersected line by line (a line is one cache line of the bitmap).
//! Otherwise the postings of the rarest term are walked, and the other terms are looked up for each doc. A posting
//! contains the field of its term, so only listings that are returned are read.

use std::ops::ControlFlow;

use super::best_per_entity::Best;
use super::collector::{self, Pruning, Visitor, bits, within};
use super::postings::Cursor;
use super::score::Scorer;
use super::top_k::Top;
use super::{DocOrdinals, Hit, MatchQuality, Matches, SearchScope, SoughtTerms, TextIndex};
use crate::snapshot::layout::set::DocBlock;
use crate::snapshot::layout::{posting, set};
use crate::types::Country;

/// The number of postings after which the collector is asked again which docs may matter.
const POSTINGS_AT_A_TIME: usize = 64;

/// The plan of a search for the docs that contain all needed terms.
#[derive(Clone, Copy)]
struct SearchPlan {
    /// The term that the fewest priced listings of the country contain.
    rarest: u32,
    /// The length of the shortest doc that may contain all terms.
    shortest: u32,
}

impl TextIndex {
    /// The best priced listings that contain all needed terms.
    pub fn search(&self, sought: SoughtTerms<'_>, wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> Matches {
        let Some(plan) = self.plan(sought.needed, wanted.country) else {
            return Matches { hits: Vec::new(), all: true };
        };
        let rarest_at = sought.scored.iter().position(|&term| term == plan.rarest);
        let scorer = Scorer::new(self, sought, wanted.country);
        let accept = |doc: u32| (wanted.accept)(self.doc_row[doc as usize]);
        let mut best = Best::new(scorer, rarest_at, self.top(wanted.limit, sought.least), accept);
        self.walk(plan, sought.needed, wanted.country, wanted.among, &mut best);
        self.matches(best.into_top(), sought)
    }

    /// Whether any accepted priced listing contains all of the terms.
    pub fn any(&self, needed: &[u32], wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> bool {
        let mut any = Any { doc_row: &self.doc_row, accept: &wanted.accept, found: false };
        if let Some(plan) = self.plan(needed, wanted.country) {
            self.walk(plan, needed, wanted.country, wanted.among, &mut any);
        }
        any.found
    }

    /// The number of priced listings of the country that contain all of the terms.
    pub fn count(&self, needed: &[u32], country: Country) -> u32 {
        let mut count = Count(0);
        if let Some(plan) = self.plan(needed, country) {
            self.walk(plan, needed, country, None, &mut count);
        }
        count.0
    }

    /// An empty top-k collector for at most `limit` entities, each with at least as many tenths of quality as `least`.
    pub(super) fn top(&self, limit: usize, least: MatchQuality) -> Top<'_> {
        Top::new(limit, least.tenths(), &self.doc_rank, &self.doc_row, &self.row_entity)
    }

    /// Converts the collected docs to listings.
    pub(super) fn matches(&self, top: Top<'_>, sought: SoughtTerms<'_>) -> Matches {
        let hit = |(score, doc): (f32, u32)| {
            let row = self.doc_row[doc as usize];
            Hit {
                row,
                score,
                quality: sought.quality.map_or_else(MatchQuality::default, |of| self.quality(row, of)),
            }
        };
        let (best, all) = top.into_ranked();
        Matches { hits: best.map(hit).collect(), all }
    }

    /// The plan for the priced docs of a country that contain all of the terms. `None` if there are no terms, or if
    /// no doc is long enough.
    fn plan(&self, needed: &[u32], country: Country) -> Option<SearchPlan> {
        let rarest = needed.iter().copied().min_by_key(|&term| (self.priced_with(term, country), term))?;
        Some(SearchPlan { rarest, shortest: self.shortest(needed.len(), needed, country)? })
    }

    /// Visits the priced docs of a country that contain all of the terms. `among` is a superset of the docs that the
    /// visitor accepts. The walk is restricted to it where that is cheaper.
    fn walk(
        &self,
        plan: SearchPlan,
        needed: &[u32],
        country: Country,
        among: Option<DocOrdinals<'_>>,
        visitor: &mut impl Visitor,
    ) {
        let SearchPlan { rarest, shortest } = plan;
        if let Some(DocOrdinals { listed: docs, .. }) = among
            && docs.len() < self.priced_with(rarest, country) as usize
        {
            let _ = self.walk_docs(docs, needed, shortest, country, visitor);
            return;
        }
        let mut others: Vec<u32> = needed.iter().copied().filter(|&term| term != rarest).collect();
        others.sort_unstable_by_key(|&term| (self.priced_with(term, country), term));
        let mut others: Vec<Cursor<'_>> =
            others.into_iter().map(|term| Cursor::of(self, term, country)).collect();
        let sets = others.iter().map(|of| Some(of.set()?.lines));
        // The set of accepted docs is the most selective one, so it is intersected first.
        let among = among.and_then(|among| among.set).map(Some);
        let sets: Option<Vec<&[DocBlock]>> = among.into_iter().chain(sets).collect();
        let _ = match (self.sets.get(rarest), sets) {
            (Some(set), Some(others)) => self.walk_sets(set.lines, &others, shortest, country, visitor),
            _ => self.walk_postings(rarest, &mut others, shortest, country, visitor),
        };
    }

    /// Visits the docs of a list that contain all of the terms.
    fn walk_docs(
        &self,
        docs: &[u32],
        needed: &[u32],
        shortest: u32,
        country: Country,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let mut needed: Vec<Cursor<'_>> =
            needed.iter().map(|&term| Cursor::of(self, term, country)).collect();
        for (length, docs) in self.by_length(docs, |doc| doc, country, shortest) {
            if !visitor.turn_to(length) {
                break;
            }
            for &doc in docs {
                if needed.iter_mut().all(|of| of.has(doc)) {
                    visitor.take(doc)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the docs of a set that are in all other sets.
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
            let (first, last) = (stretch.docs.start, stretch.docs.end - 1);
            let (from, to) = (first / set::DOCS, last / set::DOCS);
            for word_index in from / u64::BITS..=to / u64::BITS {
                let lines = visitor.lines(word_index as usize);
                for at in bits(lines & within(word_index, from, to)) {
                    let line = word_index * u64::BITS + at;
                    let mut docs = visitor.first_look(line as usize);
                    for other in [set].iter().chain(others) {
                        if set::is_filled(&docs) {
                            docs = set::both(&docs, &other[line as usize]);
                        }
                    }
                    // The first and the last line of a stretch may contain docs of other stretches.
                    if line == from || line == to {
                        docs = set::both(&docs, &collector::line_within(line, &stretch.docs));
                    }
                    if set::is_filled(&docs) {
                        visitor.thin_out(line as usize, &mut docs);
                        collector::docs(line, &docs).try_for_each(|doc| visitor.take(doc))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the docs of a term that contain all other terms.
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
                    let doc = posting::doc(posting);
                    let held = posting::held(posting);
                    let may_matter = match gates[held as usize] {
                        Pruning::Open => true,
                        Pruning::Guarded => visitor.may_matter(doc, held),
                        Pruning::Shut => false,
                    };
                    if may_matter && others.iter_mut().all(|of| of.has(doc)) {
                        visitor.take(doc)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// A visitor that stops at the first accepted doc.
struct Any<'a, F> {
    doc_row: &'a [u32],
    accept: &'a F,
    found: bool,
}

impl<F: Fn(u32) -> bool> Visitor for Any<'_, F> {
    fn take(&mut self, doc: u32) -> ControlFlow<()> {
        self.found = (self.accept)(self.doc_row[doc as usize]);
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A visitor that counts docs.
struct Count(u32);

impl Visitor for Count {
    fn take(&mut self, _: u32) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}
