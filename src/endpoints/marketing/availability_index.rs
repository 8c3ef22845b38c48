//! `GET /v1/marketing/availability-index`: the stock of a category by retailer or brand, and how long products have
//! been out of stock.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::availability::{self, Availability, AvailabilityGroups, NO_GROUP, OutNow};
use crate::analytics::{Span, latest};
use crate::catalog::Catalog;
use crate::query::brand::BRAND;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::item::NamedItem;
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::{Meta, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{FROM, TIME_WINDOW, TO};
use crate::snapshot::layout::NONE;
use crate::types::{Cents, Day, Granularity};

/// Maximum number of retailers or brands in the answer.
const ROWS_MAX: usize = 200;
/// Maximum number of products that are listed as out of stock.
const OUT_LISTED: usize = 20;

static AGGREGATE_BY: Param = Param {
    name: "aggregate_by",
    kind: Kind::Word(&["retailer", "brand"], Some("retailer")),
    about: "Grouping of the rows. By brand, listings without a brand are left out.",
};

/// The endpoint.
pub(super) struct AvailabilityIndex;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    by: By,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    /// Rows of the scope, priced or not, ascending. If a brand was requested, only rows of this brand.
    rows: Vec<u32>,
    by: By,
}

/// Grouping of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AvailabilityBy")]
enum By {
    /// One row per retailer.
    Retailer,
    /// One row per brand.
    Brand,
}

/// Answer of availability-index. Products are listings with a price of the last 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: ScopeHead,
    /// Display label of the requested brand; null if all were requested.
    brand: Option<&'a str>,
    /// How the category was understood.
    resolved: Resolved,
    /// The days whose observations are counted.
    window: WindowBlock,
    /// Grouping of the rows.
    aggregate_by: By,
    /// Figures of all retailers or brands together, including those beyond the limit of 200.
    total: Availability,
    /// One row per retailer, most products first, then by key; at most 200. Absent when aggregating by brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    retailers: Option<Vec<Row<'a>>>,
    /// One row per brand, most products first, then by label; at most 200. Absent when aggregating by retailer.
    #[serde(skip_serializing_if = "Option::is_none")]
    brands: Option<Vec<Row<'a>>>,
    /// Products that are out of stock now, the longest out of stock first, then by product_uid; at most 20.
    out_of_stock_now: Vec<OutItem<'a>>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// The availability of a retailer or a brand.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AvailabilityRow")]
struct Row<'a> {
    /// Key of the retailer; absent if the answer aggregates by brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    retailer: Option<&'a str>,
    /// Display label of the brand; absent if the answer aggregates by retailer.
    #[serde(skip_serializing_if = "Option::is_none")]
    brand: Option<&'a str>,
    #[serde(flatten)]
    figures: Availability,
}

/// A product that is out of stock now.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OutOfStockItem")]
struct OutItem<'a> {
    #[serde(flatten)]
    item: NamedItem<'a>,
    /// Current price (price of the latest observation), in currency.
    price: Cents,
    /// First day in the window on which the product was observed out of stock, and after which it was not observed in
    /// stock.
    out_since: Day,
    /// Number of days from out_since up to and including the day of the product's last observation.
    out_days: u32,
}

impl By {
    /// Returns the number of possible groups.
    fn groups(self, catalog: &Catalog) -> usize {
        match self {
            Self::Retailer => catalog.platforms.len(),
            Self::Brand => catalog.brands.len(),
        }
    }

    /// Returns the group of a listing; [`NO_GROUP`] if it has no brand.
    fn group(self, catalog: &Catalog, row: u32) -> u32 {
        match self {
            Self::Retailer => catalog.listings.platform[row as usize].into(),
            Self::Brand => match catalog.listings.brand[row as usize] {
                NONE => NO_GROUP,
                brand => brand,
            },
        }
    }
}

