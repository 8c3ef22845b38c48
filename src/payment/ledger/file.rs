//! The ledger as a file: made for its owner alone, locked by what it is and not by what it is called, and watched for
//! being taken away.
//!
//! Invariant: one server at a time has a ledger open, whatever links lead to it. The lock is on the file itself, and the
//! system releases it when its holder dies. Within one process, where opening the file a second time would undo SQLite's
//! own locks, a list of what is open comes before it.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::payment::core::claim::StoreError;

/// Only its owner reads a ledger.
pub(super) const FILE_MODE: u32 = 0o600;
/// Put behind the ledger's name, it names a file that is locked too: servers of before locked nothing else, and it is all
/// there is where a lock on the database itself would stand in SQLite's way.
const LOCK_SUFFIX: &str = ".lock";
/// Put behind the ledger's name, it names SQLite's write-ahead log.
const LOG_SUFFIX: &str = "-wal";
/// Whether a file can be locked as a whole while SQLite locks parts of it: elsewhere both are locks of one kind.
const LOCKS_ARE_APART: bool = cfg!(target_os = "linux");

/// What a file is, whatever it is called: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Identity(u64, u64);

impl Identity {
    fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|metadata| Self(metadata.dev(), metadata.ino()))
    }
}

/// What this process has open.
static OPEN: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

fn open_files() -> MutexGuard<'static, BTreeSet<Identity>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry in that list.
struct Listed(Identity);

impl Drop for Listed {
    fn drop(&mut self) {
        open_files().remove(&self.0);
    }
}

/// A ledger's file while a server has it open.
pub(super) struct LedgerFile {
    path: PathBuf,
    identity: Identity,
    /// The write-ahead log and what it is, once it is there.
    log: Mutex<Option<(PathBuf, Identity)>>,
    // Released in this order, after the database was closed.
    _locks: Vec<File>,
    _listed: Listed,
}

impl LedgerFile {
    /// Makes the file unless it is there, and takes its locks.
    ///
    /// # Errors
    /// When another server has it, or it cannot be opened or locked.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| {
            StoreError(format!("{} cannot be opened: {error}; check its folder and its mode", path.display()))
        };
        create(path).map_err(failed)?;
        // Its log lies beside the file and not beside a link to it.
        let path = fs::canonicalize(path).map_err(failed)?;
        let identity = Identity::of(&path).map_err(failed)?;
        if !open_files().insert(identity) {
            return Err(taken(&path));
        }
        let listed = Listed(identity);
        let mut locks = vec![lock(&path, &beside(&path, LOCK_SUFFIX), true)?];
        if LOCKS_ARE_APART {
            locks.push(lock(&path, &path, false)?);
        }
        if fs::metadata(&path).map_err(failed)?.nlink() > 1 {
            tracing::warn!(
                path = %path.display(),
                "the ledger has a second name (a hard link); a program that opens the second name does not see the \
                 write-ahead log"
            );
        }
        let file = Self { path, identity, log: Mutex::new(None), _locks: locks, _listed: listed };
        // It may have been replaced between the two looks.
        file.check().map_err(StoreError)?;
        Ok(file)
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Notes what the log is, now that the database has made it.
    pub(super) fn note_log(&self) {
        let path = beside(&self.path, LOG_SUFFIX);
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) =
            Identity::of(&path).ok().map(|identity| (path, identity));
    }

    /// Whether what is open is still what the name leads to.
    ///
    /// # Errors
    /// With what became of it, and what to do.
    pub(super) fn check(&self) -> Result<(), String> {
        expect(&self.path, self.identity)?;
        match &*self.log.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((log, identity)) => expect(log, *identity),
            None => Ok(()),
        }
    }
}

fn expect(path: &Path, identity: Identity) -> Result<(), String> {
    let path_shown = path.display();
    match Identity::of(path) {
        Ok(found) if found == identity => Ok(()),
        Ok(_) => Err(format!(
            "{path_shown} was replaced by another file while it was open; stop the server, restore the original file \
             and start the server again"
        )),
        Err(error) => Err(format!(
            "{path_shown} was removed or renamed while it was open ({error}); rename the file back, or copy the file \
             and its log from /proc/<pid>/fd before the server stops"
        )),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn taken(path: &Path) -> StoreError {
    StoreError(format!(
        "another server has {} open; stop that server, or name another ledger",
        path.display()
    ))
}

/// Makes the file unless it is there, for its owner alone, its name durable. One that is there is not opened.
pub(super) fn create(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path) {
        Ok(_) => sync_folder(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the name of a file durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Locks a file for the ledger at `path`.
fn lock(path: &Path, name: &Path, create: bool) -> Result<File, StoreError> {
    let cannot = |error: io::Error| StoreError(format!("{} cannot be locked: {error}", name.display()));
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(create).truncate(false).mode(FILE_MODE).open(name);
    let file = file.map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => Err(cannot(error)),
        Err(TryLockError::WouldBlock) => Err(taken(path)),
    }
}
