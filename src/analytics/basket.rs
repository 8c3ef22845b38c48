//! The like-for-like change and the time series of a basket, which the endpoints inflation and brand-tracker report.

use std::ops::Range;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::panel::{self, Outline, Panel, Period};
use crate::catalog::Catalog;
use crate::stats::cross_section;
use crate::stats::exact::Rational;
use crate::stats::jevons::Jevons;
use crate::stats::like_for_like::{LikeForLike, MATCHED_MIN, like_for_like};
use crate::types::{Day, Granularity, Money, Percent, Preset, Ratio4, Window, WindowArgs};

/// A note is added if fewer than one in this many products of the first period are matched.
const MATCH_RATE_NOTED_BELOW_ONE_IN: usize = 5;
/// The longer windows that are tried if a window has no figure, shortest first.
const LONGER: [Preset; 2] = [Preset::Last60Days, Preset::Last90Days];

/// The method by which a change was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ChangeMethod")]
pub enum Method {
    /// Geometric mean over the products present in both periods.
    Matched,
    /// Change of the average price, which also depends on changes in the set of products.
    Naive,
    /// Some changes are matched, and some are naive.
    Mixed,
}

/// A point of the time series: a period that contains an observation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "BasketPoint")]
pub struct Point {
    /// First day of the period that is inside the window.
    pub date: Day,
    /// Label of the period: the day, the ISO week or the month.
    pub period: String,
    /// Mean of the products' mean prices in the period, in currency. Each product counts once.
    pub avg_price: Money,
    /// Lowest mean price of a product in the period.
    pub min_price: Money,
    /// Highest mean price of a product in the period.
    pub max_price: Money,
    /// Median of the products' mean prices in the period.
    pub median_price: Money,
    /// Number of products with a price in the period.
    pub product_count: u32,
    /// Number of observations in the period, one per listing and day.
    pub observation_count: u32,
    /// Change from the previous point, in percent; null for the first point.
    pub change_pct: Option<Percent>,
    /// Number of products with a price both at this point and at the previous point; null for the first point.
    pub matched_basket_size: Option<u32>,
    /// Method by which `change_pct` was computed; null for the first point.
    pub method: Option<Method>,
    /// Number of products whose last observation in the period is in stock.
    pub in_stock_count: u32,
    /// Number of products whose last observation in the period is on promotion.
    pub promo_count: u32,
}

/// Like-for-like change over the whole window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LflBlock {
    /// Change of the prices of the products priced in both periods, in percent: the geometric mean of the price
    /// relatives. Relatives below half or above double are left out as errors. Null, with the reason in lfl_note, when
    /// fewer than 10 products match or remain.
    pub lfl_change_pct: Option<Percent>,
    /// 95 % confidence interval of lfl_change_pct in percent, low and high; null when lfl_change_pct is null.
    pub lfl_ci95_pct: Option<[Percent; 2]>,
    /// Median change of the matched products in percent; null when lfl_change_pct is null.
    pub lfl_median_pct: Option<Percent>,
    /// Arithmetic mean of the changes in percent, biased upwards where prices go on and off promotion; null when
    /// lfl_change_pct is null.
    pub lfl_arithmetic_pct: Option<Percent>,
    /// Number of products that have a price in both compared periods.
    pub lfl_matched: u32,
    /// Number of matched products whose price rose by more than 1 %.
    pub lfl_rising: u32,
    /// Number of matched products whose price changed by at most 1 %.
    pub lfl_stable: u32,
    /// Number of matched products whose price fell by more than 1 %.
    pub lfl_falling: u32,
    /// Number of matched products left out of lfl_change_pct as errors: their price fell to less than half or rose to
    /// more than double.
    pub lfl_trimmed: u32,
    /// Share of the first period's products that were matched, 0 to 1; null if there are not two periods.
    pub lfl_match_rate: Option<Ratio4>,
    /// Labels of the two periods that are compared; null if there are not two periods.
    pub lfl_periods: Option<[String; 2]>,
    /// The reason why a figure is withheld or must be read with care; null otherwise.
    pub lfl_note: Option<String>,
}

