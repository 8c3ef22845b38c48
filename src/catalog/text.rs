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
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::Bm25Weight;
use tantivy::schema::{FieldEntry, FieldType, IndexRecordOption};
use tantivy::{DocSet, Index, InvertedIndexReader, ReloadPolicy, TERMINATED, Term};

use crate::snapshot::layout::TEXT_FIELD;
use crate::snapshot::mapped::Mapping;

/// The text index of a snapshot.
pub struct TextIndex {
    field: tantivy::schema::Field,
    inverted: Arc<InvertedIndexReader>,
    norms: FieldNormReader,
    documents: u32,
    average_norm: f32,
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
#[derive(Debug, Clone, PartialEq)]
pub struct Matches {
    /// How many leading terms had to match; the rest was dropped.
    pub kept: usize,
    /// Every match, by row.
    pub hits: Vec<Hit>,
}

/// A term of the query as the index knows it.
struct Scored {
    postings: SegmentPostings,
    weight: Bm25Weight,
}

impl TextIndex {
    /// Opens the index whose mapped files are `files`, by name; it must hold `rows` documents.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn open(files: BTreeMap<String, Mapping>, rows: usize) -> Result<Self, String> {
        let fault = |fault: &dyn fmt::Display| format!("the text index does not open: {fault}");
        let names: Vec<String> = files.keys().filter(|name| *name != "meta.json").cloned().collect();
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
        let average_norm = inverted.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
        Ok(Self { field, inverted, norms, documents: segment.max_doc(), average_norm })
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
        let mut scored = Vec::with_capacity(terms.len());
        for term in terms {
            scored.push(self.term(term)?);
        }
        let known = scored.iter().take_while(|term| term.is_some()).count();
        let (mut kept, mut found) = (known, Vec::new());
        let mut postings: Vec<SegmentPostings> =
            scored[..known].iter().flatten().map(|term| term.postings.clone()).collect();
        intersect(&mut postings, &rows, &mut |row| {
            if accept(row) {
                found.push(row);
            }
        });
        if found.is_empty() {
            (kept, found) = longest_prefix(&scored[..known], &rows, &accept);
        }
        let hits = self.score(&mut scored, &found);
        Ok(Matches { kept, hits })
    }

    fn term(&self, text: &str) -> io::Result<Option<Scored>> {
        let term = Term::from_field_text(self.field, text);
        let Some(info) = self.inverted.get_term_info(&term)? else { return Ok(None) };
        let postings = self.inverted.read_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
        let weight = Bm25Weight::for_one_term_without_explain(
            u64::from(info.doc_freq),
            u64::from(self.documents),
            self.average_norm,
        );
        Ok(Some(Scored { postings, weight }))
    }

    /// Scores ascending rows: one pass over each term's postings, terms in query order so that sums are stable.
    fn score(&self, terms: &mut [Option<Scored>], rows: &[u32]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = rows.iter().map(|&row| Hit { row, score: 0.0 }).collect();
        for term in terms.iter_mut().flatten() {
            for hit in &mut hits {
                let doc = seek(&mut term.postings, hit.row);
                if doc == hit.row {
                    let norm = self.norms.fieldnorm_id(hit.row);
                    hit.score += term.weight.score(norm, term.postings.term_freq());
                }
            }
        }
        hits
    }
}

/// Whether a field is indexed as ranking wants it.
fn has_frequencies(field: &FieldEntry) -> bool {
    let FieldType::Str(options) = field.field_type() else { return false };
    let indexing = options.get_indexing_options();
    indexing.is_some_and(|with| with.index_option() == IndexRecordOption::WithFreqs && with.fieldnorms())
}

/// Calls `found` with every row in `rows` that all postings hold, ascending.
fn intersect(postings: &mut [SegmentPostings], rows: &Range<u32>, found: &mut dyn FnMut(u32)) {
    postings.sort_by_key(DocSet::size_hint);
    let Some((rarest, others)) = postings.split_first_mut() else { return };
    let mut row = seek(rarest, rows.start);
    while row < rows.end {
        match others.iter_mut().map(|other| seek(other, row)).find(|&next| next != row) {
            None => {
                found(row);
                row = rarest.advance();
            }
            Some(next) => row = seek(rarest, next),
        }
    }
}

/// The longest prefix of the terms that some accepted row holds in full, and those rows. Candidates of the first
/// term are thinned out term by term.
fn longest_prefix(
    terms: &[Option<Scored>],
    rows: &Range<u32>,
    accept: &impl Fn(u32) -> bool,
) -> (usize, Vec<u32>) {
    let mut candidates = Vec::new();
    for (at, term) in terms.iter().flatten().enumerate() {
        let mut postings = term.postings.clone();
        let mut next = Vec::new();
        if at == 0 {
            intersect(std::slice::from_mut(&mut postings), rows, &mut |row| {
                if accept(row) {
                    next.push(row);
                }
            });
        } else {
            next.extend(candidates.iter().copied().filter(|&row| seek(&mut postings, row) == row));
        }
        if next.is_empty() {
            return (at, candidates);
        }
        candidates = next;
    }
    (terms.len(), candidates)
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
