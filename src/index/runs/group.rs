//! What a run says of one key: candidates for its listing, its observations, and what is odd about them.

use super::columns::{ListingColumnsOfRun, OddColumns};
use super::key::Key;
use super::rows::{ListingCandidate, ObservationRows, OddRow};

/// Candidates for the listing of one key, in line order.
#[derive(Clone, Copy)]
pub struct ListingRows<'a> {
    pub(super) columns: &'a ListingColumnsOfRun,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'a> ListingRows<'a> {
    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.to - self.from
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// A candidate.
    pub fn get(&self, at: usize) -> ListingCandidate<'a> {
        assert!(at < self.len(), "candidate {at} of {}", self.len());
        self.columns.get(self.from + at)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = ListingCandidate<'a>> + use<'a> {
        let columns = self.columns;
        (self.from..self.to).map(move |at| columns.get(at))
    }
}

/// Odd rows of the observations of one key, in line order.
#[derive(Clone, Copy)]
pub struct OddRows<'a> {
    pub(super) columns: &'a OddColumns,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'a> OddRows<'a> {
    /// Number of them.
    pub fn len(&self) -> usize {
        self.to - self.from
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// One of them.
    pub fn get(&self, at: usize) -> OddRow<'a> {
        assert!(at < self.len(), "odd row {at} of {}", self.len());
        self.columns.get(self.from + at)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = OddRow<'a>> + use<'a> {
        let columns = self.columns;
        (self.from..self.to).map(move |at| columns.get(at))
    }
}

/// What a member of a run says of one key, or a part of that: of very many rows the rest follows right behind, in line
/// order.
#[derive(Clone, Copy)]
pub struct RunGroup<'a> {
    /// Hash of the key.
    pub hash: u64,
    /// The key.
    pub key: Key<'a>,
    /// Number of the member among those of the run.
    pub member: u32,
    /// Candidates for the listing.
    pub listings: ListingRows<'a>,
    /// Observations without a fault of their own.
    pub observations: ObservationRows<'a>,
    /// What is odd about observations.
    pub odd: OddRows<'a>,
}

impl<'a> RunGroup<'a> {
    /// By what groups are ordered.
    pub fn order(&self) -> (u64, Key<'a>, u32) {
        (self.hash, self.key, self.member)
    }

    /// Number of rows, odd ones aside.
    pub(super) fn rows(&self) -> usize {
        self.listings.len() + self.observations.len()
    }

    /// Bytes of the texts of its candidates.
    pub(super) fn text_bytes(&self) -> usize {
        self.listings.iter().map(|listing| listing.text_bytes()).sum()
    }
}
