//! Reading connections: a few, each behind a lock that is held for one short statement.
//!
//! Invariant: a read begins its own view of the database, so it sees every transaction that was committed before.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::schema;
use crate::payment::core::claim::StoreError;

/// Connections that read a file.
const READERS: usize = 4;

/// The connections that reads take turns on.
#[derive(Default)]
pub(super) struct Readers {
    connections: Vec<Arc<Mutex<Connection>>>,
    next: AtomicUsize,
}

impl Readers {
    /// Connections to a file.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let connect = |_| Ok(Arc::new(Mutex::new(schema::open_reader(path)?)));
        let connections = (0..READERS).map(connect).collect::<Result<_, StoreError>>()?;
        Ok(Self { connections, next: AtomicUsize::new(0) })
    }

    /// The writer's own connection, where a second one would see another database: in memory.
    pub(super) fn share(connection: &Arc<Mutex<Connection>>) -> Self {
        Self { connections: vec![Arc::clone(connection)], next: AtomicUsize::new(0) }
    }

    /// Reads on a connection that is free, or waits for one.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let (before, after) = self.connections.split_at(turn % self.connections.len().max(1));
        let mut in_turn = after.iter().chain(before);
        let free = in_turn.clone().find_map(|connection| connection.try_lock().ok());
        match free.or_else(|| in_turn.next().map(lock)) {
            Some(connection) => read(&connection),
            None => Err(StoreError("the ledger is closed".into())),
        }
    }
}

/// A panic in a statement leaves the connection sound: transactions roll back when they are dropped.
pub(super) fn lock(connection: &Arc<Mutex<Connection>>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
