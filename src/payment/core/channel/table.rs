//! A channel in memory: its turn, who waits for it, and what is known of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::row::ChannelRow;
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};

/// After a claim that failed, the first time and at most.
const AGAIN: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(10));
/// One channel, in memory.
pub(super) struct Channel {
    pub(super) id: ChannelId,
    pub(super) config: ChannelConfig,
    /// What sales, deposits and refunds wait for.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Requests at work on it or waiting for their turn.
    pub(super) waiting: AtomicUsize,
    state: Mutex<ChannelState>,
}

/// What is known of a channel.
pub(super) struct ChannelState {
    /// As the ledger has it; `None` while nobody has put money in.
    pub(super) row: Option<ChannelRow>,
    /// When this process last read the chain for it.
    pub(super) read_at: Option<Instant>,
    /// The newest look whose word was taken.
    pub(super) query: u64,
    /// The second in which vouchers are counted, and how many came.
    pub(super) pace: (u64, u32),
    /// When it may be claimed again, after it could not be.
    pub(super) claims: Patience,
}

impl Channel {
    pub(super) fn new(id: ChannelId, config: ChannelConfig, row: Option<ChannelRow>) -> Self {
        let state = ChannelState { row, read_at: None, query: 0, pace: (0, 0), claims: Patience::new() };
        Self {
            id,
            config,
            turn: tokio::sync::Mutex::default(),
            waiting: AtomicUsize::new(0),
            state: Mutex::new(state),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ChannelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request is at work on it, or waits for it.
    pub(super) fn is_busy(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }
}

/// A request's place among those that wait for a channel.
pub(super) struct Waiting(pub(super) Arc<Channel>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// How long to wait after failures in a row.
pub(super) struct Patience {
    pause: Duration,
    until: Option<Instant>,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { pause: AGAIN.0, until: None }
    }

    pub(super) fn is_over(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() >= until)
    }

    pub(super) fn failed(&mut self) {
        self.until = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(AGAIN.1);
    }

    pub(super) fn succeeded(&mut self) {
        *self = Self::new();
    }
}
