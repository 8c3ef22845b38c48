//! Pages for people. Their paths are checked before all other paths of this socket. The module `web`, which depends on
//! the server, generates the pages.
//!
//! Host, rate, log and common response headers are handled as for any request. A page requests the answers that it
//! shows from the pipeline ([`Visitor::ask`]) on behalf of its client, so prices, limits and refusals are those of
//! the client. The pages have no rules of their own for computing, pricing or refusing.

use std::pin::Pin;
use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use hyper::http::uri::{Authority, InvalidUri};
use hyper::{Method, Request, Response, StatusCode, Uri};

use super::METHODS;
use super::TARGET_BYTES_MAX;
use super::accept_loop::{Handler, Peer};
use super::content_negotiation;
use super::host;
use super::nested_service::Caller;
use super::pipeline::{finish, guarded};
use super::problem::Problem;
use super::request_context::RequestContext;
pub use super::respond::PageResponse;
use super::respond::{CORS_REQUEST_HEADERS, HTML, Reply, SITE_POLICY};
use super::state::Shared;
use crate::payment::core::clock::unix_seconds;
use crate::payment::core::credential::PAYMENT_SIGNATURE;
use crate::payment::core::offer::PAYMENT_REQUIRED;
use crate::payment::protocols::x402::wallet::{SignedOffer, Wallet};
use crate::server::telemetry::ConnectionRefusal;

/// Source of pages by path.
pub trait PageSource: Send + Sync {
    /// The name under which requests of a path are counted; `None` if there is no page at the path.
    fn counted_as(&self, path: &str) -> Option<&'static str>;

    /// Every name that [`PageSource::counted_as`] returns.
    fn names(&self) -> &'static [&'static str];

    /// Generates the page at a path for which [`PageSource::counted_as`] returns a name.
    fn show<'a>(&'a self, visitor: &'a Visitor<'a>) -> Showing<'a>;

    /// The page for a path that does not exist.
    fn missing(&self, path: &str) -> Vec<u8>;
}

/// Future that generates a page.
pub type Showing<'a> = Pin<Box<dyn Future<Output = PageResponse> + Send + 'a>>;

/// The client that requests a page, and its request.
pub struct Visitor<'a> {
    /// The server.
    pub shared: &'a Shared,
    /// Path of the page.
    pub path: &'a str,
    /// The query of the request as it was sent, without the question mark.
    pub query: &'a str,
    /// Header fields of the request.
    pub headers: &'a HeaderMap,
    uri: &'a Uri,
    caller: Caller,
}

impl Visitor<'_> {
    /// Scheme and authority with which the client addresses this server; empty if the request names no authority.
    pub fn origin(&self) -> String {
        let header = || self.headers.get(HOST)?.to_str().ok()?.parse::<Authority>().ok();
        let authority = self.uri.authority().cloned().or_else(header);
        let scheme = if self.shared.tls { "https" } else { "http" };
        authority.map(|authority| format!("{scheme}://{authority}")).unwrap_or_default()
    }

    /// Requests a route on behalf of this client. `target` is path and query.
    ///
    /// # Errors
    /// Returns an error if `target` is not a valid URI.
    pub async fn ask(&self, target: &str) -> Result<Response<Bytes>, InvalidUri> {
        self.shared.ask(&self.caller, target, []).await
    }

    /// Buys an answer with test money. Returns the response and the paid amount in atomic USDC. The amount is `None` if
    /// nothing was paid, for example because the request was refused before an offer.
    ///
    /// # Errors
    /// Returns an error if `target` is not a valid URI.
    pub async fn buy(
        &self,
        wallet: &Wallet,
        target: &str,
    ) -> Result<(Response<Bytes>, Option<u64>), InvalidUri> {
        let offered = self.ask(target).await?;
        let challenge = offered.headers().get(PAYMENT_REQUIRED).and_then(|value| value.to_str().ok());
        let payment = challenge.and_then(|challenge| wallet.pay(challenge, unix_seconds()));
        let Some(SignedOffer { header, atomic }) = payment else { return Ok((offered, None)) };
        let bought = self.shared.ask(&self.caller, target, [(PAYMENT_SIGNATURE, header)]).await?;
        Ok((bought, Some(atomic)))
    }
}

/// The handler of client requests: pages at their paths, and `next` for all other paths.
pub struct Front<H> {
    shared: Arc<Shared>,
    page_source: Box<dyn PageSource>,
    next: Arc<H>,
}

impl<H: Handler> Front<H> {
    /// Creates a handler of pages in front of `next`, which must use the same `shared`.
    pub fn new(shared: Arc<Shared>, page_source: Box<dyn PageSource>, next: H) -> Self {
        for name in page_source.names() {
            shared.metrics.expect_requests(Some(name));
        }
        Self { shared, page_source, next: Arc::new(next) }
    }

    async fn context(&self, name: &'static str, peer: Peer, request: Request<Incoming>) -> Response<Bytes> {
        // Requests have no body. A body that a client sends is not read.
        let (head, _) = request.into_parts();
        let mut context = RequestContext::begin(&self.shared, peer, head);
        let outcome = guarded(&self.shared, self.steps(&mut context)).await;
        let reply = outcome.unwrap_or_else(|problem| Reply::problem(&problem, context.uri.path(), false));
        finish(&self.shared, &context, Some(name), reply)
    }

    /// Runs the steps of the pipeline that apply to a request for a page.
    async fn steps(&self, context: &mut RequestContext) -> Result<Reply, Problem> {
        host::check(context, self.shared.host.as_deref())?;
        if context.target_bytes() > TARGET_BYTES_MAX {
            return Err(Problem::target_too_long(context.target_bytes()));
        }
        match context.method {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Ok(Reply::preflight(METHODS, CORS_REQUEST_HEADERS)),
            _ => return Err(Problem::method_not_allowed()),
        }
        context.admit(&self.shared)?;
        let visitor = Visitor {
            shared: &self.shared,
            path: context.uri.path(),
            query: context.uri.query().unwrap_or_default(),
            headers: &context.headers,
            uri: &context.uri,
            // Each answer that a page requests is counted against the client's rate.
            caller: Caller::counted(context),
        };
        let shown = self.page_source.show(&visitor).await;
        Ok(Reply::shown(shown, context, &self.shared.bodies))
    }
}

impl<H: Handler> Handler for Front<H> {
    async fn handle(self: Arc<Self>, peer: Peer, request: Request<Incoming>) -> Response<Bytes> {
        let path = request.uri().path();
        if let Some(name) = self.page_source.counted_as(path) {
            return self.context(name, peer, request).await;
        }
        // A browser gets a page about the missing path. Programs get the problem document.
        let looks = content_negotiation::html(request.headers()) && !self.shared.knows(path);
        let path = looks.then(|| path.to_owned());
        let response = Arc::clone(&self.next).handle(peer, request).await;
        match path.filter(|_| response.status() == StatusCode::NOT_FOUND) {
            Some(path) => instead(response, self.page_source.missing(&path)),
            None => response,
        }
    }

    fn connections(&self, change: i64) {
        self.shared.connections(change);
    }

    fn refused(&self, reason: ConnectionRefusal) {
        self.shared.refused(reason);
    }
}

/// Replaces the body of a response with a page.
fn instead(response: Response<Bytes>, page: Vec<u8>) -> Response<Bytes> {
    let (mut head, _) = response.into_parts();
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    head.headers.insert(CONTENT_LENGTH, page.len().into());
    head.headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SITE_POLICY));
    Response::from_parts(head, page.into())
}
