//! Public endpoints, which are free. They list the contents of the catalog and the values that parameters accept.

mod brands;
mod categories;
mod coverage;
mod retailers;
mod stats;

use crate::query::descriptor::Descriptor;
use crate::query::endpoint::{Endpoint as _, Route};

/// Descriptor of `Categories`, which category pages request.
pub const CATEGORIES: &Descriptor = categories::Categories::DESCRIPTOR;
/// Descriptor of `CoverageMap`, which other modules link to.
pub const COVERAGE: &Descriptor = coverage::CoverageMap::DESCRIPTOR;

/// Returns the route table of the group.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<coverage::CoverageMap>(),
        Route::of::<categories::Categories>(),
        Route::of::<retailers::Retailers>(),
        Route::of::<brands::Brands>(),
        Route::of::<stats::Stats>(),
    ]
}
