//! The terms that are known at a time, as they come.

use std::io;

use bytemuck::{Pod, Zeroable};

use super::super::super::scratch::{Scratch, SortedTexts, TextSorter};
use super::interner::Interner;

/// What stands between a term and one of its spellings, in the sort of both. No term has it, and it comes before
/// everything that a term may have, so spellings come right behind their term.
pub(super) const PARTED: char = '\0';

/// Terms as they are first seen, and how names spell them. When they take too much memory they are poured into a sort,
/// and the next *generation* begins, which numbers its terms from 0.
pub(super) struct Vocabulary {
    bytes: usize,
    terms: Interner,
    /// How often names spell each term as it is.
    as_is: Vec<u64>,
    /// Other spellings; each is one term's.
    spellings: Interner,
    /// Term and how often, by spelling.
    spelled: Vec<(u32, u64)>,
    /// Terms and spellings of the generations before.
    sorter: TextSorter<Origin>,
    generation: u32,
}

/// Where a term, or a spelling behind its term, comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Origin {
    /// The generation.
    pub generation: u32,
    /// The number of the term in it.
    pub number: u32,
    /// How often names of the generation spell the term so.
    pub times: u64,
}

impl Vocabulary {
    /// An empty one of about so many bytes, beside a sort of so many.
    pub(super) fn new(scratch: &Scratch, bytes: usize, sort_bytes: usize) -> Self {
        Self {
            bytes,
            terms: Interner::default(),
            as_is: Vec::new(),
            spellings: Interner::default(),
            spelled: Vec::new(),
            sorter: TextSorter::new(scratch, "terms", sort_bytes),
            generation: 0,
        }
    }

    /// The number of a term in its generation.
    pub(super) fn number_of(&mut self, term: &str) -> u32 {
        let number = self.terms.number_of(term);
        if number as usize == self.as_is.len() {
            self.as_is.push(0);
        }
        number
    }

    /// Counts a spelling of a term of this generation.
    pub(super) fn spell(&mut self, term: u32, spelling: &str) {
        if self.terms.get(term) == spelling {
            self.as_is[term as usize] += 1;
            return;
        }
        let number = self.spellings.number_of(spelling) as usize;
        if number == self.spelled.len() {
            self.spelled.push((term, 0));
        }
        self.spelled[number].1 += 1;
    }

    /// Begins the next generation if this one takes too much memory. Says whether it did.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(super) fn renew(&mut self) -> io::Result<bool> {
        let held = self.terms.held_bytes()
            + self.spellings.held_bytes()
            + size_of::<u64>() * self.as_is.capacity()
            + size_of::<(u32, u64)>() * self.spelled.capacity();
        if held <= self.bytes {
            return Ok(false);
        }
        self.pour()?;
        self.generation += 1;
        Ok(true)
    }

    fn pour(&mut self) -> io::Result<()> {
        let Self { generation, sorter, .. } = self;
        let terms = std::mem::take(&mut self.terms);
        let origin = |number, times| Origin { generation: *generation, number, times };
        for (number, times) in (0..).zip(std::mem::take(&mut self.as_is)) {
            sorter.push(terms.get(number), origin(number, times))?;
        }
        let (spellings, mut text) = (std::mem::take(&mut self.spellings), String::new());
        for (at, (term, times)) in (0..).zip(std::mem::take(&mut self.spelled)) {
            text.clear();
            text.push_str(terms.get(term));
            text.push(PARTED);
            text.push_str(spellings.get(at));
            sorter.push(&text, origin(term, times))?;
        }
        Ok(())
    }

    /// The terms of all generations, each followed by its spellings, in order; and how many generations there are. The
    /// terms of `more` come as a generation behind them, by their place.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(super) fn finish<'a>(
        mut self,
        more: impl Iterator<Item = &'a str>,
    ) -> io::Result<(SortedTexts<Origin>, u32)> {
        self.pour()?;
        let generation = self.generation + 1;
        for (number, term) in (0..).zip(more) {
            self.sorter.push(term, Origin { generation, number, times: 0 })?;
        }
        Ok((self.sorter.finish()?, generation))
    }
}
