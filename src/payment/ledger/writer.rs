//! The writer thread: what waits is written in one transaction, and each waiter is answered after its commit.
//!
//! A group forms by itself while the one before it is flushed: nobody waits for a timer, and under load many payments
//! share a flush. Invariant: an operation that fails is undone alone; when the commit fails, every operation of the
//! group has failed, whatever it had reported.

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

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
            || Err(fault.cloned().unwrap_or_else(|| StoreError("the operation was not begun".into())));
        let outcome = match self.outcome {
            Some(Ok(_)) if fault.is_some() => undone(),
            Some(outcome) => outcome,
            None => undone(),
        };
        // Who waited may have gone; what is done is done.
        let _ = self.done.send(outcome);
    }
}

/// What the writer thread owns.
pub(super) struct Writer {
    /// Its connection; in memory, reads use it too.
    pub(super) connection: Arc<Mutex<Connection>>,
    /// Stored answers.
    pub(super) replies: ReplyStore,
}

impl Writer {
    /// Starts the thread. It ends when nobody can send operations any more and those that wait are done.
    pub(super) fn spawn(
        mut self,
        mut waiting: mpsc::Receiver<Box<dyn Waiting>>,
    ) -> Result<JoinHandle<()>, StoreError> {
        let run = move || {
            let mut group = Vec::with_capacity(GROUP_OPERATIONS_MAX);
            while let Some(first) = waiting.blocking_recv() {
                group.push(first);
                while group.len() < GROUP_OPERATIONS_MAX
                    && let Ok(next) = waiting.try_recv()
                {
                    group.push(next);
                }
                self.write(&mut group);
            }
        };
        let thread = thread::Builder::new().name(THREAD_NAME.to_owned()).spawn(run);
        thread.map_err(|error| StoreError(format!("its thread cannot be started: {error}")))
    }

    /// Writes a group and answers everybody in it.
    pub(super) fn write(&mut self, group: &mut Vec<Box<dyn Waiting>>) {
        let mut replies = self.replies;
        let fault = transact(&mut lock(&self.connection), &mut replies, group).err();
        match &fault {
            None => self.replies = replies,
            Some(fault) => {
                tracing::error!(operations = group.len(), "a group of operations was undone: {fault}");
            }
        }
        for waiting in group.drain(..) {
            waiting.answer(fault.as_ref());
        }
    }
}

fn transact(
    connection: &mut Connection,
    replies: &mut ReplyStore,
    group: &mut [Box<dyn Waiting>],
) -> Result<(), StoreError> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for waiting in group {
        let before = *replies;
        let savepoint = transaction.savepoint()?;
        match waiting.work(&savepoint, replies) {
            Ok(()) => savepoint.commit()?,
            Err(fault) => {
                *replies = before;
                // A full disk and the like can end the whole transaction; what follows would not be undone any more.
                if savepoint.finish().is_err() || transaction.is_autocommit() {
                    return Err(fault);
                }
            }
        }
    }
    Ok(transaction.commit()?)
}
