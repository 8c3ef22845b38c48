//! The Parquet files: one of a small table, and those into which a country's rows are cut.
//!
//! Invariant: what a column is, its Parquet type says. Texts are UTF-8 strings and whole numbers are signed, which every
//! engine and every table format has. No schema of Arrow is embedded: Polars would write that texts are string views,
//! and pyarrow cannot filter those.

use std::fs::{self, File};
use std::io::BufWriter;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anyhow::{Context as _, Result};
use polars::io::parquet::write::BatchedWriter;
use polars::prelude::{Column, DataFrame, ParquetWriter};

use crate::types::Country;

/// A Parquet file whose rows go out group by group.
pub(super) struct Table {
    path: PathBuf,
    /// Waits for the first group, which has the schema.
    file: Option<BufWriter<File>>,
    writer: Option<BatchedWriter<BufWriter<File>>>,
}

impl Table {
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = File::create_new(&path).with_context(|| cannot_write(&path))?;
        Ok(Self { path, file: Some(BufWriter::new(file)), writer: None })
    }

    /// Appends a row group; every group has the same columns.
    pub(super) fn group(&mut self, columns: Vec<Column>) -> Result<()> {
        self.frame(&DataFrame::new_infer_height(columns)?)
    }

    fn frame(&mut self, frame: &DataFrame) -> Result<()> {
        if let Some(file) = self.file.take() {
            self.writer = Some(ParquetWriter::new(file).batched(frame.schema())?);
        }
        if let Some(writer) = &mut self.writer {
            writer.write_batch(frame).with_context(|| cannot_write(&self.path))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        // Without metadata beside the Parquet schema; left to itself the writer would embed that of Arrow.
        let end = writer.get_writer().lock().unwrap_or_else(PoisonError::into_inner).end(Some(Vec::new()));
        end.with_context(|| cannot_write(&self.path))?;
        Ok(())
    }
}

/// The files of a table's rows of one country: `table/country=us/part-00000.parquet`, `…/part-00001.parquet`. A country
/// without rows has none.
pub(super) struct Parts {
    folder: PathBuf,
    rows_max: NonZeroUsize,
    /// Files that were begun.
    begun: usize,
    /// The last one, and how many rows it has.
    last: Option<(Table, usize)>,
}

impl Parts {
    pub(super) fn new(out: &Path, table: &str, country: Country, rows_max: NonZeroUsize) -> Self {
        let folder = out.join(table).join(format!("country={country}"));
        Self { folder, rows_max, begun: 0, last: None }
    }

    /// Appends a row group; where the file is full, the rest of it to the next.
    pub(super) fn group(&mut self, columns: Vec<Column>) -> Result<()> {
        let mut rest = DataFrame::new_infer_height(columns)?;
        while rest.height() > 0 {
            let (mut table, rows) = match self.last.take() {
                Some(last) => last,
                None => (self.begin()?, 0),
            };
            let taken = rest.height().min(self.rows_max.get() - rows);
            table.frame(&rest.slice(0, taken))?;
            rest = rest.slice(taken as i64, rest.height() - taken);
            if rows + taken == self.rows_max.get() {
                table.finish()?;
            } else {
                self.last = Some((table, rows + taken));
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        self.last.map_or(Ok(()), |(table, _)| table.finish())
    }

    fn begin(&mut self) -> Result<Table> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot make the directory {}", self.folder.display()))?;
        let name = format!("part-{:05}.parquet", self.begun);
        self.begun += 1;
        Table::create(self.folder.join(name))
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
