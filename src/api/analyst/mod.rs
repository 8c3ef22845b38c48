//! Analyst endpoints: price levels and their change.

mod inflation;

use crate::query::endpoint::Route;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![Route::of::<inflation::Inflation>()]
}
