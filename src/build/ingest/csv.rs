//! CSV: Polars splits the fields of a block; every column stays text.

use std::io::Cursor;
use std::sync::Arc;

use anyhow::{Result, ensure};
use polars::prelude::{CsvEncoding, CsvReadOptions, DataType, PlSmallStr, Schema, SerReader};

use super::blocks::Block;
use super::chunk::{Chunk, Lines};
use crate::build::limits::COLUMNS_MAX;
use crate::snapshot::tables::Input;

/// Knows where the columns of a file are.
#[derive(Debug)]
pub(super) struct Decoder {
    /// All columns of the file, named by position: a header may repeat a name.
    schema: Arc<Schema>,
    /// Position in the file of each wanted column.
    positions: Vec<Option<usize>>,
    unknown: Vec<String>,
}

impl Decoder {
    /// Reads `header`; of a repeated name the first column counts.
    pub(super) fn new(header: &[String], columns: &[Input]) -> Result<Self> {
        ensure!(
            header.len() <= COLUMNS_MAX,
            "the header has {} columns, and at most {COLUMNS_MAX} are read; leave out those that nothing reads",
            header.len()
        );
        let positions: Vec<_> =
            columns.iter().map(|column| header.iter().position(|name| name == column.name)).collect();
        super::require(super::names(columns), |index| positions[index].is_some())?;
        let schema = (0..header.len()).map(|at| (position_name(at), DataType::String)).collect();
        let unknown = (0..header.len())
            .filter(|at| !positions.contains(&Some(*at)))
            .map(|at| header[at].clone())
            .collect();
        Ok(Self { schema: Arc::new(schema), positions, unknown })
    }

    pub(super) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    pub(super) fn decode(&self, block: Block) -> Result<Chunk> {
        let wanted: Arc<[PlSmallStr]> =
            self.positions.iter().flatten().map(|&at| position_name(at)).collect();
        let frame = CsvReadOptions::default()
            .with_has_header(false)
            .with_schema(Some(self.schema.clone()))
            .with_columns(Some(wanted))
            .with_n_threads(Some(1))
            .with_rechunk(true)
            .map_parse_options(|options| {
                options
                    .with_quote_char(block.quoted.then_some(b'"'))
                    .with_truncate_ragged_lines(true)
                    .with_encoding(CsvEncoding::LossyUtf8)
            })
            .into_reader_with_file_handle(Cursor::new(block.bytes))
            .finish()?;
        let (rows, first) = (block.lines.len(), block.lines[0]);
        ensure!(frame.height() == rows, "line {first}: {rows} records read as {} rows", frame.height());
        let (mut columns, mut present) = (Vec::new(), 0);
        for (index, position) in self.positions.iter().enumerate() {
            let Some(at) = position else {
                columns.push(None);
                continue;
            };
            columns.push(Some(frame.column(&position_name(*at))?.str()?.rechunk().into_owned()));
            present |= 1 << index;
        }
        Ok(Chunk { columns, lines: Lines::Each(block.lines), rows, present, unknown: vec![], broken: vec![] })
    }
}

fn position_name(at: usize) -> PlSmallStr {
    PlSmallStr::from_string(at.to_string())
}
