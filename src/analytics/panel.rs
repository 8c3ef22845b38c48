//! Prices of products by period: the panel on which inflation and related figures are based.
//!
//! A product's price in a period is the mean of its daily prices there. Every period is a column over the same
//! products, in the order of their rows, so two periods are matched index by index. Whole weeks and months are taken
//! from the prepared periods of the snapshot. Periods that the window cuts are computed from price spells.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::{Catalog, Cells, in_stock};
use crate::snapshot::layout::PROMO;
use crate::snapshot::periods::PeriodCell;
use crate::stats::cross_section::{CrossSection, price};
use crate::types::{Day, Granularity};

/// The minimum number of listings per parallel task. It is not a power of two, because columns of such lengths would
/// map to the same few cache sets.
const LISTINGS_PER_TASK: usize = 500;
/// If there are at most this many periods of one day, each of them is looked up in a run of days. Otherwise all days of
/// the run are scanned.
const FEW_DAYS: usize = 4;

/// A period that contains observations: its products, in the order of the panel's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Period<'a> {
    /// First day of the period that is inside the window.
    pub date: Day,
    /// Label of the period.
    pub label: String,
    /// Number of products with a price.
    pub products: u32,
    columns: Columns<'a>,
}

/// The products of a period. Products without a price have zeros.
#[derive(Debug, Clone, PartialEq)]
struct Columns<'a> {
    prices: Vec<f64>,
    days: Cow<'a, [u8]>,
    flags: Cow<'a, [u8]>,
}

/// Products by period, and the span of their observations.
#[derive(Debug, Default)]
pub struct Panel<'a> {
    /// The periods that contain an observation, in order.
    pub periods: Vec<Period<'a>>,
    /// The first and the last observed day, if any.
    pub observed: Option<(Day, Day)>,
}

impl Period<'_> {
    /// The prices of the products.
    pub fn section(&self) -> CrossSection<'_> {
        self.columns.section()
    }

    /// Number of observations, one per listing and day.
    pub fn observations(&self) -> u32 {
        self.columns.days.iter().map(|&days| u32::from(days)).sum()
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

/// The panel of `rows` (ascending) over the days in `spans`, which must be ascending and disjoint. A period may
/// extend over a gap between spans.
pub fn panel<'a>(
    catalog: &'a Catalog,
    rows: &[u32],
    spans: &[Range<Day>],
    granularity: Granularity,
) -> Panel<'a> {
    let periods = periods(catalog, rows, slots(catalog, spans, granularity), granularity);
    let (held, periods): (Vec<Slot>, Vec<Period<'a>>) = periods.into_iter().unzip();
    Panel { periods, observed: observed(catalog, rows, &held) }
}

/// The periods of a panel before their prices are computed, with the number of products of each.
pub struct Outline {
    slots: Vec<Slot>,
    granularity: Granularity,
    /// The number of products of each period that contains an observation, in order.
    pub products: Vec<u32>,
}

impl Outline {
    /// Computes the outline of a panel.
    pub fn of(catalog: &Catalog, rows: &[u32], spans: &[Range<Day>], granularity: Granularity) -> Self {
        let slots = slots(catalog, spans, granularity);
        let counts = counts(catalog, rows, &slots, granularity);
        let held = slots.into_iter().zip(counts).filter(|(_, products)| *products > 0);
        let (slots, products) = held.unzip();
        Self { slots, granularity, products }
    }

    /// The periods at the given indices, with their prices.
    pub fn periods<'a>(&self, catalog: &'a Catalog, rows: &[u32], places: &[usize]) -> Vec<Period<'a>> {
        let slots = places.iter().map(|&at| self.slots[at].clone()).collect();
        periods(catalog, rows, slots, self.granularity).into_iter().map(|(_, period)| period).collect()
    }
}

/// The number of products in each period.
fn counts(catalog: &Catalog, rows: &[u32], slots: &[Slot], granularity: Granularity) -> Vec<u32> {
    let prepared = |slot: &Slot| match slot.parts.as_slice() {
        [days] => catalog.periods.cells(granularity, days).map(|cells| match range_of(rows) {
            Some(rows) => cells.days[rows].iter().map(|&days| u32::from(days > 0)).sum(),
            None => rows.iter().map(|&row| u32::from(cells.days[row as usize] > 0)).sum(),
        }),
        _ => None,
    };
    let prepared: Vec<Option<u32>> = slots.par_iter().map(prepared).collect();
    let (cut, parts) = cut_parts(slots, &prepared);
    let counted = match SingleDays::of(&parts) {
        Some(single) => single.counts(catalog, rows),
        None => counts_by_part(catalog, rows, cut.len(), &parts),
    };
    let mut counted = counted.into_iter();
    prepared.into_iter().filter_map(|products| products.or_else(|| counted.next())).collect()
}

