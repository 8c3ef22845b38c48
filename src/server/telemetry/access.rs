//! Sampling of the access log: every request is logged, up to a maximum number of lines per second.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Maximum number of requests that are logged in one second. The other requests of that second are counted.
const LINES_PER_SECOND_MAX: u32 = 500;

/// A budget of lines that is reset every second.
#[derive(Debug)]
pub struct AccessLog {
    began: Instant,
    second: AtomicU64,
    logged: AtomicU32,
    unlogged: AtomicU64,
}

impl AccessLog {
    /// A log that has written no line yet.
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            second: AtomicU64::new(0),
            logged: AtomicU32::new(0),
            unlogged: AtomicU64::new(0),
        }
    }

    /// Whether a request that ends now is logged. A request that is answered with 500 is always logged.
    pub fn takes(&self, status: u16) -> bool {
        self.takes_at(self.began.elapsed().as_secs(), status)
    }

    /// Number of requests that were not logged so far.
    pub fn unlogged(&self) -> u64 {
        self.unlogged.load(Ordering::Relaxed)
    }

    fn takes_at(&self, second: u64, status: u16) -> bool {
        // Two requests may both reset the counter of a second, which then gets a few more lines.
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.logged.store(0, Ordering::Relaxed);
        }
        let is_logged = self.logged.fetch_add(1, Ordering::Relaxed) < LINES_PER_SECOND_MAX || status == 500;
        if !is_logged {
            self.unlogged.fetch_add(1, Ordering::Relaxed);
        }
        is_logged
    }
}

impl Default for AccessLog {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_sampled_and_counted() {
        let log = AccessLog::new();
        let logged = (0..2 * LINES_PER_SECOND_MAX).filter(|_| log.takes_at(7, 200)).count();
        assert_eq!((logged as u32, log.unlogged()), (LINES_PER_SECOND_MAX, u64::from(LINES_PER_SECOND_MAX)));
        assert!(log.takes_at(7, 500), "a fault of the server is always told");
        assert!(log.takes_at(8, 200), "another second");
    }
}
