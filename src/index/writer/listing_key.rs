//! What packing keeps in memory of each listing, while everything else of it goes through files.

use bytemuck::{Pod, Zeroable};

use super::super::normalized::ListingColumns;
use crate::index::normalized::GroupedSpells;
use crate::lang::pack::{Pack, Unit};
use crate::snapshot::layout::{NO_DAY, Offer};
use crate::types::{Condition, Country};

/// Bits of [`ListingKeys::bits`]: the country's code.
const COUNTRY: u8 = 0b1;
/// The condition's code, from this bit on.
const CONDITION_FROM: u32 = 1;
/// Mask of the condition's code.
const CONDITION: u8 = 0b11;
/// The latest observation lies in the 90 days before the snapshot's now.
const PRICED: u8 = 1 << 3;
/// There is an observation.
const OBSERVED: u8 = 1 << 4;
/// The source gives a barcode.
const BARCODE: u8 = 1 << 5;

const _: () = assert!(Country::ALL.len() <= COUNTRY as usize + 1, "a country is a bit");
const _: () = assert!(Condition::ALL.len() <= CONDITION as usize + 1, "a condition is two bits");

/// One entry a listing, in row order: 44 bytes each.
#[derive(Default)]
pub(super) struct ListingKeys {
    /// Place of its category in the tree.
    pub category: Vec<u32>,
    /// Place of its platform among the keys.
    pub platform: Vec<u16>,
    /// Place of its brand among the labels; `NONE` for none.
    pub brand: Vec<u32>,
    /// Bits of its uid.
    pub uid: Vec<u64>,
    /// Instant of its latest observation, microseconds since 1970 UTC; 0 without one.
    pub latest_instant: Vec<i64>,
    /// Classification node; `NONE` for none.
    pub brick: Vec<u32>,
    /// Price in cents of its latest observation; 0 without one.
    pub price: Vec<u32>,
    /// Stock and promotion bits of its latest observation.
    pub flags: Vec<u8>,
    /// Country, condition and what is known.
    bits: Vec<u8>,
    /// Place of its entity among the uids of entities.
    pub entity: Vec<u32>,
    /// Listings of its entity in its country, itself among them.
    pub members: Vec<u32>,
}

impl ListingKeys {
    /// Empty, with room for so many listings.
    pub(super) fn with_capacity(listings: usize) -> Self {
        Self {
            category: Vec::with_capacity(listings),
            platform: Vec::with_capacity(listings),
            brand: Vec::with_capacity(listings),
            uid: Vec::with_capacity(listings),
            latest_instant: Vec::with_capacity(listings),
            brick: Vec::with_capacity(listings),
            price: Vec::with_capacity(listings),
            flags: Vec::with_capacity(listings),
            bits: Vec::with_capacity(listings),
            // Known when all listings are.
            entity: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Appends listings, whose entities are not known yet.
    pub(super) fn extend(&mut self, listings: &ListingColumns, current: &Current, brick: &[u32]) {
        self.category.extend_from_slice(&listings.category);
        self.platform.extend_from_slice(&listings.platform);
        self.brand.extend_from_slice(&listings.brand);
        self.uid.extend_from_slice(&listings.product_uid);
        self.latest_instant.extend_from_slice(&listings.latest_instant);
        self.brick.extend_from_slice(brick);
        self.price.extend_from_slice(&current.price);
        self.flags.extend_from_slice(&current.flags);
        let bit = |holds: bool, bit: u8| if holds { bit } else { 0 };
        self.bits.extend((0..brick.len()).map(|row| {
            listings.country[row].as_u8()
                | listings.condition[row].as_u8() << CONDITION_FROM
                | bit(current.priced[row] == 1, PRICED)
                | bit(current.is_observed(row), OBSERVED)
                | bit(listings.gtin[row] != 0, BARCODE)
        }));
    }

    /// Number of listings.
    pub(super) fn len(&self) -> usize {
        self.bits.len()
    }

    /// The country of a listing.
    pub(super) fn country(&self, row: usize) -> Country {
        Country::ALL[usize::from(self.bits[row] & COUNTRY)]
    }

    /// The condition of a listing.
    pub(super) fn condition(&self, row: usize) -> Condition {
        Condition::ALL[usize::from(self.bits[row] >> CONDITION_FROM & CONDITION)]
    }

    /// Whether its latest observation lies in the 90 days before the snapshot's now.
    pub(super) fn is_priced(&self, row: usize) -> bool {
        self.bits[row] & PRICED != 0
    }

    /// Whether there is an observation of it.
    pub(super) fn is_observed(&self, row: usize) -> bool {
        self.bits[row] & OBSERVED != 0
    }

    /// Whether the source gives a barcode.
    #[allow(dead_code, reason = "links read it once they read what is thin")]
    pub(super) fn has_barcode(&self, row: usize) -> bool {
        self.bits[row] & BARCODE != 0
    }
}

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

/// A listing is priced when its latest observation is at most this many days before the snapshot's now.
pub(crate) const PRICED_DAYS: u16 = 90;

/// Latest observations of some listings in a row.
pub(super) struct Current {
    /// Day, or [`NO_DAY`] for a listing without any observation.
    pub day: Vec<u16>,
    /// Price in cents; 0 without an observation.
    pub price: Vec<u32>,
    /// List price in cents; 0 for none.
    pub list_price: Vec<u32>,
    /// Stock and promotion bits.
    pub flags: Vec<u8>,
    /// 1 where the latest observation lies in the 90 days before the snapshot's now.
    pub priced: Vec<u8>,
}

impl Current {
    /// Those that the spells end with, in a snapshot whose last day is so many days after its first.
    pub(super) fn of(spells: &GroupedSpells, span_days: u16) -> Self {
        let columns = &spells.columns;
        let last = |listing: usize| {
            (spells.last_day[listing] != NO_DAY).then(|| spells.offsets[listing + 1] as usize - 1)
        };
        let rows = 0..spells.listings();
        let u32_of = |column: &[u32]| rows.clone().map(|row| last(row).map_or(0, |at| column[at])).collect();
        Self {
            price: u32_of(&columns.price),
            list_price: u32_of(&columns.list_price),
            flags: rows.clone().map(|row| last(row).map_or(0, |at| columns.flags[at])).collect(),
            priced: spells
                .last_day
                .iter()
                .map(|&day| u8::from(day != NO_DAY && span_days - day < PRICED_DAYS))
                .collect(),
            day: spells.last_day.clone(),
        }
    }

    /// Whether there is an observation of a listing.
    pub(super) fn is_observed(&self, listing: usize) -> bool {
        self.day[listing] != NO_DAY
    }
}
