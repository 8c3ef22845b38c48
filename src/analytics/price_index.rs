//! The panel that a price index is computed from: products of a scope by calendar period, errors left out.
//!
//! A product is a listing, in any condition; its price in a period is the mean of its daily prices there. What is farther
//! than a factor of 3 from the product's median over the window is an error. Periods of ten products and more count, from
//! the first one that has half as many as usual: a catalog that grows would begin with a handful.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::Span;
use super::panel::{self, Period};
use crate::catalog::Catalog;
use crate::stats::exact::Fraction;
use crate::stats::price_index::{GROUPS, LogPanel, PERIODS_MAX, Row};
use crate::stats::quantile::median_mut;
use crate::types::{Day, Granularity};

/// Fewest products of a period that counts, and of a pair of them that is used.
pub const PRODUCTS_MIN: u32 = 10;
/// Fewest periods of an index.
pub const PERIODS_MIN: usize = 2;
/// Largest distance of a log price from the median of its product: a factor of 3.
const LOG_DISTANCE_MAX: f64 = 1.098_612_288_668_109_8 + 1e-12;
/// The same as a factor between lowest and highest price below which nothing can be that far.
const FACTOR_SURE: f64 = 2.999_999;
/// Products that one task works on.
const PRODUCTS_PER_TASK: usize = 2_048;
/// Products that are looked at together until it is sure that there is an index.
const PRODUCTS_PER_LOOK: usize = 256;
/// Periods that are enough, of any number of products: at least two of three or more have half their median.
const PERIODS_SURE: usize = 3;

/// A product that is dealt into a group: its uid, its place, its presence in the panel.
type Dealt = (u64, u32, u64);

/// How many products of each period that holds an observation are left.
type Counts = Vec<u32>;

/// Products by period, and what became of them.
pub struct PricePanel<'a> {
    periods: Vec<Period<'a>>,
    observed: Option<(Day, Day)>,
    /// Presence of each product by period, errors left out.
    presence: Vec<u64>,
    /// Products of each period, errors left out.
    pub products: Counts,
    /// PricePanel that are errors.
    pub outliers: u32,
    /// Places of the panel periods among the periods, the base first.
    pub panel: Vec<usize>,
}

/// Products that are left in a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    /// In one of its periods at least.
    pub products: u32,
    /// In two at least.
    pub matched: u32,
    /// In all.
    pub complete: u32,
}

/// A product in base and last period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mover {
    /// Row of the listing.
    pub row: u32,
    /// Mean price in the base period, in cents.
    pub from: Fraction,
    /// Mean price in the last period.
    pub to: Fraction,
}

