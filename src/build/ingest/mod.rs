//! From files to chunks of text columns.
//!
//! [`files`] finds the input. Each file is cut into blocks that end where a record ends, so that a file of any
//! size, compressed or not, is read in bounded memory; a decoder per format turns a block into a [`Chunk`]. Every
//! format ends as text: the rules then have one reading of a value, and the same rows give the same tables however
//! they were written. Lines are physical for CSV and NDJSON (of a record that spans lines, its first), row numbers
//! for Parquet; all count from 1.

// What is named by no caller yet comes with the formats that files are found by.
#[allow(dead_code)]
mod arrow;
mod blocks;
mod chunk;
mod csv;
pub mod files;
mod ndjson;
mod nesting;
mod parquet;
mod quoting;
#[allow(dead_code)]
mod sheet;
mod typed;

pub use chunk::Chunk;
pub use files::{Found, InputFile, find};
pub(crate) use nesting::is_deeper;

use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;

use crate::build::limits::COLUMNS_MAX;
use crate::snapshot::regular;
use crate::snapshot::tables::Input;
use blocks::{Block, Blocks};
use files::Format;

/// Bytes of raw text a worker decodes at a time.
const BLOCK_BYTES: usize = 4 << 20;
/// Bytes of the largest side table.
const TABLE_BYTES_MAX: u64 = 256 << 20;

/// What the header of a file says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Header {
    /// Columns that nothing here reads.
    pub unknown: Vec<String>,
    /// Rows the file holds.
    pub rows: u64,
}

