//! The route table: one line per endpoint, one file each.

use crate::query::endpoint::Route;

/// Every endpoint, in the order of the documentation.
pub fn routes() -> Vec<Route> {
    Vec::new()
}
