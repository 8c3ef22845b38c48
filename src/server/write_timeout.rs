//! Write timeout: a stream that fails when the client reads nothing, or sends nothing, for too long.
//!
//! hyper limits the time in which a client sends the head of an HTTP/1 request. It limits neither the time in which a
//! client reads the response nor the time for which an HTTP/2 connection may be idle.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A stream whose writes fail with `TimedOut` when they make no progress for the write timeout.
pub(super) struct Watched<S> {
    stream: S,
    writing: Deadline,
    /// Deadline of reads; `None` if reads are not limited.
    reading: Option<Deadline>,
}

/// A timer that runs while an operation is pending.
struct Deadline {
    timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    fn new(timeout: Duration) -> Self {
        Self { timeout, stalled: None }
    }

    /// Returns `progress` when it is ready, or a `TimedOut` error when it stayed pending for the whole timeout.
    fn watch<T>(&mut self, context: &mut Context<'_>, progress: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if progress.is_ready() {
            self.stalled = None;
            return progress;
        }
        let timeout = self.timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + timeout)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, write_timeout: Duration) -> Self {
        Self { stream, writing: Deadline::new(write_timeout), reading: None }
    }

    /// Adds a timeout to reads: a read fails after this time without a byte from the client.
    pub(super) fn closed_when_idle(self, timeout: Duration) -> Self {
        Self { reading: Some(Deadline::new(timeout)), ..self }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let progress = Pin::new(&mut self.stream).poll_read(context, buffer);
        match &mut self.reading {
            Some(reading) => reading.watch(context, progress),
            None => progress,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let progress = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.writing.watch(context, progress)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let progress = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.writing.watch(context, progress)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_write_that_stalls_fails() {
        let (client, server) = tokio::io::duplex(8);
        let mut stream = Watched::new(server, Duration::from_millis(20));
        let fault = stream.write_all(&[0; 100]).await.expect_err("a stall");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
        drop(client);
    }

    #[tokio::test]
    async fn a_silence_ends() {
        let (client, server) = tokio::io::duplex(8);
        let stream = Watched::new(server, Duration::from_millis(20));
        let mut stream = stream.closed_when_idle(Duration::from_millis(20));
        let fault = stream.read_u8().await.expect_err("a silence");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
        drop(client);
    }
}
