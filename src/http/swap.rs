//! Replaces the catalog under a running server.
//!
//! `CURRENT` beside the snapshots holds the id of the one to serve. When it changes, the snapshot it names is opened,
//! verified and warmed beside the catalog in use, answers every route's examples, and only then takes its place, at
//! once for all requests that begin afterwards. A snapshot that does not open, or that makes an endpoint fail, is
//! refused with one log line; the old one goes on, and the refused one is not tried again before `CURRENT` is
//! written again or the operator asks (SIGHUP).

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::janitor::Janitor;
use super::panics;
use super::shared::{Shared, now};
use crate::catalog::Catalog;
use crate::query::endpoint::{Route, Stamp};
use crate::query::representation::Json;
use crate::snapshot::manifest::is_id;
use crate::snapshot::publish::CURRENT;

/// Time between two looks at `CURRENT`.
pub const SWAP_POLL: Duration = Duration::from_secs(2);

/// Bytes of `CURRENT` that are read: more than the longest id.
const CURRENT_BYTES_MAX: u64 = 1_024;

/// Watches `CURRENT` and swaps the catalog.
pub struct Swapper {
    snapshots: PathBuf,
    shared: Arc<Shared>,
    janitor: Janitor<Catalog>,
    /// `CURRENT` as it was at the last look, or why it could not be read.
    seen: Mutex<Option<Result<Mark, String>>>,
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

/// A state of the file `CURRENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    id: String,
    inode: u64,
    modified: (i64, i64),
}

impl Swapper {
    /// A swapper for a server that serves what `CURRENT` names now.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn new(snapshots: PathBuf, shared: Arc<Shared>) -> std::io::Result<Self> {
        Ok(Self { snapshots, shared, janitor: Janitor::start()?, seen: Mutex::new(None) })
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
        match found.and_then(|mark| self.replace(&mark.id)) {
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
            Err(reason) => {
                self.shared.metrics.refusals.inc();
                let in_use = self.shared.catalog();
                tracing::error!(reason, in_use = in_use.id(), "snapshot refused, the one in use goes on");
                Outcome::Refused(reason)
            }
        }
    }

    /// Puts the snapshot of this id in use, unless it is already.
    fn replace(&self, id: &str) -> Result<Option<String>, String> {
        if self.shared.catalog().id() == id {
            return Ok(None);
        }
        let path = self.snapshots.join(id);
        let opened =
            catch_unwind(|| Catalog::open(&path)).map_err(|panic| panics::message(panic.as_ref()))?;
        let catalog = Arc::new(opened.map_err(|error| error.to_string())?);
        if catalog.id() != id {
            return Err(format!("the snapshot in {} calls itself {}", path.display(), catalog.id()));
        }
        rehearse(&self.shared.routes, &catalog)?;
        self.shared.metrics.snapshot_in_use(id);
        self.janitor.take(self.shared.catalog.swap(catalog));
        Ok(Some(id.to_owned()))
    }
}

/// Answers every example from a catalog, so that what would fail for clients fails here, and what is slow at first
/// is slow here.
///
/// Examples are written for the demo: another snapshot may well refuse them.
///
/// # Errors
/// With a sentence, when an endpoint panics or its answer cannot be encoded.
pub fn rehearse(routes: &[Route], catalog: &Arc<Catalog>) -> Result<(), String> {
    let computed_at = now();
    for (route, example) in
        routes.iter().flat_map(|route| route.examples.iter().map(move |query| (route, query)))
    {
        let answer = catch_unwind(AssertUnwindSafe(|| {
            let Ok(parsed) = route.parse(example, catalog.as_of()) else { return Ok(()) };
            match parsed.resolve(catalog) {
                Ok(work) => work.run(Stamp { computed_at, freshness_seconds: 0 }, &Json).map(drop),
                Err(_refusal) => Ok(()),
            }
        }));
        let fault = match answer {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panics::message(panic.as_ref()),
        };
        return Err(format!("{}?{example} fails: {fault}", route.path));
    }
    Ok(())
}

fn mark(snapshots: &Path) -> Result<Mark, String> {
    let path = snapshots.join(CURRENT);
    let said = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let file = File::open(&path).map_err(said)?;
    let about = file.metadata().map_err(said)?;
    let mut text = String::new();
    file.take(CURRENT_BYTES_MAX).read_to_string(&mut text).map_err(said)?;
    let id = text.trim_ascii();
    if !is_id(id) {
        return Err(format!("{} holds {id:?}, which is no snapshot id", path.display()));
    }
    Ok(Mark { id: id.to_owned(), inode: about.ino(), modified: (about.mtime(), about.mtime_nsec()) })
}
