//! Bodies that are being sent, by tag and coding, so that equal free answers and pages share one buffer.
//!
//! The table keeps no body in memory. A body is found only while a response with this body is being sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use hyper::header::HeaderValue;

use super::encoding::{Coding, Encoded};

/// Minimum size of a body that is shared, in bytes.
const SHARED_BYTES_MIN: usize = 4 << 10;

/// Time for which a body is shared. It equals the time for which caches may keep a free answer (`max-age` in
/// `respond`).
const SHARED_TIME: Duration = Duration::from_mins(1);

/// Minimum number of entries at which entries without a body are removed.
const ENTRIES_MIN: usize = 64;

/// Key of a body: its tag and the coding that the client prefers.
type Key = (HeaderValue, Option<Coding>);

/// The bodies that are being sent.
#[derive(Default)]
pub(super) struct Bodies(Mutex<Table>);

#[derive(Default)]
struct Table {
    entries: HashMap<Key, Entry>,
    /// Number of entries at which entries without a body are removed next.
    prune_at: usize,
}

struct Entry {
    bytes: Weak<Bytes>,
    coding: Option<Coding>,
    made: Instant,
}

/// Reference of a response to a shared body.
struct Share(Arc<Bytes>);

impl AsRef<[u8]> for Share {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Entry {
    fn encoded(&self) -> Option<Encoded> {
        let bytes = self.bytes.upgrade().filter(|_| self.made.elapsed() < SHARED_TIME)?;
        Some(Encoded { bytes: Bytes::from_owner(Share(bytes)), coding: self.coding })
    }
}

impl Bodies {
    /// The body of this tag, if it is being sent to a client that prefers the same coding.
    pub(super) fn find(&self, tag: &HeaderValue, preferred: Option<Coding>) -> Option<Encoded> {
        self.lock().entries.get(&(tag.clone(), preferred))?.encoded()
    }

    /// Shares a body with responses that have the same tag and coding. Returns the body that is already being sent,
    /// if any.
    pub(super) fn share(&self, tag: &HeaderValue, preferred: Option<Coding>, body: Encoded) -> Encoded {
        if body.bytes.len() < SHARED_BYTES_MIN {
            return body;
        }
        let key = (tag.clone(), preferred);
        let mut table = self.lock();
        if let Some(found) = table.entries.get(&key).and_then(Entry::encoded) {
            return found;
        }
        if table.entries.len() >= table.prune_at.max(ENTRIES_MIN) {
            table.entries.retain(|_, entry| entry.bytes.strong_count() > 0);
            table.prune_at = table.entries.len() * 2;
        }
        let bytes = Arc::new(body.bytes);
        let entry = Entry { bytes: Arc::downgrade(&bytes), coding: body.coding, made: Instant::now() };
        table.entries.insert(key, entry);
        Encoded { bytes: Bytes::from_owner(Share(bytes)), coding: body.coding }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(bytes: usize) -> Encoded {
        Encoded { bytes: vec![7; bytes].into(), coding: Some(Coding::Zstd) }
    }

    #[test]
    fn shares_a_body_while_it_is_sent() {
        let (bodies, tag) = (Bodies::default(), HeaderValue::from_static("W/\"1\""));
        let first = bodies.share(&tag, Some(Coding::Zstd), body(SHARED_BYTES_MIN));
        let second = bodies.share(&tag, Some(Coding::Zstd), body(SHARED_BYTES_MIN));
        let found = bodies.find(&tag, Some(Coding::Zstd)).expect("it is being sent");
        assert_eq!(first.bytes.as_ptr(), second.bytes.as_ptr());
        assert_eq!(first.bytes.as_ptr(), found.bytes.as_ptr());
        assert_eq!(found.coding, Some(Coding::Zstd));
        assert!(bodies.find(&tag, None).is_none(), "another coding");
        drop((first, second, found));
        assert!(bodies.find(&tag, Some(Coding::Zstd)).is_none());
    }

    #[test]
    fn forgets_bodies_that_were_sent() {
        let bodies = Bodies::default();
        for number in 0..1_000_u32 {
            drop(bodies.share(&HeaderValue::from(number), None, body(SHARED_BYTES_MIN)));
        }
        assert!(bodies.lock().entries.len() <= ENTRIES_MIN);
        let small = bodies.share(&HeaderValue::from(0_u32), None, body(SHARED_BYTES_MIN - 1));
        assert!(bodies.find(&HeaderValue::from(0_u32), None).is_none());
        drop(small);
    }
}
