//! A priced listing as the answers about a shelf show it.

use schemars::JsonSchema;
use serde::Serialize;

use super::parts::{Gpc, discount_pct, pack_and_unit_price};
use crate::catalog::Catalog;
use crate::lang::{Pack, UnitPrice};
use crate::types::{Cents, Condition, EntityUid, Instant, Percent, ProductUid};

/// How a row belongs to what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// The same physical product, linked by barcode.
    Entity,
    /// The resolved product itself, which nothing is linked to.
    SelfText,
    /// A text match; may be a variant.
    Title,
    /// Linked by name, not by barcode: verify before you rely on it.
    Likely,
}

/// What names a listing, where a row says something of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedItem<'a> {
    /// Stable id of the listing.
    pub product_uid: ProductUid,
    /// Stable id of the product across retailers.
    pub entity_uid: EntityUid,
    /// Name at the retailer.
    pub product_name: &'a str,
    /// Display label of the brand; null for a listing without one.
    pub brand: Option<&'a str>,
    /// Retailer platform key.
    pub retailer: &'a str,
}

impl<'a> NamedItem<'a> {
    /// The names of a row.
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
    /// Name at the retailer.
    pub product_name: &'a str,
    /// Display label of the brand; null for a listing without one.
    pub brand: Option<&'a str>,
    /// Retailer platform key.
    pub retailer: &'a str,
    /// Current price: that of the latest observation, in currency.
    pub price: Cents,
    /// List price as the source has it, believed or not; null when it has none.
    pub list_price: Option<Cents>,
    /// Discount against the list price in percent; null without a believed list price above the price.
    pub discount_pct: Option<Percent>,
    /// Star rating as the source has it, on its scale; null when it has none.
    pub star_rating: Option<f64>,
    /// Number of reviews as the source has it; null when it has none.
    pub review_count: Option<u32>,
    /// Whether the latest observation is on promotion: the source says so, or the price is below a believed list
    /// price.
    pub promo_flag: bool,
    /// Whether the listing was in stock when its price was observed; null when the source does not say.
    pub in_stock: Option<bool>,
    /// Condition: from the source, else from words in the name or the address; new without any.
    pub condition: Condition,
    /// `entity` when the product has other listings in the country, else `self_text`.
    pub match_type: MatchType,
    /// Instant of the observation; the start of its day where the source has days only.
    pub observed_at: Instant,
    /// The same instant as observed_at.
    pub scraped_at: Instant,
    /// Product type; null where the category has no mapping.
    pub gpc: Option<Gpc<'a>>,
    /// Pack size as the name says it; null when it says none, or several.
    pub pack: Option<Pack>,
    /// Current price per customary unit of the country; null without a pack.
    pub unit_price: Option<UnitPrice>,
}

impl<'a> ListingItem<'a> {
    /// The item of a priced row.
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
