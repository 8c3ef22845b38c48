//! Collects the best docs among those that contain all terms.
//!
//! A doc that contains a term in its role, or that is the product that the term names, scores much higher than other
//! docs. Long names of this kind can therefore still be among the best when short names of other kinds no longer can.
//! Two facts are known before a doc is scored: the field in which it contains the rarest term (from the posting), and
//! its class for each frequent term (from the sets). A doc is scored only if these facts permit it to be among the
//! best. Late in a search, mostly docs of the best classes remain candidates, and few lines contain such docs.

use std::ops::ControlFlow;

use super::collector::{Pruning, Visitor, bits};
use super::score::{Divider, Known, Scorer};
use super::top_k::Top;
use crate::snapshot::layout::TermField;
use crate::snapshot::layout::set::{self, DocBlock};

/// The maximum number of sets that divide docs before they are scored.
const DIVIDERS_MAX: usize = 4;
/// For each divider, the combinations that include it, as a bit mask over all combinations.
const WITH: [u32; DIVIDERS_MAX] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// Collects the best docs that contain all terms. A *combination* is a bit mask over the dividers: a bit is set when
/// the doc is in that divider's set.
pub(super) struct Best<'a, F> {
    scorer: Scorer<'a>,
    /// The index of the rarest term among the scored terms.
    rarest_at: Option<usize>,
    top: Top<'a>,
    accept: F,
    dividers: Vec<Divider<'a>>,
    /// The combinations whose docs can still be among the best, one bit per combination.
    choices: u32,
    /// The dividers that all combinations in `choices` include, one bit per divider.
    common: u32,
    /// The threshold for which `choices` was computed.
    chosen_at: Option<u64>,
    /// The same as `choices`, for each field in which a doc can contain the rarest term.
    choices_if: [u32; TermField::ALL.len()],
    chosen_if_at: Option<u64>,
}

impl<'a, F> Best<'a, F> {
    pub(super) fn new(scorer: Scorer<'a>, rarest_at: Option<usize>, top: Top<'a>, accept: F) -> Self {
        let dividers = scorer.dividers().take(DIVIDERS_MAX).collect();
        Self {
            scorer,
            rarest_at,
            top,
            accept,
            dividers,
            choices: 0,
            common: 0,
            chosen_at: None,
            choices_if: [0; _],
            chosen_if_at: None,
        }
    }

    pub(super) fn into_top(self) -> Top<'a> {
        self.top
    }

    /// The combinations whose docs of the current length may be among the best. `rarest` is the field in which the docs
    /// contain the rarest term, if it is known.
    fn choices(&self, rarest: Option<TermField>) -> u32 {
        if self.top.has_room() {
            return self.all();
        }
        let known = |choice: u32, term: usize| match rarest {
            Some(held) if self.rarest_at == Some(term) => Known::TermField(held),
            _ => Known::Classes(self.classes(choice, term)),
        };
        let may_matter = |choice: &u32| self.top.may_take(self.scorer.most(|term| known(*choice, term)));
        (0..1 << self.dividers.len()).filter(may_matter).fold(0, |choices, choice| choices | 1 << choice)
    }

    /// The classes of a term that docs of a combination may have.
    fn classes(&self, choice: u32, term: usize) -> u8 {
        let of_term = self.dividers.iter().enumerate().filter(|(_, divider)| divider.at == term);
        of_term
            .fold(u8::MAX, |classes, (nth, divider)| classes & divider.classes[usize::from(has(choice, nth))])
    }

    fn choose(&mut self) {
        if self.chosen_at != Some(self.top.range_threshold()) {
            self.chosen_at = Some(self.top.range_threshold());
            self.choices = self.choices(None);
            self.common = bits(self.choices.into()).fold(u32::MAX, |common, choice| common & choice);
        }
    }

    /// The mask of all combinations.
    fn all(&self) -> u32 {
        u32::MAX >> (u32::BITS - (1 << self.dividers.len()))
    }
}

