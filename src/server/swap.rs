//! Swap: replaces the catalog of a running server.
//!
//! `CURRENT` in the directory of snapshots contains the id of the snapshot to serve. When it changes, that snapshot is
//! opened while the old catalog is in use, passes the [`preflight`](super::preflight) checks, and is used for all
//! requests that begin afterwards. A request loads the catalog pointer once, so it sees one snapshot. A thread
//! (`deferred_drop`) drops the old catalog after its last request has ended.
//!
//! A snapshot is refused if it does not open, if an endpoint fails on it, or if it contains much less data than the
//! snapshot in use and is not named in `accept`. The refusal is logged in one line and the old snapshot stays in use. A
//! refused snapshot is tried again only when `CURRENT` or `accept` is written again or the operator sends SIGHUP.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::deferred_drop::DeferredDrop;
use super::preflight::{behind, fit};
use super::rejection::{RejectedSnapshot, SnapshotRefusal};
use super::state::Shared;
use crate::catalog::Catalog;
use crate::server::compute::stay_behind;
use crate::snapshot::manifest::Verification;
use crate::snapshot::mapped::Residence;
use crate::snapshot::publish::{self, CURRENT, Pointer};

/// Time between two checks of `CURRENT`.
pub const SWAP_POLL: Duration = Duration::from_secs(2);

/// Watches `CURRENT` and swaps the catalog.
pub struct Swapper {
    snapshots: PathBuf,
    shared: Arc<Shared>,
    residence: Residence,
    deferred_drop: DeferredDrop<Catalog>,
    /// State of `CURRENT` at the last check, or the reason why it could not be read.
    seen: Mutex<Option<Result<PointerState, RejectedSnapshot>>>,
}

/// Result of a check of `CURRENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// `CURRENT` names the snapshot in use, or is unchanged since the last check.
    Unchanged,
    /// The snapshot of this id is in use now.
    Swapped(String),
    /// The old snapshot stays in use, for this reason.
    Refused(String),
}

/// State of `CURRENT`, and the ids of the snapshots that are accepted whatever their size.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PointerState {
    pointer: Pointer,
    accepted: Result<Vec<String>, String>,
}

impl Swapper {
    /// Creates a swapper for a server that serves the current snapshot.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn new(snapshots: PathBuf, shared: Arc<Shared>) -> std::io::Result<Self> {
        Self::with_residence(snapshots, shared, Residence::Mapped)
    }

    /// Like [`Swapper::new`], with a choice between mapped files and copies in memory.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn with_residence(
        snapshots: PathBuf,
        shared: Arc<Shared>,
        residence: Residence,
    ) -> std::io::Result<Self> {
        Ok(Self {
            snapshots,
            shared,
            residence,
            deferred_drop: DeferredDrop::start()?,
            seen: Mutex::new(None),
        })
    }

    /// Checks `CURRENT` and `accept`, and tries to swap the catalog if one of them has changed since the last check.
    pub fn poll(&self) -> Outcome {
        self.look(false)
    }

    /// Checks `CURRENT` and tries to swap the catalog even if nothing has changed since a refusal.
    pub fn check_now(&self) -> Outcome {
        self.look(true)
    }

    /// Polls on a separate thread until the returned sender is dropped. A message to the sender starts a check at once.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn watch(self) -> std::io::Result<Sender<()>> {
        let (wake, woken) = channel();
        std::thread::Builder::new().name("swap".into()).spawn(move || self.run(&woken))?;
        Ok(wake)
    }

    fn run(&self, woken: &Receiver<()>) {
        stay_behind();
        loop {
            match woken.recv_timeout(SWAP_POLL) {
                Ok(()) => self.check_now(),
                Err(RecvTimeoutError::Timeout) => self.poll(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
    }

    fn look(&self, again: bool) -> Outcome {
        // The lock is kept for the whole check. Otherwise two concurrent checks could open the same snapshot twice.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let found = mark(&self.snapshots);
        if !again && seen.as_ref() == Some(&found) {
            return Outcome::Unchanged;
        }
        *seen = Some(found.clone());
        let began = Instant::now();
        match found.and_then(|mark| self.replace(&mark)) {
            Ok(None) => Outcome::Unchanged,
            Ok(Some(id)) => {
                self.shared.metrics.swaps.inc();
                tracing::info!(
                    snapshot_id = id,
                    millis = began.elapsed().as_millis() as u64,
                    "snapshot swapped"
                );
                Outcome::Swapped(id)
            }
            Err(RejectedSnapshot { refusal, said }) => {
                let (refusal, in_use) = (refusal.as_str(), self.shared.catalog());
                self.shared.metrics.snapshot_refused(refusal);
                tracing::error!(
                    refusal,
                    reason = said,
                    in_use = in_use.id(),
                    "snapshot refused; the previous snapshot stays in use"
                );
                Outcome::Refused(said)
            }
        }
    }

    /// Puts the snapshot of this id in use, unless it is already in use and not withdrawn.
    fn replace(
        &self,
        PointerState { pointer: Pointer { id, .. }, accepted }: &PointerState,
    ) -> Result<Option<String>, RejectedSnapshot> {
        let before = self.shared.catalog();
        if before.id() == id && self.shared.withdrawn(&before).is_none() {
            return Ok(None);
        }
        let routes = &self.shared.routes;
        let catalog = aside(|| fit(routes, &self.snapshots, id, Verification::Once, self.residence))?;
        let accepted = match accepted {
            Ok(accepted) => accepted.contains(id),
            Err(fault) => return Err(SnapshotRefusal::Unreadable.because(fault.clone())),
        };
        if !accepted && let Some(fault) = behind(&catalog, &before) {
            return Err(SnapshotRefusal::FallsBehind.because(fault));
        }
        drop(before);
        self.shared.metrics.snapshot_in_use(id);
        self.deferred_drop.take(self.shared.catalog.swap(catalog));
        Ok(Some(id.clone()))
    }
}

/// Runs `work` on a separate pool of threads with a low priority, so that opening a snapshot does not delay requests.
fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| stay_behind()).build();
    match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

fn mark(snapshots: &Path) -> Result<PointerState, RejectedSnapshot> {
    let unreadable = |fault| SnapshotRefusal::Unreadable.because(fault);
    let found = publish::pointer(snapshots).map_err(|fault| unreadable(fault.to_string()))?;
    let none = || unreadable(format!("{} does not exist", snapshots.join(CURRENT).display()));
    let accepted = publish::accepted(snapshots).map_err(|fault| fault.to_string());
    Ok(PointerState { pointer: found.ok_or_else(none)?, accepted })
}
