//! Finds the listings that contain a part of the terms.
//!
//! Some of the terms are *gates*: a match contains at least one of them. Doc ordinals are processed in lines of 512.
//! For each term, a line of bits marks the listings that contain the term; it is read from the set or the postings of
//! the term. The qualities of all listings of the line are summed at once, with one line of bits for each of seven
//! binary digits. Only listings that may be among the best are scored. If only few listings are accepted, each of them
//! is examined instead.

use std::ops::Range;

use super::collector;
use super::postings::{DocSet, Subset, count_before};
use super::quality::QualityQuery;
use super::score::{Class, Scorer, Worth};
use super::{DocOrdinals, Matches, SearchScope, SoughtTerms, TextIndex};
use crate::snapshot::layout::set::DocBlock;
use crate::snapshot::layout::{TermField, posting, set};
use crate::types::Country;

/// A term is rare if at most this many priced listings contain it, regardless of the number of listings in the country.
const RARE_LISTINGS_MIN: u32 = 1_000;
/// A term is also rare if at most one in this many of the country's priced listings contains it.
const RARE_ONE_IN: u32 = 100;
/// The cost of examining one doc, as a multiple of the cost of processing one posting.
const LOOK_COST: usize = 16;
/// The resolution of summed qualities, in units per tenth.
const UNITS_PER_TENTH: u64 = 8;
/// The number of binary digits of a sum, which is at most ten tenths plus the units that rounding up adds.
const UNITS_DIGITS: usize = 7;
/// The maximum number of units of one term. Greater values make no difference.
const UNITS_MAX: u64 = (1 << UNITS_DIGITS) - 1;

/// The condition under which a listing matches although it does not contain all terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialMatch {
    /// The listing contains at least this many of the scored terms, at least one rare term among them, but not all
    /// needed terms.
    Half(usize),
    /// The listing contains a term whose weight is at least the lower median of the weights above 0.
    Weighty,
}

impl TextIndex {
    /// The best priced listings that match by a part of the scored terms.
    pub fn search_some(
        &self,
        sought: SoughtTerms<'_>,
        partial: PartialMatch,
        wanted: &SearchScope<'_, impl Fn(u32) -> bool>,
    ) -> Matches {
        let Some(part) = self.part(sought, partial, wanted.country) else {
            return Matches { hits: Vec::new(), all: true };
        };
        let postings =
            part.gates().iter().map(|&at| self.priced_with(sought.scored[at], wanted.country) as usize);
        match wanted.among {
            Some(DocOrdinals { listed, .. }) if listed.len() * LOOK_COST < postings.sum() => {
                self.part_among(listed, &part, wanted)
            }
            _ => self.part_by_lines(&part, wanted),
        }
    }

    /// Prepares the search; `None` if no name is long enough.
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

    /// Examines each doc of a list, and returns the best matches.
    fn part_among(
        &self,
        docs: &[u32],
        part: &Part<'_>,
        wanted: &SearchScope<'_, impl Fn(u32) -> bool>,
    ) -> Matches {
        let mut top = self.top(wanted.limit, part.sought.least);
        let mut scorer = Scorer::new(self, part.sought, wanted.country);
        for (length, docs) in self.by_length(docs, |doc| doc, wanted.country, part.shortest) {
            scorer.turn_to(length);
            top.begin_range();
            for &doc in docs {
                if part.is_held(|at| scorer.has(at, doc)) && (wanted.accept)(self.doc_row[doc as usize]) {
                    top.offer(scorer.match_score(doc), doc);
                }
            }
        }
        self.matches(top, part.sought)
    }

    /// Examines the docs that contain a gate, line by line, and returns the best matches.
    fn part_by_lines(&self, part: &Part<'_>, wanted: &SearchScope<'_, impl Fn(u32) -> bool>) -> Matches {
        let mut top = self.top(wanted.limit, part.sought.least);
        let mut scorer = Scorer::new(self, part.sought, wanted.country);
        let accepted = wanted.among.and_then(|among| among.set);
        let mut lines =
            TermLines::of(part, &scorer, |at| self.priced_postings(part.sought.scored[at], wanted.country));
        for stretch in self.stretches(wanted.country, part.shortest) {
            let most = scorer.turn_to(stretch.length);
            top.begin_range();
            if !top.may_take(most) {
                break;
            }
            lines.set_most(&scorer);
            let mut left = stretch.docs.clone();
            while let Some((line, mut docs)) = lines.next_gates(&mut left, &scorer) {
                if let Some(accepted) = accepted {
                    docs = set::both(&docs, &accepted[line as usize]);
                }
                if set::is_filled(&docs) && !top.has_room() {
                    docs = set::both(&docs, &lines.reaching(top.threshold_tenths()));
                }
                for doc in collector::docs(line, &docs) {
                    if scorer.may_be_among(&top, doc, lines.most(doc))
                        && (wanted.accept)(self.doc_row[doc as usize])
                        && part.is_held(|at| lines.has(at, doc))
                    {
                        top.offer(scorer.match_score(doc), doc);
                    }
                }
            }
        }
        self.matches(top, part.sought)
    }
}

