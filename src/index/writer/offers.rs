//! The offer record of each listing, which answers show: gathered from the columns, with the current price, which is that
//! of the latest observation.

use std::io;

use rayon::prelude::*;

use super::super::normalized::{ListingColumns, NONE};
use super::listing_key::ListingKeys;
use crate::index::normalized::GroupedSpells;
use crate::lang::pack;
use crate::snapshot::layout::{NAME_BYTES_END, NO_DAY, Offer};

/// The offers of some listings in a row, without what their entities say. Their names begin at `names_from` in the column
/// of names.
///
/// # Errors
/// When a name is too long for one.
pub(super) fn begun(listings: &ListingColumns, current: &Current, names_from: u64) -> io::Result<Vec<Offer>> {
    let names = listings.name.view();
    let offer = |row: usize| {
        let name = names.range(row);
        let name = Offer::name_word(&(names_from + name.start as u64..names_from + name.end as u64));
        let name = name.ok_or_else(|| {
            io::Error::other(format!(
                "a name has {NAME_BYTES_END} bytes or more: {}",
                listings.product_id.get(row)
            ))
        })?;
        let pack = pack::parse(listings.name.get(row));
        let (pack_num, pack_den) = pack.map_or((0, 0), |pack| pack.fraction());
        Ok(Offer {
            uid: listings.product_uid[row],
            entity_uid: listings.entity_uid[row],
            observed_at: listings.latest_instant[row],
            entity: NONE,
            cheapest: NONE,
            price: current.price[row],
            name,
            pack_num,
            pack_den,
            pack_count: pack.map_or(0, |pack| pack.count()),
            platform: listings.platform[row],
            country: listings.country[row].as_u8(),
            condition: listings.condition[row].as_u8(),
            flags: current.flags[row],
            pack_unit: pack.map_or(0, |pack| pack.unit().as_u8()),
            priced: current.priced[row],
            linked: 0,
        })
    };
    (0..listings.product_uid.len()).into_par_iter().map(offer).collect()
}

/// Adds what entities say of listings, from row `from` on; `cheapest` has the row of each entity's cheapest listing.
pub(super) fn complete(offers: &mut [Offer], from: usize, keys: &ListingKeys, cheapest: &[u32]) {
    for (row, offer) in (from..).zip(offers) {
        offer.entity = keys.entity[row];
        offer.cheapest = cheapest[row];
        offer.linked = u8::from(keys.members[row] > 1);
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
