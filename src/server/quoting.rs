//! What a quote is asked of: a paid request in one parameter.

use super::quote::REQUEST;
use super::state::Shared;
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, Reader};
use crate::types::Day;

/// The paid route whose quote is asked for, and the query that it would be asked with.
///
/// # Errors
/// Every bad parameter: what is no request for a paid route has no quote.
pub(super) fn asked<'a>(
    shared: &'a Shared,
    query: &str,
    as_of: Day,
) -> Result<(&'a Route, String), Vec<BadParameter>> {
    let mut reader = Reader::new(query, as_of);
    let request = reader.required_text(&REQUEST);
    reader.finish()?;
    let (path, query) = request.split_once('?').unwrap_or((&request, ""));
    let refused = |reason| Err(vec![BadParameter::new(REQUEST.name, reason)]);
    match shared.route(path) {
        Some(route) if route.is_free() => refused("is free, so it has no price; send it as it is"),
        Some(route) => Ok((route, query.to_owned())),
        None => refused(
            "does not begin with a paid path; give path and query, such as /v1/shopper/best-price?q=tea, \
             percent-encoded",
        ),
    }
}
