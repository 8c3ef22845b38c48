//! Format and destination of an answer.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use console::Term;

use crate::query::json_text::indented;
use crate::query::representation::{self, Representation};

/// Format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerFormat {
    /// Fields, then tables, fitted to the width of the terminal.
    Table,
    /// Body of the server's answer; on a terminal with one field per line.
    Json,
    /// Rows as comma-separated values.
    Csv,
    /// One line of JSON per row.
    Ndjson,
    /// Rows as an Arrow stream.
    Arrow,
    /// Rows as a Parquet file.
    Parquet,
}

/// Options for the format and the destination of an answer.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Format of the answer [default: the format of the file extension of --out, or else table].
    #[arg(long, global = true, value_enum, value_name = "FORMAT", help_heading = "Output")]
    format: Option<AnswerFormat>,
    /// File to write the answer to, replaced if it exists [default: standard output].
    #[arg(long, global = true, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
}

/// A combination of options that is not valid. The exit code is 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Misuse(pub(super) String);

impl AnswerFormat {
    /// The media type of the server's representation; `None` for the table.
    fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Table => None,
            Self::Json => Some("application/json"),
            Self::Csv => Some("text/csv"),
            Self::Ndjson => Some("application/x-ndjson"),
            Self::Arrow => Some("application/vnd.apache.arrow.stream"),
            Self::Parquet => Some("application/vnd.apache.parquet"),
        }
    }

    /// The server's representation; `None` for the table.
    pub(super) fn representation(self) -> anyhow::Result<Option<&'static dyn Representation>> {
        let Some(media_type) = self.media_type() else { return Ok(None) };
        let known = representation::ALL.iter().copied().find(|known| known.media_type() == media_type);
        known.map(Some).with_context(|| format!("{media_type} is not a format of answers"))
    }

    fn is_text(self) -> bool {
        !matches!(self, Self::Arrow | Self::Parquet)
    }

    /// The format for the extension of a file name; `None` for an unknown extension.
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Some(Self::Table),
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "arrow" | "arrows" => Some(Self::Arrow),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

impl OutputArgs {
    /// The requested format, or the one for the extension of the output file.
    pub(super) fn format(&self) -> Result<AnswerFormat, Misuse> {
        match (self.format, &self.out) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(AnswerFormat::Table),
            (None, Some(path)) => AnswerFormat::of_file(path).ok_or_else(|| {
                Misuse(format!(
                    "the file extension of {} is not a known format: name a format with --format, or write to a file \
                     that ends in .json, .csv, .ndjson, .arrow, .parquet or .txt",
                    path.display()
                ))
            }),
        }
    }

    /// Returns an error if the format is not known, or if it is binary and the output is a terminal.
    pub(super) fn check(&self, is_terminal: bool) -> Result<(), Misuse> {
        let format = self.format()?;
        if is_terminal && self.out.is_none() && !format.is_text() {
            return Err(Misuse(format!(
                "{format:?} is binary and is not written to a terminal: name a file with --out"
            )));
        }
        Ok(())
    }

    /// The output file, if one is named.
    pub(super) fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// Writes an answer to the file or to standard output. JSON on a terminal has one field per line.
    pub(super) fn write(&self, body: &[u8]) -> anyhow::Result<()> {
        if let Some(path) = &self.out {
            return fs::write(path, body).with_context(|| format!("{} cannot be written", path.display()));
        }
        let mut out = io::stdout().lock();
        match std::str::from_utf8(body) {
            Ok(json) if self.format()? == AnswerFormat::Json && out.is_terminal() && !body.is_empty() => {
                writeln!(out, "{}", indented(json))?;
            }
            _ => out.write_all(body)?,
        }
        Ok(out.flush()?)
    }
}

/// Width of the terminal, in characters; `None` if standard output is not a terminal. The width is 80 if the terminal
/// does not report its size.
pub(super) fn width() -> Option<usize> {
    let terminal = Term::stdout();
    let (_, columns) = terminal.is_term().then(|| terminal.size())?;
    Some(columns.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(format: Option<AnswerFormat>, out: Option<&str>) -> OutputArgs {
        OutputArgs { format, out: out.map(PathBuf::from) }
    }

    #[test]
    fn the_ending_of_a_file_is_its_form() {
        for (out, format) in [
            ("a.json", AnswerFormat::Json),
            ("a.CSV", AnswerFormat::Csv),
            ("a.jsonl", AnswerFormat::Ndjson),
            ("a.b/c.arrow", AnswerFormat::Arrow),
            ("a.parquet", AnswerFormat::Parquet),
        ] {
            assert_eq!(args(None, Some(out)).format().ok(), Some(format), "{out}");
        }
        assert_eq!(args(Some(AnswerFormat::Csv), Some("a.json")).format().ok(), Some(AnswerFormat::Csv));
        assert_eq!(args(None, None).format().ok(), Some(AnswerFormat::Table));
        for out in ["a", "a.xlsx", ".csv"] {
            assert!(
                args(None, Some(out)).format().is_err_and(|misuse| misuse.0.contains("--format")),
                "{out}"
            );
        }
    }

    #[test]
    fn every_form_is_one_of_the_servers_but_for_the_table() {
        let ours: Vec<_> =
            AnswerFormat::value_variants().iter().filter_map(|format| format.media_type()).collect();
        let servers: Vec<_> = representation::ALL.iter().map(|known| known.media_type()).collect();
        assert_eq!(ours, servers);
        assert!(AnswerFormat::Parquet.representation().is_ok_and(|known| known.is_some()));
    }

    #[test]
    fn refuses_binary_formats_on_terminals() {
        for format in AnswerFormat::value_variants() {
            let is_binary = ["Arrow", "Parquet"].contains(&&*format!("{format:?}"));
            assert_eq!(args(Some(*format), None).check(true).is_err(), is_binary, "{format:?}");
            assert!(args(Some(*format), None).check(false).is_ok());
            assert!(args(Some(*format), Some("a")).check(true).is_ok());
        }
    }
}
