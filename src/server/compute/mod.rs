//! Computation of answers: inline on the thread that serves the request, or on a compute thread.
//!
//! A hop to another thread and back costs about 20 µs, as much as a small answer itself, so routes that are not heavy
//! run inline. Heavy routes (`Descriptor::heavy`), and the suggestions of a 404, run on a fixed set of plain threads
//! behind a bounded queue in which clients take turns (`queue`). [`Compute::admit`] checks for a free place in the
//! queue before any work is done. The place is taken only when there is something to compute, so a request whose
//! payment waits for a facilitator does not take one. A request that waits longer than [`WAIT_MAX`] is refused.
//!
//! Compute threads are not rayon workers: a rayon worker that waits for its own parallel loop starts other requests
//! meanwhile, and a request of 20 ms then lasts 300 ms. Rayon runs only parallel loops over data. Compute threads and
//! rayon workers have a lower priority than the threads that serve connections ([`give_way`]), so that small answers do
//! not wait for large ones.

mod queue;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

pub use self::queue::ClientKey;
use self::queue::{Entry, Queue};

/// Maximum number of requests that wait for a compute thread, not counting the running ones.
pub const QUEUE_DEPTH_MAX: usize = 256;

/// Maximum time that a request waits for a compute thread.
pub const WAIT_MAX: Duration = Duration::from_millis(1_500);

/// Maximum time that a request waits for its answer once its computation has begun.
pub const COMPUTE_MAX: Duration = Duration::from_secs(10);

/// `nice` value of compute threads. Their priority is lower than that of the threads that serve connections.
const NICENESS: i32 = 10;

/// `nice` value of background threads: no request waits for their results. Each gets a third of the CPU share of a
/// compute thread, so a swap completes under any load.
const BACKGROUND_NICENESS: i32 = 15;

/// The compute threads.
pub struct Compute {
    queue: Arc<Queue>,
}

/// Reason why a heavy request was not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeavyRefusal {
    /// Every place in the queue is taken.
    Full,
    /// The request lost its place to a request of a client with fewer waiting requests.
    Displaced,
    /// The request was not answered within the time limit.
    Late,
}

impl HeavyRefusal {
    /// Every reason.
    pub const ALL: [Self; 3] = [Self::Full, Self::Displaced, Self::Late];

    /// The value of the `reason` label in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Displaced => "displaced",
            Self::Late => "late",
        }
    }
}

/// The thread on which an admitted request is computed.
pub enum ComputePlace {
    /// On the thread that serves the request.
    Inline,
    /// On a compute thread.
    Thread(Seat),
}

/// The right to enter the queue.
pub struct Seat {
    queue: Arc<Queue>,
    client: ClientKey,
    is_due: bool,
}

/// State of a job. The job either runs, or its request gives it up before it runs; both cannot happen.
#[derive(Default)]
struct Progress(AtomicU8);

impl Progress {
    const RUNNING: u8 = 1;
    const GIVEN_UP: u8 = 2;