/// For each term of a query, the docs of the current line that contain it, and upper bounds of its contribution.
struct TermLines<'a> {
    /// The terms, in the order of the query.
    terms: Vec<TermLine<'a>>,
    gates_at: Vec<usize>,
    /// The number of the current line; `gates` are its docs that contain a gate.
    line: Option<u32>,
    gates: DocBlock,
    /// The maximum units of quality that quantities add to any doc.
    quantity_units: u64,
}

/// The docs of a line that contain a term.
struct TermLine<'a> {
    source: Source<'a>,
    held: DocBlock,
    /// The docs in `held` that may contain the term in its role.
    in_role: DocBlock,
    /// The maximum units of quality that the term adds: first out of its role, then in its role.
    units: [usize; 2],
    /// The maximum tenths of quality that the rule for titles grants for the term: first out of its role, then in its
    /// role.
    title_tenths: [u32; 2],
    /// The maximum that the term adds to a doc of the current length: first out of its role, then in its role.
    most: [Worth; 2],
}

/// The source of the docs that contain a term.
enum Source<'a> {
    Set(DocSet<'a>, Option<Subset<'a>>),
    /// The postings after the current line.
    Postings(&'a [u32]),
}

impl<'a> TermLines<'a> {
    fn of(part: &Part<'_>, scorer: &Scorer<'a>, postings: impl Fn(usize) -> &'a [u32]) -> Self {
        let units = |satisfied: u64| satisfied.saturating_mul(UNITS_PER_TENTH).div_ceil(scorer.per_tenth());
        let units_of_term = |worth: Worth| units(worth.satisfied).min(UNITS_MAX) as usize;
        let term = |at: usize| TermLine {
            source: match scorer.set(at) {
                Some(set) => Source::Set(set, scorer.types(at)),
                None => Source::Postings(postings(at)),
            },
            held: [0; _],
            in_role: [0; _],
            units: scorer.quality_at(at).map(units_of_term),
            title_tenths: scorer.quality_at(at).map(|worth| worth.title_tenths),
            most: [Worth::default(); _],
        };
        Self {
            terms: (0..part.sought.scored.len()).map(term).collect(),
            gates_at: part.gates().to_vec(),
            line: None,
            gates: [0; _],
            quantity_units: units(scorer.quantities_most()),
        }
    }

    /// Sets the maximum that each term adds to docs of the current length.
    fn set_most(&mut self, scorer: &Scorer<'_>) {
        let classes = [Class::bits([Class::OutOfRole]), Class::bits([Class::InRole, Class::ProductType])];
        for (at, term) in self.terms.iter_mut().enumerate() {
            term.most = classes.map(|classes| scorer.most_at(at, classes));
            if matches!(term.source, Source::Set(_, None)) {
                term.most[1] = scorer.most_at(at, u8::MAX);
            }
        }
    }

    /// Finds the next line in which docs of the range contain a gate. Returns these docs, and moves the start of the
    /// range past the line.
    fn next_gates(&mut self, docs: &mut Range<u32>, scorer: &Scorer<'_>) -> Option<(u32, DocBlock)> {
        while docs.start < docs.end {
            let mut line = docs.start / set::DOCS;
            if self.line != Some(line) {
                let Self { gates_at, terms, .. } = self;
                let next = gates_at.iter().filter_map(|&at| terms[at].source.next(docs.start)).min();
                line = next.filter(|&next| next < docs.end)? / set::DOCS;
                self.turn_to(line, scorer);
            }
            let gates = set::both(&self.gates, &collector::line_within(line, docs));
            docs.start = docs.end.min((line + 1) * set::DOCS);
            if set::is_filled(&gates) {
                return Some((line, gates));
            }
        }
        None
    }

    fn turn_to(&mut self, line: u32, scorer: &Scorer<'_>) {
        self.line = Some(line);
        for (at, term) in self.terms.iter_mut().enumerate() {
            (term.held, term.in_role) = match &mut term.source {
                Source::Set(set, types) => {
                    let held = set.lines[line as usize];
                    (held, types.map_or(held, |types| types.lines[line as usize]))
                }
                Source::Postings(left) => take_line(left, line, |held| scorer.may_be_in_role(at, held)),
            };
        }
        let gates = self.gates_at.iter().map(|&at| &self.terms[at].held);
        self.gates = gates.fold([0; _], |any, held| either(&any, held));
    }

