//! The ledger: claims in an embedded SQLite database, for a server that settles alone.
//!
//! ```text
//! claim, advance, first_block ─▶ writer thread: what waits is one transaction, one flush ─▶ each waiter its answer
//! lookup, answer, watched     ─▶ a few reading connections, never behind the flush
//! ```
//!
//! Invariant: what an operation reported is on disk, and every later read sees it. Rows stay for good, each under a
//! checksum (`row_checksum`). Bodies of answers that were sold are kept within [`ReplyLimits`]; bodies that are not
//! paid for have a quarter of that space, beside it (`replies`). A claim that a stopped server left at work is watched
//! from the next opening on.
//!
//! One server at a time has a ledger open, by whatever name: the file is locked by inode (`file`), and each second it
//! is checked whether its name still leads to it. At the start SQLite's `quick_check` reads the whole file, and every
//! row of claims is compared with its checksum. A row that something else has changed is named in the log and refused
//! whenever it is read; the others are served.
//!
//! A write that fails has the ledger probed, and it is probed from time to time anyway. While it was moved or cannot
//! be written (`write_health`) nothing is offered (503) and `/readyz` says why. A probe that writes more than a
//! payment takes ends that state.
//!
//! SIGTERM folds the write-ahead log into the file, which can then be copied alone. Before that `pricebook ledger
//! backup` makes a whole copy, and `pricebook ledger verify` reads all of it. [`report`] and [`audit`] read beside a
//! running server.
//!
//! Ledgers stay for good, so their format migrates (`schema`): a step per version, all in one transaction at opening.
//! A newer version is refused by name, and reports read any older one as it is. `transition` has the transitions of a
//! row, `schema` what is stored where.

pub mod audit;
#[cfg(test)]
mod bad_day_tests;
mod channel_list;
mod channels;
mod file;
#[cfg(test)]
mod for_tests;
mod format;
#[cfg(test)]
mod model_tests;
mod operations;
mod reader;
mod replies;
pub mod report;
mod row_checksum;
#[cfg(test)]
mod row_tests;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod transition;
#[cfg(test)]
mod versions_tests;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use self::file::LedgerFile;
use self::operations::Stopped;
use self::reader::Readers;
use self::replies::ReplyStore;
use self::row_checksum::BROKEN_LOGGED_MAX;
use self::writer::{Job, LedgerOperation, OPERATIONS_WAITING_MAX, WriteHealth, Writer};
use crate::payment::core::channel::row::{
    ChannelChange, ChannelCharge, ChannelEvent, ChannelRow, ChannelStore, ChannelWrite,
};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimRow, ClaimStore, Claiming, LedgerMetrics, RailName, StoreError,
    Stored, StoredAnswer,
};
use crate::payment::protocols::channel::ChannelId;

/// How much of the sold answers is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Seconds after its settlement for which a body is kept.
    pub reply_ttl_s: u64,
    /// Bytes of all bodies that were sold, above which the longest sold ones go.
    pub replies_bytes_max: u64,
}

/// An open ledger.
pub struct Ledger {
    limits: ReplyLimits,
    readers: Readers,
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
    write_health: Arc<WriteHealth>,
    stock: Arc<Mutex<ReplyStore>>,
    // Released last.
    file: Option<LedgerFile>,
}

impl Ledger {
    /// Opens the ledger in a file, or makes it, and takes up what a stopped server left behind; what has been kept
    /// long enough at `now`, in milliseconds since 1970, is dropped. The whole file is read once to see that it is
    /// sound; a row that is not as it was written is named in the log, and refused whenever it is read.
    ///
    /// # Errors
    /// When another server has it, the file is damaged, none of ours or of a newer version, or it cannot be read or
    /// written.
    pub fn open(path: &Path, limits: ReplyLimits, now: u64) -> Result<Self, StoreError> {
        let file = LedgerFile::open(path)?;
        let connection = schema::open_writer(file.path())?;
        let (broken, count) = row_checksum::broken(&connection)?;
        for row in broken.iter().take(BROKEN_LOGGED_MAX) {
            tracing::error!(
                key = row.key,
                count,
                "a row of the ledger does not match its checksum: another program or a disk fault changed the row; the \
                 server does not use the row"
            );
        }
        if broken.len() > BROKEN_LOGGED_MAX {
            let (more, all) = (broken.len() - BROKEN_LOGGED_MAX, broken.len());
            tracing::error!(
                more,
                all,
                "more rows of the ledger do not match their checksums; pricebook ledger verify lists all damaged rows"
            );
        }
        Self::start(Some(file), connection, limits, now)
    }

    /// An empty ledger that is gone when it is dropped.
    ///
    /// # Errors
    /// When there is no memory for it or no thread.
    pub fn in_memory(limits: ReplyLimits) -> Result<Self, StoreError> {
        Self::start(None, schema::in_memory()?, limits, 0)
    }

