//! Limits of a request's head over HTTP/2. hyper enforces the limits of HTTP/1 while it reads. Over HTTP/2 it does
//! not limit the number of fields. The bytes are counted here as well, so the limit does not depend on how hyper
//! handles large frames.

use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode};

/// Overhead of a field beside its name and value, in bytes (RFC 9113, section 6.5.2).
const FIELD_BYTES: usize = 32;

/// Whether the head of a request is within both limits. The target counts as fields, because HTTP/2 sends it in
/// fields.
pub(super) fn is_within<B>(request: &Request<B>, fields_max: usize, bytes_max: usize) -> bool {
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    let uri = request.uri();
    let target = [
        request.method().as_str(),
        uri.scheme_str().unwrap_or_default(),
        uri.authority().map_or("", |authority| authority.as_str()),
        uri.path_and_query().map_or("", |target| target.as_str()),
    ];
    let bytes: usize = fields.chain(target.map(str::len)).map(|length| length + FIELD_BYTES).sum();
    request.headers().len() <= fields_max && bytes <= bytes_max
}

/// 431 without a body, as over HTTP/1.
pub(super) fn too_large() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_bounds() {
        let request = |value: usize, fields: usize| {
            let mut request = Request::get("https://a/b").body(()).expect("a request");
            for _ in 0..fields {
                let value = "v".repeat(value).parse().expect("a value");
                request.headers_mut().append("name", value);
            }
            request
        };
        // The names GET, https, a and /b, and the overhead of four fields.
        let empty = 3 + 5 + 1 + 2 + 4 * FIELD_BYTES;
        assert!(is_within(&request(0, 0), 0, empty));
        assert!(!is_within(&request(0, 0), 0, empty - 1));
        let field = 4 + 7 + FIELD_BYTES;
        assert!(is_within(&request(7, 3), 3, empty + 3 * field));
        assert!(!is_within(&request(7, 3), 2, empty + 3 * field));
        assert!(!is_within(&request(8, 3), 3, empty + 3 * field));
    }
}
