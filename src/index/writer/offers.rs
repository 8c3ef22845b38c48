//! The offer record of each listing, which answers show: gathered from the columns, with the current price, which is that
//! of the latest observation.

use std::io;

use rayon::prelude::*;

use super::super::normalized::{ListingColumns, NONE};
use super::listing_key::{Current, ListingKeys};
use crate::lang::{Lexicon, quantities};
use crate::snapshot::layout::{NAME_BYTES_END, Offer};

/// The offers of some listings in a row, without what their entities say. Their names begin at `names_from` in the column
/// of names.
///
/// # Errors
/// When a name is too long for one.
pub(super) fn begun(
    lexicon: &Lexicon,
    listings: &ListingColumns,
    current: &Current,
    names_from: u64,
) -> io::Result<Vec<Offer>> {
    let names = listings.name.view();
    let offer = |row: usize| {
        let name = names.range(row);
        let name = Offer::name_word(&(names_from + name.start as u64..names_from + name.end as u64));
        let name = name.ok_or_else(|| {
            io::Error::other(format!(
                "a name has {NAME_BYTES_END} bytes or more: product_id {}",
                listings.product_id.get(row)
            ))
        })?;
        let pack = quantities::pack(lexicon, listings.name.get(row));
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
