//! The request context: the facts of a request that are known before its first step and apply to a refusal too.
//!
//! The client of a request is determined here once: it is the address of the connection, or the address that a trusted
//! proxy reports ([`forwarded`](super::forwarded)). An IPv6 /64 counts as one client. Rates, unread bytes and turns on
//! the compute threads are counted per client. The context also loads the catalog and reads the clock once, so a
//! request uses one snapshot and one time from its first step to its last.

use std::sync::Arc;
use std::time;

use hyper::header::{HeaderName, HeaderValue, IF_NONE_MATCH};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Uri, Version};

use super::accept_loop::Peer;
use super::backlog::UnreadAnswer;
use super::problem::Problem;
use super::rate::{Budget, bucket};
use super::state::{Shared, now};
use crate::catalog::Catalog;
use crate::query::endpoint::Stamp;
use crate::query::representation::{Json, Representation};
use crate::server::compute::ClientKey;

/// Maximum length of a request id that is accepted from a client, in bytes.
pub(crate) const REQUEST_ID_BYTES_MAX: usize = 64;

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Context of one request.
pub(super) struct RequestContext {
    /// The other end of the connection.
    pub(super) peer: Peer,
    /// The client for which the request is counted.
    pub(super) client: ClientKey,
    pub(super) version: Version,
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    /// The request id that the client sent, if it is valid; else a generated id.
    pub(super) id: HeaderValue,
    /// The catalog that this request uses from its first step to its last.
    pub(super) catalog: Arc<Catalog>,
    /// The time and data freshness of the answer, taken once.
    pub(super) stamp: Stamp,
    /// Representation of the answer. `None` until a route was found, or if the client accepts none of the route's
    /// representations.
    pub(super) representation: Option<&'static dyn Representation>,
    /// The rest of the client's rate, once the request was counted.
    pub(super) budget: Option<Budget>,
    /// Counts the unread bytes of the answer; `None` for a request within a message of another protocol.
    pub(super) unread: Option<Arc<UnreadAnswer>>,
    pub(super) began: time::Instant,
}

impl RequestContext {
    pub(super) fn begin(shared: &Shared, peer: Peer, mut head: Parts) -> Self {
        let catalog = shared.catalog.load();
        let client = bucket(shared.proxies.client(peer.address, &head.headers));
        Self {
            client,
            unread: peer.connection.map(|connection| shared.backlog.open(connection, client)),
            peer,
            id: request_id(&head.headers).unwrap_or_else(|| own_id(shared)),
            method: head.method,
            uri: head.uri,
            version: head.version,
            representation: None,
            headers: head.headers,
            stamp: stamp_of(&catalog),
            catalog,
            budget: head.extensions.remove(),
            began: time::Instant::now(),
        }
    }

    /// Counts the request against the client's rate. Refuses it if the rate is used up (429) or if too many bytes of
    /// answers are unread (503), before anything is computed, offered or paid.
    pub(super) fn admit(&mut self, shared: &Shared) -> Result<(), Problem> {
        // A request inside a message of another protocol is not counted again: the message was counted, and its rate
        // state is used.
        if self.budget.is_none() {
            self.take_rate(shared)?;
        }
        let admitted = self.unread.as_ref().map_or(Ok(()), |unread| unread.admit());
        admitted.map_err(|limit| {
            shared.metrics.unread_refused(limit.as_str());
            Problem::unread(limit)
        })
    }

    fn take_rate(&mut self, shared: &Shared) -> Result<(), Problem> {
        match shared.rate.as_ref().and_then(|rate| rate.take(self.client)) {
            Some((budget, verdict)) => {
                self.budget = Some(budget);
                verdict
            }
            None => Ok(()),
        }
    }

    /// Resolves once the client has hung up. Never resolves if that cannot be detected before a response is sent.
    pub(super) async fn hung_up(&self) {
        match &self.peer.line {
            Some(line) => line.hung_up().await,
            None => std::future::pending().await,
        }
    }

    /// Representation of the answer; JSON if none was chosen.
    pub(super) fn form(&self) -> &'static dyn Representation {
        self.representation.unwrap_or(&Json)
    }

    /// Whether the request is HEAD.
    pub(super) fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    /// Length of the request target, in bytes.
    pub(super) fn target_bytes(&self) -> usize {
        let scheme = self.uri.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
        let authority = self.uri.authority().map_or(0, |authority| authority.as_str().len());
        let rest = self.uri.path_and_query().map_or(0, |rest| rest.as_str().len());
        scheme + authority + rest
    }

    /// Whether `If-None-Match` contains this weak tag.
    pub(super) fn holds(&self, tag: &HeaderValue) -> bool {
        let tag = tag.to_str().unwrap_or_default().trim_start_matches("W/");
        let values = self.headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
        tags.any(|held| held == "*" || held.trim_start_matches("W/") == tag)
    }
}

fn request_id(headers: &HeaderMap) -> Option<HeaderValue> {
    let id = headers.get(X_REQUEST_ID)?;
    let fits = (1..=REQUEST_ID_BYTES_MAX).contains(&id.len());
    (fits && id.as_bytes().iter().all(u8::is_ascii_graphic)).then(|| id.clone())
}

/// The current time, and the age of the newest observation of a catalog.
pub fn stamp_of(catalog: &Catalog) -> Stamp {
    let computed_at = now();
    let age_micros = computed_at.micros().saturating_sub(catalog.newest().micros()).max(0);
    Stamp { computed_at, freshness_seconds: age_micros as u64 / 1_000_000 }
}

fn own_id(shared: &Shared) -> HeaderValue {
    // Hexadecimal digits and a dash are a valid header value.
    HeaderValue::try_from(shared.next_request_id()).unwrap_or_else(|_| HeaderValue::from_static("-"))
}
