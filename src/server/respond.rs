//! Replies and the headers that every response carries.

use hyper::body::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_ENCODING,
    CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    LOCATION, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};

use super::encoding::{Coding, Encoded, encode, fitted};
use super::etag;
use super::problem::Problem;
use super::request_context::{RequestContext, X_REQUEST_ID};
use super::shared_bodies::Bodies;
use super::state::Shared;
use crate::query::representation;

pub(crate) const X_DATA_FRESHNESS_HOURS: HeaderName = HeaderName::from_static("x-data-freshness-hours");
pub(crate) const X_SNAPSHOT_ID: HeaderName = HeaderName::from_static("x-snapshot-id");
pub(crate) const PAYMENT_MODE: HeaderName = HeaderName::from_static("payment-mode");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Request headers that a page of another origin may send.
pub(super) const CORS_REQUEST_HEADERS: &str = "payment-signature, authorization, accept-payment, x-payment, \
     access-control-expose-headers, x-request-id, if-none-match";

/// Response headers that a page of another origin may read.
const CORS_RESPONSE_HEADERS: &str = "payment-required, payment-response, payment-receipt, www-authenticate, \
     payment-mode, x-data-freshness-hours, x-request-id, x-snapshot-id, etag, ratelimit, ratelimit-policy, \
     retry-after";

/// Seconds for which a browser may cache a CORS preflight.
const CORS_MAX_AGE_SECONDS: &str = "86400";

/// Free answers may be cached for a minute and are then revalidated with their tag.
const CACHE_FREE: &str = "public, max-age=60";

/// Paid answers may be stored neither by shared caches nor by the client.
const CACHE_PAID: &str = "private, no-store";

/// Refusals and quotes are not stored: they may differ at the next request.
const CACHE_NEVER: &str = "no-store";

/// Files whose path changes with their content may be cached for a year.
const CACHE_FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Security policy of the pages for people, which load everything from this server and contain no inline scripts.
pub(super) const SITE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Value of `Strict-Transport-Security`: a browser uses only TLS for a year.
const TLS_FROM_NOW_ON: &str = "max-age=31536000";

/// `Vary` of answers, whose representation depends on `Accept`.
const VARY_ANSWER: &str = "accept, accept-encoding";

/// `Vary` of pages and quotes, which have one representation for every `Accept`.
const VARY_JSON: &str = "accept-encoding";

pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const MARKDOWN: &str = "text/markdown; charset=utf-8";
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// Headers of an answer that was paid for: its receipt and the snapshot that it was computed from.
pub(super) struct Bought {
    pub(super) receipt: Option<(HeaderName, HeaderValue)>,
    /// Media type of the answer.
    pub(super) media_type: String,
    pub(super) snapshot_id: String,
    pub(super) freshness_seconds: u64,
}

impl Bought {
    fn headers(self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let snapshot_id = HeaderValue::try_from(self.snapshot_id).ok().map(|id| (X_SNAPSHOT_ID, id));
        let freshness = (X_DATA_FRESHNESS_HOURS, freshness_hours(self.freshness_seconds));
        self.receipt.into_iter().chain(snapshot_id).chain([freshness])
    }
}

/// A response to a browser.
#[derive(Debug)]
pub enum PageResponse {
    /// A page that is the same for every client until the server or the snapshot changes.
    Page {
        /// Media type.
        media_type: &'static str,
        /// Content of the page.
        body: Vec<u8>,
    },
    /// An HTML page that was generated for this request.
    Live {
        /// Status of the response.
        status: StatusCode,
        /// Content of the page.
        body: Vec<u8>,
    },
    /// A file whose path changes with its content, so it can be cached for good.
    File {
        /// Media type.
        media_type: &'static str,
        /// Content of the file, in a coding that the client accepts.
        body: Encoded,
    },
    /// A redirect to another path of this server.
    Moved(String),
}

