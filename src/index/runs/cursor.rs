//! Reads `rows.arrow`: group after group of a range of hashes.

use std::fs::File;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use xxhash_rust::xxh3::xxh3_64;

use super::ByteSource;
use super::decode::decode;
use super::group::RunGroup;
use super::index::BatchIndex;
use super::key::Key;
use super::table::GroupTable;

/// Bytes that are read at a time, where batches are smaller.
const READ_BYTES: u64 = 256 << 10;

/// Groups of a file within a range of hashes, in order. Holds one decoded batch, and bytes of those that follow.
pub struct Groups {
    source: ByteSource,
    index: Arc<BatchIndex>,
    hashes: RangeInclusive<u64>,
    /// Batches that are not decoded yet.
    batches: Range<usize>,
    /// Bytes of the file from `read_from` on.
    read: Vec<u8>,
    read_from: u64,
    batch: GroupTable,
    at: usize,
}

impl Groups {
    /// The groups of a file, whose batches `index` tells.
    pub(super) fn open(
        source: ByteSource,
        index: Arc<BatchIndex>,
        hashes: RangeInclusive<u64>,
    ) -> Result<Self> {
        let batches = index.holding(&hashes);
        let batch = GroupTable::default();
        let mut groups =
            Self { source, index, hashes, batches, read: Vec::new(), read_from: 0, batch, at: 0 };
        groups.settle()?;
        Ok(groups)
    }

    /// All groups of a temporary file that a [`GroupWriter`](super::GroupWriter) wrote.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub fn of_file(file: File, index: BatchIndex) -> Result<Self> {
        Self::open(ByteSource::Local(file), Arc::new(index), 0..=u64::MAX)
    }

    /// The group at which the cursor stands; nothing behind the last.
    pub fn current(&self) -> Option<RunGroup<'_>> {
        (self.at < self.batch.len()).then(|| self.batch.group(self.at))
    }

    /// By what the group at which the cursor stands is ordered: hash, key, member.
    pub(super) fn head(&self) -> Option<(u64, Key<'_>, u32)> {
        let (batch, at) = (&self.batch, self.at);
        (at < batch.len()).then(|| (batch.hash[at], batch.key(at), batch.member[at]))
    }

    /// Goes on to the next group.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn advance(&mut self) -> Result<()> {
        self.at += 1;
        self.settle()
    }

    /// Goes to the next group of the range, if this is none.
    fn settle(&mut self) -> Result<()> {
        loop {
            while let Some(&hash) = self.batch.hash.get(self.at) {
                if self.hashes.contains(&hash) {
                    return Ok(());
                }
                if hash > *self.hashes.end() {
                    self.end();
                    return Ok(());
                }
                self.at += 1;
            }
            let Some(batch) = self.batches.next() else {
                self.end();
                return Ok(());
            };
            self.decode(batch).with_context(|| format!("batch {batch}"))?;
        }
    }

    fn end(&mut self) {
        (self.batch, self.at, self.batches) = (GroupTable::default(), 0, 0..0);
    }

    fn decode(&mut self, batch: usize) -> Result<()> {
        let place = self.index.place(batch);
        let held = self.read_from..self.read_from + self.read.len() as u64;
        if !(held.contains(&place.start) && place.end <= held.end) {
            self.read_on(batch)?;
        }
        let from = (place.start - self.read_from) as usize;
        let bytes = &self.read[from..from + (place.end - place.start) as usize];
        ensure!(xxh3_64(bytes) == self.index.sums[batch], "the checksum does not match");
        let table = decode(bytes)?;
        let orders = || (0..table.len()).map(|at| table.group(at).order());
        ensure!(
            table.hash.first() == Some(&self.index.first_hashes[batch]),
            "the first key does not match the index"
        );
        ensure!(orders().is_sorted(), "the groups are out of order");
        let last = self.batch.len().checked_sub(1).map(|last| self.batch.group(last).order());
        ensure!(last.is_none_or(|last| Some(last) <= orders().next()), "the batch is out of order");
        (self.batch, self.at) = (table, 0);
        Ok(())
    }

    /// Reads a batch, and those behind it that are wanted too and fit.
    fn read_on(&mut self, batch: usize) -> Result<()> {
        let start = self.index.starts[batch];
        let mut end = self.index.place(batch).end;
        for next in self.batches.clone() {
            let place = self.index.place(next);
            if place.end - start > READ_BYTES {
                break;
            }
            end = place.end;
        }
        self.read = self.source.range(start..end)?;
        ensure!(self.read.len() as u64 == end - start, "the file is truncated");
        self.read_from = start;
        Ok(())
    }
}
