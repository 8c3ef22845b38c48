//! The listings that hold a part of some terms.
//!
//! A match holds one of the *gates*, which are some of the terms. The postings of the gates and of all terms without a set are
//! added up side by side, a block of places at a time: an addition for a posting, where asking would be a search for each
//! posting and term. What a place may gain by the terms with a set is added as a bound; only places that may then be among
//! the best are scored. Where only few places are accepted, each of these is looked at.

use std::ops::Range;

use super::holders::count_before;
use super::score::{Scorer, Worth};
use super::top::Top;
use super::visit::bits;
use super::{Matches, Places, SoughtTerms, TextIndex, Wanted};
use crate::domain::Country;
use crate::snapshot::layout::posting;

/// Priced listings that may hold a rare term, at least.
const RARE_LISTINGS_MIN: u32 = 1_000;
/// The same as a part of the country's priced listings.
const RARE_ONE_IN: u32 = 100;
/// Cost of looking at a place, as postings that are added.
const LOOK_COST: usize = 16;
/// Places that are added up at a time.
const BLOCK_PLACES: u32 = 2_048;

/// The condition under which listings match that do not hold all terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialMatch {
    /// Those that hold at least so many of the scored terms, a rare one among them, but not all that are needed.
    Half(usize),
    /// Those that hold a term of at least the lower median weight of the weighted terms.
    Weighty,
}

impl TextIndex {
    /// The best priced listings that match by a part of the terms by which they are scored.
    pub fn search_some(
        &self,
        sought: SoughtTerms<'_>,
        partial: PartialMatch,
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Matches {
        let Some(part) = self.part(sought, partial, wanted.country) else {
            return Matches { hits: Vec::new(), all: true };
        };
        let postings =
            part.gates().iter().map(|&at| self.priced_with(sought.scored[at], wanted.country) as usize);
        match wanted.among {
            Some(Places { listed, .. }) if listed.len() * LOOK_COST < postings.sum() => {
                self.part_among(listed, &part, wanted)
            }
            _ => self.part_by_blocks(&part, wanted),
        }
    }

    /// What is looked for, unless no name is long enough.
    fn part<'a>(&self, sought: SoughtTerms<'a>, partial: PartialMatch, country: Country) -> Option<Part<'a>> {
        let terms = sought.scored;
        let with = |at: usize| self.priced_with(terms[at], country);
        let (least, is_gate): (usize, Vec<bool>) = match partial {
            PartialMatch::Half(least) => {
                let rare_max = RARE_LISTINGS_MIN.max(self.priced_count(country) / RARE_ONE_IN);
                (least, (0..terms.len()).map(|at| with(at) <= rare_max).collect())
            }
            PartialMatch::Weighty => (1, weighty(sought)),
        };
        let shortest = self.shortest(least, terms, country)?;
        let mut order: Vec<usize> = (0..terms.len()).collect();
        order.sort_by_key(|&at| (!is_gate[at], with(at), terms[at]));
        let gates = is_gate.iter().filter(|is_gate| **is_gate).count();
        let needed = (0..terms.len()).filter(|&at| sought.needed.contains(&terms[at])).collect();
        Some(Part { sought, least, shortest, order, gates, needed })
    }

    /// The best of some places, each looked at.
    fn part_among(
        &self,
        places: &[u32],
        part: &Part<'_>,
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Matches {
        let mut top = self.top(wanted.limit);
        let mut scorer = Scorer::new(self, part.sought, wanted.country);
        for (length, places) in self.by_length(places, |place| place, wanted.country, part.shortest) {
            scorer.turn_to(length);
            top.begin_run();
            for &place in places {
                if part.is_held(&mut scorer, place) && (wanted.accept)(self.place_row[place as usize]) {
                    top.offer(scorer.merit(place), place);
                }
            }
        }
        self.matches(top, part.sought)
    }

    /// The best of the places of gates.
    fn part_by_blocks(&self, part: &Part<'_>, wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Matches {
        let mut top = self.top(wanted.limit);
        let mut scorer = Scorer::new(self, part.sought, wanted.country);
        let (gates, others) = part.order.split_at(part.gates);
        let (asked, added): (Vec<usize>, Vec<usize>) = others.iter().partition(|&&at| scorer.has_set(at));
        let postings = |at: usize| self.priced_postings(part.sought.scored[at], wanted.country);
        let mut blocks = Blocks::of(gates, &added, postings);
        // Upper bound of the gain by the asked terms, from each of them on.
        let mut rest = vec![Worth::default(); asked.len() + 1];
        for stretch in self.stretches(wanted.country, part.shortest) {
            let most = scorer.turn_to(stretch.length);
            top.begin_run();
            if !top.may_take(most) {
                break;
            }
            for (nth, &at) in asked.iter().enumerate().rev() {
                rest[nth] = rest[nth + 1].and(scorer.most_at(at));
            }
            while let Some(sums) = blocks.next(&stretch.places, &scorer) {
                for (place, sum) in sums {
                    let is_enough = usize::from(sum.count) + asked.len() >= part.least;
                    if is_enough
                        && may_be_among(&mut scorer, &top, place, sum.worth, &asked, &rest)
                        && (wanted.accept)(self.place_row[place as usize])
                        && (part.takes_any() || part.is_held(&mut scorer, place))
                    {
                        top.offer(scorer.merit(place), place);
                    }
                }
            }
        }
        self.matches(top, part.sought)
    }
}

