//! Social endpoints, which are free: rollups of the topics that people discuss. No snapshot publishes rollups yet.

mod rollups;

use crate::query::endpoint::Route;
use rollups::Rollup;

/// Returns the route table of the group.
pub(super) fn routes() -> Vec<Route> {
    vec![Route::of::<Rollup<0>>(), Route::of::<Rollup<1>>(), Route::of::<Rollup<2>>()]
}
