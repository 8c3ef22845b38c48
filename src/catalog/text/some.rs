//! The listings that hold a part of some terms.
//!
//! The places of one term after the other are walked, rarest first; a place, or a term with all its places, is left when it
//! is known to hold too little to matter. Where only few places are accepted, each of these is looked at.

use super::score::Scorer;
use super::top::Top;
use super::{Matches, Places, SoughtTerms, TextIndex, Wanted};
use crate::domain::Country;
use crate::snapshot::layout::{posting, set};

/// Priced listings that may hold a term by which half-matches are found, at least.
const RARE_LISTINGS_MIN: u32 = 1_000;
/// The same as a part of the country's priced listings.
const RARE_ONE_IN: u32 = 100;
/// What it costs to look at a place, as postings of rare terms that are walked.
const LOOK_COST: usize = 2;

impl TextIndex {
    /// The best priced listings that hold at least `least` of the terms by which they are scored, one of these being rare,
    /// but not all that are needed, which are of these terms.
    pub fn search_some(
        &self,
        sought: SoughtTerms<'_>,
        least: usize,
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Matches {
        let Some(half) = self.half(sought, least, wanted.country) else {
            return Matches { hits: Vec::new(), all: true };
        };
        let postings =
            half.rare().iter().map(|&at| self.priced_with(sought.scored[at], wanted.country) as usize);
        match wanted.among {
            Some(Places { listed, .. }) if listed.len() * LOOK_COST < postings.sum() => {
                self.half_among(listed, &half, wanted)
            }
            _ => self.half_by_rare(&half, wanted),
        }
    }

    /// What is looked for, unless no name is long enough.
    fn half<'a>(&self, sought: SoughtTerms<'a>, least: usize, country: Country) -> Option<Half<'a>> {
        let terms = sought.scored;
        let shortest = self.shortest(least, terms, country)?;
        let mut order: Vec<usize> = (0..terms.len()).collect();
        order.sort_by_key(|&at| (self.priced_with(terms[at], country), terms[at]));
        let rare_max = RARE_LISTINGS_MIN.max(self.priced_count(country) / RARE_ONE_IN);
        let rare = order.partition_point(|&at| self.priced_with(terms[at], country) <= rare_max);
        let needed = (0..terms.len()).filter(|&at| sought.needed.contains(&terms[at])).collect();
        Some(Half { sought, least, shortest, order, rare, needed })
    }

    /// The best of some places, each looked at.
    fn half_among(
        &self,
        places: &[u32],
        half: &Half<'_>,
        wanted: &Wanted<'_, impl Fn(u32) -> bool>,
    ) -> Matches {
        let mut top = self.top(wanted.limit);
        let mut scorer = Scorer::new(self, half.sought, wanted.country);
        for (length, places) in self.by_length(places, |place| place, wanted.country, half.shortest) {
            scorer.turn_to(length);
            top.begin_run();
            for &place in places {
                if half.is_held(&mut scorer, place) && (wanted.accept)(self.place_row[place as usize]) {
                    let score = scorer.score(place);
                    if top.may_take(score) {
                        top.push(score, place);
                    }
                }
            }
        }
        self.matches(top)
    }

    /// The best of the places of rare terms.
    fn half_by_rare(&self, half: &Half<'_>, wanted: &Wanted<'_, impl Fn(u32) -> bool>) -> Matches {
        let Half { sought, least, shortest, order, rare, needed } = half;
        let (terms, country) = (sought.scored, wanted.country);
        let mut top = self.top(wanted.limit);
        let before_all = Scorer::new(self, *sought, country);
        let mut seen = match wanted.among {
            Some(places) => Seen::all_but(places, self.place_row.len()),
            None => Seen::none(self.place_row.len()),
        };
        for nth in 0..*rare {
            // What holds a rarer one was seen, or scores too little; other places may miss so many of the terms that are left.
            let Some(missed_max) = (terms.len() - nth).checked_sub(*least) else { break };
            let mut stretches = self.stretches_of(terms[order[nth]], country, *shortest).peekable();
            if stretches.peek().is_none() {
                continue;
            }
            let mut scorer = before_all.clone();
            // Sets are asked first: a look into one costs least.
            let mut others = order[nth + 1..].to_vec();
            others.sort_by_key(|&at| !scorer.has_set(at));
            for (length, postings) in stretches {
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
                        && !needed.iter().all(|&at| scorer.has(at, place))
                        && (wanted.accept)(self.place_row[place as usize])
                    {
                        top.push(score, place);
                    }
                }
            }
        }
        self.matches(top)
    }
}

/// What is looked for of a part of some terms.
struct Half<'a> {
    sought: SoughtTerms<'a>,
    /// How many of the terms by which it is scored a place holds, at least.
    least: usize,
    /// The length of the shortest name that can.
    shortest: u32,
    /// The terms, rarest first, and how many of them are rare.
    order: Vec<usize>,
    rare: usize,
    /// Those of which a place does not hold all.
    needed: Vec<usize>,
}

impl Half<'_> {
    fn rare(&self) -> &[usize] {
        &self.order[..self.rare]
    }

    /// Whether a place holds what is looked for; most have no rare term.
    fn is_held(&self, scorer: &mut Scorer<'_>, place: u32) -> bool {
        let mut held = |terms: &[usize]| terms.iter().filter(|&&at| scorer.has(at, place)).count();
        let (rare, others) = self.order.split_at(self.rare);
        let of_rare = held(rare);
        of_rare > 0 && of_rare + held(others) >= self.least && held(&self.needed) < self.needed.len()
    }
}

/// The places that were looked at, or need not be.
struct Seen(Vec<set::PlaceLine>);

impl Seen {
    /// None of so many.
    fn none(places: usize) -> Self {
        Self(vec![[0; _]; set::lines(places)])
    }

    /// All but some of so many.
    fn all_but(some: Places<'_>, places: usize) -> Self {
        Self(some.lines(places).iter().map(|line| line.map(|word| !word)).collect())
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
