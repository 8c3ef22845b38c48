//! A stream of bytes, cut into blocks of whole records.
//!
//! A block holds no blank line and only regular quotes, and knows the line of each of its records.

use std::io::Read;

use anyhow::{Context, Result, bail, ensure};
use memchr::memchr_iter;

use super::column_kinds::{ColumnKinds, KnownColumns};
use super::encoding::{self, BOM};
use super::quoting::{self, Dialect, Misfit, Record};
use crate::ingest::limits::{HEADER_BYTES_MAX, QUOTED_BYTES_MAX};
use crate::ingest::mapping::{Encoding, QuoteEscape};

/// Bytes of raw text a worker decodes at a time.
pub(crate) const BLOCK_BYTES: usize = 4 << 20;
/// Bytes at the beginning of a file that show its dialect.
pub(super) const SAMPLE_BYTES: usize = 1 << 20;
/// Bytes behind the header that show the kinds of values in the columns of a file.
const KINDS_BYTES: usize = 64 << 10;
/// Longest record; a file without line ends is no input.
const RECORD_BYTES_MAX: usize = 64 << 20;
/// Most records of a block: what is kept of a record besides its bytes is bounded too.
const BLOCK_RECORDS_MAX: usize = 1 << 18;
/// Bytes of a record that an example quotes.
const EXCERPT_BYTES: usize = 120;
/// Bytes in which a first line has to end that only says the separator.
const SAID_BYTES: usize = 64;
/// Records below the first that are looked at for a header.
const HEADER_LINES_MAX: usize = 20;
/// What part the values of a record where nothing says otherwise, in the order in which they are tried.
pub(super) const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// The bytes of a text file in an encoding that holds ASCII, and the encoding of the file where it is known already.
pub(super) type TextBytes = (Box<dyn Read + Send>, Option<Encoding>);
/// Blocks of a text file.
pub(super) type TextBlocks = Blocks<Box<dyn Read + Send>>;

/// Some whole records.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The records, each with its line feed (the last may lack it).
    pub bytes: Vec<u8>,
    /// Line of each record, from 1.
    pub lines: Vec<u64>,
    /// Whether any quote is in it.
    pub quoted: bool,
    /// What it is written in; nothing where that is ASCII.
    pub encoding: Option<Encoding>,
    /// Records that do not fit the header, by row.
    pub ragged: Vec<(usize, String)>,
    /// Records with a quote that swallowed others: the first line, and the last.
    pub open_quotes: Vec<(u64, u64)>,
}

/// How the records of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// One record a line, quotes without meaning.
    Lines,
    /// Values between separators, under this many names, none before the header was read; a record has at least so many
    /// values.
    Separated { dialect: Dialect, names: usize, least: usize },
}

/// Cuts what `reader` gives.
pub(super) struct Blocks<R> {
    reader: R,
    layout: Layout,
    block_bytes: usize,
    /// What the file is written in; decided by the first record that is not ASCII, unless something did before.
    encoding: Option<Encoding>,
    /// The kinds of values in its columns, once they were learnt.
    kinds: Option<ColumnKinds>,
    /// Bytes that were read and not given yet.
    rest: Vec<u8>,
    /// Line at which `rest` begins.
    line: u64,
    end: bool,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(reader: R, layout: Layout, encoding: Option<Encoding>, block_bytes: usize) -> Self {
        Self { reader, layout, block_bytes, encoding, kinds: None, rest: Vec::new(), line: 0, end: false }
    }

