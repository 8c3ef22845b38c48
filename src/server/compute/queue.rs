//! Order of heavy requests: clients take turns, and the requests of one client run in the order of their arrival.
//!
//! A client that sends a hundred requests mostly delays its own requests. When every place is taken, a new request
//! displaces the newest waiting request of the client with the most waiting requests, if its own client has at least
//! two fewer waiting requests.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The client for which a request is counted: an IPv4 address, or the /64 network of an IPv6 address.
pub type ClientKey = IpAddr;

/// A job that waits to be computed. A job that is dropped before it ran reports that to its request.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// A bounded queue with a line of jobs for each client.
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    places_max: usize,
}

#[derive(Default)]
struct State {
    lines: HashMap<ClientKey, VecDeque<Job>>,
    /// Clients that have waiting jobs. The client whose turn is next comes first.
    turns: VecDeque<ClientKey>,
    waiting: usize,
    running: usize,
    is_closed: bool,
}

/// Result of entering a request into the queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// There was a free place.
    Free,
    /// The newest request of another client lost its place to this request.
    Displaced,
    /// Every place is taken, and no other client has at least two more waiting requests than this client.
    Full,
}

impl Queue {
    pub(super) fn new(places_max: usize) -> Self {
        Self { state: Mutex::default(), filled: Condvar::new(), places_max }
    }

    /// Enters a request. A request with a verified payment (`is_due`) always gets a place.
    pub(super) fn enter(&self, client: ClientKey, job: Job, is_due: bool) -> Entry {
        let mut state = self.lock();
        let mut displaced = None;
        if state.taken() >= self.places_max && !is_due {
            displaced = state.displace_for(client);
            if displaced.is_none() {
                return Entry::Full;
            }
        }
        state.push(client, job);
        drop(state);
        self.filled.notify_one();
        // The displaced job is dropped outside the lock. The drop notifies its request.
        if displaced.take().is_some() { Entry::Displaced } else { Entry::Free }
    }

    /// Whether a request of this client would get a place now.
    pub(super) fn has_room(&self, client: ClientKey) -> bool {
        let state = self.lock();
        state.taken() < self.places_max || state.longest_beside(client).is_some()
    }

    /// Waits for the next job and returns it; `None` once the queue is closed and empty. The job counts as running
    /// until `done` is called.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.pop() {
                state.running += 1;
                return Some(job);
            }
            if state.is_closed {
                return None;
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the running state of a job that `next` returned.
    pub(super) fn done(&self) {
        self.lock().running -= 1;
    }

    /// The number of waiting jobs and the number of running jobs.
    pub(super) fn load(&self) -> (usize, usize) {
        let state = self.lock();
        (state.waiting, state.running)
    }

    /// Makes `next` return `None` once no job waits any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Jobs do not run under the lock, so a panic of a job cannot poison it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The number of places that are taken, by waiting and by running requests.
    fn taken(&self) -> usize {
        self.waiting + self.running
    }

    fn push(&mut self, client: ClientKey, job: Job) {
        let line = self.lines.entry(client).or_default();
        if line.is_empty() {
            self.turns.push_back(client);
        }
        line.push_back(job);
        self.waiting += 1;
    }

    fn pop(&mut self) -> Option<Job> {
        let client = self.turns.pop_front()?;
        let line = self.lines.get_mut(&client)?;
        let job = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&client);
        } else {
            self.turns.push_back(client);
        }
        self.waiting -= usize::from(job.is_some());
        job
    }

    /// The client with the longest line, if that line is longer than this client's line would be with one more request.
    fn longest_beside(&self, client: ClientKey) -> Option<ClientKey> {
        let own = self.lines.get(&client).map_or(0, VecDeque::len);
        // Equally long lines are ordered by turn (the last turn wins), so the choice does not depend on hash order.
        let longest =
            self.turns.iter().max_by_key(|&other| self.lines.get(other).map_or(0, VecDeque::len))?;
        (self.lines.get(longest).map_or(0, VecDeque::len) > own + 1).then_some(*longest)
    }

    /// Removes the newest job of the longest line, for a client that has a shorter line.
    fn displace_for(&mut self, client: ClientKey) -> Option<Job> {
        let longest = self.longest_beside(client)?;
        let job = self.lines.get_mut(&longest)?.pop_back()?;
        self.waiting -= 1;
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn client(number: u8) -> ClientKey {
        ClientKey::from([192, 0, 2, number])
    }

    /// A job that records its name when it runs.
    fn named(name: &'static str, order: &Arc<Mutex<Vec<&'static str>>>) -> Job {
        let order = Arc::clone(order);
        Box::new(move || order.lock().expect("no panic").push(name))
    }

    #[test]
    fn clients_take_turns() {
        let (queue, order) = (Queue::new(10), Arc::default());
        for (number, name) in [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (2, "b2"), (3, "c1")] {
            assert_eq!(queue.enter(client(number), named(name, &order), false), Entry::Free);
        }
        assert_eq!(queue.load(), (6, 0));
        queue.close();
        while let Some(job) = queue.next() {
            job();
            queue.done();
        }
        assert_eq!(*order.lock().expect("no panic"), ["a1", "b1", "c1", "a2", "b2", "a3"]);
        assert_eq!(queue.load(), (0, 0));
    }

    #[test]
    fn displaces_youngest_job_of_the_client_with_most() {
        struct Told(Arc<AtomicUsize>);
        impl Drop for Told {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let told = Arc::new(AtomicUsize::new(0));
        let job = || {
            let told = Told(Arc::clone(&told));
            Box::new(move || drop(told)) as Job
        };
        let queue = Queue::new(4);
        for _ in 0..4 {
            assert_eq!(queue.enter(client(1), job(), false), Entry::Free);
        }
        assert_eq!(queue.enter(client(1), job(), false), Entry::Full);
        assert_eq!(told.swap(0, Ordering::Relaxed), 1);
        assert!(queue.has_room(client(2)) && !queue.has_room(client(1)));
        assert_eq!(queue.enter(client(2), job(), false), Entry::Displaced);
        assert_eq!(told.swap(0, Ordering::Relaxed), 1, "the first client's youngest");
        assert_eq!(queue.enter(client(2), job(), false), Entry::Displaced);
        assert_eq!(
            queue.enter(client(2), job(), false),
            Entry::Full,
            "two each: a place would only change hands"
        );
        assert_eq!(queue.enter(client(1), job(), true), Entry::Free, "what is paid for is always let in");
        assert_eq!(queue.load(), (5, 0));
    }
}
