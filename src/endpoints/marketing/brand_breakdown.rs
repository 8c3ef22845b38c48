//! `GET /v1/marketing/brand-breakdown`: a brand by category and by retailer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::basket::{self, LflBlock};
use crate::analytics::breakdown::{self, BrandCell};
use crate::analytics::category_scope::CategoryScope;
use crate::analytics::{Span, latest};
use crate::catalog::Catalog;
use crate::query::brand::BRAND;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::Reader;
use crate::query::parts::{Meta, PriceBlock, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{BrandScope, Market, OptionalCategoryNames, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{FROM, TIME_WINDOW, TO};
use crate::types::{Granularity, Money, Percent};

/// Maximum number of categories and of retailers listed in the answer.
const LISTED: usize = 50;

/// The endpoint.
pub(super) struct BrandBreakdown;

/// Answer of brand-breakdown. Products are listings with a price of the last 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    market: Market,
    #[serde(flatten)]
    category: OptionalCategoryNames,
    /// Key of the requested retailer; null if all were requested.
    retailer: Option<String>,
    /// Display label of the brand.
    brand: &'a str,
    /// How the category was understood; null if none was requested.
    resolved: Option<Resolved>,
    /// The days that the like-for-like figures cover.
    window: WindowBlock,
    #[serde(flatten)]
    whole: BrandTotals,
    #[serde(flatten)]
    lfl: LflBlock,
    /// Number of categories that contain the brand.
    category_count: u32,
    /// At most 50 categories: most products of the brand first, then by slug. They are one level below the requested
    /// category, or root categories if no category or a classification code was requested. If all products are in a
    /// single one of these categories, lower levels are listed.
    categories: Vec<InCategory<'a>>,
    /// Number of retailers that sell the brand.
    retailer_count: u32,
    /// At most 50 retailers: most products of the brand first, then by key.
    retailers: Vec<AtRetailer<'a>>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Products and prices of a brand in a category, at a retailer, or in the whole scope of the request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrandFigures")]
struct BrandTotals {
    /// Number of products of the brand.
    products: u32,
    /// Number of entities among these products: products of several retailers that share a barcode are one entity.
    entities: u32,
    /// Share of the brand among all products that have a brand, in percent. Both are counted in the same category, at
    /// the same retailer, or in the whole scope of the request.
    share_pct: Percent,
    /// Mean of the current prices of the brand's products.
    avg_price: Money,
    /// Median of the current prices of the brand's products.
    median_price: Money,
    /// Lowest of the current prices of the brand's products.
    min_price: Money,
    /// Highest of the current prices of the brand's products.
    max_price: Money,
}

/// Like-for-like price change of a brand in a category or at a retailer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PartChange")]
struct Change {
    /// Like-for-like change: price change of the products that have a price in both compared periods, in percent. Null
    /// for fewer than 10 such products.
    lfl_change_pct: Option<Percent>,
    /// Number of products that have a price in both compared periods.
    lfl_matched: u32,
}

/// A brand in a category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrandInCategory")]
struct InCategory<'a> {
    /// Slug path of the category, a valid value of the parameter `category`.
    slug: &'a str,
    /// Path of the category for display, such as A > B > C.
    category_path: &'a str,
    #[serde(flatten)]
    figures: BrandTotals,
    #[serde(flatten)]
    change: Change,
}

/// A brand at a retailer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BrandAtRetailer")]
struct AtRetailer<'a> {
    /// Key of the retailer.
    retailer: &'a str,
    #[serde(flatten)]
    figures: BrandTotals,
    #[serde(flatten)]
    change: Change,
}

