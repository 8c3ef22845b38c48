//! Separated values: Polars splits the fields of a block, and every column stays text. Small files are read block by block.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::{CsvEncoding, CsvReadOptions, DataType, PlSmallStr, Schema, SerReader, StringChunked};

use super::blocks::{BLOCK_BYTES, Block, Blocks, Layout, SAMPLE_BYTES, SEPARATORS, TextBlocks, TextBytes};
use super::format::Compression;
use super::limits::{COLUMNS_MAX, Limited, TABLE_BYTES_MAX, TABLE_ROWS_MAX};
use super::quoting::Dialect;
use super::{format, quoting, typed};
use crate::ingest::mapping::{InputSettings, QuoteEscape};

/// Opens a file of separated values: its blocks behind the header, and the header. `known` counts names that are
/// columns, `required` the values up to the last required column.
///
/// # Errors
/// When the file cannot be read, its header is too long, or what looks like the header stands below another record.
pub(super) fn open(
    (mut reader, encoding): TextBytes,
    settings: &InputSettings,
    known: impl Fn(&[String]) -> usize,
    required: impl Fn(&[String]) -> usize,
    block_bytes: usize,
) -> Result<(TextBlocks, Vec<String>)> {
    let chosen = settings.separator.map(|separator| [separator]);
    let separators = chosen.as_ref().map_or(&SEPARATORS[..], |chosen| &chosen[..]);
    let mut sample = Vec::new();
    (&mut reader).take(SAMPLE_BYTES as u64).read_to_end(&mut sample).context("the data cannot be read")?;
    let (is_whole, is_said) = (sample.len() < SAMPLE_BYTES, settings.quote_escape.is_some());
    let layout = |dialect| Layout::Separated { dialect, names: 0, least: 0 };
    let is_in_dialect = |dialect| -> Result<bool> {
        let mut blocks = Blocks::new(&sample[..], layout(dialect), encoding, SAMPLE_BYTES);
        let header = blocks.header(separators, &known)?;
        blocks.require(required(&header));
        Ok(!header.iter().any(|name| name.starts_with('"')) && blocks.is_in_dialect(is_whole, is_said)?)
    };
    // A sample that cannot be read is in no dialect; reading the file says why.
    let fits = |dialect| is_in_dialect(dialect).unwrap_or(false);
    let dialect = dialect(&sample, settings.quote_escape, fits);
    let reader: Box<dyn Read + Send> = Box::new(Cursor::new(sample).chain(reader));
    let mut blocks = Blocks::new(reader, layout(dialect), encoding, block_bytes);
    let header = blocks.header(separators, &known)?;
    if let Some(line) = blocks.header_below(separators, &known, known(&header)) {
        bail!("line {line} looks like the header: remove the lines above it");
    }
    Ok((blocks, header))
}

/// The dialect of a file by its beginning: the contract's where its records are in it, else the first of the others in
/// which they are. A mapping may say how quotes are escaped. The separator of the result is a placeholder.
fn dialect(sample: &[u8], said: Option<QuoteEscape>, is_in_dialect: impl Fn(Dialect) -> bool) -> Dialect {
    let contract = Dialect::contract(SEPARATORS[0]);
    let contract = Dialect { escape: said.unwrap_or(contract.escape), ..contract };
    let may_escape = said.is_none() && memchr::memmem::find(sample, b"\\\"").is_some();
    let may_pad = has_padded_quote(sample);
    if !may_escape && !may_pad || is_in_dialect(contract) {
        return contract;
    }
    let escaped = Dialect { escape: QuoteEscape::Backslash, ..contract };
    let others = [
        (may_escape, escaped),
        (may_pad, Dialect { padded: true, ..contract }),
        (may_escape && may_pad, Dialect { padded: true, ..escaped }),
    ];
    others
        .into_iter()
        .find(|(may, dialect)| *may && is_in_dialect(*dialect))
        .map_or(contract, |(_, dialect)| dialect)
}

/// Whether blanks and a quote stand behind what may be a separator or a line end.
fn has_padded_quote(sample: &[u8]) -> bool {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let is_padded = |at: usize| {
        let blanks = sample[..=at].iter().rev().take_while(|byte| is_blank(byte)).count();
        let (before, blanks) = sample[..=at].split_at(at + 1 - blanks);
        // A tab may be the separator.
        before.last().is_none_or(|byte| byte.is_ascii_punctuation() || *byte == b'\n')
            || blanks.len() > 1 && blanks.contains(&b'\t')
    };
    [b" \"", b"\t\""].into_iter().any(|quote| memchr::memmem::find_iter(sample, quote).any(is_padded))
}

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
            "the header has {width} columns, and at most {COLUMNS_MAX} are supported; remove columns that are not \
             needed"
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
        ensure!(frame.height() == rows, "line {first}: {rows} records were read as {} rows", frame.height());
        let text = |at: usize| -> Result<StringChunked> {
            Ok(frame.column(&position_name(at))?.str()?.rechunk().into_owned())
        };
        typed::columns_at(&self.positions, text)
    }
}