    /// The file comes first among the arguments, so that it is given up last when the start fails.
    fn start(
        file: Option<LedgerFile>,
        mut connection: Connection,
        limits: ReplyLimits,
        now: u64,
    ) -> Result<Self, StoreError> {
        let Stopped { open, unknown } = operations::recover(&mut connection, now)?;
        if open + unknown > 0 {
            tracing::warn!(
                open,
                unknown,
                "the server stopped while payments were in progress; their outcome is now determined from the chain"
            );
        }
        let replies = ReplyStore::take_stock(&mut connection, limits, now)?;
        let connection = Arc::new(Mutex::new(connection));
        let readers = match &file {
            Some(file) => Readers::open(file.path())?,
            None => Readers::share(&connection),
        };
        if let Some(file) = &file {
            file.note_log();
        }
        let (jobs, waiting) = mpsc::channel(OPERATIONS_WAITING_MAX);
        let (write_health, stock) = (Arc::new(WriteHealth::default()), Arc::new(Mutex::new(replies)));
        let writer = Writer {
            connection,
            replies,
            write_health: Arc::clone(&write_health),
            stock: Arc::clone(&stock),
        };
        let writer = writer.spawn(waiting)?;
        Ok(Self { limits, readers, jobs: Some(jobs), writer: Some(writer), write_health, stock, file })
    }

    /// Asks the writer thread for something, and waits for its word.
    async fn ask<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job,
    ) -> Result<T, StoreError> {
        let (done, outcome) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(no_writer)?;
        jobs.send(job(done)).await.map_err(|_| no_writer())?;
        outcome.await.map_err(|_| no_writer())?
    }

    /// Hands work to the writer thread; the result is there when the work is durable.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &mut ReplyStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Stored<'_, T> {
        Box::pin(self.ask(|done| Job::Operation(Box::new(LedgerOperation::new(work, done)))))
    }

    /// Whether the file is still the one that was opened.
    fn check_file(&self) -> Result<(), StoreError> {
        let Some(Err(why)) = self.file.as_ref().map(LedgerFile::check) else { return Ok(()) };
        self.write_health.note(Some(&why));
        Err(StoreError(why))
    }
}

impl ClaimStore for Ledger {
    fn claim(&self, claim: Claim) -> Stored<'_, Claiming> {
        Box::pin(async move {
            self.check_file()?;
            self.write(move |connection, _| operations::claim(connection, &claim)).await
        })
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

    fn watched(&self, rail: RailName, now: u64, count_max: usize) -> Result<Vec<ClaimRow>, StoreError> {
        self.readers.read(|connection| rows::watched(connection, rail, now, count_max))
    }

    fn query_again(&self, due: Vec<(ClaimKey, u64)>) -> Stored<'_, ()> {
        self.write(move |connection, _| operations::query_again(connection, &due))
    }

    fn deposit_in_doubt(&self, reference: &str) -> Result<Option<ClaimKey>, StoreError> {
        self.readers.read(|connection| operations::deposit_in_doubt(connection, reference))
    }

    fn first_block(&self, network: String, head: u64) -> Stored<'_, u64> {
        self.write(move |connection, _| operations::first_block(connection, &network, head))
    }

    fn fault(&self) -> Option<String> {
        self.write_health.fault()
    }

    fn check(&self) -> Stored<'_, ()> {
        Box::pin(async move {
            self.check_file()?;
            match self.write_health.probe_due(Instant::now()) {
                Some(bytes) => self.ask(|done| Job::Probe(bytes, done)).await,
                None => Ok(()),
            }
        })
    }

    fn close(&self) -> Stored<'_, ()> {
        Box::pin(self.ask(Job::Close))
    }

    fn figures(&self) -> Result<LedgerMetrics, StoreError> {
        let ReplyStore { sold, unsold, .. } = *self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(LedgerMetrics {
            fault: self.write_health.fault(),
            claims: self.readers.read(rows::tallies)?,
            waiting: self.jobs.as_ref().map_or(0, |jobs| jobs.max_capacity() - jobs.capacity()),
            sold_bytes: sold,
            unsold_bytes: unsold,
        })
    }
}

impl ChannelStore for Ledger {
    fn channel(&self, id: ChannelId) -> Result<Option<ChannelRow>, StoreError> {
        self.readers.read(|connection| channels::find(connection, id))
    }

    fn channels(&self, rail: RailName, count_max: usize) -> Result<Vec<ChannelRow>, StoreError> {
        self.readers.read(|connection| channels::list(connection, rail, count_max))
    }

    fn last_body(&self, id: ChannelId, at: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.read(|connection| replies::last_body(connection, self.limits, id, at))
    }

    fn open_channel(&self, row: ChannelRow) -> Stored<'_, ChannelWrite> {
        self.write(move |connection, _| channels::open(connection, &row))
    }

    fn commit_charge(&self, id: ChannelId, charge: ChannelCharge) -> Stored<'_, ChannelWrite> {
        self.write(move |connection, replies| channels::commit_charge(connection, replies, id, &charge))
    }

    fn change(&self, id: ChannelId, change: ChannelChange) -> Stored<'_, ChannelWrite> {
        self.write(move |connection, _| channels::change(connection, id, &change))
    }

    fn note(&self, event: ChannelEvent) -> Stored<'_, ()> {
        self.write(move |connection, _| channels::note(connection, &event))
    }

    fn unswept_since(&self) -> Result<Option<u64>, StoreError> {
        self.readers.read(channels::unswept_since)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // The writer's connection is closed last: that folds the write-ahead log into the database.
        self.readers = Readers::default();
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the writer thread of the ledger panicked");
        }
    }
}

fn no_writer() -> StoreError {
    StoreError("the writer thread has stopped; read the log, then restart the server".into())
}
