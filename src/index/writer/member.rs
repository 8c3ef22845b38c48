//! Listings as they are sorted by entity.

use bytemuck::{Pod, Zeroable};

use crate::lang::pack::{Pack, Unit};
use crate::snapshot::layout::Offer;

/// A listing as a member of its entity, in the order of entities and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Member {
    /// Uid of the entity.
    pub entity_uid: u64,
    /// Row of the listing.
    pub row: u32,
    /// The pack of its name, as an [`Offer`] has it.
    pack_count: u32,
    pack_num: u32,
    pack_den: u32,
    pack_unit: u32,
    padding: u32,
}

impl Member {
    /// A listing with its offer.
    pub(super) fn of(row: u32, offer: &Offer) -> Self {
        Self {
            entity_uid: offer.entity_uid,
            row,
            pack_count: offer.pack_count,
            pack_num: offer.pack_num,
            pack_den: offer.pack_den,
            pack_unit: offer.pack_unit.into(),
            padding: 0,
        }
    }

    /// The pack of its name.
    pub(super) fn pack(&self) -> Option<Pack> {
        let unit = *Unit::ALL.get(self.pack_unit as usize)?;
        Pack::new(self.pack_count, self.pack_num, self.pack_den, unit)
    }
}
