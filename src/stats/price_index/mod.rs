//! Price indices over many periods of a panel with gaps: bilateral Jevons, fixed and chained; GEKS based on it; the
//! time-product dummy; GEKS and the time-product dummy in rolling windows that are spliced; and confidence intervals
//! by the delete-a-group jackknife.
//!
//! A product has a log price in some of the periods. Products that are present in the same periods are aggregated:
//! their number and the sums of their log prices are sufficient for all methods ([`Row`]). `Links` contains, for
//! every two periods, the number of products in both and the sum of their log changes. A pair of periods is *usable*
//! if enough products are in both, and a period that is not connected by usable pairs has no index. A group of
//! products is left out by subtracting its sums.
//!
//! Sources: Ivancic, Diewert and Fox (2011) for GEKS in rolling windows; Krsinich (2016) and Chessa (2016) for splicing;
//! Diewert and Fox (2022) for the mean splice; de Haan and Krsinich (2014) for the time-product dummy; the CPI Manual of
//! 2020, chapters 8 and 10, for all of them.

use std::ops::Range;

use rayon::prelude::*;

/// Maximum number of periods of a panel. The periods in which a product is present are the bits of a 64-bit word.
pub const PERIODS_MAX: usize = u64::BITS as usize;
/// The number of groups to which products are assigned for the jackknife.
pub const GROUPS: usize = 20;
/// The 97.5 % quantile of Student's t distribution with `GROUPS` − 1 degrees of freedom.
const T_QUANTILE: f64 = 2.093;

/// Method of a price index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexMethod {
    /// Chained Jevons index: the Jevons indices from each period to the next, multiplied.
    JevonsChained,
    /// Fixed-base Jevons index: each period compared directly with the first period.
    JevonsFixed,
    /// GEKS index: the levels that best fit the Jevons indices of all pairs of periods.
    GeksJevons,
    /// Time-product dummy: the levels of periods that best fit all prices, where each product also has a level of its
    /// own.
    Tpd,
}

/// How the levels of a later window are linked to the levels that are already published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "IndexSplice")]
pub enum Splice {
    /// By the mean over all periods that have a published level and are in the window.
    Mean,
    /// By the previous period.
    Movement,
    /// By the first period of the later window.
    Window,
    /// By the period half a window earlier.
    Half,
}

/// Products that are present in the same periods.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Periods in which the products are present, one bit per period. At least two bits are set.
    pub periods: u64,
    /// The jackknife group of the products.
    pub group: u8,
    /// Number of products.
    pub products: u32,
    /// The weight of a product's price in each period of the panel, for the time-product dummy. Empty if all weights
    /// are 1.
    pub weights: Vec<f64>,
    /// The sums of log prices, each multiplied by its weight, by period of the panel.
    pub sums: Vec<f64>,
}

/// The log prices of products in all periods, aggregated by [`Row`], and the links between periods.
#[derive(Debug)]
pub struct LogPanel {
    periods: usize,
    /// The minimum number of products of a usable pair.
    floor: u32,
    rows: Vec<Row>,
    /// The links over all products (`all`), and over the products of each group (`of_groups`).
    all: Links,
    of_groups: Vec<Links>,
}

/// For each pair (earlier, later) of periods, the number of products in both periods and the sum of their log
/// changes.
#[derive(Debug, Clone)]
struct Links {
    periods: usize,
    products: Vec<u32>,
    change: Vec<f64>,
}

/// The group that is left out, if any.
type Left = Option<u8>;

/// The set bits of a word, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

impl Links {
    fn none(periods: usize) -> Self {
        let pairs = periods * periods;
        Self { periods, products: vec![0; pairs], change: vec![0.0; pairs] }
    }

    fn add(&mut self, row: &Row) {
        for later in bits(row.periods) {
            for earlier in bits(row.periods & ((1 << later) - 1)) {
                let at = earlier * self.periods + later;
                self.products[at] += row.products;
                self.change[at] += row.log_sum(later) - row.log_sum(earlier);
            }
        }
    }

    fn plus(&mut self, other: &Self) {
        self.products.iter_mut().zip(&other.products).for_each(|(one, other)| *one += other);
        self.change.iter_mut().zip(&other.change).for_each(|(one, other)| *one += other);
    }

