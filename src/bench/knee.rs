//! Finds the knee: the highest rate that a server keeps up with.
//!
//! Rates grow by a factor until a rung fails. The gap between the last rung that held and the first that failed is
//! then halved, in ratio, a few times. Each decision is a function of the rungs measured so far.

/// Factor from one rung to the next.
pub const GROWTH: f64 = 1.5;
/// Minimum share of the requested rate that a rung must achieve.
pub const ACHIEVED_MIN: f64 = 0.95;
/// A rung fails if its p99 is more than this many times that of the lowest rung...
pub const P99_GROWTH_MAX: f64 = 20.0;
/// ...and more than this many microseconds, below which requests have not queued up yet.
pub const P99_CALM_US: f64 = 10_000.0;
/// Number of times that the gap at the knee is halved.
pub const HALVINGS: usize = 2;
/// Maximum number of rungs of a climb.
pub const RUNGS_MAX: usize = 40;

/// Result of a rung.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// Requested rate, in requests per second.
    pub asked: f64,
    /// Answered requests per second.
    pub achieved: f64,
    /// 99th percentile of the latency, in microseconds.
    pub p99_us: f64,
}

/// The rungs of a climb, in the order they were measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    start: f64,
    rungs: Vec<Rung>,
}

impl Ladder {
    /// Starts a climb at a rate.
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

    /// The highest rate that held, below the lowest one that failed; `None` if there is no such rate.
    pub fn knee(&self) -> Option<f64> {
        let failed = self.failed();
        let below = |rung: &&Rung| self.holds(rung) && failed.is_none_or(|failed| rung.asked < failed);
        self.rungs.iter().filter(below).map(|rung| rung.asked).max_by(f64::total_cmp)
    }

    /// The lowest rate that failed.
    fn failed(&self) -> Option<f64> {
        self.rungs.iter().filter(|rung| !self.holds(rung)).map(|rung| rung.asked).min_by(f64::total_cmp)
    }

    /// The next rate to measure; `None` at the end of the climb.
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

    /// Climbs on a server that answers at most `capacity` requests per second.
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
            // Within a quarter of a rung, and never above what the server can do.
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
