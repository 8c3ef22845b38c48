//! The docs of every term.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use super::super::super::scratch::{Scratch, Sorter, TempColumn};
use super::super::listing_key::ListingKeys;
use super::doc_ordinals::DocOrdinals;
use super::labels::Labels;
use super::numbers::Numbers;
use super::tokens::SCANNED_TERMS_MAX;
use crate::index::normalized::{NONE, Names};
use crate::index::writer::WriterContext;
use crate::snapshot::columns::ColumnWriter;
use crate::snapshot::layout::{TermField, posting, set, term_field};
use crate::types::Country;

/// Turns the terms of docs into the postings of terms, and counts the priced listings that hold each term.
pub(super) struct Postings<'a> {
    keys: &'a ListingKeys,
    docs: &'a DocOrdinals,
    categories: &'a CategoryTerms,
    /// The term, then its posting.
    sorter: Sorter<u64>,
    own: Vec<u32>,
}

/// The columns of terms.
pub(super) struct Inverted {
    ends: TempColumn<u64>,
    postings: TempColumn<u32>,
    held: TempColumn<u8>,
    priced: [TempColumn<u32>; Country::ALL.len()],
    sets: Sets,
}

/// The sets of frequent terms.
struct Sets {
    /// How many docs there are.
    docs: usize,
    terms: TempColumn<u32>,
    words: TempColumn<u64>,
    before: TempColumn<u32>,
    /// Those of these terms that name things, and where they do.
    type_terms: TempColumn<u32>,
    things: TempColumn<u64>,
    filled: TempColumn<u64>,
}

impl<'a> Postings<'a> {
    /// None yet; they are sorted in so many bytes.
    pub(super) fn new(
        step: &WriterContext<'a>,
        categories: &'a CategoryTerms,
        docs: &'a DocOrdinals,
        bytes: usize,
    ) -> Self {
        let sorter = Sorter::new(step.scratch, "postings", bytes);
        Self { keys: step.keys, docs, categories, sorter, own: Vec::new() }
    }

    /// Takes the terms of a doc; those of its category are added.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(super) fn take(&mut self, doc: u32, held_terms: &[u32]) -> io::Result<()> {
        self.own.clear();
        self.own.extend(held_terms.iter().map(|&of| term_field::term(of)));
        // Names of many terms are looked up in order.
        let is_long = self.own.len() > SCANNED_TERMS_MAX;
        if is_long {
            self.own.sort_unstable();
        }
        let is_own = |term: &u32| {
            if is_long { self.own.binary_search(term).is_ok() } else { self.own.contains(term) }
        };
        let category = self.keys.category[self.docs.row[doc as usize] as usize];
        let by_category = self.categories.at(category).iter().filter(|&&of| !is_own(&term_field::term(of)));
        for &of in held_terms.iter().chain(by_category) {
            let posting = posting::of(doc, term_field::held(of));
            self.sorter.push(u64::from(term_field::term(of)) << u32::BITS | u64::from(posting))?;
        }
        Ok(())
    }

    /// The columns of all terms.
    ///
    /// # Errors
    /// When a temporary file cannot be read or written.
    pub(super) fn finish(self, numbers: &Numbers, scratch: &Scratch) -> io::Result<Inverted> {
        let priced = Country::ALL.map(|country| self.docs.priced(self.keys, country));
        let mut records = self.sorter.finish()?.peekable();
        let mut inverted = Inverted::new(scratch, self.docs.row.len());
        let mut of_term = Vec::new();
        for term in 0..numbers.count {
            of_term.clear();
            while let Some(record) = records.next_if(|record| is_of(term, record)) {
                of_term.push(record? as u32);
            }
            inverted.push(term, &of_term, &priced)?;
        }
        Ok(inverted)
    }
}

/// Whether a record, or the fault instead of one, is met with this term.
fn is_of(term: u32, record: &io::Result<u64>) -> bool {
    record.as_ref().map_or(true, |record| record >> u32::BITS == u64::from(term))
}

