//! The pointer lock of a snapshots directory. It serializes the commands that change `CURRENT`, `PREVIOUS` or
//! `accept`, or remove a snapshot.
//!
//! The lock is held during the change itself, and never while a snapshot is built or verified. A command therefore
//! checks the state of the directory again under the lock: `publish::put_in_use` compares the manifest and the file
//! lengths with those that were verified, `retention::prune` reads `CURRENT` and `PREVIOUS`, and `server::preflight`
//! repeats its comparison of sizes if `CURRENT` has changed. A removed directory is renamed under the lock and
//! deleted after its release.
//!
//! A command waits at most [`POINTER_LOCK_WAIT_MAX`] and then exits with code 75. The process that holds the lock
//! writes its identity into the file. If the file does not name the holder, [`super::lock_holder`] queries the
//! kernel. The system releases the lock when its holder dies. A command that needs both locks takes the build lock
//! ([`super::publish`]) first.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::lock_holder;
use super::safe_open;
use crate::types;

/// Name of the file that is locked.
pub const POINTER_LOCK: &str = ".current.lock";
/// The maximum wait for another command that holds the lock.
pub const POINTER_LOCK_WAIT_MAX: Duration = Duration::from_secs(10);
/// The time between two attempts to take the lock.
const RETRY_EVERY: Duration = Duration::from_millis(20);
/// The maximum length of a holder's record, in bytes.
const RECORD_BYTES_MAX: u64 = 4_096;

/// The lock on `CURRENT`, `PREVIOUS` and `accept` of a snapshots directory. It is released on drop.
#[derive(Debug)]
pub struct PointerLock {
    snapshots: PathBuf,
    file: File,
}

/// Another process did not release the lock in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{path} is locked by {holder}, and was not released within {} s; try again when that command has ended, or end it \
     if it hangs",
    waited.as_secs()
)]
pub struct PointerLockHeld {
    path: String,
    holder: String,
    waited: Duration,
}

/// Whether an error means that another process holds the lock, so that a retry may succeed.
pub fn is_held(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let Some(inner) = inner else { return false };
        inner.is::<PointerLockHeld>()
    })
}

impl PointerLock {
    /// Takes the lock, and waits for another holder for at most [`POINTER_LOCK_WAIT_MAX`].
    ///
    /// # Errors
    /// Returns an error if the lock is not released within that time ([`is_held`]), or the file cannot be opened.
    pub fn take(snapshots: &Path) -> io::Result<Self> {
        Self::take_within(snapshots, POINTER_LOCK_WAIT_MAX)
    }

    fn take_within(snapshots: &Path, wait: Duration) -> io::Result<Self> {
        let path = snapshots.join(POINTER_LOCK);
        let file = open(&path)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(fault)) => return Err(fault),
                Err(TryLockError::WouldBlock) if began.elapsed() < wait => thread::sleep(RETRY_EVERY),
                Err(TryLockError::WouldBlock) => {
                    let held = PointerLockHeld {
                        holder: holder(&path, &file),
                        path: path.display().to_string(),
                        waited: wait,
                    };
                    return Err(io::Error::new(io::ErrorKind::TimedOut, held));
                }
            }
        }
        // The record is only informative, so a full disk does not prevent the change.
        let _ = record(&file);
        Ok(Self { snapshots: snapshots.to_owned(), file })
    }

    /// The snapshots directory.
    pub(super) fn snapshots(&self) -> &Path {
        &self.snapshots
    }
}

impl Drop for PointerLock {
    fn drop(&mut self) {
        // If the record is not removed, it is ignored as soon as another process holds the lock.
        let _ = self.file.set_len(0);
        // Closing the file would not release the lock while a forked child process also holds it open.
        let _ = self.file.unlock();
    }
}

/// Opens a file that will be locked. It is opened for reading and writing, so that opening a FIFO does not block. The
/// directory itself is not locked, because network file systems only lock files that are open for writing.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::other(format!("{} is not a regular file; remove it and try again", path.display())))
}

/// Writes the identity of this process into the lock file.
fn record(file: &File) -> io::Result<()> {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = types::Instant::from_micros(age.as_secs() as i64 * 1_000_000);
    let holder = format!("pid {} ({}) since {now}\n", std::process::id(), lock_holder::own_command());
    file.set_len(0)?;
    file.write_all_at(holder.as_bytes(), 0)
}

/// Describes the process that holds the lock: by its record in the file, or by the data of the kernel if another
/// process wrote the record.
fn holder(path: &Path, file: &File) -> String {
    let recorded = safe_open::read_text(path, RECORD_BYTES_MAX).unwrap_or_default();
    let recorded = recorded.trim_end();
    let holders = file.metadata().map_or_else(|_| Vec::new(), |about| lock_holder::holders(about.ino()));
    let is_recorded = |pid: &u32| recorded.starts_with(&format!("pid {pid} "));
    match holders.first() {
        Some(&pid) if !holders.iter().any(is_recorded) => lock_holder::described(pid),
        None if recorded.is_empty() => "an unknown process, which /proc/locks does not list".to_owned(),
        _ => recorded.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait that is long enough for two attempts.
    const SHORT_WAIT: Duration = Duration::from_millis(30);

    fn refusal(out: &Path) -> String {
        let fault = PointerLock::take_within(out, SHORT_WAIT).unwrap_err();
        let fault = anyhow::Error::from(fault).context("s1 is not put in use");
        assert!(is_held(&fault));
        format!("{fault:#}")
    }

    #[test]
    fn held_lock_names_its_holder() {
        let out = tempfile::tempdir().unwrap();
        let lock = PointerLock::take(out.path()).unwrap();
        let said = refusal(out.path());
        let own =
            format!(" is locked by pid {} ({}) since 20", std::process::id(), lock_holder::own_command());
        assert!(said.contains(POINTER_LOCK) && said.contains(&own), "{said}");
        drop(lock);
        assert_eq!(std::fs::read(out.path().join(POINTER_LOCK)).unwrap(), b"");
        PointerLock::take_within(out.path(), SHORT_WAIT).unwrap();
    }

    #[test]
    fn record_of_a_dead_holder_is_not_believed() {
        let out = tempfile::tempdir().unwrap();
        let file = open(&out.path().join(POINTER_LOCK)).unwrap();
        file.lock().unwrap();
        for record in ["", "pid 0 (pricebook build) since 2026-11-29T14:00:00Z\n"] {
            file.set_len(0).unwrap();
            file.write_all_at(record.as_bytes(), 0).unwrap();
            let said = refusal(out.path());
            assert!(said.contains(&format!("pid {} (", std::process::id())), "{said}");
            assert!(said.contains(", running since 20") && !said.contains("pricebook build"), "{said}");
        }
    }

    #[test]
    fn lock_is_taken_when_its_holder_releases_it() {
        let out = tempfile::tempdir().unwrap();
        let lock = PointerLock::take(out.path()).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| PointerLock::take(out.path()).map(drop));
            thread::sleep(SHORT_WAIT);
            assert!(!waiting.is_finished());
            drop(lock);
            waiting.join().unwrap().unwrap();
        });
    }

    #[test]
    fn other_faults_are_not_held_locks() {
        let out = tempfile::tempdir().unwrap();
        let none = PointerLock::take(&out.path().join("none")).unwrap_err();
        assert!(none.kind() == io::ErrorKind::NotFound && !is_held(&none.into()));
        let path = out.path().join(POINTER_LOCK);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let fifo = PointerLock::take(out.path()).unwrap_err().to_string();
        assert!(fifo.contains("is not a regular file"), "{fifo}");
    }
}
