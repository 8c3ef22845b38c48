//! Deferred drop: drops values on a separate thread, after the last request that uses them has ended.
//!
//! Dropping a catalog unmaps files and frees indices, which takes milliseconds. A request that is the last user of an
//! old catalog would have to wait for that. A thread therefore keeps its own reference to the catalog and drops it once
//! all other references are gone.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Time between two checks of the values that are still in use.
const LOOK: Duration = Duration::from_millis(50);

/// A handle of the thread that drops values.
pub struct DeferredDrop<T>(Sender<Arc<T>>);

impl<T: Send + Sync + 'static> DeferredDrop<T> {
    /// Starts the thread. The thread ends once this handle and every value are dropped.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn start() -> std::io::Result<Self> {
        let (give, given) = channel();
        std::thread::Builder::new().name("janitor".into()).spawn(move || keep_until_alone(&given))?;
        Ok(Self(give))
    }

    /// Takes over a value that is out of use. No new references to the value may be made.
    pub fn take(&self, old: Arc<T>) {
        // Sending does not fail, because the thread outlives this sender.
        let _ = self.0.send(old);
    }
}

fn keep_until_alone<T>(given: &Receiver<Arc<T>>) {
    let mut held: Vec<Arc<T>> = Vec::new();
    loop {
        let next = if held.is_empty() {
            given.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            given.recv_timeout(LOOK)
        };
        match next {
            Ok(old) => held.push(old),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if held.is_empty() => return,
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        held.retain(|old| Arc::strong_count(old) > 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Witness(Sender<Option<String>>);

    impl Drop for Witness {
        fn drop(&mut self) {
            let _ = self.0.send(std::thread::current().name().map(str::to_owned));
        }
    }

    #[test]
    fn drops_on_its_thread_after_the_last_user() {
        let (dropped, drops) = channel();
        let deferred_drop = DeferredDrop::start().expect("a thread");
        let old = Arc::new(Witness(dropped));
        let user = Arc::clone(&old);
        deferred_drop.take(old);
        assert!(drops.recv_timeout(LOOK * 3).is_err(), "still in use");
        drop(user);
        let thread = drops.recv_timeout(Duration::from_secs(5)).expect("dropped");
        assert_eq!(thread.as_deref(), Some("janitor"));
    }
}
