//! Parts that several answers share: the meta, window and classification blocks, price figures of a listing,
//! statistics of the current prices of a scope, and the notes that give the reason why a figure is null.

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
    /// Id of the snapshot from which the answer was computed.
    pub snapshot_id: String,
    /// Seconds from the snapshot's newest observation to computed_at.
    pub freshness_seconds: u64,
    /// Version of the response schema.
    pub schema_version: &'static str,
    /// Instant at which the answer was computed.
    pub computed_at: Instant,
    /// Instant of the oldest observation among the rows and points of the answer; null if there is none.
    pub price_observed_at_min: Option<Instant>,
    /// Instant of the newest observation among the rows and points of the answer; null if there is none.
    pub price_observed_at_max: Option<Instant>,
}

impl Meta {
    /// Creates the meta block of an answer based on observations within a span.
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
    /// Name of the window, as in time_window; `custom` if dates or `lookback_days` were given.
    pub preset: Preset,
    /// First day of the window.
    pub from: Day,
    /// Day after the last day of the window.
    pub to: Day,
    /// Granularity of the series in the answer.
    pub granularity: Granularity,
    /// First day of the comparison window.
    pub comparison_from: Day,
    /// Day after the last day of the comparison window.
    pub comparison_to: Day,
    /// Always `UTC`.
    pub timezone: &'static str,
}

impl WindowBlock {
    /// Creates the block of a window.
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
    /// Level of the code: segment, family, class or brick.
    pub level: GpcLevel,
    /// Title of the code's segment (the coarsest level); null if the publication does not state it.
    pub segment: Option<&'a str>,
    /// Title of the code's family; null if the publication does not state it.
    pub family: Option<&'a str>,
    /// Title of the code's class; null if the publication does not state it.
    pub class: Option<&'a str>,
    /// Title of the code's brick (the finest level); null if the code is of a coarser level.
    pub brick: Option<&'a str>,
    /// Whether the code is a catch-all brick, for products that do not belong to any other brick of the publication.
    pub is_catchall: bool,
    /// `exact` if the source states the brick, `derived` if the brick is derived from the category.
    pub mapping: BrickMapping,
}

/// How the brick of a listing was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BrickMapping {
    /// The source states the brick.
    Exact,
    /// The brick is derived from the category of the listing, or from the nearest ancestor of this category that has
    /// a brick.
    Derived,
}

impl<'a> Gpc<'a> {
    /// Returns the classification of a listing; `None` without a mapping.
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

/// Returns the list price if it is plausible: above the price and at most five times the price.
pub fn believed_list_price(price: Cents, list_price: Option<Cents>) -> Option<Cents> {
    list_price.filter(|list_price| is_believed(price.get(), list_price.get()))
}

/// Returns the discount against the list price in percent; `None` without a plausible list price.
pub fn discount_pct(price: Cents, list_price: Option<Cents>) -> Option<Percent> {
    let list_price = i128::from(believed_list_price(price, list_price)?.get());
    Some(Percent::from_ratio(list_price - i128::from(price.get()), list_price))
}

/// Returns pack size and unit price of a listing, if its name states a pack size.
pub fn pack_and_unit_price(listing: Listing<'_>) -> (Option<Pack>, Option<UnitPrice>) {
    let pack = listing.pack();
    (pack, pack.and_then(|pack| unit_price(listing.price(), &pack, listing.country())))
}

/// Reason why a figure is null. Figures that are withheld together share one note, which names the first of these
/// figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WithheldNote")]
pub struct Note {
    /// Path of the null field in the answer.
    pub field: &'static str,
    /// Reason why it is null.
    pub reason: NoteReason,
    /// Amount that is available, to compare with `need`; null if the reason is not an amount.
    pub have: Option<Amount>,
    /// Amount that the figure needs; null if the reason is not an amount.
    pub need: Option<Amount>,
}

/// Reason why a figure is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteReason {
    /// Fewer products, entities or groups than the figure needs.
    TooFew,
    /// Too small a share of the products provides data.
    LowCoverage,
    /// No product has a plausible list price above its price.
    NoListPrice,
    /// There is no other retailer or product to compare with.
    NoPeer,
    /// The figure is about a retailer, and no retailer was requested.
    NeedsRetailer,
    /// The category has no price tiers.
    NoLadder,
    /// There is no observation in the preceding window.
    NotObservedBefore,
}

/// An amount in a note.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "NoteAmount")]
pub enum Amount {
    /// A number of items.
    Count(u32),
    /// A share, 0 to 1.
    Share(Ratio4),
}

impl Note {
    /// Creates a note whose reason is not an amount.
    pub const fn because(field: &'static str, reason: NoteReason) -> Self {
        Self { field, reason, have: None, need: None }
    }

    /// Creates a note for a figure that needs more items than there are.
    pub const fn too_few(field: &'static str, have: usize, need: usize) -> Self {
        let (have, need) = (Amount::Count(have as u32), Amount::Count(need as u32));
        Self { field, reason: NoteReason::TooFew, have: Some(have), need: Some(need) }
    }

    /// Creates a note for a figure that needs data of a larger share of the products.
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
    /// Median price: half of the prices are at or below it.
    pub median: Money,
    /// Lowest price.
    pub min: Money,
    /// 5 % quantile: 5 % of the prices are at or below it. Interpolated linearly between the prices around it.
    pub p05: Money,
    /// 25 % quantile: 25 % of the prices are at or below it.
    pub p25: Money,
    /// 75 % quantile: 75 % of the prices are at or below it.
    pub p75: Money,
    /// 95 % quantile: 95 % of the prices are at or below it.
    pub p95: Money,
    /// Highest price.
    pub max: Money,
}

impl PriceBlock {
    /// Computes the block of prices in cents, which must be ascending; `None` if there are no prices.
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
