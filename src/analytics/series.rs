//! The daily price series of a product: the lowest price of each day over its listings of one condition.
//!
//! All comparisons of prices are made in integer cents.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::snapshot::spells::Cut;
use crate::types::{Cents, Day, Percent};

/// The minimum number of rows (days with a price) for statements about a price history.
pub const HISTORY_ROWS_MIN: usize = 5;

/// A day and its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PricePoint {
    /// UTC day of the price.
    pub date: Day,
    /// Lowest price of the day, in currency.
    pub price: Cents,
}

/// A fall of the price from one day of the series to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PriceDrop")]
pub struct Drop {
    /// Day of the lower price.
    pub date: Day,
    /// Price on the previous day of the series, in currency.
    pub from_price: Cents,
    /// Price on `date`, in currency.
    pub to_price: Cents,
    /// Size of the price fall in percent, as a positive number.
    pub pct: Percent,
}

/// Direction of a price series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PriceTrend")]
pub enum Trend {
    /// The median price of the last third of the series is more than 2 % above that of the first third.
    Rising,
    /// The median price of the last third of the series is more than 2 % below that of the first third.
    Falling,
    /// Neither rising nor falling, or fewer than 5 days with a price.
    Stable,
}

/// The observations of one listing on days in `[from, to)`, oldest first.
pub fn of_listing(catalog: &Catalog, row: u32, from: Day, to: Day) -> Vec<PricePoint> {
    let seen = catalog.spells_within(row, &(catalog.day_number(from)..catalog.day_number(to)));
    let mut points = Vec::with_capacity(seen.len() as usize);
    seen.each_day(|spell, day| {
        points.push(PricePoint { date: catalog.day(day), price: Cents::new(catalog.spells.price[spell]) });
    });
    points
}

/// The lowest price of each day in `[from, to)` over some listings, oldest first.
pub fn of_listings(catalog: &Catalog, rows: &[u32], from: Day, to: Day) -> Vec<PricePoint> {
    let window = catalog.day_number(from)..catalog.day_number(to);
    let seen: Vec<Cut<'_>> = rows.iter().map(|&row| catalog.spells_within(row, &window)).collect();
    lowest_by_day(&seen, &catalog.spells.price)
        .map(|(day, price)| PricePoint { date: catalog.day(day), price: Cents::new(price) })
        .collect()
}

