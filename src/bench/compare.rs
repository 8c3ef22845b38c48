//! Compares the server with the floor, a server with the same loop and a constant answer. Each turn searches for the
//! knee of the server and then for the knee of the floor. The ratios are medians over the turns.
//!
//! The measurement is passed in as a function of side and rate, so that the order and the ratios can be tested
//! without a server.

use serde::Serialize;

use super::knee::{Ladder, Rung};
use super::record::{Measured, Side};

/// First rate of a search, as a share of the knee of the previous turn. The share is small enough that the first rate
/// is below the knee despite noise.
const START_SHARE: f64 = 0.5;
/// First rate of the first search, in requests per second.
const START_RATE: f64 = 500.0;

/// One turn: measurements of the server and the floor, one right after the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Turn {
    /// Highest rate that the server kept up with; `None` if the knee was not searched for or not found.
    pub server_knee: Option<f64>,
    /// Highest rate that the floor kept up with; `None` as for the server.
    pub floor_knee: Option<f64>,
    /// p99 of the server at half of its knee or at the requested rate, in microseconds.
    pub server_p99_us: Option<f64>,
    /// p99 of the floor at half of its own knee, in microseconds.
    pub floor_p99_us: Option<f64>,
    /// p99 of the floor at the rate of [`Self::server_p99_us`], in microseconds.
    pub floor_p99_same_rate_us: Option<f64>,
    /// Knee of the server divided by the knee of the floor.
    pub throughput_ratio: Option<f64>,
    /// p99 of the server divided by the p99 of the floor, each at half of its own knee.
    pub p99_ratio: Option<f64>,
    /// p99 of the server divided by the p99 of the floor, both at half of the knee of the server or at the requested
    /// rate.
    pub p99_ratio_same_rate: Option<f64>,
}

/// Medians over the turns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratios {
    /// Knee of the server divided by the knee of the floor.
    pub throughput: Option<f64>,
    /// p99 of the server divided by the p99 of the floor, each at half of its own knee.
    pub p99: Option<f64>,
    /// p99 of the server divided by the p99 of the floor, both at the same rate.
    pub p99_same_rate: Option<f64>,
}

/// All measurements of both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Median knee of the server, in requests per second.
    pub server_knee: Option<f64>,
    /// Median knee of the floor, in requests per second.
    pub floor_knee: Option<f64>,
    /// Ratios of the server to the floor, as medians over the turns.
    pub ratios: Ratios,
    /// The turns.
    pub turns: Vec<Turn>,
    /// The runs, in the order they were made.
    pub runs: Vec<Measured>,
}

/// Compares both sides at a rate, or at their knees if `rate` is `None`. If `with_floor` is false, only the server is
/// measured. `measure` makes one run of one side at a rate.
///
/// # Errors
/// Returns an error if a side cannot be reached.
pub fn compare(
    measure: impl FnMut(Side, f64) -> anyhow::Result<Measured>,
    rate: Option<f64>,
    turns: usize,
    with_floor: bool,
) -> anyhow::Result<Comparison> {
    let mut runs = Runs { measure, with_floor, all: Vec::new() };
    let mut starts = [START_RATE; 2];
    let mut done = Vec::with_capacity(turns);
    for _ in 0..turns {
        let turn = match rate {
            Some(rate) => runs.at_rate(rate)?,
            None => runs.at_knees(starts)?,
        };
        for (start, knee) in starts.iter_mut().zip([turn.server_knee, turn.floor_knee]) {
            *start = knee.map_or(*start, |knee| knee * START_SHARE);
        }
        done.push(turn);
    }
    let over = |field: fn(&Turn) -> Option<f64>| median(done.iter().filter_map(field).collect());
    Ok(Comparison {
        server_knee: over(|turn| turn.server_knee),
        floor_knee: over(|turn| turn.floor_knee),
        ratios: Ratios {
            throughput: over(|turn| turn.throughput_ratio),
            p99: over(|turn| turn.p99_ratio),
            p99_same_rate: over(|turn| turn.p99_ratio_same_rate),
        },
        turns: done,
        runs: runs.all,
    })
}

/// The runs made so far, and the function that makes the next one.
struct Runs<F> {
    measure: F,
    with_floor: bool,
    all: Vec<Measured>,
}

impl<F: FnMut(Side, f64) -> anyhow::Result<Measured>> Runs<F> {
    fn at_rate(&mut self, rate: f64) -> anyhow::Result<Turn> {
        let (server, floor) = (self.p99(Side::Server, Some(rate))?, self.p99(Side::Floor, Some(rate))?);
        Ok(Turn::of([None; 2], [server, None, floor]))
    }

