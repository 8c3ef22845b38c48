//! Prices of products by period: the panel that inflation and its relatives are computed from.
//!
//! A product's price in a period is the mean of its daily prices there, kept as (sum, days) so that every comparison
//! and every mean is exact. Each period holds its products by ascending row; two periods are matched by merging.

use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::first_on_or_after;
use crate::catalog::{Catalog, in_stock};
use crate::domain::{Day, Granularity};
use crate::snapshot::layout::PROMO;
use crate::stats::exact::Fraction;

/// Listings that one task works on, at least.
const LISTINGS_PER_TASK: usize = 512;

/// A product in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Row of the listing.
    pub row: u32,
    /// Days with a price.
    pub days: u16,
    /// Stock and promotion bits of its last observation in the period.
    pub flags: u8,
    /// Sum of the daily prices in cents.
    pub sum: u64,
}

impl Cell {
    /// The product's mean price as a fraction of cents.
    pub fn price(&self) -> Fraction {
        (self.sum, u32::from(self.days))
    }

    /// Whether its last observation in the period is in stock.
    pub fn in_stock(&self) -> bool {
        in_stock(self.flags) == Some(true)
    }

    /// Whether its last observation in the period is on promotion.
    pub fn on_promotion(&self) -> bool {
        self.flags & PROMO != 0
    }
}

/// A period that holds observations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// First day of the period inside the window.
    pub date: Day,
    /// Label of the period.
    pub label: String,
    /// Products, by ascending row.
    pub cells: Vec<Cell>,
}

/// Products by period, and the days on which they were observed.
#[derive(Debug, Default)]
pub struct Panel {
    /// The periods that hold an observation, in order.
    pub periods: Vec<Period>,
    /// First and last observed day, if any.
    pub observed: Option<(Day, Day)>,
}

/// The panel of `rows` (ascending) over some days. `spans` are the days, ascending and disjoint; a period may reach
/// over a gap between them.
pub fn panel(catalog: &Catalog, rows: &[u32], spans: &[Range<Day>], granularity: Granularity) -> Panel {
    let calendar = Calendar::new(catalog, spans, granularity);
    let tasks: Vec<Cells> =
        rows.par_chunks(LISTINGS_PER_TASK).map(|rows| Cells::of(catalog, rows, &calendar)).collect();
    let observed = tasks.iter().filter_map(|task| task.observed).reduce(join);
    let of_period = |at: usize, &date: &Day| {
        let parts: Vec<&[Cell]> = tasks.iter().map(|task| task.by_period[at].as_slice()).collect();
        Period { date, label: granularity.label(date), cells: parts.concat() }
    };
    let periods: Vec<Period> =
        calendar.starts.par_iter().enumerate().map(|(at, date)| of_period(at, date)).collect();
    Panel {
        periods: periods.into_iter().filter(|period| !period.cells.is_empty()).collect(),
        observed: observed.map(|(first, last)| (catalog.day(first), catalog.day(last))),
    }
}

/// Products priced in both periods, as (earlier, later) prices.
pub fn matched<'a>(
    earlier: &'a [Cell],
    later: &'a [Cell],
) -> impl Iterator<Item = (Fraction, Fraction)> + 'a {
    let mut at = 0;
    earlier.iter().filter_map(move |before| {
        while later.get(at).is_some_and(|after| after.row < before.row) {
            at += 1;
        }
        let after = later.get(at).filter(|after| after.row == before.row)?;
        Some((before.price(), after.price()))
    })
}

/// Where periods begin and end.
struct Calendar {
    /// First day of each period inside the window.
    starts: Vec<Day>,
    /// Days as the observation columns count them, with their cuts.
    spans: Vec<(Range<u16>, Vec<Cut>)>,
}

/// The part of a span that is in one period: the period's number, and the day after the part's last one.
type Cut = (usize, u16);

impl Calendar {
    fn new(catalog: &Catalog, spans: &[Range<Day>], granularity: Granularity) -> Self {
        let mut calendar = Self { starts: Vec::new(), spans: Vec::new() };
        let mut bucket = None;
        for span in spans {
            let numbers = catalog.day_number(span.start)..catalog.day_number(span.end);
            let mut cuts: Vec<Cut> = Vec::new();
            for number in numbers.clone() {
                let own = granularity.bucket(catalog.day(number));
                if bucket != Some(own) {
                    bucket = Some(own);
                    calendar.starts.push(own.max(span.start));
                }
                let period = calendar.starts.len() - 1;
                match cuts.last_mut() {
                    Some((last, end)) if *last == period => *end = number + 1,
                    _ => cuts.push((period, number + 1)),
                }
            }
            calendar.spans.push((numbers, cuts));
        }
        calendar
    }
}

/// The cells of some listings.
struct Cells {
    by_period: Vec<Vec<Cell>>,
    /// First and last observed day, as the observation columns count them.
    observed: Option<(u16, u16)>,
}

fn join((first, last): (u16, u16), (other_first, other_last): (u16, u16)) -> (u16, u16) {
    (first.min(other_first), last.max(other_last))
}

impl Cells {
    fn of(catalog: &Catalog, rows: &[u32], calendar: &Calendar) -> Self {
        let by_period = calendar.starts.iter().map(|_| Vec::with_capacity(rows.len())).collect();
        let mut cells = Self { by_period, observed: None };
        for &row in rows {
            for (days, cuts) in &calendar.spans {
                cells.add(catalog, row, catalog.observations.within(row, days.start, days.end), cuts);
            }
        }
        cells
    }

    /// Adds the observations of a listing in a span, a period at a time.
    fn add(&mut self, catalog: &Catalog, row: u32, seen: Range<usize>, cuts: &[Cut]) {
        let columns = &catalog.observations.columns;
        let days = &columns.day[seen.clone()];
        let (Some(&first), Some(&last)) = (days.first(), days.last()) else { return };
        self.observed = Some(self.observed.map_or((first, last), |known| join(known, (first, last))));
        let (prices, flags) = (&columns.price[seen.clone()], &columns.flags[seen]);
        let mut from = 0;
        for &(period, end) in cuts {
            let to = from + first_on_or_after(&days[from..], end);
            if to == from {
                continue;
            }
            let sum = prices[from..to].iter().map(|&price| u64::from(price)).sum();
            let cell = Cell { row, days: (to - from) as u16, flags: flags[to - 1], sum };
            match self.by_period[period].last_mut() {
                // A period that reaches over a gap between spans.
                Some(before) if before.row == row => {
                    before.days += cell.days;
                    before.sum += cell.sum;
                    before.flags = cell.flags;
                }
                _ => self.by_period[period].push(cell),
            }
            from = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: u32, sum: u64) -> Cell {
        Cell { row, days: 1, flags: 0, sum }
    }

    #[test]
    fn matching_keeps_products_of_both_periods() {
        let earlier = [cell(1, 10), cell(2, 20), cell(5, 50)];
        let later = [cell(0, 1), cell(2, 22), cell(4, 4), cell(5, 55), cell(9, 9)];
        let pairs: Vec<_> = matched(&earlier, &later).collect();
        assert_eq!(pairs, [((20, 1), (22, 1)), ((50, 1), (55, 1))]);
        assert_eq!(matched(&[], &later).count(), 0);
    }
}
