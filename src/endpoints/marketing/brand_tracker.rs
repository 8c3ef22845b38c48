//! `GET /v1/marketing/brand-tracker`: one brand's products, prices, promotions and change.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::basket::{self, LflBlock, Point};
use crate::analytics::counts::{self, Count};
use crate::analytics::promotions::{self, PromoStats, PromoTally};
use crate::catalog::Catalog;
use crate::query::brand::BRAND;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::Reader;
use crate::query::parts::{Meta, PriceBlock, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{BrandScope, Market, OptionalCategoryNames, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{self, FROM, GRANULARITY, TIME_WINDOW, TO};
use crate::types::{Granularity, Money, Percent};

/// Maximum number of retailers and of categories in an answer.
const ROWS_MAX: usize = 20;

/// The endpoint.
pub(super) struct BrandTracker;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    granularity: Option<Granularity>,
}

/// A resolved request.
pub(super) struct Plan {
    scope: BrandScope,
    /// Number of priced rows of any brand in the scope.
    branded: u32,
    granularity: Granularity,
}

/// Answer of brand-tracker.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Display label of the brand.
    brand: String,
    #[serde(flatten)]
    names: OptionalCategoryNames,
    #[serde(flatten)]
    market: Market,
    /// Key of the requested retailer; null if all were requested.
    retailer: Option<String>,
    /// Number of priced listings of the brand in the country, restricted to the requested category and retailer, if
    /// any.
    product_count: u32,
    /// Number of entities among these products: products of several retailers that share a barcode are one entity.
    entity_count: u32,
    /// Share of `product_count` among the priced listings of all brands in the same scope, in percent.
    share_of_shelf_pct: Percent,
    /// Mean of the current prices of the brand's products.
    avg_price: Money,
    /// Median of the current prices of the brand's products.
    median_price: Money,
    /// 5 % quantile of the current prices of the brand's products.
    p05_price: Money,
    /// 95 % quantile of the current prices of the brand's products.
    p95_price: Money,
    /// Retailers that sell the brand, most listings first, then by key; at most 20.
    retailers: Vec<AtRetailer>,
    /// Categories that directly contain listings of the brand, most listings first, then by path; at most 20.
    categories: Vec<InCategory>,
    /// The days that the answer covers.
    window: WindowBlock,
    /// Promotional activity on the days of `time_series` (for `month_over_month`, both windows); null without an
    /// observation on these days.
    promo: Option<PromoStats>,
    #[serde(flatten)]
    lfl: LflBlock,
    /// One point per period that contains an observation of the brand, oldest first.
    time_series: Vec<Point>,
    /// How the category was understood; null if none was requested.
    resolved: Option<Resolved>,
    /// Source and freshness of the answer. The observation times span the current prices and the days of
    /// `time_series`.
    meta: Meta,
}

/// A retailer that sells a brand.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrandRetailer")]
pub(super) struct AtRetailer {
    /// Key of the retailer.
    retailer: String,
    /// Priced listings of the brand at the retailer.
    product_count: u32,
}

/// A category that contains listings of a brand.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrandCategory")]
pub(super) struct InCategory {
    /// Display path of the category.
    category_path: String,
    /// Number of priced listings of the brand directly in the category, without listings in subcategories.
    product_count: u32,
}

