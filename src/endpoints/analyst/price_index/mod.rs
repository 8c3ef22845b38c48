//! `GET /v1/analyst/price-index`: the level of prices by period, with its confidence interval.

mod contributions;
mod points;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::price_index::{self, Matching, PRODUCTS_MIN, PricePanel};
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture, PriceClass};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::{BadParameter, Kind, Param, Reader};
use crate::query::parts::{Meta, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsDetails, NoResultsReason, Refusal};
use crate::query::requirements::{observed_days, require_observed};
use crate::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{self, DEEP_SPAN_DAYS, FROM, LOOKBACK_DAYS, TIME_WINDOW, TO};
use crate::stats::price_index::{GROUPS, IndexMethod, LogPanel, Splice};
use crate::types::{Granularity, Percent, Ratio4, Tenth, Window};
use contributions::Contributions;
use points::{Level, Point, index, percent_change, points};

/// Length of the default window, in days.
const DEFAULT_SPAN_DAYS: u32 = 180;
/// Maximum length of a window with weekly periods, in days.
const WEEKLY_SPAN_DAYS_MAX: i32 = 400;

static GRANULARITY: Param = Param {
    name: "granularity",
    kind: Kind::Word(&["weekly", "monthly"], None),
    about: "Length of the periods: ISO weeks (windows of up to 400 days) or calendar months. The default is weekly \
            up to 180 days, otherwise monthly.",
};
static METHOD: Param = Param {
    name: "method",
    kind: Kind::Word(&["jevons_chained", "jevons_fixed", "geks_jevons", "tpd"], Some("geks_jevons")),
    about: "Method of index and interval: Jevons chained from period to period or against the base, GEKS over all pairs of \
            periods, or the time-product dummy.",
};
/// The methods in the order of the words of [`METHOD`].
const METHODS: [IndexMethod; 4] =
    [IndexMethod::JevonsChained, IndexMethod::JevonsFixed, IndexMethod::GeksJevons, IndexMethod::Tpd];
static SPLICE: Param = Param {
    name: "splice",
    kind: Kind::Word(&["mean", "movement", "window", "half"], Some("mean")),
    about: "How geks_jevons and tpd link a later window to the levels already published: by the mean over all shared \
            periods, or by the previous period, the first or the middle period of the window.",
};
static WINDOW_PERIODS: Param = Param {
    name: "window_periods",
    kind: Kind::Integer { min: 3, max: 61, default: Some(25) },
    about: "Number of periods that geks_jevons and tpd use together.",
};

/// The endpoint.
pub(super) struct PriceIndex;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    granularity: Option<Granularity>,
    method: IndexMethod,
    splice: Splice,
    window_periods: u32,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    rows: Vec<u32>,
    granularity: Granularity,
    method: IndexMethod,
    splice: Splice,
    window_periods: u32,
}

/// Answer of price-index. Products are listings of any condition. The level of the base period is 1.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: ScopeHead,
    /// How the category was understood.
    resolved: Resolved,
    /// The days that the answer covers.
    window: WindowBlock,
    /// Length of the periods.
    granularity: Granularity,
    /// Method by which index and index_ci95 are computed.
    method: IndexMethod,
    /// Method by which geks_jevons and tpd link a later window of periods to the levels of earlier windows.
    splice: Splice,
    /// Number of periods in a window of geks_jevons and tpd.
    window_periods: u32,
    /// Label of the base period: the first period with ten or more products that has at least half the median number
    /// of products.
    base_period: String,
    /// Label of the last period with ten or more products.
    last_period: String,
    /// Index of the last period, where the base period has the index 1. Null if too few products connect the two
    /// periods; index_note then gives the reason.
    index: Option<Ratio4>,
    /// 95 % confidence interval of index: lower and upper bound. It is computed by leaving out each twentieth of the
    /// products in turn. Null if index is null, if panel.matched_products is below 20, or if the index is not defined
    /// without one of the twentieths.
    index_ci95: Option<[Ratio4; 2]>,
    /// Index as a change in percent; null if index is null.
    index_change_pct: Option<Percent>,
    /// Reason why index is null; null if index is not null.
    index_note: Option<String>,
    /// Index of the last period by each method, with the same windows and splice.
    methods: Methods,
    /// Amount by which jevons_chained is above geks_jevons in the last period, in percent; null if either is null.
    chain_drift_pct: Option<Percent>,
    /// Panel of products and periods that the index is computed from.
    panel: PanelBlock,
    /// Products with the largest price changes from the base to the last period, and their contributions to
    /// jevons_fixed. Null if fewer than ten products have a price in both periods.
    contributions: Option<Contributions<'a>>,
    /// One point per period that contains an observation, oldest first.
    time_series: Vec<Point>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Index of the last period by each method; null if too few products connect the last period to the base.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexMethods")]
