//! What the last steps of packing, text and links, work on.

use super::super::normalized::Names;
use super::super::scratch::{Scratch, TempColumns};
use super::listing_key::ListingKeys;

/// All listings, and what a step may take.
pub(super) struct WriterContext<'a> {
    /// Platforms, brands, categories.
    pub names: &'a Names,
    /// What is kept of each listing.
    pub keys: &'a ListingKeys,
    /// The columns of listings: those that a snapshot keeps, and `mpn`.
    pub listings: &'a TempColumns,
    /// Where temporary files go.
    pub scratch: &'a Scratch,
    /// Bytes that the step may take beyond what is kept of listings and names.
    pub memory: u64,
}

impl WriterContext<'_> {
    /// A part of the memory: 1 in so many.
    pub(super) fn share(&self, one_in: u64) -> usize {
        usize::try_from(self.memory / one_in).unwrap_or(usize::MAX)
    }
}
