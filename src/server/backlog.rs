//! Bytes of answers that clients have not read yet, and their limits.
//!
//! The bytes are counted per connection, per client and in total. A request is admitted before anything is computed
//! or paid for it, so an answer whose payment was settled is never held back. An answer counts as
//! `UNKNOWN_ANSWER_BYTES` until its length is known. Afterwards it counts as its length, until its last byte is
//! written to the connection or the request ends otherwise.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::counter::Counter;

use crate::server::compute::ClientKey;
use crate::server::telemetry::UnreadBytes;

/// Maximum number of bytes of unread answers on one connection.
pub const CONNECTION_UNREAD_BYTES_MAX: usize = 4 << 20;

/// Maximum number of bytes of unread answers of one client, over all its connections.
pub const CLIENT_UNREAD_BYTES_MAX: usize = 16 << 20;

/// Maximum number of bytes of unread answers of all clients.
pub const TOTAL_UNREAD_BYTES_MAX: usize = 128 << 20;

/// Bytes of unread answers that a client may have even if the limit of all clients is reached.
pub const CLIENT_UNREAD_BYTES_FREE: usize = 1 << 20;

/// Bytes that an answer counts as while it is computed. 64 streams with such an answer reach the limit of a connection.
const UNKNOWN_ANSWER_BYTES: usize = 64 << 10;

/// Limits of the bytes of unread answers.
#[derive(Debug, Clone, Copy)]
pub struct UnreadLimits {
    /// Maximum number of bytes on one connection.
    pub connection_bytes_max: usize,
    /// Maximum number of bytes of one client.
    pub client_bytes_max: usize,
    /// Number of bytes that one client may have even if the limit of all clients is reached.
    pub client_bytes_free: usize,
    /// Maximum number of bytes of all clients.
    pub total_bytes_max: usize,
}

impl Default for UnreadLimits {
    fn default() -> Self {
        Self {
            connection_bytes_max: CONNECTION_UNREAD_BYTES_MAX,
            client_bytes_max: CLIENT_UNREAD_BYTES_MAX,
            client_bytes_free: CLIENT_UNREAD_BYTES_FREE,
            total_bytes_max: TOTAL_UNREAD_BYTES_MAX,
        }
    }
}

/// The limit that a refused request would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadLimit {
    /// The limit of the connection.
    Connection,
    /// The limit of the client.
    Client,
    /// The limit of all clients.
    Total,
}

impl UnreadLimit {
    /// Every limit.
    pub const ALL: [Self; 3] = [Self::Connection, Self::Client, Self::Total];

    /// The value of the `limit` label in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Client => "client",
            Self::Total => "total",
        }
    }
}

/// Number of a connection; unique in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// A number that no other connection of this process has.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The unread answers of a server.
pub(super) struct Backlog {
    limits: UnreadLimits,
    held: Mutex<UnreadByClient>,
    /// Streams that were reset because their answers were not read.
    resets: Counter,
}

/// Bytes of unread answers. The maps have no entries with the value 0.
#[derive(Default)]
struct UnreadByClient {
    total: usize,
    clients: HashMap<ClientKey, usize>,
    /// Keyed by client too, because a proxy sends the requests of many clients over one connection.
    connections: HashMap<(ConnectionId, ClientKey), usize>,
}

impl UnreadByClient {
    /// Sets the number of bytes that an answer counts as.
    fn set(&mut self, answer: &UnreadAnswer, bytes: usize) {
        let before = answer.bytes.swap(bytes, Ordering::Relaxed);
        self.total = self.total - before + bytes;
        adjust(&mut self.clients, answer.client, before, bytes);
        adjust(&mut self.connections, (answer.connection, answer.client), before, bytes);
    }
}

fn adjust<K: Eq + Hash>(held: &mut HashMap<K, usize>, key: K, before: usize, bytes: usize) {
    if before == bytes {
        return;
    }
    let sum = held.get(&key).copied().unwrap_or_default() - before + bytes;
    if sum == 0 {
        held.remove(&key);
    } else {
        held.insert(key, sum);
    }
}

impl Backlog {
    pub(super) fn new(limits: UnreadLimits, resets: Counter) -> Self {
        Self { limits, held: Mutex::default(), resets }
    }

    /// Opens the entry that counts the unread bytes of the answer to a new request. The entry has 0 bytes until the
    /// request is admitted.
    pub(super) fn open(self: &Arc<Self>, connection: ConnectionId, client: ClientKey) -> Arc<UnreadAnswer> {
        let (backlog, bytes) = (Arc::clone(self), AtomicUsize::new(0));
        Arc::new(UnreadAnswer { backlog, connection, client, bytes })
    }

