//! A way through one file: its parts, decoded and brought into the contract's form, chunk by chunk.

use std::collections::BTreeSet;

use anyhow::Result;
use rayon::prelude::*;

use super::blocks::BLOCK_BYTES;
use super::chunk::{Chunk, Damage};
use super::evidence::{Columns, Evidence, Reading};
use super::input_file::InputFile;
use super::plan::ColumnPlan;
use super::quoting::Dialect;
use super::reader::{Decoding, Part, Reader, Source};
use super::variants::Products;
use crate::ingest::limits::COLUMNS_MAX;
use crate::ingest::mapping::InputTable;
use crate::ingest::report::{Detected, FileForm};
use crate::snapshot::tables::Input;

/// Bytes of text at the beginning of a file that show in which form its values are, where all have the contract's.
const EVIDENCE_BYTES: usize = 16 << 20;
/// Rows of that text at most: chunks take memory by the row, and a row may have a single byte.
const EVIDENCE_TEXT_ROWS: usize = 1 << 20;
/// Likewise rows, of files whose values have types.
const EVIDENCE_ROWS: usize = 1 << 17;

/// What was found out about a file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Header {
    /// How it is written.
    pub detected: Detected,
    /// Rows the file holds.
    pub rows: u64,
    /// What was lost while it was read.
    pub damage: Damage,
}

/// A file as a table.
#[derive(Clone, Copy)]
pub(super) struct FileTable<'f> {
    file: &'f InputFile,
    table: InputTable,
    columns: &'static [Input],
    block_bytes: usize,
}

impl<'f> FileTable<'f> {
    /// Of these columns.
    pub(super) fn new(file: &'f InputFile, table: InputTable, columns: &'static [Input]) -> Self {
        Self { file, table, columns, block_bytes: BLOCK_BYTES }
    }

    /// Opens the file.
    pub(super) fn open(self) -> Result<Reader<'f>> {
        Reader::open(self.file, self.table, self.columns, self.block_bytes)
    }

    /// Has all chunks worked on in parallel, and hands over what comes of them in file order.
    pub(super) fn read<T, W, S>(self, work: W, mut sink: S) -> Result<Header>
    where
        T: Send,
        W: Fn(&Chunk) -> T + Sync,
        S: FnMut(T) -> Result<()>,
    {
        let mut reader = self.open()?;
        if reader.decoding.has_header() {
            reader.decoding.require(0, &[])?;
        }
        let products = self.products(reader.decoding.plan())?;
        let (held, evidence) = self.begin(&mut reader)?;
        let reading = Reading::decide(self.file, reader.decoding.plan(), &evidence)?;
        let mut seen = ChunkTotals::default();
        let finish = |mut chunk: Chunk| {
            if let Some(products) = &products {
                products.complete(&mut chunk);
            }
            reading.apply(&mut chunk, self.file);
            let done = work(&chunk);
            (ChunkTotals::of(chunk), done)
        };
        let held: Vec<_> = held.into_par_iter().map(finish).collect();
        for (part, done) in held {
            seen.merge(part);
            sink(done)?;
        }
        let Reader { mut source, decoding } = reader;
        let decode = |part| Ok(finish(decoding.decode(part)?));
        let mut batch = source.parts(batch_parts())?;
        while !batch.is_empty() {
            let (done, next) = rayon::join(
                || batch.into_par_iter().map(&decode).collect::<Result<Vec<_>>>(),
                || source.parts(batch_parts()),
            );
            for (part, done) in done? {
                seen.merge(part);
                sink(done)?;
            }
            batch = next?;
        }
        header(&source, &decoding, &reading, seen)
    }

    /// The chunks at the beginning of a file, and what its values say of their form.
    pub(super) fn begin(self, reader: &mut Reader<'f>) -> Result<(Vec<Chunk>, Evidence)> {
        let columns = Columns::of(reader.decoding.plan());
        let (mut held, mut evidence, mut budget) = (Vec::new(), Evidence::default(), Budget::default());
        loop {
            let batch = reader.first_parts(batch_parts())?;
            if batch.is_empty() {
                break;
            }
            let texts: Vec<_> = batch.iter().map(Part::text_bytes).collect();
            let chunks = decode_all(&reader.decoding, batch)?;
            let rows: Vec<_> =
                chunks.iter().zip(texts).map(|(chunk, text)| budget.take(chunk, text)).collect();
            let said: Vec<_> = chunks
                .par_iter()
                .zip(rows)
                .map(|(chunk, rows)| Evidence::of(chunk, &columns, rows))
                .collect();
            for said in said {
                evidence.merge(said);
            }
            held.extend(chunks);
            if budget.is_spent() {
                break;
            }
        }
        if !evidence.is_enough(self.file) {
            evidence = self.whole_evidence(&columns)?;
        }
        evidence.add_default(reader.decoding.plan(), &columns);
        Ok((held, evidence))
    }

    /// What all values of the file say.
    fn whole_evidence(self, columns: &Columns) -> Result<Evidence> {
        let mut evidence = Evidence::default();
        self.each_chunk(
            |chunk| Evidence::of(&chunk, columns, usize::MAX),
            |said| {
                evidence.merge(said);
                Ok(())
            },
        )?;
        Ok(evidence)
    }

    /// The products of the file, where the mapping names the column of their handles.
    fn products(self, plan: &ColumnPlan) -> Result<Option<Products>> {
        let Some(mut products) = Products::new(plan) else { return Ok(None) };
        if products.completes() {
            self.each_chunk(|chunk| chunk, |chunk| products.add(&chunk))?;
        }
        Ok(Some(products))
    }

    /// Reads the whole file as it is written: `work` runs on chunks in parallel, `take` has its results in file order.
    fn each_chunk<T: Send>(
        self,
        work: impl Fn(Chunk) -> T + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut reader = self.open()?;
        loop {
            let batch = reader.first_parts(batch_parts())?;
            if batch.is_empty() {
                return Ok(());
            }
            let decoding = &reader.decoding;
            let work = |part| Ok(work(decoding.decode(part)?));
            let done: Vec<T> = batch.into_par_iter().map(work).collect::<Result<_>>()?;
            done.into_iter().try_for_each(&mut take)?;
        }
    }
}

