//! Sends requests over a fixed number of kept-alive connections, with at most one request in flight on each. A due
//! request is sent on any free connection, and does not wait for earlier answers.
//!
//! One thread sends all requests and reads all answers. It sleeps until shortly before the next request is due, so
//! that a server on the same cores can use them, and then spins. Requests are encoded in advance, and only the status
//! and the length of an answer are read. A client library would cost as much as the measured server, and the knee
//! would be the knee of the client. If all connections are busy, due requests wait. Their latency includes this wait.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use std::{io, thread};

use hdrhistogram::Histogram;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::{LocalSet, yield_now};
use tokio::time::timeout;

use super::paid::PaidLines;
use super::probe::{Job, ResponseHead, head_of};
use super::record::{Record, RequestOutcome, histogram};
use super::schedule::{Plan, merge};

/// Time before a due request during which the thread spins instead of sleeping, in nanoseconds. The wake-up of a
/// sleeping thread can be this late.
const SPIN_NS: u64 = 80_000;
/// Polling interval for outstanding answers.
const DRAIN_PAUSE: Duration = Duration::from_millis(2);
/// Maximum wait for outstanding answers after the end of a run, in nanoseconds.
const DRAIN_NS: u64 = 2_000_000_000;
/// Initial capacity of a read buffer, in bytes. The buffer grows with the answers.
const BUFFER_BYTES: usize = 64 * 1_024;
/// Number of attempts to reopen a broken connection, and the pause after a failed one.
const RECONNECTS: usize = 5;
const RECONNECT_PAUSE: Duration = Duration::from_millis(20);

/// Requests to send.
#[derive(Clone, Copy)]
pub(super) enum Jobs<'a> {
    /// Requests that are sent in a cycle, each on any free connection.
    Round(&'a [Job]),
    /// Paid requests. Each is sent once, on the connection whose voucher it contains.
    Lines(&'a PaidLines),
}

impl Jobs<'_> {
    /// The route under which a request is counted if it cannot be sent. It is 0, the first route, for paid requests,
    /// because their route depends on the connection.
    fn route(&self, number: usize) -> usize {
        match self {
            Self::Round(jobs) => jobs[number % jobs.len()].route,
            Self::Lines(_) => 0,
        }
    }

    /// The request for a connection; `None` if the vouchers of the connection are used up.
    fn take(&self, number: usize, line: usize) -> Option<Cow<'_, Job>> {
        match self {
            Self::Round(jobs) => Some(Cow::Borrowed(&jobs[number % jobs.len()])),
            Self::Lines(lines) => lines.take(line).map(Cow::Owned),
        }
    }
}

/// Requests, and the plan that determines their send times.
#[derive(Clone, Copy)]
pub(super) struct Stream<'a> {
    pub(super) jobs: Jobs<'a>,
    pub(super) plan: Plan,
}

/// Results of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct RunOutcome {
    /// Requests of the measured stream.
    pub(super) record: Record,
    /// Requests of the second stream, which is sent at the same time as the measured stream.
    pub(super) beside: Record,
    /// Number of answers that arrived in the measured time, regardless of when they were requested.
    pub(super) completed: u64,
    /// 99th percentile of the generator's own delay in sending, in microseconds.
    pub(super) lag_p99_us: f64,
}

/// A request in flight.
#[derive(Clone, Copy)]
struct Pending {
    stream: usize,
    route: usize,
    meant: u64,
}

/// A connection.
struct Line {
    socket: RefCell<Rc<TcpStream>>,
    pending: Cell<Option<Pending>>,
}

/// State shared by dispatcher and connections, which run on one thread.
struct Desk {
    address: SocketAddr,
    began: Instant,
    plan: Plan,
    lines: Vec<Line>,
    idle: RefCell<VecDeque<usize>>,
    /// Notified when a connection becomes idle.
    freed: Notify,
    in_flight: Cell<usize>,
    seen: RefCell<RunOutcome>,
}

/// Sends the requests of a stream by its plan, and at the same time the requests of the stream `beside`, if any, by
/// its own plan.
///
/// # Errors
/// Returns an error if a connection to the server fails.
pub(super) fn send(
    address: SocketAddr,
    stream: Stream<'_>,
    beside: Option<Stream<'_>>,
    connections: usize,
) -> io::Result<RunOutcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(LocalSet::new().run_until(async {
        let mut lines = Vec::with_capacity(connections);
        for _ in 0..connections {
            let socket = RefCell::new(Rc::new(connect(address).await?));
            lines.push(Line { socket, pending: Cell::new(None) });
        }
        let desk = Rc::new(Desk {
            address,
            began: Instant::now(),
            plan: stream.plan,
            idle: RefCell::new((0..lines.len()).collect()),
            freed: Notify::new(),
            lines,
            in_flight: Cell::new(0),
            seen: RefCell::default(),
        });
        let tasks: Vec<_> = (0..connections)
            .map(|line| tokio::task::spawn_local(read_answers(Rc::clone(&desk), line)))
            .collect();
        let lag = dispatch(&desk, &Alarm::start()?, stream, beside).await;
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        let mut seen = desk.seen.take();
        seen.lag_p99_us = lag.value_at_quantile(0.99) as f64 / 1_000.0;
        Ok(seen)
    }))
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

impl Desk {
    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    /// Sleeps until shortly before `until`, or yields once if `until` is near. Times are in nanoseconds.
    async fn pause(&self, alarm: &Alarm, until: u64, now: u64) {
        if until - now > SPIN_NS {
            alarm.until(self.began + Duration::from_nanos(until - SPIN_NS)).await;
        } else {
            yield_now().await;
        }
    }