    fn at(&self, earlier: usize, later: usize) -> (u32, f64) {
        let at = earlier * self.periods + later;
        (self.products[at], self.change[at])
    }
}

impl Row {
    fn weight(&self, period: usize) -> f64 {
        self.weights.get(period).copied().unwrap_or(1.0)
    }

    /// The sum of log prices in a period, without weights.
    fn log_sum(&self, period: usize) -> f64 {
        if self.weights.is_empty() { self.sums[period] } else { self.sums[period] / self.weights[period] }
    }
}

impl LogPanel {
    /// A panel of `periods` periods, whose usable pairs have at least `floor` products.
    ///
    /// # Panics
    /// Panics if there are more than [`PERIODS_MAX`] periods.
    pub fn new(periods: usize, floor: u32, rows: Vec<Row>) -> Self {
        assert!(periods <= PERIODS_MAX, "{periods} periods");
        let mut of_groups = vec![Links::none(periods); GROUPS];
        for row in &rows {
            of_groups[usize::from(row.group)].add(row);
        }
        let mut all = Links::none(periods);
        for group in &of_groups {
            all.plus(group);
        }
        Self { periods, floor, rows, all, of_groups }
    }

    /// The number of products in both of two periods.
    pub fn matched(&self, one: usize, other: usize) -> u32 {
        self.all.at(one.min(other), one.max(other)).0
    }

    /// Whether enough products are in both of two periods.
    pub fn is_usable(&self, one: usize, other: usize) -> bool {
        one != other && self.matched(one, other) >= self.floor
    }

    /// The mean log change from one period to another. `None` if the pair is not usable, or if no product remains
    /// after the group `left` is left out.
    fn link(&self, from: usize, to: usize, left: Left) -> Option<f64> {
        let (earlier, later) = (from.min(to), from.max(to));
        if !self.is_usable(earlier, later) {
            return None;
        }
        let (mut products, mut change) = self.all.at(earlier, later);
        if let Some(group) = left {
            let (own, own_change) = self.of_groups[usize::from(group)].at(earlier, later);
            products -= own;
            change -= own_change;
        }
        let mean = (products > 0).then(|| change / f64::from(products))?;
        Some(if from < to { mean } else { -mean })
    }

    /// The log levels of all periods against the first, by a method. `None` for a period that usable pairs do not
    /// connect to a period with a level. Windows have `window` periods.
    pub fn levels(&self, method: IndexMethod, splice: Splice, window: usize) -> Vec<Option<f64>> {
        self.levels_without(method, splice, window, &[None]).swap_remove(0)
    }

    /// Half the width of the 95 % interval of each level, by leaving out one group at a time: Student's quantile
    /// times √(19/20 Σ (θ − mean)²). `None` for the first period, and for a period that does not have a level in each
    /// of these computations.
    pub fn half_widths(&self, method: IndexMethod, splice: Splice, window: usize) -> Vec<Option<f64>> {
        let groups: Vec<Left> = (0..GROUPS as u8).map(Some).collect();
        let levels = self.levels_without(method, splice, window, &groups);
        let half = |period: usize| {
            let levels: Option<Vec<f64>> = levels.iter().map(|levels| levels[period]).collect();
            let levels = levels.filter(|_| period > 0)?;
            let count = GROUPS as f64;
            let mean = levels.iter().sum::<f64>() / count;
            let squares: f64 = levels.iter().map(|level| (level - mean) * (level - mean)).sum();
            Some(T_QUANTILE * ((count - 1.0) / count * squares).sqrt())
        };
        (0..self.periods).map(half).collect()
    }

    /// The levels without each of the given groups.
    fn levels_without(
        &self,
        method: IndexMethod,
        splice: Splice,
        window: usize,
        lefts: &[Left],
    ) -> Vec<Vec<Option<f64>>> {
        match method {
            IndexMethod::JevonsFixed => {
                let level = |period, left| if period == 0 { Some(0.0) } else { self.link(0, period, left) };
                let levels = |&left: &Left| (0..self.periods).map(|period| level(period, left)).collect();
                lefts.iter().map(levels).collect()
            }
            IndexMethod::JevonsChained => lefts.iter().map(|&left| self.chained(left)).collect(),
            IndexMethod::GeksJevons | IndexMethod::Tpd => self.spliced(method, splice, window, lefts),
        }
    }

