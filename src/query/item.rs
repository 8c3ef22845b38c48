//! A priced listing as shown by answers about a category.

use schemars::JsonSchema;
use serde::Serialize;

use super::parts::{Gpc, discount_pct, pack_and_unit_price};
use crate::catalog::Catalog;
use crate::lang::{Pack, UnitPrice};
use crate::types::{Cents, Condition, EntityUid, Instant, Percent, ProductUid};

/// How a row relates to the requested product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// The same physical product, linked by barcode.
    Entity,
    /// The requested product itself, which is not linked to another listing.
    SelfText,
    /// A text match, which may be a variant.
    Title,
    /// Linked by name, not by barcode: verify before you rely on it.
    Likely,
}

/// Names and ids of a listing, in rows with figures about the listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedItem<'a> {
    /// Stable id of the listing.
    pub product_uid: ProductUid,
    /// Stable id of the product across retailers.
    pub entity_uid: EntityUid,
    /// Name of the product at the retailer.
    pub product_name: &'a str,
    /// Display label of the brand; null if the listing has no brand.
    pub brand: Option<&'a str>,
    /// Key of the retailer.
    pub retailer: &'a str,
}

impl<'a> NamedItem<'a> {
    /// Returns the names of a row.
    pub fn of(catalog: &'a Catalog, row: u32) -> Self {
        let listing = catalog.listing(row);
        Self {
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_name: listing.name(),
            brand: listing.brand(),
            retailer: listing.retailer(),
        }
    }
}

/// A priced listing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListingItem<'a> {
    /// Stable id of the listing.
    pub product_uid: ProductUid,
    /// Stable id of the product across retailers.
    pub entity_uid: EntityUid,
    /// Id of the product at the retailer.
    pub product_id: &'a str,
    /// Name of the product at the retailer.
    pub product_name: &'a str,
    /// Display label of the brand; null if the listing has no brand.
    pub brand: Option<&'a str>,
    /// Key of the retailer.
    pub retailer: &'a str,
    /// Current price (price of the latest observation), in currency.
    pub price: Cents,
    /// List price that the source reports, even if it is implausible; null if the source reports none.
    pub list_price: Option<Cents>,
    /// Discount against the list price, in percent; null without a plausible list price (above the price, at most 5
    /// times the price).
    pub discount_pct: Option<Percent>,
    /// Star rating that the source reports, on the scale of the source; null if the source reports none.
    pub star_rating: Option<f64>,
    /// Number of reviews that the source reports; null if the source reports none.
    pub review_count: Option<u32>,
    /// Whether the latest observation is a promotion: the source marks it as one, or its price is below a plausible
    /// list price.
    pub promo_flag: bool,
    /// Whether the listing was in stock when its price was observed; null if the source does not state it.
    pub in_stock: Option<bool>,
    /// Condition. If the source does not state it, the condition is read from words in the name or the URL. Without
    /// such words it is `new`.
    pub condition: Condition,
    /// `entity` if the product has other listings in the country, otherwise `self_text`.
    pub match_type: MatchType,
    /// Instant of the observation. If the source reports only a day, this is the start of the day in UTC.
    pub observed_at: Instant,
    /// The same instant as `observed_at`.
    pub scraped_at: Instant,
    /// Product type; null without a mapping to the classification.
    pub gpc: Option<Gpc<'a>>,
    /// Pack size stated in the name; null if the name states none or several.
    pub pack: Option<Pack>,
    /// Current price per customary unit of the country; null without a pack size.
    pub unit_price: Option<UnitPrice>,
}

impl<'a> ListingItem<'a> {
    /// Creates the item of a priced row.
    pub fn of(catalog: &'a Catalog, row: u32) -> Self {
        let listing = catalog.listing(row);
        let (pack, unit_price) = pack_and_unit_price(listing);
        Self {
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_id: listing.product_id(),
            product_name: listing.name(),
            brand: listing.brand(),
            retailer: listing.retailer(),
            price: listing.price(),
            list_price: listing.list_price(),
            discount_pct: discount_pct(listing.price(), listing.list_price()),
            star_rating: listing.rating(),
            review_count: listing.review_count(),
            promo_flag: listing.on_promotion(),
            in_stock: listing.in_stock(),
            condition: listing.condition(),
            match_type: if listing.is_linked() { MatchType::Entity } else { MatchType::SelfText },
            observed_at: listing.observed_at(),
            scraped_at: listing.observed_at(),
            gpc: Gpc::of(catalog, listing),
            pack,
            unit_price,
        }
    }
}
