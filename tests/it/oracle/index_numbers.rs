//! Multilateral and bilateral index numbers over a panel of log prices, by their definitions.

use std::ops::Range;

/// Into how many groups products are dealt for the interval.
pub const GROUPS: usize = 20;
/// Products that two periods must share.
const FLOOR: f64 = 10.0;

pub struct Panel {
    /// By product, by panel period.
    pub x: Vec<Vec<Option<f64>>>,
    /// The group of each product; none where it is in one period alone.
    pub group: Vec<Option<usize>>,
    periods: usize,
    /// By group, the last for products of none: how many products two periods share, and Σ(x_t − x_s).
    shared: Vec<Vec<Vec<(f64, f64)>>>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Method {
    Chained,
    Fixed,
    Geks,
    Tpd,
}

impl Panel {
    pub fn new(x: Vec<Vec<Option<f64>>>, periods: usize) -> Panel {
        let mut dealt = 0;
        let group = x.iter().map(|row| {
            let repeated = row.iter().flatten().count() >= 2;
            dealt += usize::from(repeated);
            repeated.then(|| (dealt - 1) % GROUPS)
        });
        let group: Vec<Option<usize>> = group.collect();
        let mut shared = vec![vec![vec![(0.0, 0.0); periods]; periods]; GROUPS + 1];
        for (row, group) in x.iter().zip(&group) {
            let held: Vec<(usize, f64)> =
                row.iter().enumerate().filter_map(|(t, x)| x.map(|x| (t, x))).collect();
            for (s, from) in &held {
                for (t, to) in &held {
                    let cell = &mut shared[group.unwrap_or(GROUPS)][*s][*t];
                    *cell = (cell.0 + 1.0, cell.1 + to - from);
                }
            }
        }
        Panel { x, group, periods, shared }
    }

    /// Products that two periods share, and their mean difference.
    fn pair(&self, s: usize, t: usize, without: Option<usize>) -> (f64, f64) {
        let kept = (0..=GROUPS).filter(|g| Some(*g) != without);
        let (n, sum) = kept.map(|g| self.shared[g][s][t]).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        (n, sum / n)
    }

    pub fn shared(&self, s: usize, t: usize) -> usize {
        self.pair(s, t, None).0 as usize
    }

    /// The difference of a usable pair.
    pub fn link(&self, s: usize, t: usize, without: Option<usize>) -> Option<f64> {
        let (n, link) = self.pair(s, t, without);
        (self.pair(s, t, None).0 >= FLOOR && n >= 1.0).then_some(link)
    }

    /// Logs of the index by panel period.
    pub fn index(&self, method: Method, splice: &str, w: usize, without: Option<usize>) -> Vec<Option<f64>> {
        let p = self.periods;
        match method {
            Method::Fixed => {
                (0..p).map(|t| if t == 0 { Some(0.0) } else { self.link(0, t, without) }).collect()
            }
            Method::Chained => {
                let mut ln = vec![Some(0.0)];
                for t in 1..p {
                    ln.push(ln[t - 1].and_then(|before| Some(before + self.link(t - 1, t, without)?)));
                }
                ln
            }
            Method::Geks | Method::Tpd => {
                let mut ln = self.estimate(method, 0..p.min(w), 0, without);
                for t in p.min(w)..p {
                    let first = t + 1 - w;
                    let levels = self.estimate(method, first..t + 1, t, without);
                    let at = |l: usize| Some(ln[l]? + levels[t - first]? - levels[l - first]?);
                    let on: Vec<usize> = match splice {
                        "movement" => vec![t - 1],
                        "window" => vec![first],
                        "half" => vec![t - (w - 1) / 2],
                        _ => (first..t).collect(),
                    };
                    let spliced: Vec<f64> = on.into_iter().filter_map(at).collect();
                    let mean = spliced.iter().sum::<f64>() / spliced.len() as f64;
                    ln.push((!spliced.is_empty()).then_some(mean));
                }
                ln
            }
        }
    }

    /// Levels of the periods of a window that usable pairs join to one of them, which has 0.
    fn estimate(
        &self,
        method: Method,
        window: Range<usize>,
        anchor: usize,
        without: Option<usize>,
    ) -> Vec<Option<f64>> {
        let mut joined = vec![anchor];
        let mut at = 0;
        while at < joined.len() {
            let s = joined[at];
            let near = window.clone().filter(|t| *t != s && self.link(s, *t, without).is_some());
            let new: Vec<usize> = near.filter(|t| !joined.contains(t)).collect();
            joined.extend(new);
            at += 1;
        }
        joined.sort_unstable();
        let n = joined.len();
        let (mut a, mut b) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        if method == Method::Geks {
            for i in 0..n {
                for j in (0..n).filter(|j| *j != i) {
                    if let Some(link) = self.link(joined[j], joined[i], without) {
                        a[i][i] += 1.0;
                        a[i][j] -= 1.0;
                        b[i] += link;
                    }
                }
            }
        } else {
            // A product's own level is the mean of what is left of its prices: put in, periods alone remain.
            for (row, group) in self.x.iter().zip(&self.group) {
                if group.is_some() && *group == without {
                    continue;
                }
                let held: Vec<(usize, f64)> =
                    joined.iter().enumerate().filter_map(|(i, t)| row[*t].map(|x| (i, x))).collect();
                let k = held.len() as f64;
                let mean = held.iter().map(|h| h.1).sum::<f64>() / k;
                for (i, x) in &held {
                    a[*i][*i] += 1.0;
                    b[*i] += x - mean;
                    for (j, _) in &held {
                        a[*i][*j] -= 1.0 / k;
                    }
                }
            }
        }
        let own = joined.iter().position(|t| *t == anchor).expect("joined to itself");
        let levels = solve(a, b, own);
        let level = |t: usize| joined.iter().position(|j| *j == t).map(|i| levels[i]);
        window.map(level).collect()
    }
}

/// A singular system whose solution is 0 at `fixed`, by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>, fixed: usize) -> Vec<f64> {
    let n = b.len();
    a[fixed] = vec![0.0; n];
    (a[fixed][fixed], b[fixed]) = (1.0, 0.0);
    for column in 0..n {
        let pivot = (column..n).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs())).unwrap();
        a.swap(column, pivot);
        b.swap(column, pivot);
        let (above, below) = a.split_at_mut(column + 1);
        let pivot = &above[column];
        for (at, row) in below.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(pivot).for_each(|(cell, pivot)| *cell -= factor * pivot);
            b[column + 1 + at] -= factor * b[column];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| a[row][k] * b[k]).sum();
        b[row] = (b[row] - known) / a[row][row];
    }
    b
}
