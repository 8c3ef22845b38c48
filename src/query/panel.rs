//! Prices of products by period: the panel that inflation and its relatives are computed from.
//!
//! A product's price in a period is the mean of its daily prices there, kept as (sum, days) so that every comparison
//! and every mean is exact. Each period holds its products by ascending row; two periods are matched by merging.

use std::ops::Range;

use rayon::prelude::*;

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

/// The periods of some days that hold an observation of `rows` (ascending), in order. `spans` are the days,
/// ascending and disjoint; a period may reach over a gap between them.
pub fn periods(
    catalog: &Catalog,
    rows: &[u32],
    spans: &[Range<Day>],
    granularity: Granularity,
) -> Vec<Period> {
    let calendar = Calendar::new(catalog, spans, granularity);
    let tasks: Vec<Vec<Vec<Cell>>> =
        rows.par_chunks(LISTINGS_PER_TASK).map(|rows| cells(catalog, rows, &calendar)).collect();
    let mut periods: Vec<Period> = calendar
        .starts
        .iter()
        .map(|&date| Period { date, label: granularity.label(date), cells: Vec::new() })
        .collect();
    for task in tasks {
        for (period, cells) in periods.iter_mut().zip(task) {
            period.cells.extend(cells);
        }
    }
    periods.retain(|period| !period.cells.is_empty());
    periods
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

/// Which period each day belongs to.
struct Calendar {
    /// First day of each period inside the window.
    starts: Vec<Day>,
    /// Days as the observation columns count them, with the period of the first one.
    spans: Vec<(Range<u16>, Vec<u16>)>,
}

impl Calendar {
    fn new(catalog: &Catalog, spans: &[Range<Day>], granularity: Granularity) -> Self {
        let mut calendar = Self { starts: Vec::new(), spans: Vec::new() };
        let mut bucket = None;
        for span in spans {
            let numbers = catalog.day_number(span.start)..catalog.day_number(span.end);
            let mut period_of = Vec::with_capacity(numbers.len());
            for number in numbers.clone() {
                let day = catalog.day(number);
                let own = granularity.bucket(day);
                if bucket != Some(own) {
                    bucket = Some(own);
                    calendar.starts.push(own.max(span.start));
                }
                period_of.push(calendar.starts.len() as u16 - 1);
            }
            calendar.spans.push((numbers, period_of));
        }
        calendar
    }
}

/// The cells of some listings, by period.
fn cells(catalog: &Catalog, rows: &[u32], calendar: &Calendar) -> Vec<Vec<Cell>> {
    let columns = &catalog.observations.columns;
    let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); calendar.starts.len()];
    for &row in rows {
        for (days, period_of) in &calendar.spans {
            for at in catalog.observations.within(row, days.start, days.end) {
                let period = &mut cells[period_of[(columns.day[at] - days.start) as usize] as usize];
                let (price, flags) = (u64::from(columns.price[at]), columns.flags[at]);
                match period.last_mut() {
                    Some(cell) if cell.row == row => {
                        cell.days += 1;
                        cell.sum += price;
                        cell.flags = flags;
                    }
                    _ => period.push(Cell { row, days: 1, flags, sum: price }),
                }
            }
        }
    }
    cells
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
