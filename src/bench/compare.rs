//! The server beside its floor: both climb to their knees in turns, and the ratios are medians over the turns.
//!
//! What is measured comes in as a function of side and rate, so that the order and the ratios can be tested without a
//! server.

use serde::Serialize;

use super::knee::{Ladder, Rung};
use super::measured::{Measured, Side};

/// Where the climbs after the first one begin, as a share of the knee of the first: noise must not put the start above
/// the knee.
const START_SHARE: f64 = 0.5;

/// One turn: both sides, one right after the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Turn {
    /// Highest rate that the server kept up with.
    pub server_knee: Option<f64>,
    /// The same of the floor.
    pub floor_knee: Option<f64>,
    /// p99 of the server at half its knee, in microseconds.
    pub server_p99_us: Option<f64>,
    /// p99 of the floor at half its own knee.
    pub floor_p99_us: Option<f64>,
    /// p99 of the floor at half the knee of the server.
    pub floor_p99_same_rate_us: Option<f64>,
    /// Server knee over floor knee.
    pub throughput_ratio: Option<f64>,
    /// p99 of the server over that of the floor, each at half of its knee.
    pub p99_ratio: Option<f64>,
    /// The same with both at half the knee of the server, or at the one rate that was asked for.
    pub p99_ratio_same_rate: Option<f64>,
}

/// Medians over the turns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratios {
    /// Server knee over floor knee.
    pub throughput: Option<f64>,
    /// p99 of the server over that of the floor, each at half of its knee.
    pub p99: Option<f64>,
    /// The same at the same rate.
    pub p99_same_rate: Option<f64>,
}

/// Everything that was measured of both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Runs in the order they were made.
    pub runs: Vec<Measured>,
    /// The turns.
    pub turns: Vec<Turn>,
}

/// Measures a side at a rate.
pub trait Measure {
    /// Runs once.
    ///
    /// # Errors
    /// When the side cannot be reached.
    fn measure(&mut self, side: Side, rate: f64) -> anyhow::Result<Measured>;
}

/// Compares both sides; without a floor the server is measured alone.
///
/// # Errors
/// When a side cannot be reached.
pub fn compare(
    bench: &mut impl Measure,
    wanted: Criterion,
    turns: usize,
    with_floor: bool,
) -> anyhow::Result<Comparison> {
    let mut all = Comparison { runs: Vec::new(), turns: Vec::new() };
    let mut starts = match wanted {
        Criterion::Rate(_) => [0.0; 2],
        Criterion::Knee { start } => [start; 2],
    };
    for _ in 0..turns {
        let turn = match wanted {
            Criterion::Rate(rate) => at_rate(bench, rate, with_floor, &mut all.runs)?,
            Criterion::Knee { .. } => at_knee(bench, starts, with_floor, &mut all.runs)?,
        };
        for (start, knee) in starts.iter_mut().zip([turn.server_knee, turn.floor_knee]) {
            *start = knee.map_or(*start, |knee| knee * START_SHARE);
        }
        all.turns.push(turn);
    }
    Ok(all)
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Latency at one rate.
    Rate(f64),
    /// The knee, climbing from a rate.
    Knee {
        /// The lowest rung.
        start: f64,
    },
}

fn at_rate(
    bench: &mut impl Measure,
    rate: f64,
    with_floor: bool,
    runs: &mut Vec<Measured>,
) -> anyhow::Result<Turn> {
    let server = p99(bench, Side::Server, Some(rate), runs)?;
    let floor = p99(bench, Side::Floor, Some(rate).filter(|_| with_floor), runs)?;
    Ok(Turn::of([None; 2], [server, None, floor]))
}

fn at_knee(
    bench: &mut impl Measure,
    starts: [f64; 2],
    with_floor: bool,
    runs: &mut Vec<Measured>,
) -> anyhow::Result<Turn> {
    let server = climb(bench, Side::Server, starts[0], runs)?;
    let floor = if with_floor { climb(bench, Side::Floor, starts[1], runs)? } else { None };
    let half = |knee: Option<f64>| knee.map(|knee| knee / 2.0);
    let at_half = [
        p99(bench, Side::Server, half(server), runs)?,
        p99(bench, Side::Floor, half(floor), runs)?,
        p99(bench, Side::Floor, half(server).filter(|_| with_floor), runs)?,
    ];
    Ok(Turn::of([server, floor], at_half))
}