fn position_name(at: usize) -> PlSmallStr {
    PlSmallStr::from_string(at.to_string())
}

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
    let dialect = Dialect::contract(b',');
    let layout = Layout::Separated { dialect, names: usize::MAX, least: 0 };
    let mut blocks = Blocks::new(reader, layout, None, BLOCK_BYTES);
    let mut rows = 0;
    while let Some(block) = blocks.next_block()? {
        let (block, _) = block.into_utf8(Some(b','));
        let mut rest = &block.bytes[..];
        for line in block.lines {
            let record = quoting::whole_record(rest, b',').context("a block ends within a record")?;
            let text = &rest[..record.len];
            let columns = quoting::count(text, dialect);
            ensure!(
                columns <= COLUMNS_MAX,
                "line {line} has {columns} values, and at most {COLUMNS_MAX} are supported"
            );
            let values = quoting::values(text, dialect);
            if !values.iter().all(String::is_empty) {
                rows += 1;
                ensure!(rows <= TABLE_ROWS_MAX, "line {line}: the file has more than {TABLE_ROWS_MAX} rows");
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The dialect of a file of two columns, as it is told.
    fn found(text: &str, said: Option<QuoteEscape>) -> Option<&'static str> {
        let reader: Box<dyn Read + Send> = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let mut settings = InputSettings::default();
        settings.quote_escape = said;
        let known = |names: &[String]| names.iter().filter(|name| matches!(name.as_str(), "a" | "b")).count();
        let (blocks, header) = open((reader, None), &settings, known, |_| 2, BLOCK_BYTES).unwrap();
        assert_eq!(header, ["a", "b"], "{text}");
        blocks.dialect().unwrap().quoting()
    }

    /// Whether the records of a sample have to be looked at for its dialect.
    fn is_looked_at(sample: &str, said: Option<QuoteEscape>) -> bool {
        let looks = std::cell::Cell::new(false);
        dialect(sample.as_bytes(), said, |_| {
            looks.set(true);
            true
        });
        looks.get()
    }

    const BACKSLASH: Option<&str> = Some("backslash before quotes");
    const BLANKS: Option<&str> = Some("blanks before quotes");

    #[test]
    fn a_dialect_is_found_where_the_contract_does_not_fit() {
        for (text, expected) in [
            ("a,b\n1,\"27\\\" TV, black\"\n", BACKSLASH),
            ("a,b\r\n1,\"27\\\" TV\"\r\n2,x\r\n", BACKSLASH),
            ("a,b\n1,\"TV 27\\\"\"\n2,\"x\"\n", BACKSLASH),
            ("a;b\n1;\"27\\\" x\n TV\"\n2;\"C:\\\\\"\n", BACKSLASH),
            ("a, b\n1, \"x, y\"\n", BLANKS),
            ("\"a\", \"b\"\r\n\"1\", \"x\" \r\n", BLANKS),
            ("a\tb\n1\t \"x\ty\"\n", BLANKS),
            ("a,b\n  \"1\",2\n", BLANKS),
            ("a, b\n1, \"27\\\" TV, black\"\n", Some("backslash and blanks before quotes")),
        ] {
            assert_eq!(found(text, None), expected, "{text}");
        }
    }

    #[test]
    fn a_file_in_the_contract_s_form_stays_so() {
        for text in [
            "a,b\n1,\"C:\\\"\n2,\"D:\\\"\n",
            "a,b\n1,\"27 \\\"\" TV\"\n",
            "a,b\n1,27\\\" TV\n",
            "a,b\n1,\"he said, \"\"so\"\"\"\n",
            "a,b\n1,\"one: \"\"two\"\", three\"\n",
            // No other dialect fits either.
            "a,b\n1,\"27\\\" TV\"\n2\n",
            "a,b\n1, \"Best\" mug\n",
            "a,b\n\"C:\\\",1\n3,4,z\",2\n",
        ] {
            assert_eq!(found(text, None), None, "{text}");
        }
        assert!(!is_looked_at("a,b\n1,\"x, y \"\"z\"\"\"\n\"2\",C:\\x\n", None));
    }

    #[test]
    fn a_mapping_says_how_quotes_are_escaped() {
        let (double, backslash) = (Some(QuoteEscape::Double), Some(QuoteEscape::Backslash));
        let escaped = "a,b\n1,\"27\\\" TV\"\n";
        assert_eq!((found(escaped, double), is_looked_at(escaped, double)), (None, false));
        assert_eq!((found("a,b\n1,x\n", backslash), is_looked_at(escaped, backslash)), (BACKSLASH, false));
        assert_eq!(found("a,b\n1, \"27\\\", TV\"\n", backslash), Some("backslash and blanks before quotes"));
        assert_eq!(found("a,b\n1, \"x, y\"\n", double), BLANKS);
    }

    #[test]
    fn a_sample_may_end_within_a_record() {
        let begin = "a,b\n1,\"27\\\" TV, black\"\n";
        let text = begin.to_owned() + &"2,\"x, y\"\n".repeat(SAMPLE_BYTES / 8);
        for more in 0..10 {
            assert_eq!(found(&format!("{}{text}", "\n".repeat(more)), None), BACKSLASH, "{more}");
        }
    }
}