impl Endpoint for BrandBreakdown {
    type Params = ScopeParams;
    type Plan = BrandScope;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Brand breakdown",
        summary: "A brand broken down by category and by retailer.",
        about: "Use it to see where a brand is strong: its products, share, prices and like-for-like change in each \
                category and at each retailer. share_pct is the share of products with a brand in the same place. \
                Categories are one level below the requested one, or the roots, or lower if the whole brand is in one \
                category. lfl_change_pct is null if fewer than 10 products can be compared; lfl_note gives the reason \
                for the whole brand. For promotions and a series use brand-tracker. category and resolved are null if \
                no category was requested.",
        methodology: &["brand-breakdown"],
        params: &[&BRAND, &CATEGORY, &COUNTRY, &RETAILER, &TIME_WINDOW, &FROM, &TO],
        examples: &["brand=corsair"],
        rows: &["categories"],
        heavy: true,
        highlights: &["share_pct", "lfl_change_pct"],
        ..Descriptor::of("/v1/marketing/brand-breakdown", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        ScopeParams::read::<Self>(reader, &[&BRAND])
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<BrandScope, Refusal> {
        params.resolve_brand(catalog)
    }

    fn subject(catalog: &Catalog, plan: &BrandScope) -> Subject {
        plan.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: BrandScope, stamp: Stamp) -> Answer<'_> {
        let BrandScope { country, category_scope, window, .. } = plan;
        let (rows, branded) = (&plan.rows, plan.of_any_brand(catalog));
        let listings = &catalog.listings;
        let granularity = Granularity::default_for(window.span_days());
        let change = |rows: &[u32]| basket::change(catalog, rows, &window, granularity);
        let above = match category_scope {
            Some(CategoryScope::Category(node)) => Some(node),
            _ => None,
        };
        let categories = breakdown::by_category(catalog, country, above, rows, &branded);
        let retailers = breakdown::by_retailer(catalog, rows, &branded);
        let part = |cell: &BrandCell| {
            let lfl = change(&cell.rows);
            let change = Change { lfl_change_pct: lfl.lfl_change_pct, lfl_matched: lfl.lfl_matched };
            (BrandTotals::of(catalog, &cell.rows, cell.branded), change)
        };
        let in_category = |cell: &BrandCell| {
            let (figures, change) = part(cell);
            let node = catalog.taxonomy.node(cell.key);
            InCategory { slug: &node.slug, category_path: &node.path, figures, change }
        };
        let at_retailer = |cell: &BrandCell| {
            let (figures, change) = part(cell);
            AtRetailer { retailer: &catalog.platforms[cell.key as usize], figures, change }
        };
        let priced = rows.iter().copied().filter(|&row| listings.priced[row as usize] == 1);
        Answer {
            market: Market::of(country),
            category: plan.names(),
            brand: plan.label(catalog),
            window: WindowBlock::new(&window, granularity),
            whole: BrandTotals::of(catalog, rows, branded.len() as u32),
            lfl: change(rows),
            category_count: categories.len() as u32,
            categories: categories.iter().take(LISTED).map(in_category).collect(),
            retailer_count: retailers.len() as u32,
            retailers: retailers.iter().take(LISTED).map(at_retailer).collect(),
            meta: Meta::new(catalog, stamp, Span::of_rows(catalog, priced)),
            retailer: plan.retailer,
            resolved: plan.resolved,
        }
    }
}

impl BrandTotals {
    /// Computes the figures of a brand's rows, at least one of which is priced. `branded` is the number of priced rows
    /// of any brand in the same category, at the same retailer, or in the whole scope.
    fn of(catalog: &Catalog, rows: &[u32], branded: u32) -> Self {
        let listings = &catalog.listings;
        let priced: Vec<u32> =
            rows.iter().copied().filter(|&row| listings.priced[row as usize] == 1).collect();
        let mut cents: Vec<u32> = priced.iter().map(|&row| listings.current_price[row as usize]).collect();
        cents.sort_unstable();
        let prices = PriceBlock::of(&cents);
        let price = |figure: fn(PriceBlock) -> Money| prices.map(figure).unwrap_or_default();
        Self {
            products: priced.len() as u32,
            entities: latest::entities(catalog, &priced).0,
            share_pct: Percent::from_ratio(priced.len() as i128, branded.into()),
            avg_price: price(|prices| prices.mean),
            median_price: price(|prices| prices.median),
            min_price: price(|prices| prices.min),
            max_price: price(|prices| prices.max),
        }
    }
}
