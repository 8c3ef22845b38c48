//! `rejects.ndjson.zst`: rows with a fault of their own, ordered by (member, listings first, line).

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::ByteSource;
use crate::ingest::rejects::Reason;

/// Bytes that are read of a store at a time.
const READ_BYTES: u64 = 1 << 20;
/// Level of compression: rejects are few, and their texts alike.
const LEVEL: i32 = 3;

/// A row that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReject {
    /// Number of its file among the members of the run.
    #[serde(default, skip_serializing_if = "is_first")]
    pub member: u32,
    /// Whether it was read as a listing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub of_listings: bool,
    /// Its line, from 1.
    pub line: u64,
    /// Why.
    pub reason: Reason,
    /// The value that decided, as much of it as a report quotes; empty when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

impl RunReject {
    /// By what rejects are ordered.
    pub fn order(&self) -> (u32, bool, u64) {
        (self.member, !self.of_listings, self.line)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_first(member: &u32) -> bool {
    *member == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_false(is: &bool) -> bool {
    !is
}

/// Writes rejects that come in order.
pub struct RunRejectWriter {
    out: zstd::Encoder<'static, Summed>,
    last: Option<(u32, bool, u64)>,
}

impl RunRejectWriter {
    /// Writes to a new file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let out = Summed { file: BufWriter::new(file), bytes: 0, sum: Xxh3::new() };
        Ok(Self { out: zstd::Encoder::new(out, LEVEL)?, last: None })
    }

    /// Writes a reject.
    ///
    /// # Errors
    /// When it does not come in order, or the file cannot be written.
    pub fn push(&mut self, reject: &RunReject) -> Result<()> {
        ensure!(self.last.is_none_or(|last| last < reject.order()), "the rejected rows are out of order");
        self.last = Some(reject.order());
        serde_json::to_writer(&mut self.out, reject).context("the rejected rows cannot be written")?;
        self.out.write_all(b"\n").context("the rejected rows cannot be written")
    }

    /// Writes what is left; says how many bytes there are, and their XXH3-64.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(u64, u64)> {
        let Summed { file, bytes, sum } = self.out.finish()?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((bytes, sum.digest()))
    }
}

/// A file whose bytes are counted and summed.
struct Summed {
    file: BufWriter<File>,
    bytes: u64,
    sum: Xxh3,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Reads `rejects` rejects of an object of so many bytes with this sum.
pub(super) fn read(source: ByteSource, (bytes, sum): (u64, u64), rejects: u64) -> Result<RunRejects> {
    let ranges =
        Ranges { source, at: 0, end: bytes, held: Vec::new(), taken: 0, sum: Xxh3::new(), expected: sum };
    Ok(RunRejects {
        lines: BufReader::new(zstd::Decoder::new(ranges)?),
        left: Some(rejects),
        line: String::new(),
    })
}

/// Rejects of a run, in order.
pub struct RunRejects {
    lines: BufReader<zstd::Decoder<'static, BufReader<Ranges>>>,
    /// How many there are still; nothing behind the end or an error.
    left: Option<u64>,
    line: String,
}

impl RunRejects {
    fn read(&mut self, left: u64) -> Result<Option<RunReject>> {
        self.line.clear();
        if self.lines.read_line(&mut self.line)? == 0 {
            let source = self.lines.get_ref().get_ref().get_ref();
            ensure!(left == 0, "{left} rejected rows are missing");
            ensure!(source.is_sound(), "the checksum does not match");
            return Ok(None);
        }
        ensure!(left > 0, "the file contains more rejected rows than were counted");
        Ok(Some(serde_json::from_str(&self.line)?))
    }
}

impl Iterator for RunRejects {
    type Item = Result<RunReject>;

    fn next(&mut self) -> Option<Self::Item> {
        let left = self.left.take()?;
        let read = self.read(left).context("the rejected rows of a run are damaged").transpose()?;
        self.left = read.is_ok().then(|| left.saturating_sub(1));
        Some(read)
    }
}

/// An object of a store, as a stream.
struct Ranges {
    source: ByteSource,
    at: u64,
    end: u64,
    held: Vec<u8>,
    taken: usize,
    sum: Xxh3,
    expected: u64,
}

impl Ranges {
    /// Whether all of it was read, and its sum is the expected one.
    fn is_sound(&self) -> bool {
        self.at == self.end && self.sum.digest() == self.expected
    }
}

impl Read for Ranges {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.held.len() && self.at < self.end {
            let next = self.end.min(self.at + READ_BYTES);
            self.held = self.source.range(self.at..next).map_err(io::Error::other)?;
            self.sum.update(&self.held);
            (self.at, self.taken) = (next, 0);
        }
        let held = &self.held[self.taken..];
        let length = held.len().min(into.len());
        into[..length].copy_from_slice(&held[..length]);
        self.taken += length;
        Ok(length)
    }
}
