//! Parts that several answers share: meta, window, classification block, price figures of a listing, statistics of the
//! current prices of a scope, and the notes that say why a figure is null.

use schemars::JsonSchema;
use serde::Serialize;

use super::endpoint::Stamp;
use crate::analytics::Span;
use crate::catalog::{Catalog, GpcLevel, Listing};
use crate::lang::pack::unit_price;
use crate::lang::{Pack, UnitPrice};
use crate::stats::exact::{mean_of_cents, median_of_sorted};
use crate::stats::quantile::quantile_by;
use crate::types::money::is_believed;
use crate::types::{
    Cents, Day, Granularity, INTERFACE_VERSION, Instant, Money, Percent, Preset, Ratio4, Window,
};

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

/// Why a figure is null. Figures that are withheld together have one note, on the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WithheldNote")]
pub struct Note {
    /// The field that is null, by its path in the answer.
    pub field: &'static str,
    /// Why it is null.
    pub reason: NoteReason,
    /// What there is of what it needs; null where the reason is no number.
    pub have: Option<Amount>,
    /// How much of it there would have to be; null where the reason is no number.
    pub need: Option<Amount>,
}

/// Why a figure is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteReason {
    /// Fewer products, entities or groups than it needs.
    TooFew,
    /// Too small a share of the products says anything.
    LowCoverage,
    /// No product has a list price above its price.
    NoListPrice,
    /// Nobody else to compare with.
    NoPeer,
    /// It is about a retailer, and none was asked for.
    NeedsRetailer,
    /// The category has no price tiers.
    NoLadder,
    /// Nothing was observed in the window before.
    NotObservedBefore,
}

/// A number of a note.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "NoteAmount")]
pub enum Amount {
    /// A number of things.
    Count(u32),
    /// A share.
    Share(Ratio4),
}

impl Note {
    /// A figure whose reason is no number.
    pub const fn because(field: &'static str, reason: NoteReason) -> Self {
        Self { field, reason, have: None, need: None }
    }

    /// A figure that needs more than there are.
    pub const fn too_few(field: &'static str, have: usize, need: usize) -> Self {
        let (have, need) = (Amount::Count(have as u32), Amount::Count(need as u32));
        Self { field, reason: NoteReason::TooFew, have: Some(have), need: Some(need) }
    }

    /// A figure whose share is too small.
    pub const fn low_coverage(field: &'static str, have: Ratio4, need: Ratio4) -> Self {
        let (have, need) = (Amount::Share(have), Amount::Share(need));
        Self { field, reason: NoteReason::LowCoverage, have: Some(have), need: Some(need) }
    }
}

/// Current prices of listings of condition new, in currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceBlock {
    /// Number of listings.
    pub products: u32,
    /// Arithmetic mean of the prices.
    pub mean: Money,
    /// Median: half of the prices are at or below.
    pub median: Money,
    /// Lowest price.
    pub min: Money,
    /// 5 % of prices are at or below, linear between the prices around it.
    pub p05: Money,
    /// 25 % of prices are at or below.
    pub p25: Money,
    /// 75 % of prices are at or below.
    pub p75: Money,
    /// 95 % of prices are at or below.
    pub p95: Money,
    /// Highest price.
    pub max: Money,
}

impl PriceBlock {
    /// Of prices in cents, ascending; `None` without any.
    pub fn of(cents: &[u32]) -> Option<Self> {
        let (&min, &max) = (cents.first()?, cents.last()?);
        let quantile = |p| Money::from_cents_f64(quantile_by(cents.len(), p, |rank| f64::from(cents[rank])));
        let exact = |(num, den)| Money::from_ratio(num, den);
        Some(Self {
            products: cents.len() as u32,
            mean: exact(mean_of_cents(cents)?),
            median: exact(median_of_sorted(cents)?),
            min: Money::new(min.into()),
            p05: quantile(0.05),
            p25: quantile(0.25),
            p75: quantile(0.75),
            p95: quantile(0.95),
            max: Money::new(max.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians_are_exact_and_quantiles_linear() {
        let block = PriceBlock::of(&[100, 101, 200, 1_000]).unwrap();
        assert_eq!((block.products, block.mean.get(), block.median.get()), (4, 350, 151));
        assert_eq!(
            (block.min.get(), block.p25.get(), block.p75.get(), block.max.get()),
            (100, 101, 400, 1_000)
        );
        assert_eq!(PriceBlock::of(&[]), None);
    }
}
