//! How payment stands, in numbers: what an operator's metrics are made of. Counters begin with the server and only grow;
//! the rest is as it is at the moment.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::claim::{LedgerMetrics, RailName};

/// Upper bounds of the times that payments are counted by, in seconds; what takes longer is counted beyond the last.
pub const PAYMENT_SECONDS: [f64; 9] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0];

/// How payment stands.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentMetrics {
    /// Every configured rail.
    pub rails: Vec<RailMetrics>,
    /// Payments that were taken and have ended, by rail and by what they came to.
    pub payments: Vec<PaymentCount>,
    /// Payers whose payments are not looked at for now, because too many failed.
    pub payers_failing: usize,
    /// The ledger.
    pub ledger: LedgerMetrics,
    /// Payment channels, a manager for each rail.
    pub channels: Vec<ChannelMetrics>,
}

/// Upper bounds of the times that commits on payment channels are counted by, in seconds.
pub const COMMIT_SECONDS: [f64; 9] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25];

/// What a claim of payment channels can come to.
pub const CLAIM_OUTCOMES: [&str; 2] = ["claimed", "failed"];

/// How payment channels stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChannelMetrics {
    /// Channels in memory.
    pub channels: usize,
    /// What is sold on them and not claimed, in atomic USDC.
    pub at_risk: u64,
    /// Seconds since the chain was last read for all of them; `None` before the first time.
    pub mirror_age_s: Option<f64>,
    /// Channels whose payer takes the money out by force.
    pub withdrawals: usize,
    /// Claims by what they came to.
    pub claims: Vec<(&'static str, u64)>,
    /// Times of sales, from the ledger's order to its word.
    pub commits: CommitTimes,
}

/// How long commits took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CommitTimes {
    /// How many.
    pub count: u64,
    /// Seconds, all together.
    pub seconds: f64,
    /// How many took at most each of [`COMMIT_SECONDS`] and more than the one before; the last entry counts the others.
    pub by_seconds: [u64; COMMIT_SECONDS.len() + 1],
}

impl CommitTimes {
    /// These and others.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.count += other.count;
        self.seconds += other.seconds;
        for (count, more) in self.by_seconds.iter_mut().zip(other.by_seconds) {
            *count += more;
        }
        self
    }

    /// Counts one.
    pub fn count(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = COMMIT_SECONDS.iter().position(|bound| seconds <= *bound);
        self.count += 1;
        self.seconds += seconds;
        self.by_seconds[bucket.unwrap_or(COMMIT_SECONDS.len())] += 1;
    }
}

/// How a rail stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailMetrics {
    /// Which.
    pub rail: RailName,
    /// Whether it is offered.
    pub is_open: bool,
    /// Payments at work.
    pub at_work: usize,
}

/// Payments of one rail that came to the same.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentCount {
    /// Rail.
    pub rail: RailName,
    /// What they came to, in the words of [`PaymentOutcome::as_str`](super::outcome::PaymentOutcome::as_str).
    pub outcome: &'static str,
    /// How many.
    pub count: u64,
    /// Seconds from claim to end, all together.
    pub seconds: f64,
    /// How many took at most each of [`PAYMENT_SECONDS`]; the last entry counts those that took longer than all.
    pub by_seconds: [u64; PAYMENT_SECONDS.len() + 1],
}

/// Counts payments as they end.
#[derive(Debug, Default)]
pub struct PaymentTally(Mutex<BTreeMap<(RailName, &'static str), PaymentCount>>);

impl PaymentTally {
    /// Counts one.
    pub fn count(&self, rail: RailName, outcome: &'static str, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = PAYMENT_SECONDS.iter().position(|bound| seconds <= *bound);
        let mut counts = self.lock();
        let counted = counts.entry((rail, outcome)).or_insert_with(|| PaymentCount {
            rail,
            outcome,
            count: 0,
            seconds: 0.0,
            by_seconds: [0; PAYMENT_SECONDS.len() + 1],
        });
        counted.count += 1;
        counted.seconds += seconds;
        counted.by_seconds[bucket.unwrap_or(PAYMENT_SECONDS.len())] += 1;
    }

    /// All counts, by rail and outcome.
    pub fn counts(&self) -> Vec<PaymentCount> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(RailName, &'static str), PaymentCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payments_are_counted_by_rail_outcome_and_time() {
        const RAIL: RailName = RailName::new("any");
        let tally = PaymentTally::default();
        for (outcome, millis) in [("paid", 100), ("paid", 101), ("paid", 60_000), ("refused", 1)] {
            tally.count(RAIL, outcome, Duration::from_millis(millis));
        }
        let counts = tally.counts();
        let seen: Vec<_> = counts.iter().map(|it| (it.outcome, it.count, it.by_seconds)).collect();
        assert_eq!(
            seen,
            [("paid", 3, [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]), ("refused", 1, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0])]
        );
    }
}