struct Methods {
    /// Chained Jevons index: the product of the indices from each period to the next.
    jevons_chained: Option<Ratio4>,
    /// Jevons index that compares the last period directly with the base.
    jevons_fixed: Option<Ratio4>,
    /// GEKS index, computed from the Jevons indices of all pairs of periods.
    geks_jevons: Option<Ratio4>,
    /// Time-product dummy index.
    tpd: Option<Ratio4>,
}

/// The panel of products and periods that an index is computed from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexPanel")]
struct PanelBlock {
    /// Number of products with a price in at least one period of the panel.
    products: u32,
    /// Number of products with a price in at least two periods of the panel. Only these can contribute to an index.
    matched_products: u32,
    /// Number of products with a price in all periods of the panel.
    complete_products: u32,
    /// Number of prices that are left out as errors. The price of a product in a period is an error if it differs from
    /// the product's median price by more than a factor of 3.
    outliers: u32,
    /// Number of periods with ten or more products, beginning with the base period.
    periods: u32,
    /// Number of pairs of these periods.
    pairs: u32,
    /// Number of these pairs whose two periods have ten or more products in common.
    usable_pairs: u32,
    /// Median over all pairs of the number of products that the two periods have in common.
    median_matched: Tenth,
}

impl Endpoint for PriceIndex {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price index",
        summary: "The level of prices, week by week or month by month, with its confidence interval.",
        about: "Use it for a series of price levels that does not drift with the assortment: every product is compared \
                with itself, over all pairs of periods (GEKS-Jevons) unless another method is requested; methods has \
                the last level by all four. ci95 shows how much the level depends on the choice of products in the \
                catalog. A level is null if too few products connect a period to the base; status and index_note give \
                the reason. For one change over a window use inflation. The default window is the last 180 days. Give \
                category, department or both.",
        methodology: &["price-index"],
        params: &[
            &CATEGORY,
            &DEPARTMENT,
            &COUNTRY,
            &RETAILER,
            &TIME_WINDOW,
            &FROM,
            &TO,
            &LOOKBACK_DAYS,
            &GRANULARITY,
            &METHOD,
            &SPLICE,
            &WINDOW_PERIODS,
        ],
        examples: &["category=food&country=ca&lookback_days=90"],
        rows: &["time_series"],
        pictures: &[Picture {
            rows: "time_series",
            kind: "price-index",
            title: "The index, its interval, and the results of other methods",
        }],
        deep: Some(windows::DEEP_WINDOWS),
        heavy: true,
        highlights: &["index_change_pct"],
        ..Descriptor::of("/v1/analyst/price-index", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        let mut scope = ScopeParams::read::<Self>(reader, &[]);
        if ![&TIME_WINDOW, &FROM, &TO, &LOOKBACK_DAYS].into_iter().any(|param| reader.was_given(param)) {
            scope.window = Window::last_days(DEFAULT_SPAN_DAYS, reader.as_of());
        }
        let granularity = reader.word(&GRANULARITY, |word| {
            Granularity::parse(word).filter(|granularity| *granularity != Granularity::Daily)
        });
        let is_long = scope.window.span_days() > WEEKLY_SPAN_DAYS_MAX;
        if granularity == Some(Granularity::Weekly) && is_long {
            let reason =
                format!("weekly is limited to {WEEKLY_SPAN_DAYS_MAX} days; use monthly or a shorter window");
            reader.reject(BadParameter::new(GRANULARITY.name, reason));
        }
        Params {
            scope,
            granularity,
            method: reader.choice(&METHOD, METHODS),
            splice: reader.choice(&SPLICE, [Splice::Mean, Splice::Movement, Splice::Window, Splice::Half]),
            window_periods: reader.integer(&WINDOW_PERIODS).unwrap_or_default(),
        }
    }