impl Inverted {
    fn new(scratch: &Scratch, docs: usize) -> Self {
        Self {
            ends: TempColumn::new(scratch, "term_ends"),
            postings: TempColumn::new(scratch, "postings"),
            held: TempColumn::new(scratch, "term_held"),
            priced: Country::ALL.map(|_| TempColumn::new(scratch, "term_priced")),
            sets: Sets {
                docs,
                terms: TempColumn::new(scratch, "set_terms"),
                words: TempColumn::new(scratch, "set_words"),
                before: TempColumn::new(scratch, "set_before"),
                type_terms: TempColumn::new(scratch, "thing_terms"),
                things: TempColumn::new(scratch, "thing_words"),
                filled: TempColumn::new(scratch, "thing_lines"),
            },
        }
    }

    /// Takes the postings of the next term.
    fn push(
        &mut self,
        term: u32,
        postings: &[u32],
        priced: &[Range<u32>; Country::ALL.len()],
    ) -> io::Result<()> {
        self.postings.extend(postings)?;
        self.ends.push(self.postings.len())?;
        self.held.push(postings.iter().fold(0, |held, &of| held | 1 << posting::held(of) as u8))?;
        let before = |end: u32| postings.partition_point(|&of| posting::doc(of) < end) as u32;
        for (column, range) in self.priced.iter_mut().zip(priced) {
            column.push(before(range.end) - before(range.start))?;
        }
        if set::is_due(postings.len(), self.sets.docs) { self.sets.push(term, postings) } else { Ok(()) }
    }

    /// Appends the columns to a file.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub(super) fn write(&self, file: &mut ColumnWriter) -> io::Result<()> {
        self.ends.join("term_ends", file)?;
        self.postings.join("postings", file)?;
        self.held.join("term_held", file)?;
        self.priced.iter().try_for_each(|priced| priced.join("term_priced", file))?;
        self.sets.write(file)
    }
}

impl Sets {
    /// Takes the set of the next frequent term.
    fn push(&mut self, term: u32, postings: &[u32]) -> io::Result<()> {
        let lines = set::of(postings.iter().map(|&of| posting::doc(of)), self.docs);
        self.terms.push(term)?;
        self.words.extend(lines.as_flattened())?;
        set::before(&lines).try_for_each(|before| self.before.push(before))?;
        let mut things = postings.iter().filter(|&&of| posting::held(of).is_product_type()).peekable();
        if things.peek().is_some() {
            let lines = set::of(things.map(|&of| posting::doc(of)), self.docs);
            self.type_terms.push(term)?;
            self.things.extend(lines.as_flattened())?;
            set::filled(&lines).try_for_each(|filled| self.filled.push(filled))?;
        }
        Ok(())
    }

    /// Appends the columns to a file.
    fn write(&self, file: &mut ColumnWriter) -> io::Result<()> {
        self.terms.join("set_terms", file)?;
        self.words.join("set_words", file)?;
        self.before.join("set_before", file)?;
        self.type_terms.join("thing_terms", file)?;
        self.things.join("thing_words", file)?;
        self.filled.join("thing_lines", file)
    }
}

/// The terms of every category's path and how its listings hold them by it.
pub(super) struct CategoryTerms {
    /// The terms of category `i` end at `ends[i]`.
    ends: Vec<usize>,
    held_terms: Vec<u32>,
}

impl CategoryTerms {
    /// What the paths of categories say, given what their labels do.
    pub(super) fn of(names: &Names, labels: &Labels, numbers: &Numbers) -> Self {
        let mut all = Self { ends: Vec::new(), held_terms: Vec::new() };
        for (at, category) in (0..).zip(&names.categories) {
            let numbered = numbers.of_labels[labels.categories.range(at)].iter();
            let held = labels.categories.get(at).filter_map(|term| labels.held(at, term));
            let mut last: BTreeMap<u32, TermField> = numbered.copied().zip(held).collect();
            let above: &[u32] = if category.parent == NONE { &[] } else { all.at(category.parent) };
            for &of in above {
                last.entry(term_field::term(of)).or_insert(TermField::Above);
            }
            all.held_terms.extend(last.into_iter().map(|(term, held)| term_field::of(term, held)));
            all.ends.push(all.held_terms.len());
        }
        all
    }

    /// The terms of a category's path, each once, and how its listings hold them by it.
    pub(super) fn at(&self, category: u32) -> &[u32] {
        let category = category as usize;
        let from = if category == 0 { 0 } else { self.ends[category - 1] };
        &self.held_terms[from..self.ends[category]]
    }
}
