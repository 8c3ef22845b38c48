//! The terms of every doc.

use std::io;
use std::ops::Range;

use rayon::prelude::*;

use super::super::super::scratch::{Scratch, TempColumn};
use super::doc_ordinals::DocOrdinals;
use super::labels::Labels;
use super::numbers::Numbers;
use super::tokens::Tokens;
use super::vocabulary::Vocabulary;
use super::{DOC_TERMS_MAX, too_many};
use crate::index::writer::WriterContext;
use crate::lang::Lexicon;
use crate::snapshot::Strings;
use crate::snapshot::columns::ColumnWriter;
use crate::snapshot::layout::term_field;

/// Listings, and bytes of names, that are split at a time: enough for all threads, and a few megabytes of terms.
const LISTINGS_AT_A_TIME: usize = 1 << 13;
const NAME_BYTES_AT_A_TIME: usize = 1 << 20;
/// Ranges of docs whose terms are counted, to put about as many into each file.
const RANGES_MAX: usize = 1 << 12;
/// Least and most bytes of a file that wait until they are written.
const WRITE_BYTES: (usize, usize) = (1 << 12, 1 << 18);
/// What stands before the terms of a doc: the doc, how many terms it has, how many of them are its name's.
const HEAD: usize = 3;

/// The terms of listings in their order, with the numbers of their generations.
pub(super) struct NameTerms {
    /// Terms of each listing, how many of them are its name's, and its length.
    counts: TempColumn<[u32; 3]>,
    terms: TempColumn<u32>,
    /// The quantities that names state, and where those of each listing end.
    quantities: TempColumn<u64>,
    quantity_ends: TempColumn<u64>,
    /// The first listing of each generation.
    generations: Vec<u32>,
}

/// The terms of docs, dealt out to ranges of docs of which each fits the memory.
pub(super) struct Forward {
    parts: Vec<Part>,
    quantities: TempColumn<u64>,
    quantity_ends: TempColumn<u64>,
}

struct Part {
    docs: Range<u32>,
    /// Of each doc: [`HEAD`] and its terms.
    words: TempColumn<u32>,
}

impl NameTerms {
    /// Splits the names of all listings.
    ///
    /// # Errors
    /// When they have more terms than an index holds, or a file cannot be read or written.
    pub(super) fn names(
        step: &WriterContext<'_>,
        labels: &Labels,
        vocabulary: &mut Vocabulary,
    ) -> io::Result<Self> {
        let mut read = Self {
            counts: TempColumn::new(step.scratch, "term-counts"),
            terms: TempColumn::new(step.scratch, "terms-of-listings"),
            quantities: TempColumn::new(step.scratch, "quantities"),
            quantity_ends: TempColumn::new(step.scratch, "quantity-ends"),
            generations: vec![0],
        };
        let (mut row, mut split) = (0, Vec::new());
        loop {
            let names =
                step.listings.strings_from("name", row as u64, LISTINGS_AT_A_TIME, NAME_BYTES_AT_A_TIME)?;
            // Names are split while the terms of those before are numbered.
            let before = std::mem::take(&mut split);
            let (following, taken) = rayon::join(
                || split_names(step, labels, row, &names),
                || read.take(&step.names.lexicon, before, vocabulary),
            );
            taken?;
            if names.is_empty() {
                break;
            }
            row += names.len();
            split = following;
        }
        if read.terms.len() > DOC_TERMS_MAX {
            let found = format!("the names of listings have {} terms in total", read.terms.len());
            return Err(too_many(&found, DOC_TERMS_MAX));
        }
        Ok(read)
    }

    fn take(
        &mut self,
        lexicon: &Lexicon,
        listings: Vec<Tokens>,
        vocabulary: &mut Vocabulary,
    ) -> io::Result<()> {
        let mut held_terms = Vec::new();
        for tokens in listings {
            held_terms.clear();
            for (term, held) in &tokens.terms {
                held_terms.push(term_field::of(vocabulary.number_of(term), *held));
            }
            for (at, spelling) in &tokens.spellings {
                vocabulary.spell(term_field::term(held_terms[*at as usize]), spelling);
            }
            self.terms.extend(&held_terms)?;
            self.quantities.extend(&tokens.quantities)?;
            self.quantity_ends.push(self.quantities.len())?;
            self.counts.push([held_terms.len() as u32, tokens.name_terms as u32, tokens.length(lexicon)])?;
            if vocabulary.renew()? {
                self.generations.push(self.counts.len() as u32);
            }
        }
        Ok(())
    }

    /// The length of each listing.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(super) fn lengths(&self) -> io::Result<Vec<u32>> {
        let mut lengths = Vec::with_capacity(self.counts.len() as usize);
        self.each_count(|_, [_, _, length]| lengths.push(length))?;
        Ok(lengths)
    }

    /// Calls `each` with every listing, how many terms it has, how many of them are its name's, and its length.
    fn each_count(&self, mut each: impl FnMut(u32, [u32; 3])) -> io::Result<()> {
        let (mut reader, mut row) = (self.counts.read(), 0);
        while let Some(chunk) = reader.next_chunk()? {
            for &counts in chunk {
                each(row, counts);
                row += 1;
            }
        }
        Ok(())
    }
}

