//! `GET /v1/analyst/category-summary`: an overview of a category.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::basket::{self, LflBlock};
use crate::analytics::category_scope::CategoryScope;
use crate::analytics::counts;
use crate::analytics::latest::{self, Latest};
use crate::analytics::new_prices::NewPrices;
use crate::analytics::scope::Scope;
use crate::analytics::stock::KNOWN_MIN;
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group, PriceClass};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::Reader;
use crate::query::parts::{Meta, Note, NoteReason, PriceBlock, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use crate::query::shares::{self, BrandShare, RetailerShare};
use crate::query::subject::Subject;
use crate::query::windows::{self, FROM, TIME_WINDOW, TO};
use crate::types::{Condition, Day, Granularity, Percent, Ratio4, Tenth};

/// Maximum number of retailers and of brands in the answer.
const LISTED: usize = 10;
/// Maximum number of subcategories in the answer.
const CHILDREN_LISTED: usize = 20;
/// Minimum number of products for a price block.
const PRICES_MIN: usize = 3;
/// Minimum share of products at retailers that show promotions, in ten-thousandths. Below this share, the promotion
/// rate is null.
const PROMO_COVERAGE_MIN: Ratio4 = Ratio4::new(2_000);

/// The endpoint.
pub(super) struct CategorySummary;

/// Answer of category-summary. Products are listings with a price of the last 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: ScopeHead,
    /// How the category was understood.
    resolved: Resolved,
    /// The days that the like-for-like figures cover.
    window: WindowBlock,
    /// Number of products.
    products: u32,
    /// Number of different products across retailers: listings that share a barcode count as one product.
    entities: u32,
    /// Number of these products that two or more retailers sell.
    cross_retailer_entities: u32,
    /// Number of products by condition.
    conditions: Conditions,
    /// Number of retailers.
    retailer_count: u32,
    /// The ten largest retailers, most products first, then by key.
    retailers: Vec<RetailerShare<'a>>,
    /// Number of brands.
    brand_count: u32,
    /// Products with a brand.
    branded_products: u32,
    /// The ten largest brands, most products first, then by label.
    brands: Vec<BrandShare<'a>>,
    /// Subcategories one level below the category that contain products, at most 20: most products first, then by
    /// slug. Empty for a category without subcategories and for a classification code.
    children: Vec<Child<'a>>,
    /// Current prices of the products of condition new; null for fewer than 3 such products.
    price: Option<PriceBlock>,
    #[serde(flatten)]
    lfl: LflBlock,
    /// Promotions at the latest observation of each product.
    promo: Promotions,
    /// Stock at the latest observation of each product.
    availability: StockNow,
    /// Age of the latest observations.
    freshness: Freshness,
    /// Reasons why figures are null; empty if no figure is null.
    notes: Vec<Note>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Number of products by condition.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConditionCounts")]
struct Conditions {
    /// Number of products that are new or have no sign of another condition.
    new: u32,
    /// Number of products that are refurbished, renewed, restored or similar.
    refurbished: u32,
    /// Number of products that are used, open-box or sold for parts.
    used: u32,
    /// Number of products whose source reports the condition as unknown.
    unknown: u32,
}

/// A subcategory one level below the category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChildCategory")]
struct Child<'a> {
    /// Slug path of the category, a valid value of the parameter `category`.
    slug: &'a str,
    /// Path of the category for display, such as A > B > C.
    category_path: &'a str,
    /// Number of products in the category.
    product_count: u32,
}

/// Promotions at the latest observation of each product.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PromoSummary")]
struct Promotions {
    /// Number of products on promotion: the source marks them as such, or their price is below a plausible list price.
    promo_count: u32,
    /// Share of products at retailers that show promotions, 0 to 1. Such a retailer has at least one product in the
    /// country with a list price or on promotion.
    promo_coverage: Ratio4,
    /// Products on promotion, in percent of the products at retailers that show promotions; null if promo_coverage is
    /// below 0.2.
    promo_rate_pct: Option<Percent>,
    /// Share of products with a list price, plausible or not, 0 to 1.
    list_price_coverage: Ratio4,
    /// Mean discount against plausible list prices, in percent; null if no product has a plausible list price.
    avg_promo_depth_pct: Option<Percent>,
}