    fn take(&self, to: u8) -> bool {
        self.0.compare_exchange(0, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Lowers the priority of the calling thread below that of the threads that serve connections. Has no effect if the
/// system refuses.
pub fn give_way() {
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

/// Lowers the priority of the calling thread below that of all other threads, for work that no request waits for. Has
/// no effect if the system refuses.
pub fn stay_behind() {
    let _ = rustix::process::setpriority_process(None, BACKGROUND_NICENESS);
}

impl Compute {
    /// Starts `threads` compute threads (at least one) with a queue of `queue_depth_max` waiting requests.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn start(threads: usize, queue_depth_max: usize) -> std::io::Result<Self> {
        let threads = threads.max(1);
        let queue = Arc::new(Queue::new(threads + queue_depth_max));
        for number in 0..threads {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().name(format!("compute-{number}")).spawn(move || work_off(&queue))?;
        }
        Ok(Self { queue })
    }

    /// Chooses the thread for a request. Only heavy requests can be refused.
    ///
    /// # Errors
    /// Returns [`HeavyRefusal::Full`] if every place is taken and no other client has enough waiting requests to lose a
    /// place to this client.
    pub fn admit(&self, heavy: bool, client: ClientKey) -> Result<ComputePlace, HeavyRefusal> {
        if !heavy {
            return Ok(ComputePlace::Inline);
        }
        if !self.queue.has_room(client) {
            return Err(HeavyRefusal::Full);
        }
        Ok(ComputePlace::Thread(Seat { queue: Arc::clone(&self.queue), client, is_due: false }))
    }

    /// The number of waiting heavy requests and the number of running ones.
    pub fn load(&self) -> (usize, usize) {
        self.queue.load()
    }
}

impl Drop for Compute {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl ComputePlace {
    /// Marks the request as one whose payment was verified. It is then admitted even if every place is taken.
    #[must_use]
    pub fn due(self) -> Self {
        match self {
            Self::Inline => Self::Inline,
            Self::Thread(seat) => Self::Thread(Seat { is_due: true, ..seat }),
        }
    }

    /// Runs `work` on the chosen thread. A panic of `work` is resumed in the caller.
    ///
    /// # Errors
    /// Returns an error if the work was not done: every place was taken meanwhile, the place went to another client, or
    /// the time limit was reached.
    ///
    /// # Panics
    /// Panics if `work` does.
    pub async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HeavyRefusal> {
        let seat = match self {
            Self::Inline => return Ok(work()),
            Self::Thread(seat) => seat,
        };
        let progress = Arc::new(Progress::default());
        let (done, mut result) = oneshot::channel::<Result<T, Box<dyn Any + Send>>>();
        let (running, queue) = (Arc::clone(&progress), Arc::clone(&seat.queue));
        let job = move || {
            // The receiver is closed if the client of the request has disconnected.
            let is_wanted = !done.is_closed() && running.take(Progress::RUNNING);
            let result = is_wanted.then(|| catch_unwind(AssertUnwindSafe(work)));
            // The place is freed before the client can see the answer.
            queue.done();
            if let Some(result) = result {
                let _ = done.send(result);
            }
        };
        if seat.queue.enter(seat.client, Box::new(job), seat.is_due) == Entry::Full {
            return Err(HeavyRefusal::Full);
        }
        let result = match timeout(WAIT_MAX, &mut result).await {
            Ok(result) => result,
            Err(_) if progress.take(Progress::GIVEN_UP) => return Err(HeavyRefusal::Late),
            Err(_) => timeout(COMPUTE_MAX, result).await.map_err(|_| HeavyRefusal::Late)?,
        };
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(panic)) => resume_unwind(panic),
            // The job was dropped before it ran.
            Err(_) => Err(HeavyRefusal::Displaced),
        }
    }
}

fn work_off(queue: &Queue) {
    give_way();
    while let Some(job) = queue.next() {
        job();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use tokio::task::JoinHandle;

    use super::*;

    fn client(number: u8) -> ClientKey {
        ClientKey::from([192, 0, 2, number])
    }

    #[tokio::test]
    async fn runs_where_it_was_admitted() {
        let compute = Compute::start(1, 0).expect("threads");
        let name = || std::thread::current().name().map(str::to_owned);
        let here = name();
        assert_eq!(compute.admit(false, client(1)).expect("a place").run(name).await, Ok(here));
        let there = compute.admit(true, client(1)).expect("a place").run(name).await.expect("an answer");
        assert_eq!(there.as_deref(), Some("compute-0"));
    }

    /// A compute thread that is busy until the sender is dropped, with a queue of one more request.
    async fn busy() -> (Compute, Sender<()>, JoinHandle<Result<(), HeavyRefusal>>) {
        let compute = Compute::start(1, 1).expect("threads");
        let (go, gate) = channel::<()>();
        let place = compute.admit(true, client(1)).expect("a place");
        let first = tokio::spawn(place.run(move || gate.recv().unwrap_or_default()));
        while compute.load() != (0, 1) {
            tokio::task::yield_now().await;
        }
        (compute, go, first)
    }

    #[tokio::test]
    async fn refuses_when_every_place_is_taken() {
        let (compute, go, first) = busy().await;
        let second = tokio::spawn(compute.admit(true, client(1)).expect("a place").run(|| 2));
        while compute.load() != (1, 1) {
            tokio::task::yield_now().await;
        }
        assert_eq!(compute.admit(true, client(1)).err(), Some(HeavyRefusal::Full));
        assert!(compute.admit(false, client(1)).is_ok());
        drop(go);
        assert_eq!((first.await.expect("no panic"), second.await.expect("no panic")), (Ok(()), Ok(2)));
    }

    #[tokio::test]
    async fn gives_up_on_jobs_that_wait_too_long() {
        let (compute, go, first) = busy().await;
        let second = compute.admit(true, client(1)).expect("a place").run(|| unreachable!("given up"));
        assert_eq!(second.await, Err::<(), _>(HeavyRefusal::Late));
        drop(go);
        assert_eq!(first.await.expect("no panic"), Ok(()), "what runs has more time");
    }

    #[tokio::test]
    async fn a_panic_reaches_the_caller_and_spares_the_thread() {
        let compute = Compute::start(1, 0).expect("threads");
        let place = compute.admit(true, client(1)).expect("a place");
        let caller = tokio::spawn(place.run(|| panic!("boom")));
        assert!(caller.await.expect_err("a panic").is_panic());
        assert_eq!(compute.admit(true, client(1)).expect("a place").run(|| 7).await, Ok(7));
    }
}
