//! Parquet files: a small table in one file, and the rows of a country, split into several files.
//!
//! Invariant: the Parquet type alone defines a column. Texts are UTF-8 strings and whole numbers are signed, which
//! every engine and every table format supports. An Arrow schema is not embedded, because Polars would declare texts as
//! string views, and pyarrow cannot filter string views.

use std::fs::{self, File};
use std::io::BufWriter;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anyhow::{Context as _, Result};
use polars::io::parquet::write::BatchedWriter;
use polars::prelude::{Column, DataFrame, ParquetWriter};

use crate::types::Country;

/// A Parquet file that is written one row group at a time.
pub(super) struct Table {
    path: PathBuf,
    /// The file, until the first group supplies the schema and the writer takes the file.
    file: Option<BufWriter<File>>,
    writer: Option<BatchedWriter<BufWriter<File>>>,
}

impl Table {
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = File::create_new(&path).with_context(|| cannot_write(&path))?;
        Ok(Self { path, file: Some(BufWriter::new(file)), writer: None })
    }

    /// Appends a row group. Every group must have the same columns.
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
        // The empty list keeps the writer from embedding the Arrow schema as metadata.
        let end = writer.get_writer().lock().unwrap_or_else(PoisonError::into_inner).end(Some(Vec::new()));
        end.with_context(|| cannot_write(&self.path))?;
        Ok(())
    }
}

/// The rows of one country in a table, split into files: `table/country=us/part-00000.parquet`, `…/part-00001.parquet`.
/// A file is not created for a country without rows.
pub(super) struct Parts {
    folder: PathBuf,
    rows_max: NonZeroUsize,
    /// Number of files started so far.
    begun: usize,
    /// The file being written, and its number of rows.
    last: Option<(Table, usize)>,
}

impl Parts {
    pub(super) fn new(out: &Path, table: &str, country: Country, rows_max: NonZeroUsize) -> Self {
        let folder = out.join(table).join(format!("country={country}"));
        Self { folder, rows_max, begun: 0, last: None }
    }

    /// Appends a row group. Rows beyond `rows_max` go to the next file.
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
            .with_context(|| format!("cannot create the directory {}", self.folder.display()))?;
        let name = format!("part-{:05}.parquet", self.begun);
        self.begun += 1;
        Table::create(self.folder.join(name))
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