/// The number of products in each of `slots` periods, computed part by part.
fn counts_by_part(catalog: &Catalog, rows: &[u32], slots: usize, parts: &[(usize, Range<u16>)]) -> Vec<u32> {
    let add = |mut counts: Vec<u32>, rows: &[u32]| {
        for &row in rows {
            let mut last = None;
            for (slot, part) in parts {
                if last != Some(*slot) && !catalog.spells_within(row, part).is_empty() {
                    counts[*slot] += 1;
                    last = Some(*slot);
                }
            }
        }
        counts
    };
    let none = || vec![0; slots];
    rows.par_chunks(LISTINGS_PER_TASK).fold(none, add).reduce(none, sums)
}

fn sums(mut one: Vec<u32>, other: Vec<u32>) -> Vec<u32> {
    one.iter_mut().zip(other).for_each(|(one, other)| *one = one.wrapping_add(other));
    one
}

/// The periods that are not prepared, and the parts of these periods, each with the index of its period.
fn cut_parts<'s, T>(slots: &'s [Slot], prepared: &[Option<T>]) -> (Vec<&'s Slot>, Vec<(usize, Range<u16>)>) {
    let cut: Vec<&Slot> =
        slots.iter().zip(prepared).filter(|(_, prepared)| prepared.is_none()).map(|(slot, _)| slot).collect();
    let parts = cut.iter().enumerate();
    let parts = parts.flat_map(|(at, slot)| slot.parts.iter().map(move |part| (at, part.clone()))).collect();
    (cut, parts)
}

/// The range of ascending rows, if they are contiguous.
fn range_of(rows: &[u32]) -> Option<Range<usize>> {
    let (&first, &last) = (rows.first()?, rows.last()?);
    ((last - first) as usize + 1 == rows.len()).then(|| first as usize..last as usize + 1)
}

/// The periods that contain an observation, each with its slot.
fn periods<'a>(
    catalog: &'a Catalog,
    rows: &[u32],
    slots: Vec<Slot>,
    granularity: Granularity,
) -> Vec<(Slot, Period<'a>)> {
    let prepared = |slot: &Slot| match slot.parts.as_slice() {
        [days] => catalog.periods.cells(granularity, days).map(|cells| Columns::prepared(cells, rows)),
        _ => None,
    };
    let prepared: Vec<Option<Columns<'a>>> = slots.par_iter().map(prepared).collect();
    let (cut, parts) = cut_parts(&slots, &prepared);
    let mut cut = added_up(catalog, rows, cut.len(), &parts).into_iter();
    slots
        .into_iter()
        .zip(prepared)
        .filter_map(|(slot, prepared)| Some((slot, prepared.or_else(|| cut.next())?)))
        .map(|(slot, columns)| {
            let (date, products) = (slot.date, columns.section().products());
            (slot, Period { date, label: granularity.label(date), products, columns })
        })
        .filter(|(_, period)| period.products > 0)
        .collect()
}

/// A period of the window.
#[derive(Clone)]
struct Slot {
    /// The first day inside the window.
    date: Day,
    /// Its days inside the window, counted from the snapshot's first day. Two ranges if it extends over a gap.
    parts: Vec<Range<u16>>,
}

/// The periods that contain a day of `spans` on which the snapshot may have observations.
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
        if let Some(rows) = range_of(rows) {
            // The listings of a category are contiguous, so the columns are borrowed.
            let (days, flags) = (&cells.days[rows.clone()], &cells.flags[rows.clone()]);
            return Self { prices: prices(&cells.sum[rows], days), days: days.into(), flags: flags.into() };
        }
        let of = |column: &[u8]| -> Vec<u8> { rows.iter().map(|&row| column[row as usize]).collect() };
        let (days, flags) = (of(cells.days), of(cells.flags));
        let sum: Vec<u32> = rows.iter().map(|&row| cells.sum[row as usize]).collect();
        Self { prices: prices(&sum, &days), days: days.into(), flags: flags.into() }
    }
}

