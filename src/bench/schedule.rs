//! The scheduled send times of requests: a function of rate, arrivals and seed, independent of answers.
//!
//! Times are nanoseconds from the start of a run. A run begins with a warm-up, whose requests are sent but not
//! counted.

use crate::stats::rng::Rng;

/// Nanoseconds per second.
pub const SECOND_NS: u64 = 1_000_000_000;

/// Distribution of the times between requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// At equal intervals.
    Constant,
    /// At exponentially distributed intervals, as from many independent clients.
    Poisson,
}

/// A run at one rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Requests per second.
    pub rate: f64,
    /// Distribution of the times between requests.
    pub arrivals: Arrivals,
    /// Length of the warm-up, in nanoseconds.
    pub warmup_ns: u64,
    /// Length of the measured time, in nanoseconds.
    pub measured_ns: u64,
    /// Seed of the intervals.
    pub seed: u64,
}

/// Merges the times of two streams in ascending order. Each time comes with the index of its stream. If two times are
/// equal, that of the first stream comes first.
pub fn merge(
    first: impl Iterator<Item = u64>,
    second: impl Iterator<Item = u64>,
) -> impl Iterator<Item = (u64, usize)> {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || match (first.peek(), second.peek()) {
        (Some(a), Some(b)) if b < a => second.next().map(|at| (at, 1)),
        (Some(_), _) => first.next().map(|at| (at, 0)),
        _ => second.next().map(|at| (at, 1)),
    })
}

impl Plan {
    /// Length of the whole run, in nanoseconds.
    pub const fn end_ns(&self) -> u64 {
        self.warmup_ns + self.measured_ns
    }

    /// Whether a request with the scheduled send time `at` is counted.
    pub const fn counts(&self, at: u64) -> bool {
        at >= self.warmup_ns && at < self.end_ns()
    }

    /// The scheduled send times of the requests, ascending.
    pub fn times(&self) -> impl Iterator<Item = u64> + use<> {
        let (plan, mut rng) = (*self, Rng::new(self.seed));
        let distance = SECOND_NS as f64 / plan.rate;
        let mut next = 0.0;
        // Times at equal intervals are products instead of sums, so that rounding errors do not add up.
        (0_u64..)
            .map(move |number| match plan.arrivals {
                Arrivals::Constant => (number as f64 * distance) as u64,
                Arrivals::Poisson => {
                    next += rng.exponential(distance);
                    next as u64
                }
            })
            .take_while(move |&at| at < plan.end_ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rate: f64, arrivals: Arrivals) -> Plan {
        Plan { rate, arrivals, warmup_ns: SECOND_NS, measured_ns: 4 * SECOND_NS, seed: 3 }
    }

    #[test]
    fn constant_times_are_the_rate() {
        let plan = plan(30_000.0, Arrivals::Constant);
        let times: Vec<u64> = plan.times().collect();
        assert_eq!(times.len(), 150_000);
        assert_eq!((times[0], times[30_000]), (0, SECOND_NS));
        assert_eq!(times.iter().filter(|&&at| plan.counts(at)).count(), 120_000);
    }

    #[test]
    fn two_streams_become_one() {
        let merged: Vec<_> = merge([0, 5, 9].into_iter(), [3, 5, 12, 13].into_iter()).collect();
        assert_eq!(merged, [(0, 0), (3, 1), (5, 0), (5, 1), (9, 0), (12, 1), (13, 1)]);
        assert_eq!(merge([].into_iter(), [].into_iter()).count(), 0);
    }

    #[test]
    fn poisson_times_are_the_rate_on_average() {
        let times: Vec<u64> = plan(10_000.0, Arrivals::Poisson).times().collect();
        assert!(times.is_sorted() && (49_000..51_000).contains(&times.len()), "{}", times.len());
        // The share of distances below the mean is that of an exponential distribution: 1 - 1/e.
        let short = times.windows(2).filter(|pair| pair[1] - pair[0] < SECOND_NS / 10_000).count();
        assert!((0.62..0.645).contains(&(short as f64 / times.len() as f64)));
        assert!(plan(10_000.0, Arrivals::Poisson).times().eq(times));
    }
}
