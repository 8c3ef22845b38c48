//! Marketing endpoints: products, prices, promotions and stock of a category or a brand.

mod availability_index;
mod brand_breakdown;
mod brand_tracker;
mod competitive_landscape;
mod price_positioning;
mod promo_intelligence;
mod retailer_assortment;
mod share_of_shelf;

use crate::query::descriptor::Descriptor;
use crate::query::endpoint::{Endpoint as _, Route};

/// Descriptor of `BrandTracker`, which other modules link to.
pub const BRAND_TRACKER: &Descriptor = brand_tracker::BrandTracker::DESCRIPTOR;
/// Descriptor of `CompetitiveLandscape`, which other modules link to.
pub const COMPETITIVE_LANDSCAPE: &Descriptor = competitive_landscape::CompetitiveLandscape::DESCRIPTOR;
/// Descriptor of `PromoIntelligence`, which category pages request.
pub const PROMO_INTELLIGENCE: &Descriptor = promo_intelligence::PromoIntelligence::DESCRIPTOR;
/// Descriptor of `ShareOfShelf`, which other modules link to.
pub const SHARE_OF_SHELF: &Descriptor = share_of_shelf::ShareOfShelf::DESCRIPTOR;

/// Returns the route table of the group.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<competitive_landscape::CompetitiveLandscape>(),
        Route::of::<promo_intelligence::PromoIntelligence>(),
        Route::of::<share_of_shelf::ShareOfShelf>(),
        Route::of::<brand_tracker::BrandTracker>(),
        Route::of::<brand_breakdown::BrandBreakdown>(),
        Route::of::<price_positioning::PricePositioning>(),
        Route::of::<availability_index::AvailabilityIndex>(),
        Route::of::<retailer_assortment::RetailerAssortment>(),
    ]
}