    /// The docs of the line whose quality may reach this many tenths. The contributions of the terms are rounded up to
    /// whole units and summed for all docs at once, with one line of bits for each binary digit of the sums.
    fn reaching(&self, tenths: u32) -> DocBlock {
        let mut digits = [[0; set::WORDS]; UNITS_DIGITS];
        let mut enough = [0; set::WORDS];
        for term in &self.terms {
            let out_of_role = std::array::from_fn(|word| term.held[word] & !term.in_role[word]);
            for (in_role, docs) in [out_of_role, term.in_role].iter().enumerate() {
                if !set::is_filled(docs) {
                    continue;
                }
                if term.title_tenths[in_role] >= tenths {
                    enough = either(&enough, docs);
                }
                let units = term.units[in_role];
                for digit in (0..UNITS_DIGITS).filter(|digit| units >> digit & 1 == 1) {
                    let mut carried = *docs;
                    for sum in &mut digits[digit..] {
                        let both = set::both(sum, &carried);
                        *sum = std::array::from_fn(|word| sum[word] ^ carried[word]);
                        carried = both;
                    }
                    enough = either(&enough, &carried);
                }
            }
        }
        let least = (u64::from(tenths) * UNITS_PER_TENTH).saturating_sub(self.quantity_units);
        let reaching = (0..).zip(&digits).fold([u64::MAX; _], |reaching, (digit, sum)| {
            if least >> digit & 1 == 0 { either(&reaching, sum) } else { set::both(&reaching, sum) }
        });
        either(&reaching, &enough)
    }

    /// An upper bound of the contributions of all terms to a doc of the line.
    fn most(&self, doc: u32) -> Worth {
        let (_, word, bit) = set::bit(doc);
        let held = self.terms.iter().filter(|term| term.held[word] & bit != 0);
        Worth::sum(held.map(|term| term.most[usize::from(term.in_role[word] & bit != 0)]))
    }

    /// Whether a doc of the line contains the term at an index.
    fn has(&self, at: usize, doc: u32) -> bool {
        let (_, word, bit) = set::bit(doc);
        self.terms[at].held[word] & bit != 0
    }
}

impl Source<'_> {
    /// The first doc, from `from` on, that may contain the term. Skips the postings before it.
    fn next(&mut self, from: u32) -> Option<u32> {
        match self {
            Self::Set(..) => Some(from),
            Self::Postings(left) => {
                *left = &left[count_before(left, from)..];
                left.first().map(|&of| posting::doc(of))
            }
        }
    }
}

/// Removes the postings up to the end of a line from `left`. Returns the docs of the line, and the docs that may
/// contain the term in its role.
fn take_line(
    left: &mut &[u32],
    line: u32,
    may_be_in_role: impl Fn(TermField) -> bool,
) -> (DocBlock, DocBlock) {
    let (mut held, mut in_role) = ([0; _], [0; _]);
    let from_start = &left[count_before(left, line * set::DOCS)..];
    let of_line = from_start.iter().take_while(|of| posting::doc(**of) / set::DOCS == line).count();
    let (own, rest) = from_start.split_at(of_line);
    *left = rest;
    for &of in own {
        let (_, word, bit) = set::bit(posting::doc(of));
        held[word] |= bit;
        in_role[word] |= if may_be_in_role(posting::held(of)) { bit } else { 0 };
    }
    (held, in_role)
}

/// The union of two lines.
fn either(a: &DocBlock, b: &DocBlock) -> DocBlock {
    std::array::from_fn(|at| a[at] | b[at])
}

/// Flags the scored terms whose weight is at least the lower median of the weights above 0.
fn weighty(sought: SoughtTerms<'_>) -> Vec<bool> {
    let weights: Vec<u64> =
        sought.quality.map_or_else(Vec::new, |query| query.terms.iter().map(|of| of.weight).collect());
    let median = sought.quality.and_then(QualityQuery::lower_median).unwrap_or(u64::MAX);
    weights.into_iter().map(|weight| weight >= median).collect()
}

/// A prepared search for a part of the terms.
struct Part<'a> {
    sought: SoughtTerms<'a>,
    /// The minimum number of scored terms that a doc must contain.
    least: usize,
    /// The minimum length of a doc that can contain so many terms.
    shortest: u32,
    /// Indices of the scored terms: gates first, then the other terms, both in order of rarity. `gates` is the number
    /// of gates.
    order: Vec<usize>,
    gates: usize,
    /// Indices of the needed terms. If there are any, a match must lack at least one of them.
    needed: Vec<usize>,
}

impl Part<'_> {
    fn gates(&self) -> &[usize] {
        &self.order[..self.gates]
    }

    /// Whether a doc matches. `has` returns whether the doc contains the term at an index.
    fn is_held(&self, mut has: impl FnMut(usize) -> bool) -> bool {
        let mut held = |terms: &[usize]| terms.iter().filter(|&&at| has(at)).count();
        let (gates, others) = self.order.split_at(self.gates);
        let of_gates = held(gates);
        of_gates > 0
            && (self.least <= of_gates || of_gates + held(others) >= self.least)
            && (self.needed.is_empty() || held(&self.needed) < self.needed.len())
    }
}
