//! From input files to chunks of text columns in the form of the input contract (`docs/input.md`).
//!
//! The rules of a row ([`crate::index::validate`]) know one form of each value. This module brings every way to write
//! a file into that form. Each file is read by itself, so a file reads the same whatever lies beside it.
//!
//! ```text
//! arguments ─find─▶ files: format, tables, keys of the path, settings of the mapping
//! file ─open─▶ names of columns ─plan─▶ for each of our columns: a constant, a column or a key of the path
//!      └ parts ─decode─▶ Chunk ─evidence, parsers─▶ Chunk in the contract's form ─▶ the rules
//! ```
//!
//! - [`files`] finds the input and decides the order in which it is read. [`mapping`] is what the user says about
//!   files, [`column_names`] what a header may mean.
//! - A file is cut into parts that end where a record ends, so a file of any size, compressed or not, is read in
//!   bounded memory. A decoder per format turns a part into a `Chunk` of text columns. Text files are split into
//!   fields by Polars, block by block. Files with typed values (Parquet, Arrow, spreadsheets) are read in slices of
//!   rows, and `typed` decides which text a typed value has.
//! - [`parsers`] are the ways to write numbers and dates, and `evidence` chooses among them by the file's own values.
//!   The beginning of a file is decoded once and kept for that. A file is read a second time only when its beginning
//!   is not in the contract's form and the mapping does not name its form. Mapping, names and parsers are functions of
//!   text alone.
//! - The text of the file stays beside the value that the rules read, since errors quote it. A value that was read
//!   otherwise than it is written, or lost, is counted in the report ([`report::InputReport::damage`]) and printed.
//! - [`explain`] goes the same way and stops before the rules.
//! - `remote_input` finds input behind an address like a file and copies it to scratch while it is read, because
//!   readers take paths.
//!
//! Every size has a bound that holds while a file is read ([`limits`]): `limited` counts bytes behind the
//! decompressor, `quoting` ends the search for a closing quote, `nesting` and `publication` bound depth and texts of
//! JSON before its parser allocates. Sizes that a typed file announces are checked before a library allocates for
//! them, because a failed allocation ends the process.
//!
//! Line numbers are physical lines for text (the first line of a record that spans several) and row numbers for other
//! files. Both count from 1.

mod arguments;
mod arrow;
mod blocks;
mod chunk;
pub mod classification;
mod column_kinds;
pub mod column_names;
mod csv;
mod encoding;
mod evidence;
pub mod explain;
mod file_table;
pub mod files;
mod format;
mod html;
mod input_file;
mod json_repair;
pub mod limits;
mod local_files;
pub mod mapping;
mod ndjson;
mod nesting;
mod parquet;
pub mod parsers;
mod plan;
mod planned_file;
mod preview;
mod progress;
mod publication;
mod quoting;
mod reader;
pub mod rejects;
mod remote_input;
pub mod report;
mod sheet;
pub mod side_tables;
pub mod template;
mod typed;
mod values;
mod variants;

use anyhow::{Context, Result};

pub use self::csv::{require, table};
pub use self::input_file::{Holds, InputFile};
pub(crate) use self::limits::Limited;
pub use self::planned_file::PlannedFile;
pub use arguments::{Arguments, ListingsOrder, Spool};
pub use chunk::{Chunk, Damage};
pub(crate) use encoding::BOM;
pub use file_table::Header;
pub use files::{InputFiles, SideFile, Unread, find};
pub(crate) use format::{Compression, open};
pub(crate) use nesting::BoundedJson;
#[cfg(test)]
pub(crate) use nesting::JSON_TOKEN_BYTES_MAX;
pub(crate) use plan::column_sources;
pub use preview::{Origin, Preview, preview_file};
pub use progress::{Progress, Silent};
pub(crate) use reader::{absent, header, unmapped};
pub use rejects::{Reason, RejectWriter};
pub use remote_input::{Fetched, RemoteInput};
pub use report::InputReport;
pub(crate) use typed::guarded;
pub use values::ValueWords;

use self::file_table::FileTable;
use crate::ingest::mapping::InputTable;
use crate::snapshot::tables::Input;

/// Reads `file` as a table with these columns: `work` runs on chunks in parallel, `sink` takes its results in file
/// order.
///
/// # Errors
/// When the file cannot be read, lacks a required column, has values that can be read in two ways, or `sink` fails; the
/// message names the file.
pub fn read<T, W, S>(
    file: &InputFile,
    table: InputTable,
    columns: &'static [Input],
    work: W,
    sink: S,
) -> Result<Header>
where
    T: Send,
    W: Fn(&Chunk) -> T + Sync,
    S: FnMut(T) -> Result<()>,
{
    let _kept = file.fetch()?;
    FileTable::new(file, table, columns).read(work, sink).with_context(|| file.name.clone())
}