fn climb(
    bench: &mut impl Measure,
    side: Side,
    start: f64,
    runs: &mut Vec<Measured>,
) -> anyhow::Result<Option<f64>> {
    let mut ladder = Ladder::from(start);
    while let Some(rate) = ladder.next() {
        let run = bench.measure(side, rate)?;
        ladder.push(Rung { asked: rate, achieved: run.achieved, p99_us: run.latency.p99_us });
        runs.push(run);
    }
    Ok(ladder.knee())
}

fn p99(
    bench: &mut impl Measure,
    side: Side,
    rate: Option<f64>,
    runs: &mut Vec<Measured>,
) -> anyhow::Result<Option<f64>> {
    let Some(rate) = rate else { return Ok(None) };
    let run = bench.measure(side, rate)?;
    let p99 = run.latency.p99_us;
    runs.push(run);
    Ok(Some(p99))
}

impl Turn {
    /// A turn from the knees of both sides, and the p99 of the server, of the floor, and of the floor at the server's
    /// rate.
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

impl Comparison {
    /// Medians over the turns.
    pub fn ratios(&self) -> Ratios {
        let over = |field: fn(&Turn) -> Option<f64>| median(self.turns.iter().filter_map(field).collect());
        Ratios {
            throughput: over(|turn| turn.throughput_ratio),
            p99: over(|turn| turn.p99_ratio),
            p99_same_rate: over(|turn| turn.p99_ratio_same_rate),
        }
    }

    /// Median knee of the server over the turns.
    pub fn server_knee(&self) -> Option<f64> {
        median(self.turns.iter().filter_map(|turn| turn.server_knee).collect())
    }

    /// Median knee of the floor over the turns.
    pub fn floor_knee(&self) -> Option<f64> {
        median(self.turns.iter().filter_map(|turn| turn.floor_knee).collect())
    }
}

/// The median; the mean of the middle two of an even number.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let high = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) { f64::midpoint(values[middle - 1], high) } else { high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that can do 30,000 requests per second and a floor that can do 50,000, a little more every turn.
    struct Toy {
        calls: Vec<Side>,
    }

    impl Measure for Toy {
        fn measure(&mut self, side: Side, rate: f64) -> anyhow::Result<Measured> {
            self.calls.push(side);
            let (capacity, least) = if side == Side::Server { (30_000.0, 100.0) } else { (50_000.0, 50.0) };
            let p99 = if rate > capacity { 1e6 } else { least * (1.0 + rate / capacity) };
            Ok(Measured::of_toy(side, rate, rate.min(capacity), p99))
        }
    }

    #[test]
    fn knees_and_ratios() {
        let mut toy = Toy { calls: Vec::new() };
        let all = compare(&mut toy, Criterion::Knee { start: 1_000.0 }, 3, true).expect("figures");
        let ratios = all.ratios();
        assert_eq!((all.turns.len(), all.runs.len()), (3, toy.calls.len()));
        let throughput = ratios.throughput.expect("a ratio");
        assert!((0.5..0.7).contains(&throughput), "{throughput}");
        // Each at half its knee, so as busy as the other: what is left is the ratio of the service.
        assert!((1.9..2.1).contains(&ratios.p99.expect("a ratio")));
        assert!(ratios.p99_same_rate > ratios.p99, "the floor is less busy at the server's rate");
        assert!(all.server_knee() < all.floor_knee());
        let changes = toy.calls.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes, 3 * 4 - 1, "climb, climb, half, halves in every turn");
    }

    #[test]
    fn one_rate_is_one_run_of_each() {
        let mut toy = Toy { calls: Vec::new() };
        let all = compare(&mut toy, Criterion::Rate(15_000.0), 1, true).expect("figures");
        assert_eq!(toy.calls, [Side::Server, Side::Floor]);
        assert_eq!((all.ratios().throughput, all.server_knee()), (None, None));
        assert!((all.ratios().p99_same_rate.expect("a ratio") - 150.0 / 65.0).abs() < 1e-9);
        let mut toy = Toy { calls: Vec::new() };
        let all = compare(&mut toy, Criterion::Rate(15_000.0), 2, false).expect("figures");
        assert_eq!((toy.calls.len(), all.ratios().p99_same_rate), (2, None));
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }
}
