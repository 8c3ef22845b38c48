//! Deferred drop: drops what requests still hold, after the last of them has ended.
//!
//! Dropping a catalog unmaps files and frees indices, which takes milliseconds. The request that happens to be the
//! last user of an old catalog must not pay for that, so a thread keeps a reference of its own until it is the only
//! one.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Time between two looks at what is still held.
const LOOK: Duration = Duration::from_millis(50);

/// A thread that drops what it is given.
pub struct DeferredDrop<T>(Sender<Arc<T>>);

impl<T: Send + Sync + 'static> DeferredDrop<T> {
    /// Starts the thread. It ends when the janitor is dropped and nothing is left to drop.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start() -> std::io::Result<Self> {
        let (give, given) = channel();
        std::thread::Builder::new().name("janitor".into()).spawn(move || keep_until_alone(&given))?;
        Ok(Self(give))
    }

    /// Takes a value that is out of use: nobody makes new handles of it.
    pub fn take(&self, old: Arc<T>) {
        // The thread outlives this sender.
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
