//! Text search over names and brands: every term must match, ranked by BM25.
//!
//! The index is read straight from the snapshot's mapping. Document ids are listing rows, so a country is a range
//! of documents and what may match is decided by looking at the listing's columns.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, OwnedBytes, RamDirectory, WatchCallback, WatchHandle,
    WritePtr,
};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::{FieldEntry, FieldType, IndexRecordOption};
use tantivy::{DocSet, Index, InvertedIndexReader, ReloadPolicy, TERMINATED, Term};

use crate::snapshot::layout::TEXT_FIELD;
use crate::snapshot::manifest::Verification;
use crate::snapshot::mapped::Mapping;

/// Weight of repetition in BM25.
const K1: f32 = 1.2;
/// Weight of document length in BM25.
const B: f32 = 0.75;

/// The text index of a snapshot.
pub struct TextIndex {
    field: tantivy::schema::Field,
    inverted: Arc<InvertedIndexReader>,
    norms: FieldNormReader,
    documents: u32,
    /// The length part of BM25's denominator, by field norm id.
    length: Vec<f32>,
}

/// A listing that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Row of the listing.
    pub row: u32,
    /// BM25 over all terms of the query, those that were dropped too.
    pub score: f32,
}

/// What a query matched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// How many leading terms had to match; the rest was dropped.
    pub kept: usize,
    /// Every match, by row.
    pub hits: Vec<Hit>,
}

/// A term of the query as the index knows it. Its postings are opened when they are first needed.
struct Known {
    info: TermInfo,
    weight: f32,
    postings: Option<SegmentPostings>,
}

