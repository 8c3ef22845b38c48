//! Finds the knee: the highest rate that a server keeps up with.
//!
//! A rung is a measurement at one rate. The rate grows by a constant factor until the server does not keep up with
//! it. The interval between the highest rate that passed and the lowest rate that failed is then halved a few times,
//! at the geometric mean. Each rate is a function of the rungs measured so far.

/// Factor from the rate of one rung to the rate of the next rung.
pub const GROWTH: f64 = 1.5;
/// Minimum share of the requested rate that a rung must achieve.
pub const ACHIEVED_MIN: f64 = 0.95;
/// Maximum p99 of a rung that passes, as a multiple of the p99 of the rung with the lowest rate.
pub const P99_GROWTH_MAX: f64 = 20.0;
/// A p99 up to this number of microseconds always passes, because requests do not queue yet.
pub const P99_CALM_US: f64 = 10_000.0;
/// Number of times that the interval around the knee is halved.
pub const HALVINGS: usize = 2;
/// Maximum number of rungs of a search.
pub const RUNGS_MAX: usize = 40;

/// Result of a measurement at one rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// Requested rate, in requests per second.
    pub asked: f64,
    /// Answered requests per second.
    pub achieved: f64,
    /// 99th percentile of the latency, in microseconds.
    pub p99_us: f64,
}

/// The rungs of one search for a knee, in the order of measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    start: f64,
    rungs: Vec<Rung>,
}

impl Ladder {
    /// Starts a search at a rate, in requests per second.
    pub const fn from(start: f64) -> Self {
        Self { start, rungs: Vec::new() }
    }

    /// Adds a measured rung.
    pub fn push(&mut self, rung: Rung) {
        self.rungs.push(rung);
    }

    /// Whether the server kept up with a rung.
    pub fn holds(&self, rung: &Rung) -> bool {
        let calm = self.rungs.iter().min_by(|a, b| a.asked.total_cmp(&b.asked)).map_or(0.0, |low| low.p99_us);
        rung.achieved >= ACHIEVED_MIN * rung.asked && rung.p99_us <= P99_CALM_US.max(P99_GROWTH_MAX * calm)
    }

    /// The highest rate that the server kept up with, below the lowest rate that failed; `None` if there is no such
    /// rate.
    pub fn knee(&self) -> Option<f64> {
        let failed = self.failed();
        let below = |rung: &&Rung| self.holds(rung) && failed.is_none_or(|failed| rung.asked < failed);
        self.rungs.iter().filter(below).map(|rung| rung.asked).max_by(f64::total_cmp)
    }

    /// The lowest rate that failed.
    fn failed(&self) -> Option<f64> {
        self.rungs.iter().filter(|rung| !self.holds(rung)).map(|rung| rung.asked).min_by(f64::total_cmp)
    }

    /// The next rate to measure; `None` at the end of the search.
    pub fn next(&self) -> Option<f64> {
        if self.rungs.len() >= RUNGS_MAX {
            return None;
        }
        let Some(highest) = self.rungs.iter().map(|rung| rung.asked).max_by(f64::total_cmp) else {
            return Some(self.start);
        };
        match (self.knee(), self.failed()) {
            (_, None) => Some(highest * GROWTH),
            // The start was too high.
            (None, Some(failed)) => (failed > 1.0).then_some(failed / GROWTH / GROWTH),
            (Some(knee), Some(failed)) => {
                let narrow = GROWTH.powf(0.5_f64.powi(HALVINGS as i32)) * 1.000_001;
                (failed / knee > narrow).then_some((knee * failed).sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches for the knee of a server that answers at most `capacity` requests per second.
    fn climb(start: f64, capacity: f64) -> Ladder {
        let mut ladder = Ladder::from(start);
        while let Some(asked) = ladder.next() {
            let p99_us = if asked > capacity { 400_000.0 } else { 80.0 + 900.0 * asked / capacity };
            ladder.push(Rung { asked, achieved: asked.min(capacity), p99_us });
        }
        ladder
    }

    #[test]
    fn the_knee_is_found_from_anywhere() {
        for (start, capacity) in [(100.0, 43_000.0), (1_000.0, 61_234.0), (500_000.0, 20_000.0), (7.0, 8.0)] {
            let ladder = climb(start, capacity);
            let knee = ladder.knee().expect("a knee");
            // The knee is at most about a quarter of a rung below the capacity, and never above it.
            assert!(
                knee <= capacity && knee * GROWTH.powf(0.26) >= capacity,
                "{knee} of {capacity} from {start}"
            );
            assert!(ladder.rungs.len() < RUNGS_MAX);
        }
    }

    #[test]
    fn a_rung_fails_by_rate_or_by_latency() {
        let mut ladder = Ladder::from(100.0);
        ladder.push(Rung { asked: 100.0, achieved: 100.0, p99_us: 1_000.0 });
        let holds = |achieved, p99_us| ladder.holds(&Rung { asked: 1_000.0, achieved, p99_us });
        assert!(holds(950.0, 20_000.0));
        assert!(!holds(949.0, 100.0));
        assert!(!holds(1_000.0, 20_001.0));
    }

    #[test]
    fn ignores_rungs_above_the_first_failure() {
        let mut ladder = Ladder::from(100.0);
        for (asked, achieved) in [(100.0, 100.0), (150.0, 120.0), (225.0, 225.0)] {
            ladder.push(Rung { asked, achieved, p99_us: 100.0 });
        }
        assert_eq!(ladder.knee(), Some(100.0));
    }

    #[test]
    fn a_dead_server_has_no_knee() {
        assert_eq!(climb(1_000.0, 0.0).knee(), None);
    }
}