/// The response to a request before the common headers are added.
pub(super) struct Reply {
    status: StatusCode,
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Reply {
    /// 200: an answer. An answer with a tag is free.
    pub(super) fn answer(answer: Encoded, content_type: &'static str, tag: Option<HeaderValue>) -> Self {
        let cache = if tag.is_some() { CACHE_FREE } else { CACHE_PAID };
        let mut reply = Self::ok(answer, HeaderValue::from_static(content_type), cache, VARY_ANSWER);
        reply.headers.extend(tag.map(|tag| (ETAG, tag)));
        reply
    }

    /// 200: a document that is the same for every request. Its security policy lets a browser show the document but not
    /// load anything for it.
    pub(super) fn page(page: Encoded, media_type: &'static str, tag: HeaderValue) -> Self {
        let mut reply = Self::ok(page, HeaderValue::from_static(media_type), CACHE_FREE, VARY_JSON);
        reply.headers.push((ETAG, tag));
        reply.headers.push(fixed(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"));
        reply.headers.push(fixed(REFERRER_POLICY, "no-referrer"));
        reply
    }

    /// A page for people, or 304 if the client already has the page.
    pub(super) fn shown(shown: PageResponse, context: &RequestContext, bodies: &Bodies) -> Self {
        let coding = Coding::choose(&context.headers);
        let encoded = |body: Vec<u8>, tag: &HeaderValue| {
            bodies.find(tag, coding).unwrap_or_else(|| bodies.share(tag, coding, encode(body, coding)))
        };
        match shown {
            PageResponse::Page { media_type, body } => {
                let tag = etag::of_page(&body);
                if context.holds(&tag) {
                    return Self::page_not_modified(tag);
                }
                let mut reply =
                    Self::page_source(StatusCode::OK, encoded(body, &tag), media_type, CACHE_FREE);
                reply.headers.push((ETAG, tag));
                reply
            }
            PageResponse::Live { status, body } => {
                let tag = etag::of_page(&body);
                Self::page_source(status, encoded(body, &tag), HTML, CACHE_NEVER)
            }
            PageResponse::File { media_type, body } => {
                Self::page_source(StatusCode::OK, body, media_type, CACHE_FOR_GOOD)
            }
            PageResponse::Moved(place) => {
                let place = HeaderValue::try_from(place).unwrap_or(HeaderValue::from_static("/"));
                let headers = vec![(LOCATION, place), fixed(CACHE_CONTROL, CACHE_NEVER)];
                Self { status: StatusCode::SEE_OTHER, body: Bytes::new(), headers }
            }
        }
    }

    fn page_source(status: StatusCode, body: Encoded, media_type: &'static str, cache: &'static str) -> Self {
        let mut reply = Self::ok(body, HeaderValue::from_static(media_type), cache, VARY_JSON);
        reply.status = status;
        reply.headers.push(fixed(CONTENT_SECURITY_POLICY, SITE_POLICY));
        reply.headers.push(fixed(REFERRER_POLICY, "no-referrer"));
        reply
    }

    /// 200: a quote.
    pub(super) fn quote(quote: Encoded) -> Self {
        Self::ok(quote, HeaderValue::from_static(JSON), CACHE_NEVER, VARY_JSON)
    }

    fn ok(body: Encoded, content_type: HeaderValue, cache: &'static str, vary: &'static str) -> Self {
        let mut headers = vec![(CONTENT_TYPE, content_type), fixed(CACHE_CONTROL, cache), fixed(VARY, vary)];
        headers.extend(body.coding.map(|coding| (CONTENT_ENCODING, coding.header())));
        Self { status: StatusCode::OK, body: body.bytes, headers }
    }

    /// 304: the client already has this free answer.
    pub(super) fn not_modified(tag: HeaderValue) -> Self {
        Self::held(tag, CACHE_FREE, VARY_ANSWER)
    }

    /// 304: the client already has this page.
    pub(super) fn page_not_modified(tag: HeaderValue) -> Self {
        Self::held(tag, CACHE_FREE, VARY_JSON)
    }

    fn held(tag: HeaderValue, cache: &'static str, vary: &'static str) -> Self {
        let headers = vec![(ETAG, tag), fixed(CACHE_CONTROL, cache), fixed(VARY, vary)];
        Self { status: StatusCode::NOT_MODIFIED, body: Bytes::new(), headers }
    }

    /// 200: a paid answer with its receipt and the snapshot that it was computed from.
    pub(super) fn paid(answer: Encoded, tag: HeaderValue, bought: Bought) -> Self {
        let known = representation::ALL.iter().find(|known| known.media_type() == bought.media_type);
        let content_type = known.map_or(bought.media_type.as_str(), |known| known.content_type());
        let content_type = HeaderValue::try_from(content_type).unwrap_or(HeaderValue::from_static(JSON));
        let mut reply = Self::ok(answer, content_type, CACHE_PAID, VARY_ANSWER);
        reply.headers.push((ETAG, tag));
        reply.headers.extend(bought.headers());
        reply
    }

    /// 200: a refund of a payment channel.
    pub(super) fn refunded(answer: Encoded, receipt: Option<(HeaderName, HeaderValue)>) -> Self {
        let mut reply = Self::ok(answer, HeaderValue::from_static(JSON), CACHE_PAID, VARY_JSON);
        reply.headers.extend(receipt);
        reply
    }

    /// 304: the client already has this answer, for which it paid before.
    pub(super) fn paid_not_modified(tag: HeaderValue, bought: Bought) -> Self {
        let mut reply = Self::held(tag, CACHE_PAID, VARY_ANSWER);
        reply.headers.extend(bought.headers());
        reply
    }

    /// A response of another protocol on this socket. It is not cached.
    pub(super) fn foreign(status: StatusCode, headers: &HeaderMap, body: Bytes) -> Self {
        let kept = [CONTENT_TYPE, ALLOW].into_iter();
        let kept = kept.filter_map(|name| Some((name.clone(), headers.get(name)?.clone())));
        Self { status, body, headers: kept.chain([fixed(CACHE_CONTROL, CACHE_NEVER)]).collect() }
    }

    /// A sentence as plain text, for refusals that are not problem documents.
    pub(super) fn said(status: StatusCode, sentence: String) -> Self {
        let headers = vec![fixed(CONTENT_TYPE, TEXT), fixed(CACHE_CONTROL, CACHE_NEVER)];
        Self { status, body: sentence.into(), headers }
    }

    /// 204: the allowed methods, and the request headers that pages of other origins may send.
    pub(super) fn preflight(methods: &'static str, request_headers: &'static str) -> Self {
        let headers = vec![
            fixed(ALLOW, methods),
            fixed(ACCESS_CONTROL_ALLOW_METHODS, methods),
            fixed(ACCESS_CONTROL_ALLOW_HEADERS, request_headers),
            fixed(ACCESS_CONTROL_MAX_AGE, CORS_MAX_AGE_SECONDS),
            fixed(CACHE_CONTROL, CACHE_NEVER),
        ];
        Self { status: StatusCode::NO_CONTENT, body: Bytes::new(), headers }
    }

    /// A refusal, as a problem document or as the bare error object.
    pub(super) fn problem(problem: &Problem, instance: &str, bare: bool) -> Self {
        let mut headers = problem.headers();
        headers.push(fixed(CONTENT_TYPE, if bare { JSON } else { PROBLEM_JSON }));
        headers.push(fixed(CACHE_CONTROL, CACHE_NEVER));
        let body = problem.body(instance, bare).unwrap_or_else(|error| {
            tracing::error!(%error, "the error document of a refused request cannot be encoded");
            Vec::new()
        });
        Self { status: problem.error.code.status(), body: fitted(body), headers }
    }

    /// The response with the common headers. For HEAD the body is omitted later, by hyper or by `accept_loop`, and the
    /// headers stay the same.
    pub(super) fn into_response(self, shared: &Shared, context: &RequestContext) -> Response<Bytes> {
        let length = self.body.len();
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.reserve(20);
        headers.extend(self.headers);
        headers.insert(X_REQUEST_ID, context.id.clone());
        // An answer that was bought earlier already has the headers of its own snapshot.
        let freshness = || freshness_hours(context.stamp.freshness_seconds);
        headers.entry(X_DATA_FRESHNESS_HOURS).or_insert_with(freshness);
        if let Ok(id) = HeaderValue::from_str(context.catalog.id()) {
            headers.entry(X_SNAPSHOT_ID).or_insert(id);
        }
        headers.insert(PAYMENT_MODE, HeaderValue::from_static(shared.payments.as_str()));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if shared.tls {
            headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(TLS_FROM_NOW_ON));
        }
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(CORS_RESPONSE_HEADERS));
        if !matches!(self.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            headers.insert(CONTENT_LENGTH, length.into());
        }
        if let Some(budget) = &context.budget {
            headers.insert(RATE_LIMIT_POLICY, budget.policy.clone());
            headers.insert(RATE_LIMIT, budget.state.clone());
        }
        response
    }
}

fn fixed(name: HeaderName, value: &'static str) -> (HeaderName, HeaderValue) {
    (name, HeaderValue::from_static(value))
}

/// Converts seconds to hours, rounded to one decimal.
fn freshness_hours(seconds: u64) -> HeaderValue {
    let hours = HeaderValue::try_from(format!("{:.1}", seconds as f64 / 3_600.0));
    hours.unwrap_or_else(|_| HeaderValue::from_static("0.0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_has_one_decimal() {
        for (seconds, hours) in
            [(0, "0.0"), (179, "0.0"), (181, "0.1"), (86_400, "24.0"), (5_000_000, "1388.9")]
        {
            assert_eq!(freshness_hours(seconds), hours);
        }
    }
}
