//! `GET /v1/shopper/price-drop-alert`: a check whether the price of a product has dropped by a threshold.

use schemars::JsonSchema;
use serde::Serialize;

use super::price_history::ProductBlock;
use crate::analytics::Span;
use crate::analytics::series::{self, Drop, PricePoint};
use crate::catalog::Catalog;
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::Meta;
use crate::query::product::{self, Product};
use crate::query::product_params::{
    COUNTRY, ENTITY_UID, EXACT_QUERY, MIN_QUALITY, PRODUCT_UID, ProductQuery, Q, RETAILER,
};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::subject::Subject;
use crate::types::{Cents, Day, Percent};

static WIN: Param = Param {
    name: "win",
    kind: Kind::OneOf(&[7, 30, 90], Some(30)),
    about: "Number of days, up to the last day of the product's series, in which a drop is looked for. The price in \
            force when they begin counts as the first one.",
};
static THRESHOLD_PCT: Param = Param {
    name: "threshold_pct",
    kind: Kind::Integer { min: 1, max: 95, default: Some(5) },
    about: "Minimum drop, in percent.",
};
static TARGET_PRICE: Param = Param {
    name: "target_price",
    kind: Kind::Price,
    about: "Target price in the country's currency, with at most two decimals.",
};

/// Age in days at which a price is no longer in force, even if no newer price was observed.
const IN_FORCE_DAYS: i32 = 90;

/// The endpoint.
pub(super) struct PriceDropAlert;

/// Parsed parameters.
pub(super) struct Params {
    asked: ProductQuery,
    win: u32,
    threshold_pct: u32,
    target_price: Option<Cents>,
}

/// A resolved request.
pub(super) struct Plan {
    product: Product,
    listing: u32,
    win: u32,
    threshold_pct: u32,
    target_price: Option<Cents>,
}

/// Answer of price-drop-alert.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    product: ProductBlock<'a>,
    /// Whether the product's lowest price on its last observed day is at least `threshold_pct` below the highest price
    /// of the `win` days before that day. The price in force at the beginning of these days is included: the last
    /// price observed until then, if it is less than 90 days old at that time.
    dropped: bool,
    /// Highest price of the `win` days before the last observed day; null if there is no drop.
    from_price: Option<Cents>,
    /// Price on the last observed day; null if there is no drop.
    to_price: Option<Cents>,
    /// Size of the drop in percent, positive; null if there is no drop.
    drop_pct: Option<Percent>,
    /// Size of the drop in currency, positive; null if there is no drop.
    drop_amount: Option<Cents>,
    /// First day after the highest price on which the threshold was reached; null if there is no drop.
    drop_date: Option<Day>,
    /// Whether the price on the last observed day is at or below `target_price`; null without a target price.
    target_hit: Option<bool>,
    /// Every fall of 5 % or more between consecutive days of the compared series, which begins with the price in
    /// force.
    drops: Vec<Drop>,
    /// Whether the compared series has fewer than 5 days, including the day of the price in force.
    insufficient_history: bool,
    /// Source and freshness of the answer. The observation times are the first and the last day of the compared
    /// series, including the day of the price in force.
    meta: Meta,
}

