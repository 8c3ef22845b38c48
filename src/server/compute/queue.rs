//! Who computes next: clients take turns, and each client's requests go in the order they came.
//!
//! A client that sends a hundred requests waits behind itself. When every place is taken, a request of a client that
//! has fewer waiting takes the place of the youngest one of whoever has most.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Who a request is counted for: an address, or the network it stands for.
pub type ClientKey = IpAddr;

/// What waits to be computed. Dropped before it ran, it tells its request so.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// The places and who holds them.
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    places_max: usize,
}

#[derive(Default)]
struct State {
    lines: HashMap<ClientKey, VecDeque<Job>>,
    /// Clients with a line, the next one first.
    turns: VecDeque<ClientKey>,
    waiting: usize,
    running: usize,
    is_closed: bool,
}

/// Whether a request was let in, and at whose cost.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// There was a place.
    Free,
    /// Another client's youngest request has lost its place.
    Displaced,
    /// Nobody has more requests waiting than this client.
    Full,
}

impl Queue {
    pub(super) fn new(places_max: usize) -> Self {
        Self { state: Mutex::default(), filled: Condvar::new(), places_max }
    }

    /// Lets a request in; a paid-for one (`is_due`) always, for money already waits for it.
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
        // Its request hears of it outside the lock.
        if displaced.take().is_some() { Entry::Displaced } else { Entry::Free }
    }

    /// Whether a request of this client would be let in now.
    pub(super) fn has_room(&self, client: ClientKey) -> bool {
        let state = self.lock();
        state.taken() < self.places_max || state.longest_beside(client).is_some()
    }

    /// The next job, when there is one; `None` when the queue is closed. It counts as running until it says that it is done.
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

    /// A job that was taken has ended.
    pub(super) fn done(&self) {
        self.lock().running -= 1;
    }

    /// Waiting and running jobs.
    pub(super) fn load(&self) -> (usize, usize) {
        let state = self.lock();
        (state.waiting, state.running)
    }

    /// Lets the threads go once nothing waits any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No job runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Places that are taken, by requests that wait and by those that run.
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

    /// The client with the longest line, if that is longer than this one's would be.
    fn longest_beside(&self, client: ClientKey) -> Option<ClientKey> {
        let own = self.lines.get(&client).map_or(0, VecDeque::len);
        // Of equals the one whose turn is last, so that the choice does not hang on a hash.
        let longest =
            self.turns.iter().max_by_key(|&other| self.lines.get(other).map_or(0, VecDeque::len))?;
        (self.lines.get(longest).map_or(0, VecDeque::len) > own + 1).then_some(*longest)
    }

    /// Takes the youngest job of the longest line away, for a client that has a shorter one.
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

    /// A job that leaves its name, and one that counts its end without having run.
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
    fn who_has_most_gives_way() {
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
