//! Rows as text: CSV, a JSON array, an aligned table. Everything but the table is written as it comes.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use crate::payment::core::claim::StoreError;

/// Space between two columns of a table.
const GAP: &str = "  ";
/// Mark of a row that does not fit its checksum, whatever it says of itself.
pub(super) const DAMAGED: &str = "damaged";

/// A report that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] StoreError),
    /// The report cannot be written.
    #[error("the report cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl From<rusqlite::Error> for ReportError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Ledger(error.into())
    }
}

impl From<serde_json::Error> for ReportError {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}

/// How settlements are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// Comma-separated values with a header line.
    Csv,
    /// An array of objects.
    Json,
}

/// How revenue is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SummaryFormat {
    /// Aligned columns to read.
    Table,
    /// Comma-separated values with a header line, the total last.
    Csv,
    /// An object with rows and their total.
    Json,
}

/// Unix milliseconds as RFC 3339 in UTC.
pub(super) fn moment(millis: u64) -> Result<String, StoreError> {
    let instant = i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    let instant = instant.ok_or_else(|| StoreError(format!("{millis} ms since 1970 is not a valid time")))?;
    Ok(format!("{instant:.3}"))
}

/// Writes a line of comma-separated values, quoted where that is needed (RFC 4180).
pub(super) fn csv_line(out: &mut impl Write, cells: &[impl AsRef<str>]) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        let cell = cell.as_ref();
        if cell.contains(['"', ',', '\r', '\n']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}

/// Writes rows under their heads as a table or comma-separated values, or else `json`. Columns named in `right` are
/// aligned to the right.
pub(super) fn summary<const N: usize>(
    out: &mut impl Write,
    format: SummaryFormat,
    heads: &[&str; N],
    right: &[&str],
    rows: &[[String; N]],
    json: &impl Serialize,
) -> Result<(), ReportError> {
    match format {
        SummaryFormat::Table => table(out, heads, rows, right)?,
        SummaryFormat::Csv => {
            csv_line(out, heads)?;
            rows.iter().try_for_each(|row| csv_line(out, row))?;
        }
        SummaryFormat::Json => {
            serde_json::to_writer(&mut *out, json)?;
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}

/// Writes one item of a JSON array, the opening bracket before the first.
pub(super) fn json_item(out: &mut impl Write, first: &mut bool, item: &impl Serialize) -> io::Result<()> {
    out.write_all(if *first { b"[\n" } else { b",\n" })?;
    *first = false;
    Ok(serde_json::to_writer(out, item)?)
}

/// Closes a JSON array; `empty` when it has no item.
pub(super) fn json_end(out: &mut impl Write, empty: bool) -> io::Result<()> {
    out.write_all(if empty { b"[]\n" } else { b"\n]\n" })
}

/// Writes rows under their heads, in columns as wide as need be; some are aligned to the right.
fn table<const N: usize>(
    out: &mut impl Write,
    heads: &[&str; N],
    rows: &[[String; N]],
    right: &[&str],
) -> io::Result<()> {
    let heads = heads.map(str::to_owned);
    let lines = || std::iter::once(&heads).chain(rows);
    let mut widths = [0; N];
    for line in lines() {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for line in lines() {
        let cells = line.iter().zip(&heads).zip(widths).map(|((cell, head), width)| {
            if right.contains(&head.as_str()) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join(GAP).trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).expect("memory takes everything");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn csv_quotes_what_would_be_misread() {
        let cells = ["plain", "a,b", "say \"so\"", "two\nlines", "cr\r", "", "é"];
        let line = written(|out| csv_line(out, &cells));
        assert_eq!(line, "plain,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\"cr\r\",,é\n");
    }

    #[test]
    fn json_arrays_are_whole() {
        for items in [&[][..], &["a"], &["a", "b\"", "c"]] {
            let text = written(|out| {
                let mut first = true;
                for item in items {
                    json_item(out, &mut first, item)?;
                }
                json_end(out, first)
            });
            assert_eq!(serde_json::from_str::<Vec<String>>(&text).expect(&text), items);
        }
    }

    #[test]
    fn tables_are_aligned() {
        let rows = [["é".into(), "5".into(), String::new()], ["long".into(), "12345".into(), "x".into()]];
        let text = written(|out| table(out, &["name", "n", "end"], &rows, &["n"]));
        assert_eq!(text, "name      n  end\né         5\nlong  12345  x\n");
    }
}
