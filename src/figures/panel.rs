//! Prices of products by period: the panel that inflation and its relatives are computed from.
//!
//! A product's price in a period is the mean of its daily prices there. Every period is a column over the same
//! products, in the order of their rows, so two periods are matched place by place. Whole weeks and months are taken
//! from the prepared periods of the snapshot; what is cut by the window is added up from price spells.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::{Catalog, Cells, in_stock};
use crate::domain::{Day, Granularity};
use crate::snapshot::layout::PROMO;
use crate::snapshot::periods::PeriodCell;
use crate::stats::cross_section::{CrossSection, price};

/// Listings that one task works on, at least. No power of two: columns of one would lie in the same few places of the
/// cache.
const LISTINGS_PER_TASK: usize = 500;

/// A period that holds observations: its products, in the order of the panel's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Period<'a> {
    /// First day of the period inside the window.
    pub date: Day,
    /// Label of the period.
    pub label: String,
    /// Number of products with a price.
    pub products: u32,
    columns: Columns<'a>,
}

/// The products of a period. Those without a price have zeros.
#[derive(Debug, Clone, PartialEq)]
struct Columns<'a> {
    prices: Vec<f64>,
    days: Cow<'a, [u8]>,
    flags: Cow<'a, [u8]>,
}

/// Products by period, and the days on which they were observed.
#[derive(Debug, Default)]
pub struct Panel<'a> {
    /// The periods that hold an observation, in order.
    pub periods: Vec<Period<'a>>,
    /// First and last observed day, if any.
    pub observed: Option<(Day, Day)>,
}

impl Period<'_> {
    /// The prices of its products.
    pub fn section(&self) -> CrossSection<'_> {
        self.columns.section()
    }

    /// Number of products whose last observation in the period is in stock.
    pub fn in_stock(&self) -> u32 {
        self.columns.flags.iter().map(|&flags| u32::from(in_stock(flags) == Some(true))).sum()
    }

    /// Number of products whose last observation in the period is on promotion.
    pub fn on_promotion(&self) -> u32 {
        self.columns.flags.iter().map(|&flags| u32::from(flags & PROMO != 0)).sum()
    }
}

/// The panel of `rows` (ascending) over some days. `spans` are the days, ascending and disjoint; a period may reach
/// over a gap between them.
pub fn panel<'a>(
    catalog: &'a Catalog,
    rows: &[u32],
    spans: &[Range<Day>],
    granularity: Granularity,
) -> Panel<'a> {
    let slots = slots(catalog, spans, granularity);
    let prepared = |slot: &Slot| match slot.parts.as_slice() {
        [days] => catalog.periods.cells(granularity, days).map(|cells| Columns::prepared(cells, rows)),
        _ => None,
    };
    let prepared: Vec<Option<Columns<'a>>> = slots.par_iter().map(prepared).collect();
    let cut: Vec<&Slot> = slots
        .iter()
        .zip(&prepared)
        .filter(|(_, prepared)| prepared.is_none())
        .map(|(slot, _)| slot)
        .collect();
    let mut cut = added_up(catalog, rows, &cut).into_iter();
    let periods: Vec<(Slot, Period<'a>)> = slots
        .into_iter()
        .zip(prepared)
        .filter_map(|(slot, prepared)| Some((slot, prepared.or_else(|| cut.next())?)))
        .map(|(slot, columns)| {
            let (date, products) = (slot.date, columns.section().products());
            (slot, Period { date, label: granularity.label(date), products, columns })
        })
        .filter(|(_, period)| period.products > 0)
        .collect();
    let (held, periods): (Vec<Slot>, Vec<Period<'a>>) = periods.into_iter().unzip();
    Panel { periods, observed: observed(catalog, rows, &held) }
}

/// A period of the window.
struct Slot {
    /// First day inside the window.
    date: Day,
    /// Its days inside the window, counted from the snapshot's first; two ranges where it reaches over a gap.
    parts: Vec<Range<u16>>,
}

/// The periods that hold a day of `spans` on which the snapshot may have observations.
fn slots(catalog: &Catalog, spans: &[Range<Day>], granularity: Granularity) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for span in spans {
        let mut from = span.start;
        while from < span.end {
            let to = granularity.next(from).min(span.end);
            let part = catalog.day_number(from)..catalog.day_number(to.min(catalog.as_of()));
            let bucket = granularity.bucket(from);
            if slots.last().is_none_or(|slot| granularity.bucket(slot.date) != bucket) {
                slots.push(Slot { date: from, parts: Vec::new() });
            }
            if let Some(slot) = slots.last_mut().filter(|_| !part.is_empty()) {
                slot.parts.push(part);
            }
            from = to;
        }
    }
    slots.retain(|slot| !slot.parts.is_empty());
    slots
}

