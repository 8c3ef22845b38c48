//! What was measured of one side at one rate.

use std::collections::BTreeMap;

use serde::Serialize;

use super::record::Latency;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The server.
    Server,
    /// The floor.
    Floor,
}

/// One run of one side at one rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// What was measured.
    pub side: Side,
    /// Requests per second that were asked for.
    pub asked: f64,
    /// Requests per second that were answered in the measured time.
    pub achieved: f64,
    /// Latency from the moment a request was meant to be sent.
    pub latency: Latency,
    /// The same by route.
    pub routes: BTreeMap<&'static str, Latency>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests whose connection broke.
    pub broken: u64,
    /// Requests without an answer when the run ended.
    pub late: u64,
    /// Time by which the generator itself was late, 99 in a hundred no later, in microseconds. Where this comes near
    /// the latencies, the generator is what was measured.
    pub generator_lag_p99_us: f64,
    /// Latency of the requests that were sent beside.
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
