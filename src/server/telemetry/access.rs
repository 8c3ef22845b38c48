//! Which requests get their line in the log: all of them, until there are too many to be read.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Requests that are logged in one second; the others of that second are counted.
const LINES_PER_SECOND_MAX: u32 = 500;

/// A budget of lines that begins anew with every second.
#[derive(Debug)]
pub struct AccessLog {
    began: Instant,
    second: AtomicU64,
    logged: AtomicU32,
    unlogged: AtomicU64,
}

impl AccessLog {
    /// A log that has written nothing yet.
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            second: AtomicU64::new(0),
            logged: AtomicU32::new(0),
            unlogged: AtomicU64::new(0),
        }
    }

    /// Whether a request that ends now gets its line. What the server failed at always does.
    pub fn takes(&self, status: u16) -> bool {
        self.takes_at(self.began.elapsed().as_secs(), status)
    }

    /// Requests without a line so far.
    pub fn unlogged(&self) -> u64 {
        self.unlogged.load(Ordering::Relaxed)
    }

    fn takes_at(&self, second: u64, status: u16) -> bool {
        // Two requests may both begin a second; then it has a few lines more.
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
