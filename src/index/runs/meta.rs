//! `run.json`: what was found out about the files of a run, and where its rows are.
//!
//! Examples have a line and no file, since a run does not know how its file is called.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::index::BatchIndex;
use super::tally::LineTally;
use crate::index::clean::codes::RetailerCodes;
use crate::ingest::report::Detected;

/// Most spellings of a retailer that are kept, the first by bytes.
const SPELLINGS_MAX: usize = 20;
/// What `run.json` begins with, before its checksum.
const OPENING: &str = "{\"xxh3_128\":\"";
/// What follows the checksum.
const AFTER_SUM: &str = "\",";
/// Digits of the checksum.
const SUM_DIGITS: usize = 32;

/// What is odd about a file or its listings, though the rows count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTallies {
    /// Barcodes that are none, by cause.
    pub unusable_barcodes: BTreeMap<String, LineTally>,
    /// Classification codes that are not eight digits.
    pub unusable_gpc_codes: LineTally,
    /// Category paths of one segment.
    pub one_level_categories: LineTally,
    /// Bytes that are not in the file's encoding.
    pub replaced_bytes: LineTally,
    /// Records that swallowed others; the value is their last line.
    pub open_quotes: LineTally,
    /// Rows that say something else than the folders they lie in.
    pub differ_from_path: LineTally,
    /// Texts with entities of HTML.
    pub decoded_entities: LineTally,
}

impl LineTallies {
    /// Counts what `later` counted, whose lines come behind.
    pub fn merge(&mut self, later: Self) {
        for (cause, tally) in later.unusable_barcodes {
            self.unusable_barcodes.entry(cause).or_default().merge(tally);
        }
        self.unusable_gpc_codes.merge(later.unusable_gpc_codes);
        self.one_level_categories.merge(later.one_level_categories);
        self.replaced_bytes.merge(later.replaced_bytes);
        self.open_quotes.merge(later.open_quotes);
        self.differ_from_path.merge(later.differ_from_path);
        self.decoded_entities.merge(later.decoded_entities);
    }
}

/// What was found out about one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberMeta {
    /// Name of the run that it is.
    pub run: String,
    /// Rows of observations without a fault of their own, by days since
    /// [`Day::OBSERVED_MIN`](crate::types::Day::OBSERVED_MIN).
    pub rows_by_day: BTreeMap<u16, u64>,
    /// Rows of listings read; those of a file of both tables are counted as observations.
    pub listing_rows: u64,
    /// Rows of observations read.
    pub observation_rows: u64,
    /// Rows rejected as listings.
    pub rejected_listings: u64,
    /// Rows rejected as observations.
    pub rejected_observations: u64,
    /// Of these, rows without a fault.
    pub faultless: u64,
    /// Keys.
    pub groups: u64,
    /// Candidates for listings.
    pub candidates: u64,
    /// Bytes of their texts, and of their keys.
    pub texts_bytes: u64,
    /// How the file is written.
    pub detected: Detected,
    /// What is odd about it.
    pub tallies: LineTallies,
    /// Retailers: key, spellings.
    pub spellings: BTreeMap<String, BTreeSet<String>>,
    /// Retailers: key, codes of the forms that are believed together.
    pub codes: BTreeMap<String, RetailerCodes>,
}

impl MemberMeta {
    /// Remembers how a retailer is written. Which spellings stay does not depend on the order of rows.
    pub fn spelled(&mut self, key: &str, written: &str) {
        if !self.spellings.contains_key(key) {
            self.spellings.insert(key.to_owned(), BTreeSet::new());
        }
        let Some(known) = self.spellings.get_mut(key) else { return };
        if !known.contains(written) {
            known.insert(written.to_owned());
        }
        if known.len() > SPELLINGS_MAX {
            known.pop_last();
        }
    }

    /// The latest day of its observations.
    pub fn latest_day(&self) -> Option<u16> {
        self.rows_by_day.keys().next_back().copied()
    }
}

/// `run.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunMeta {
    /// The files of the run: one, or several after compaction, in the order of their numbers.
    pub members: Vec<MemberMeta>,
    /// The batches of its rows.
    pub batches: BatchIndex,
    /// Bytes of its rejects, compressed, and their XXH3-64.
    pub rejects: (u64, u64),
}

impl RunMeta {
    /// Number of the member with this name.
    pub fn member(&self, name: &str) -> Option<u32> {
        self.members.iter().position(|member| member.run == name).map(|at| at as u32)
    }

    /// The bytes of the file: JSON that begins with the checksum of what follows it.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let json = serde_json::to_string(self)?;
        let rest = json.strip_prefix('{').context("a struct is an object")?;
        let sum = xxh3_128(rest.as_bytes());
        Ok(format!("{OPENING}{sum:032x}{AFTER_SUM}{rest}\n").into_bytes())
    }

    /// Reads the bytes of the file.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let after =
            bytes.strip_prefix(OPENING.as_bytes()).context("the file is not the description of a run")?;
        let (sum, rest) = after.split_at_checked(SUM_DIGITS).context("the file is truncated")?;
        let rest =
            rest.strip_prefix(AFTER_SUM.as_bytes()).context("the file is not the description of a run")?;
        let rest = rest.strip_suffix(b"\n").context("the file is truncated")?;
        let is = format!("{:032x}", xxh3_128(rest));
        ensure!(is.as_bytes() == sum, "the file is damaged: the checksum does not match");
        let meta: Self = serde_json::from_slice(&[b"{", rest].concat())?;
        meta.batches.check()?;
        Ok(meta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_metadata_and_detects_every_changed_byte() {
        let mut member = MemberMeta { run: "ab".to_owned(), groups: 3, ..MemberMeta::default() };
        member.rows_by_day.insert(9_000, 2);
        member.tallies.unusable_barcodes.entry("letters".to_owned()).or_default().add(7, "B00X");
        member.spelled("best-buy", "Best Buy");
        let meta = RunMeta { members: vec![member], ..RunMeta::default() };
        let bytes = meta.to_bytes().unwrap();
        assert_eq!(RunMeta::from_bytes(&bytes).unwrap(), meta);
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(RunMeta::from_bytes(&other).is_err(), "byte {at}");
            assert!(RunMeta::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn spellings_are_the_first_by_bytes() {
        let mut member = MemberMeta::default();
        for number in (0..30).rev() {
            member.spelled("a", &format!("{number:02}"));
        }
        let kept: Vec<_> = member.spellings["a"].iter().map(String::as_str).collect();
        assert_eq!((kept.len(), kept[0], kept[SPELLINGS_MAX - 1]), (SPELLINGS_MAX, "00", "19"));
    }
}
