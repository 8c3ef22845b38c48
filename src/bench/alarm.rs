//! An alarm clock for the generator: the runtime's own timers are a millisecond coarse.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use tokio::sync::Notify;

/// A thread that sleeps until it is told to ring.
pub(super) struct Alarm {
    set: Sender<Instant>,
    bell: Arc<Notify>,
}

impl Alarm {
    /// Starts the thread; it ends with the alarm.
    ///
    /// # Errors
    /// When there is no thread.
    pub(super) fn start() -> io::Result<Self> {
        let (set, times) = channel::<Instant>();
        let bell = Arc::new(Notify::new());
        let rings = Arc::clone(&bell);
        let run = move || {
            for at in times {
                thread::sleep(at.saturating_duration_since(Instant::now()));
                rings.notify_one();
            }
        };
        thread::Builder::new().name("alarm".to_owned()).spawn(run)?;
        Ok(Self { set, bell })
    }

    /// Waits until a moment, give or take what the system's own timers do.
    pub(super) async fn until(&self, at: Instant) {
        if self.set.send(at).is_ok() {
            self.bell.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn it_rings_no_sooner_than_it_is_set_and_each_time() {
        let alarm = Alarm::start().expect("a thread");
        for gap in [Duration::ZERO, Duration::from_micros(300), Duration::from_millis(2)] {
            let at = Instant::now() + gap;
            alarm.until(at).await;
            assert!(Instant::now() >= at);
        }
    }
}