    /// Unread bytes in total, of the client with the most, and of the connection with the most.
    pub(super) fn unread(&self) -> UnreadBytes {
        let held = self.lock();
        UnreadBytes {
            total: held.total,
            client_most: held.clients.values().copied().max().unwrap_or_default(),
            connection_most: held.connections.values().copied().max().unwrap_or_default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, UnreadByClient> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Entry of one answer. Its bytes count as unread until the entry is dropped.
pub(super) struct UnreadAnswer {
    backlog: Arc<Backlog>,
    connection: ConnectionId,
    client: ClientKey,
    /// Number of bytes that the answer counts as. It changes only under the lock of the backlog.
    bytes: AtomicUsize,
}

impl UnreadAnswer {
    /// Admits the request if `UNKNOWN_ANSWER_BYTES` more bytes are within every limit. A request on a connection
    /// without unread answers is always admitted. The limit of all clients applies only to clients above
    /// [`UnreadLimits::client_bytes_free`], so one client cannot keep another from being answered.
    pub(super) fn admit(&self) -> Result<(), UnreadLimit> {
        let limits = &self.backlog.limits;
        let mut held = self.backlog.lock();
        let on_connection =
            held.connections.get(&(self.connection, self.client)).copied().unwrap_or_default();
        if on_connection > 0 {
            let of_client = held.clients.get(&self.client).copied().unwrap_or_default();
            let total_bytes_max =
                if of_client <= limits.client_bytes_free { usize::MAX } else { limits.total_bytes_max };
            let limits = [
                (UnreadLimit::Connection, on_connection, limits.connection_bytes_max),
                (UnreadLimit::Client, of_client, limits.client_bytes_max),
                (UnreadLimit::Total, held.total, total_bytes_max),
            ];
            let reached = limits.into_iter().find(|(_, bytes, max)| bytes + UNKNOWN_ANSWER_BYTES > *max);
            if let Some((limit, ..)) = reached {
                return Err(limit);
            }
        }
        held.set(self, UNKNOWN_ANSWER_BYTES);
        Ok(())
    }

    /// Sets the length of the answer once it is known.
    pub(super) fn set_bytes(&self, bytes: usize) {
        self.backlog.lock().set(self, bytes);
    }

    /// Counts a stream that was reset because this answer was not read.
    pub(super) fn count_reset(&self) {
        self.backlog.resets.inc();
    }
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        self.set_bytes(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: usize = UNKNOWN_ANSWER_BYTES;

    fn backlog(connection: usize, client: usize, total: usize) -> Arc<Backlog> {
        backlog_with(connection, client, 0, total)
    }

    fn backlog_with(connection: usize, client: usize, free: usize, total: usize) -> Arc<Backlog> {
        let limits = UnreadLimits {
            connection_bytes_max: connection * SOME,
            client_bytes_max: client * SOME,
            client_bytes_free: free * SOME,
            total_bytes_max: total * SOME,
        };
        Arc::new(Backlog::new(limits, Counter::default()))
    }

    fn client(last: u8) -> ClientKey {
        ClientKey::from([192, 0, 2, last])
    }

    #[test]
    fn refuses_beyond_each_limit() {
        let backlog = backlog(2, 3, 4);
        let (one, two, three) = (ConnectionId::next(), ConnectionId::next(), ConnectionId::next());
        let mut held = Vec::new();
        let mut admit = |connection, last| {
            let answer = backlog.open(connection, client(last));
            let admitted = answer.admit();
            held.push(answer);
            admitted
        };
        assert_eq!(admit(one, 1), Ok(()));
        assert_eq!(admit(one, 1), Ok(()));
        assert_eq!(admit(one, 1), Err(UnreadLimit::Connection));
        assert_eq!(admit(two, 1), Ok(()));
        assert_eq!(admit(two, 1), Err(UnreadLimit::Client));
        assert_eq!(admit(three, 2), Ok(()));
        assert_eq!(admit(three, 2), Err(UnreadLimit::Total));
        assert_eq!(admit(ConnectionId::next(), 1), Ok(()), "the first answer of a connection");
        let unread = backlog.unread();
        assert_eq!(
            (unread.total, unread.client_most, unread.connection_most),
            (5 * SOME, 4 * SOME, 2 * SOME)
        );
        drop(held);
        let held = backlog.lock();
        assert!(held.total == 0 && held.clients.is_empty() && held.connections.is_empty());
    }

    #[test]
    fn clients_that_hold_little_are_not_refused_for_others() {
        let backlog = backlog_with(8, 8, 2, 3);
        let connections = [ConnectionId::next(), ConnectionId::next()];
        let open = |nth: usize| backlog.open(connections[nth], client(nth as u8));
        let held = [open(0), open(0), open(0)];
        assert!(held.iter().all(|answer| answer.admit().is_ok()));
        assert_eq!(open(0).admit(), Err(UnreadLimit::Total));
        let more = [open(1), open(1), open(1), open(1)];
        let admitted = more.each_ref().map(|answer| answer.admit());
        assert_eq!(admitted, [Ok(()), Ok(()), Ok(()), Err(UnreadLimit::Total)]);
    }

    #[test]
    fn a_proxy_has_a_connection_for_each_of_its_clients() {
        let backlog = backlog(1, 8, 8);
        let connection = ConnectionId::next();
        let held = [backlog.open(connection, client(1)), backlog.open(connection, client(2))];
        assert_eq!(held.each_ref().map(|answer| answer.admit()), [Ok(()), Ok(())]);
        assert_eq!(backlog.open(connection, client(1)).admit(), Err(UnreadLimit::Connection));
    }

    #[test]
    fn counts_an_answer_for_its_length() {
        let backlog = backlog(2, 3, 4);
        let connection = ConnectionId::next();
        let answer = backlog.open(connection, client(1));
        assert_eq!(answer.admit(), Ok(()));
        answer.set_bytes(3 * SOME);
        assert_eq!(backlog.unread().connection_most, 3 * SOME);
        assert_eq!(backlog.open(connection, client(1)).admit(), Err(UnreadLimit::Connection));
        answer.set_bytes(1);
        assert_eq!(backlog.open(connection, client(1)).admit(), Ok(()));
    }
}