impl Columns<'_> {
    fn section(&self) -> CrossSection<'_> {
        CrossSection { prices: &self.prices, days: &self.days }
    }
}

impl<'a> Columns<'a> {
    /// The products of `rows` in a prepared period.
    fn prepared(cells: Cells<'a>, rows: &[u32]) -> Self {
        let prices = |sum: &[u32], days: &[u8]| {
            sum.iter().zip(days).map(|(&sum, &days)| price(sum.into(), days)).collect()
        };
        if let (Some(&first), Some(&last)) = (rows.first(), rows.last())
            && (last - first) as usize + 1 == rows.len()
        {
            // A category: its listings lie next to each other.
            let rows = first as usize..last as usize + 1;
            let (days, flags) = (&cells.days[rows.clone()], &cells.flags[rows.clone()]);
            return Self { prices: prices(&cells.sum[rows], days), days: days.into(), flags: flags.into() };
        }
        let of = |column: &[u8]| -> Vec<u8> { rows.iter().map(|&row| column[row as usize]).collect() };
        let (days, flags) = (of(cells.days), of(cells.flags));
        let sum: Vec<u32> = rows.iter().map(|&row| cells.sum[row as usize]).collect();
        Self { prices: prices(&sum, &days), days: days.into(), flags: flags.into() }
    }
}

/// The products of `rows` in each of some periods, from the observations.
fn added_up(catalog: &Catalog, rows: &[u32], slots: &[&Slot]) -> Vec<Columns<'static>> {
    let parts =
        slots.iter().enumerate().flat_map(|(at, slot)| slot.parts.iter().map(move |part| (at, part.clone())));
    let parts: Vec<(usize, Range<u16>)> = parts.collect();
    let single_days = SingleDays::of(&parts);
    let blocks: Vec<Block> = rows
        .par_chunks(LISTINGS_PER_TASK)
        .map(|rows| {
            let mut block = Block::new(rows.len(), slots.len());
            for (listing, &row) in rows.iter().enumerate() {
                match &single_days {
                    Some(days) => block.add_days(catalog, row, listing, days),
                    None => block.add_parts(catalog, row, listing, &parts),
                }
            }
            block
        })
        .collect();
    let columns = |slot: usize| {
        let column = |of: fn(&Block) -> &[u8]| -> Vec<u8> {
            blocks.iter().map(|block| block.slot(of(block), slot)).collect::<Vec<_>>().concat()
        };
        let prices: Vec<&[f64]> = blocks.iter().map(|block| block.slot(&block.prices, slot)).collect();
        Columns {
            prices: prices.concat(),
            days: column(|block| &block.days).into(),
            flags: column(|block| &block.flags).into(),
        }
    };
    (0..slots.len()).into_par_iter().map(columns).collect()
}

/// Periods that are days.
struct SingleDays {
    /// From the first to the last.
    days: Range<u16>,
    /// The period of each of these days; none in a gap.
    slots: Vec<Option<usize>>,
}