/// Stock at the latest observation of each product.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StockSummary")]
struct StockNow {
    /// Number of products in stock.
    in_stock_count: u32,
    /// Number of products out of stock.
    out_of_stock_count: u32,
    /// Products whose source does not state the stock.
    unknown_count: u32,
    /// Products in stock, in percent of the products whose stock is known; null if the stock of fewer than 5 products
    /// is known.
    in_stock_rate_pct: Option<Percent>,
    /// Share of the products whose stock is known, 0 to 1.
    availability_coverage: Ratio4,
}

/// Age of the latest observations, in days before the last day of the catalog.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FreshnessSummary")]
struct Freshness {
    /// Oldest day on which a product was last observed.
    observed_from: Option<Day>,
    /// Newest day on which a product was last observed.
    observed_to: Option<Day>,
    /// Median age of the latest observations, in days.
    median_age_days: Option<Tenth>,
    /// Products last observed within the last 7 days, in percent.
    within_7_days_pct: Percent,
    /// Products last observed within the last 30 days, in percent.
    within_30_days_pct: Percent,
}

impl Endpoint for CategorySummary {
    type Params = ScopeParams;
    type Plan = ResolvedScope;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Category summary",
        summary: "An overview of a category: products, retailers, brands, prices, promotions, stock, age.",
        about: "Use it first, to see how much a category contains and how reliable its figures are. Counts, \
                promotions, stock and age come from the latest observation of each listing with a price of the last 90 \
                days; the window applies to the like-for-like change only. A figure with too few observations is null, \
                and notes gives the reason. Not every source states list prices or stock, so the promotion rate covers \
                only retailers that show promotions. retailers and brands are the ten largest. Give category, \
                department or both.",
        methodology: &["category-summary"],
        params: &[&CATEGORY, &DEPARTMENT, &COUNTRY, &RETAILER, &TIME_WINDOW, &FROM, &TO],
        examples: &["category=food&country=ca"],
        rows: &["children"],
        deep: Some(windows::DEEP_WINDOWS),
        heavy: true,
        highlights: &["products", "price.median", "lfl_change_pct"],
        ..Descriptor::of("/v1/analyst/category-summary", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        ScopeParams::read::<Self>(reader, &[])
    }

