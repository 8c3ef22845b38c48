//! The points of an index, and the figures derived from log levels.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::price_index::PricePanel;
use crate::stats::price_index::LogPanel;
use crate::types::{Day, Percent, Ratio4};

/// Status of a period in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PriceIndexStatus")]
enum Status {
    /// The base period, whose level is 1.
    Base,
    /// The period has an index.
    Ok,
    /// Too few products connect the period to the base.
    NoOverlap,
    /// The period is before the base.
    BeforeBase,
    /// The period has fewer than ten products.
    Thin,
}

/// A period of the index.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceIndexPoint")]
pub(super) struct Point {
    /// First day of the period that is inside the window.
    date: Day,
    /// Label of the period: the ISO week or the month.
    period: String,
    /// Status of the period in the index.
    status: Status,
    /// Price level of the period relative to the base period, which has the level 1. Null unless `status` is base or
    /// ok.
    index: Option<Ratio4>,
    /// 95 % confidence interval of `index`: lower and upper bound. Null for the base period, if `index` is null, and
    /// if the panel has fewer than twenty matched products.
    ci95: Option<[Ratio4; 2]>,
    /// Change of `index` from the previous period of the index, in percent; null if one of the two periods has no
    /// index.
    change_pct: Option<Percent>,
    /// Number of products with a price in the period. A product is excluded if its mean price in the period differs
    /// from its median over all periods by more than a factor of three.
    product_count: u32,
    /// Number of observations in the period, one per listing and day, including those of excluded products.
    observation_count: u32,
    /// Number of products that also have a price in the previous period of the index. Null for the base period and for
    /// periods outside the index.
    matched_previous: Option<u32>,
    /// Number of products that also have a price in the base period. Null for the base period and for periods outside
    /// the index.
    matched_base: Option<u32>,
    /// Number of periods of the index that share at least ten products with this period; null for periods outside the
    /// index.
    usable_pairs: Option<u32>,
}

/// A log level and the half width of its confidence interval.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Level {
    /// Natural logarithm of the price level; `None` if the period has no level.
    pub(super) level: Option<f64>,
    /// Half width of the confidence interval of the log level.
    pub(super) half: Option<f64>,
}

impl Level {
    pub(super) fn index(self) -> Option<Ratio4> {
        self.level.map(index)
    }

    pub(super) fn ci95(self) -> Option<[Ratio4; 2]> {
        let (level, half) = self.level.zip(self.half)?;
        Some([index(level - half), index(level + half)])
    }
}

pub(super) fn index(log: f64) -> Ratio4 {
    Ratio4::from_f64(log.exp())
}

pub(super) fn percent_change(log: f64) -> Percent {
    Percent::from_f64(100.0 * (log.exp() - 1.0))
}

/// Returns one point per period. `levels` are the levels of the periods of the index, in the same order.
pub(super) fn points(prices: &PricePanel<'_>, panel: &LogPanel, levels: &[Level]) -> Vec<Point> {
    let base = prices.panel.first().copied().unwrap_or_default();
    let point = |at: usize| {
        let period = &prices.periods()[at];
        let place = prices.panel.binary_search(&at).ok();
        let level = place.map(|place| levels[place]).unwrap_or_default();
        let before = place.and_then(|place| place.checked_sub(1));
        let change = before.and_then(|before| Some(level.level? - levels[before].level?));
        let status = match place {
            None if at < base => Status::BeforeBase,
            None => Status::Thin,
            Some(0) => Status::Base,
            Some(_) if level.level.is_some() => Status::Ok,
            Some(_) => Status::NoOverlap,
        };
        let others = |place: usize| {
            (0..prices.panel.len()).filter(|&other| panel.is_usable(place, other)).count() as u32
        };
        let matched = |with: usize| place.filter(|&place| place > 0).map(|place| panel.matched(with, place));
        Point {
            date: period.date,
            period: period.label.clone(),
            status,
            index: level.index(),
            ci95: level.ci95(),
            change_pct: change.map(percent_change),
            product_count: prices.products[at],
            observation_count: period.observations(),
            matched_previous: before.and_then(matched),
            matched_base: matched(0),
            usable_pairs: place.map(others),
        }
    };
    (0..prices.periods().len()).map(point).collect()
}