    fn chained(&self, left: Left) -> Vec<Option<f64>> {
        let mut level = Some(0.0);
        let next = |period: usize| {
            if period > 0 {
                level = level.and_then(|level| Some(level + self.link(period - 1, period, left)?));
            }
            level
        };
        (0..self.periods).map(next).collect()
    }

    /// The levels of the first window, followed by one level for each later period. A later level is estimated in the
    /// window that ends with its period, and is linked to the previous levels.
    fn spliced(
        &self,
        method: IndexMethod,
        splice: Splice,
        window: usize,
        lefts: &[Left],
    ) -> Vec<Vec<Option<f64>>> {
        let first = window.min(self.periods);
        let later = (first..self.periods).map(|period| (period + 1 - window..period + 1, period));
        let windows: Vec<(Range<usize>, usize)> = std::iter::once((0..first, 0)).chain(later).collect();
        let estimates: Vec<Vec<Vec<Option<f64>>>> = windows
            .par_iter()
            .map(|(window, anchor)| self.estimates(method, window, *anchor, lefts))
            .collect();
        let tie = |left: usize| {
            let mut levels = estimates[0][left].clone();
            for ((range, period), estimates) in windows.iter().zip(&estimates).skip(1) {
                let own = &estimates[left];
                // The estimate of the period itself is 0, because the period is the anchor of its window.
                let tied = |at: usize| Some(levels[at]? - own[at - range.start]?);
                let level = match splice {
                    Splice::Movement => tied(period - 1),
                    Splice::Window => tied(range.start),
                    Splice::Half => tied(period - (window - 1) / 2),
                    Splice::Mean => {
                        let all: Vec<f64> = (range.start..*period).filter_map(tied).collect();
                        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
                    }
                };
                levels.push(level);
            }
            levels
        };
        (0..lefts.len()).map(tie).collect()
    }

    /// The log levels of the periods of a window, without each of the given groups. Only periods that usable pairs
    /// connect to `anchor` have a level. The level of `anchor` is 0.
    fn estimates(
        &self,
        method: IndexMethod,
        window: &Range<usize>,
        anchor: usize,
        lefts: &[Left],
    ) -> Vec<Vec<Option<f64>>> {
        let levels = |equations: &Equations| {
            let levels = equations.solve(anchor);
            let level = |period| {
                let place = equations.periods.binary_search(&period).ok()?;
                levels.as_ref().map(|levels| levels[place])
            };
            window.clone().map(level).collect()
        };
        let joined = |left| self.joined(window, anchor, left);
        if method == IndexMethod::GeksJevons {
            return lefts.iter().map(|&left| levels(&self.of_links(joined(left), left))).collect();
        }
        // The products are processed once, and the contribution of a group is then subtracted. If some
        // periods are no longer connected to the anchor without the group, the remaining products are processed again.
        let whole = joined(None);
        let groups = self.of_products(whole, None);
        let all = groups.iter().fold(Equations::none(whole), |all, group| all.plus(group, 1.0));
        let of = |&left: &Left| {
            let own = joined(left);
            match left {
                None => levels(&all),
                Some(group) if own == whole => levels(&all.clone().plus(&groups[usize::from(group)], -1.0)),
                Some(_) => {
                    let rest = self.of_products(own, left);
                    levels(&rest.iter().fold(Equations::none(own), |all, group| all.plus(group, 1.0)))
                }
            }
        };
        lefts.iter().map(of).collect()
    }

    /// The equations of all links between the given periods.
    fn of_links(&self, joined: u64, left: Left) -> Equations {
        let mut equations = Equations::none(joined);
        for later in 0..equations.periods.len() {
            for earlier in 0..later {
                let (from, to) = (equations.periods[earlier], equations.periods[later]);
                if let Some(change) = self.link(from, to, left) {
                    equations.add_link(earlier, later, change);
                }
            }
        }
        equations
    }

    /// The equations of all products in the given periods, by group.
    fn of_products(&self, joined: u64, left: Left) -> Vec<Equations> {
        let mut groups = vec![Equations::none(joined); GROUPS];
        let rows = self.rows.iter().filter(|row| Some(row.group) != left);
        rows.for_each(|row| groups[usize::from(row.group)].add_products(row, joined));
        groups
    }

