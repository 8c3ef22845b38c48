//! The places of every term.

use std::io;
use std::iter::Peekable;

use bytemuck::{Pod, Zeroable};

use super::super::super::scratch::{Scratch, Sorted, Sorter, TempColumn};
use super::super::step::Step;
use super::super::thin::Thin;
use super::categories::CategoryTerms;
use super::numbers::Numbers;
use super::places::{Places, group};
use super::tokens::SCANNED_TERMS_MAX;
use crate::domain::Country;
use crate::snapshot::columns::ColumnWriter;
use crate::snapshot::layout::{held_term, posting};

/// Bits of [`Record::order`]: from the highest the term, the group of its place, how many terms the place has.
const TERM_FROM: u32 = 16;
const GROUP_FROM: u32 = 8;

/// Turns the terms of places into the postings of terms, one for each place, and counts the priced listings that hold
/// each term.
pub(super) struct Postings<'a> {
    thin: &'a Thin,
    places: &'a Places,
    categories: &'a CategoryTerms,
    sorter: Sorter<Record>,
    /// Priced listings that hold a term of categories by their category alone: by country, then as
    /// [`CategoryTerms::terms`].
    by_category: [Vec<u32>; Country::ALL.len()],
    own: Vec<u32>,
}

/// A posting of a term: by term, then by country, priced ones first, then by number of terms, then by place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
struct Record {
    order: u64,
    posting: u64,
}

/// The columns of terms.
pub(super) struct Inverted {
    ends: TempColumn<u32>,
    postings: TempColumn<u64>,
    held: TempColumn<u8>,
    priced: [TempColumn<u32>; Country::ALL.len()],
}

impl<'a> Postings<'a> {
    /// None yet; they are sorted in so many bytes.
    pub(super) fn new(
        step: &Step<'a>,
        categories: &'a CategoryTerms,
        places: &'a Places,
        bytes: usize,
    ) -> Self {
        Self {
            thin: step.thin,
            places,
            categories,
            sorter: Sorter::new(step.scratch, "postings", bytes),
            by_category: Country::ALL.map(|_| vec![0; categories.terms.len()]),
            own: Vec::new(),
        }
    }

    /// Takes the terms of a place.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(super) fn take(&mut self, place: u32, held_terms: &[u32]) -> io::Result<()> {
        let row = self.places.row[place as usize] as usize;
        let category = self.thin.category[row];
        let own_bits = posting::bits(held_terms.iter().map(|&of| held_term::term(of)));
        let bits = own_bits | self.categories.bits[category as usize];
        let counted = posting::counted(held_terms.len());
        let order = u64::from(group(self.thin, row)) << GROUP_FROM | u64::from(counted);
        for &of in held_terms {
            self.sorter.push(Record {
                order: u64::from(held_term::term(of)) << TERM_FROM | order,
                posting: posting::of(place, held_terms.len(), bits, held_term::held(of)),
            })?;
        }
        if self.thin.is_priced(row) {
            self.count_by_category(row, held_terms, own_bits);
        }
        Ok(())
    }

    /// Counts a priced listing for the terms of its category that neither its name nor its brand has.
    fn count_by_category(&mut self, row: usize, held_terms: &[u32], own_bits: u64) {
        // Names of many terms are looked up in order.
        self.own.clear();
        self.own.extend(held_terms.iter().map(|&of| held_term::term(of)));
        let is_long = self.own.len() > SCANNED_TERMS_MAX;
        if is_long {
            self.own.sort_unstable();
        }
        let counts = &mut self.by_category[self.thin.country(row).as_u8() as usize];
        for &at in self.categories.at(self.thin.category[row]) {
            let term = self.categories.terms[at as usize];
            let may_be_own = own_bits & posting::bit(term) != 0;
            let is_own = may_be_own
                && if is_long { self.own.binary_search(&term).is_ok() } else { self.own.contains(&term) };
            counts[at as usize] += u32::from(!is_own);
        }
    }

    /// The columns of all terms.
    ///
    /// # Errors
    /// When a temporary file cannot be read or written.
    pub(super) fn finish(self, numbers: &Numbers, scratch: &Scratch) -> io::Result<Inverted> {
        let mut records = self.sorter.finish()?.peekable();
        let mut inverted = Inverted {
            ends: TempColumn::new(scratch, "term_ends"),
            postings: TempColumn::new(scratch, "postings"),
            held: TempColumn::new(scratch, "term_held"),
            priced: Country::ALL.map(|_| TempColumn::new(scratch, "term_priced")),
        };
        let mut by_category = self.categories.terms.iter().zip(0..).peekable();
        let mut end = 0;
        for term in 0..numbers.count {
            let (mut held, mut priced) = (0, [0; Country::ALL.len()]);
            if let Some((_, at)) = by_category.next_if(|(of, _)| **of == term) {
                held = self.categories.held[at];
                for (priced, counts) in priced.iter_mut().zip(&self.by_category) {
                    *priced = counts[at];
                }
            }
            while let Some(Record { order, posting }) = next_of(&mut records, term)? {
                held |= 1 << posting::held(posting) as u8;
                let group = order >> GROUP_FROM & 0xff;
                priced[group as usize >> 1] += u32::from(group & 1 == 0);
                inverted.postings.push(posting)?;
                end += 1;
            }
            inverted.ends.push(end)?;
            inverted.held.push(held)?;
            for (column, priced) in inverted.priced.iter_mut().zip(priced) {
                column.push(priced)?;
            }
        }
        Ok(inverted)
    }
}

/// The next record if it is of this term.
fn next_of(records: &mut Peekable<Sorted<Record>>, term: u32) -> io::Result<Option<Record>> {
    let is_of = |record: &io::Result<Record>| match record {
        Ok(record) => record.order >> TERM_FROM == u64::from(term),
        Err(_) => true,
    };
    records.next_if(is_of).transpose()
}

impl Inverted {
    /// Appends the columns to a file.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub(super) fn write(&self, file: &mut ColumnWriter) -> io::Result<()> {
        self.ends.join("term_ends", file)?;
        self.postings.join("postings", file)?;
        self.held.join("term_held", file)?;
        self.priced.iter().try_for_each(|priced| priced.join("term_priced", file))
    }
}
