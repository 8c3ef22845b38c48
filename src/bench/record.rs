//! Results of a run: latencies from the scheduled send times of requests, answers by status, and failures.
//!
//! A request that was not sent or not answered, because the server fell behind, is counted with the time it had
//! waited when the run ended. Leaving it out would make the server look faster.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Maximum latency that is recorded, in nanoseconds: ten minutes.
const LATENCY_MAX_NS: u64 = 600_000_000_000;
/// Number of significant decimal digits of a latency.
const DIGITS: u8 = 3;
/// Nanoseconds per microsecond.
const MICRO_NS: f64 = 1_000.0;

/// The outcome of a counted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOutcome {
    /// Answered with this status.
    Answered(u16),
    /// The connection broke.
    Broken,
    /// Not answered before the end of the run.
    Late,
}

/// Counts of a run.
#[derive(Debug, Clone)]
pub struct Record {
    all: Histogram<u64>,
    routes: BTreeMap<usize, Histogram<u64>>,
    /// Answers by status.
    pub(super) statuses: BTreeMap<u16, u64>,
    /// Requests whose connection broke.
    pub(super) broken: u64,
    /// Requests that had no answer when the run ended.
    pub(super) late: u64,
}

/// Latencies in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// 50th percentile.
    pub p50_us: f64,
    /// 90th percentile.
    pub p90_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile.
    pub p999_us: f64,
    /// Maximum.
    pub max_us: f64,
    /// Number of counted requests.
    pub count: u64,
}

/// An empty histogram of nanoseconds.
pub(super) fn histogram() -> Histogram<u64> {
    // Bounds and digits are constants that the histogram accepts.
    Histogram::new_with_bounds(1, LATENCY_MAX_NS, DIGITS).unwrap_or_else(|_| unreachable!("sound bounds"))
}

impl Default for Record {
    fn default() -> Self {
        Self { all: histogram(), routes: BTreeMap::new(), statuses: BTreeMap::new(), broken: 0, late: 0 }
    }
}

impl Record {
    /// Counts a request to a route. `meant` is its scheduled send time, and `ended` the time at which it ended, both
    /// in nanoseconds of the same clock.
    pub fn add(&mut self, route: usize, meant: u64, ended: u64, outcome: RequestOutcome) {
        match outcome {
            RequestOutcome::Answered(status) => *self.statuses.entry(status).or_default() += 1,
            RequestOutcome::Broken => self.broken += 1,
            RequestOutcome::Late => self.late += 1,
        }
        let latency = ended.saturating_sub(meant).max(1);
        self.all.saturating_record(latency);
        self.routes.entry(route).or_insert_with(histogram).saturating_record(latency);
    }

    /// Latencies of all requests.
    pub fn latency(&self) -> Latency {
        Latency::of(&self.all)
    }

    /// Latencies by route.
    pub fn routes(&self) -> impl Iterator<Item = (usize, Latency)> + '_ {
        self.routes.iter().map(|(&route, histogram)| (route, Latency::of(histogram)))
    }
}

impl Latency {
    fn of(histogram: &Histogram<u64>) -> Self {
        let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / MICRO_NS;
        Self {
            p50_us: at(0.5),
            p90_us: at(0.9),
            p99_us: at(0.99),
            p999_us: at(0.999),
            max_us: histogram.max() as f64 / MICRO_NS,
            count: histogram.len(),
        }
    }
}

/// The measured server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The server under test.
    Server,
    /// The floor, which is the reference server with a constant answer.
    Floor,
}

/// One run of one side at one rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The measured side.
    pub side: Side,
    /// Requested rate, in requests per second.
    pub asked: f64,
    /// Requests per second that were answered in the measured time.
    pub achieved: f64,
    /// Latency of the requests, from their scheduled send times.
    pub latency: Latency,
    /// Latency by route.
    pub routes: BTreeMap<&'static str, Latency>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests whose connection broke.
    pub broken: u64,
    /// Requests without an answer when the run ended.
    pub late: u64,
    /// 99th percentile of the generator's own delay in sending, in microseconds. If this delay is close to the
    /// latencies, the latencies measure the generator instead of the server.
    pub generator_lag_p99_us: f64,
    /// Latency of the additional requests of `--beside`; `None` if there are none.
    pub beside: Option<Latency>,
}

impl Measured {
    /// Requests that were not answered with 200 or a documented 404.
    pub fn errors(&self) -> u64 {
        let answered: u64 = self
            .statuses
            .iter()
            .filter(|(status, _)| !matches!(status, 200 | 404))
            .map(|(_, count)| count)
            .sum();
        answered + self.broken + self.late
    }

    #[cfg(test)]
    pub(super) fn of_toy(side: Side, asked: f64, achieved: f64, p99_us: f64) -> Self {
        let latency = Latency {
            p50_us: p99_us / 2.0,
            p90_us: p99_us,
            p99_us,
            p999_us: p99_us,
            max_us: p99_us,
            count: 1,
        };
        Self {
            side,
            asked,
            achieved,
            latency,
            routes: BTreeMap::new(),
            statuses: BTreeMap::from([(200, 1), (404, 2), (503, 4)]),
            broken: 8,
            late: 16,
            generator_lag_p99_us: 0.0,
            beside: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_counts_from_the_moment_that_was_meant() {
        // The server stalls for 100 ms while a request is due every millisecond. The first request takes 100 ms, and
        // later requests wait for the rest of the stall.
        let mut record = Record::default();
        for number in 0..1_000_u64 {
            let meant = number * 1_000_000;
            record.add(0, meant, (meant + 50_000).max(100_000_000), RequestOutcome::Answered(200));
        }
        let latency = record.latency();
        let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 0.002;
        assert!(near(latency.max_us, 100_000.0) && near(latency.p50_us, 50.0), "{latency:?}");
        assert!(near(latency.p99_us, 90_000.0), "a tenth of the requests saw the stall: {latency:?}");
    }

    #[test]
    fn every_end_is_counted() {
        let mut record = Record::default();
        record.add(1, 0, 10, RequestOutcome::Answered(200));
        record.add(2, 0, 20, RequestOutcome::Answered(404));
        record.add(2, 5, 30, RequestOutcome::Broken);
        record.add(1, 9, 7, RequestOutcome::Late);
        assert_eq!((record.broken, record.late, record.latency().count), (1, 1, 4));
        assert_eq!(record.statuses, BTreeMap::from([(200, 1), (404, 1)]));
        let routes: Vec<(usize, u64)> =
            record.routes().map(|(route, latency)| (route, latency.count)).collect();
        assert_eq!(routes, [(1, 2), (2, 2)]);
    }

    #[test]
    fn a_quantile_is_within_a_thousandth() {
        let mut record = Record::default();
        (1..=100_000_u64).for_each(|at| record.add(0, 0, at * 1_000, RequestOutcome::Answered(200)));
        let latency = record.latency();
        for (value, wanted) in
            [(latency.p50_us, 5e4), (latency.p90_us, 9e4), (latency.p99_us, 9.9e4), (latency.p999_us, 9.99e4)]
        {
            assert!((value / wanted - 1.0).abs() < 0.002, "{value} {wanted}");
        }
    }
}
