//! The ledger: claims in an embedded SQLite database, for a server that settles alone.
//!
//! ```text
//! claim, advance, first_block ─▶ writer thread: what waits is one transaction, one flush ─▶ each waiter its answer
//! lookup, answer, watched     ─▶ a few reading connections, never behind the flush
//! ```
//!
//! Invariant: what an operation reported is on disk, and every later read sees it. Rows stay for good; the bodies of
//! answers that were sold are kept within [`ReplyLimits`]. A claim that a stopped server left at work is watched from
//! the next opening on. One server at a time: a lock file beside the database, which the system releases when its
//! holder dies; [`report`] reads meanwhile. What a step does to a row is in `step`, what is stored where in `schema`.

mod format;
#[cfg(test)]
mod model_tests;
mod operations;
mod reader;
mod replies;
pub mod report;
mod rows;
mod schema;
mod step;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod versions_tests;
mod writer;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use self::operations::Stopped;
use self::reader::Readers;
use self::replies::ReplyStore;
use self::writer::{LedgerOperation, OPERATIONS_WAITING_MAX, Waiting, Writer};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimRow, ClaimStore, Claiming, StoreError, Stored, StoredAnswer,
};

/// Only its owner reads a ledger.
const FILE_MODE: u32 = 0o600;
/// Put behind the ledger's name, it names the file that is locked.
const LOCK_SUFFIX: &str = ".lock";

/// How much of the sold answers is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Seconds after its settlement for which a body is kept.
    pub reply_ttl_s: u64,
    /// Bytes of all bodies, above which the oldest settled ones go.
    pub replies_bytes_max: u64,
}

/// An open ledger.
pub struct Ledger {
    limits: ReplyLimits,
    readers: Readers,
    operations: Option<mpsc::Sender<Box<dyn Waiting>>>,
    writer: Option<JoinHandle<()>>,
    // Released last.
    _lock: Option<File>,
}

impl Ledger {
    /// Opens the ledger in a file, or makes it, and takes up what a stopped server left behind; what has been kept
    /// long enough at `now`, in milliseconds since 1970, is dropped.
    ///
    /// # Errors
    /// When another server has it, the file is none of ours or of a newer version, or it cannot be read or written.
    pub fn open(path: &Path, limits: ReplyLimits, now: u64) -> Result<Self, StoreError> {
        let file_error = |error: io::Error| {
            StoreError(format!("{} cannot be opened: {error}; check its folder and its mode", path.display()))
        };
        create(path).map_err(file_error)?;
        // One file has one lock, by whatever name it is opened.
        let path = &fs::canonicalize(path).map_err(file_error)?;
        let lock = take_lock(path)?;
        let connection = schema::open_writer(path)?;
        Self::start(connection, limits, now, Some(lock), |_| Readers::open(path))
    }

    /// An empty ledger that is gone when it is dropped.
    ///
    /// # Errors
    /// When there is no memory for it or no thread.
    pub fn in_memory(limits: ReplyLimits) -> Result<Self, StoreError> {
        Self::start(schema::in_memory()?, limits, 0, None, |writing| Ok(Readers::share(writing)))
    }

    fn start(
        mut connection: Connection,
        limits: ReplyLimits,
        now: u64,
        lock: Option<File>,
        readers: impl FnOnce(&Arc<Mutex<Connection>>) -> Result<Readers, StoreError>,
    ) -> Result<Self, StoreError> {
        let Stopped { open, unknown } = operations::recover(&mut connection, now)?;
        if open + unknown > 0 {
            tracing::warn!(
                open,
                unknown,
                "the last server stopped while it was at work on claims; they are watched"
            );
        }
        let replies = ReplyStore::take_stock(&mut connection, limits, now)?;
        let connection = Arc::new(Mutex::new(connection));
        let readers = readers(&connection)?;
        let (operations, waiting) = mpsc::channel(OPERATIONS_WAITING_MAX);
        let writer = Writer { connection, replies }.spawn(waiting)?;
        Ok(Self { limits, readers, operations: Some(operations), writer: Some(writer), _lock: lock })
    }

    /// Hands work to the writer thread; the result is there when the work is durable.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &mut ReplyStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Stored<'_, T> {
        Box::pin(async move {
            let (done, outcome) = oneshot::channel();
            let operations = self.operations.as_ref().ok_or_else(no_writer)?;
            operations.send(Box::new(LedgerOperation::new(work, done))).await.map_err(|_| no_writer())?;
            outcome.await.map_err(|_| no_writer())?
        })
    }
}

impl ClaimStore for Ledger {
    fn claim(&self, claim: Claim) -> Stored<'_, Claiming> {
        self.write(move |connection, _| operations::claim(connection, &claim))
    }

    fn advance(&self, key: ClaimKey, change: Change, at: u64) -> Stored<'_, Advance> {
        self.write(move |connection, replies| operations::advance(connection, replies, &key, change, at))
    }

    fn lookup(&self, key: &ClaimKey) -> Result<Option<ClaimRow>, StoreError> {
        self.readers.read(|connection| rows::find(connection, key))
    }

    fn answer(&self, key: &ClaimKey, at: u64) -> Result<Option<StoredAnswer>, StoreError> {
        self.readers.read(|connection| replies::answer(connection, self.limits, key, at))
    }

    fn watched(&self, count_max: usize) -> Result<Vec<ClaimRow>, StoreError> {
        self.readers.read(|connection| rows::watched(connection, count_max))
    }

    fn first_block(&self, network: String, head: u64) -> Stored<'_, u64> {
        self.write(move |connection, _| operations::first_block(connection, &network, head))
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // The writer's connection is closed last: that folds the write-ahead log into the database.
        self.readers = Readers::default();
        self.operations = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the ledger's writer ended in a panic");
        }
    }
}

fn no_writer() -> StoreError {
    StoreError("its writer has stopped; restart the server and read the log before".into())
}

/// Makes the file unless it is there, for its owner alone, its name durable.
fn create(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path) {
        Ok(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn take_lock(path: &Path) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(LOCK_SUFFIX);
    let name = PathBuf::from(name);
    let cannot = |error: io::Error| StoreError(format!("{} cannot be locked: {error}", name.display()));
    let mut options = OpenOptions::new();
    let lock =
        options.create(true).truncate(false).write(true).mode(FILE_MODE).open(&name).map_err(cannot)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::Error(error)) => Err(cannot(error)),
        Err(TryLockError::WouldBlock) => Err(StoreError(format!(
            "another server has {} open; stop it, or name another ledger",
            path.display()
        ))),
    }
}
