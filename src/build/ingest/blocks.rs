//! A stream of bytes, cut into blocks of whole records.
//!
//! A block holds no blank line and only regular quotes, and knows the line of each of its records.

use std::io::Read;

use anyhow::{Context, Result, ensure};
use memchr::memchr_iter;

use super::quoting::{self, Record};
use crate::build::limits::HEADER_BYTES_MAX;

/// Longest record; a file without line ends is no input.
const RECORD_BYTES_MAX: usize = 64 << 20;

/// What some programs put before the first byte.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Some whole records.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The records, each with its line feed (the last may lack it).
    pub bytes: Vec<u8>,
    /// Line of each record, from 1.
    pub lines: Vec<u64>,
    /// Whether any quote is in it.
    pub quoted: bool,
}

/// Cuts what `reader` gives.
pub(super) struct Blocks<R> {
    reader: R,
    /// Whether quotes have a meaning.
    quotes: bool,
    block_bytes: usize,
    /// Bytes that were read and not given yet.
    rest: Vec<u8>,
    /// Line at which `rest` begins.
    line: u64,
    end: bool,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(reader: R, quotes: bool, block_bytes: usize) -> Self {
        Self { reader, quotes, block_bytes, rest: Vec::new(), line: 0, end: false }
    }

    /// Names in the first record, which is taken; none at all for a file without a byte.
    pub(super) fn header(&mut self) -> Result<Vec<String>> {
        let mut wanted = self.block_bytes.min(1 << 16);
        loop {
            self.fill(wanted)?;
            let Some(record) = self.record(0) else {
                ensure!(
                    wanted <= HEADER_BYTES_MAX,
                    "the header is longer than {HEADER_BYTES_MAX} bytes; is this a file of lines?"
                );
                wanted *= 2;
                continue;
            };
            let names = quoting::values(&self.rest[..record.len]);
            self.line += lines_in(&self.rest[..record.next]);
            self.rest.drain(..record.next);
            if !names.iter().all(String::is_empty) || record.next == 0 {
                return Ok(names);
            }
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
            let (block, taken) = self.cut();
            if taken > 0 {
                self.rest.drain(..taken);
                if block.lines.is_empty() {
                    continue;
                }
                return Ok(Some(block));
            }
            wanted *= 2;
            ensure!(
                wanted <= 2 * RECORD_BYTES_MAX,
                "line {}: longer than {RECORD_BYTES_MAX} bytes",
                self.line
            );
        }
    }

    /// Reads until `rest` holds `wanted` bytes or the stream ends.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.max(BOM.len()).saturating_sub(self.rest.len());
        if self.end || missing == 0 {
            return Ok(());
        }
        let limit = missing as u64;
        let got = (&mut self.reader).take(limit).read_to_end(&mut self.rest).context("broken input")?;
        self.end = got < missing;
        if self.line == 0 {
            self.line = 1;
            if self.rest.starts_with(BOM) {
                self.rest.drain(..BOM.len());
            }
        }
        Ok(())
    }

    fn record(&self, at: usize) -> Option<Record> {
        let bytes = &self.rest[at..];
        if self.quotes {
            return quoting::record(bytes, self.end);
        }
        let newline = memchr::memchr(b'\n', bytes);
        let len = newline.or(self.end.then_some(bytes.len()))?;
        Some(Record { len, next: newline.map_or(len, |at| at + 1), regular: true, quoted: false })
    }

    /// The whole records of `rest`, and how many bytes they took.
    fn cut(&mut self) -> (Block, usize) {
        let mut block = Block { bytes: Vec::new(), lines: Vec::new(), quoted: false };
        // Bytes from here on are in the form a reader wants and not copied yet.
        let mut pending = 0;
        let mut at = 0;
        while at < self.rest.len() {
            let Some(record) = self.record(at) else { break };
            let text = &self.rest[at..at + record.len];
            let blank = matches!(text, b"" | b"\r");
            if blank || !record.regular {
                block.bytes.extend_from_slice(&self.rest[pending..at]);
                pending = at + record.next;
            }
            if !blank {
                block.lines.push(self.line);
                block.quoted |= record.quoted;
            }
            if !record.regular {
                quoting::rewrite(text, &mut block.bytes);
            }
            self.line += if record.quoted { lines_in(&self.rest[at..at + record.next]) } else { 1 };
            at += record.next;
        }
        block.bytes.extend_from_slice(&self.rest[pending..at.max(pending)]);
        (block, at)
    }
}

pub(super) fn lines_in(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str, block_bytes: usize) -> (Vec<String>, Vec<(String, u64)>) {
        let mut blocks = Blocks::new(text.as_bytes(), true, block_bytes);
        let header = blocks.header().unwrap();
        let mut records = Vec::new();
        while let Some(block) = blocks.next_block().unwrap() {
            let mut rest = &block.bytes[..];
            for line in block.lines {
                let record = quoting::record(rest, true).unwrap();
                records.push((quoting::values(&rest[..record.len]).join("|"), line));
                rest = &rest[record.next..];
            }
            assert!(rest.is_empty());
        }
        (header, records)
    }

    #[test]
    fn cuts_do_not_show() {
        let text = "\u{feff}a,b\r\n1,x\r\n\r\n2,\"y\nz\"\n3,2\" tube\n\n\n4,\"\"\n5,end";
        let whole = blocks(text, 1 << 20);
        assert_eq!(whole.0, ["a", "b"]);
        let expected = [("1|x", 2), ("2|y\nz", 4), ("3|2\" tube", 6), ("4|", 9), ("5|end", 10)];
        assert_eq!(whole.1, expected.map(|(record, line)| (record.to_owned(), line)));
        for size in 1..60 {
            assert_eq!(blocks(text, size), whole, "blocks of {size}");
        }
    }

    #[test]
    fn nothing_has_no_header() {
        assert_eq!(blocks("", 16), (vec![String::new()], vec![]));
        assert_eq!(blocks("a,b", 16), (vec!["a".into(), "b".into()], vec![]));
    }
}
