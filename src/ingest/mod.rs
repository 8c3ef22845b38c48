//! From input files to chunks of text columns in the form of the input contract.
//!
//! [`files`] finds the input. Each file is cut into parts that end where a record ends, so that a file of any size,
//! compressed or not, is read in bounded memory; a decoder per format turns a part into a [`Chunk`]. Every format ends
//! as text, and every way to write a number or a date in the contract's form of it ([`parsers`], by the `evidence` of the
//! file's own values): the rules then have one reading of a value, and the same rows give the same tables however they
//! were written. Lines are physical for text (of a record that spans lines, its first), row numbers for other files; all
//! count from 1.
//!
//! ```text
//! arguments ─find─▶ files ─open─▶ names of columns ─plan─▶ column, constant or key of the path
//!                     └─ parts ─decode─▶ Chunk ─evidence, parsers─▶ Chunk in the contract's form ─▶ the rules
//! ```

mod arguments;
mod arrow;
mod blocks;
mod chunk;
pub mod classification;
pub mod column_names;
mod csv;
mod encoding;
mod evidence;
pub mod explain;
mod file_table;
pub mod files;
mod format;
mod input_file;
mod limited;
pub mod limits;
mod local_files;
pub mod mapping;
mod ndjson;
mod nesting;
mod parquet;
pub mod parsers;
mod path_words;
mod pattern;
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
mod small_file;
pub mod template;
mod typed;

use anyhow::{Context, Result};

pub use arguments::{Arguments, ListingsOrder, Spool};
pub use chunk::{Chunk, Damage};
pub(crate) use encoding::BOM;
pub use file_table::Header;
pub use files::{Found, SideFile, Unread, find};
pub(crate) use format::{Compression, open};
pub use input_file::{Holds, InputFile};
pub(crate) use limited::Limited;
pub(crate) use nesting::BoundedJson;
#[cfg(test)]
pub(crate) use nesting::JSON_TOKEN_BYTES_MAX;
pub(crate) use plan::column_sources;
pub use planned_file::PlannedFile;
pub use preview::{Look, Origin, look};
pub use progress::{Progress, Silent};
pub(crate) use reader::{header, lacking, strangers};
pub use rejects::{Reason, RejectWriter};
pub use remote_input::{Fetched, RemoteInput};
pub use report::InputReport;
pub use small_file::{require, table};
pub(crate) use typed::guarded;

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