    /// The periods of a window that usable pairs connect to `anchor`, including `anchor` itself, as a bit mask.
    fn joined(&self, window: &Range<usize>, anchor: usize, left: Left) -> u64 {
        let (mut joined, mut open) = (1_u64 << anchor, vec![anchor]);
        while let Some(period) = open.pop() {
            for other in window.clone() {
                if joined & (1 << other) == 0 && self.link(period, other, left).is_some() {
                    joined |= 1 << other;
                    open.push(other);
                }
            }
        }
        joined
    }
}

/// Normal equations of the levels. The matrix is symmetric, and singular unless one level is fixed at 0.
#[derive(Debug, Clone)]
struct Equations {
    /// The periods that have a level, ascending.
    periods: Vec<usize>,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

impl Equations {
    fn none(periods: u64) -> Self {
        let periods: Vec<usize> = bits(periods).collect();
        let size = periods.len();
        Self { matrix: vec![0.0; size * size], right: vec![0.0; size], periods }
    }

    /// Adds other equations of the same periods, multiplied by `times`.
    fn plus(mut self, other: &Self, times: f64) -> Self {
        self.matrix.iter_mut().zip(&other.matrix).for_each(|(one, other)| *one += times * other);
        self.right.iter_mut().zip(&other.right).for_each(|(one, other)| *one += times * other);
        self
    }

    /// Adds the term (change − (level of `later` − level of `earlier`))².
    fn add_link(&mut self, earlier: usize, later: usize, change: f64) {
        let size = self.periods.len();
        for (one, other) in [(earlier, later), (later, earlier)] {
            self.matrix[one * size + one] += 1.0;
            self.matrix[one * size + other] -= 1.0;
        }
        self.right[later] += change;
        self.right[earlier] -= change;
    }

    /// Adds the squared deviations of products from their weighted mean. The level of each product is thereby
    /// eliminated.
    fn add_products(&mut self, row: &Row, joined: u64) {
        let size = self.periods.len();
        let own = row.periods & joined;
        if own.count_ones() < 2 {
            return;
        }
        let places: Vec<(usize, usize)> = self
            .periods
            .iter()
            .enumerate()
            .filter(|(_, period)| own & (1 << **period) != 0)
            .map(|(place, &period)| (place, period))
            .collect();
        let (mut weight, mut sum) = (0.0, 0.0);
        for &(_, period) in &places {
            weight += row.weight(period);
            sum += row.sums[period];
        }
        let products = f64::from(row.products);
        for &(place, period) in &places {
            let own = row.weight(period);
            self.right[place] += row.sums[period] - own * sum / weight;
            self.matrix[place * size + place] += products * own;
            for &(other, at) in &places {
                self.matrix[place * size + other] -= products * own * row.weight(at) / weight;
            }
        }
    }

    /// The levels by Cholesky decomposition, with the level of `anchor` fixed at 0; `None` if the equations do not
    /// determine all levels.
    fn solve(&self, anchor: usize) -> Option<Vec<f64>> {
        let size = self.periods.len();
        let free: Vec<usize> = (0..size).filter(|&place| self.periods[place] != anchor).collect();
        let n = free.len();
        let mut lower = vec![0.0; n * n];
        for row in 0..n {
            for column in 0..=row {
                let dot: f64 = (0..column).map(|k| lower[row * n + k] * lower[column * n + k]).sum();
                let rest = self.matrix[free[row] * size + free[column]] - dot;
                if row == column {
                    // The pivot is positive unless only a rounding error is left of it.
                    if rest <= f64::EPSILON * self.matrix[free[row] * size + free[row]] {
                        return None;
                    }
                    lower[row * n + row] = rest.sqrt();
                } else {
                    lower[row * n + column] = rest / lower[column * n + column];
                }
            }
        }
        let mut levels: Vec<f64> = free.iter().map(|&place| self.right[place]).collect();
        for row in 0..n {
            let dot: f64 = (0..row).map(|k| lower[row * n + k] * levels[k]).sum();
            levels[row] = (levels[row] - dot) / lower[row * n + row];
        }
        for row in (0..n).rev() {
            let dot: f64 = (row + 1..n).map(|k| lower[k * n + row] * levels[k]).sum();
            levels[row] = (levels[row] - dot) / lower[row * n + row];
        }
        let mut all = vec![0.0; size];
        free.iter().zip(levels).for_each(|(&place, level)| all[place] = level);
        Some(all)
    }
}

#[cfg(test)]
mod tests;
