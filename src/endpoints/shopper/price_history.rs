//! `GET /v1/shopper/price-history`: the price of a product, day by day.

use schemars::JsonSchema;
use serde::Serialize;

use super::best_price::Scope;
use crate::analytics::Span;
use crate::analytics::series::{self, Drop, PricePoint, Trend};
use crate::catalog::Catalog;
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::{BadParameter, Kind, Param, Reader};
use crate::query::parts::{Gpc, Meta, WindowBlock};
use crate::query::product::{self, Product};
use crate::query::product_params::{
    COUNTRY, ENTITY_UID, EXACT_QUERY, MIN_QUALITY, PRODUCT_UID, ProductQuery, Q, RETAILER,
};
use crate::query::refusal::Refusal;
use crate::query::requirements::require_observed;
use crate::query::scope::Market;
use crate::query::subject::Subject;
use crate::query::windows::{self, FROM, LOOKBACK_DAYS, TIME_WINDOW, TO};
use crate::search::query::TextReading;
use crate::types::{Cents, Condition, Day, EntityUid, Granularity, Money, Percent, ProductUid, Window};

static WIN: Param = Param {
    name: "win",
    kind: Kind::OneOf(&[7, 30, 90], Some(7)),
    about: "Number of days over which series_summary.change_pct is measured, regardless of the window.",
};
static CHANGE_WINDOW_DAYS: Param = Param {
    name: "change_window_days",
    kind: Kind::OneOf(&[7, 30, 90], None),
    about: "Another name of win.",
};

/// The endpoint.
pub(super) struct PriceHistory;

/// Parsed parameters.
pub(super) struct Params {
    asked: ProductQuery,
    window: Window,
    change_window_days: u32,
}

/// A resolved request.
pub(super) struct Plan {
    product: Product,
    listing: u32,
    window: Window,
    change_window_days: u32,
}

/// The product whose price series is reported.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProductBlock<'a> {
    /// `q` as given; null for look-ups by uid.
    query: Option<String>,
    #[serde(flatten)]
    reading: TextReading,
    #[serde(flatten)]
    market: Market,
    /// Stable id of the listing that represents the product: the listing of the requested product_uid, otherwise the
    /// best offer.
    product_uid: ProductUid,
    /// Stable id of the product across retailers.
    entity_uid: EntityUid,
    /// Name of the product at the retailer.
    product_name: &'a str,
    /// Key of the retailer.
    retailer: &'a str,
    /// Condition. If the source does not state it, it is read from words in the name or the URL. Without such words it
    /// is `new`.
    condition: Condition,
    /// Whether the product has several listings in the country or only one.
    scope: Scope,
    /// Number of listings of the product in the country, priced or not.
    member_count: u32,
    /// Product type; null without a mapping to the classification.
    gpc: Option<Gpc<'a>>,
}

impl<'a> ProductBlock<'a> {
    /// Creates the block of a product that is represented by one of its listings.
    pub(super) fn of(catalog: &'a Catalog, product: &Product, row: u32) -> Self {
        let listing = catalog.listing(row);
        Self {
            query: product.query.clone(),
            reading: product.reading(),
            market: Market::of(product.country),
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_name: listing.name(),
            retailer: listing.retailer(),
            condition: listing.condition(),
            scope: Scope::of(product),
            member_count: product.member_count,
            gpc: Gpc::of(catalog, listing),
        }
    }
}

/// Answer of price-history.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    product: ProductBlock<'a>,
    /// The listing's latest price in the window, in currency.
    current_price: Option<Cents>,
    /// The listing's lowest price in the window.
    period_low: Option<Cents>,
    /// The listing's highest price in the window.
    period_high: Option<Cents>,
    /// Mean of the listing's daily prices in the window, rounded to cents.
    period_avg: Money,
    /// Whether the latest price of the series is at most 5 % above the lowest price and not above the median. False if
    /// the highest price is less than 5 % above the lowest, and if insufficient_history is true.
    is_good_deal: bool,
    /// Direction of the series: the median price of its last third of days, compared with the median price of its
    /// first third.
    trend: Trend,
    /// Whether the series has fewer than 5 days, which is too few for trend and is_good_deal.
    insufficient_history: bool,
    /// Number of days in the window on which the listing was observed.
    observation_count: u32,
    /// The days that the answer covers.
    window: WindowBlock,
    /// The listing's price on each day it was observed, oldest first.
    observations: Vec<PricePoint>,
    /// Lowest price of each day among the product's listings that have the same `condition`, oldest first.
    series: Vec<PricePoint>,
    /// Summary of the series; null if it is empty.
    series_summary: Option<Summary>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Summary of a series.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SeriesSummary")]
