//! The failure limiter: a payer whose payments fail [`FAILURES_PER_PAYER_MAX`] times within [`FAILING_WINDOW`] is
//! refused (429), before any network call, until the window of the first failure is over. Signing what cannot be paid
//! is free, and each such payment costs a facilitator, a node and this server seconds of work.
//!
//! A payer's failure is a payment whose chain answers and does not hold it: refused, not settled, or sent and in no
//! block. A payment that fails because a third party does not answer is not a failure of its payer (`net::health`
//! handles that), and a payment that is paid clears its payer. Invariant: the payer was checked by signature, so a
//! client cannot fail in another's name.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::claim::RailName;

/// As many failed payments of one payer in a window keep the next from being looked at.
pub const FAILURES_PER_PAYER_MAX: u32 = 10;
/// How long failures count, from the first on.
pub const FAILING_WINDOW: Duration = Duration::from_mins(1);
/// Who is remembered; beyond them the one whose window began first is forgotten.
pub const PAYERS_REMEMBERED_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    since: Instant,
}

impl Failures {
    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= FAILING_WINDOW
    }
}

/// Payers whose payments failed of late, by rail.
pub type FailingPayers = FailureWindows<(RailName, String)>;

impl Default for FailingPayers {
    fn default() -> Self {
        Self::new(FAILURES_PER_PAYER_MAX)
    }
}

/// Who failed of late.
#[derive(Debug)]
pub struct FailureWindows<K> {
    failures_max: u32,
    windows: Mutex<BTreeMap<K, Failures>>,
}

impl<K: Ord + Clone> FailureWindows<K> {
    /// Windows in which `failures_max` failures are let pass.
    pub fn new(failures_max: u32) -> Self {
        Self { failures_max, windows: Mutex::default() }
    }

    /// Seconds after which somebody is looked at again; `None` when it is now.
    pub fn refuses(&self, who: &K, now: Instant) -> Option<u64> {
        let failures = *self.lock().get(who)?;
        if failures.is_over(now) || failures.count < self.failures_max {
            return None;
        }
        let rest = FAILING_WINDOW.saturating_sub(now.saturating_duration_since(failures.since));
        Some(rest.as_secs() + 1)
    }

    /// Notes a failure.
    pub fn fail(&self, who: &K, now: Instant) {
        let mut windows = self.lock();
        if windows.len() >= PAYERS_REMEMBERED_MAX && !windows.contains_key(who) {
            windows.retain(|_, failures| !failures.is_over(now));
            let first = windows.iter().min_by_key(|(_, failures)| failures.since).map(|(key, _)| key.clone());
            if let Some(first) = first.filter(|_| windows.len() >= PAYERS_REMEMBERED_MAX) {
                windows.remove(&first);
            }
        }
        let failures = windows.entry(who.clone()).or_insert(Failures { count: 0, since: now });
        if failures.is_over(now) {
            *failures = Failures { count: 0, since: now };
        }
        failures.count = failures.count.saturating_add(1);
    }

    /// Forgets somebody's failures.
    pub fn clear(&self, who: &K) {
        self.lock().remove(who);
    }

    /// How many are not looked at now.
    pub fn count(&self, now: Instant) -> usize {
        let refused = |failures: &&Failures| !failures.is_over(now) && failures.count >= self.failures_max;
        self.lock().values().filter(refused).count()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, Failures>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAIL: RailName = RailName::new("one");
    const OTHER: RailName = RailName::new("other");
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_payer_who_fails_too_often_waits_for_the_end_of_the_window() {
        let (payers, began) = (FailingPayers::default(), Instant::now());
        for count in 0..FAILURES_PER_PAYER_MAX {
            assert_eq!(payers.refuses(&(RAIL, "a".into()), began), None, "after {count}");
            payers.fail(&(RAIL, "a".into()), began);
        }
        assert_eq!(payers.refuses(&(RAIL, "a".into()), began), Some(FAILING_WINDOW.as_secs() + 1));
        assert_eq!(payers.refuses(&(RAIL, "a".into()), began + SECOND), Some(FAILING_WINDOW.as_secs()));
        assert_eq!(payers.count(began), 1);
        for (rail, payer) in [(RAIL, "b"), (OTHER, "a")] {
            assert_eq!(payers.refuses(&(rail, payer.into()), began), None, "{rail} {payer}");
        }
        let after = began + FAILING_WINDOW;
        assert_eq!((payers.refuses(&(RAIL, "a".into()), after), payers.count(after)), (None, 0));
        payers.fail(&(RAIL, "a".into()), after);
        assert_eq!(payers.refuses(&(RAIL, "a".into()), after), None, "a new window");
    }

    #[test]
    fn a_payment_that_is_paid_clears_its_payer() {
        let (payers, now) = (FailingPayers::default(), Instant::now());
        (0..FAILURES_PER_PAYER_MAX).for_each(|_| payers.fail(&(RAIL, "a".into()), now));
        payers.clear(&(RAIL, "a".into()));
        assert_eq!(payers.refuses(&(RAIL, "a".into()), now), None);
    }

    #[test]
    fn many_payers_cannot_fill_the_memory() {
        let (payers, now) = (FailingPayers::default(), Instant::now());
        for _ in 0..FAILURES_PER_PAYER_MAX {
            payers.fail(&(RAIL, "first".into()), now);
        }
        for number in 0..PAYERS_REMEMBERED_MAX {
            payers.fail(&(RAIL, number.to_string()), now + SECOND);
        }
        assert_eq!(payers.lock().len(), PAYERS_REMEMBERED_MAX);
        assert_eq!(
            payers.refuses(&(RAIL, "first".into()), now + SECOND),
            None,
            "the oldest window is forgotten"
        );
        payers.fail(&(RAIL, "last".into()), now + SECOND + FAILING_WINDOW);
        assert_eq!(payers.lock().len(), 1, "what is over goes first");
    }
}