    /// What the file is written in, as far as it was read.
    pub(super) fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    /// The separator and how quotes are written.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        match self.layout {
            Layout::Lines => None,
            Layout::Separated { dialect, .. } => Some(dialect),
        }
    }

    /// The dialect with this separator.
    fn with(&self, separator: u8) -> Dialect {
        self.dialect().map_or(Dialect::contract(separator), |dialect| Dialect { separator, ..dialect })
    }

    /// Names in the first record, which is taken; none at all for a file without a byte. The separator is the one of
    /// `separators` by which `known` knows most names, then the one with most names, then the first; where there is a
    /// choice, a line above that says nothing else decides it (`sep=;`, which Excel writes and obeys).
    pub(super) fn header(
        &mut self,
        separators: &[u8],
        known: impl Fn(&[String]) -> usize,
    ) -> Result<Vec<String>> {
        let said = self.said()?;
        let separators = said.as_ref().filter(|_| separators.len() > 1).map_or(separators, |said| &said[..]);
        loop {
            let read: Vec<_> =
                separators.iter().map(|&separator| self.first(separator)).collect::<Result<_>>()?;
            let best = read.into_iter().rev().max_by_key(|(_, _, names)| (known(names), names.len()));
            let (separator, record, names) = best.context("no separator to try")?;
            self.check_quotes(0, &record)?;
            let text = self.rest[..record.len].strip_suffix(b"\r").unwrap_or(&self.rest[..record.len]);
            ensure!(
                !text.contains(&b'\r') || self.rest.contains(&b'\n'),
                "the lines end with CR alone, which is not supported; save the file with LF or CRLF line ends"
            );
            self.line += lines_in(&self.rest[..record.next]);
            self.rest.drain(..record.next);
            if !names.iter().all(String::is_empty) || record.next == 0 {
                self.layout =
                    Layout::Separated { dialect: self.with(separator), names: names.len(), least: 0 };
                return Ok(names);
            }
        }
    }

    /// Sets how many values a record has at least.
    pub(super) fn require(&mut self, fields: usize) {
        if let Layout::Separated { least, .. } = &mut self.layout {
            *least = fields;
        }
    }

    /// Sets which columns a record has, and learns the kinds of their values by the first records behind the header.
    pub(super) fn expect(&mut self, columns: KnownColumns) -> Result<()> {
        self.require(columns.values_min());
        let Layout::Separated { dialect, names, .. } = self.layout else { return Ok(()) };
        self.fill(KINDS_BYTES)?;
        let mut rest = &self.rest[..];
        let records = std::iter::from_fn(|| {
            let record = quoting::record(rest, self.end, dialect).filter(|record| record.next > 0)?;
            let values = quoting::trimmed(&rest[..record.len], dialect);
            rest = &rest[record.next..];
            Some(values)
        });
        self.kinds = Some(ColumnKinds::new(columns, names, records));
        Ok(())
    }

    /// The separator that a first line of its own says; that line is taken.
    fn said(&mut self) -> Result<Option<[u8; 1]>> {
        self.fill(SAID_BYTES)?;
        let Some(end) = memchr::memchr(b'\n', &self.rest[..self.rest.len().min(SAID_BYTES)]) else {
            return Ok(None);
        };
        let line = self.rest[..end].strip_suffix(b"\r").unwrap_or(&self.rest[..end]);
        let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
        let [s, e, p, b'=', separator] = *line else { return Ok(None) };
        if ![s, e, p].eq_ignore_ascii_case(b"sep") || !separator.is_ascii() || separator == b'"' {
            return Ok(None);
        }
        self.rest.drain(..=end);
        self.line += 1;
        Ok(Some([separator]))
    }

    /// Line of the first of the next records that looks like a header: `known` knows at least two of its names more
    /// than `least`. Nothing is taken.
    pub(super) fn header_below(
        &self,
        separators: &[u8],
        known: impl Fn(&[String]) -> usize,
        least: usize,
    ) -> Option<u64> {
        let lines = self.rest.split(|&byte| byte == b'\n').zip(self.line..).take(HEADER_LINES_MAX);
        let knows = |line: &[u8], separator| known(&quoting::values(line, self.with(separator))) > least + 1;
        let is_header = |line: &[u8]| separators.iter().any(|&separator| knows(line, separator));
        lines.into_iter().find(|(line, _)| is_header(line)).map(|(_, line)| line)
    }

    /// The first record, and its values between `separator`.
    fn first(&mut self, separator: u8) -> Result<(u8, Record, Vec<String>)> {
        let dialect = self.with(separator);
        self.layout = Layout::Separated { dialect, names: 0, least: 0 };
        let mut wanted = self.block_bytes.min(1 << 16);
        loop {
            self.fill(wanted)?;
            if let Some(record) = self.record(0, self.quote_from(0)) {
                self.decide(0, record.len);
                let text = encoding::utf8(self.rest[..record.len].to_vec(), self.encoding);
                return Ok((separator, record, quoting::values(&text, dialect)));
            }
            ensure!(
                wanted < HEADER_BYTES_MAX,
                "the header is longer than {HEADER_BYTES_MAX} bytes; check that the file consists of lines"
            );
            wanted *= 2;
        }
    }

    /// The next block; nothing at the end.
    pub(super) fn next_block(&mut self) -> Result<Option<Block>> {
        let mut wanted = self.block_bytes;
        loop {
            self.fill(wanted)?;
            if self.rest.is_empty() {
                return Ok(None);
            }
            let (block, taken) = self.cut()?;
            if taken > 0 {
                self.rest.drain(..taken);
                if block.lines.is_empty() {
                    continue;
                }
                return Ok(Some(block));
            }
            ensure!(wanted < RECORD_BYTES_MAX, "line {} is longer than {RECORD_BYTES_MAX} bytes", self.line);
            wanted = (2 * wanted).min(RECORD_BYTES_MAX);
        }
    }

    /// Reads until `rest` holds `wanted` bytes or the stream ends.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.max(BOM.len()).saturating_sub(self.rest.len());
        if self.end || missing == 0 {
            return Ok(());
        }
        let limit = missing as u64;
        let got =
            (&mut self.reader).take(limit).read_to_end(&mut self.rest).context("the data cannot be read")?;
        self.end = got < missing;
        if self.line == 0 {
            self.line = 1;
            if self.rest.starts_with(BOM) {
                self.rest.drain(..BOM.len());
            }
        }
        Ok(())
    }

    /// The record at a place, before which no quote is: the next one is at `quote`.
    fn record(&self, at: usize, quote: usize) -> Option<Record> {
        let bytes = &self.rest[at..];
        let newline = memchr::memchr(b'\n', bytes);
        match self.layout {
            Layout::Separated { dialect, .. } if quote < at + newline.unwrap_or(bytes.len()) => {
                quoting::record(bytes, self.end, dialect)
            }
            _ => Record::unquoted(newline, self.end.then_some(bytes.len())),
        }
    }

    /// Where the next quote is that means anything, from a place on.
    fn quote_from(&self, at: usize) -> usize {
        match self.layout {
            Layout::Separated { .. } => {
                memchr::memchr(b'"', &self.rest[at..]).map_or(usize::MAX, |to| at + to)
            }
            Layout::Lines => usize::MAX,
        }
    }

    /// Lets the record decide what the file is written in, where nothing did before and it can.
    fn decide(&mut self, at: usize, len: usize) {
        let record = &self.rest[at..at + len];
        if self.encoding.is_none() && !record.is_ascii() {
            self.encoding = Some(encoding::of_record(record));
        }
    }

    /// Whether a record says nothing: sheets leave rows of separators behind.
    fn is_blank(&self, text: &[u8]) -> bool {
        let Layout::Separated { dialect, .. } = self.layout else { return matches!(text, b"" | b"\r") };
        text.iter().all(|&byte| byte == dialect.separator || matches!(byte, b' ' | b'\t' | b'\r'))
    }

    /// Whether a quoted value of a record holds other records.
    fn holds_records(&self, text: &[u8]) -> bool {
        let Layout::Separated { dialect, names, .. } = self.layout else { return false };
        names > 1 && quoting::holds_records(text, dialect, names)
    }

    /// How a record does not fit the header, and the likely cause; `None` where it does.
    fn misfit(&self, text: &[u8], record: &Record) -> Option<String> {
        let Layout::Separated { dialect, names, least } = self.layout else { return None };
        let Misfit { fields, is_shifted, cause } =
            quoting::misfit(text, record, dialect, (names, least), self.kinds.as_ref())?;
        let line = excerpt(text.split(|&byte| byte == b'\n').next().unwrap_or(text));
        let plural = if fields == 1 { "" } else { "s" };
        Some(if record.open_quote {
            format!("found a quote that opens a value and closes on a later line ({cause}): {line}")
        } else if is_shifted {
            format!("found values that do not match the kinds of their columns ({cause}): {line}")
        } else {
            format!("found {fields} value{plural}, expected {names} ({cause}): {line}")
        })
    }

    /// Whether the records of the beginning of a file, all of which is read, are written in the dialect: they fit the
    /// header and no quote is stray. Unless a mapping says that quotes stand behind backslashes (`is_said`), one of them
    /// has to be in the middle of a field. `is_whole`: the file has no more bytes.
    pub(super) fn is_in_dialect(&mut self, is_whole: bool, is_said: bool) -> Result<bool> {
        let Layout::Separated { dialect, .. } = self.layout else { return Ok(false) };
        self.fill(SAMPLE_BYTES)?;
        let (mut at, mut has_quote) = (0, is_said || dialect.escape == QuoteEscape::Double);
        while at < self.rest.len() {
            let Some(record) = quoting::record(&self.rest[at..], is_whole, dialect) else { break };
            let text = &self.rest[at..at + record.len];
            let is_misfit = || self.misfit(text, &record).is_some();
            if !self.is_blank(text) && (quoting::has_stray_quote(text, dialect) || is_misfit()) {
                return Ok(false);
            }
            has_quote = has_quote || quoting::has_quote_in_field(text, dialect);
            at += record.next;
        }
        // A dialect that is not the file's may take most of it for one value.
        Ok(has_quote && (at > self.rest.len() / 2 || self.rest.is_empty()))
    }

    /// Fails where a quote of the record at a place opens a value and is not closed in reach: what follows can be rows or
    /// a value.
    fn check_quotes(&self, at: usize, record: &Record) -> Result<()> {
        let Some(quote) = record.unclosed else { return Ok(()) };
        bail!(
            "line {}: a quote opens a value and does not close within {QUOTED_BYTES_MAX} bytes: close it, remove it, or \
             quote the whole value and double the quote inside it",
            self.line + lines_in(&self.rest[at..at + quote])
        )
    }

    /// The whole records of `rest`, and how many bytes they took.
    fn cut(&mut self) -> Result<(Block, usize)> {
        let (mut bytes, mut lines, mut quoted) = (Vec::new(), Vec::new(), false);
        let (mut ragged, mut open_quotes) = (Vec::new(), Vec::new());
        let undecided = self.encoding.is_none() && !self.rest.is_ascii();
        // Bytes from here on are in the form a reader wants and not copied yet.
        let mut pending = 0;
        let (mut at, mut quote) = (0, self.quote_from(0));
        while at < self.rest.len() && lines.len() < BLOCK_RECORDS_MAX {
            if quote < at {
                quote = self.quote_from(at);
            }
            let Some(mut record) = self.record(at, quote) else { break };
            self.check_quotes(at, &record)?;
            let text = &self.rest[at..at + record.len];
            record.open_quote = record.open_quote || !record.is_one_line() && self.holds_records(text);
            let blank = self.is_blank(text);
            if blank || !record.regular {
                bytes.extend_from_slice(&self.rest[pending..at]);
                pending = at + record.next;
            }
            if !blank {
                quoted |= record.quoted;
                if let Some(misfit) = self.misfit(text, &record) {
                    ragged.push((lines.len(), misfit));
                }
                if record.open_quote {
                    open_quotes.push((self.line, self.line + lines_in(text)));
                }
                lines.push(self.line);
            }
            if let (false, Some(dialect)) = (record.regular, self.dialect()) {
                quoting::rewrite(text, dialect, &mut bytes);
            }
            self.line += if record.is_one_line() { 1 } else { lines_in(&self.rest[at..at + record.next]) };
            if undecided {
                self.decide(at, record.len);
            }
            at += record.next;
        }
        bytes.extend_from_slice(&self.rest[pending..at.max(pending)]);
        Ok((Block { bytes, lines, quoted, encoding: self.encoding, ragged, open_quotes }, at))
    }
}

