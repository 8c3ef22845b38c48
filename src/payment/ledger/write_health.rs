//! Write health: whether the ledger can be written, without which no payment is offered.
//!
//! A write that fails takes it down, and only a probe that has written as much as a payment needs brings it up again:
//! on a full disk a small write may still succeed.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two probes of a ledger that can be written.
pub(super) const PROBE_PAUSE_UP: Duration = Duration::from_secs(10);
/// Bytes that a probe writes while the ledger is up: a page or two.
pub(super) const PROBE_BYTES_UP: usize = 1;
/// Bytes that a probe writes before the ledger is up again: more than a payment and its answer take.
pub(super) const PROBE_BYTES_DOWN: usize = 256 << 10;

#[derive(Debug, Default)]
struct State {
    fault: Option<String>,
    probed: Option<Instant>,
}

/// Whether the ledger can be written, as its threads know it.
#[derive(Debug, Default)]
pub(super) struct WriteHealth(Mutex<State>);

impl WriteHealth {
    /// Why it cannot.
    pub(super) fn fault(&self) -> Option<String> {
        self.with(|state| state.fault.clone())
    }

    /// Notes how it stands; logs when that is another standing than before.
    pub(super) fn note(&self, fault: Option<&str>) {
        let before = self.with(|state| std::mem::replace(&mut state.fault, fault.map(str::to_owned)));
        match (before.as_deref(), fault) {
            (Some(_), None) => tracing::info!("the ledger can be written again: payments are offered"),
            (before, Some(why)) if before != Some(why) => {
                tracing::error!(why, "the ledger cannot be written: no payment is offered or taken");
            }
            _ => {}
        }
    }

    /// Whether it is time for a probe, and then of how many bytes.
    pub(super) fn probe_due(&self, now: Instant) -> Option<usize> {
        self.with(|state| {
            if state.fault.is_some() {
                return Some(PROBE_BYTES_DOWN);
            }
            let is_fresh = |probed: Instant| now.saturating_duration_since(probed) < PROBE_PAUSE_UP;
            (!state.probed.is_some_and(is_fresh)).then(|| {
                state.probed = Some(now);
                PROBE_BYTES_UP
            })
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
