//! Those who ask: they keep a connection, close their half of it, or stall in the middle of a request.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

use pricebook::stats::rng::Rng;

use super::{EndAll, Soak, add, answers};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections that are left stalled at a time.
const STALLED_MAX: usize = 40;
const STALL_EVERY: Duration = Duration::from_millis(250);
/// Wait before a client knocks again at a door that is closed.
const DOOR: Duration = Duration::from_millis(50);

/// A response as it came.
struct Heard {
    status: u16,
    snapshot_id: String,
    body: Vec<u8>,
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    fn send(&mut self, target: &str) -> io::Result<()> {
        self.0.get_mut().write_all(format!("GET {target} HTTP/1.1\r\nhost: soak\r\n\r\n").as_bytes())
    }

    fn hear(&mut self) -> io::Result<Heard> {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line == "\r\n" {
                break;
            }
            head.push(line);
        }
        let broken = || io::Error::other(format!("no head: {head:?}"));
        let field = |name: &str| {
            let fields = head.iter().filter_map(|line| line.split_once(':'));
            fields.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
        };
        let status = head.first().and_then(|line| line.split(' ').nth(1)?.parse().ok()).ok_or_else(broken)?;
        let length = field("content-length").and_then(|length| length.parse().ok()).ok_or_else(broken)?;
        let mut heard = Heard {
            status,
            snapshot_id: field("x-snapshot-id").unwrap_or_default().into(),
            body: vec![0; length],
        };
        self.0.read_exact(&mut heard.body)?;
        Ok(heard)
    }
}

/// Whether a request that found nobody is the fault of a kill: the server was away at its beginning or since.
fn was_killed(soak: &Soak, before: u64) -> bool {
    before % 2 == 1 || soak.epoch.load(Ordering::SeqCst) != before
}

/// Compares a response with what the snapshot that it names gives alone.
fn compare(soak: &Soak, request: usize, heard: &Heard, last: &mut String) {
    let counts = &soak.counts;
    if heard.status == 503 {
        return add(&counts.refused);
    }
    if !last.is_empty() && *last != heard.snapshot_id {
        add(&counts.swaps_seen);
    }
    last.clone_from(&heard.snapshot_id);
    add(&counts.compared);
    let said = answers::said(heard.status, &heard.body);
    let expected = soak.answers.expected(&heard.snapshot_id, request);
    if expected.as_deref() == Some(&said) {
        if heard.status == 200 {
            add(&counts.found);
        }
        return;
    }
    let without = expected.as_deref().and_then(answers::unsuggested);
    if without.is_some() && without == answers::unsuggested(&said) {
        return add(&counts.unsuggested);
    }
    add(&counts.wrong);
    println!("wrong: {} of {:?}", soak.answers.requests[request], heard.snapshot_id);
    println!("  said     {} {}", said.0, String::from_utf8_lossy(&said.1));
    if let Some(expected) = expected {
        println!("  expected {} {}", expected.0, String::from_utf8_lossy(&expected.1));
    }
}

fn miss(soak: &Soak, before: u64, target: &str, fault: &io::Error) {
    if was_killed(soak, before) {
        add(&soak.counts.cut_off);
        soak.rest(DOOR);
    } else {
        add(&soak.counts.lost);
        println!("lost: {target}: {fault}");
    }
}

/// Asks one request after the other over a connection that is kept.
pub(super) fn keep_asking(soak: &Soak, address: SocketAddr, seed: u64) {
    let _end = EndAll(soak);
    let (mut rng, mut connection, mut last) = (Rng::new(seed), None::<Connection>, String::new());
    while soak.goes_on() {
        let request = rng.below(soak.answers.requests.len());
        let target = &soak.answers.requests[request];
        let before = soak.epoch.load(Ordering::SeqCst);
        add(&soak.counts.requests);
        let heard = connection.take().map_or_else(|| Connection::open(address), Ok).and_then(|mut kept| {
            kept.send(target)?;
            let heard = kept.hear()?;
            connection = Some(kept);
            Ok(heard)
        });
        match heard {
            Ok(heard) => compare(soak, request, &heard, &mut last),
            Err(fault) => miss(soak, before, target, &fault),
        }
    }
}

/// Asks over connections of which the client closes its half before the answer.
pub(super) fn ask_half_closed(soak: &Soak, address: SocketAddr, seed: u64) {
    let _end = EndAll(soak);
    let (mut rng, mut last) = (Rng::new(seed), String::new());
    while soak.goes_on() {
        let request = rng.below(soak.answers.requests.len());
        let target = &soak.answers.requests[request];
        let before = soak.epoch.load(Ordering::SeqCst);
        add(&soak.counts.requests);
        let heard = Connection::open(address).and_then(|mut connection| {
            connection.send(target)?;
            connection.0.get_ref().shutdown(Shutdown::Write)?;
            connection.hear()
        });
        match heard {
            Ok(heard) => {
                add(&soak.counts.half_closed);
                compare(soak, request, &heard, &mut last);
            }
            Err(fault) => miss(soak, before, target, &fault),
        }
    }
}

/// Begins requests and says no more.
pub(super) fn stall(soak: &Soak, address: SocketAddr) {
    let _end = EndAll(soak);
    let mut stalled = std::collections::VecDeque::new();
    while soak.goes_on() {
        if let Ok(mut stream) = TcpStream::connect_timeout(&address, PATIENCE)
            && stream.write_all(b"GET /v1/public/coverage HTTP/1.1\r\nhost: so").is_ok()
        {
            add(&soak.counts.stalled);
            stalled.push_back(stream);
            if stalled.len() > STALLED_MAX {
                stalled.pop_front();
            }
        }
        soak.rest(STALL_EVERY);
    }
}