/// All figures about the change of a basket.
#[derive(Debug, Clone, PartialEq)]
pub struct BasketChange {
    /// The like-for-like block.
    pub lfl: LflBlock,
    /// Points, oldest first.
    pub points: Vec<Point>,
    /// The chained change of the points in percent; `None` unless every change is matched.
    pub overall_change_pct: Option<Percent>,
    /// The change from the first average to the last, in percent; `None` for a single point.
    pub naive_overall_change_pct: Option<Percent>,
    /// The method of the points' changes; `None` for a single point.
    pub method: Option<Method>,
    /// The first and the last day with an observation, if there is any.
    pub observed: Option<(Day, Day)>,
}

/// The days that an answer covers: the window, and for month_over_month also the comparison window.
pub fn spans(window: &Window) -> Vec<Range<Day>> {
    let own = window.from()..window.to();
    match window.preset() {
        Preset::MonthOverMonth => vec![window.comparison_from()..window.comparison_to(), own],
        _ => vec![own],
    }
}

/// Computes the report of `rows` (ascending) over a window.
pub fn report(catalog: &Catalog, rows: &[u32], window: &Window, granularity: Granularity) -> BasketChange {
    let spans = spans(window);
    let Panel { periods, observed } = panel::panel(catalog, rows, &spans, granularity);
    let points: Vec<PointValues> = (0..periods.len())
        .into_par_iter()
        .filter_map(|at| PointValues::of(&periods[at], at.checked_sub(1).map(|before| &periods[before])))
        .collect();
    let lfl = if window.preset() == Preset::MonthOverMonth {
        LflBlock::of_months(catalog, rows, &spans)
    } else {
        let products: Vec<u32> = periods.iter().map(|period| period.products).collect();
        match compared(&products) {
            Some([first, last]) => LflBlock::of(&periods[first], &periods[last]),
            None => LflBlock::withheld(&last_two_days(catalog, rows)),
        }
    };
    let changes = points.get(1..).unwrap_or_default();
    let matched = changes.iter().filter(|point| point.point.method == Some(Method::Matched)).count();
    let method = match (changes.len(), matched) {
        (0, _) => None,
        (all, matched) if all == matched => Some(Method::Matched),
        (_, 0) => Some(Method::Naive),
        _ => Some(Method::Mixed),
    };
    let chained = changes.iter().map(|point| point.factor).product::<f64>();
    let naive = match points.as_slice() {
        [first, .., last] => Some(ratio_change(first.average, last.average)),
        _ => None,
    };
    BasketChange {
        lfl,
        overall_change_pct: (method == Some(Method::Matched))
            .then(|| Percent::from_f64(100.0 * (chained - 1.0))),
        naive_overall_change_pct: naive,
        method,
        observed,
        points: points.into_iter().map(|point| point.point).collect(),
    }
}

/// The like-for-like change of `rows` (ascending) over a window, without the series. The result equals that of a
/// report.
pub fn change(catalog: &Catalog, rows: &[u32], window: &Window, granularity: Granularity) -> LflBlock {
    let spans = spans(window);
    if window.preset() == Preset::MonthOverMonth {
        return LflBlock::of_months(catalog, rows, &spans);
    }
    match first_and_last(catalog, rows, &spans, granularity).as_deref() {
        Some([first, last]) => LflBlock::of(first, last),
        _ => LflBlock::withheld(&last_two_days(catalog, rows)),
    }
}

/// The shortest preset window longer than this one in which the like-for-like change of `rows` is not withheld. Without
/// a granularity, each window uses its default. `None` if there is no such window, or if the request specifies dates,
/// because another window would not answer such a request.
pub fn longer_window(
    catalog: &Catalog,
    rows: &[u32],
    window: &Window,
    granularity: Option<Granularity>,
) -> Option<Preset> {
    if window.preset() == Preset::Custom {
        return None;
    }
    let has_figure = |preset: &Preset| {
        let args = WindowArgs { time_window: Some(*preset), ..WindowArgs::default() };
        let longer = Window::resolve(args, catalog.as_of()).ok();
        longer.filter(|longer| longer.span_days() > window.span_days()).is_some_and(|longer| {
            let granularity = granularity.unwrap_or(Granularity::default_for(longer.span_days()));
            has_change(catalog, rows, &longer, granularity)
        })
    };
    LONGER.into_iter().find(has_figure)
}