impl Endpoint for PriceDropAlert {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price drop alert",
        summary: "A check whether the price of a product has dropped by a threshold or reached a target.",
        about: "Use it to check repeatedly whether a product has become cheaper by threshold_pct within the last win \
                days, or costs at most target_price. Pin the product with product_uid or entity_uid, so that every \
                check is about the same product. The answer changes with the snapshot, not by the hour: as long as \
                meta.snapshot_id is the same, a repeated check gives the same result. from_price, to_price and \
                drop_pct are null if there is no drop. target_hit is null without target_price. insufficient_history \
                means that fewer than 5 days were compared.",
        methodology: &["price-drop-alert"],
        params: &[
            &Q,
            &PRODUCT_UID,
            &ENTITY_UID,
            &COUNTRY,
            &RETAILER,
            &EXACT_QUERY,
            &MIN_QUALITY,
            &WIN,
            &THRESHOLD_PCT,
            &TARGET_PRICE,
        ],
        examples: &["entity_uid=e_25jf5m3673dmj&country=ca&threshold_pct=1&target_price=4"],
        rows: &["drops"],
        highlights: &["dropped", "to_price", "from_price"],
        next: |answer| Some(NextStep::to("best-price", "product_uid", answer.first_text("product_uid")?)),
        ..Descriptor::of("/v1/shopper/price-drop-alert", Group::Shopper)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            asked: ProductQuery::read(reader),
            win: reader.integer(&WIN).unwrap_or_default(),
            threshold_pct: reader.integer(&THRESHOLD_PCT).unwrap_or_default(),
            target_price: reader.price(&TARGET_PRICE),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { asked, win, threshold_pct, target_price } = params;
        let product = product::resolve(catalog, &asked, 0)?;
        let listing = match product.listing.filter(|_| product.is_pinned) {
            Some(row) => row,
            None => product.require_offer(catalog)?,
        };
        if !catalog.listing(listing).is_priced() {
            let message = "this listing has no price of the last 90 days; ask for its entity_uid instead";
            return Err(Refusal::no_results(NoResultsReason::NoPricedListing, message));
        }
        Ok(Plan { product, listing, win, threshold_pct, target_price })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        Subject::product(catalog, &plan.product)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { product, listing, win, threshold_pct, target_price } = plan;
        let series = recent_series(catalog, &product, listing, win);
        let fall = fall(&series, threshold_pct);
        let current = series.last().map(|point| point.price);
        let mut observed = Span::default();
        for point in &series {
            observed.add(point.date.start());
        }
        Answer {
            product: ProductBlock::of(catalog, &product, listing),
            dropped: fall.is_some(),
            from_price: fall.map(|fall| fall.from_price),
            to_price: fall.map(|fall| fall.to_price),
            drop_pct: fall.map(|fall| fall.pct),
            drop_amount: fall.map(|fall| Cents::new(fall.from_price.get() - fall.to_price.get())),
            drop_date: fall.map(|fall| fall.date),
            target_hit: target_price.zip(current).map(|(target, current)| current <= target),
            drops: series::drops(&series),
            insufficient_history: series::is_insufficient(&series),
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

/// Returns the product's price series over the `win` days up to its last row, preceded by the price in force at the
/// beginning of these days.
fn recent_series(catalog: &Catalog, product: &Product, listing: u32, win: u32) -> Vec<PricePoint> {
    let condition = catalog.listing(listing).condition();
    let rows = product::same_condition(catalog, product, condition);
    let last = rows.iter().filter_map(|&row| catalog.seen_span(row)).map(|(_, last)| last).max();
    let Some(last) = last.map(|number| catalog.day(number)) else { return Vec::new() };
    let began = last.plus_days(-(win as i32));
    let from = began.plus_days(-IN_FORCE_DAYS);
    from_in_force(series::of_listings(catalog, &rows, from, last.plus_days(1)), began)
}

/// Returns the rows of a series after `day`, preceded by the row in force on `day`: the last row up to that day, if it
/// is fewer than [`IN_FORCE_DAYS`] days old.
fn from_in_force(mut series: Vec<PricePoint>, day: Day) -> Vec<PricePoint> {
    let until = series.partition_point(|point| point.date <= day);
    let in_force = series[..until].last().filter(|point| day.minus(point.date) < IN_FORCE_DAYS);
    series.split_off(until - usize::from(in_force.is_some()))
}

/// Returns the fall from the highest earlier price to the last price; `None` if it is smaller than the threshold. If
/// the highest price occurs several times, its last occurrence is used.
fn fall(series: &[PricePoint], threshold_pct: u32) -> Option<Drop> {
    let (current, before) = series.split_last()?;
    let (at, high) = before.iter().enumerate().max_by_key(|(at, point)| (point.price, *at))?;
    let mark = u64::from(100 - threshold_pct) * u64::from(high.price.get());
    let is_low = |point: &PricePoint| 100 * u64::from(point.price.get()) <= mark;
    if !is_low(current) {
        return None;
    }
    let first_low = series[at + 1..].iter().find(|point| is_low(point))?;
    let (from, to) = (i128::from(high.price.get()), i128::from(current.price.get()));
    Some(Drop {
        date: first_low.date,
        from_price: high.price,
        to_price: current.price,
        pct: Percent::from_ratio(from - to, from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(prices: &[u32]) -> Vec<PricePoint> {
        let start = Day::from_ymd(2026, 10, 1).unwrap();
        let point = |(at, &cents): (usize, &u32)| PricePoint {
            date: start.plus_days(at as i32),
            price: Cents::new(cents),
        };
        prices.iter().enumerate().map(point).collect()
    }

    /// Index of the drop's day, and the two prices.
    fn fall_of(prices: &[u32], threshold_pct: u32) -> Option<(usize, u32, u32)> {
        let series = series(prices);
        let fall = fall(&series, threshold_pct)?;
        let at = series.iter().position(|point| point.date == fall.date)?;
        Some((at, fall.from_price.get(), fall.to_price.get()))
    }

    #[test]
    fn a_series_begins_with_the_price_in_force() {
        let rows = series(&[5, 4, 3, 2]);
        let from = |at: i32| from_in_force(rows.clone(), rows[0].date.plus_days(at));
        assert_eq!(from(-1), rows, "nothing was seen until then");
        assert_eq!(from(0), rows);
        assert_eq!(from(2), rows[2..]);
        assert_eq!(from(3 + 89), rows[3..]);
        assert_eq!(from(3 + 90), [], "90 days old");
        assert_eq!(from_in_force(Vec::new(), rows[0].date), []);
    }

    #[test]
    fn a_fall_is_measured_from_the_last_high() {
        assert_eq!(fall_of(&[200, 100, 200, 150, 180], 10), Some((3, 200, 180)));
        assert_eq!(fall_of(&[200, 100, 200, 195, 180], 10), Some((4, 200, 180)));
    }

    #[test]
    fn the_mark_is_exact() {
        assert_eq!(fall_of(&[399, 380], 5), None, "379.05 would do");
        assert_eq!(fall_of(&[399, 379], 5), Some((1, 399, 379)));
        assert_eq!(fall_of(&[400, 380], 5), Some((1, 400, 380)));
    }

    #[test]
    fn reports_no_fall_for_a_rise_or_a_single_day() {
        assert_eq!(fall_of(&[100, 50, 120], 5), None);
        assert_eq!(fall_of(&[100], 5), None);
        assert_eq!(fall_of(&[], 5), None);
    }
}
