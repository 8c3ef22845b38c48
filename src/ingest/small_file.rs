//! Small files of separated values, read block by block.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::blocks::{Blocks, Layout};
use super::format::{self, Compression};
use super::limited::Limited;
use super::quoting;
use super::reader::BLOCK_BYTES;
use crate::ingest::limits::{COLUMNS_MAX, TABLE_BYTES_MAX, TABLE_ROWS_MAX};

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
    let layout = Layout::Separated { separator: b',', names: usize::MAX };
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
