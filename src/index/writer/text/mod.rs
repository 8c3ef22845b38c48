//! Writes the text index: the terms of each listing, and the listings of each term.
//!
//! A listing has a *doc ordinal*, by which postings name it. Doc ordinals are assigned in the order of the index
//! ([`crate::search::index`]), so a search meets the better of two equal matches first. The terms of each doc ordinal
//! are kept beside the postings of each term. The terms of a category are kept by category; only counts and the bits
//! of postings know of both.
//!
//! The index is made within a bound of memory, in four passes. Each pass reads its input in the order in which it
//! lies:
//!
//! ```text
//! names ─tokens, vocabulary─▶ terms by listing, numbered as they came   (a full vocabulary is moved to the sort and emptied)
//!       ─numbers─▶ all terms in order                                (sort of terms and spellings)
//!       ─forward─▶ terms by doc ordinal                              (distributed to ranges of doc ordinals)
//!       ─postings─▶ doc ordinals by term                             (sort of postings)
//! ```
//!
//! A vocabulary that was emptied numbers its terms from 0 again. The sort gives each generation the final numbers of its
//! terms. In the sort the spellings of a term follow the term itself, so its most frequent spelling is known before
//! the next term begins.

mod doc_ordinals;
mod forward;
mod interner;
mod labels;
mod numbers;
mod postings;
mod tokens;
mod vocabulary;

use std::io;
use std::path::Path;

use self::postings::CategoryTerms;
use super::WriterContext;
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout::term_field;
use doc_ordinals::DocOrdinals;
use forward::{Forward, NameTerms};
use labels::Labels;
use numbers::Numbers;
use postings::Postings;
use vocabulary::Vocabulary;

/// Of the memory of the step, these parts go to the terms that are known at a time, to the sort that numbers them, to
/// the docs whose terms are put in order at a time, and to the sort of postings: 1 in so many.
const LEXICON_SHARE: u64 = 8;
const NUMBERS_SHARE: u64 = 8;
const DOCS_SHARE: u64 = 8;
const POSTINGS_SHARE: u64 = 3;
/// The vocabulary needs no more.
const LEXICON_BYTES_MAX: usize = 1 << 30;

/// Writes the index to `path`.
///
/// # Errors
/// When the names have more terms than an index holds, or a file cannot be read or written.
pub(super) fn write(step: &WriterContext<'_>, path: &Path) -> io::Result<Written> {
    let labels = Labels::of(step.names);
    let mut vocabulary = Vocabulary::new(
        step.scratch,
        step.share(LEXICON_SHARE).min(LEXICON_BYTES_MAX),
        step.share(NUMBERS_SHARE),
    );
    let read = NameTerms::names(step, &labels, &mut vocabulary)?;
    let docs = DocOrdinals::of(step.keys, &read.lengths()?);
    let numbers = Numbers::of(vocabulary, &labels, step.scratch)?;
    let categories = CategoryTerms::of(step.names, &labels, &numbers);
    drop(labels);
    let forward = Forward::of(read, &numbers, &docs, (step.scratch, step.share(DOCS_SHARE)))?;
    let mut file = ColumnWriter::create(path)?;
    file.column("place_row", &docs.row)?;
    file.column("row_place", &docs.doc)?;
    file.column("place_rank", &docs.rank)?;
    let mut postings = Postings::new(step, &categories, &docs, step.share(POSTINGS_SHARE));
    forward.write(&mut file, step.scratch, |doc, terms| postings.take(doc, terms))?;
    postings.finish(&numbers, step.scratch)?.write(&mut file)?;
    numbers.write(&mut file)?;
    file.finish()
}

/// Most terms of all names and brands together, each counted once a doc: their positions have 32 bits.
const DOC_TERMS_MAX: u64 = u32::MAX as u64;

fn too_many(what: &str, most: u64) -> io::Error {
    io::Error::other(format!(
        "{what}, but a snapshot can contain at most {most}: check whether the name column contains other data, or \
         split the input into several snapshots"
    ))
}

fn check_terms(terms: u64) -> io::Result<()> {
    let most = term_field::TERMS_MAX as u64;
    if terms > most { Err(too_many("the names have too many distinct terms", most)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
