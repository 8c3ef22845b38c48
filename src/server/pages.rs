//! Pages for people, in front of everything else that this socket answers. A module above the server makes them.
//!
//! Host, rate, log and the headers of every response are those of any request. A page asks the pipeline for the
//! answers that it shows ([`Visitor::ask`]), as the client that looks at it, so prices, limits and refusals are those
//! of the client. The pages compute, price and refuse by no rules of their own.

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

/// Pages by path.
pub trait PageSource: Send + Sync {
    /// The name under which requests of a path are counted; `None` where the site has nothing there.
    fn counted_as(&self, path: &str) -> Option<&'static str>;

    /// Every name that [`PageSource::counted_as`] gives.
    fn names(&self) -> &'static [&'static str];

    /// What stands at a path that it has.
    fn show<'a>(&'a self, visitor: &'a Visitor<'a>) -> Showing<'a>;

    /// What a browser is shown at a path that nobody has.
    fn missing(&self, path: &str) -> Vec<u8>;
}

/// What is shown, once it is there.
pub type Showing<'a> = Pin<Box<dyn Future<Output = PageResponse> + Send + 'a>>;

/// Who looks at a page, and at which.
pub struct Visitor<'a> {
    /// The server.
    pub shared: &'a Shared,
    /// Path of the page.
    pub path: &'a str,
    /// What stands behind the question mark, as it was sent.
    pub query: &'a str,
    /// Header fields of the request.
    pub headers: &'a HeaderMap,
    uri: &'a Uri,
    caller: Caller,
}

impl Visitor<'_> {
    /// Scheme and authority by which the visitor knows this server; empty where the request names none.
    pub fn origin(&self) -> String {
        let header = || self.headers.get(HOST)?.to_str().ok()?.parse::<Authority>().ok();
        let authority = self.uri.authority().cloned().or_else(header);
        let scheme = if self.shared.tls { "https" } else { "http" };
        authority.map(|authority| format!("{scheme}://{authority}")).unwrap_or_default()
    }

    /// Asks a route for this visitor, `target` being its path and query.
    ///
    /// # Errors
    /// When the target is none.
    pub async fn ask(&self, target: &str) -> Result<Response<Bytes>, InvalidUri> {
        self.shared.ask(&self.caller, target, []).await
    }

    /// Buys an answer with test money and returns the response and the amount in atomic USDC. A refusal comes before the
    /// offer: nothing is paid for it.
    ///
    /// # Errors
    /// When the target is none.
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

/// The server of clients: pages at their paths, and what `next` answers elsewhere.
pub struct Front<H> {
    shared: Arc<Shared>,
    page_source: Box<dyn PageSource>,
    next: Arc<H>,
}

impl<H: Handler> Front<H> {
    /// Pages in front of `next`, which answers for the same server.
    pub fn new(shared: Arc<Shared>, page_source: Box<dyn PageSource>, next: H) -> Self {
        for name in page_source.names() {
            shared.metrics.expect_requests(Some(name));
        }
        Self { shared, page_source, next: Arc::new(next) }
    }

    async fn context(&self, name: &'static str, peer: Peer, request: Request<Incoming>) -> Response<Bytes> {
        // Requests have no body; what a client sends as one is not read.
        let (head, _) = request.into_parts();
        let mut context = RequestContext::begin(&self.shared, peer, head);
        let outcome = guarded(&self.shared, self.steps(&mut context)).await;
        let reply = outcome.unwrap_or_else(|problem| Reply::problem(&problem, context.uri.path(), false));
        finish(&self.shared, &context, Some(name), reply)
    }

    /// The steps of a visit: those of any request, as far as a page has them.
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
            // Each answer that a page asks for is taken out of the visitor's rate.
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
        // Who looks for a page that nobody has is told so on one; programs read why in the problem document.
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

/// The response with a page for its body.
fn instead(response: Response<Bytes>, page: Vec<u8>) -> Response<Bytes> {
    let (mut head, _) = response.into_parts();
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    head.headers.insert(CONTENT_LENGTH, page.len().into());
    head.headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SITE_POLICY));
    Response::from_parts(head, page.into())
}
