//! A nested service: another protocol, served at one path of the same socket.
//!
//! Its messages are the bodies of HTTP requests; the server does not read any other bodies. Messages are received
//! before the pipeline. Host, rate, log and common response headers are handled as for any request, and the origin is
//! checked too. A message that requests a route is passed through the pipeline on behalf of its client, over the
//! client's connection and with the rest of the client's rate. Prices, payments, limits and refusals are therefore
//! handled by the same code, and a disconnect of the client is detected in the same way.

use std::net::Ipv4Addr;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::http::uri::InvalidUri;
use hyper::{Method, Request, Response, StatusCode, Version};

use super::TARGET_BYTES_MAX;
use super::accept_loop::Peer;
use super::host;
use super::pipeline::{answer, finish, guarded};
use super::problem::Problem;
use super::rate::Budget;
use super::request_context::{RequestContext, X_REQUEST_ID};
use super::respond::Reply;
use super::state::Shared;

/// Maximum time for the body of a message to arrive.
pub const BODY_READ_TIMEOUT: Duration = Duration::from_secs(10);

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Header fields that are copied from a message to its requests for routes: host, forwarded client and request id.
static KEPT: [HeaderName; 4] = [HOST, FORWARDED, X_FORWARDED_FOR, X_REQUEST_ID];

/// Path and limits of a nested service.
#[derive(Debug)]
pub struct NestedService {
    /// Path of the service.
    pub path: &'static str,
    /// Methods of the service, in the form of the `Allow` header.
    pub methods: &'static str,
    /// Request headers that a page of another origin may send.
    pub request_headers: &'static str,
    /// Maximum size of a message body, in bytes.
    pub body_bytes_max: usize,
}

/// The client on whose behalf routes are requested.
#[derive(Debug, Clone)]
pub struct Caller {
    peer: Peer,
    version: Version,
    headers: HeaderMap,
    /// The rest of the client's rate if its message was already counted; `None` if each request is to be counted.
    budget: Option<Budget>,
}

impl Caller {
    /// A caller on this machine that is not connected over a socket.
    pub fn here() -> Self {
        let peer = Peer { address: Ipv4Addr::LOCALHOST.into(), line: None, connection: None };
        Self { peer, version: Version::HTTP_10, headers: HeaderMap::new(), budget: None }
    }

    /// Like [`Self::of`], but each request for a route is counted against the client's rate.
    pub(super) fn counted(context: &RequestContext) -> Self {
        Self { budget: None, ..Self::of(context) }
    }

    pub(super) fn of(context: &RequestContext) -> Self {
        let kept =
            KEPT.iter().flat_map(|name| context.headers.get_all(name).iter().map(move |value| (name, value)));
        Self {
            // The answer to the message is counted as a whole. The answers to its requests are parts of it and are not
            // counted.
            peer: Peer { connection: None, ..context.peer.clone() },
            version: context.version,
            headers: kept.map(|(name, value)| (name.clone(), value.clone())).collect(),
            budget: context.budget.clone(),
        }
    }
}

impl Shared {
    /// Receives a message of another protocol. `reply` gets the request with its body and with the [`Caller`] in its
    /// extensions.
    pub async fn receive<F>(
        &self,
        place: &NestedService,
        peer: Peer,
        request: Request<Incoming>,
        reply: impl FnOnce(Request<Full<Bytes>>) -> F,
    ) -> Response<Bytes>
    where
        F: Future<Output = Response<Bytes>>,
    {
        let (head, body) = request.into_parts();
        let mut context = RequestContext::begin(self, peer, head);
        let outcome = guarded(self, exchange(self, place, &mut context, body, reply)).await;
        let answered = outcome.unwrap_or_else(|problem| Reply::problem(&problem, place.path, false));
        finish(self, &context, Some(place.path), answered)
    }

    /// Requests a route on behalf of a caller. `target` is path and query; `fields` are additional header fields.
    ///
    /// # Errors
    /// Returns an error if `target` is not a valid URI.
    pub async fn ask(
        &self,
        caller: &Caller,
        target: &str,
        fields: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Result<Response<Bytes>, InvalidUri> {
        let mut request = Request::new(());
        *request.uri_mut() = target.parse()?;
        *request.version_mut() = caller.version;
        *request.headers_mut() = caller.headers.clone();
        request.headers_mut().extend(fields);
        if let Some(budget) = &caller.budget {
            request.extensions_mut().insert(budget.clone());
        }
        let (head, ()) = request.into_parts();
        Ok(answer(self, caller.peer.clone(), head).await)
    }
}

async fn exchange<F>(
    shared: &Shared,
    place: &NestedService,
    context: &mut RequestContext,
    body: Incoming,
    reply: impl FnOnce(Request<Full<Bytes>>) -> F,
) -> Result<Reply, Problem>
where
    F: Future<Output = Response<Bytes>>,
{
    let own = shared.host.as_deref();
    host::check(context, own)?;
    if context.target_bytes() > TARGET_BYTES_MAX {
        return Err(Problem::target_too_long(context.target_bytes()));
    }
    if !host::allows_origin(context, own) {
        let sentence =
            "Origin names another site; pages of other sites may not send requests to this path.\n";
        return Ok(Reply::said(StatusCode::FORBIDDEN, sentence.to_owned()));
    }
    if context.method == Method::OPTIONS {
        return Ok(Reply::preflight(place.methods, place.request_headers));
    }
    context.admit(shared)?;
    let body = match read(body, place.body_bytes_max).await {
        Ok(body) => body,
        Err(refused) => return Ok(refused),
    };
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = context.method.clone();
    *request.uri_mut() = context.uri.clone();
    *request.version_mut() = context.version;
    *request.headers_mut() = context.headers.clone();
    request.extensions_mut().insert(Caller::of(context));
    let (head, body) = reply(request).await.into_parts();
    Ok(Reply::foreign(head.status, &head.headers, body))
}

/// Reads the body of a message. Returns a refusal if the body is too large, is incomplete or takes too long to arrive.
async fn read(body: Incoming, bytes_max: usize) -> Result<Bytes, Reply> {
    let too_large =
        || Reply::said(StatusCode::PAYLOAD_TOO_LARGE, format!("The body has more than {bytes_max} bytes.\n"));
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_READ_TIMEOUT, Limited::new(body, bytes_max).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Reply::said(StatusCode::BAD_REQUEST, "The body is incomplete.\n".to_owned())),
        Err(_) => {
            let seconds = BODY_READ_TIMEOUT.as_secs();
            let sentence = format!("The body did not arrive within {seconds} s.\n");
            Err(Reply::said(StatusCode::REQUEST_TIMEOUT, sentence))
        }
    }
}
