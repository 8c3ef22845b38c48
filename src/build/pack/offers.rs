//! What answers show of each listing, gathered from the columns.

use rayon::prelude::*;

use super::current::Current;
use super::entities::{Entities, InCountries};
use crate::build::canonical::Canonical;
use crate::domain::pack;
use crate::snapshot::layout::Offer;

/// The offers of all listings.
pub(super) fn of(
    tables: &Canonical,
    current: &Current,
    entities: &Entities,
    here: &InCountries,
) -> Vec<Offer> {
    let listings = &tables.listings;
    let names = listings.name.view();
    let offer = |row: usize| {
        let entity = entities.of_row[row];
        let country = listings.country[row];
        let name = names.range(row);
        let pack = pack::parse(listings.name.get(row));
        let (pack_num, pack_den) = pack.map_or((0, 0), |pack| pack.fraction());
        Offer {
            uid: listings.product_uid[row],
            entity_uid: entities.uid[entity as usize],
            observed_at: listings.latest_instant[row],
            entity,
            cheapest: here.cheapest(country, entity),
            price: current.price[row],
            name_from: name.start as u32,
            name_to: name.end as u32,
            pack_num,
            pack_den,
            pack_count: pack.map_or(0, |pack| pack.count()),
            platform: listings.platform[row],
            country: country.as_u8(),
            condition: listings.condition[row].as_u8(),
            flags: current.flags[row],
            pack_unit: pack.map_or(0, |pack| pack.unit().as_u8()),
            priced: current.priced[row],
            linked: u8::from(here.listings(country, entity) > 1),
        }
    };
    (0..listings.product_uid.len()).into_par_iter().map(offer).collect()
}