impl SingleDays {
    /// The periods, if every part is a day.
    fn of(parts: &[(usize, Range<u16>)]) -> Option<Self> {
        let ((_, first), (_, last)) = (parts.first()?, parts.last()?);
        let days = first.start..last.end;
        let mut slots = vec![None; days.len()];
        for (slot, part) in parts {
            slots[usize::from(part.start - days.start)] = Some(*slot);
        }
        parts.iter().all(|(_, part)| part.len() == 1).then_some(Self { days, slots })
    }
}

/// Some listings in some periods, period by period.
struct Block {
    listings: usize,
    prices: Vec<f64>,
    days: Vec<u8>,
    flags: Vec<u8>,
}

impl Block {
    fn new(listings: usize, slots: usize) -> Self {
        let cells = listings * slots;
        Self { listings, prices: vec![0.0; cells], days: vec![0; cells], flags: vec![0; cells] }
    }

    /// Adds the observations of a listing, each to the period of its day.
    fn add_days(&mut self, catalog: &Catalog, row: u32, listing: usize, single: &SingleDays) {
        let spells = &catalog.spells;
        catalog.spells_within(row, &single.days).each_stretch(|spell, days| {
            let days = usize::from(days.start - single.days.start)..usize::from(days.end - single.days.start);
            for slot in single.slots[days].iter().flatten() {
                let at = slot * self.listings + listing;
                self.prices[at] = spells.price[spell].into();
                (self.days[at], self.flags[at]) = (1, spells.flags[spell]);
            }
        });
    }

    /// Adds the observations of a listing, a part of a period at a time.
    fn add_parts(&mut self, catalog: &Catalog, row: u32, listing: usize, parts: &[(usize, Range<u16>)]) {
        let spells = &catalog.spells;
        for (slot, part) in parts {
            let cut = catalog.spells_within(row, part);
            let Some(last) = cut.rows.clone().last() else { continue };
            let prices = cut.rows.clone().map(|spell| u64::from(spells.price[spell]));
            let sum = prices.zip(cut.times()).map(|(price, times)| price * u64::from(times)).sum();
            let cell = PeriodCell { sum, days: cut.len() as u8, flags: spells.flags[last] };
            self.put(slot * self.listings + listing, cell);
        }
    }

    /// Puts a part of a period on top of what an earlier part left.
    fn put(&mut self, at: usize, cell: PeriodCell) {
        let before = match self.days[at] {
            0 => 0,
            days => (self.prices[at] * f64::from(days)).round() as u64,
        };
        self.days[at] += cell.days;
        self.prices[at] = price(before + cell.sum, self.days[at]);
        self.flags[at] = cell.flags;
    }

    fn slot<'b, T>(&self, column: &'b [T], slot: usize) -> &'b [T] {
        &column[slot * self.listings..(slot + 1) * self.listings]
    }
}

/// The first and the last day in periods that hold observations of `rows`.
fn observed(catalog: &Catalog, rows: &[u32], held: &[Slot]) -> Option<(Day, Day)> {
    let days = |part: &Range<u16>| {
        let part = part.clone();
        rows.iter().filter_map(move |&row| catalog.spells_within(row, &part).days())
    };
    // Most shelves were observed on the very first and last day that is asked for: no listing goes beyond these.
    let first = |part: &Range<u16>| least(days(part).map(|(first, _)| first), part.start);
    let last = |part: &Range<u16>| {
        let furthest = part.end - 1;
        least(days(part).map(|(_, last)| furthest - last), 0).map(|before| furthest - before)
    };
    let first = held.first()?.parts.iter().find_map(first)?;
    let last = held.last()?.parts.iter().rev().find_map(last)?;
    Some((catalog.day(first), catalog.day(last)))
}

/// The least of some numbers, none of which is below `bound`.
fn least(mut numbers: impl Iterator<Item = u16>, bound: u16) -> Option<u16> {
    let first = numbers.next()?;
    let least = numbers
        .try_fold(first, |least, number| if least == bound { Err(least) } else { Ok(least.min(number)) });
    Some(least.unwrap_or(bound))
}
