//! The writer thread: what waits is written in one transaction, and each waiter is answered after its commit.
//!
//! A group forms by itself while the one before it is flushed: nobody waits for a timer, and under load many payments
//! share a flush. Invariant: an operation that fails is undone alone; when the commit fails, every operation of the
//! group has failed, whatever it had reported.
//!
//! No payment is offered while the ledger cannot be written ([`WriteHealth`]). A write that fails takes the ledger down,
//! and only a probe that writes as much as a payment needs brings it up again: on a full disk a small write may still
//! succeed.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::operations::probe;
use super::reader::lock;
use super::replies::ReplyStore;
use crate::payment::core::claim::StoreError;

/// Operations that may wait for the writer; more wait for a place.
pub(super) const OPERATIONS_WAITING_MAX: usize = 1024;
/// Operations in one transaction.
const GROUP_OPERATIONS_MAX: usize = 256;
const THREAD_NAME: &str = "ledger";

/// An operation that somebody waits for.
pub(super) trait Waiting: Send {
    /// Does it, inside a transaction.
    fn work(&mut self, connection: &Connection, replies: &mut ReplyStore) -> Result<(), StoreError>;

    /// Answers who waits: with the operation's outcome, or with the fault that undid the whole transaction.
    fn answer(self: Box<Self>, fault: Option<&StoreError>);
}

/// Work, and where its result goes.
pub(super) struct LedgerOperation<T, W> {
    work: Option<W>,
    outcome: Option<Result<T, StoreError>>,
    done: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> LedgerOperation<T, W> {
    /// An operation that is not done yet.
    pub(super) fn new(work: W, done: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self { work: Some(work), outcome: None, done }
    }
}

impl<T, W> Waiting for LedgerOperation<T, W>
where
    T: Send,
    W: FnOnce(&Connection, &mut ReplyStore) -> Result<T, StoreError> + Send,
{
    fn work(&mut self, connection: &Connection, replies: &mut ReplyStore) -> Result<(), StoreError> {
        let Some(work) = self.work.take() else { return Ok(()) };
        let outcome = work(connection, replies);
        let report = outcome.as_ref().map(|_| ()).map_err(Clone::clone);
        self.outcome = Some(outcome);
        report
    }

    fn answer(self: Box<Self>, fault: Option<&StoreError>) {
        let undone =
            || Err(fault.cloned().unwrap_or_else(|| StoreError("the operation was not started".into())));
        let outcome = match self.outcome {
            Some(Ok(_)) if fault.is_some() => undone(),
            Some(outcome) => outcome,
            None => undone(),
        };
        // Who waited may have gone; what is done is done.
        let _ = self.done.send(outcome);
    }
}

/// What the writer thread is asked for.
pub(super) enum Job {
    /// An operation, in a transaction with those beside it.
    Operation(Box<dyn Waiting>),
    /// To write so many bytes, to see whether it can.
    Probe(usize, oneshot::Sender<Result<(), StoreError>>),
    /// To bring everything into the one file, and to end.
    Close(oneshot::Sender<Result<(), StoreError>>),
}

/// What the writer thread owns.
pub(super) struct Writer {
    /// Its connection; in memory, reads use it too.
    pub(super) connection: Arc<Mutex<Connection>>,
    /// Stored answers.
    pub(super) replies: ReplyStore,
    /// What everybody knows of its success.
    pub(super) write_health: Arc<WriteHealth>,
    /// What everybody knows of the stored answers.
    pub(super) stock: Arc<Mutex<ReplyStore>>,
}

impl Writer {
    /// Starts the thread. It ends when it is told to, or when nobody can ask it for anything any more.
    pub(super) fn spawn(mut self, mut waiting: mpsc::Receiver<Job>) -> Result<JoinHandle<()>, StoreError> {
        let run = move || {
            let mut group = Vec::with_capacity(GROUP_OPERATIONS_MAX);
            while let Some(first) = waiting.blocking_recv() {
                let mut next = Some(first);
                while let Some(Job::Operation(operation)) = next {
                    group.push(operation);
                    next = (group.len() < GROUP_OPERATIONS_MAX).then(|| waiting.try_recv().ok()).flatten();
                }
                self.write(&mut group);
                match next {
                    Some(Job::Probe(bytes, done)) => drop(done.send(self.probe(bytes))),
                    Some(Job::Close(done)) => {
                        drop(done.send(self.fold()));
                        return;
                    }
                    Some(Job::Operation(_)) | None => {}
                }
            }
        };
        let thread = thread::Builder::new().name(THREAD_NAME.to_owned()).spawn(run);
        thread.map_err(|error| StoreError(format!("the writer thread cannot be started: {error}")))
    }

