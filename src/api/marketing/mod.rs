//! Marketing endpoints: one category.

mod competitive_landscape;

use crate::query::endpoint::Route;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![Route::of::<competitive_landscape::CompetitiveLandscape>()]
}