/// Whether bit `nth` is set.
fn has(bits: u32, nth: usize) -> bool {
    bits >> nth & 1 == 1
}

impl<F: Fn(u32) -> bool> Visitor for Best<'_, F> {
    fn turn_to(&mut self, length: u32) -> bool {
        (self.chosen_at, self.chosen_if_at) = (None, None);
        let most = self.scorer.turn_to(length);
        self.top.begin_range();
        self.top.may_take(most)
    }

    fn gates(&mut self) -> [Pruning; TermField::ALL.len()] {
        if self.chosen_if_at != Some(self.top.range_threshold()) {
            self.chosen_if_at = Some(self.top.range_threshold());
            self.choices_if = TermField::ALL.map(|held| self.choices(Some(held)));
        }
        self.choices_if.map(|choices| match choices {
            0 => Pruning::Shut,
            some if some == self.all() => Pruning::Open,
            _ => Pruning::Guarded,
        })
    }

    fn may_matter(&self, doc: u32, rarest: TermField) -> bool {
        // Keeps the combinations that match the doc. If the line of the doc has no doc of a divider, the combinations
        // with this divider are removed without reading the line.
        let mut left = self.choices_if[rarest as usize];
        let with = |nth: usize| WITH[nth] & self.all();
        for (nth, Divider { docs: divided, .. }) in self.dividers.iter().enumerate() {
            if !divided.is_filled_at(doc) {
                left &= !with(nth);
            }
        }
        for (nth, Divider { docs: divided, .. }) in self.dividers.iter().enumerate() {
            if left == 0 {
                return false;
            }
            left &= if divided.has(doc) { with(nth) } else { !with(nth) };
        }
        left != 0
    }

    fn lines(&mut self, word_index: usize) -> u64 {
        self.choose();
        let with_all = |choice: u32| {
            let chosen = self.dividers.iter().enumerate().filter(|(nth, _)| has(choice, *nth));
            chosen.fold(u64::MAX, |lines, (_, divider)| lines & divider.docs.filled[word_index])
        };
        bits(self.choices.into()).fold(0, |any, choice| any | with_all(choice))
    }

    fn first_look(&mut self, line: usize) -> DocBlock {
        self.choose();
        let chosen = self.dividers.iter().enumerate().filter(|(nth, _)| has(self.common, *nth));
        chosen.fold([u64::MAX; _], |docs, (_, divider)| set::both(&docs, &divider.docs.lines[line]))
    }

    fn thin_out(&mut self, line: usize, docs: &mut DocBlock) {
        self.choose();
        if self.choices == self.all() {
            return;
        }
        if self.choices.is_power_of_two() {
            // A single combination is left, so whole words are intersected.
            let choice = self.choices.trailing_zeros();
            for (nth, Divider { docs: divided, .. }) in self.dividers.iter().enumerate() {
                let (others, divided) = (if has(choice, nth) { 0 } else { u64::MAX }, &divided.lines[line]);
                *docs = std::array::from_fn(|at| docs[at] & (divided[at] ^ others));
            }
            return;
        }
        for (at, word) in docs.iter_mut().enumerate() {
            for bit in bits(*word) {
                let is_in = |divider: &Divider<'_>| (divider.docs.lines[line][at] >> bit & 1) as u32;
                let dividers = self.dividers.iter().enumerate();
                let choice = dividers.fold(0, |choice, (nth, divider)| choice | is_in(divider) << nth);
                *word &= !(u64::from(!has(self.choices, choice as usize)) << bit);
            }
        }
    }

    fn take(&mut self, doc: u32) -> ControlFlow<()> {
        // The filter runs before scoring: with a retailer filter most docs are rejected, and scoring is expensive.
        if (self.accept)(doc) {
            self.top.offer(self.scorer.match_score(doc), doc);
        }
        ControlFlow::Continue(())
    }
}