pub(super) struct Summary {
    /// Price of the series' last day, in currency.
    current: Cents,
    /// Lowest price of the series, in currency.
    min: Cents,
    /// Highest price of the series, in currency.
    max: Cents,
    /// First day of the lowest price.
    min_date: Day,
    /// First day of the highest price.
    max_date: Day,
    /// Change, in percent, from the lowest price around the day that is change_window_days before the last day, to the
    /// lowest price of the last days. Null if the window does not reach back that far, or if the series has no price
    /// around that day.
    change_pct: Option<Percent>,
    /// Number of days over which change_pct is measured.
    change_window_days: u32,
    /// Every fall of 5 % or more from one day of the series to the next.
    drops: Vec<Drop>,
}

impl Endpoint for PriceHistory {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price history",
        summary: "The price of a product, day by day.",
        about: "Use it to learn what a product cost in a window, whether its price is rising, and whether now is a \
                good time to buy. Ask as in best-price; the same text resolves to the same product. observations are \
                the days of the listing shown. series is the lowest price of each day over all retailers of the \
                product. Days without an observation are left out and not filled in. insufficient_history means that \
                trend and is_good_deal are based on fewer than 5 days and are meaningless. period figures are null if \
                the listing was not seen in the window, and change_pct if the window does not reach back far enough.",
        methodology: &["price-history"],
        params: &[
            &Q,
            &PRODUCT_UID,
            &ENTITY_UID,
            &EXACT_QUERY,
            &MIN_QUALITY,
            &COUNTRY,
            &RETAILER,
            &TIME_WINDOW,
            &FROM,
            &TO,
            &LOOKBACK_DAYS,
            &WIN,
            &CHANGE_WINDOW_DAYS,
        ],
        examples: &["product_uid=p_k3b94f05wn8cc&country=ca&lookback_days=60&win=30"],
        rows: &["series"],
        pictures: &[Picture {
            rows: "series",
            kind: "price-history",
            title: "Price by day, its drops marked",
        }],
        highlights: &["current_price", "period_low", "period_high"],
        next: |answer| {
            Some(NextStep::to("price-drop-alert", "product_uid", answer.first_text("product_uid")?))
        },
        ..Descriptor::of("/v1/shopper/price-history", Group::Shopper)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        let asked = ProductQuery::read(reader);
        let window = windows::read(reader, true);
        let (win, alias) = (reader.integer(&WIN), reader.integer(&CHANGE_WINDOW_DAYS));
        let both = reader.was_given(&WIN) && reader.was_given(&CHANGE_WINDOW_DAYS);
        if both && alias.is_some() && win.is_some() && win != alias {
            let reason = "win and change_window_days are two names of one parameter and have different values; give \
                          one of them";
            reader.reject(BadParameter::new(WIN.name, reason));
            reader.reject(BadParameter::new(CHANGE_WINDOW_DAYS.name, reason));
        }
        Params { asked, window, change_window_days: alias.or(win).unwrap_or_default() }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { asked, window, change_window_days } = params;
        let product = product::resolve(catalog, &asked, 0)?;
        let listing = match product.listing.filter(|_| product.is_pinned) {
            Some(row) => row,
            None => product.require_offer(catalog)?,
        };
        require_observed(catalog, &[listing], &[(window.from(), window.to())])?;
        Ok(Plan { product, listing, window, change_window_days })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        Subject::product(catalog, &plan.product)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { product, listing, window, change_window_days } = plan;
        let (from, to) = (window.from(), window.to());
        let observations = series::of_listing(catalog, listing, from, to);
        let condition = catalog.listing(listing).condition();
        let series =
            series::of_listings(catalog, &product::same_condition(catalog, &product, condition), from, to);
        let prices = || observations.iter().map(|point| point.price);
        let sum: i128 = prices().map(|price| i128::from(price.get())).sum();
        let mut observed = Span::default();
        for point in &series {
            observed.add(point.date.start());
        }
        Answer {
            product: ProductBlock::of(catalog, &product, listing),
            current_price: prices().next_back(),
            period_low: prices().min(),
            period_high: prices().max(),
            period_avg: Money::from_ratio(sum, observations.len() as i128),
            is_good_deal: series::is_good_deal(&series),
            trend: series::trend(&series),
            insufficient_history: series::is_insufficient(&series),
            observation_count: observations.len() as u32,
            window: WindowBlock::new(&window, Granularity::Daily),
            series_summary: Summary::of(&series, from, change_window_days),
            observations,
            series,
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

impl Summary {
    fn of(points: &[PricePoint], from: Day, change_window_days: u32) -> Option<Self> {
        let (min, max) = (series::lowest(points)?, series::highest(points)?);
        Some(Self {
            current: points.last()?.price,
            min: min.price,
            max: max.price,
            min_date: min.date,
            max_date: max.date,
            change_pct: series::change_pct(points, from, change_window_days as i32),
            change_window_days,
            drops: series::drops(points),
        })
    }
}
