//! The accept loop: it accepts connections, limits them and sends responses.
//!
//! It does not depend on routes: the public server and the admin server are two implementations of [`Handler`]. It
//! limits every way in which a client can occupy connections: an unfinished handshake or request head, an unread
//! response, idle time, and a large number of connections. hyper itself answers bytes that are not an HTTP request and
//! heads above [`HEAD_BYTES_MAX`]; those responses do not have this server's headers.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::body::{Bytes, Incoming};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::backlog::{ConnectionId, UnreadAnswer};
use super::connection_limit::ClientConnections;
use super::forwarded::Networks;
use super::half_closed::HalfClosed;
use super::head_limits;
use super::preface;
use super::response_body::{AnswerBody, PIECE_BYTES, StreamExecutor};
use super::tls::Tls;
use super::write_timeout::Watched;
use crate::server::telemetry::ConnectionRefusal;

pub use super::sockets::listen;

/// Maximum number of open connections. Further connections wait in the listen queue.
pub const CONNECTIONS_MAX: usize = 4_096;

/// Maximum size of a request's head, in bytes: target and headers together.
pub const HEAD_BYTES_MAX: usize = 64 * 1_024;

/// Maximum number of header fields of a request.
const HEADERS_MAX: usize = 100;

/// Maximum number of requests that are answered at a time on one HTTP/2 connection.
const STREAMS_MAX: u32 = 64;

/// Time for the head of a request to arrive in full, counted from the end of the previous response. It is also the
/// time for which a kept-alive connection may be idle.
pub const HEAD_READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Upper bound of the head timeout for connections that begin while fewer than 1/[`PRESSED_SHARE`] of all connections
/// are free.
const PRESSED_HEAD_READ_TIMEOUT: Duration = Duration::from_secs(5);

/// The head timeout is shortened while fewer than 1/`PRESSED_SHARE` of all connections are free; see
/// [`PRESSED_HEAD_READ_TIMEOUT`].
const PRESSED_SHARE: usize = 4;

/// Time without progress after which a client that does not read its response is cut off. It is also the time over
/// which the rate of an HTTP/2 stream is measured.
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(20);

/// Time for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Time without a byte from the client after which an HTTP/2 connection is closed. It is longer than any response
/// takes.
const STREAMS_IDLE_TIMEOUT: Duration = Duration::from_mins(2);

/// Time that running requests get to finish after the signal to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Pause after a failed accept. The usual cause is a lack of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Limits of the connections of a server.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Maximum number of open connections. One address may use an eighth of them, and one network a quarter.
    pub connections_max: usize,
    /// Addresses of trusted proxies. Only `connections_max` limits their connections, because each proxy carries many
    /// clients.
    pub proxies: Networks,
    /// Time for the head of a request to arrive.
    pub head_read_timeout: Duration,
    /// Write timeout: maximum time for which a write makes no progress.
    pub write_stall_timeout: Duration,
    /// Time that running requests get after the signal to stop.
    pub shutdown_grace: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections_max: CONNECTIONS_MAX,
            proxies: Networks::default(),
            head_read_timeout: HEAD_READ_TIMEOUT,
            write_stall_timeout: WRITE_STALL_TIMEOUT,
            shutdown_grace: SHUTDOWN_GRACE,
        }
    }
}

/// The other end of a connection.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Address of the client or proxy.
    pub address: IpAddr,
    /// The connection without TLS, whose two directions can be closed separately; `None` over TLS.
    pub line: Option<HalfClosed>,
    /// Id under which the unread bytes of responses are counted. `None` for a request inside an MCP message, because
    /// the response to the whole message is counted instead.
    pub connection: Option<ConnectionId>,
}

/// Answers the requests of a server.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request.
    fn handle(
        self: Arc<Self>,
        peer: Peer,
        request: Request<Incoming>,
    ) -> impl Future<Output = Response<Bytes>> + Send + 'static;

    /// Called with `1` when a connection begins and with `-1` when it ends.
    fn connections(&self, _change: i64) {}

    /// Called when a connection was closed before its first request.
    fn refused(&self, _reason: ConnectionRefusal) {}
}