    fn at_knees(&mut self, starts: [f64; 2]) -> anyhow::Result<Turn> {
        let knees = [self.climb(Side::Server, starts[0])?, self.climb(Side::Floor, starts[1])?];
        let [server, floor] = knees.map(|knee| knee.map(|knee| knee / 2.0));
        let at_half =
            [self.p99(Side::Server, server)?, self.p99(Side::Floor, floor)?, self.p99(Side::Floor, server)?];
        Ok(Turn::of(knees, at_half))
    }

    /// Searches for the knee of a side; `None` if the side is not measured or does not keep up with any rate.
    fn climb(&mut self, side: Side, start: f64) -> anyhow::Result<Option<f64>> {
        let mut ladder = Ladder::from(start);
        while let Some(rate) = ladder.next() {
            let Some(run) = self.run(side, rate)? else { return Ok(None) };
            ladder.push(Rung { asked: rate, achieved: run.achieved, p99_us: run.latency.p99_us });
        }
        Ok(ladder.knee())
    }

    /// The p99 of a side at a rate, in microseconds; `None` without a rate, or if the side is not measured.
    fn p99(&mut self, side: Side, rate: Option<f64>) -> anyhow::Result<Option<f64>> {
        let Some(rate) = rate else { return Ok(None) };
        Ok(self.run(side, rate)?.map(|run| run.latency.p99_us))
    }

    /// Makes one run of a side; `None` for the floor if it is not measured.
    fn run(&mut self, side: Side, rate: f64) -> anyhow::Result<Option<&Measured>> {
        if side == Side::Floor && !self.with_floor {
            return Ok(None);
        }
        self.all.push((self.measure)(side, rate)?);
        Ok(self.all.last())
    }
}

impl Turn {
    /// Creates a turn from the knees of both sides, and the p99 of the server, of the floor, and of the floor at the
    /// server's rate.
    fn of([server_knee, floor_knee]: [Option<f64>; 2], [server, floor, same]: [Option<f64>; 3]) -> Self {
        let ratio = |over: Option<f64>, under: Option<f64>| Some(over? / under.filter(|&under| under > 0.0)?);
        Self {
            server_knee,
            floor_knee,
            server_p99_us: server,
            floor_p99_us: floor,
            floor_p99_same_rate_us: same,
            throughput_ratio: ratio(server_knee, floor_knee),
            p99_ratio: ratio(server, floor),
            p99_ratio_same_rate: ratio(server, same),
        }
    }
}

/// The median; the mean of the two middle values if their number is even; `None` for an empty list.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let high = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) { f64::midpoint(values[middle - 1], high) } else { high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a server that can answer 30,000 requests per second and a floor that can answer 50,000.
    fn toy(calls: &mut Vec<Side>) -> impl FnMut(Side, f64) -> anyhow::Result<Measured> + '_ {
        |side, rate| {
            calls.push(side);
            let (capacity, least) = if side == Side::Server { (30_000.0, 100.0) } else { (50_000.0, 50.0) };
            let p99 = if rate > capacity { 1e6 } else { least * (1.0 + rate / capacity) };
            Ok(Measured::of_toy(side, rate, rate.min(capacity), p99))
        }
    }

    #[test]
    fn knees_and_ratios() {
        let mut calls = Vec::new();
        let all = compare(toy(&mut calls), None, 3, true).expect("figures");
        let ratios = all.ratios;
        assert_eq!((all.turns.len(), all.runs.len()), (3, calls.len()));
        let throughput = ratios.throughput.expect("a ratio");
        assert!((0.5..0.7).contains(&throughput), "{throughput}");
        // Each side runs at half its knee and is equally busy, so the ratio is the ratio of the service times.
        assert!((1.9..2.1).contains(&ratios.p99.expect("a ratio")));
        assert!(ratios.p99_same_rate > ratios.p99, "the floor is less busy at the server's rate");
        assert!(all.server_knee < all.floor_knee);
        let changes = calls.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes, 3 * 4 - 1, "climb, climb, half, halves in every turn");
    }

    #[test]
    fn one_rate_is_one_run_of_each() {
        let mut calls = Vec::new();
        let all = compare(toy(&mut calls), Some(15_000.0), 1, true).expect("figures");
        assert_eq!(calls, [Side::Server, Side::Floor]);
        assert_eq!((all.ratios.throughput, all.server_knee), (None, None));
        assert!((all.ratios.p99_same_rate.expect("a ratio") - 150.0 / 65.0).abs() < 1e-9);
        let mut calls = Vec::new();
        let all = compare(toy(&mut calls), Some(15_000.0), 2, false).expect("figures");
        assert_eq!((calls.len(), all.ratios.p99_same_rate), (2, None));
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }
}
