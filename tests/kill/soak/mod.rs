//! A server under load and under everything that goes wrong around it, for as long as one likes: every answer is
//! compared, byte for byte but for its clocks, with what the snapshot that it names gives alone.
//!
//! ```text
//! clients ──requests──▶ server process ◀── SIGKILL and start, SIGHUP, log that cannot be written
//!    │                      ▲
//!    └──compare── answers   └── CURRENT: swapped, a FIFO, nonsense, gone      builder: killed, disk that fails
//! ```
//!
//! `tests/soak/run SECONDS` runs it; the seed is printed and `SOAK_SEED` sets it.

mod answers;
mod builder;
mod clients;
mod server;
mod trouble;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use self::answers::Answers;
use self::builder::Builder;
use self::server::Server;
use self::trouble::Trouble;
use crate::builds::{assert_sound, has_remains, names};

const SECONDS: &str = "SOAK_SECONDS";
const SEED: &str = "SOAK_SEED";
const SECONDS_DEFAULT: u64 = 60;
const SEED_DEFAULT: u64 = 1;
/// Clients that keep their connection.
const CLIENTS: u64 = 2;

macro_rules! counts {
    ($($(#[doc = $text:literal])+ $name:ident),+ $(,)?) => {
        /// What happened.
        #[derive(Default)]
        struct Counts { $($(#[doc = $text])+ $name: AtomicU64),+ }

        impl fmt::Display for Counts {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(
                    let text = concat!($($text),+).trim().trim_end_matches('.');
                    writeln!(out, "| {text} | {} |", self.$name.load(Ordering::Relaxed))?;
                )+
                Ok(())
            }
        }
    };
}

counts! {
    /// Requests sent.
    requests,
    /// Answers compared with the expected answers.
    compared,
    /// Compared answers with status 200.
    found,
    /// Wrong answers.
    wrong,
    /// Requests without an answer while the server ran.
    lost,
    /// Requests without an answer because the server was killed.
    cut_off,
    /// Answers with status 404 without suggestions, because of load.
    unsuggested,
    /// Answers with status 503, because the server was busy.
    refused,
    /// Changes of `CURRENT`.
    swaps_ordered,
    /// Changes of the snapshot that clients observed.
    swaps_seen,
    /// Servers killed and started again.
    kills,
    /// Servers started with a log that cannot be written.
    starts_without_log,
    /// Times that `CURRENT` was a FIFO, a directory, invalid text or the id of a missing snapshot.
    vandalised,
    /// Signals SIGHUP.
    hangups,
    /// Connections that a client left open in the middle of a request.
    stalled,
    /// Connections whose client closed its sending half before the answer.
    half_closed,
    /// Builds killed.
    builds_killed,
    /// Builds with one or more failing disk calls.
    builds_on_failing_disk,
    /// Builds that succeeded.
    builds_done,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// What everybody in a soak shares.
struct Soak {
    counts: Counts,
    answers: Answers,
    /// The directory of snapshots that is served and built into.
    snapshots: PathBuf,
    /// Goes up before the server is killed and when it answers again: odd while nobody is there.
    epoch: AtomicU64,
    done: AtomicBool,
    until: Instant,
}

impl Soak {
    fn goes_on(&self) -> bool {
        Instant::now() < self.until && !self.done.load(Ordering::Relaxed)
    }

    /// Waits, unless the soak is over.
    fn rest(&self, time: Duration) {
        thread::sleep(time.min(self.until.saturating_duration_since(Instant::now())));
    }
}

/// Has the others stop when its thread ends in a panic.
struct EndAll<'a>(&'a Soak);

impl Drop for EndAll<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.done.store(true, Ordering::Relaxed);
        }
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
#[ignore = "takes as long as SOAK_SECONDS says; tests/soak/run"]
fn soak() {
    let (seconds, seed) = (number(SECONDS, SECONDS_DEFAULT), number(SEED, SEED_DEFAULT));
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let builder = Builder::prepare(&root);
    let snapshots = root.join("snapshots");
    let mut server = Server::new(&snapshots, &root);
    let soak = Soak {
        counts: Counts::default(),
        answers: Answers::of(&builder.catalogs(), seed),
        snapshots: snapshots.clone(),
        epoch: AtomicU64::new(0),
        done: AtomicBool::new(false),
        until: Instant::now() + Duration::from_secs(seconds),
    };
    server.start(&soak.counts);
    let address = server.address();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let soak = &soak;
            scope.spawn(move || clients::keep_asking(soak, address, seed * 100 + client));
        }
        scope.spawn(|| clients::ask_half_closed(&soak, address, seed * 100 + CLIENTS));
        scope.spawn(|| clients::stall(&soak, address));
        scope.spawn(|| builder.keep_building(&soak, seed));
        Trouble::new(&soak, &mut server, builder.served(), seed).make();
    });
    let memory = server.peak_memory_mb();
    let panics = server.stop_and_count_panics();
    builder.finish(&snapshots);
    let panics = panics + builder.panics();
    assert_sound(&snapshots, "the end");
    assert!(!has_remains(&snapshots), "{:?}", names(&snapshots));
    print_table(&soak, seconds, seed, memory, panics);
    assert_eq!(panics, 0);
    for counter in [&soak.counts.wrong, &soak.counts.lost] {
        assert_eq!(counter.load(Ordering::Relaxed), 0, "see above");
    }
    let happened = [&soak.counts.found, &soak.counts.swaps_seen, &soak.counts.vandalised];
    assert!(happened.iter().all(|counter| counter.load(Ordering::Relaxed) > 0), "nothing happened");
}

fn print_table(soak: &Soak, seconds: u64, seed: u64, memory_mb: u64, panics: usize) {
    println!("\n| In {seconds} s, seed {seed} | |\n|---|---:|");
    print!("{}", soak.counts);
    println!("| Different requests | {} |", soak.answers.requests.len());
    println!("| Panics in the log | {panics} |\n| Maximum memory of the last server, MB | {memory_mb} |");
}

/// A directory of the input of the test catalog.
fn fixture_input(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo-input").join(name)
}