    fn price(params: &Params) -> PriceClass {
        windows::price(&params.scope.window, DEEP_SPAN_DAYS, PriceClass::Analyst)
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, granularity, method, splice, window_periods } = params;
        let scope = scope.resolve(catalog)?;
        let (rows, window) = (scope.listings.rows(catalog), scope.window);
        let span = window.from()..window.to();
        require_observed(catalog, &rows, &[(span.start, span.end)])?;
        let weekly = window.span_days() <= DEFAULT_SPAN_DAYS as i32;
        let default = if weekly { Granularity::Weekly } else { Granularity::Monthly };
        let granularity = granularity.unwrap_or(default);
        price_index::require(catalog, &rows, &span, granularity)
            .map_err(|periods| too_few(catalog, &rows, periods))?;
        Ok(Plan { scope, rows, granularity, method, splice, window_periods })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, rows, granularity, method, splice, window_periods } = plan;
        let window = scope.window;
        let prices = PricePanel::of(catalog, &rows, window.from()..window.to(), granularity);
        let (panel, matching) = prices.log_panel(catalog, &rows);
        let levels = |method: IndexMethod| panel.levels(method, splice, window_periods as usize);
        let has_interval = matching.matched as usize >= GROUPS;
        let (own, half_widths) = rayon::join(
            || METHODS.map(levels),
            || {
                let half = || panel.half_widths(method, splice, window_periods as usize);
                if has_interval { half() } else { vec![None; prices.panel.len()] }
            },
        );
        let last = |at: usize| own[at].last().copied().flatten();
        let drift = last(0).zip(last(2)).map(|(chained, geks)| percent_change(chained - geks));
        let levels: Vec<Level> = own[method as usize]
            .iter()
            .zip(&half_widths)
            .map(|(&level, &half)| Level { level, half })
            .collect();
        let end = levels.last().copied().unwrap_or_default();
        let label =
            |place: Option<&usize>| place.map(|&at| prices.periods()[at].label.clone()).unwrap_or_default();
        Answer {
            head: scope.head(),
            resolved: scope.resolved,
            window: WindowBlock::new(&window, granularity),
            granularity,
            method,
            splice,
            window_periods,
            base_period: label(prices.panel.first()),
            last_period: label(prices.panel.last()),
            index: end.index(),
            index_ci95: end.ci95(),
            index_change_pct: end.level.map(percent_change),
            index_note: end.level.is_none().then(|| {
                format!(
                    "the base and the last period are not connected by a chain of periods in which neighbours share \
                     {PRODUCTS_MIN} products or more"
                )
            }),
            methods: Methods {
                jevons_chained: last(0).map(index),
                jevons_fixed: last(1).map(index),
                geks_jevons: last(2).map(index),
                tpd: last(3).map(index),
            },
            chain_drift_pct: drift,
            panel: PanelBlock::of(&panel, &prices, matching),
            contributions: panel
                .is_usable(0, prices.panel.len() - 1)
                .then(|| Contributions::of(catalog, &prices.movers(&rows))),
            time_series: points(&prices, &panel, &levels),
            meta: Meta::new(catalog, stamp, prices.span()),
        }
    }
}

/// Creates the refusal of a scope with too few panel periods.
fn too_few(catalog: &Catalog, rows: &[u32], periods: usize) -> Refusal {
    let message = format!(
        "{periods} periods of the window have {PRODUCTS_MIN} products or more, and an index needs two; ask for a longer \
         window or a wider category"
    );
    let details = NoResultsDetails {
        periods: Some(periods as u32),
        observed: Some(observed_days(catalog, rows)),
        ..NoResultsDetails::new(NoResultsReason::TooFewProducts)
    };
    Refusal::NoResults { message, details: Box::new(details), suggest: None }
}

impl PanelBlock {
    fn of(panel: &LogPanel, prices: &PricePanel<'_>, matching: Matching) -> Self {
        let periods = prices.panel.len();
        let pairs = (0..periods).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
        let mut matched: Vec<u32> = pairs.map(|(earlier, later)| panel.matched(earlier, later)).collect();
        matched.sort_unstable();
        let n = matched.len();
        let twice_median = matched[(n - 1) / 2] + matched[n / 2];
        Self {
            products: matching.products,
            matched_products: matching.matched,
            complete_products: matching.complete,
            outliers: prices.outliers,
            periods: periods as u32,
            pairs: n as u32,
            usable_pairs: matched.iter().filter(|&&matched| matched >= PRODUCTS_MIN).count() as u32,
            median_matched: Tenth::from_ratio(twice_median.into(), 2),
        }
    }
}
