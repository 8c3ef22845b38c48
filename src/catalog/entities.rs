//! Entities and lookup by uid.

use std::cmp::Ordering;

use polars_buffer::Buffer;

use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::suspect;
use crate::types::{Country, EntityUid, ProductUid};

/// The number of interpolation steps before the search falls back to bisection.
const GUESSES_MAX: usize = 8;

/// The entities in uid order, and the listings in uid order.
pub struct Entities {
    /// The uids of all listings in ascending order (`listing_uid`), and the row of each (`uid_order`).
    listing_uid: Buffer<u64>,
    uid_order: Buffer<u32>,
    uid: Buffer<u64>,
    ends: Buffer<u64>,
    rows: Buffer<u32>,
    suspect: Buffer<u8>,
}

impl Entities {
    /// Loads the entities of `rows` listings.
    ///
    /// # Errors
    /// Returns an error if a column is missing or has an unexpected length.
    pub fn load(file: &ColumnFile, rows: usize, entities: usize) -> Result<Self, String> {
        Ok(Self {
            listing_uid: file.column_of("listing_uid", rows)?,
            uid_order: file.column_of("uid_order", rows)?,
            uid: file.column_of("entity_uid", entities)?,
            ends: file.column_of("entity_ends", entities)?,
            rows: file.column_of("entity_rows", rows)?,
            suspect: file.column_of("entity_suspect", entities * Country::ALL.len())?,
        })
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.uid.len()
    }

    /// Whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.uid.is_empty()
    }

    /// The row of a listing.
    pub fn row_of(&self, uid: ProductUid) -> Option<u32> {
        position(&self.listing_uid, uid.get()).map(|at| self.uid_order[at])
    }

    /// The entity with a uid.
    pub fn by_uid(&self, uid: EntityUid) -> Option<u32> {
        position(&self.uid, uid.get()).map(|at| at as u32)
    }

    /// Uid of an entity.
    pub fn uid(&self, entity: u32) -> EntityUid {
        EntityUid::from_u64(self.uid[entity as usize])
    }

    /// Member rows in both countries, ascending.
    pub fn all_members(&self, entity: u32) -> &[u32] {
        let entity = entity as usize;
        let from = if entity == 0 { 0 } else { self.ends[entity - 1] };
        &self.rows[from as usize..self.ends[entity] as usize]
    }

    /// Member rows within a country's rows, ascending.
    pub fn members(&self, entity: u32, country: &std::ops::Range<u32>) -> &[u32] {
        let all = self.all_members(entity);
        let from = all.partition_point(|&row| row < country.start);
        let to = all.partition_point(|&row| row < country.end);
        &all[from..to]
    }

    /// The reasons why an entity is suspect in a country. Empty if it is not suspect.
    pub fn suspect_reasons(&self, entity: u32, country: Country) -> Vec<SuspectReason> {
        let bits = self.suspect[country.as_u8() as usize * self.len() + entity as usize];
        SuspectReason::ALL.into_iter().filter(|reason| bits & reason.bit() != 0).collect()
    }

    /// The uids of listings in ascending order, and their rows.
    pub(super) fn uid_order(&self) -> (&[u64], &[u32]) {
        (&self.listing_uid, &self.uid_order)
    }

    /// The uids of entities, the end of each entity's members, and the members of all entities.
    pub(super) fn columns(&self) -> (&[u64], &[u64], &[u32]) {
        (&self.uid, &self.ends, &self.rows)
    }
}

/// The index of `wanted` among ascending uids.
///
/// Uids are hashes and therefore evenly distributed, so the index is interpolated from the bounds. The interpolation
/// reads only a few cache lines, whereas bisection reads one per step. After [`GUESSES_MAX`] steps the search bisects,
/// so it ends for any distribution.
fn position(uids: &[u64], wanted: u64) -> Option<usize> {
    let (mut from, mut to) = (0, uids.len());
    let (mut least, mut most) = (0, u64::MAX);
    let mut guesses = 0..GUESSES_MAX;
    while from < to && (least..=most).contains(&wanted) {
        let (part, whole) = (u128::from(wanted - least), u128::from(most - least) + 1);
        let at = match guesses.next() {
            Some(_) => from + (part * (to - from) as u128 / whole) as usize,
            None => from.midpoint(to),
        };
        let uid = uids[at];
        match uid.cmp(&wanted) {
            Ordering::Equal => return Some(at),
            Ordering::Less => (from, least) = (at + 1, uid),
            Ordering::Greater => (to, most) = (at, uid),
        }
    }
    None
}

/// A reason why an entity may combine different products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuspectReason {
    /// The current prices of the entity's new listings are more than a factor of three apart.
    PriceRatio,
    /// The names of the entity's listings state different pack sizes.
    PackConflict,
    /// The entity's listings have different brands, and their names have no common word.
    BrandConflict,
}

impl SuspectReason {
    const ALL: [Self; 3] = [Self::PriceRatio, Self::PackConflict, Self::BrandConflict];

    /// The name of the reason in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PriceRatio => "price_ratio",
            Self::PackConflict => "pack_conflict",
            Self::BrandConflict => "brand_conflict",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Self::PriceRatio => suspect::PRICE_RATIO,
            Self::PackConflict => suspect::PACK_CONFLICT,
            Self::BrandConflict => suspect::BRAND_CONFLICT,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::position;

    proptest! {
        #[test]
        fn a_uid_is_found_where_it_is(mut uids: Vec<u64>, near in 0_u64..50, other: u64) {
            // Evenly distributed uids, a cluster, and both ends.
            uids.extend((0..near).chain([u64::MAX]));
            uids.sort_unstable();
            uids.dedup();
            for wanted in uids.iter().copied().chain([other, 0, near, u64::MAX - 1]) {
                prop_assert_eq!(position(&uids, wanted), uids.binary_search(&wanted).ok());
            }
        }
    }
}
