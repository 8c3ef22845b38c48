//! Separated values: Polars splits the fields of a block, and every column stays text. Small files are read block by block.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::{CsvEncoding, CsvReadOptions, DataType, PlSmallStr, Schema, SerReader, StringChunked};

use super::blocks::{BLOCK_BYTES, Block, Blocks, Layout};
use super::format::Compression;
use super::limits::{COLUMNS_MAX, Limited, TABLE_BYTES_MAX, TABLE_ROWS_MAX};
use super::{format, quoting, typed};

/// Knows where the columns of a file are.
#[derive(Debug)]
pub(super) struct Decoder {
    /// All columns of the file, named by position: a header may repeat a name.
    schema: Arc<Schema>,
    /// Position in the file of each wanted column.
    positions: Vec<Option<usize>>,
    /// The wanted columns, each once: Polars panics over a name that is wanted twice.
    wanted: Arc<[PlSmallStr]>,
    separator: u8,
}

impl Decoder {
    /// Of a file with so many columns, the wanted ones at `positions`.
    pub(super) fn new(width: usize, positions: &[Option<usize>], separator: u8) -> Result<Self> {
        ensure!(
            width <= COLUMNS_MAX,
            "the header has {width} columns, and at most {COLUMNS_MAX} are read; leave out those that nothing reads"
        );
        let schema = (0..width).map(|at| (position_name(at), DataType::String)).collect();
        let wanted: BTreeSet<usize> = positions.iter().flatten().copied().collect();
        Ok(Self {
            schema: Arc::new(schema),
            positions: positions.to_vec(),
            wanted: wanted.into_iter().map(position_name).collect(),
            separator,
        })
    }

    /// The wanted columns of a block, which has to be UTF-8, with these lines.
    pub(super) fn decode(&self, block: Block, lines: &[u64]) -> Result<Vec<Option<StringChunked>>> {
        let frame = CsvReadOptions::default()
            .with_has_header(false)
            .with_schema(Some(self.schema.clone()))
            .with_columns(Some(self.wanted.clone()))
            .with_n_threads(Some(1))
            .with_rechunk(true)
            .map_parse_options(|options| {
                options
                    .with_separator(self.separator)
                    .with_quote_char(block.quoted.then_some(b'"'))
                    .with_truncate_ragged_lines(true)
                    .with_encoding(CsvEncoding::Utf8)
            })
            .into_reader_with_file_handle(Cursor::new(block.bytes))
            .finish()?;
        let (rows, first) = (lines.len(), lines[0]);
        ensure!(frame.height() == rows, "line {first}: {rows} records read as {} rows", frame.height());
        let text = |at: usize| -> Result<StringChunked> {
            Ok(frame.column(&position_name(at))?.str()?.rechunk().into_owned())
        };
        typed::columns_at(&self.positions, text)
    }
}

fn position_name(at: usize) -> PlSmallStr {
    PlSmallStr::from_string(at.to_string())
}

/// Hands over the records of a side table or another small CSV file, also compressed, each with its line; values are
/// trimmed. Records without a value are left out. A block is in memory at a time.
///
/// # Errors
/// When the file cannot be read, is larger than [`TABLE_BYTES_MAX`] or has more than [`TABLE_ROWS_MAX`] records, or when
/// `take` fails.
pub fn table(path: &Path, take: impl FnMut(u64, Vec<String>) -> Result<()>) -> Result<()> {
    records(path, take).with_context(|| format!("{}: cannot be read", path.display()))
}

fn records(path: &Path, mut take: impl FnMut(u64, Vec<String>) -> Result<()>) -> Result<()> {
    let reader = Limited::new(format::open(path, Compression::of_name(path))?, TABLE_BYTES_MAX);
    // Every record may have values that its header has no name for.
    let layout = Layout::Separated { separator: b',', names: usize::MAX, least: 0 };
    let mut blocks = Blocks::new(reader, layout, None, BLOCK_BYTES);
    let mut rows = 0;
    while let Some(block) = blocks.next_block()? {
        let (block, _) = block.into_utf8(Some(b','));
        let mut rest = &block.bytes[..];
        for line in block.lines {
            let record = quoting::whole_record(rest, b',').context("a block ends within a record")?;
            let text = &rest[..record.len];
            let columns = quoting::count(text, b',');
            ensure!(
                columns <= COLUMNS_MAX,
                "line {line} has {columns} values, and at most {COLUMNS_MAX} are read"
            );
            let values = quoting::values(text, b',');
            if !values.iter().all(String::is_empty) {
                rows += 1;
                ensure!(rows <= TABLE_ROWS_MAX, "line {line}: more than {TABLE_ROWS_MAX} rows");
                take(line, values)?;
            }
            rest = &rest[record.next..];
        }
    }
    Ok(())
}

/// Requires columns, which are names and whether they are required.
///
/// # Errors
/// When a required column is not there; the message names it.
pub fn require(
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
