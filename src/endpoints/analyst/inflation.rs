//! `GET /v1/analyst/inflation`: how the prices of a category changed, like for like.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::basket::{self, BasketChange, LflBlock, Method, Point};
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture, PriceClass};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::Reader;
use crate::query::parts::{Meta, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::requirements::require_observed;
use crate::query::scope::{CategoryHead, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{self, FROM, GRANULARITY, TIME_WINDOW, TO};
use crate::types::{Granularity, Percent, Preset};

/// Maximum length in days of a window with daily periods that is not priced as a deep read. The limit is lower than
/// for longer periods, because each day is aggregated separately.
const DEEP_DAYS_BY_DAY: i32 = 90;

/// The endpoint.
pub(super) struct Inflation;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    granularity: Option<Granularity>,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    rows: Vec<u32>,
    granularity: Granularity,
    /// The requested granularity, if any.
    asked_granularity: Option<Granularity>,
}

/// Answer of inflation.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    #[serde(flatten)]
    head: CategoryHead,
    /// Length of the periods.
    granularity: Granularity,
    #[serde(flatten)]
    lfl: LflBlock,
    /// Value of time_window with which lfl_change_pct is not null: last_60_days or, if it has no figure either,
    /// last_90_days. Only windows longer than the requested window are tried. Null if lfl_change_pct is not null, if
    /// no such window has a figure, or if the request gave from or to.
    lfl_try: Option<Preset>,
    /// Deprecated: total change in percent, chained from the changes of the points; null unless every point's change
    /// has the method `matched`.
    overall_change_pct: Option<Percent>,
    /// Deprecated: change from the first average price to the last, in percent. It also depends on the composition of
    /// the basket, so it is not inflation.
    naive_overall_change_pct: Option<Percent>,
    /// Method by which change_pct of the points was computed; null if there are fewer than two points.
    method: Option<Method>,
    /// The days that the answer covers.
    window: WindowBlock,
    /// One point per period that contains an observation, oldest first.
    time_series: Vec<Point>,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer.
    meta: Meta,
}

impl Endpoint for Inflation {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Inflation",
        summary: "How the prices of a category changed, like for like.",
        about: "Use it to learn how the prices of a category changed. lfl_change_pct compares each product with \
                itself, so a changed assortment does not affect it; the naive figure is affected and is not \
                inflation. lfl_change_pct is null, with the reason in lfl_note, if fewer than 10 products can be \
                compared; lfl_try then names a window that has a figure, if there is one. A catalog that is \
                refreshed monthly has no figure within 30 days: ask for last_90_days. change_pct is null for the \
                first point. Give category, department or both.",
        methodology: &["inflation-like-for-like", "periods"],
        params: &[&CATEGORY, &DEPARTMENT, &COUNTRY, &RETAILER, &TIME_WINDOW, &FROM, &TO, &GRANULARITY],
        examples: &["category=food&country=ca&time_window=last_90_days&granularity=monthly"],
        rows: &["time_series"],
        pictures: &[Picture {
            rows: "time_series",
            kind: "inflation",
            title: "Change of prices, matched and naive",
        }],
        highlights: &["lfl_change_pct", "lfl_ci95_pct"],
        next: |answer| match answer.first_text("lfl_try") {
            Some(longer) => Some(NextStep::again("time_window", longer)),
            None => NextStep::about_category("price-dispersion", answer),
        },
        deep: Some("windows longer than 180 days, or longer than 90 days day by day"),
        heavy: true,
        ..Descriptor::of("/v1/analyst/inflation", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[]),
            granularity: windows::read_granularity(reader),
        }
    }

    fn price(params: &Params) -> PriceClass {
        let by_day = params.granularity == Some(Granularity::Daily);
        let days_max = if by_day { DEEP_DAYS_BY_DAY } else { windows::DEEP_SPAN_DAYS };
        windows::price(&params.scope.window, days_max, PriceClass::Analyst)
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, granularity } = params;
        let scope = scope.resolve(catalog)?;
        let (rows, window) = (scope.listings.rows(catalog), scope.window);
        let days: Vec<_> = basket::spans(&window).into_iter().map(|span| (span.start, span.end)).collect();
        require_observed(catalog, &rows, &days)?;
        let asked_granularity = granularity;
        let granularity = granularity.unwrap_or(Granularity::default_for(window.span_days()));
        Ok(Plan { scope, rows, granularity, asked_granularity })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Plan { scope, rows, granularity, asked_granularity } = plan;
        let window = scope.window;
        let BasketChange { mut lfl, points, overall_change_pct, naive_overall_change_pct, method, observed } =
            basket::report(catalog, &rows, &window, granularity);
        let lfl_try = match lfl.lfl_change_pct {
            Some(_) => None,
            None => basket::longer_window(catalog, &rows, &window, asked_granularity),
        };
        if let Some(longer) = lfl_try {
            lfl.point_to(longer);
        }
        let mut span = Span::default();
        if let Some((first, last)) = observed {
            span.add(first.start());
            span.add(last.start());
        }
        Answer {
            head: scope.category_head(),
            granularity,
            lfl,
            lfl_try,
            overall_change_pct,
            naive_overall_change_pct,
            method,
            window: WindowBlock::new(&window, granularity),
            time_series: points,
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, span),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::endpoint::Route;

    #[test]
    fn long_windows_are_deep_and_by_day_sooner() {
        let as_of = crate::types::Day::from_ymd(2026, 10, 31).expect("a day");
        let price = |query: &str| {
            let query = format!("category=food&{query}");
            Route::of::<Inflation>().parse(&query, as_of).map(|parsed| parsed.price)
        };
        for (query, class) in [
            ("time_window=last_90_days&granularity=daily", PriceClass::Analyst),
            ("from=2026-05-10&to=2026-10-31", PriceClass::Analyst),
            ("from=2026-05-10&to=2026-10-31&granularity=weekly", PriceClass::Analyst),
            ("from=2026-05-10&to=2026-10-31&granularity=daily", PriceClass::Deep),
            ("from=2025-11-01&to=2026-10-31", PriceClass::Deep),
        ] {
            assert_eq!(price(query), Ok(class), "{query}");
        }
    }
}
