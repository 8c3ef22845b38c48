//! Where an answer is computed: inline on the thread that holds the request, or on a compute thread.
//!
//! A hop to another thread and back costs about 20 µs, as much as a small answer itself, so routes that are not
//! heavy run inline. Heavy ones run on a fixed set of plain threads behind a bounded queue. A place is taken by
//! [`Compute::admit`] before any work is done; when none is free the request is refused, so the queue never
//! overflows and never grows old. These threads are not rayon workers: a worker that waits for its own parallel
//! loop takes up other requests meanwhile, and a request of 20 ms then lasts 300.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

/// Requests that may wait for a compute thread, beside those that run.
pub const QUEUE_DEPTH_MAX: usize = 256;

/// The compute threads.
pub struct Compute {
    jobs: SyncSender<Job>,
    taken: Arc<AtomicUsize>,
    places_max: usize,
}

type Job = Box<dyn FnOnce() + Send>;

/// Every compute thread is busy and the queue is full.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("every compute thread is busy and the queue is full")]
pub struct Overloaded;

/// Where an admitted request computes.
pub enum Place {
    /// On the thread that holds the request.
    Inline,
    /// On a compute thread.
    Thread(Seat),
}

/// A place among the running and waiting requests, given back when dropped.
pub struct Seat {
    jobs: SyncSender<Job>,
    taken: Arc<AtomicUsize>,
}

impl Compute {
    /// Starts `threads` compute threads, at least one, with a queue of `queue_depth_max`.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(threads: usize, queue_depth_max: usize) -> std::io::Result<Self> {
        let threads = threads.max(1);
        let places_max = threads + queue_depth_max;
        let (jobs, queue) = sync_channel(places_max);
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().name(format!("compute-{number}")).spawn(move || work_off(&queue))?;
        }
        Ok(Self { jobs, taken: Arc::new(AtomicUsize::new(0)), places_max })
    }

    /// Takes a place for a request. Only heavy requests can be refused.
    ///
    /// # Errors
    /// When every place is taken.
    pub fn admit(&self, heavy: bool) -> Result<Place, Overloaded> {
        if !heavy {
            return Ok(Place::Inline);
        }
        let seat = |taken| (taken < self.places_max).then_some(taken + 1);
        match self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, seat) {
            Ok(_) => Ok(Place::Thread(Seat { jobs: self.jobs.clone(), taken: Arc::clone(&self.taken) })),
            Err(_) => Err(Overloaded),
        }
    }

    /// Heavy requests that run or wait.
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }
}

impl Place {
    /// Runs `work` here. A panic of `work` goes on in the caller, wherever it happened.
    ///
    /// # Panics
    /// When `work` does.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let seat = match self {
            Self::Inline => return work(),
            Self::Thread(seat) => seat,
        };
        let jobs = seat.jobs.clone();
        let (done, result) = oneshot::channel::<Result<T, Box<dyn Any + Send>>>();
        let job = move || {
            // Nobody waits any more for a request whose client has gone away.
            if !done.is_closed() {
                let result = catch_unwind(AssertUnwindSafe(work));
                // The seat is free again before the client can see the answer.
                drop(seat);
                let _ = done.send(result);
            }
        };
        // A seat is a place in the channel, so sending never waits; it fails when the threads are gone, and then
        // dropping the job closes the result too.
        let _ = jobs.send(Box::new(job));
        match result.await {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(gone) => panic!("the compute threads are gone: {gone}"),
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

fn work_off(queue: &Mutex<Receiver<Job>>) {
    loop {
        // The lock is held while waiting, not while working: idle threads line up behind it.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn runs_where_it_was_admitted() {
        let compute = Compute::start(1, 0).expect("threads");
        let name = || std::thread::current().name().map(str::to_owned);
        let here = name();
        assert_eq!(compute.admit(false).expect("a place").run(name).await, here);
        assert_eq!(compute.admit(true).expect("a place").run(name).await.as_deref(), Some("compute-0"));
    }

    #[test]
    fn refuses_when_every_place_is_taken() {
        let compute = Compute::start(1, 1).expect("threads");
        let places = [compute.admit(true), compute.admit(true)];
        assert_eq!(compute.admit(true).err(), Some(Overloaded));
        assert!(compute.admit(false).is_ok());
        drop(places);
        assert!(compute.admit(true).is_ok());
    }

    #[tokio::test]
    async fn a_panic_reaches_the_caller_and_spares_the_thread() {
        let compute = Compute::start(1, 0).expect("threads");
        let place = compute.admit(true).expect("a place");
        let caller = tokio::spawn(place.run(|| panic!("boom")));
        assert!(caller.await.expect_err("a panic").is_panic());
        assert_eq!(compute.taken(), 0);
        assert_eq!(compute.admit(true).expect("a place").run(|| 7).await, 7);
    }
}
