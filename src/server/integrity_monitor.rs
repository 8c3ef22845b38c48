//! The integrity monitor: watches the files of the snapshot in use, and takes it out of service when they change.
//!
//! Lengths and times are compared every [`LOOK`]. The bytes are read again at a low rate and compared with the manifest
//! ([`crate::snapshot::watch`]). A snapshot whose files were changed is not trusted, so requests are answered with 503
//! until a sound snapshot is swapped in. Access to a mapped page that a truncated file no longer contains ends the
//! process (`snapshot::mapped`). The short interval makes it likely that the truncation is found before such an access.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::state::Shared;
use crate::catalog::Catalog;
use crate::server::compute::stay_behind;
use crate::snapshot::watch::Watch;

/// Time between two checks of lengths and times of the files.
pub const LOOK: Duration = Duration::from_secs(2);

/// Rate at which the files are read again, in bytes per second.
pub const READ_BYTES_PER_SECOND: u64 = 8 << 20;

/// Time between two reads of the files.
const STEP: Duration = Duration::from_millis(250);

/// Monitors the catalog that a server has in use.
pub struct IntegrityMonitor {
    shared: Weak<Shared>,
    /// The catalog that is watched, and its files. The inner `None` means that the files cannot be watched.
    watched: Option<(Weak<Catalog>, Option<Watch>)>,
    /// Whether the removal of a file was already logged.
    said_removed: bool,
}

impl IntegrityMonitor {
    /// Creates a monitor of a server's catalog. After a swap it monitors the new catalog.
    pub fn of(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::downgrade(shared), watched: None, said_removed: false }
    }

    /// Monitors on a separate thread for as long as the server exists.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
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

    /// Checks lengths and times of the files, and reads the files whose time has changed.
    ///
    /// Returns false if the server no longer exists.
    pub fn look(&mut self) -> bool {
        let goes_on = self.check(Watch::look);
        if let Some((_, Some(watch))) = &self.watched
            && !self.said_removed
            && let Some(file) = watch.removed()
        {
            self.said_removed = true;
            tracing::warn!(
                file,
                "a file of the snapshot in use was removed or replaced: the open file is still served, but a restart \
                 will not find it; put an undamaged snapshot in use"
            );
        }
        goes_on
    }

    /// Reads the next `bytes` bytes of the files. Returns false if the server no longer exists.
    pub fn read_on(&mut self, bytes: u64) -> bool {
        self.check(|watch| watch.read_on(bytes))
    }

    fn check(&mut self, check: impl FnOnce(&mut Watch) -> Result<(), String>) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let catalog = shared.catalog();
        let known = self.watched.as_ref().is_some_and(|(of, _)| of.as_ptr() == Arc::as_ptr(&catalog));
        if !known {
            let watch = catalog.watch().inspect_err(|fault| {
                tracing::warn!(
                    snapshot_id = catalog.id(), %fault,
                    "the files of the snapshot cannot be monitored, so the server does not detect changes to them"
                );
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
                "a file of the snapshot in use was changed: the snapshot is out of service, and requests are answered \
                 503, until an undamaged snapshot is current"
            );
            shared.withdraw(&catalog, fault);
        }
        true
    }
}
