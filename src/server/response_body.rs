//! Response bodies: sends answers, and resets HTTP/2 streams whose answers are read too slowly.
//!
//! hyper does not poll the body of an HTTP/2 stream while the flow control window of the stream is used up, and h2
//! keeps a piece until the client reads it. A timer in the body would not be polled for such a stream. A timer around
//! the socket would not expire while the client sends PINGs. The minimum rate is therefore enforced in two other
//! places:
//!
//! - The executor that runs the task of a stream measures the bytes that the client reads (`StreamExecutor`).
//! - The bytes of a piece are counted as they are written (`Piece`). A body returns a piece only after the previous
//!   piece was written in full (`AnswerBody`). The end of the stream is sent separately from the last piece.
//!
//! A stream that waits for its flow control window then has no data queued in h2, so dropping it sends RST_STREAM at
//! once. A stream that waits for its piece to be written is reset by an error of its body, which clears h2's buffers.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};
use hyper::rt::Executor;
use tokio::time::{Instant, Sleep, sleep_until};

use super::backlog::UnreadAnswer;

/// Minimum rate at which a client has to read an answer, in bytes per second, averaged over the write timeout.
pub const STREAM_BYTES_PER_SECOND_MIN: u64 = 256;

/// Maximum number of bytes of an answer that h2 buffers at a time.
pub(super) const PIECE_BYTES: usize = 64 << 10;

tokio::task_local! {
    /// The HTTP/2 stream that is being polled.
    static STREAM: Arc<Progress>;
}

/// Progress of sending the answer of a stream.
#[derive(Default)]
struct Progress {
    /// Whether the request of the stream was answered.
    has_answer: AtomicBool,
    /// Bytes of the answer that were written so far.
    taken: AtomicU64,
    /// Whether a piece is not yet written in full.
    is_writing: AtomicBool,
    /// Whether the stream is to be reset, because its answer is read too slowly.
    is_given_up: AtomicBool,
    /// Waker of the stream's task.
    task: AtomicWaker,
}

impl Progress {
    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Acquire)
    }

    /// Waits until the previous piece is written.
    fn poll_written(&self, context: &Context<'_>) -> Poll<()> {
        self.task.register(context.waker());
        if self.is_writing.load(Ordering::Acquire) { Poll::Pending } else { Poll::Ready(()) }
    }
}

/// The body of an answer.
pub(super) struct AnswerBody {
    rest: Bytes,
    /// Counts the bytes as unread while they are in memory; `None` if they are not counted.
    unread: Option<Arc<UnreadAnswer>>,
    /// Progress of the stream; `None` over HTTP/1, where the connection itself has a write timeout.
    stream: Option<Arc<Progress>>,
}

impl AnswerBody {
    /// Creates the body of the answer to the request that is being polled.
    pub(super) fn new(bytes: Bytes, unread: Option<Arc<UnreadAnswer>>) -> Self {
        let stream = STREAM.try_with(Arc::clone).ok();
        if let Some(stream) = &stream {
            stream.has_answer.store(true, Ordering::Release);
        }
        Self { rest: bytes, unread, stream }
    }
}

/// Error of a stream whose answer was read too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the client reads the answer too slowly; the stream was reset")]
pub(super) struct NotRead(#[source] h2::Error);

impl Body for AnswerBody {
    type Data = Piece;
    type Error = NotRead;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, NotRead>>> {
        if let Some(stream) = &self.stream {
            if stream.is_given_up() {
                return Poll::Ready(Some(Err(NotRead(h2::Reason::CANCEL.into()))));
            }
            std::task::ready!(stream.poll_written(context));
        }
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let bytes = match &self.stream {
            Some(stream) => {
                stream.is_writing.store(true, Ordering::Release);
                let bytes = self.rest.len().min(PIECE_BYTES);
                self.rest.split_to(bytes)
            }
            None => std::mem::take(&mut self.rest),
        };
        let piece = Piece { bytes, stream: self.stream.clone(), _unread: self.unread.clone() };
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// The end of the stream is reported separately from its last piece. Otherwise h2 would finish the stream with
    /// its last piece, and the stream could no longer be reset.
    fn is_end_stream(&self) -> bool {
        let is_writing = |stream: &Arc<Progress>| stream.is_writing.load(Ordering::Acquire);
        self.rest.is_empty() && !self.stream.as_ref().is_some_and(is_writing)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        if let (Some(stream), Some(unread)) = (&self.stream, &self.unread)
            && stream.is_given_up()
        {
            unread.count_reset();
        }
    }
}

/// A part of an answer that is being written.
pub(super) struct Piece {
    bytes: Bytes,
    stream: Option<Arc<Progress>>,
    /// Keeps the answer counted as unread while one of its pieces is in memory.
    _unread: Option<Arc<UnreadAnswer>>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(stream) = &self.stream {
            stream.taken.fetch_add(count as u64, Ordering::AcqRel);
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            stream.is_writing.store(false, Ordering::Release);
            stream.task.wake();
        }
    }
}

/// Runs the streams of HTTP/2 connections, and resets the streams whose answers are read too slowly.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamExecutor {
    /// Time over which the rate of a stream is measured.
    pub(super) timeout: Duration,
}

impl<S> Executor<S> for StreamExecutor
where
    S: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: S) {
        tokio::spawn(enforce_rate(stream, self.timeout));
    }
}

/// Period over which the rate of a stream is measured.
struct Period {
    end: Pin<Box<Sleep>>,
    /// Bytes that must have been taken by the end of the period, counted from the beginning of the answer.
    taken_min: u64,
}

impl Period {
    fn begin(stream: &Progress, timeout: Duration) -> Self {
        let bytes = (timeout.as_secs_f64() * STREAM_BYTES_PER_SECOND_MIN as f64) as u64;
        let taken_min = stream.taken.load(Ordering::Acquire) + bytes.max(1);
        Self { end: Box::pin(sleep_until(Instant::now() + timeout)), taken_min }
    }
}

/// Runs a stream to its end, or until its answer is read at less than [`STREAM_BYTES_PER_SECOND_MIN`] on average over
/// `timeout`.
async fn enforce_rate(stream: impl Future<Output = ()>, timeout: Duration) {
    let progress = Arc::new(Progress::default());
    let mut stream = std::pin::pin!(STREAM.scope(Arc::clone(&progress), stream));
    let mut period: Option<Period> = None;
    poll_fn(|context| {
        loop {
            if stream.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            if !progress.has_answer.load(Ordering::Acquire) {
                return Poll::Pending;
            }
            let now = period.get_or_insert_with(|| Period::begin(&progress, timeout));
            if now.end.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            if progress.taken.load(Ordering::Acquire) < now.taken_min {
                progress.is_given_up.store(true, Ordering::Release);
                // The body returns an error if it is polled. If the body is not polled, the stream waits for its flow
                // control window and is reset when it is dropped.
                let _ = stream.as_mut().poll(context);
                return Poll::Ready(());
            }
            period = None;
        }
    })
    .await;
}