/// As much of a record as a report quotes.
pub(super) fn excerpt(record: &[u8]) -> String {
    String::from_utf8_lossy(&record[..record.len().min(EXCERPT_BYTES)]).trim_end().to_owned()
}

impl Block {
    /// The block in UTF-8 without U+0000, and the records in which anything had to be replaced: line, bytes replaced, and
    /// the record.
    pub(super) fn into_utf8(mut self, separator: Option<u8>) -> (Self, Vec<(u64, u64, String)>) {
        self.bytes = encoding::utf8(self.bytes, self.encoding);
        let sound = memchr::memchr(0, &self.bytes).is_none() && std::str::from_utf8(&self.bytes).is_ok();
        let (mut replaced, mut bytes) = (Vec::new(), Vec::new());
        if sound && self.encoding != Some(Encoding::Utf16) {
            return (self, replaced);
        }
        let mut rest = &self.bytes[..];
        for &line in &self.lines {
            let record = match separator {
                Some(separator) => {
                    quoting::whole_record(rest, separator).map_or(rest.len(), |record| record.next)
                }
                None => memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1),
            };
            let (record, after) = rest.split_at(record);
            let lost: usize = if self.encoding == Some(Encoding::Utf16) {
                // What was no UTF-16 is a replacement character already.
                memchr::memmem::find_iter(record, "\u{fffd}").count()
            } else {
                record.utf8_chunks().map(|chunk| chunk.invalid().len()).sum()
            };
            let lost = lost + memchr_iter(0, record).count();
            let text = String::from_utf8_lossy(record).replace('\0', "\u{fffd}");
            if lost > 0 {
                replaced.push((line, lost as u64, excerpt(text.as_bytes())));
            }
            bytes.extend_from_slice(text.as_bytes());
            rest = after;
        }
        (Self { bytes, ..self }, replaced)
    }
}

pub(super) fn lines_in(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
