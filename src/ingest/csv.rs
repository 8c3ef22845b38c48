//! Separated values: Polars splits the fields of a block; every column stays text.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::sync::Arc;

use anyhow::{Result, ensure};
use polars::prelude::{CsvEncoding, CsvReadOptions, DataType, PlSmallStr, Schema, SerReader, StringChunked};

use super::blocks::Block;
use super::typed;
use crate::ingest::limits::COLUMNS_MAX;

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
