//! The log on standard error. A separate thread writes it, and no other thread waits for that thread.
//!
//! Standard error may be connected to a full disk, to a pipe whose reader has ended, or to a pipe that is not read.
//! Lines that cannot be written are dropped and counted ([`LogLosses`]). Requests and the admin address never wait for
//! the log, and nothing here panics. The non-blocking writer of `tracing-appender` also drops lines, but at the end it
//! reports its own failure on standard output, and panics if standard output is closed too.

use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The filter of the log if `PRICEBOOK_LOG` is not set. `rmcp` logs every message, and every error in a message. The
/// requests that MCP calls send to routes are in the access log.
const LOG_FILTER: &str = "info,rmcp=error";

/// Maximum number of lines that wait for the thread that writes them.
const LINES_WAITING_MAX: usize = 8_192;

/// Maximum time to write the last lines at the end of the process.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

/// Pause between two attempts to enqueue the flush message while the queue is full.
const FLUSH_RETRY: Duration = Duration::from_millis(5);

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Plain text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Numbers of log lines that were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogLosses {
    /// Lines dropped because the lines before them were not read in time.
    pub unread: u64,
    /// Lines dropped because they could not be written.
    pub unwritten: u64,
}

/// A message to the thread that writes the log.
enum Message {
    Line(Vec<u8>),
    /// Flush request. The sender is dropped once everything before it was written.
    Flush(SyncSender<()>),
}

/// The sending end of the log's queue.
#[derive(Debug, Clone)]
struct Lines(SyncSender<Message>);

static LINES: OnceLock<Lines> = OnceLock::new();
static UNREAD: AtomicU64 = AtomicU64::new(0);
static UNWRITTEN: AtomicU64 = AtomicU64::new(0);

/// Starts the log on standard error. `PRICEBOOK_LOG` filters it, as in `warn` or `info,pricebook::access=off`. If the
/// variable is not set, `filter` applies, or else the default filter.
///
/// # Errors
/// Returns an error if the system cannot start a thread.
pub fn start_log(format: LogFormat, filter: Option<&str>) -> io::Result<()> {
    if LINES.get().is_some() {
        return Ok(());
    }
    let lines = Lines::start(io::stderr())?;
    let filter = EnvFilter::try_from_env("PRICEBOOK_LOG")
        .unwrap_or_else(|_| EnvFilter::new(filter.unwrap_or(LOG_FILTER)));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .log_internal_errors(false)
        .with_ansi(format == LogFormat::Text && io::stderr().is_terminal())
        .with_writer(lines.clone());
    // A second start, as in tests, changes nothing.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    let _ = LINES.set(lines);
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current().name().unwrap_or_default().to_owned();
        tracing::error!(place, thread, "{}", panic.payload_as_str().unwrap_or("a panic without a message"));
    }));
    Ok(())
}

/// Waits until the lines logged so far are written, up to a timeout. It is the last step of a process.
pub fn flush_log() {
    if let Some(lines) = LINES.get() {
        lines.flush();
    }
}

/// The numbers of lines that were lost so far.
pub fn log_losses() -> LogLosses {
    LogLosses { unread: UNREAD.load(Ordering::Relaxed), unwritten: UNWRITTEN.load(Ordering::Relaxed) }
}

impl Lines {
    /// Starts the thread that writes to `out`.
    fn start(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (give, given) = sync_channel(LINES_WAITING_MAX);
        std::thread::Builder::new().name("log".into()).spawn(move || write_down(&given, out))?;
        Ok(Self(give))
    }

    fn flush(&self) {
        let until = Instant::now() + FLUSH_TIMEOUT;
        let (done, written) = sync_channel(0);
        let mut flush = Message::Flush(done);
        while let Err(TrySendError::Full(unsent)) = self.0.try_send(flush) {
            if Instant::now() > until {
                return;
            }
            flush = unsent;
            std::thread::sleep(FLUSH_RETRY);
        }
        let _ = written.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// The formatter writes each event with one call, so each write is one line.
impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.0.try_send(Message::Line(line.to_vec())).is_err() {
            UNREAD.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn write_down(given: &Receiver<Message>, mut out: impl Write) {
    for message in given {
        match message {
            Message::Line(line) => {
                if out.write_all(&line).is_err() {
                    UNWRITTEN.fetch_add(1, Ordering::Relaxed);
                }
            }
            Message::Flush(done) => drop(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A file on a full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A pipe that is not read until its gate opens.
    struct Stuck(Arc<Mutex<Vec<u8>>>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_that_cannot_be_written_is_counted() {
        let before = log_losses().unwritten;
        let mut lines = Lines::start(Full).expect("a thread");
        lines.write_all(b"one\n").expect("never fails");
        Lines::flush(&lines);
        assert_eq!(log_losses().unwritten, before + 1);
    }

    #[test]
    fn drops_and_counts_lines_when_the_reader_is_stuck() {
        let read = Arc::new(Mutex::new(Vec::new()));
        let mut lines = Lines::start(Stuck(Arc::clone(&read))).expect("a thread");
        let gate = read.lock().expect("no panic");
        let before = log_losses().unread;
        for _ in 0..LINES_WAITING_MAX + 10 {
            lines.write_all(b"line\n").expect("never fails");
        }
        let lost = log_losses().unread - before;
        assert!((9..=10).contains(&lost), "one line may be in the writer's hand: {lost}");
        drop(gate);
        Lines::flush(&lines);
        let kept = LINES_WAITING_MAX + 10 - lost as usize;
        assert_eq!(read.lock().expect("no panic").len(), kept * b"line\n".len());
    }
}