/// The bytes of `path`, decompressed on the way when it is gzip.
pub(super) fn open(path: &Path, gzip: bool) -> Result<Box<dyn Read + Send>> {
    let file = BufReader::with_capacity(1 << 18, regular::open(path)?.0);
    Ok(if gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// The records of a side table or another small CSV file, also compressed, each with its line; values are trimmed.
///
/// # Errors
/// When the file cannot be read, or is larger than [`TABLE_BYTES_MAX`].
pub(crate) fn table(path: &Path) -> Result<Vec<(u64, Vec<String>)>> {
    let gzip = path.extension().is_some_and(|extension| extension == "gz");
    let read = || -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open(path, gzip)?.take(TABLE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= TABLE_BYTES_MAX, "larger than {TABLE_BYTES_MAX} bytes");
        Ok(bytes)
    };
    let bytes = read().with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(records(&bytes))
}

/// The records of a CSV file, each with its line; values are trimmed.
fn records(bytes: &[u8]) -> Vec<(u64, Vec<String>)> {
    let (mut rest, mut line, mut records) = (bytes.strip_prefix(blocks::BOM).unwrap_or(bytes), 1, Vec::new());
    while let Some(record) = quoting::record(rest, true).filter(|record| record.next > 0) {
        let values = quoting::values(&rest[..record.len]);
        if !values.iter().all(String::is_empty) {
            records.push((line, values));
        }
        line += blocks::lines_in(&rest[..record.next]);
        rest = &rest[record.next..];
    }
    records
}

/// Reads `file`: `work` runs on chunks in parallel, `sink` takes its results in file order.
///
/// # Errors
/// When the file cannot be read, lacks a required column, or `sink` fails; the message names the file.
pub fn read<T, W, S>(file: &InputFile, columns: &'static [Input], work: W, sink: S) -> Result<Header>
where
    T: Send,
    W: Fn(&Chunk) -> T + Sync,
    S: FnMut(T) -> Result<()>,
{
    read_blocks(file, columns, BLOCK_BYTES, work, sink)
        .with_context(|| format!("{}: cannot be read", file.name))
}

fn read_blocks<T, W, S>(
    file: &InputFile,
    columns: &'static [Input],
    block_bytes: usize,
    work: W,
    mut sink: S,
) -> Result<Header>
where
    T: Send,
    W: Fn(&Chunk) -> T + Sync,
    S: FnMut(T) -> Result<()>,
{
    let (mut source, decoder) = source(file, columns, block_bytes)?;
    let mut header = Header { unknown: decoder.unknown().to_vec(), rows: 0 };
    let (mut present, mut unknown) = (0_u64, std::collections::BTreeSet::new());
    let mut batch = source.batch()?;
    while !batch.is_empty() {
        let decode = |block| {
            let chunk = decoder.decode(block)?;
            Ok((chunk.present, chunk.unknown.clone(), chunk.rows(), work(&chunk)))
        };
        let (done, next) =
            rayon::join(|| batch.into_par_iter().map(decode).collect::<Result<Vec<_>>>(), || source.batch());
        for (seen, strange, rows, result) in done? {
            present |= seen;
            let room = COLUMNS_MAX.saturating_sub(unknown.len());
            unknown.extend(strange.into_iter().take(room));
            header.rows += rows as u64;
            sink(result)?;
        }
        batch = next?;
    }
    if header.rows > 0 {
        require(names(columns), |index| present & (1 << index) != 0)?;
    }
    header.unknown.extend(unknown);
    Ok(header)
}

/// Fails when a required column is not there; columns are names and whether they are required.
pub(crate) fn require(
    columns: impl IntoIterator<Item = (&'static str, bool)>,
    present: impl Fn(usize) -> bool,
) -> Result<()> {
    let missing =
        columns.into_iter().enumerate().filter(|(index, (_, required))| *required && !present(*index));
    let names: Vec<_> = missing.map(|(_, (name, _))| name).collect();
    if names.is_empty() {
        return Ok(());
    }
    bail!("missing required column{} {}", if names.len() > 1 { "s" } else { "" }, names.join(", "))
}

/// Name of each column, and whether it is required.
fn names(columns: &[Input]) -> impl Iterator<Item = (&'static str, bool)> + '_ {
    columns.iter().map(|column| (column.name, column.required))
}

/// Where blocks come from.
enum Source {
    Text(Blocks<Box<dyn Read + Send>>),
    Parquet(parquet::Parts),
}

impl Source {
    /// As many blocks as there are workers, twice over; none at the end.
    fn batch(&mut self) -> Result<Vec<Part>> {
        let mut batch = Vec::new();
        while batch.len() < 2 * rayon::current_num_threads() {
            let part = match self {
                Self::Text(blocks) => blocks.next_block()?.map(Part::Text),
                Self::Parquet(parts) => parts.next()?.map(Part::Rows),
            };
            let Some(part) = part else { break };
            batch.push(part);
        }
        Ok(batch)
    }
}

/// What a decoder works on at a time.
enum Part {
    Text(Block),
    Rows(parquet::Part),
}

/// How a block becomes a chunk.
enum Decoder {
    Csv(csv::Decoder),
    Ndjson(ndjson::Decoder),
    Parquet(Table),
}

impl Decoder {
    fn unknown(&self) -> &[String] {
        match self {
            Self::Csv(csv) => csv.unknown(),
            Self::Parquet(table) => &table.unknown,
            Self::Ndjson(_) => &[],
        }
    }

    fn decode(&self, part: Part) -> Result<Chunk> {
        match (self, part) {
            (Self::Csv(csv), Part::Text(block)) => csv.decode(block),
            (Self::Ndjson(ndjson), Part::Text(block)) => Ok(ndjson.decode(&block)),
            (Self::Parquet(table), Part::Rows(part)) => table.decode(part),
            _ => unreachable!("source() pairs each decoder with its own parts"),
        }
    }
}

/// A typed file and where its wanted columns are.
struct Table {
    decoder: parquet::Decoder,
    positions: Vec<Option<usize>>,
    unknown: Vec<String>,
}

impl Table {
    fn new(decoder: parquet::Decoder, columns: &[Input]) -> Result<Self> {
        let names = decoder.names();
        let place = |column: &Input| names.iter().position(|name| name == column.name);
        let positions: Vec<_> = columns.iter().map(place).collect();
        require(self::names(columns), |index| positions[index].is_some())?;
        decoder.check(&positions, columns)?;
        let unknown = (0..names.len()).filter(|at| !positions.contains(&Some(*at)));
        let unknown = unknown.map(|at| names[at].clone()).collect();
        Ok(Self { decoder, positions, unknown })
    }

    fn decode(&self, part: parquet::Part) -> Result<Chunk> {
        let typed::Decoded { columns, rows, first } = self.decoder.decode(part, &self.positions)?;
        let present = (0..columns.len()).filter(|&at| columns[at].is_some()).map(|at| 1 << at).sum();
        Ok(Chunk {
            columns,
            lines: chunk::Lines::From(first),
            rows,
            present,
            unknown: vec![],
            broken: vec![],
        })
    }
}

fn source(file: &InputFile, columns: &'static [Input], block_bytes: usize) -> Result<(Source, Decoder)> {
    match file.format {
        Format::Csv => {
            let mut blocks = Blocks::new(open(&file.path, file.gzip)?, true, block_bytes);
            let decoder = csv::Decoder::new(&blocks.header()?, columns)?;
            Ok((Source::Text(blocks), Decoder::Csv(decoder)))
        }
        Format::Ndjson => {
            let blocks = Blocks::new(open(&file.path, file.gzip)?, false, block_bytes);
            Ok((Source::Text(blocks), Decoder::Ndjson(ndjson::Decoder::new(columns))))
        }
        Format::Parquet => {
            let (parts, decoder) = parquet::open(&file.path)?;
            Ok((Source::Parquet(parts), Decoder::Parquet(Table::new(decoder, columns)?)))
        }
    }
}
