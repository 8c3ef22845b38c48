//! The panel of prices by period against one that looks every day up: whole periods that are prepared, periods that a
//! window cuts, gaps between windows, expected_categories that lie together and listings that do not.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::support::asking;
use crate::support::daily::{self, Daily};
use crate::support::generated::options;
use pricebook::analytics::panel::panel;
use pricebook::catalog::{Catalog, in_stock};
use pricebook::cli::generate;
use pricebook::snapshot::layout::PROMO;
use pricebook::stats::rng::Rng;
use pricebook::types::{Day, Granularity};

/// A product in a period: sum of its prices, days, bits of the last.
type Cell = (u64, u32, u8);

/// What a panel says of a period: its first day, each product, and how many are in stock and on promotion.
type Said = (Day, Vec<Option<(u64, u32)>>, u32, u32);

/// The cells of each period, day by day.
fn naive(catalog: &Catalog, rows: &[u32], spans: &[Range<Day>], granularity: Granularity) -> Vec<Said> {
    let seen: Vec<Vec<Daily>> = rows.iter().map(|&row| daily::of(catalog, row)).collect();
    let mut periods: BTreeMap<Day, (Day, Vec<Cell>)> = BTreeMap::new();
    for span in spans {
        for at in 0..span.end.minus(span.start) {
            let day = span.start.plus_days(at);
            if day < catalog.day(0) {
                continue;
            }
            let empty = || (granularity.bucket(day).max(span.start), vec![(0, 0, 0); rows.len()]);
            let (_, cells) = periods.entry(granularity.bucket(day)).or_insert_with(empty);
            for (cell, seen) in cells.iter_mut().zip(&seen) {
                let seen = seen.iter().find(|(seen, ..)| catalog.day(*seen) == day);
                if let Some(&(_, price, _, flags)) = seen {
                    *cell = (cell.0 + u64::from(price), cell.1 + 1, flags);
                }
            }
        }
    }
    let said = |(date, cells): (Day, Vec<Cell>)| {
        let count = |holds: &dyn Fn(u8) -> bool| {
            cells.iter().filter(|&&(_, days, flags)| days > 0 && holds(flags)).count() as u32
        };
        let fractions = cells.iter().map(|&(sum, days, _)| (days > 0).then_some((sum, days))).collect();
        (date, fractions, count(&|flags| in_stock(flags) == Some(true)), count(&|flags| flags & PROMO != 0))
    };
    let held = |(_, cells): &(Day, Vec<Cell>)| cells.iter().any(|cell| cell.1 > 0);
    periods.into_values().filter(held).map(said).collect()
}

fn check(catalog: &Catalog, rows: &[u32], spans: &[Range<Day>], granularity: Granularity) {
    let panel = panel(catalog, rows, spans, granularity);
    let said: Vec<Said> = panel
        .periods
        .iter()
        .map(|period| {
            let fractions = (0..rows.len()).map(|at| period.section().fraction(at)).collect();
            (period.date, fractions, period.in_stock(), period.on_promotion())
        })
        .collect();
    assert_eq!(said, naive(catalog, rows, spans, granularity), "{spans:?} {granularity}");
    let days = rows.iter().flat_map(|&row| daily::of(catalog, row));
    let inside: Vec<Day> = days
        .map(|(day, ..)| catalog.day(day))
        .filter(|day| spans.iter().any(|span| span.contains(day)))
        .collect();
    assert_eq!(panel.observed, inside.iter().min().copied().zip(inside.iter().max().copied()));
}

/// A generated catalog observed every so many days.
fn catalog(every: u32) -> Catalog {
    let out = tempfile::tempdir().unwrap();
    let options = generate::GenerateOptions { every, ..options(300, 75, 5, &out.path().join("in")) };
    generate::run(&options, &|_| ()).unwrap();
    asking::build(&[options.out], &out.path().join("snapshots"))
}

#[test]
fn every_window_is_what_its_days_are() {
    let mut draw = Rng::new(20_261_121);
    let mut below = |bound: usize| draw.below(bound);
    // Daily: weeks and months are prepared. Weekly: months are. Every twenty days: nothing is.
    for (every, prepared) in [(1, 2), (7, 1), (20, 0)] {
        let catalog = catalog(every);
        let widths = Granularity::ALL
            .into_iter()
            .filter(|&width| catalog.periods.all().any(|(own, _, cells)| own == width && cells.is_some()));
        assert_eq!(widths.count(), prepared, "observed every {every} days");
        let listings = catalog.listings.country.len();
        for round in 0..24 {
            let from = below(listings - 1);
            let together: Vec<u32> =
                (from..from + 1 + below(listings - from)).map(|row| row as u32).collect();
            let apart: Vec<u32> = together.iter().copied().filter(|row| row % 3 != 1).collect();
            let first = catalog.as_of().plus_days(-90 + below(80) as i32);
            let end = first.plus_days(1 + below(100) as i32);
            let gap = end.plus_days(below(9) as i32);
            let spans = [first..end, gap..gap.plus_days(1 + below(20) as i32)];
            let rows = if round % 2 == 0 { &together } else { &apart };
            let spans = if round % 3 == 0 { &spans[..] } else { &spans[..1] };
            for granularity in Granularity::ALL {
                check(&catalog, rows, spans, granularity);
            }
        }
    }
}
