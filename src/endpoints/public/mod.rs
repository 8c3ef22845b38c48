//! Public endpoints, free: what the catalog holds and what to ask for.

mod brands;
mod categories;
mod coverage;
mod retailers;
mod stats;

use crate::query::descriptor::Descriptor;
use crate::query::endpoint::{Endpoint as _, Route};

/// Descriptor of `Categories`, which pages list.
pub const CATEGORIES: &Descriptor = categories::Categories::DESCRIPTOR;
/// Descriptor of `CoverageMap`, to which other endpoints lead.
pub const COVERAGE: &Descriptor = coverage::CoverageMap::DESCRIPTOR;

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