/// Result of stopping a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every running request was finished.
    Drained,
    /// Some requests were cut off at the end of [`ConnectionLimits::shutdown_grace`].
    CutOff,
}

/// Listening sockets and the TLS configuration of their connections.
pub struct Entrance {
    listeners: Vec<TcpListener>,
    /// Index of the socket that is polled first for the next connection, modulo the number of sockets.
    turn: usize,
    tls: Option<Arc<Tls>>,
}

impl Entrance {
    /// Creates an entrance. Connections begin with a TLS handshake if `tls` is set.
    pub fn new(listeners: Vec<TcpListener>, tls: Option<Arc<Tls>>) -> Self {
        Self { listeners, turn: 0, tls }
    }

    /// Accepts the next connection of any of the sockets. The sockets take turns, so none of them starves the others.
    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (listeners, turn) = (&self.listeners, self.turn);
        let order = || (turn..turn + listeners.len()).map(|place| place % listeners.len());
        let (accepted, place) = poll_fn(|context| {
            let ready = order().find_map(|place| match listeners[place].poll_accept(context) {
                Poll::Ready(accepted) => Some((accepted, place)),
                Poll::Pending => None,
            });
            ready.map_or(Poll::Pending, Poll::Ready)
        })
        .await;
        self.turn = place + 1;
        accepted
    }
}

impl From<TcpListener> for Entrance {
    fn from(listener: TcpListener) -> Self {
        Self::new(vec![listener], None)
    }
}

/// Serves connections until `stop` resolves, then lets running requests finish.
pub async fn serve<H: Handler>(
    entrance: impl Into<Entrance>,
    handler: Arc<H>,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) -> End {
    let mut entrance = entrance.into();
    let tls = entrance.tls.clone();
    let protocols = Protocols::new(&limits);
    let slots = Arc::new(Semaphore::new(limits.connections_max));
    let client_connections = Arc::new(ClientConnections::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, address, slot) = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&mut entrance, &slots) => accepted,
        };
        let is_proxy = limits.proxies.contains(address);
        let guest = match (!is_proxy).then(|| client_connections.enter(address)).transpose() {
            Ok(guest) => guest,
            Err(reason) => {
                handler.refused(reason);
                continue;
            }
        };
        let (handler, tls) = (Arc::clone(&handler), tls.clone());
        let peer = Peer { address, line: None, connection: Some(ConnectionId::next()) };
        let is_pressed = slots.available_permits() < limits.connections_max / PRESSED_SHARE;
        let protocols = if is_pressed { protocols.clone().pressed() } else { protocols.clone() };
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            handler.connections(1);
            match tls {
                None => {
                    let line = HalfClosed::new(stream);
                    let peer = Peer { line: Some(line.clone()), ..peer };
                    protocols.http1(line, peer, &handler, watcher).await;
                }
                Some(tls) => match timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
                    Ok(Ok(stream)) if Tls::speaks_http2(&stream) => {
                        protocols.http2(stream, peer, &handler, watcher).await;
                    }
                    Ok(Ok(stream)) => protocols.http1(stream, peer, &handler, watcher).await,
                    Ok(Err(_)) | Err(_) => handler.refused(ConnectionRefusal::Handshake),
                },
            }
            handler.connections(-1);
            drop((guest, slot));
        });
    }
    drop(entrance);
    match timeout(limits.shutdown_grace, graceful.shutdown()).await {
        Ok(()) => End::Drained,
        Err(_) => End::CutOff,
    }
}

/// HTTP/1 and HTTP/2 settings of connections.
#[derive(Clone)]
struct Protocols {
    http1: http1::Builder,
    http2: http2::Builder<StreamExecutor>,
    head_read_timeout: Duration,
    write_stall_timeout: Duration,
}

