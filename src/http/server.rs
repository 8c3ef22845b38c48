//! The accept loop: connections in, responses out, a limit on everything.
//!
//! It knows nothing of routes: the public server and the admin server are two [`Handler`]s of it. What a client can
//! do to a connection (never finish its head, never read its answer, never come back, open ten thousand) is bounded
//! here. What hyper answers by itself to something that is no HTTP request, or to a head above
//! [`HEAD_BYTES_MAX`], carries none of our headers.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::stall::WriteDeadline;

/// Open connections; the next ones wait in the listen queue.
pub const CONNECTIONS_MAX: usize = 4_096;

/// Connections that the kernel holds until they are accepted.
const LISTEN_QUEUE_MAX: u32 = 1_024;

/// Bytes of a request's head, target and headers together.
pub const HEAD_BYTES_MAX: usize = 64 * 1_024;

/// Header fields of a request.
const HEADERS_MAX: usize = 100;

/// Time for the head of a request to arrive in full, from the end of the answer before it: what an idle
/// kept-alive connection has, too.
pub const HEAD_READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Time without progress after which a client that does not read its answer is given up.
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(20);

/// Time that running requests get to finish after the signal to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Pause after a failed accept, which is mostly for want of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Limits of a server.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Open connections.
    pub connections_max: usize,
    /// Time for the head of a request.
    pub head_read_timeout: Duration,
    /// Time without progress of a write.
    pub write_stall_timeout: Duration,
    /// Time for running requests after the signal to stop.
    pub shutdown_grace: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections_max: CONNECTIONS_MAX,
            head_read_timeout: HEAD_READ_TIMEOUT,
            write_stall_timeout: WRITE_STALL_TIMEOUT,
            shutdown_grace: SHUTDOWN_GRACE,
        }
    }
}

/// What answers requests.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request of `client`.
    fn handle(
        self: Arc<Self>,
        client: IpAddr,
        request: Request<Incoming>,
    ) -> impl Future<Output = Response<Full<Bytes>>> + Send + 'static;
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every running request was finished.
    Drained,
    /// Some were cut off at the end of [`ConnectionLimits::shutdown_grace`].
    CutOff,
}

/// Opens a listening socket. A port that was in use a moment ago is free again.
///
/// # Errors
/// When the address cannot be listened on.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_QUEUE_MAX)
}

/// Serves connections until `stop`, then finishes what runs.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: Arc<H>,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) -> End {
    let mut http = http1::Builder::new();
    // Without a timer the timeout would be off, silently.
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_read_timeout)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX);
    let slots = Arc::new(Semaphore::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, client, slot) = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        let stream = TokioIo::new(WriteDeadline::new(stream, limits.write_stall_timeout));
        let handler = Arc::clone(&handler);
        let service = service_fn(move |request| {
            let answer = Arc::clone(&handler).handle(client, request);
            async move { Ok::<_, Infallible>(answer.await) }
        });
        let connection = graceful.watch(http.serve_connection(stream, service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%client, %error, "a connection failed");
            }
            drop(slot);
        });
    }
    drop(listener);
    match tokio::time::timeout(limits.shutdown_grace, graceful.shutdown()).await {
        Ok(()) => End::Drained,
        Err(_) => End::CutOff,
    }
}

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> (TcpStream, IpAddr, OwnedSemaphorePermit) {
    loop {
        // The semaphore is never closed.
        let Ok(slot) = Arc::clone(slots).acquire_owned().await else { continue };
        match listener.accept().await {
            Ok((stream, client)) => {
                // Without it an answer can wait 40 ms for an acknowledgement; a socket that refuses it still works.
                let _ = stream.set_nodelay(true);
                return (stream, client.ip(), slot);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
}
