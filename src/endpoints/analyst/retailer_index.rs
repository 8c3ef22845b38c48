//! `GET /v1/analyst/retailer-index`: one retailer compared with its category, day by day.
//!
//! Averages of different assortments are not a price level: a shop that sells more large packs is not more expensive.
//! The answer contains such averages because clients ask for them. In addition, it contains an index over products
//! that other retailers also sell.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::price_level::daily::{Daily, mean};
use crate::analytics::price_level::{Total, matched};
use crate::analytics::scope::{Scope, is_at};
use crate::analytics::{Span, category_scope};
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture, PriceClass, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::Reader;
use crate::query::parts::{Meta, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::requirements::require_observed;
use crate::query::scope::{CategoryNames, Market, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{self, FROM, TIME_WINDOW, TO};
use crate::stats::exact::quotient;
use crate::types::{Day, Granularity, Money, Ratio4};

/// Minimum number of the retailer's products for a point that is not marked as insufficient.
const SAMPLE_THRESHOLD: u32 = 10;

/// The endpoint.
pub(super) struct RetailerIndex;

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    platform: u16,
    /// Rows of the category, of all retailers, ascending.
    rows: Vec<u32>,
    /// Rows of the retailer in the category, ascending.
    own: Vec<u32>,
}

/// Answer of retailer-index. Averages of different assortments are not a price level; for price levels read
/// `matched_index`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Key of the requested retailer.
    retailer: String,
    #[serde(flatten)]
    category: CategoryNames,
    #[serde(flatten)]
    market: Market,
    /// The days that the answer covers.
    window: WindowBlock,
    /// Minimum `product_count` of a point that is not marked as insufficient.
    sample_threshold: u32,
    /// Number of points below sample_threshold.
    insufficient_sample_points: u32,
    /// Whether any point is below sample_threshold.
    insufficient_sample: bool,
    /// Number of the retailer's products that have a price on every day of the series; null if the series has a single
    /// point.
    stable_basket_size: Option<u32>,
    /// One point per day on which the retailer has a price in the category, oldest first.
    time_series: Vec<Point>,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// A day on which the retailer has a price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexPoint")]
struct Point {
    /// UTC day of the point.
    date: Day,
    /// Label of the period: the same day as `date`.
    period: String,
    /// Number of the retailer's products with a price on the day.
    product_count: u32,
    /// Mean price of the retailer's products on the day, in currency.
    retailer_avg_price: Money,
    /// Mean price of the products of all retailers in the category on the day, including the requested retailer, in
    /// currency.
    category_avg_price: Money,
    /// `retailer_avg_price` divided by `category_avg_price`, computed from the unrounded averages. 1 means that both
    /// averages are equal. The averages cover different products, so this ratio is not a price level: it is higher for
    /// a retailer that sells larger packs. Use `matched_index` for price levels and `stable_avg_price` for trends.
    price_index: Ratio4,
    /// Mean price on the day, computed only from the retailer's products that have a price on every day of the series.
    /// Null if there are no such products, or if the series has a single point.
    stable_avg_price: Option<Money>,
    /// Whether `product_count` is below `sample_threshold`.
    insufficient_sample: bool,
    /// Minimum `product_count` of a point that is not marked as insufficient.
    sample_threshold: u32,
    /// Price level relative to other retailers, measured over products that the other retailers also sell. 1 means
    /// equal levels. For each product, the retailer's price is divided by the geometric mean of the other retailers'
    /// prices. The index is the geometric mean of these ratios. The price of a retailer is its lowest price for the
    /// product on the day, in new condition. Ratios below one third or above three are excluded as wrong matches. Null
    /// for fewer than 10 products.
    matched_index: Option<Ratio4>,
    /// Number of products that `matched_index` is computed from; also reported if `matched_index` is null.
    matched_pairs: u32,
}

impl Endpoint for RetailerIndex {
    type Params = ScopeParams;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Retailer index",
        summary: "A retailer's daily average price compared with its category, and its price level for products that \
                  other retailers sell too.",
        about: concat!(
            "Use it to learn whether a retailer is expensive or cheap in a category, day by day. matched_index is the \
             price level over products that others sell too; 1 is parity and 0.95 means 5 % cheaper. price_index \
             compares averages of different assortments and is not a price level. matched_index is null if fewer than \
             10 products can be compared, and stable_avg_price if no product is priced on every day. Points with \
             insufficient_sample are based on few products. Retailers that can be requested are in ",
            free_list!(retailers),
            ".",
        ),
        methodology: &["retailer-index", "periods"],
        params: &[&RETAILER, &CATEGORY, &DEPARTMENT, &COUNTRY, &TIME_WINDOW, &FROM, &TO],
        examples: &["retailer=loblaws&category=food&country=ca"],
        rows: &["time_series"],
        pictures: &[Picture {
            rows: "time_series",
            kind: "retailer-index",
            title: "Prices of the retailer against the category's",
        }],
        next: |answer| NextStep::about_category("price-dispersion", answer),
        deep: Some(windows::DEEP_WINDOWS),
        heavy: true,
        ..Descriptor::of("/v1/analyst/retailer-index", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        ScopeParams::read::<Self>(reader, &[&RETAILER])
    }

    fn price(params: &ScopeParams) -> PriceClass {
        windows::price(&params.window, windows::DEEP_SPAN_DAYS, PriceClass::Analyst)
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<Plan, Refusal> {
        let scope = params.resolve(catalog)?;
        let platform = scope.required_retailer()?;
        let Scope { country, category_scope, .. } = scope.listings;
        let rows = category_scope::rows(catalog, country, category_scope);
        let is_own = |row: &u32| is_at(catalog, Some(platform), *row);
        let own: Vec<u32> = rows.iter().copied().filter(is_own).collect();
        require_observed(catalog, &own, &[(scope.window.from(), scope.window.to())])?;
        Ok(Plan { scope, platform, rows, own })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Plan { scope, platform, rows, own } = plan;
        let days = scope.days(catalog);
        let daily = Daily::of(catalog, &rows, &own, &days);
        let matched = matched::by_day(catalog, &rows, &own, platform, &days);
        let time_series = points(catalog, &daily, &matched);
        let mut span = Span::default();
        for point in &time_series {
            span.add(point.date.start());
        }
        let insufficient = time_series.iter().filter(|point| point.insufficient_sample).count() as u32;
        Answer {
            retailer: catalog.platforms[usize::from(platform)].clone(),
            category: scope.names(),
            market: scope.market(),
            window: WindowBlock::new(&scope.window, Granularity::Daily),
            sample_threshold: SAMPLE_THRESHOLD,
            insufficient_sample_points: insufficient,
            insufficient_sample: insufficient > 0,
            stable_basket_size: (time_series.len() > 1).then_some(daily.stable),
            time_series,
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, span),
        }
    }
}

fn points(catalog: &Catalog, daily: &Daily, matched: &[Total]) -> Vec<Point> {
    let several = daily.own.iter().filter(|own| own.count > 0).nth(1).is_some();
    let money = |total: Total| mean(total).map(|(num, den)| Money::from_ratio(num, den));
    let point = |at: usize| {
        let (own, all) = (mean(daily.own[at])?, mean(daily.all[at])?);
        let (num, den) = quotient(own, all);
        let date = catalog.day(daily.from + at as u16);
        let product_count = daily.own[at].count as u32;
        Some(Point {
            date,
            period: Granularity::Daily.label(date),
            product_count,
            retailer_avg_price: Money::from_ratio(own.0, own.1),
            category_avg_price: Money::from_ratio(all.0, all.1),
            price_index: Ratio4::from_ratio(num, den),
            stable_avg_price: money(daily.stable_totals[at]).filter(|_| several),
            insufficient_sample: product_count < SAMPLE_THRESHOLD,
            sample_threshold: SAMPLE_THRESHOLD,
            matched_index: matched::index(matched[at]).map(Ratio4::from_f64),
            matched_pairs: matched[at].count as u32,
        })
    };
    (0..daily.own.len()).filter_map(point).collect()
}
