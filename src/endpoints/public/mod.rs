//! Public endpoints, free: what the catalog holds and what to ask for.

mod brands;
mod categories;
mod coverage;
mod retailers;
mod stats;

use crate::query::endpoint::{Endpoint as _, Route};

/// Where it stands what the catalog covers.
pub(super) const COVERAGE_PATH: &str = coverage::CoverageMap::PATH;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<coverage::CoverageMap>(),
        Route::of::<categories::Categories>(),
        Route::of::<retailers::Retailers>(),
        Route::of::<brands::Brands>(),
        Route::of::<stats::Stats>(),
    ]
}
