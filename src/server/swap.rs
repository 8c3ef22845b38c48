//! Replaces the catalog under a running server.
//!
//! `CURRENT` beside the snapshots holds the id of the one to serve. When it changes, the snapshot that it names is
//! opened beside the catalog in use, passes the [`preflight`](super::preflight) checks, and takes its place for all
//! requests that begin afterwards. A request takes the pointer once, so it sees one snapshot. The old catalog is
//! dropped by a thread (`deferred_drop`) when its last request has ended.
//!
//! A snapshot that does not open, that makes an endpoint fail, or that holds much less than the one in use and is not
//! named in `accept`, is refused with one log line and the old one stays in use. The refused one is not tried again
//! before `CURRENT` or `accept` is written again or the operator asks (SIGHUP).

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

/// Time between two looks at `CURRENT`.
pub const SWAP_POLL: Duration = Duration::from_secs(2);

/// Watches `CURRENT` and swaps the catalog.
pub struct Swapper {
    snapshots: PathBuf,
    shared: Arc<Shared>,
    residence: Residence,
    deferred_drop: DeferredDrop<Catalog>,
    /// `CURRENT` as it was at the last look, or why it could not be read.
    seen: Mutex<Option<Result<PointerState, RejectedSnapshot>>>,
}

/// What a look at `CURRENT` led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It names the snapshot in use, or is as it was at the last look.
    Unchanged,
    /// The snapshot of this id is in use now.
    Swapped(String),
    /// The old snapshot goes on, for this reason.
    Refused(String),
}

/// A state of `CURRENT`, and which snapshots are accepted however little they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PointerState {
    pointer: Pointer,
    accepted: Result<Vec<String>, String>,
}

impl Swapper {
    /// A swapper for a server that serves what `CURRENT` names now.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(snapshots: PathBuf, shared: Arc<Shared>) -> std::io::Result<Self> {
        Self::with_residence(snapshots, shared, Residence::Mapped)
    }

    /// [`Swapper::new`] with an explicit residence of the bytes of snapshots.
    ///
    /// # Errors
    /// When the system refuses a thread.
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

    /// Looks at `CURRENT` and acts if it differs from the last look.
    pub fn poll(&self) -> Outcome {
        self.look(false)
    }

    /// Looks at `CURRENT` and acts even if it was refused as it is.
    pub fn check_now(&self) -> Outcome {
        self.look(true)
    }

    /// Polls until the sender of the returned channel is dropped; a message on it makes it check at once.
    ///
    /// # Errors
    /// When the system refuses a thread.
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
        // Held throughout: two looks at once would open the same snapshot twice.
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
                    "snapshot refused, the one in use goes on"
                );
                Outcome::Refused(said)
            }
        }
    }

    /// Puts the snapshot of this id in use, unless it is already and as it should be.
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

/// Computes on threads of its own, so that requests wait for none of it: opening a snapshot is much work, and nobody
/// waits for that.
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
    let none = || unreadable(format!("{} is not there", snapshots.join(CURRENT).display()));
    let accepted = publish::accepted(snapshots).map_err(|fault| fault.to_string());
    Ok(PointerState { pointer: found.ok_or_else(none)?, accepted })
}