impl Endpoint for BrandTracker {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Brand tracker",
        summary: "One brand's products, prices, promotions and change.",
        about: concat!(
            "Use it for a report on one brand: its products, share of shelf, current prices, promotions and \
             like-for-like price change, in a country or in one category. Ask ",
            free_list!(brands),
            " first if you are not sure of the spelling. lfl_change_pct is the figure for price change. It is null, \
             with the reason in lfl_note, if fewer than 10 products can be compared, and a longer window may then \
             have a figure. promo is null if nothing was observed in the window. category and resolved are null if \
             no category was requested.",
        ),
        methodology: &["brand-tracker"],
        params: &[&BRAND, &CATEGORY, &COUNTRY, &RETAILER, &TIME_WINDOW, &FROM, &TO, &GRANULARITY],
        examples: &["brand=corsair", "brand=corsair&category=memory&time_window=month_over_month"],
        rows: &["time_series"],
        heavy: true,
        highlights: &["share_of_shelf_pct", "lfl_change_pct"],
        ..Descriptor::of("/v1/marketing/brand-tracker", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[&BRAND]),
            granularity: windows::read_granularity(reader),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, granularity } = params;
        let scope = scope.resolve_brand(catalog)?;
        let branded = scope.of_any_brand(catalog).len() as u32;
        let granularity = granularity.unwrap_or(Granularity::default_for(scope.window.span_days()));
        Ok(Plan { scope, branded, granularity })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Plan { scope, branded, granularity } = plan;
        let (rows, window) = (&scope.rows, scope.window);
        let report = basket::report(catalog, rows, &window, granularity);
        let days = promotions::day_numbers(catalog, &basket::spans(&window));
        let mut tally = PromoTally::default();
        for &row in rows {
            tally.add_listing(catalog, row, &days);
        }
        let offered: Vec<u32> =
            rows.iter().copied().filter(|&row| catalog.listings.priced[row as usize] == 1).collect();
        let mut cents: Vec<u32> =
            offered.iter().map(|&row| catalog.listings.current_price[row as usize]).collect();
        cents.sort_unstable();
        let prices = PriceBlock::of(&cents);
        let price = |figure: fn(PriceBlock) -> Money| prices.map(figure).unwrap_or_default();
        let mut observed = Span::of_rows(catalog, offered.iter().copied());
        if let Some((first, last)) = report.observed {
            observed.add(first.start());
            observed.add(last.start());
        }
        Answer {
            brand: scope.label(catalog).to_owned(),
            names: scope.names(),
            market: Market::of(scope.country),
            product_count: offered.len() as u32,
            entity_count: distinct(offered.iter().map(|&row| catalog.listings.entity[row as usize])),
            share_of_shelf_pct: Percent::from_ratio(offered.len() as i128, i128::from(branded)),
            avg_price: price(|prices| prices.mean),
            median_price: price(|prices| prices.median),
            p05_price: price(|prices| prices.p05),
            p95_price: price(|prices| prices.p95),
            retailers: retailers(catalog, &offered),
            categories: categories(catalog, &offered),
            window: WindowBlock::new(&window, granularity),
            promo: tally.figures(),
            lfl: report.lfl,
            time_series: report.points,
            retailer: scope.retailer,
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

fn distinct(values: impl Iterator<Item = u32>) -> u32 {
    let mut values: Vec<u32> = values.collect();
    values.sort_unstable();
    values.dedup();
    values.len() as u32
}

fn retailers(catalog: &Catalog, rows: &[u32]) -> Vec<AtRetailer> {
    let platforms = counts::of_platforms(catalog, rows);
    let retailer = |&(platform, product_count): &Count| AtRetailer {
        retailer: catalog.platforms[platform as usize].clone(),
        product_count,
    };
    platforms.iter().take(ROWS_MAX).map(retailer).collect()
}

fn categories(catalog: &Catalog, rows: &[u32]) -> Vec<InCategory> {
    let mut nodes: Vec<u32> = rows.iter().map(|&row| catalog.listings.category[row as usize]).collect();
    nodes.sort_unstable();
    let counted = nodes.chunk_by(PartialEq::eq).map(|same| (same.len(), catalog.taxonomy.node(same[0])));
    let mut counted: Vec<_> = counted.collect();
    counted.sort_by_key(|(count, node)| (Reverse(*count), node.slug.as_str()));
    let largest = counted.into_iter().take(ROWS_MAX);
    largest
        .map(|(count, node)| InCategory { category_path: node.path.clone(), product_count: count as u32 })
        .collect()
}
