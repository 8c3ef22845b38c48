//! Public endpoints, free: what the catalog holds and what to ask for.

mod brands;
mod categories;
mod coverage;
mod retailers;

use crate::query::endpoint::Route;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<coverage::CoverageMap>(),
        Route::of::<categories::Categories>(),
        Route::of::<retailers::Retailers>(),
        Route::of::<brands::Brands>(),
    ]
}
