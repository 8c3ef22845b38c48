//! Marketing endpoints: a category or a brand.

mod brand_tracker;
mod competitive_landscape;
mod promo_intelligence;
mod share_of_shelf;

use crate::query::endpoint::Route;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<competitive_landscape::CompetitiveLandscape>(),
        Route::of::<promo_intelligence::PromoIntelligence>(),
        Route::of::<share_of_shelf::ShareOfShelf>(),
        Route::of::<brand_tracker::BrandTracker>(),
    ]
}
