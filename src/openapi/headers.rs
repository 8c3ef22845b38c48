//! Headers of responses: their schemas, and the headers of each response.

use hyper::header::{ALLOW, CACHE_CONTROL, ETAG, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use super::object::{Header, Map, Ref};
use crate::payment::core::gate::{PAYMENT_RECEIPT, PAYMENT_RESPONSE};
use crate::payment::core::offer::PAYMENT_REQUIRED;
use crate::server::METHODS;
use crate::server::request_context::X_REQUEST_ID;
use crate::server::respond::{
    PAYMENT_MODE, RATE_LIMIT, RATE_LIMIT_POLICY, X_DATA_FRESHNESS_HOURS, X_SNAPSHOT_ID,
};

/// Headers of every response.
const EVERYWHERE: [HeaderName; 7] = [
    X_DATA_FRESHNESS_HOURS,
    X_REQUEST_ID,
    X_SNAPSHOT_ID,
    PAYMENT_MODE,
    CACHE_CONTROL,
    RATE_LIMIT,
    RATE_LIMIT_POLICY,
];

/// The headers of a response: those of every response, and its own.
pub(super) fn of(own: &[HeaderName]) -> Map<Ref> {
    let entry = |name: &HeaderName| (printed(name), Ref::to("headers", &printed(name)));
    EVERYWHERE.iter().chain(own).map(entry).collect()
}

/// Headers of an error that are not headers of every response.
pub(super) fn of_status(status: u16) -> Vec<HeaderName> {
    match status {
        402 => vec![PAYMENT_REQUIRED, WWW_AUTHENTICATE, PAYMENT_RESPONSE],
        405 => vec![ALLOW],
        409 | 429 => vec![RETRY_AFTER],
        410 => vec![PAYMENT_RESPONSE, PAYMENT_RECEIPT],
        503 => vec![RETRY_AFTER, PAYMENT_RESPONSE],
        _ => Vec::new(),
    }
}

/// A name as it is printed in documentation: `x-request-id` is `X-Request-Id`.
fn printed(name: &HeaderName) -> String {
    match name.as_str() {
        "etag" => return "ETag".into(),
        "ratelimit" => return "RateLimit".into(),
        "ratelimit-policy" => return "RateLimit-Policy".into(),
        "www-authenticate" => return "WWW-Authenticate".into(),
        _ => {}
    }
    let mut capital = true;
    let letters = name.as_str().chars().map(|letter| {
        let printed = if capital { letter.to_ascii_uppercase() } else { letter };
        capital = letter == '-';
        printed
    });
    letters.collect()
}

fn header(
    name: &HeaderName,
    required: bool,
    schema: Value,
    example: Value,
    description: &str,
) -> (String, Header) {
    let header = Header { description: description.to_owned(), required, schema, example: Some(example) };
    (printed(name), header)
}

fn text() -> Value {
    json!({ "type": "string" })
}

/// Every header that a response refers to.
pub(super) fn components() -> Map<Header> {
    of_every_response().into_iter().chain(of_some_responses()).chain(of_payments()).collect()
}

/// The headers that state the origin of a response and how it may be cached.
fn of_every_response() -> [(String, Header); 5] {
    [
        header(
            &X_DATA_FRESHNESS_HOURS,
            true,
            json!({ "type": "number", "minimum": 0 }),
            json!(31.5),
            "Hours since the newest observation of the snapshot, with one decimal.",
        ),
        header(
            &X_REQUEST_ID,
            true,
            text(),
            json!("18a1c8b0c2f3e-2a"),
            "Id of the request: the value that was sent in X-Request-Id if it is well-formed, else an id that the \
             server generates. Include it in a fault report.",
        ),
        header(
            &X_SNAPSHOT_ID,
            true,
            text(),
            json!("2026-10-31-1f0c2a9d"),
            "Id of the snapshot that the response was computed from. Two answers to the same request from the same \
             snapshot differ only in computed_at and freshness_seconds.",
        ),
        header(
            &PAYMENT_MODE,
            true,
            json!({ "type": "string", "enum": ["off", "sandbox", "live"] }),
            json!("off"),
            "Payment mode of this server: off (paid routes are free), sandbox (payments in test money) or live \
             (payments in real money).",
        ),
        header(
            &CACHE_CONTROL,
            true,
            text(),
            json!("public, max-age=60"),
            "Caching rule: free answers may be cached for one minute and then revalidated with their ETag; other \
             responses must not be cached.",
        ),
    ]
}

/// The headers that depend on the client, the status or the kind of answer.
fn of_some_responses() -> [(String, Header); 5] {
    [
        header(
            &RATE_LIMIT,
            false,
            text(),
            json!("\"client\";r=598;t=1"),
            "Remaining quota of the client: r is the number of requests left, t the seconds until the next request is \
             accepted or, while requests are left, until the quota is full again. Absent for clients that are not \
             limited, and on refusals that precede the rate check.",
        ),
        header(
            &RATE_LIMIT_POLICY,
            false,
            text(),
            json!("\"client\";q=600;w=60"),
            "Rate limit of the client: q requests in w seconds. Absent where RateLimit is absent.",
        ),
        header(
            &ETAG,
            true,
            json!({ "type": "string", "pattern": "^W/\"[0-9a-f]{32}\"$" }),
            json!("W/\"0f343b0931126a20f133d67c2b018a3b\""),
            "Weak entity tag of the answer. It changes with the snapshot, the format and the parameters, but not with \
             the order of the parameters. Send it in If-None-Match to revalidate a cached answer.",
        ),
        header(&ALLOW, true, text(), json!(METHODS), "Methods that this path accepts."),
        header(
            &RETRY_AFTER,
            true,
            json!({ "type": "integer", "minimum": 1 }),
            json!(2),
            "Seconds to wait before the same request is sent again.",
        ),
    ]
}

/// The headers of offers and receipts.
fn of_payments() -> [(String, Header); 4] {
    [
        header(
            &PAYMENT_REQUIRED,
            false,
            text(),
            json!("eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3IiOiJwYXltZW50IHJlcXVpcmVkIn0="),
            "Offers of the x402 protocol, version 2: JSON in Base64.",
        ),
        header(
            &WWW_AUTHENTICATE,
            false,
            text(),
            json!("Payment id=\"x7Tg2pLq\", realm=\"api.example.com\", method=\"tempo\", intent=\"charge\""),
            "Offers of the MPP protocol: one Payment challenge per way to pay.",
        ),
        header(
            &PAYMENT_RESPONSE,
            false,
            text(),
            json!("eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2FjdGlvbiI6IjB4MDEifQ=="),
            "Result of a payment in the x402 protocol, version 2: JSON in Base64. On an answer it is the receipt. On a \
             refusal it states that the settlement failed, or names the transaction that may still settle the payment.",
        ),
        header(
            &PAYMENT_RECEIPT,
            false,
            text(),
            json!("eyJzdGF0dXMiOiJzdWNjZXNzIiwibWV0aG9kIjoidGVtcG8ifQ"),
            "Receipt of a payment in the MPP protocol: JSON in Base64url.",
        ),
    ]
}
