//! The panel on which a price index is computed: the products of a scope by calendar period, without errors.
//!
//! A product is a listing, in any condition. Its price in a period is the mean of its daily prices there. A price that
//! differs from the product's median over the window by more than a factor of 3 is an error. A period is used if it has
//! at least ten products. The index starts at the first of these periods that has at least half the median number of
//! products, because the index of a growing catalog would otherwise start with a handful of products.

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

/// The minimum number of products of a period that is used, and of a pair of periods that is compared.
pub const PRODUCTS_MIN: u32 = 10;
/// The minimum number of periods of an index.
pub const PERIODS_MIN: usize = 2;
/// The maximum distance of a log price from the median of its product: a factor of 3, with a tolerance for rounding.
const LOG_DISTANCE_MAX: f64 = 1.098_612_288_668_109_8 + 1e-12;
/// If the highest price of a product is at most this factor times the lowest, no price of the product is an error.
const FACTOR_SURE: f64 = 2.999_999;
/// The number of products per parallel task.
const PRODUCTS_PER_TASK: usize = 2_048;
/// The number of products per step of [`require`].
const PRODUCTS_PER_LOOK: usize = 256;
/// The number of periods that is always sufficient: of three or more periods, at least two have at least half the
/// median number of products.
const PERIODS_SURE: usize = 3;

/// A product that is assigned to a jackknife group: its uid, its index, and the panel periods in which it is present.
type Dealt = (u64, u32, u64);

/// For each period with an observation, the number of products whose price is not an error.
type Counts = Vec<u32>;

/// The prices of products by period, and the prices among them that are not errors.
pub struct PricePanel<'a> {
    periods: Vec<Period<'a>>,
    observed: Option<(Day, Day)>,
    /// For each product, the periods in which it has a price that is not an error, one bit per period.
    presence: Vec<u64>,
    /// For each period, the number of products whose price is not an error.
    pub products: Counts,
    /// The number of prices that are errors.
    pub outliers: u32,
    /// The indices of the panel periods, which are the periods that the index uses. The first of them is the base.
    pub panel: Vec<usize>,
}

/// The numbers of products in a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    /// Products in at least one panel period.
    pub products: u32,
    /// Products in at least two panel periods.
    pub matched: u32,
    /// Products in all panel periods.
    pub complete: u32,
}

/// A product that is in both the base and the last period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mover {
    /// Row of the listing.
    pub row: u32,
    /// The mean price in the base period, in cents.
    pub from: Fraction,
    /// The mean price in the last period, in cents.
    pub to: Fraction,
}

impl<'a> PricePanel<'a> {
    /// Builds the panel of some rows (ascending) over a span of days.
    ///
    /// # Panics
    /// Panics if there are more than 64 periods.
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

    /// The periods that contain an observation.
    pub fn periods(&self) -> &[Period<'a>] {
        &self.periods
    }

    /// The span of the observations behind these prices.
    pub fn span(&self) -> Span {
        let mut span = Span::default();
        if let Some((first, last)) = self.observed {
            span.add(first.start());
            span.add(last.start());
        }
        span
    }

    /// The presence of a product in the panel periods, one bit per period.
    fn in_panel(&self, product: usize) -> u64 {
        let presence = self.presence[product];
        let bit = |(bit, &at): (usize, &usize)| (presence >> at & 1) << bit;
        self.panel.iter().enumerate().map(bit).sum()
    }

    /// Aggregates the products of the panel by periods and jackknife group. Products in at least two periods are
    /// assigned to the groups in turn, in the order of their uids.
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
        // Parts have a fixed length, independent of the number of threads, so that floating-point sums are
        // reproducible.
        let parts: Vec<Vec<Row>> = matched
            .par_chunks(PRODUCTS_PER_TASK)
            .enumerate()
            .map(|(part, products)| together(&columns, products, part * PRODUCTS_PER_TASK))
            .collect();
        let counts = Matching { products, matched: matched.len() as u32, complete };
        (LogPanel::new(self.panel.len(), PRODUCTS_MIN, joined(parts)), counts)
    }

    /// The products of both the base and the last panel period.
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
    /// The price relative, last over base, as a fraction of integers.
    pub fn relative(&self) -> (u64, u64) {
        (self.to.0 * u64::from(self.from.1), self.from.0 * u64::from(self.to.1))
    }
}

/// Checks that an index can be computed over a span of days. Products are examined until three periods have enough of
/// them. All products are examined only if that does not happen.
///
/// # Errors
/// Returns an error with the number of panel periods if it is less than [`PERIODS_MIN`].
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

/// The periods in which a product has a price, and the periods among them in which the price is not an error, as bit
/// masks.
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

/// The periods with enough products, from the first one that has at least half the median number of products.
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

/// Aggregates products into rows by periods and group. `first` is the number of the first product among all assigned
/// products.
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
        // Most prices equal the price in the previous period, so its logarithm is reused.
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

/// Merges the rows of all parts with the same periods and group, in the order of the parts.
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