    /// Writes a group and answers everybody in it. Whatever fails has the ledger probed: it may be the operation, and it
    /// may be the disk.
    pub(super) fn write(&mut self, group: &mut Vec<Box<dyn Waiting>>) {
        if group.is_empty() {
            return;
        }
        let mut replies = self.replies;
        let (fault, failed) = match transact(&mut lock(&self.connection), &mut replies, group) {
            Ok(failed) => (None, failed),
            Err(fault) => (Some(fault), true),
        };
        match &fault {
            None => {
                self.replies = replies;
                *self.stock.lock().unwrap_or_else(PoisonError::into_inner) = replies;
            }
            Some(fault) => {
                tracing::error!(
                    operations = group.len(),
                    "a group of writes to the ledger was rolled back: {fault}"
                );
            }
        }
        if failed {
            // What it finds is noted, and who waits is told its own fault.
            let _ = self.probe(PROBE_BYTES_DOWN);
        }
        for waiting in group.drain(..) {
            waiting.answer(fault.as_ref());
        }
    }

    /// Writes something that nobody needs.
    pub(super) fn probe(&self, bytes: usize) -> Result<(), StoreError> {
        let mut connection = lock(&self.connection);
        let probed = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| probe(&transaction, bytes).and_then(|()| transaction.commit()));
        let probed = probed.map_err(StoreError::from);
        self.write_health.note(probed.as_ref().err().map(|error| error.0.as_str()));
        probed
    }

    /// Folds the write-ahead log into the database and empties it.
    fn fold(&self) -> Result<(), StoreError> {
        let connection = lock(&self.connection);
        let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy {
            return Err(StoreError(
                "the write-ahead log was not merged into the ledger, because another connection reads the ledger; keep \
                 both files"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// Does the operations of a group; `true` when one of them failed alone.
fn transact(
    connection: &mut Connection,
    replies: &mut ReplyStore,
    group: &mut [Box<dyn Waiting>],
) -> Result<bool, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // One alone is undone with its transaction.
    let failed = match group {
        [alone] => {
            let before = *replies;
            if alone.work(&transaction, replies).is_err() {
                *replies = before;
                transaction.rollback()?;
                return Ok(true);
            }
            false
        }
        group => each(&transaction, replies, group)?,
    };
    transaction.commit()?;
    Ok(failed)
}

/// Does each operation so that it can be undone without the others; `true` when one failed.
fn each(
    transaction: &Transaction<'_>,
    replies: &mut ReplyStore,
    group: &mut [Box<dyn Waiting>],
) -> Result<bool, StoreError> {
    let savepoint = |word: &str| transaction.prepare_cached(word)?.execute([]);
    let mut failed = false;
    for waiting in group {
        let before = *replies;
        savepoint("SAVEPOINT operation")?;
        match waiting.work(transaction, replies) {
            Ok(()) => savepoint("RELEASE operation").map(drop)?,
            Err(fault) => {
                failed = true;
                *replies = before;
                // A full disk and the like can end the whole transaction; what follows would not be undone any more.
                let undone = savepoint("ROLLBACK TO operation").and_then(|_| savepoint("RELEASE operation"));
                if undone.is_err() || transaction.is_autocommit() {
                    return Err(fault);
                }
            }
        }
    }
    Ok(failed)
}

/// Between two probes of a ledger that can be written.
pub(super) const PROBE_PAUSE_UP: Duration = Duration::from_secs(10);
/// Bytes that a probe writes while the ledger is up: a page or two.
pub(super) const PROBE_BYTES_UP: usize = 1;
/// Bytes that a probe writes before the ledger is up again: more than a payment and its answer take.
pub(super) const PROBE_BYTES_DOWN: usize = 256 << 10;

#[derive(Debug, Default)]
struct State {
    fault: Option<String>,
    probed: Option<Instant>,
}

/// Whether the ledger can be written, as its threads know it.
#[derive(Debug, Default)]
pub(super) struct WriteHealth(Mutex<State>);

impl WriteHealth {
    /// Why it cannot.
    pub(super) fn fault(&self) -> Option<String> {
        self.with(|state| state.fault.clone())
    }

    /// Notes how it stands; logs when that is another standing than before.
    pub(super) fn note(&self, fault: Option<&str>) {
        let before = self.with(|state| std::mem::replace(&mut state.fault, fault.map(str::to_owned)));
        match (before.as_deref(), fault) {
            (Some(_), None) => tracing::info!("the ledger can be written again: payments are offered"),
            (before, Some(why)) if before != Some(why) => {
                tracing::error!(why, "the ledger cannot be written: no payment is offered or accepted");
            }
            _ => {}
        }
    }

    /// Whether it is time for a probe, and then of how many bytes.
    pub(super) fn probe_due(&self, now: Instant) -> Option<usize> {
        self.with(|state| {
            if state.fault.is_some() {
                return Some(PROBE_BYTES_DOWN);
            }
            let is_fresh = |probed: Instant| now.saturating_duration_since(probed) < PROBE_PAUSE_UP;
            (!state.probed.is_some_and(is_fresh)).then(|| {
                state.probed = Some(now);
                PROBE_BYTES_UP
            })
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