/// Whether a place that gains so much may be among the best, with what it gains by further terms, asked one by one; `rest`
/// is what these add at most, from each of them on.
fn may_be_among(
    scorer: &mut Scorer<'_>,
    top: &Top<'_>,
    place: u32,
    mut worth: Worth,
    asked: &[usize],
    rest: &[Worth],
) -> bool {
    for (&at, &rest) in asked.iter().zip(rest) {
        if !scorer.may_be_among(top, worth.and(rest)) {
            return false;
        }
        worth = scorer.at_most(at, place).map_or(worth, |more| worth.and(more));
    }
    scorer.may_be_among(top, worth)
}

/// Adds up what places gain by postings, a block of places at a time.
struct Blocks<'a> {
    /// The terms whose postings are added, the gates first, each with those that are left.
    left: Vec<(usize, &'a [u32])>,
    gates: usize,
    /// Sums of the places of a block; zero between blocks.
    sums: Vec<Sum>,
    /// A bit for each of them that holds a gate.
    holding: [u64; (BLOCK_PLACES / u64::BITS) as usize],
}

/// Sum of the postings of a place.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    worth: Worth,
    count: u16,
}

impl<'a> Blocks<'a> {
    fn of(gates: &[usize], others: &[usize], postings: impl Fn(usize) -> &'a [u32]) -> Self {
        let left = gates.iter().chain(others).map(|&at| (at, postings(at))).collect();
        let sums = vec![Sum::default(); BLOCK_PLACES as usize];
        Self { left, gates: gates.len(), sums, holding: [0; _] }
    }

    /// Adds up the next of some places that hold a gate; gives them upwards. `None` where none are left.
    fn next<'b>(
        &'b mut self,
        places: &Range<u32>,
        scorer: &Scorer<'_>,
    ) -> Option<impl Iterator<Item = (u32, Sum)> + use<'a, 'b>> {
        let Self { left, gates, sums, holding } = self;
        let gate_after = |(_, left): &mut (usize, &'a [u32])| {
            *left = &left[count_before(left, places.start)..];
            left.first().map(|&of| posting::place(of))
        };
        let start = left[..*gates].iter_mut().filter_map(gate_after).min()?;
        if start >= places.end {
            return None;
        }
        let end = places.end.min(start + BLOCK_PLACES);
        for (nth, (at, left)) in left.iter_mut().enumerate() {
            let from_start = &left[count_before(left, start)..];
            let (own, rest) = from_start.split_at(count_before(from_start, end));
            *left = rest;
            for &of in own {
                let nth_place = posting::place(of) - start;
                let (word, bit) = ((nth_place / u64::BITS) as usize, 1 << (nth_place % u64::BITS));
                if nth < *gates {
                    holding[word] |= bit;
                }
                if holding[word] & bit != 0 {
                    sums[nth_place as usize].add(scorer.part(*at, posting::held(of)));
                }
            }
        }
        let holding = std::mem::take(holding).into_iter().enumerate();
        let holding =
            holding.flat_map(|(word, places)| bits(places).map(move |bit| word as u32 * u64::BITS + bit));
        Some(holding.map(move |nth| (start + nth, std::mem::take(&mut sums[nth as usize]))))
    }
}

impl Sum {
    fn add(&mut self, part: Worth) {
        self.worth = self.worth.and(part);
        self.count += 1;
    }
}

/// Flags the scored terms that weigh at least the lower median of the weighted ones.
fn weighty(sought: SoughtTerms<'_>) -> Vec<bool> {
    let weights: Vec<u64> =
        sought.quality.map_or_else(Vec::new, |query| query.terms.iter().map(|of| of.weight).collect());
    let mut weighted: Vec<u64> = weights.iter().copied().filter(|&weight| weight > 0).collect();
    weighted.sort_unstable();
    let median = weighted.get(weighted.len().saturating_sub(1) / 2).copied().unwrap_or(u64::MAX);
    weights.into_iter().map(|weight| weight >= median).collect()
}

/// What is looked for of a part of some terms.
struct Part<'a> {
    sought: SoughtTerms<'a>,
    /// How many of the terms by which it is scored a place holds, at least.
    least: usize,
    /// The length of the shortest name that can.
    shortest: u32,
    /// The terms, the gates first, rarer ones before others; and how many are gates.
    order: Vec<usize>,
    gates: usize,
    /// Those of which a place does not hold all.
    needed: Vec<usize>,
}

impl Part<'_> {
    fn gates(&self) -> &[usize] {
        &self.order[..self.gates]
    }

    /// Whether every place that holds a gate holds what is looked for.
    fn takes_any(&self) -> bool {
        self.least <= 1 && self.needed.is_empty()
    }

    /// Whether a place holds what is looked for; most have no gate.
    fn is_held(&self, scorer: &mut Scorer<'_>, place: u32) -> bool {
        let mut held = |terms: &[usize]| terms.iter().filter(|&&at| scorer.has(at, place)).count();
        let (gates, others) = self.order.split_at(self.gates);
        let of_gates = held(gates);
        of_gates > 0
            && (self.least <= of_gates || of_gates + held(others) >= self.least)
            && (self.needed.is_empty() || held(&self.needed) < self.needed.len())
    }
}
