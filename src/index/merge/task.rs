//! What a merge is told: a range of hashes, and the runs of which it is made, in reading order.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::index::clean::codes::CodeRules;

/// Version of what a merge makes of equal runs; a shard is named after it.
pub const MERGE_VERSION: u32 = 2;
/// Bits of the most shards that a catalog is cut into.
pub const SHARD_BITS_MAX: u32 = 12;

/// Where a file stands in the reading orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FilePosition {
    /// Place among the files of listings, where it holds them.
    pub listings: Option<u32>,
    /// Place among the files of observations, where it holds them.
    pub observations: Option<u32>,
}

impl FilePosition {
    /// Whether it holds both tables.
    pub fn is_both(self) -> bool {
        self.listings.is_some() && self.observations.is_some()
    }
}

/// A run as it lies in the store: of one file, or of several that were put together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedRun {
    /// Name of the run.
    pub run: String,
    /// Its members, as many as count, by their numbers.
    pub members: Vec<PlacedMember>,
}

/// A member of a run, and where its files stand; equal files are one run at several places.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlacedMember {
    /// Name of the run that it is by itself; empty where nothing of it counts.
    pub run: String,
    /// The places; none of a member whose file is gone.
    pub places: Vec<FilePosition>,
}

/// A merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeTask {
    /// Number of the shard, from 0.
    pub shard: u32,
    /// There are two to the power of this many.
    pub shard_bits: u32,
    /// The runs, the same of every shard.
    pub runs: Arc<[PlacedRun]>,
    /// Whether of several listings with one key the newest counts, and not the first.
    pub newest: bool,
    /// The last day that is believed, in days since [`Day::OBSERVED_MIN`](crate::types::Day::OBSERVED_MIN), where some
    /// are not.
    pub last_day: Option<u16>,
    /// The first of the latest days that together hold under 1 % of the rows, counted likewise: of each the first row is
    /// remembered.
    pub first_late_day: Option<u16>,
    /// Which codes of which retailers are barcodes.
    pub codes: Arc<CodeRules>,
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

    /// Name of the shard: equal names, equal bytes. It does not say which runs were put together.
    ///
    /// # Errors
    /// Never: the description is plain text.
    pub fn name(&self) -> serde_json::Result<String> {
        let Self { shard, shard_bits, runs, newest, last_day, first_late_day, codes } = self;
        let members = runs.iter().flat_map(|run| &run.members).filter(|member| !member.places.is_empty());
        let mut members: Vec<&PlacedMember> = members.collect();
        members.sort_unstable();
        let mut hash = blake3::Hasher::new();
        hash.update(&MERGE_VERSION.to_le_bytes());
        let days = (last_day, first_late_day);
        hash.update(&serde_json::to_vec(&(shard, shard_bits, members, newest, days, codes))?);
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
                let task = MergeTask {
                    shard,
                    shard_bits,
                    runs: Arc::new([]),
                    newest: false,
                    last_day: None,
                    first_late_day: None,
                    codes: Arc::default(),
                };
                assert_eq!(next, Some(*task.hashes().start()));
                next = task.hashes().end().checked_add(1);
            }
            assert_eq!(next, None);
        }
    }

    #[test]
    fn names_know_members_and_not_what_holds_them() {
        let member = |run: &str, at| {
            let place = FilePosition { listings: None, observations: Some(at) };
            PlacedMember { run: run.to_owned(), places: vec![place] }
        };
        let name = |runs: &[(&str, Vec<PlacedMember>)]| {
            let run = |(run, members): &(&str, Vec<PlacedMember>)| PlacedRun {
                run: (*run).to_owned(),
                members: members.clone(),
            };
            let runs = runs.iter().map(run).collect();
            let (last_day, first_late_day) = (Some(7), None);
            let codes = Arc::default();
            MergeTask { shard: 1, shard_bits: 2, runs, newest: false, last_day, first_late_day, codes }
                .name()
                .unwrap()
        };
        let apart = name(&[("b", vec![member("b", 1)]), ("a", vec![member("a", 0)])]);
        let gone = PlacedMember { run: "x".to_owned(), places: vec![] };
        assert_eq!(name(&[("ab", vec![member("a", 0), gone, member("b", 1)])]), apart);
        assert_ne!(name(&[("ab", vec![member("a", 1), member("b", 0)])]), apart, "another order of files");
    }
}