impl Endpoint for AvailabilityIndex {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Availability index",
        summary: "Stock by retailer or brand, and how long products have been out of stock.",
        about: "Use it to compare how well retailers, or brands with aggregate_by=brand, keep a category in stock: \
                the stock now, the share of observations in a window that were out of stock, how often and for how \
                long. Sources that do not state stock are not counted; availability_coverage gives the share that is \
                known, and rates are null below 5. A time out of stock ends when the product is seen in stock again. \
                A category whose sources never state stock is refused with NO_RESULTS, free of charge.",
        methodology: &["availability"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER, &BRAND, &TIME_WINDOW, &FROM, &TO, &AGGREGATE_BY],
        examples: &["category=food&country=ca"],
        rows: &["retailers", "brands"],
        pictures: &[
            Picture { rows: "retailers", kind: "availability", title: "Products in stock by retailer" },
            Picture { rows: "brands", kind: "availability", title: "Products in stock by brand" },
        ],
        heavy: true,
        highlights: &["total.in_stock_rate_pct"],
        ..Descriptor::of("/v1/marketing/availability-index", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[&CATEGORY]),
            by: reader.choice(&AGGREGATE_BY, [By::Retailer, By::Brand]),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, by } = params;
        let scope = scope.resolve(catalog)?;
        let rows = scope.branded_rows(catalog)?;
        let listings = &catalog.listings;
        let is_grouped = |row: u32| by.group(catalog, row) != NO_GROUP;
        if !rows.iter().any(|&row| listings.priced[row as usize] == 1 && is_grouped(row)) {
            let message = "no listing in this scope has a brand; ask with aggregate_by=retailer";
            return Err(Refusal::no_results(NoResultsReason::NoBrand, message));
        }
        let days = scope.days(catalog);
        let grouped: Vec<u32> = rows.iter().copied().filter(|&row| is_grouped(row)).collect();
        if !availability::is_stated(catalog, &grouped, &days) {
            let message = "the sources of this scope do not state the stock";
            return Err(Refusal::no_results(NoResultsReason::NoStockStatus, message));
        }
        Ok(Plan { scope, rows, by })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, rows, by } = plan;
        let days = scope.days(catalog);
        let group_of = |row| by.group(catalog, row);
        let AvailabilityGroups { mut groups, total, out_now } =
            availability::by_group(catalog, &rows, &days, by.groups(catalog), group_of);
        // Platforms and brands are numbered in the order of their labels, and the sort is stable.
        groups.sort_by_key(|(_, figures)| Reverse(figures.products));
        groups.truncate(ROWS_MAX);
        let row = |(at, figures): (u32, Availability)| match by {
            By::Retailer => {
                Row { retailer: Some(catalog.platforms[at as usize].as_str()), brand: None, figures }
            }
            By::Brand => Row { retailer: None, brand: Some(&catalog.brands[at as usize].label), figures },
        };
        let shown: Vec<Row<'_>> = groups.into_iter().map(row).collect();
        let (retailers, brands) = match by {
            By::Retailer => (Some(shown), None),
            By::Brand => (None, Some(shown)),
        };
        // Only listings that are counted in a group affect the observation times of the answer.
        let is_shown = |&row: &u32| catalog.listings.priced[row as usize] == 1 && group_of(row) != NO_GROUP;
        let counted: Vec<u32> = rows.iter().copied().filter(is_shown).collect();
        let observed = match by {
            By::Retailer => latest::observed_of(catalog, &scope.listings, scope.brand, &counted),
            By::Brand => Span::of_rows(catalog, counted),
        };
        Answer {
            head: scope.head(),
            brand: scope.brand_label(catalog),
            window: WindowBlock::new(&scope.window, Granularity::Daily),
            resolved: scope.resolved,
            aggregate_by: by,
            total,
            retailers,
            brands,
            out_of_stock_now: out_now.iter().take(OUT_LISTED).map(|out| OutItem::of(catalog, out)).collect(),
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

impl<'a> OutItem<'a> {
    fn of(catalog: &'a Catalog, out: &OutNow) -> Self {
        Self {
            item: NamedItem::of(catalog, out.row),
            price: catalog.listing(out.row).price(),
            out_since: catalog.day(out.since),
            out_days: out.days,
        }
    }
}