/// Whether a window without a comparison window has a like-for-like change. Computes only the first part of a report.
fn has_change(catalog: &Catalog, rows: &[u32], window: &Window, granularity: Granularity) -> bool {
    if !may_match(catalog, rows, window) {
        return false;
    }
    match first_and_last(catalog, rows, &spans(window), granularity).as_deref() {
        Some([first, last]) => {
            like_for_like(cross_section::matched(first.section(), last.section())).change_pct.is_some()
        }
        _ => false,
    }
}

/// Whether enough listings were seen on two days of a window, which is necessary for a listing to be in two periods.
/// Rejects a catalog of one day without computing any period.
fn may_match(catalog: &Catalog, rows: &[u32], window: &Window) -> bool {
    let days = catalog.day_number(window.from())..catalog.day_number(window.to());
    let twice = rows.iter().filter(|&&row| catalog.spells_within(row, &days).len() >= 2);
    twice.take(MATCHED_MIN).count() == MATCHED_MIN
}

/// The comparison window and the window as one period each; `None` if either is empty.
fn months<'a>(catalog: &'a Catalog, rows: &[u32], spans: &[Range<Day>]) -> Option<[Period<'a>; 2]> {
    let whole = |span: &Range<Day>| {
        // Each of the two windows is within one calendar month.
        let months = panel::panel(catalog, rows, std::slice::from_ref(span), Granularity::Monthly);
        months.periods.into_iter().next()
    };
    let [first, last] = spans else { return None };
    Some([whole(first)?, whole(last)?])
}

/// The two periods of a window that are compared; `None` if the window has fewer than two.
fn first_and_last<'a>(
    catalog: &'a Catalog,
    rows: &[u32],
    spans: &[Range<Day>],
    granularity: Granularity,
) -> Option<Vec<Period<'a>>> {
    let outline = Outline::of(catalog, rows, spans, granularity);
    Some(outline.periods(catalog, rows, &compared(&outline.products)?))
}

/// The indices of the two periods that are compared, given the number of products of each period: the first and the
/// last with at least half the median number. If fewer than two periods qualify, the first and the last of all
/// periods.
fn compared(products: &[u32]) -> Option<[usize; 2]> {
    let mut counts = products.to_vec();
    counts.sort_unstable();
    let n = counts.len();
    if n < 2 {
        return None;
    }
    let twice_median = counts[(n - 1) / 2] + counts[n / 2];
    let mut full = (0..n).filter(|&at| 4 * products[at] >= twice_median);
    match (full.next(), full.next_back()) {
        (Some(first), Some(last)) => Some([first, last]),
        _ => Some([0, n - 1]),
    }
}

impl LflBlock {
    /// The change from the comparison window to the window, each as one period.
    fn of_months(catalog: &Catalog, rows: &[u32], spans: &[Range<Day>]) -> Self {
        match months(catalog, rows, spans) {
            Some([first, last]) => Self::of(&first, &last),
            None => Self::withheld(&last_two_days(catalog, rows)),
        }
    }

    fn of(first: &Period<'_>, last: &Period<'_>) -> Self {
        let basket = like_for_like(cross_section::matched(first.section(), last.section()));
        let in_first = first.products as usize;
        let rate = Ratio4::from_ratio(basket.matched as i128, in_first as i128);
        let figure = |pct: Option<f64>| pct.map(Percent::from_f64);
        Self {
            lfl_change_pct: figure(basket.change_pct),
            lfl_ci95_pct: basket.ci95_pct.map(|ci| ci.map(Percent::from_f64)),
            lfl_median_pct: basket.median.map(|(num, den)| Percent::from_ratio(num - den, den)),
            lfl_arithmetic_pct: figure(basket.arithmetic_pct),
            lfl_matched: basket.matched as u32,
            lfl_rising: basket.rising as u32,
            lfl_stable: basket.stable as u32,
            lfl_falling: basket.falling as u32,
            lfl_trimmed: basket.trimmed as u32,
            lfl_match_rate: Some(rate),
            lfl_periods: Some([first.label.clone(), last.label.clone()]),
            lfl_note: note(&basket, in_first),
        }
    }

    /// Adds the name of a longer window that has a figure to the note about the withheld figure.
    pub fn point_to(&mut self, longer: Preset) {
        let reason = self.lfl_note.take().unwrap_or_default();
        self.lfl_note = Some(format!("{reason}; time_window={longer} has a figure"));
    }

