//! Entity tags of answers. All tags are weak: two answers with the same tag may differ in their time, freshness and
//! content coding.

use hyper::header::HeaderValue;
use xxhash_rust::xxh3::xxh3_128;

use super::request_context::RequestContext;

/// The tag of a free answer, computed from the snapshot, the media type, the path and the query.
pub(super) fn of_answer(context: &RequestContext, path: &str, canonical_query: &str) -> HeaderValue {
    let (snapshot, media_type) = (context.catalog.id(), context.form().media_type());
    weak(xxh3_128(format!("{snapshot}\n{media_type}\n{path}\n{canonical_query}").as_bytes()))
}

/// The tag of a page.
pub(super) fn of_page(body: &[u8]) -> HeaderValue {
    weak(xxh3_128(body))
}

/// The tag of an answer that one payment bought. It is unique to that payment.
pub(super) fn of_sold(key: &str, body: &[u8]) -> HeaderValue {
    weak(xxh3_128(key.as_bytes()) ^ xxh3_128(body).rotate_left(64))
}

fn weak(name: u128) -> HeaderValue {
    // Hexadecimal digits in quotes are a valid header value.
    HeaderValue::try_from(format!("W/\"{name:032x}\"")).unwrap_or_else(|_| HeaderValue::from_static("W/\"\""))
}