    fn price(params: &ScopeParams) -> PriceClass {
        windows::price(&params.window, windows::DEEP_SPAN_DAYS, PriceClass::Analyst)
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<ResolvedScope, Refusal> {
        params.resolve_priced(catalog)
    }

    fn subject(catalog: &Catalog, plan: &ResolvedScope) -> Subject {
        plan.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: ResolvedScope, stamp: Stamp) -> Answer<'_> {
        let ResolvedScope { listings: scope, window, .. } = plan;
        let country = scope.country;
        let rows = scope.rows(catalog);
        let priced = scope.priced_rows(catalog);
        let granularity = Granularity::default_for(window.span_days());
        let counts = || {
            let retailers = counts::of_platforms(catalog, &priced);
            let brands = counts::of_brands(catalog, &priced);
            (
                latest::entities(catalog, &priced),
                retailers,
                brands,
                latest::observed(catalog, &scope, &priced),
            )
        };
        let ((latest, counts), lfl) = rayon::join(
            || rayon::join(|| Latest::of(catalog, country, &priced), counts),
            || basket::change(catalog, &rows, &window, granularity),
        );
        let ((entities, cross_retailer_entities), retailers, brands, observed) = counts;
        let prices = NewPrices::of(catalog, &scope);
        let new_cents = prices.cents(catalog);
        let price = PriceBlock::of(new_cents).filter(|_| new_cents.len() >= PRICES_MIN);
        let (promo, availability) = (Promotions::of(&latest), StockNow::of(&latest));
        Answer {
            head: plan.head(),
            resolved: plan.resolved,
            window: WindowBlock::new(&window, granularity),
            products: latest.products(),
            entities,
            cross_retailer_entities,
            conditions: Conditions {
                new: latest.of_condition(Condition::New),
                refurbished: latest.of_condition(Condition::Refurbished),
                used: latest.of_condition(Condition::Used),
                unknown: latest.of_condition(Condition::Unknown),
            },
            retailer_count: retailers.len() as u32,
            retailers: shares::of_retailers(catalog, &retailers, LISTED),
            brand_count: brands.len() as u32,
            branded_products: brands.iter().map(|&(_, count)| count).sum(),
            brands: shares::of_brands(catalog, &brands, LISTED),
            children: children(catalog, &scope, &priced),
            notes: notes(new_cents.len(), &promo, &availability),
            price,
            lfl,
            promo,
            availability,
            freshness: Freshness::of(catalog, &latest),
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

/// Returns the subcategories of the scope's category that contain any of the priced rows, which must be ascending.
fn children<'a>(catalog: &'a Catalog, scope: &Scope, priced: &[u32]) -> Vec<Child<'a>> {
    let CategoryScope::Category(node) = scope.category_scope else { return Vec::new() };
    let child = |child| {
        let rows = catalog.taxonomy.rows(scope.country, child);
        let place = |bound: u32| priced.partition_point(|&row| row < bound);
        let node = catalog.taxonomy.node(child);
        let product_count = (place(rows.end) - place(rows.start)) as u32;
        Child { slug: &node.slug, category_path: &node.path, product_count }
    };
    let mut children: Vec<Child<'a>> =
        catalog.taxonomy.children(scope.country, Some(node)).map(child).collect();
    children.retain(|child| child.product_count > 0);
    children.sort_by_key(|child| (Reverse(child.product_count), child.slug));
    children.truncate(CHILDREN_LISTED);
    children
}

impl Promotions {
    fn of(latest: &Latest) -> Self {
        let Latest { on_promotion, at_promoters, .. } = *latest;
        // The limit is compared with the unrounded share.
        let is_covered = 5 * u64::from(at_promoters) >= u64::from(latest.products());
        Self {
            promo_count: on_promotion,
            promo_coverage: latest.share(at_promoters),
            promo_rate_pct: is_covered.then(|| Percent::from_ratio(on_promotion.into(), at_promoters.into())),
            list_price_coverage: latest.share(latest.list_priced),
            avg_promo_depth_pct: latest.mean_depth().map(|(num, den)| Percent::from_ratio(num, den)),
        }
    }
}

impl StockNow {
    fn of(latest: &Latest) -> Self {
        let stock = latest.stock;
        Self {
            in_stock_count: stock.in_stock,
            out_of_stock_count: stock.out_of_stock,
            unknown_count: stock.unknown,
            in_stock_rate_pct: stock.rate(),
            availability_coverage: stock.coverage(),
        }
    }
}

impl Freshness {
    fn of(catalog: &Catalog, latest: &Latest) -> Self {
        let products = i128::from(latest.products());
        let share = |days| Percent::from_ratio(latest.within(days).into(), products);
        let (observed_from, observed_to) = latest.observed(catalog).unzip();
        Self {
            observed_from,
            observed_to,
            median_age_days: latest.median_age_days().map(|(num, den)| Tenth::from_ratio(num, den)),
            within_7_days_pct: share(7),
            within_30_days_pct: share(30),
        }
    }
}

/// Returns the reasons why figures are null.
fn notes(new: usize, promo: &Promotions, availability: &StockNow) -> Vec<Note> {
    let known = availability.in_stock_count + availability.out_of_stock_count;
    let price = (new < PRICES_MIN).then(|| Note::too_few("price", new, PRICES_MIN));
    let rate = promo
        .promo_rate_pct
        .is_none()
        .then(|| Note::low_coverage("promo.promo_rate_pct", promo.promo_coverage, PROMO_COVERAGE_MIN));
    let depth = promo.avg_promo_depth_pct.is_none();
    let depth = depth.then(|| Note::because("promo.avg_promo_depth_pct", NoteReason::NoListPrice));
    let stock = availability.in_stock_rate_pct.is_none();
    let stock =
        stock.then(|| Note::too_few("availability.in_stock_rate_pct", known as usize, KNOWN_MIN as usize));
    [price, rate, depth, stock].into_iter().flatten().collect()
}
