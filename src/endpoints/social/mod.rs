//! Social endpoints, free: rollups of what people talk about, once a snapshot publishes them.

mod rollups;

use crate::query::endpoint::Route;
use rollups::{CategoryStructure, ProductTypeTrends, Rollup, TopicTrends};

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<Rollup<CategoryStructure>>(),
        Route::of::<Rollup<TopicTrends>>(),
        Route::of::<Rollup<ProductTypeTrends>>(),
    ]
}