    /// Records the end of a request.
    fn end(&self, pending: Pending, outcome: RequestOutcome, ended: u64) {
        let seen = &mut *self.seen.borrow_mut();
        if self.plan.counts(pending.meant) {
            let record = if pending.stream == 0 { &mut seen.record } else { &mut seen.beside };
            record.add(pending.route, pending.meant, ended, outcome);
        }
        let answered = matches!(outcome, RequestOutcome::Answered(_));
        seen.completed += u64::from(answered && pending.stream == 0 && self.plan.counts(ended));
    }

    /// Records the end of the request in flight on a connection, if there is one, and frees the connection.
    fn close(&self, line: usize, outcome: RequestOutcome) {
        if let Some(pending) = self.lines[line].pending.take() {
            self.in_flight.set(self.in_flight.get() - 1);
            self.end(pending, outcome, self.now());
            self.free(line);
        }
    }

    /// Marks a connection as free and notifies the dispatcher.
    fn free(&self, line: usize) {
        self.idle.borrow_mut().push_back(line);
        self.freed.notify_one();
    }

    /// Sends a request on a free connection.
    fn open(&self, line: usize, pending: Pending, bytes: &[u8]) {
        let own = &self.lines[line];
        own.pending.set(Some(pending));
        self.in_flight.set(self.in_flight.get() + 1);
        // The connection is idle, so its send buffer is empty and has space for a head of a few hundred bytes.
        let sent = own.socket.borrow().try_write(bytes);
        if sent.ok() != Some(bytes.len()) {
            self.close(line, RequestOutcome::Broken);
        }
    }
}

/// Sends every request when it is due, until the end of the run. Returns the distribution of this thread's own delays
/// in sending, in nanoseconds.
async fn dispatch(
    desk: &Desk,
    alarm: &Alarm,
    stream: Stream<'_>,
    beside: Option<Stream<'_>>,
) -> Histogram<u64> {
    let mut lag = histogram();
    let streams = [Some(stream), beside];
    let mut next = [0_usize; 2];
    let end = stream.plan.end_ns();
    let times = merge(stream.plan.times(), beside.into_iter().flat_map(|stream| stream.plan.times()));
    let mut waited = false;
    for (meant, stream) in times {
        let Some(Stream { jobs, .. }) = streams[stream] else { continue };
        let number = next[stream];
        next[stream] += 1;
        let pending = |route: usize| Pending { stream, route, meant };
        let line = loop {
            let now = desk.now();
            if now >= end {
                break None;
            }
            if now < meant {
                waited = false;
                desk.pause(alarm, meant, now).await;
                continue;
            }
            if let Some(line) = desk.idle.borrow_mut().pop_front() {
                // After a wait for a connection, the delay is caused by the server and is not recorded.
                if !waited {
                    lag.saturating_record((now - meant).max(1));
                }
                break Some(line);
            }
            waited = true;
            // The loop checks whether a connection is free or the run is over.
            let _ = timeout(Duration::from_nanos(end - now), desk.freed.notified()).await;
        };
        let Some(line) = line else {
            desk.end(pending(jobs.route(number)), RequestOutcome::Late, end);
            continue;
        };
        if let Some(job) = jobs.take(number, line) {
            desk.open(line, pending(job.route), &job.bytes);
        } else {
            desk.free(line);
            desk.end(pending(jobs.route(number)), RequestOutcome::Broken, desk.now());
        }
    }
    while desk.in_flight.get() > 0 && desk.now() < end + DRAIN_NS {
        tokio::time::sleep(DRAIN_PAUSE).await;
    }
    (0..desk.lines.len()).for_each(|line| desk.close(line, RequestOutcome::Late));
    lag
}

/// Reads the answers of a connection, and reopens it when it breaks. A server closes a connection that is idle for
/// long.
async fn read_answers(desk: Rc<Desk>, line: usize) {
    loop {
        let socket = Rc::clone(&desk.lines[line].socket.borrow());
        // The connection has ended, whatever the result.
        let _ = read_until_closed(&desk, line, &socket).await;
        desk.idle.borrow_mut().retain(|&idle| idle != line);
        let held = desk.lines[line].pending.get().is_some();
        let Some(socket) = reconnect(desk.address).await else {
            desk.close(line, RequestOutcome::Broken);
            desk.idle.borrow_mut().retain(|&idle| idle != line);
            return;
        };
        *desk.lines[line].socket.borrow_mut() = Rc::new(socket);
        if held {
            desk.close(line, RequestOutcome::Broken);
        } else {
            desk.free(line);
        }
    }
}

async fn reconnect(address: SocketAddr) -> Option<TcpStream> {
    for _ in 0..RECONNECTS {
        if let Ok(socket) = connect(address).await {
            return Some(socket);
        }
        tokio::time::sleep(RECONNECT_PAUSE).await;
    }
    None
}

async fn read_until_closed(desk: &Desk, line: usize, socket: &TcpStream) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let mut head: Option<ResponseHead> = None;
    loop {
        socket.readable().await?;
        match socket.try_read_buf(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        }
        if head.is_none() {
            head = head_of(&buffer)?;
        }
        if let Some(ResponseHead { status, bytes, .. }) = head
            && buffer.len() >= bytes
        {
            buffer.clear();
            head = None;
            desk.close(line, RequestOutcome::Answered(status));
        }
    }
}

/// A thread that sleeps until a given time and then notifies the waiting task. The timers of the runtime have a
/// resolution of one millisecond only.
pub(super) struct Alarm {
    set: Sender<Instant>,
    bell: Arc<Notify>,
}

impl Alarm {
    /// Starts the thread. Dropping the alarm ends it.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
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

    /// Waits until `at`, as precisely as the timers of the operating system allow.
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