/// What was found out about a file.
fn header(source: &Source, decoding: &Decoding<'_>, reading: &Reading, seen: ChunkTotals) -> Result<Header> {
    let mut unknown = decoding.unmapped();
    unknown.extend(seen.unknown);
    if seen.rows > 0 && !decoding.has_header() {
        decoding.require(seen.present, &unknown)?;
    }
    let form = form(source, decoding, reading);
    let detected = Detected { form, unknown_columns: unknown, unread_sheets: source.unread_sheets() };
    Ok(Header { detected, rows: seen.rows, damage: seen.damage })
}

/// How a file is written.
pub(super) fn form(source: &Source, decoding: &Decoding<'_>, reading: &Reading) -> FileForm {
    let dialect = source.dialect();
    let renamed = decoding.renamed().map(|(column, header)| (column.to_owned(), header.to_owned()));
    FileForm {
        separator: dialect.map(|dialect| char::from(dialect.separator)),
        quoting: dialect.and_then(Dialect::quoting).map(str::to_owned),
        encoding: source.encoding().map(str::to_owned),
        numbers: reading.numbers().map(|form| form.to_string()),
        dates: reading.dates().map(ToString::to_string),
        renamed: renamed.collect(),
    }
}

/// Parts that are read ahead: as many as there are workers, twice over.
fn batch_parts() -> usize {
    2 * rayon::current_num_threads()
}

fn decode_all(decoding: &Decoding<'_>, batch: Vec<Part>) -> Result<Vec<Chunk>> {
    batch.into_par_iter().map(|part| decoding.decode(part)).collect()
}

/// How much of a file's beginning was looked at.
#[derive(Debug, Default)]
struct Budget {
    bytes: usize,
    text_rows: usize,
    rows: usize,
}

impl Budget {
    /// How many rows of a chunk, made of so many bytes of text, are looked at.
    fn take(&mut self, chunk: &Chunk, text_bytes: Option<usize>) -> usize {
        let rows = match text_bytes {
            _ if self.is_spent() => 0,
            Some(_) => chunk.rows(),
            None => chunk.rows().min(EVIDENCE_ROWS - self.rows),
        };
        match text_bytes {
            Some(bytes) => {
                self.bytes += bytes;
                self.text_rows += rows;
            }
            None => self.rows += rows,
        }
        rows
    }

    fn is_spent(&self) -> bool {
        self.bytes >= EVIDENCE_BYTES || self.text_rows >= EVIDENCE_TEXT_ROWS || self.rows >= EVIDENCE_ROWS
    }
}

/// What is remembered of chunks that were worked on.
#[derive(Default)]
struct ChunkTotals {
    rows: u64,
    present: u64,
    unknown: BTreeSet<String>,
    damage: Damage,
}

impl ChunkTotals {
    fn of(chunk: Chunk) -> Self {
        Self {
            rows: chunk.rows() as u64,
            present: chunk.present,
            unknown: chunk.unknown.into_iter().collect(),
            damage: chunk.damage,
        }
    }

    fn merge(&mut self, later: Self) {
        self.rows += later.rows;
        self.present |= later.present;
        let room = COLUMNS_MAX.saturating_sub(self.unknown.len());
        self.unknown.extend(later.unknown.into_iter().take(room));
        self.damage.merge(later.damage);
    }
}
