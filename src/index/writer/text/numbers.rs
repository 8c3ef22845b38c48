//! The numbers of all terms: their positions in order.

use std::io;

use super::super::super::scratch::{Scratch, SortedTexts, TempColumn, TempColumns};
use super::check_terms;
use super::labels::Labels;
use super::vocabulary::{Origin, PARTED, Vocabulary};
use crate::snapshot::Strings;
use crate::snapshot::columns::{ColumnSink, ColumnWriter};
use crate::snapshot::layout::letters;

/// Terms that are written at a time.
const TERMS_AT_A_TIME: usize = 1 << 12;

/// All terms in order, as columns, and what number each has that had another.
pub(super) struct Numbers {
    /// How many terms there are.
    pub count: u32,
    /// The number of each term of the labels of categories, in the order of the labels.
    pub of_labels: Vec<u32>,
    /// Of each generation: the numbers of terms in it and among all.
    of_generations: Vec<TempColumn<[u32; 2]>>,
    columns: TempColumns,
}

/// The term that is being put together: its text, and which of its spellings is the most frequent so far, the first in
/// order of two.
#[derive(Default)]
struct Current {
    term: String,
    as_is: u64,
    spelling: String,
    times: u64,
    best: String,
    best_times: u64,
}

impl Numbers {
    /// Numbers the terms.
    ///
    /// # Errors
    /// When there are too many, or a temporary file cannot be read or written.
    pub(super) fn of(vocabulary: Vocabulary, labels: &Labels, scratch: &Scratch) -> io::Result<Self> {
        let (mut sorted, generations) = vocabulary.finish(labels.categories.all())?;
        let of_generation = |_| TempColumn::new(scratch, "term-numbers");
        let mut numbers = Self {
            count: 0,
            of_labels: vec![0; labels.categories.all().count()],
            of_generations: (0..generations).map(of_generation).collect(),
            columns: TempColumns::new(scratch),
        };
        numbers.read(&mut sorted)?;
        Ok(numbers)
    }

    fn read(&mut self, sorted: &mut SortedTexts<Origin>) -> io::Result<()> {
        let (mut terms, mut current) = (Columns::default(), Current::default());
        terms.write(&mut self.columns)?;
        while let Some((text, origin)) = sorted.next()? {
            if let Some((_, spelling)) = text.split_once(PARTED) {
                current.spell(spelling, origin.times);
                continue;
            }
            if self.count == 0 || text != current.term {
                if self.count > 0 {
                    terms.push(&mut current);
                }
                current.begin(text);
                self.count += 1;
                check_terms(self.count.into())?;
                if terms.letters.len() == TERMS_AT_A_TIME {
                    terms.write(&mut self.columns)?;
                }
            }
            current.as_is += origin.times;
            let number = self.count - 1;
            match self.of_generations.get_mut(origin.generation as usize) {
                Some(numbers) => numbers.push([origin.number, number])?,
                None => self.of_labels[origin.number as usize] = number,
            }
        }
        if self.count > 0 {
            terms.push(&mut current);
        }
        terms.write(&mut self.columns)
    }

    /// The number among all terms of each term of a generation.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(super) fn of_generation(&self, generation: usize) -> io::Result<Vec<u32>> {
        let known = &self.of_generations[generation];
        let mut numbers = vec![0; known.len() as usize];
        let mut reader = known.read();
        while let Some(chunk) = reader.next_chunk()? {
            for &[number, among_all] in chunk {
                numbers[number as usize] = among_all;
            }
        }
        Ok(numbers)
    }

    /// Appends letters, terms and spellings to a file.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub(super) fn write(mut self, file: &mut ColumnWriter) -> io::Result<()> {
        ["term_letters", "term", "term_spelled"]
            .into_iter()
            .try_for_each(|name| self.columns.join(name, file))
    }
}

impl Current {
    fn begin(&mut self, term: &str) {
        self.term.clear();
        self.term.push_str(term);
        self.spelling.clear();
        self.best.clear();
        (self.as_is, self.times, self.best_times) = (0, 0, 0);
    }

    /// Counts a spelling; equal ones come one after the other.
    fn spell(&mut self, spelling: &str, times: u64) {
        if spelling != self.spelling {
            self.settle();
            self.spelling.push_str(spelling);
        }
        self.times += times;
    }

    /// Ends a spelling: of two that are equally frequent the first counts.
    fn settle(&mut self) {
        if self.times > self.best_times {
            std::mem::swap(&mut self.best, &mut self.spelling);
            self.best_times = self.times;
        }
        self.spelling.clear();
        self.times = 0;
    }

    /// The most frequent spelling; nothing where that is the term itself, or names never have it.
    fn best(&mut self) -> &str {
        self.settle();
        if self.as_is > self.best_times || self.as_is == self.best_times && self.term < self.best {
            self.best.clear();
        }
        &self.best
    }
}

/// Columns of terms while they are put together.
#[derive(Default)]
struct Columns {
    terms: Strings,
    spelled: Strings,
    letters: Vec<u32>,
}

impl Columns {
    fn push(&mut self, current: &mut Current) {
        self.spelled.push(current.best());
        self.terms.push(&current.term);
        self.letters.push(letters::of(&current.term));
    }

    fn write(&mut self, columns: &mut TempColumns) -> io::Result<()> {
        columns.append_strings("term", self.terms.view())?;
        columns.append_strings("term_spelled", self.spelled.view())?;
        columns.column("term_letters", &self.letters)?;
        *self = Self::default();
        Ok(())
    }
}
