//! What answers show of each listing, compared with the columns and indices that it is gathered from.

use crate::catalog::Catalog;
use crate::snapshot::layout::{NONE, Offer};
use crate::snapshot::rows::first_bad;

/// Every offer is its listing's. What its name says of a pack is not read again.
///
/// The cheapest listing of a product is looked for once, for the first of its rows in the country; the others hold the
/// same.
pub(super) fn offers(catalog: &Catalog) -> Option<String> {
    let (listings, entities) = (&catalog.listings, &catalog.entities);
    let names = listings.name.view();
    let bad = first_bad(listings.country.len(), |row| {
        let (offer, entity, name) = (listings.offer[row], listings.entity[row], names.range(row));
        let Some(name) = Offer::name_word(&(name.start as u64..name.end as u64)) else { return false };
        let here = catalog.country_rows[listings.country[row] as usize].clone();
        let members = entities.members(entity, &here);
        let cheapest = match members.first() {
            Some(&first) if first as usize != row => listings.offer[first as usize].cheapest,
            _ => catalog.cheapest(members, |_| true).unwrap_or(NONE),
        };
        offer
            == Offer {
                uid: listings.product_uid[row],
                entity_uid: entities.uid(entity).get(),
                observed_at: listings.latest_instant[row],
                entity,
                cheapest,
                price: listings.current_price[row],
                name,
                platform: listings.platform[row],
                country: listings.country[row],
                condition: listings.condition[row],
                flags: listings.current_flags[row],
                priced: listings.priced[row],
                linked: u8::from(members.len() > 1),
                ..offer
            }
    })?;
    Some(format!("listings: the offer of row {bad} is not what its columns say"))
}
