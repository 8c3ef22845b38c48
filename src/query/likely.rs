//! Listings of other retailers that are likely the same product, linked by their attributes and not by barcode.

use super::product::Product;
use crate::analytics::offers;
use crate::analytics::scope::is_at;
use crate::catalog::{Catalog, LikelyLink};
use crate::types::Condition;

/// Returns the priced listings outside the product that are linked to any of its members in its country. The result
/// contains one listing per retailer, in the order of `best-price`: the listing with the highest confidence, or the
/// first of several listings with the same confidence.
pub fn matches(catalog: &Catalog, product: &Product) -> Vec<LikelyLink> {
    let members = catalog.entities.members(product.entity, &catalog.country_rows(product.country));
    let mut links: Vec<LikelyLink> = members
        .iter()
        .flat_map(|&row| catalog.links.of(row))
        .filter(|link| {
            let listing = catalog.listing(link.row);
            listing.entity() != product.entity && is_at(catalog, product.retailer, link.row)
        })
        .collect();
    // Of several links to one listing, keeps the one with the highest confidence.
    links.sort_by_key(|link| (link.row, std::cmp::Reverse(link.confidence), link.reasons));
    links.dedup_by_key(|link| link.row);
    let rows = offers::in_order(catalog, links.iter().map(|link| link.row));
    let mut best: Vec<LikelyLink> = Vec::new();
    for row in rows {
        let Some(&link) = links.iter().find(|link| link.row == row) else { continue };
        let retailer = |row: u32| catalog.listing(row).platform();
        match best.iter_mut().find(|known| retailer(known.row) == retailer(row)) {
            None => best.push(link),
            Some(known) if link.confidence > known.confidence => *known = link,
            Some(_) => {}
        }
    }
    let order = offers::in_order(catalog, best.iter().map(|link| link.row));
    best.sort_by_key(|link| order.iter().position(|&row| row == link.row));
    best
}

/// Whether any of the matches is new, not out of stock and cheaper than the best offer.
pub fn is_any_cheaper(catalog: &Catalog, matches: &[LikelyLink], best: u32) -> bool {
    matches.iter().map(|link| catalog.listing(link.row)).any(|listing| {
        listing.condition() == Condition::New
            && listing.in_stock() != Some(false)
            && listing.price() < catalog.listing(best).price()
    })
}
