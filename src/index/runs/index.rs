//! Where the batches of `rows.arrow` are, and which hashes they may hold.

use std::ops::{Range, RangeInclusive};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// The batches of a file, in order.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchIndex {
    /// Hash of the first key of each.
    pub first_hashes: Vec<u64>,
    /// Where each begins.
    pub starts: Vec<u64>,
    /// XXH3-64 of the bytes of each.
    pub sums: Vec<u64>,
    /// Where the last ends.
    pub end: u64,
}

impl BatchIndex {
    pub(super) fn push(&mut self, first_hash: u64, start: u64, sum: u64) {
        self.first_hashes.push(first_hash);
        self.starts.push(start);
        self.sums.push(sum);
    }

    /// Number of batches.
    pub fn len(&self) -> usize {
        self.first_hashes.len()
    }

    /// Whether there is no batch.
    pub fn is_empty(&self) -> bool {
        self.first_hashes.is_empty()
    }

    /// Fails where it says what cannot be.
    pub(super) fn check(&self) -> Result<()> {
        let batches = self.len();
        ensure!(
            self.starts.len() == batches && self.sums.len() == batches,
            "the lists of the batch index have different lengths"
        );
        ensure!(self.first_hashes.is_sorted(), "batches are out of order");
        let ends = self.starts.iter().skip(1).chain([&self.end]);
        ensure!(self.starts.iter().zip(ends).all(|(start, end)| start < end), "batches overlap");
        Ok(())
    }

    /// The batches that may hold keys with these hashes.
    pub(super) fn holding(&self, hashes: &RangeInclusive<u64>) -> Range<usize> {
        // The one before the first that begins with such a hash may end with one.
        let from = self.first_hashes.partition_point(|hash| hash < hashes.start()).saturating_sub(1);
        let to = self.first_hashes.partition_point(|hash| hash <= hashes.end());
        from..to.max(from)
    }

    /// Where a batch lies in the file.
    pub(super) fn place(&self, batch: usize) -> Range<u64> {
        self.starts[batch]..self.starts.get(batch + 1).copied().unwrap_or(self.end)
    }
}