/// The lowest price of each day on which any of these listings was seen.
fn lowest_by_day(seen: &[Cut<'_>], prices: &[u32]) -> impl Iterator<Item = (u16, u32)> + use<> {
    let spans = seen.iter().filter_map(Cut::days);
    let span = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let days = span.map_or(0..0, |(first, last)| first..last + 1);
    let mut lowest = vec![u32::MAX; days.len()];
    for cut in seen {
        cut.each_day(|spell, day| {
            let lowest = &mut lowest[usize::from(day - days.start)];
            *lowest = prices[spell].min(*lowest);
        });
    }
    days.zip(lowest).filter(|&(_, price)| price < u32::MAX)
}

/// Twice the median of some prices, which is an integer; 0 if there are none.
fn twice_median(prices: impl Iterator<Item = Cents>) -> u64 {
    let mut cents: Vec<u64> = prices.map(|price| u64::from(price.get())).collect();
    cents.sort_unstable();
    match cents.len() {
        0 => 0,
        n => cents[(n - 1) / 2] + cents[n / 2],
    }
}

/// Whether the series is too short for a trend or a good deal.
pub fn is_insufficient(series: &[PricePoint]) -> bool {
    series.len() < HISTORY_ROWS_MIN
}

/// Compares the median of the last third of the rows with that of the first third.
pub fn trend(series: &[PricePoint]) -> Trend {
    if is_insufficient(series) {
        return Trend::Stable;
    }
    let third = series.len().div_ceil(3);
    let first = twice_median(series[..third].iter().map(|point| point.price));
    let last = twice_median(series[series.len() - third..].iter().map(|point| point.price));
    match (100 * last, first) {
        (last, first) if last > 102 * first => Trend::Rising,
        (last, first) if last < 98 * first => Trend::Falling,
        _ => Trend::Stable,
    }
}

/// Whether the last price is within 5 % of the low and not above the median, in a series whose high is at least 5 %
/// above the low.
pub fn is_good_deal(series: &[PricePoint]) -> bool {
    let cents = |point: &PricePoint| u64::from(point.price.get());
    let (Some(current), Some(low), Some(high)) =
        (series.last().map(cents), series.iter().map(cents).min(), series.iter().map(cents).max())
    else {
        return false;
    };
    !is_insufficient(series)
        && 100 * current <= 105 * low
        && 2 * current <= twice_median(series.iter().map(|point| point.price))
        && 100 * high >= 105 * low
}

/// The first row with the lowest price.
pub fn lowest(series: &[PricePoint]) -> Option<PricePoint> {
    series.iter().copied().min_by_key(|point| (point.price, point.date))
}

/// The first row with the highest price.
pub fn highest(series: &[PricePoint]) -> Option<PricePoint> {
    series.iter().copied().max_by_key(|point| (point.price, std::cmp::Reverse(point.date)))
}

/// The change of the lowest price, from the days around `window_days` before the last row to the last days. `None` if
/// the series has no row there, or if it starts too late. `from` is its first possible day.
pub fn change_pct(series: &[PricePoint], from: Day, window_days: i32) -> Option<Percent> {
    let last = series.last()?.date;
    let half = (window_days / 10).max(1);
    let base_day = last.plus_days(-window_days);
    if from > base_day {
        return None;
    }
    let best = |from: Day, to: Day| {
        series
            .iter()
            .filter(|point| from <= point.date && point.date <= to)
            .map(|point| point.price.get())
            .min()
    };
    let recent = i128::from(best(last.plus_days(-half), last)?);
    let base = i128::from(best(base_day.plus_days(-half), base_day.plus_days(half))?);
    Some(Percent::from_ratio(recent - base, base))
}

/// Every fall of 5 % or more from one row to the next.
pub fn drops(series: &[PricePoint]) -> Vec<Drop> {
    let falls = series.windows(2).filter_map(|pair| {
        let (before, after) = (u64::from(pair[0].price.get()), u64::from(pair[1].price.get()));
        (100 * after <= 95 * before).then(|| Drop {
            date: pair[1].date,
            from_price: pair[0].price,
            to_price: pair[1].price,
            pct: Percent::from_ratio(i128::from(before - after), i128::from(before)),
        })
    });
    falls.collect()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::snapshot::spells::SeenDays;

    fn series(prices: &[u32]) -> Vec<PricePoint> {
        let start = Day::from_ymd(2026, 10, 1).expect("a day");
        let point = |(at, &cents): (usize, &u32)| PricePoint {
            date: start.plus_days(at as i32),
            price: Cents::new(cents),
        };
        prices.iter().enumerate().map(point).collect()
    }

    #[test]
    fn a_day_has_its_lowest_price() {
        // Days 3 and 5; no days; days 2, 3 and 9; days 3 and 5.
        let (days, prices) = ([0b101, 0b1000_0011], [300, 500, 2, 299, 9, 301, 501]);
        let end = [1, 2, 1, 2, 3, 1, 2];
        let cut = |rows: Range<usize>, first: u16, words: usize| {
            let seen = SeenDays::new(first, &days[words..words + usize::from(!rows.is_empty())]);
            Cut::of(rows, seen, &end, &(0..u16::MAX))
        };
        let seen = [cut(0..2, 3, 0), cut(2..2, u16::MAX, 0), cut(2..5, 2, 1), cut(5..7, 3, 0)];
        let lowest: Vec<(u16, u32)> = lowest_by_day(&seen, &prices).collect();
        assert_eq!(lowest, [(2, 2), (3, 299), (5, 500), (9, 9)]);
        assert_eq!(lowest_by_day(&seen[1..2], &prices).count(), 0);
    }

    #[test]
    fn trend_needs_more_than_two_percent() {
        assert_eq!(trend(&series(&[100, 100, 100, 102, 102])), Trend::Stable);
        assert_eq!(trend(&series(&[100, 100, 100, 103, 103])), Trend::Rising);
        assert_eq!(trend(&series(&[100, 100, 100, 98, 98])), Trend::Stable);
        assert_eq!(trend(&series(&[100, 100, 100, 97, 97])), Trend::Falling);
        assert_eq!(trend(&series(&[100, 1, 1, 1])), Trend::Stable);
    }

    #[test]
    fn a_good_deal_needs_something_dearer() {
        assert!(is_good_deal(&series(&[110, 110, 110, 100, 100])));
        assert!(!is_good_deal(&series(&[100, 100, 100, 100, 100])));
        assert!(!is_good_deal(&series(&[100, 100, 100, 100, 105, 106])));
        assert!(!is_good_deal(&series(&[110, 110, 110, 100])), "too short");
    }

    #[test]
    fn drops_are_decided_in_cents() {
        assert_eq!(drops(&series(&[100, 95])).len(), 1);
        assert_eq!(drops(&series(&[100, 96])).len(), 0);
        assert_eq!(drops(&series(&[399, 380])).len(), 0);
        assert_eq!(drops(&series(&[399, 379])).len(), 1);
    }

    #[test]
    fn change_compares_bands() {
        let rows = series(&[200, 100, 100, 100, 100, 100, 100, 150, 150]);
        let from = rows[0].date;
        // The last row is day 8. Its band is days 7–8, the base band is days 0–2.
        assert_eq!(change_pct(&rows, from, 7), Some(Percent::from_ratio(1, 2)));
        assert_eq!(change_pct(&rows, rows[2].date, 7), None, "the range starts after the base day");
        assert_eq!(change_pct(&rows[..1], from, 7), None);
    }

    #[test]
    fn extremes_take_their_first_day() {
        let rows = series(&[3, 1, 3, 1]);
        assert_eq!(lowest(&rows).map(|point| point.date), Some(rows[1].date));
        assert_eq!(highest(&rows).map(|point| point.date), Some(rows[0].date));
    }
}