fn split_names(step: &WriterContext<'_>, labels: &Labels, from: usize, names: &Strings) -> Vec<Tokens> {
    let split = |at: usize| {
        let row = from + at;
        Tokens::of(&step.names.lexicon, names.get(at), step.keys.brand[row], step.keys.category[row], labels)
    };
    (0..names.len()).into_par_iter().map(split).collect()
}

impl Forward {
    /// Puts the terms of listings, as they were read, in the order of docs, in about so many bytes.
    ///
    /// # Errors
    /// When a temporary file cannot be read or written.
    pub(super) fn of(
        read: NameTerms,
        numbers: &Numbers,
        docs: &DocOrdinals,
        (scratch, bytes): (&Scratch, usize),
    ) -> io::Result<Self> {
        let (mut parts, part_of, shift) = parts(&read, docs, (scratch, bytes))?;
        let (mut generation, mut number, mut from) = (0, numbers.of_generation(0)?, 0);
        let (mut row, mut counts, mut terms) = (0, Vec::new(), Vec::new());
        while row < docs.row.len() {
            counts.resize(LISTINGS_AT_A_TIME.min(docs.row.len() - row), [0; 3]);
            read.counts.read_at(row as u64, &mut counts)?;
            terms.resize(counts.iter().map(|counts| counts[0] as usize).sum(), 0);
            read.terms.read_at(from, &mut terms)?;
            from += terms.len() as u64;
            let mut rest = terms.as_mut_slice();
            for &[count, name_terms, _] in &counts {
                while read.generations.get(generation + 1).is_some_and(|&first| first as usize <= row) {
                    generation += 1;
                    number = numbers.of_generation(generation)?;
                }
                let (own, more) = rest.split_at_mut(count as usize);
                for of in own.iter_mut() {
                    *of = term_field::of(number[term_field::term(*of) as usize], term_field::held(*of));
                }
                let doc = docs.doc[row];
                let words = &mut parts[part_of[doc as usize >> shift] as usize].words;
                words.extend(&[doc, count, name_terms])?;
                words.extend(own)?;
                (rest, row) = (more, row + 1);
            }
        }
        let NameTerms { quantities, quantity_ends, .. } = read;
        Ok(Self { parts, quantities, quantity_ends })
    }

    /// Writes the terms of docs to a file, and hands those of each doc over.
    ///
    /// # Errors
    /// When files cannot be read or written, or `each` says so.
    pub(super) fn write(
        self,
        file: &mut ColumnWriter,
        scratch: &Scratch,
        mut each: impl FnMut(u32, &[u32]) -> io::Result<()>,
    ) -> io::Result<()> {
        let column = |name| TempColumn::<u32>::new(scratch, name);
        let (mut ends, mut terms, mut name_terms) =
            (column("place_ends"), column("place_terms"), column("name_terms"));
        let mut end = 0;
        for Part { docs, words } in self.parts {
            let mut all = vec![0; words.len() as usize];
            words.read_at(0, &mut all)?;
            let mut heads = vec![0; docs.len()];
            let mut at = 0;
            while let Some(&[doc, count, _]) = all.get(at..at + HEAD) {
                heads[(doc - docs.start) as usize] = at;
                at += HEAD + count as usize;
            }
            for (doc, head) in docs.zip(heads) {
                let own = &all[head + HEAD..][..all[head + 1] as usize];
                end += own.len() as u32;
                ends.push(end)?;
                terms.extend(own)?;
                name_terms.push(all[head + 2])?;
                each(doc, own)?;
            }
        }
        ends.join("place_ends", file)?;
        terms.join("place_terms", file)?;
        name_terms.join("name_terms", file)?;
        self.quantity_ends.join("quantity_ends", file)?;
        self.quantities.join("quantities", file)
    }
}

/// Parts of about so many bytes, the part of each range of docs, and how many bits of a doc are left out in the number
/// of its range.
fn parts(
    read: &NameTerms,
    docs: &DocOrdinals,
    (scratch, bytes): (&Scratch, usize),
) -> io::Result<(Vec<Part>, Vec<u32>, u32)> {
    let count = docs.row.len();
    let shift = (0..u32::BITS).find(|shift| count >> shift < RANGES_MAX).unwrap_or(u32::BITS);
    let mut words = vec![0_u64; (count >> shift) + 1];
    read.each_count(|row, [terms, ..]| {
        words[docs.doc[row as usize] as usize >> shift] += HEAD as u64 + u64::from(terms);
    })?;
    let words_max = (bytes / size_of::<u32>()) as u64;
    let (mut part_of, mut ends, mut held) = (Vec::with_capacity(words.len()), Vec::new(), 0);
    for (range, words) in words.into_iter().enumerate() {
        if held > 0 && held + words > words_max {
            ends.push((range << shift) as u32);
            held = 0;
        }
        held += words;
        part_of.push(ends.len() as u32);
    }
    ends.push(count as u32);
    let buffer = match ends.len() {
        1 => bytes,
        more => (bytes / more).clamp(WRITE_BYTES.0, WRITE_BYTES.1),
    };
    let mut from = 0;
    let part = |end| Part {
        docs: std::mem::replace(&mut from, end)..end,
        words: TempColumn::with_buffer(scratch, "terms-of-places", buffer),
    };
    Ok((ends.into_iter().map(part).collect(), part_of, shift))
}