impl TextIndex {
    /// Opens the index whose mapped files are `files`, by name; it must hold `rows` documents. Its own checksums are
    /// part of a full verification.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn open(
        files: BTreeMap<String, Mapping>,
        rows: usize,
        verification: Verification,
    ) -> Result<Self, String> {
        let fault = |fault: &dyn fmt::Display| format!("the text index does not open: {fault}");
        let summed = |name: &&String| verification == Verification::Full && *name != "meta.json";
        let names: Vec<String> = files.keys().filter(summed).cloned().collect();
        let index = Index::open(MappedDirectory(Arc::new(files))).map_err(|error| fault(&error))?;
        // Its own checksums: what the manifest vouches for may still be no index.
        for name in names {
            let path = Path::new(&name);
            if !index.directory().validate_checksum(path).map_err(|error| fault(&error))? {
                return Err(fault(&format_args!("{name} does not have its own checksum")));
            }
        }
        let field = index.schema().get_field(TEXT_FIELD).map_err(|error| fault(&error))?;
        if !has_frequencies(index.schema().get_field_entry(field)) {
            return Err(fault(&format_args!("its field {TEXT_FIELD} holds no term frequencies or lengths")));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let reader: tantivy::IndexReader =
            reader.try_into().map_err(|error: tantivy::TantivyError| fault(&error))?;
        let searcher = reader.searcher();
        let [segment] = searcher.segment_readers() else { return Err(fault(&"it is not one segment")) };
        if segment.max_doc() as usize != rows || segment.has_deletes() {
            return Err(fault(&format_args!("it has {} documents for {rows} listings", segment.max_doc())));
        }
        let inverted = segment.inverted_index(field).map_err(|error| fault(&error))?;
        let norms = segment.get_fieldnorms_reader(field).map_err(|error| fault(&error))?;
        let average = inverted.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
        let length = (0..=u8::MAX)
            .map(|id| K1 * (1.0 - B + B * FieldNormReader::id_to_fieldnorm(id) as f32 / average))
            .collect();
        Ok(Self { field, inverted, norms, documents: segment.max_doc(), length })
    }

    /// Every listing in `rows` that `accept` takes and that holds all of `terms`; where there is none, the last
    /// term is dropped until there is one or no term is left.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search(
        &self,
        terms: &[String],
        rows: Range<u32>,
        accept: impl Fn(u32) -> bool,
    ) -> io::Result<Matches> {
        let mut terms = self.look_up(terms)?;
        let known = terms.iter().take_while(|term| term.is_some()).count();
        let mut found = self.intersect(&mut terms[..known], &rows, &accept)?;
        let mut kept = known;
        if found.is_empty() {
            (kept, found) = self.longest_prefix(&mut terms[..known], &rows, &accept)?;
        }
        Ok(Matches { kept, hits: self.score(&mut terms, &found)? })
    }

    /// Every listing in `rows` that `accept` takes and that holds all of `terms`.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search_all(
        &self,
        terms: &[String],
        rows: Range<u32>,
        accept: impl Fn(u32) -> bool,
    ) -> io::Result<Vec<Hit>> {
        let mut terms = self.look_up(terms)?;
        if terms.iter().any(Option::is_none) {
            return Ok(Vec::new());
        }
        let found = self.intersect(&mut terms, &rows, &accept)?;
        self.score(&mut terms, &found)
    }

    /// The terms of a query, once each, in order; `None` for those that no listing holds.
    fn look_up(&self, terms: &[String]) -> io::Result<Vec<Option<Known>>> {
        let look_up = |text: &String| {
            let info = self.inverted.get_term_info(&Term::from_field_text(self.field, text))?;
            Ok(info.map(|info| Known { weight: self.weight(info.doc_freq), info, postings: None }))
        };
        terms.iter().map(look_up).collect()
    }

    /// Inverse document frequency times (k1 + 1).
    fn weight(&self, documents_with_term: u32) -> f32 {
        let (with, all) = (f64::from(documents_with_term), f64::from(self.documents));
        ((1.0 + (all - with + 0.5) / (with + 0.5)).ln() as f32) * (K1 + 1.0)
    }

    fn postings<'k>(&self, term: &'k mut Known) -> io::Result<&'k mut SegmentPostings> {
        match &mut term.postings {
            Some(postings) => Ok(postings),
            closed => {
                let opened =
                    self.inverted.read_postings_from_terminfo(&term.info, IndexRecordOption::WithFreqs)?;
                Ok(closed.insert(opened))
            }
        }
    }

    /// Accepted rows in `rows` that hold all known terms, ascending. The rarest term leads; the others are asked in
    /// the order of their rarity, so that most are never opened.
    fn intersect(
        &self,
        terms: &mut [Option<Known>],
        rows: &Range<u32>,
        accept: &impl Fn(u32) -> bool,
    ) -> io::Result<Vec<u32>> {
        let mut terms: Vec<&mut Known> = terms.iter_mut().flatten().collect();
        terms.sort_by_key(|term| term.info.doc_freq);
        let mut found = Vec::new();
        let Some((rarest, others)) = terms.split_first_mut() else { return Ok(found) };
        let mut row = seek(self.postings(rarest)?, rows.start);
        'rows: while row < rows.end {
            if accept(row) {
                for other in others.iter_mut() {
                    let next = seek(self.postings(other)?, row);
                    if next != row {
                        row = seek(self.postings(rarest)?, next);
                        continue 'rows;
                    }
                }
                found.push(row);
            }
            row = self.postings(rarest)?.advance();
        }
        // Scoring starts over from the first row.
        for term in terms {
            term.postings = None;
        }
        Ok(found)
    }

    /// The longest prefix of the terms that some accepted row holds in full, and those rows. Candidates of the
    /// first term are thinned out term by term.
    fn longest_prefix(
        &self,
        terms: &mut [Option<Known>],
        rows: &Range<u32>,
        accept: &impl Fn(u32) -> bool,
    ) -> io::Result<(usize, Vec<u32>)> {
        let mut candidates = Vec::new();
        for at in 0..terms.len() {
            let next = if at == 0 {
                self.intersect(&mut terms[..1], rows, accept)?
            } else {
                let Some(term) = &mut terms[at] else { break };
                let postings = self.postings(term)?;
                let next = candidates.iter().copied().filter(|&row| seek(postings, row) == row).collect();
                term.postings = None;
                next
            };
            if next.is_empty() {
                return Ok((at, candidates));
            }
            candidates = next;
        }
        Ok((terms.len(), candidates))
    }

    /// Scores ascending rows by BM25: one pass over each term's postings, in query order so that sums are stable.
    fn score(&self, terms: &mut [Option<Known>], rows: &[u32]) -> io::Result<Vec<Hit>> {
        let mut hits: Vec<Hit> = rows.iter().map(|&row| Hit { row, score: 0.0 }).collect();
        if hits.is_empty() {
            return Ok(hits);
        }
        for term in terms.iter_mut().flatten() {
            let weight = term.weight;
            let postings = self.postings(term)?;
            for hit in &mut hits {
                if seek(postings, hit.row) == hit.row {
                    let frequency = postings.term_freq() as f32;
                    let length = self.length[self.norms.fieldnorm_id(hit.row) as usize];
                    hit.score += weight * frequency / (frequency + length);
                }
            }
        }
        Ok(hits)
    }
}

/// Whether a field is indexed as ranking wants it.
fn has_frequencies(field: &FieldEntry) -> bool {
    let FieldType::Str(options) = field.field_type() else { return false };
    let indexing = options.get_indexing_options();
    indexing.is_some_and(|with| with.index_option() == IndexRecordOption::WithFreqs && with.fieldnorms())
}

/// Moves to the first document at or after `row`; unlike `DocSet::seek`, `row` may lie behind.
fn seek(postings: &mut SegmentPostings, row: u32) -> u32 {
    if postings.doc() >= row { postings.doc() } else { postings.seek(row.min(TERMINATED)) }
}

/// The snapshot's mapped files as a read-only directory.
#[derive(Clone)]
struct MappedDirectory(Arc<BTreeMap<String, Mapping>>);

impl fmt::Debug for MappedDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl MappedDirectory {
    fn get(&self, path: &Path) -> Result<&Mapping, OpenReadError> {
        let missing = || OpenReadError::FileDoesNotExist(PathBuf::from(path));
        self.0.get(&*path.to_string_lossy()).ok_or_else(missing)
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "a snapshot is read-only")
}

impl Directory for MappedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(OwnedBytes::new(self.get(path)?.clone())))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.get(path).is_ok())
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        Ok(self.get(path)?.bytes().to_vec())
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: PathBuf::from(path) })
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), PathBuf::from(path)))
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// Nobody writes, so nothing is locked.
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        RamDirectory::create().acquire_lock(lock)
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
