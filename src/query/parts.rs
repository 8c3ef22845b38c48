//! Parts that several answers share: meta, window, classification block, price figures of a listing.

use schemars::JsonSchema;
use serde::Serialize;

use super::endpoint::Stamp;
use crate::analytics::Span;
use crate::catalog::{Catalog, GpcLevel, Listing};
use crate::lang::pack::unit_price;
use crate::lang::{Pack, UnitPrice};
use crate::types::money::is_believed;
use crate::types::{Cents, Day, Granularity, INTERFACE_VERSION, Instant, Percent, Preset, Window};

/// The `meta` block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AnswerMeta")]
pub struct Meta {
    /// Where the answer was computed: always `memory`.
    pub served_from: &'static str,
    /// Id of the snapshot that answered.
    pub snapshot_id: String,
    /// Seconds from the snapshot's newest observation to computed_at.
    pub freshness_seconds: u64,
    /// Version of the response schema.
    pub schema_version: &'static str,
    /// Instant at which the answer was computed.
    pub computed_at: Instant,
    /// Oldest observation among the rows and points of the answer; null when there is none.
    pub price_observed_at_min: Option<Instant>,
    /// Newest observation among the rows and points of the answer; null when there is none.
    pub price_observed_at_max: Option<Instant>,
}

impl Meta {
    /// The meta block of an answer that rests on observations at these instants.
    pub fn new(catalog: &Catalog, stamp: Stamp, observed: Span) -> Self {
        Self {
            served_from: "memory",
            snapshot_id: catalog.id().to_owned(),
            freshness_seconds: stamp.freshness_seconds,
            schema_version: INTERFACE_VERSION,
            computed_at: stamp.computed_at,
            price_observed_at_min: observed.bounds().map(|(min, _)| min),
            price_observed_at_max: observed.bounds().map(|(_, max)| max),
        }
    }
}

/// The `window` block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AnswerWindow")]
pub struct WindowBlock {
    /// Name of the window, as in time_window; `custom` where dates or `lookback_days` were given.
    pub preset: Preset,
    /// First day of the window.
    pub from: Day,
    /// Day after the last of the window.
    pub to: Day,
    /// Granularity of the series in the answer.
    pub granularity: Granularity,
    /// First day of the comparison window.
    pub comparison_from: Day,
    /// Day after the last of the comparison window.
    pub comparison_to: Day,
    /// Always `UTC`.
    pub timezone: &'static str,
}

impl WindowBlock {
    /// The block of a window.
    pub fn new(window: &Window, granularity: Granularity) -> Self {
        Self {
            preset: window.preset(),
            from: window.from(),
            to: window.to(),
            granularity,
            comparison_from: window.comparison_from(),
            comparison_to: window.comparison_to(),
            timezone: "UTC",
        }
    }
}

/// The classification of a listing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ListingGpc")]
pub struct Gpc<'a> {
    /// Code of the brick, 8 digits.
    pub code: String,
    /// Title of the brick.
    pub title: &'a str,
    /// Level of the code.
    pub level: GpcLevel,
    /// Title of its segment, the coarsest level; null when the publication has none for it.
    pub segment: Option<&'a str>,
    /// Title of its family; null when the publication has none for it.
    pub family: Option<&'a str>,
    /// Title of its class; null when the publication has none for it.
    pub class: Option<&'a str>,
    /// Title of its brick, the finest level; null for a coarser code.
    pub brick: Option<&'a str>,
    /// Whether the brick is one of the publication's residual ones, which hold what fits nowhere else.
    pub is_catchall: bool,
    /// `exact` when the source gave the brick, `derived` when it comes from the category.
    pub mapping: BrickMapping,
}

/// How a listing got its brick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BrickMapping {
    /// The source gave it.
    Exact,
    /// From its category or the nearest ancestor that has one.
    Derived,
}

impl<'a> Gpc<'a> {
    /// The classification of a listing; `None` without a mapping.
    pub fn of(catalog: &'a Catalog, listing: Listing<'_>) -> Option<Self> {
        let (node, exact) = listing.brick()?;
        let gpc = catalog.classification.as_ref()?;
        let title_at = |level| gpc.title_at(node, level);
        Some(Self {
            code: format!("{:08}", gpc.code(node)),
            title: gpc.title(node),
            level: gpc.level(node),
            segment: title_at(GpcLevel::Segment),
            family: title_at(GpcLevel::Family),
            class: title_at(GpcLevel::Class),
            brick: title_at(GpcLevel::Brick),
            is_catchall: gpc.is_catchall(node),
            mapping: if exact { BrickMapping::Exact } else { BrickMapping::Derived },
        })
    }
}

/// The list price, if it is above the price and believed.
pub fn believed_list_price(price: Cents, list_price: Option<Cents>) -> Option<Cents> {
    list_price.filter(|list_price| is_believed(price.get(), list_price.get()))
}

/// Discount against the list price in percent; `None` without a believed list price above the price.
pub fn discount_pct(price: Cents, list_price: Option<Cents>) -> Option<Percent> {
    let list_price = i128::from(believed_list_price(price, list_price)?.get());
    Some(Percent::from_ratio(list_price - i128::from(price.get()), list_price))
}

/// Pack and unit price of a listing, as far as its name tells.
pub fn pack_and_unit_price(listing: Listing<'_>) -> (Option<Pack>, Option<UnitPrice>) {
    let pack = listing.pack();
    (pack, pack.and_then(|pack| unit_price(listing.price(), &pack, listing.country())))
}
