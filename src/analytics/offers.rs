//! The offers of a product in the order in which they are recommended.

use crate::catalog::Catalog;
use crate::types::{Cents, ProductUid};

/// The sort key of an offer: condition, then whether it is out of stock, then price, then uid.
pub type OfferRank = (u8, bool, Cents, ProductUid);

/// The sort key of a priced row.
pub fn place(catalog: &Catalog, row: u32) -> OfferRank {
    let listing = catalog.listing(row);
    (listing.condition().rank(), listing.in_stock() == Some(false), listing.price(), listing.uid())
}

/// The priced rows among the given ones, best offer first.
pub fn in_order(catalog: &Catalog, rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.filter(|&row| catalog.listing(row).is_priced()).collect();
    rows.sort_by_key(|&row| place(catalog, row));
    rows
}