    /// The block of a scope without two periods. The note names the scope's last two observation days.
    fn withheld(days: &[Day]) -> Self {
        let instead = match days {
            [] => "; this scope was never observed".to_owned(),
            [only] => format!("; this scope was observed on {only} only"),
            [before, last, ..] => format!("; this scope was last observed on {before} and {last}"),
        };
        Self {
            lfl_change_pct: None,
            lfl_ci95_pct: None,
            lfl_median_pct: None,
            lfl_arithmetic_pct: None,
            lfl_matched: 0,
            lfl_rising: 0,
            lfl_stable: 0,
            lfl_falling: 0,
            lfl_trimmed: 0,
            lfl_match_rate: None,
            lfl_periods: None,
            lfl_note: Some(format!("{}{instead}", matched_note(0))),
        }
    }
}

fn matched_note(matched: usize) -> String {
    format!("Only {matched} products matched; at least {MATCHED_MIN} are needed")
}

fn note(basket: &LikeForLike, in_first: usize) -> Option<String> {
    if basket.matched < MATCHED_MIN {
        return Some(matched_note(basket.matched));
    }
    if basket.kept < MATCHED_MIN {
        let (matched, kept) = (basket.matched, basket.kept);
        return Some(format!(
            "Only {kept} of {matched} matched products have a change between half and double; at least {MATCHED_MIN} \
             are needed"
        ));
    }
    (basket.matched * MATCH_RATE_NOTED_BELOW_ONE_IN < in_first).then(|| {
        format!("Only {} of the {in_first} products of the first period were matched", basket.matched)
    })
}

/// A point with the unrounded values that further computations need.
struct PointValues {
    point: Point,
    average: Rational,
    /// 1 + change, unrounded.
    factor: f64,
}

impl PointValues {
    fn of(period: &Period<'_>, before: Option<&Period<'_>>) -> Option<Self> {
        let level = period.section().level()?;
        let money = |(num, den): Rational| Money::from_ratio(num, den);
        let mut point = Point {
            date: period.date,
            period: period.label.clone(),
            avg_price: money(level.mean),
            min_price: money(level.min),
            max_price: money(level.max),
            median_price: money(level.median),
            product_count: level.products,
            observation_count: level.observations as u32,
            change_pct: None,
            matched_basket_size: None,
            method: None,
            in_stock_count: period.in_stock(),
            promo_count: period.on_promotion(),
        };
        let mut factor = 1.0;
        if let Some(before) = before {
            let basket = Jevons::between(before.section().prices, period.section().prices);
            point.matched_basket_size = Some(basket.matched() as u32);
            if let Some(index) = basket.matched_index() {
                factor = index;
                point.method = Some(Method::Matched);
                point.change_pct = Some(Percent::from_f64(100.0 * (index - 1.0)));
            } else {
                point.method = Some(Method::Naive);
                point.change_pct =
                    before.section().level().map(|before| ratio_change(before.mean, level.mean));
            }
        }
        Some(Self { point, average: level.mean, factor })
    }
}

/// The change from one exact figure to another in percent. The result is exact unless the numbers exceed 128 bits.
fn ratio_change((a, b): Rational, (c, d): Rational) -> Percent {
    let exact = || {
        let (later, earlier) = (c.checked_mul(b)?, a.checked_mul(d)?);
        Some(Percent::from_ratio(later.checked_sub(earlier)?, earlier))
    };
    exact()
        .unwrap_or_else(|| Percent::from_f64(100.0 * ((c as f64 / d as f64) / (a as f64 / b as f64) - 1.0)))
}

/// The last two days on which any of `rows` was observed, ascending. Fewer if there are fewer.
fn last_two_days(catalog: &Catalog, rows: &[u32]) -> Vec<Day> {
    let (mut last, mut before) = (None, None);
    for &row in rows {
        // The last two days of each listing suffice: a third-last day of a listing cannot be among the scope's last
        // two.
        let own_last = catalog.seen_span(row).map(|(_, last)| last);
        for day in own_last.into_iter().chain(catalog.all_spells(row).last_day_but_one()) {
            if last.is_none_or(|known| day > known) {
                before = last;
                last = Some(day);
            } else if Some(day) != last && before.is_none_or(|known| day > known) {
                before = Some(day);
            }
        }
    }
    [before, last].into_iter().flatten().map(|day| catalog.day(day)).collect()
}
