//! Small files of separated values, read whole.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::encoding::BOM;
use super::format::{self, Compression};
use super::{blocks, quoting};

/// Bytes of the largest side table.
const TABLE_BYTES_MAX: u64 = 256 << 20;

/// The records of a side table or another small CSV file, also compressed, each with its line; values are trimmed.
///
/// # Errors
/// When the file cannot be read, or is larger than [`TABLE_BYTES_MAX`].
pub(crate) fn table(path: &Path) -> Result<Vec<(u64, Vec<String>)>> {
    let read = || -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        format::open(path, Compression::of_name(path))?.take(TABLE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= TABLE_BYTES_MAX, "larger than {TABLE_BYTES_MAX} bytes");
        Ok(bytes)
    };
    let bytes = read().with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(records(&bytes))
}

/// The records of a CSV file, each with its line; values are trimmed.
fn records(bytes: &[u8]) -> Vec<(u64, Vec<String>)> {
    let (mut rest, mut line, mut records) = (bytes.strip_prefix(BOM).unwrap_or(bytes), 1, Vec::new());
    while let Some(record) = quoting::record(rest, true, b',').filter(|record| record.next > 0) {
        let values = quoting::values(&rest[..record.len], b',');
        if !values.iter().all(String::is_empty) {
            records.push((line, values));
        }
        line += blocks::lines_in(&rest[..record.next]);
        rest = &rest[record.next..];
    }
    records
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
