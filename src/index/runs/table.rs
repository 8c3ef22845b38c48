//! Groups of rows in columns: what a chunk of a raw file becomes, what a batch of a run is, and what is sorted between.

use std::ops::Range;

use super::columns::{ListingColumnsOfRun, ObservationColumnsOfRun, OddColumns, Texts};
use super::group::{ListingRows, OddRows, RunGroup};
use super::key::Key;
use super::rows::{ListingCandidate, ObservationOfRun, ObservationRows, OddRow, TEXT_COLUMNS};
use crate::types::Country;

/// Bytes of a candidate beside its texts.
const LISTING_BYTES: usize = 8 * 4 + 4 + 1 + (3 + TEXT_COLUMNS.len()) * 4;
/// Bytes of an observation.
const OBSERVATION_BYTES: usize = 2 + 4 + 4 + 1 + 8 + 8;
/// Bytes of an odd row beside its value.
const ODD_BYTES: usize = 8 + 1 + 4;
/// Bytes of a group beside its key's texts and its rows.
const GROUP_BYTES: usize = 8 + 1 + 4 * 2 + 4 + 4 * 3;

/// Groups, one behind the other; rows are put to the last.
#[derive(Debug, Default, Clone)]
pub struct GroupTable {
    pub(super) hash: Vec<u64>,
    pub(super) country: Vec<Country>,
    pub(super) platform: Texts,
    pub(super) product_id: Texts,
    pub(super) member: Vec<u32>,
    pub(super) listing_ends: Vec<u32>,
    pub(super) observation_ends: Vec<u32>,
    pub(super) odd_ends: Vec<u32>,
    pub(super) listings: ListingColumnsOfRun,
    pub(super) observations: ObservationColumnsOfRun,
    pub(super) odd: OddColumns,
}

impl GroupTable {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.hash.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hash.is_empty()
    }

    /// Number of rows, odd ones aside.
    pub fn rows(&self) -> usize {
        self.listings.line.len() + self.observations.line.len()
    }

    /// Bytes of the texts that candidates and odd rows hold.
    pub fn text_bytes(&self) -> usize {
        self.listings.all_texts().map(|texts| texts.text.len()).sum::<usize>() + self.odd.value.text.len()
    }

    /// Bytes in memory, room that is not used yet aside.
    pub fn bytes(&self) -> usize {
        self.text_bytes()
            + self.platform.bytes()
            + self.product_id.bytes()
            + GROUP_BYTES * self.len()
            + LISTING_BYTES * self.listings.line.len()
            + OBSERVATION_BYTES * self.observations.line.len()
            + ODD_BYTES * self.odd.line.len()
    }

    /// Hashes of the keys, by group.
    pub fn hashes(&self) -> &[u64] {
        &self.hash
    }

    /// Days of all observations.
    pub fn days(&self) -> &[u16] {
        &self.observations.day
    }

    /// Number of candidates for listings.
    pub fn candidates(&self) -> usize {
        self.listings.line.len()
    }

    /// Bytes of the texts of all keys.
    pub fn key_bytes(&self) -> usize {
        self.platform.text.len() + self.product_id.text.len()
    }

    /// A group.
    pub fn group(&self, at: usize) -> RunGroup<'_> {
        let of = |ends: &[u32]| -> Range<usize> {
            let from = at.checked_sub(1).map_or(0, |before| ends[before]);
            from as usize..ends[at] as usize
        };
        let (listings, odd) = (of(&self.listing_ends), of(&self.odd_ends));
        RunGroup {
            hash: self.hash[at],
            key: self.key(at),
            member: self.member[at],
            listings: ListingRows { columns: &self.listings, from: listings.start, to: listings.end },
            observations: self.observations.rows(of(&self.observation_ends)),
            odd: OddRows { columns: &self.odd, from: odd.start, to: odd.end },
        }
    }

    /// The key of a group.
    pub fn key(&self, at: usize) -> Key<'_> {
        Key {
            country: self.country[at],
            platform: self.platform.get(at),
            product_id: self.product_id.get(at),
        }
    }

    /// Begins a group.
    pub fn begin(&mut self, key: Key<'_>, hash: u64, member: u32) {
        self.hash.push(hash);
        self.country.push(key.country);
        self.platform.push(key.platform);
        self.product_id.push(key.product_id);
        self.member.push(member);
        for ends in [&mut self.listing_ends, &mut self.observation_ends, &mut self.odd_ends] {
            ends.push(ends.last().copied().unwrap_or(0));
        }
    }

    /// Puts a candidate to the last group.
    pub fn push_listing(&mut self, row: &ListingCandidate<'_>) {
        self.listings.push(row);
        set_end(&mut self.listing_ends, self.listings.line.len());
    }

    /// Puts an observation to the last group.
    pub fn push_observation(&mut self, row: ObservationOfRun) {
        self.observations.push(row);
        set_end(&mut self.observation_ends, self.observations.line.len());
    }

    /// Puts an odd row to the last group.
    pub fn push_odd(&mut self, row: &OddRow<'_>) {
        self.odd.push(row);
        set_end(&mut self.odd_ends, self.odd.line.len());
    }

    /// Puts all rows of a group to the last one.
    pub(super) fn extend(&mut self, group: &RunGroup<'_>) {
        group.listings.iter().for_each(|row| self.listings.push(&row));
        set_end(&mut self.listing_ends, self.listings.line.len());
        self.extend_observations(&group.observations);
        group.odd.iter().for_each(|row| self.odd.push(&row));
        set_end(&mut self.odd_ends, self.odd.line.len());
    }

    /// Puts observations to the last group.
    pub(super) fn extend_observations(&mut self, rows: &ObservationRows<'_>) {
        self.observations.extend(rows);
        set_end(&mut self.observation_ends, self.observations.line.len());
    }
}

fn set_end(ends: &mut [u32], end: usize) {
    if let Some(last) = ends.last_mut() {
        *last = end as u32;
    }
}