/// The products of `rows` in each of `slots` periods, computed from the observations in their parts.
fn added_up(
    catalog: &Catalog,
    rows: &[u32],
    slots: usize,
    parts: &[(usize, Range<u16>)],
) -> Vec<Columns<'static>> {
    let single_days = SingleDays::of(parts);
    let blocks: Vec<Block> = rows
        .par_chunks(LISTINGS_PER_TASK)
        .map(|rows| {
            let mut block = Block::new(rows.len(), slots);
            for (listing, &row) in rows.iter().enumerate() {
                match &single_days {
                    Some(days) => block.add_days(catalog, row, listing, days),
                    None => block.add_parts(catalog, row, listing, parts),
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
    (0..slots).into_par_iter().map(columns).collect()
}

/// Periods of one day each.
struct SingleDays {
    /// The range from the first to the last day.
    days: Range<u16>,
    /// The period of each of these days; `None` in a gap.
    slots: Vec<Option<usize>>,
    /// The periods with their days, if they are few.
    few: Option<Vec<(usize, u16)>>,
}

impl SingleDays {
    /// The periods, if every part is a single day.
    fn of(parts: &[(usize, Range<u16>)]) -> Option<Self> {
        let ((_, first), (_, last)) = (parts.first()?, parts.last()?);
        let days = first.start..last.end;
        let mut slots = vec![None; days.len()];
        for (slot, part) in parts {
            slots[usize::from(part.start - days.start)] = Some(*slot);
        }
        let few = parts.iter().map(|(slot, part)| (*slot, part.start)).collect();
        let few = (parts.len() <= FEW_DAYS).then_some(few);
        parts.iter().all(|(_, part)| part.len() == 1).then_some(Self { days, slots, few })
    }

    /// The number of products in each period.
    fn counts(&self, catalog: &Catalog, rows: &[u32]) -> Vec<u32> {
        // Difference array of the edges of runs of observed days. The prefix sum at a day is the number of products
        // observed on it.
        let add = |mut edges: Vec<u32>, rows: &[u32]| {
            for &row in rows {
                catalog.spells_within(row, &self.days).each_stretch(|_, days| {
                    let days = self.places(&days);
                    edges[days.start] = edges[days.start].wrapping_add(1);
                    edges[days.end] = edges[days.end].wrapping_sub(1);
                });
            }
            edges
        };
        let none = || vec![0; self.days.len() + 1];
        let edges = rows.par_chunks(LISTINGS_PER_TASK).fold(none, add).reduce(none, sums);
        let on = |sum: &mut u32, edge: u32| {
            *sum = sum.wrapping_add(edge);
            Some(*sum)
        };
        let counts = edges.into_iter().scan(0, on);
        // Periods are in the order of their days.
        counts.zip(&self.slots).filter_map(|(count, slot)| slot.map(|_| count)).collect()
    }

    /// The indices of a range of days.
    fn places(&self, days: &Range<u16>) -> Range<usize> {
        usize::from(days.start - self.days.start)..usize::from(days.end - self.days.start)
    }
}

/// Some listings in some periods, stored period by period.
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
        let mut put = |slot: usize, spell: usize| {
            let at = slot * self.listings + listing;
            self.prices[at] = spells.price[spell].into();
            (self.days[at], self.flags[at]) = (1, spells.flags[spell]);
        };
        let cut = catalog.spells_within(row, &single.days);
        match &single.few {
            Some(few) => cut.each_stretch(|spell, days| {
                few.iter().filter(|(_, day)| days.contains(day)).for_each(|(slot, _)| put(*slot, spell));
            }),
            None => cut.each_stretch(|spell, days| {
                single.slots[single.places(&days)].iter().flatten().for_each(|slot| put(*slot, spell));
            }),
        }
    }

    /// Adds the observations of a listing, one part of a period at a time.
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

    /// Adds a part of a period to the value that an earlier part has written.
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

/// The first and the last day with observations of `rows` in the given periods.
fn observed(catalog: &Catalog, rows: &[u32], held: &[Slot]) -> Option<(Day, Day)> {
    let days = |part: &Range<u16>| {
        let part = part.clone();
        rows.iter().filter_map(move |&row| catalog.spells_within(row, &part).days())
    };
    // Most scopes were observed on the first and the last day of the window, so the search for the bound can stop
    // early.
    let first = |part: &Range<u16>| least(days(part).map(|(first, _)| first), part.start);
    let last = |part: &Range<u16>| {
        let furthest = part.end - 1;
        least(days(part).map(|(_, last)| furthest - last), 0).map(|before| furthest - before)
    };
    let first = held.first()?.parts.iter().find_map(first)?;
    let last = held.last()?.parts.iter().rev().find_map(last)?;
    Some((catalog.day(first), catalog.day(last)))
}

/// The minimum of some numbers, with early exit once `bound` is reached. No number may be below `bound`.
fn least(mut numbers: impl Iterator<Item = u16>, bound: u16) -> Option<u16> {
    let first = numbers.next()?;
    let least = numbers
        .try_fold(first, |least, number| if least == bound { Err(least) } else { Ok(least.min(number)) });
    Some(least.unwrap_or(bound))
}
