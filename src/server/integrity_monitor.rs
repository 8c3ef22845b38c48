//! The integrity monitor: watches the files of the snapshot in use, and takes it out of service when they change.
//!
//! Lengths and times are compared every [`LOOK`], and the bytes are read again at a low rate and compared with the
//! manifest ([`crate::snapshot::watch`]). A snapshot whose files were written to is not trusted, so requests are
//! answered 503 until a sound one is swapped in. Pages of a file that was cut short end the process when they are
//! touched (`snapshot::mapped`); the short interval makes it likely that the change is found first.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::state::Shared;
use crate::catalog::Catalog;
use crate::server::compute::stay_behind;
use crate::snapshot::watch::Watch;

/// Time between two looks at lengths and times of the files.
pub const LOOK: Duration = Duration::from_secs(2);

/// Bytes of the files that are read again in a second.
pub const READ_BYTES_PER_SECOND: u64 = 8 << 20;

/// Time between two pieces that are read.
const STEP: Duration = Duration::from_millis(250);

/// Looks after the catalog that a server has in use.
pub struct IntegrityMonitor {
    shared: Weak<Shared>,
    /// The catalog that is watched, and its files; `None` where they cannot be watched.
    watched: Option<(Weak<Catalog>, Option<Watch>)>,
    /// Whether it was said that files of it are gone.
    said_removed: bool,
}

impl IntegrityMonitor {
    /// A guard of what a server has in use, now and later.
    pub fn of(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::downgrade(shared), watched: None, said_removed: false }
    }

    /// Looks from a thread of its own for as long as the server is there.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn watch(mut self) -> std::io::Result<()> {
        std::thread::Builder::new().name("guard".into()).spawn(move || {
            stay_behind();
            let mut looked = Instant::now();
            let piece = READ_BYTES_PER_SECOND * STEP.as_millis() as u64 / 1_000;
            while self.read_on(piece) {
                std::thread::sleep(STEP);
                if looked.elapsed() >= LOOK {
                    self.look();
                    looked = Instant::now();
                }
            }
        })?;
        Ok(())
    }

    /// Looks at lengths and times of the files, and reads those that were written to.
    ///
    /// False when there is no server any more.
    pub fn look(&mut self) -> bool {
        let goes_on = self.check(Watch::look);
        if let Some((_, Some(watch))) = &self.watched
            && !self.said_removed
            && let Some(file) = watch.removed()
        {
            self.said_removed = true;
            tracing::warn!(
                file,
                "a file of the snapshot in use was removed or replaced: what is open is served, and a restart will not \
                 find it; put a sound snapshot in use"
            );
        }
        goes_on
    }

    /// Reads some bytes of the files on. False when there is no server any more.
    pub fn read_on(&mut self, bytes: u64) -> bool {
        self.check(|watch| watch.read_on(bytes))
    }

    fn check(&mut self, check: impl FnOnce(&mut Watch) -> Result<(), String>) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let catalog = shared.catalog();
        let known = self.watched.as_ref().is_some_and(|(of, _)| of.as_ptr() == Arc::as_ptr(&catalog));
        if !known {
            let watch = catalog.watch().inspect_err(|fault| {
                tracing::warn!(snapshot_id = catalog.id(), %fault, "the files of the snapshot cannot be watched");
            });
            self.watched = Some((Arc::downgrade(&catalog), watch.ok()));
            self.said_removed = false;
        }
        if shared.withdrawn(&catalog).is_none()
            && let Some((_, Some(watch))) = &mut self.watched
            && let Err(fault) = check(watch)
        {
            tracing::error!(
                snapshot_id = catalog.id(),
                fault,
                "a file of the snapshot in use was changed: it is out of service, and requests are answered 503, until \
                 a sound snapshot is current"
            );
            shared.withdraw(&catalog, fault);
        }
        true
    }
}