impl Protocols {
    fn new(limits: &ConnectionLimits) -> Self {
        let mut http1 = http1::Builder::new();
        // If no timer is set, hyper silently ignores the timeout.
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head_read_timeout)
            .max_headers(HEADERS_MAX)
            .max_buf_size(HEAD_BYTES_MAX);
        let mut http2 = http2::Builder::new(StreamExecutor { timeout: limits.write_stall_timeout });
        http2
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS_MAX)
            .max_send_buf_size(PIECE_BYTES)
            .max_header_list_size(HEAD_BYTES_MAX as u32);
        let ConnectionLimits { head_read_timeout, write_stall_timeout, .. } = *limits;
        Self { http1, http2, head_read_timeout, write_stall_timeout }
    }

    /// Shortens the head timeout, for connections that begin close to the maximum number of connections.
    fn pressed(mut self) -> Self {
        self.http1.header_read_timeout(self.head_read_timeout.min(PRESSED_HEAD_READ_TIMEOUT));
        self
    }

    async fn http1<H: Handler>(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
        handler: &Arc<H>,
        watcher: Watcher,
    ) {
        let stream = TokioIo::new(Watched::new(stream, self.write_stall_timeout));
        self.http1.half_close(peer.line.is_some());
        let service = service_fn(|request| answer(handler, &peer, request));
        let connection = watcher.watch(self.http1.serve_connection(stream, service));
        let fault = run_connection(peer.address, connection).await;
        if let Some(line) = peer.line.filter(|_| fault.is_some_and(|error| error.is_parse_version_h2())) {
            preface::refuse(line).await;
        }
    }

    async fn http2<H: Handler>(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
        handler: &Arc<H>,
        watcher: Watcher,
    ) {
        let stream = Watched::new(stream, self.write_stall_timeout).closed_when_idle(STREAMS_IDLE_TIMEOUT);
        let (handler, address) = (Arc::clone(handler), peer.address);
        // hyper keeps the memory of this future until the stream ends. The memory of a boxed future is freed once there
        // is a response.
        let service = service_fn(move |request| {
            let is_within = head_limits::is_within(&request, HEADERS_MAX, HEAD_BYTES_MAX);
            let answer = is_within.then(|| Box::pin(answer(&handler, &peer, request)));
            async move {
                match answer {
                    Some(answer) => answer.await,
                    None => Ok(head_limits::too_large().map(|body| AnswerBody::new(body, None))),
                }
            }
        });
        let connection = self.http2.serve_connection(TokioIo::new(stream), service);
        run_connection(address, watcher.watch(connection)).await;
    }
}

/// Serves a connection to its end. Returns the error of a connection that failed.
async fn run_connection(
    client: IpAddr,
    connection: impl Future<Output = hyper::Result<()>>,
) -> Option<hyper::Error> {
    let error = connection.await.err()?;
    tracing::debug!(%client, %error, "a connection failed");
    Some(error)
}

fn answer<H: Handler>(
    handler: &Arc<H>,
    peer: &Peer,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<AnswerBody>, Infallible>> + Send + use<H> {
    // Over HTTP/1 hyper omits the body of a response to HEAD. Over HTTP/2 it does not.
    let is_head = request.method() == Method::HEAD && request.version() == Version::HTTP_2;
    let answer = Arc::clone(handler).handle(peer.clone(), request);
    async move {
        let (mut head, mut body) = answer.await.into_parts();
        if is_head {
            body = Bytes::new();
        }
        let unread: Option<Arc<UnreadAnswer>> = head.extensions.remove();
        if let Some(unread) = &unread {
            unread.set_bytes(body.len());
        }
        Ok(Response::from_parts(head, AnswerBody::new(body, unread)))
    }
}

/// Waits for a free slot and accepts the next connection.
async fn accept(
    entrance: &mut Entrance,
    slots: &Arc<Semaphore>,
) -> (TcpStream, IpAddr, OwnedSemaphorePermit) {
    loop {
        // Acquiring fails only if the semaphore is closed, which never happens.
        let Ok(slot) = Arc::clone(slots).acquire_owned().await else { continue };
        match entrance.accept().await {
            Ok((stream, client)) => {
                // Without TCP_NODELAY a response can wait 40 ms for an acknowledgement. A socket on which the option
                // cannot be set still works.
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
