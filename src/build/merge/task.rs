//! What a merge is told: a range of hashes, and the runs of which it is made, in reading order.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Version of what a merge makes of equal runs; a shard is named after it.
pub const MERGE_VERSION: u32 = 1;
/// Bits of the most shards that a catalog is cut into.
pub const SHARD_BITS_MAX: u32 = 12;

/// Where a file stands in the reading orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FilePlace {
    /// Place among the files of listings, where it holds them.
    pub listings: Option<u32>,
    /// Place among the files of observations, where it holds them.
    pub observations: Option<u32>,
}

impl FilePlace {
    /// Whether it holds both tables.
    pub fn is_both(self) -> bool {
        self.listings.is_some() && self.observations.is_some()
    }
}

/// A run, and where the files of each of its members stand; equal files are one run at several places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedRun {
    /// Name of the run.
    pub run: String,
    /// By member. A member whose file is gone stands nowhere.
    pub places: Vec<Vec<FilePlace>>,
}

/// A merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeTask {
    /// Number of the shard, from 0.
    pub shard: u32,
    /// There are two to the power of this many.
    pub shard_bits: u32,
    /// The runs.
    pub runs: Vec<PlacedRun>,
    /// Whether of several listings with one key the newest counts, and not the first.
    pub newest: bool,
    /// The last day that is believed, in days since [`Day::OBSERVED_MIN`](crate::domain::Day::OBSERVED_MIN), where some
    /// are not.
    pub last_day: Option<u16>,
}

impl MergeTask {
    /// The hashes of its keys.
    pub fn hashes(&self) -> RangeInclusive<u64> {
        if self.shard_bits == 0 {
            return 0..=u64::MAX;
        }
        let width = 1_u64 << (u64::BITS - self.shard_bits);
        let from = u64::from(self.shard) * width;
        from..=from + (width - 1)
    }

    /// Name of the shard: equal names, equal bytes.
    ///
    /// # Errors
    /// Never: the description is plain text.
    pub fn name(&self) -> serde_json::Result<String> {
        let mut hash = blake3::Hasher::new();
        hash.update(&MERGE_VERSION.to_le_bytes());
        hash.update(&serde_json::to_vec(self)?);
        Ok(hash.finalize().to_hex().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_out_all_hashes() {
        for shard_bits in [0, 1, 5, SHARD_BITS_MAX] {
            let mut next = Some(0);
            for shard in 0..1 << shard_bits {
                let task = MergeTask { shard, shard_bits, runs: vec![], newest: false, last_day: None };
                assert_eq!(next, Some(*task.hashes().start()));
                next = task.hashes().end().checked_add(1);
            }
            assert_eq!(next, None);
        }
    }
}
