//! The collector: what a walk over doc ordinals asks of the search that wants some of them.

use std::ops::{ControlFlow, Range};

use crate::snapshot::layout::TermField;
use crate::snapshot::layout::set::{self, DocBlock};

/// What is made of the docs that hold all terms, upwards.
pub(super) trait Visitor {
    /// Turns to docs of a length: whether any of them, or of longer ones, may matter.
    fn turn_to(&mut self, _length: u32) -> bool {
        true
    }
    /// Which docs of this length may matter, by how they hold the rarest term.
    fn gates(&mut self) -> [Pruning; TermField::ALL.len()] {
        [Pruning::Open; _]
    }
    /// Whether a doc behind a guarded gate may matter that holds the rarest term so.
    fn may_matter(&self, _doc: u32, _rarest: TermField) -> bool {
        true
    }
    /// Which of 64 lines of sets may have docs of this length that matter, as bits.
    fn lines(&mut self, _sixty_four: usize) -> u64 {
        u64::MAX
    }
    /// The docs of a line that may matter, at a first look.
    fn first_look(&mut self, _line: usize) -> DocBlock {
        [u64::MAX; _]
    }
    /// Leaves of the docs of a line those that may matter.
    fn thin_out(&mut self, _line: usize, _docs: &mut DocBlock) {}
    /// Takes a doc that holds all terms.
    fn take(&mut self, doc: u32) -> ControlFlow<()>;
}

/// Whether docs may matter: all, some or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pruning {
    Open,
    Guarded,
    Shut,
}

/// The docs of a line, upwards.
#[inline]
pub(super) fn docs(line: u32, docs: &DocBlock) -> impl Iterator<Item = u32> {
    let words = (line * set::WORDS as u32..).zip(docs);
    words.flat_map(|(at, &word)| bits(word).map(move |bit| at * u64::BITS + bit))
}

/// Where the bits of a word stand, upwards.
#[inline]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(lowest)
    })
}

/// The bits of the `at`th word that lie from one bit of all words to another.
pub(super) fn within(at: u32, first: u32, last: u32) -> u64 {
    let start = at * u64::BITS;
    let end = start + (u64::BITS - 1);
    if first > end || last < start {
        return 0;
    }
    u64::MAX << first.saturating_sub(start) & u64::MAX >> end.saturating_sub(last)
}

/// The bits of a line that lie in a range of docs, which is not empty.
pub(super) fn line_within(line: u32, docs: &Range<u32>) -> DocBlock {
    let word = line * set::WORDS as u32;
    std::array::from_fn(|at| within(word + at as u32, docs.start, docs.end - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_at_both_ends() {
        for (first, last) in [(0, 0), (0, 63), (5, 60), (63, 64), (64, 191), (70, 130), (191, 191)] {
            for at in 0..3 {
                let expected = (0..64).filter(|bit| (first..=last).contains(&(at * 64 + bit)));
                assert!(bits(within(at, first, last)).eq(expected), "{at} {first} {last}");
            }
        }
    }
}
