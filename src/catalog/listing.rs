//! One listing of a catalog, with accessors for the fields in its columns and in its offer record.

use super::Catalog;
use super::Node;
use crate::lang::{Pack, Unit};
use crate::snapshot::layout::{self, NONE, Offer, STOCK_IN, STOCK_MASK, STOCK_OUT};
use crate::types::{Cents, Condition, Country, EntityUid, Instant, ProductUid};

/// One listing of a catalog.
#[derive(Clone, Copy)]
pub struct Listing<'a> {
    catalog: &'a Catalog,
    offer: &'a Offer,
    /// Row of the listing.
    pub row: u32,
}

impl<'a> Listing<'a> {
    pub(super) fn new(catalog: &'a Catalog, row: u32) -> Self {
        Self { catalog, offer: &catalog.listings.offer[row as usize], row }
    }

    fn at<T: Copy>(self, column: &[T]) -> T {
        column[self.row as usize]
    }

    /// Uid of the listing.
    pub fn uid(self) -> ProductUid {
        ProductUid::from_u64(self.offer.uid)
    }

    /// Index of its entity.
    pub fn entity(self) -> u32 {
        self.offer.entity
    }

    /// Uid of its entity.
    pub fn entity_uid(self) -> EntityUid {
        EntityUid::from_u64(self.offer.entity_uid)
    }

    /// Whether its entity has other listings in the country.
    pub fn is_linked(self) -> bool {
        self.offer.linked == 1
    }

    /// The row of the cheapest priced listing of its entity in the country; `None` if the entity has no priced listing
    /// there.
    pub fn cheapest(self) -> Option<u32> {
        Some(self.offer.cheapest).filter(|&row| row != NONE)
    }

    /// Country.
    pub fn country(self) -> Country {
        Country::from_u8(self.offer.country).expect("codes are checked when a snapshot is opened")
    }

    /// Retailer platform key.
    pub fn retailer(self) -> &'a str {
        &self.catalog.platforms[self.platform() as usize]
    }

    /// Index of its platform.
    pub fn platform(self) -> u16 {
        self.offer.platform
    }

    /// Product name.
    pub fn name(self) -> &'a str {
        self.catalog.listings.name.view().within(self.offer.name_range())
    }

    /// The retailer's own id.
    pub fn product_id(self) -> &'a str {
        self.catalog.listings.product_id.get(self.row)
    }

    /// Address of the offer.
    pub fn url(self) -> Option<&'a str> {
        Some(self.catalog.listings.url.get(self.row)).filter(|url| !url.is_empty())
    }

    /// Display label of the canonical brand.
    pub fn brand(self) -> Option<&'a str> {
        match self.at(&self.catalog.listings.brand) {
            NONE => None,
            brand => Some(&self.catalog.brands[brand as usize].label),
        }
    }

    /// Category node.
    pub fn category(self) -> Node {
        self.at(&self.catalog.listings.category)
    }

    /// Condition.
    pub fn condition(self) -> Condition {
        Condition::from_u8(self.offer.condition).expect("codes are checked when a snapshot is opened")
    }

    /// Whether its latest observation is within the 90 days before the snapshot's now.
    pub fn is_priced(self) -> bool {
        self.offer.priced == 1
    }

    /// The current price. Meaningful only for a listing with an observation.
    pub fn price(self) -> Cents {
        Cents::new(self.offer.price)
    }

    /// The current list price, as the source states it.
    pub fn list_price(self) -> Option<Cents> {
        Some(self.at(&self.catalog.listings.current_list_price)).filter(|&cents| cents > 0).map(Cents::new)
    }

    /// Whether it is in stock; `None` if the source does not state it.
    pub fn in_stock(self) -> Option<bool> {
        in_stock(self.offer.flags)
    }

    /// Whether its current price is a promotion.
    pub fn on_promotion(self) -> bool {
        self.offer.flags & layout::PROMO != 0
    }

    /// Instant of its latest observation.
    pub fn observed_at(self) -> Instant {
        Instant::from_micros(self.offer.observed_at)
    }

    /// Star rating.
    pub fn rating(self) -> Option<f64> {
        self.catalog.listings.rating.get(self.row)
    }

    /// Number of reviews.
    pub fn review_count(self) -> Option<u32> {
        self.catalog.listings.review_count.get(self.row)
    }

    /// Usable barcode as 14 digits, if the listing has one.
    pub fn gtin(self) -> Option<String> {
        match self.at(&self.catalog.listings.gtin) {
            0 => None,
            gtin => Some(format!("{gtin:014}")),
        }
    }

    /// The pack size that is stated in its name.
    pub fn pack(self) -> Option<Pack> {
        let Offer { pack_count, pack_num, pack_den, pack_unit, .. } = *self.offer;
        Pack::new(pack_count, pack_num, pack_den, Unit::from_u8(pack_unit)?)
    }

    /// The classification node, and whether the source states it. If not, the node was derived from the category.
    pub fn brick(self) -> Option<(u32, bool)> {
        let node = self.at(&self.catalog.listings.brick);
        (node != NONE)
            .then(|| (node, self.at(&self.catalog.listings.brick_mapping) == layout::mapping::EXACT))
    }
}

/// Decodes the stock bits of an observation; `None` if the stock is unknown.
pub fn in_stock(flags: u8) -> Option<bool> {
    match flags & STOCK_MASK {
        STOCK_IN => Some(true),
        STOCK_OUT => Some(false),
        _ => None,
    }
}