impl<'a> PricePanel<'a> {
    /// Of some rows (ascending) over a span of days.
    ///
    /// # Panics
    /// With more than 64 periods.
    pub fn of(catalog: &'a Catalog, rows: &[u32], span: Range<Day>, granularity: Granularity) -> Self {
        let panel::Panel { periods, observed } =
            panel::panel(catalog, rows, std::slice::from_ref(&span), granularity);
        assert!(periods.len() <= PERIODS_MAX, "{} periods", periods.len());
        let columns: Vec<&[f64]> = periods.iter().map(|period| period.section().prices).collect();
        let task = |start: usize| {
            let mut presence = Vec::with_capacity(PRODUCTS_PER_TASK);
            let (mut products, mut outliers) = (vec![0; columns.len()], 0);
            for product in start..rows.len().min(start + PRODUCTS_PER_TASK) {
                let (seen, left) = presence_of(&columns, product);
                outliers += (seen & !left).count_ones();
                (0..columns.len()).filter(|at| left & (1 << at) != 0).for_each(|at| products[at] += 1);
                presence.push(left);
            }
            (presence, products, outliers)
        };
        let starts: Vec<usize> = (0..rows.len()).step_by(PRODUCTS_PER_TASK).collect();
        let tasks: Vec<(Vec<u64>, Counts, u32)> = starts.into_par_iter().map(task).collect();
        let mut products = vec![0; periods.len()];
        for (_, own, _) in &tasks {
            products.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
        let outliers = tasks.iter().map(|(_, _, outliers)| outliers).sum();
        let presence = tasks.into_iter().flat_map(|(presence, ..)| presence).collect();
        let panel = panel_periods(&products);
        Self { periods, observed, presence, products, outliers, panel }
    }

    /// The periods that hold an observation.
    pub fn periods(&self) -> &[Period<'a>] {
        &self.periods
    }

    /// When these prices were observed.
    pub fn span(&self) -> Span {
        let mut span = Span::default();
        if let Some((first, last)) = self.observed {
            span.add(first.start());
            span.add(last.start());
        }
        span
    }

    /// Presence of a product in the panel periods, a bit each.
    fn in_panel(&self, product: usize) -> u64 {
        let presence = self.presence[product];
        let bit = |(bit, &at): (usize, &usize)| (presence >> at & 1) << bit;
        self.panel.iter().enumerate().map(bit).sum()
    }

    /// The products of the panel put together, each in the group that it is left out with: those of two periods or more
    /// are dealt out in turn, in the order of their uids.
    pub fn log_panel(&self, catalog: &Catalog, rows: &[u32]) -> (LogPanel, Matching) {
        let uids = &catalog.listings.product_uid;
        let whole = u64::MAX >> (PERIODS_MAX - self.panel.len());
        let task = |start: usize| {
            let (mut products, mut complete, mut matched) = (0, 0, Vec::with_capacity(PRODUCTS_PER_TASK));
            for product in start..rows.len().min(start + PRODUCTS_PER_TASK) {
                let periods = self.in_panel(product);
                products += u32::from(periods != 0);
                complete += u32::from(periods == whole);
                if periods.count_ones() >= 2 {
                    matched.push((uids[rows[product] as usize], product as u32, periods));
                }
            }
            (products, complete, matched)
        };
        let starts: Vec<usize> = (0..rows.len()).step_by(PRODUCTS_PER_TASK).collect();
        let tasks: Vec<(u32, u32, Vec<Dealt>)> = starts.into_par_iter().map(task).collect();
        let products = tasks.iter().map(|(products, ..)| products).sum();
        let complete = tasks.iter().map(|(_, complete, _)| complete).sum();
        let mut matched: Vec<Dealt> = tasks.into_iter().flat_map(|(.., matched)| matched).collect();
        matched.par_sort_unstable();
        let columns: Vec<&[f64]> = self.panel.iter().map(|&at| self.periods[at].section().prices).collect();
        // The parts are of one length whatever the number of threads, so a sum has one value.
        let parts: Vec<Vec<Row>> = matched
            .par_chunks(PRODUCTS_PER_TASK)
            .enumerate()
            .map(|(part, products)| together(&columns, products, part * PRODUCTS_PER_TASK))
            .collect();
        let counts = Matching { products, matched: matched.len() as u32, complete };
        (LogPanel::new(self.panel.len(), PRODUCTS_MIN, joined(parts)), counts)
    }

    /// Products of both the base and the last panel period.
    pub fn movers(&self, rows: &[u32]) -> Vec<Mover> {
        let (Some(&base), Some(&last)) = (self.panel.first(), self.panel.last()) else { return Vec::new() };
        let (before, after) = (self.periods[base].section(), self.periods[last].section());
        let both = 1_u64 << base | 1 << last;
        let mover = |product: usize| {
            let (from, to) = (before.fraction(product)?, after.fraction(product)?);
            (self.presence[product] & both == both).then(|| Mover { row: rows[product], from, to })
        };
        (0..rows.len()).filter_map(mover).collect()
    }
}

impl Mover {
    /// Price relative: last over base, as a fraction of whole numbers.
    pub fn relative(&self) -> (u64, u64) {
        (self.to.0 * u64::from(self.from.1), self.from.0 * u64::from(self.to.1))
    }
}

/// Whether there is an index over a span of days: products are looked at until three periods have enough, and all of them
/// only where that does not come to pass.
///
/// # Errors
/// The number of panel periods, where that is too small.
pub fn require(
    catalog: &Catalog,
    rows: &[u32],
    span: &Range<Day>,
    granularity: Granularity,
) -> Result<(), usize> {
    let mut counted: HashMap<Day, u32> = HashMap::new();
    for rows in rows.chunks(PRODUCTS_PER_LOOK) {
        let part = PricePanel::of(catalog, rows, span.clone(), granularity);
        for (period, products) in part.periods.iter().zip(&part.products) {
            *counted.entry(period.date).or_default() += products;
        }
        if counted.values().filter(|&&products| products >= PRODUCTS_MIN).count() >= PERIODS_SURE {
            return Ok(());
        }
    }
    let mut counted: Vec<(Day, u32)> = counted.into_iter().collect();
    counted.sort_unstable();
    let products: Counts = counted.into_iter().map(|(_, products)| products).collect();
    match panel_periods(&products).len() {
        enough if enough >= PERIODS_MIN => Ok(()),
        few => Err(few),
    }
}

/// The periods in which a product has a price, and those of them in which that is no error, a bit each.
fn presence_of(columns: &[&[f64]], product: usize) -> (u64, u64) {
    let (mut seen, mut low, mut high) = (0, f64::INFINITY, 0.0_f64);
    for (at, column) in columns.iter().enumerate() {
        let price = column[product];
        if price > 0.0 {
            seen |= 1 << at;
            (low, high) = (low.min(price), high.max(price));
        }
    }
    if high <= low * FACTOR_SURE || seen == 0 {
        return (seen, seen);
    }
    let mut logs: Vec<f64> =
        columns.iter().map(|column| column[product]).filter(|&price| price > 0.0).map(f64::ln).collect();
    let Some(median) = median_mut(&mut logs) else { return (seen, seen) };
    let is_far = |&at: &usize| {
        let price = columns[at][product];
        price > 0.0 && (price.ln() - median).abs() > LOG_DISTANCE_MAX
    };
    let far: u64 = (0..columns.len()).filter(is_far).map(|at| 1 << at).sum();
    (seen, seen & !far)
}

/// The periods with enough products, from the first one on that has at least half as many as their median.
fn panel_periods(products: &[u32]) -> Vec<usize> {
    let mut periods: Vec<usize> = (0..products.len()).filter(|&at| products[at] >= PRODUCTS_MIN).collect();
    let mut counts: Vec<u32> = periods.iter().map(|&at| products[at]).collect();
    counts.sort_unstable();
    let n = counts.len();
    if n > 0 {
        let twice_median = u64::from(counts[(n - 1) / 2]) + u64::from(counts[n / 2]);
        let base = periods.iter().position(|&at| 4 * u64::from(products[at]) >= twice_median);
        periods.drain(..base.unwrap_or(0));
    }
    periods
}

/// Rows of some products, the first of which is the `first` one that is dealt out.
fn together(columns: &[&[f64]], products: &[Dealt], first: usize) -> Vec<Row> {
    let mut places: HashMap<(u64, u8), usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for (at, &(_, product, periods)) in products.iter().enumerate() {
        let group = ((first + at) % GROUPS) as u8;
        let place = *places.entry((periods, group)).or_insert_with(|| {
            rows.push(Row {
                periods,
                group,
                products: 0,
                weights: Vec::new(),
                sums: vec![0.0; columns.len()],
            });
            rows.len() - 1
        });
        let row = &mut rows[place];
        row.products += 1;
        // Most prices are those of the period before.
        let (mut known, mut log) = (0.0_f64, 0.0);
        for (bit, column) in columns.iter().enumerate().filter(|(bit, _)| periods & (1 << bit) != 0) {
            let price = column[product as usize];
            if price.to_bits() != known.to_bits() {
                (known, log) = (price, price.ln());
            }
            row.sums[bit] += log;
        }
    }
    rows
}

/// The rows of all parts, those of the same periods and group added up in the order of the parts.
fn joined(parts: Vec<Vec<Row>>) -> Vec<Row> {
    let mut places: HashMap<(u64, u8), usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for row in parts.into_iter().flatten() {
        match places.entry((row.periods, row.group)) {
            std::collections::hash_map::Entry::Occupied(place) => {
                let known = &mut rows[*place.get()];
                known.products += row.products;
                known.sums.iter_mut().zip(&row.sums).for_each(|(sum, own)| *sum += own);
            }
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(rows.len());
                rows.push(row);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_has_half_as_many_products_as_usual() {
        assert_eq!(panel_periods(&[10, 9, 60, 100, 9, 120, 10]), [2, 3, 5, 6]);
        assert_eq!(panel_periods(&[10, 30]), [0, 1]);
        assert_eq!(panel_periods(&[10, 31]), [1]);
        assert_eq!(panel_periods(&[9, 9]), [0_usize; 0]);
    }

    #[test]
    fn three_periods_always_have_two_of_half_the_median() {
        for counts in [[10, 10, 1_000], [10, 1_000, 1_000], [10, 11, 12], [10, 500, 100_000]] {
            assert!(panel_periods(&counts).len() >= PERIODS_MIN, "{counts:?}");
        }
    }

    #[test]
    fn an_error_is_three_times_away_from_the_median() {
        let prices = [[100.0], [0.0], [100.0], [301.0], [299.0], [30.0]];
        let columns: Vec<&[f64]> = prices.iter().map(<[f64; 1]>::as_slice).collect();
        assert_eq!(presence_of(&columns, 0), (0b11_1101, 0b01_0101));
    }
}
