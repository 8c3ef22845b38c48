//! The collector interface. A doc *matters* if the collector may keep it. By these callbacks, a walk over docs skips
//! docs that do not matter.

use std::ops::{ControlFlow, Range};

use crate::snapshot::layout::TermField;
use crate::snapshot::layout::set::{self, DocBlock};

/// Receives the docs that contain all terms, in ascending order.
pub(super) trait Visitor {
    /// Starts the docs of a length. Returns whether any doc of this length or a greater one may matter.
    fn turn_to(&mut self, _length: u32) -> bool {
        true
    }
    /// Whether docs of this length may matter, for each field in which they can contain the rarest term.
    fn gates(&mut self) -> [Pruning; TermField::ALL.len()] {
        [Pruning::Open; _]
    }
    /// Whether a doc that contains the rarest term in this field may matter. Called only if [`Visitor::gates`] returned
    /// [`Pruning::Guarded`] for this field.
    fn may_matter(&self, _doc: u32, _rarest: TermField) -> bool {
        true
    }
    /// The lines, among 64 consecutive lines of a set, that may contain docs of this length that matter, as a bit mask.
    fn lines(&mut self, _sixty_four: usize) -> u64 {
        u64::MAX
    }
    /// A superset of the docs of a line that may matter, computed without examining single docs.
    fn first_look(&mut self, _line: usize) -> DocBlock {
        [u64::MAX; _]
    }
    /// Removes the docs of a line that cannot matter.
    fn thin_out(&mut self, _line: usize, _docs: &mut DocBlock) {}
    /// Receives a doc that contains all terms.
    fn take(&mut self, doc: u32) -> ControlFlow<()>;
}

/// Whether docs may matter: all of them, some of them, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pruning {
    Open,
    Guarded,
    Shut,
}

/// The docs of a line, in ascending order.
#[inline]
pub(super) fn docs(line: u32, docs: &DocBlock) -> impl Iterator<Item = u32> {
    let words = (line * set::WORDS as u32..).zip(docs);
    words.flat_map(|(at, &word)| bits(word).map(move |bit| at * u64::BITS + bit))
}

/// The positions of the set bits of a word, in ascending order.
#[inline]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(lowest)
    })
}

/// A mask of the bits of word `at` that lie between two bit positions, both inclusive.
pub(super) fn within(at: u32, first: u32, last: u32) -> u64 {
    let start = at * u64::BITS;
    let end = start + (u64::BITS - 1);
    if first > end || last < start {
        return 0;
    }
    u64::MAX << first.saturating_sub(start) & u64::MAX >> end.saturating_sub(last)
}

/// A mask of the bits of a line that lie in a range of docs. The range must not be empty.
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
