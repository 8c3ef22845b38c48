//! Analyst endpoints: price levels and their change.

mod category_concentration;
mod category_summary;
mod inflation;
mod price_bands;
mod price_change_leaders;
mod price_dispersion;
mod price_index;
mod retailer_index;

use crate::query::descriptor::Descriptor;
use crate::query::endpoint::{Endpoint as _, Route};

/// Descriptor of `CategoryConcentration`, which other modules link to.
pub const CATEGORY_CONCENTRATION: &Descriptor = category_concentration::CategoryConcentration::DESCRIPTOR;
/// Descriptor of `CategorySummary`, which category pages request.
pub const CATEGORY_SUMMARY: &Descriptor = category_summary::CategorySummary::DESCRIPTOR;
/// Descriptor of `PriceChangeLeaders`, which category pages request.
pub const PRICE_CHANGE_LEADERS: &Descriptor = price_change_leaders::PriceChangeLeaders::DESCRIPTOR;
/// Descriptor of `Inflation`, which other modules link to.
pub const INFLATION: &Descriptor = inflation::Inflation::DESCRIPTOR;
/// Descriptor of `PriceBands`, which other modules link to.
pub const PRICE_BANDS: &Descriptor = price_bands::PriceBands::DESCRIPTOR;

/// Returns the route table of the group.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<inflation::Inflation>(),
        Route::of::<retailer_index::RetailerIndex>(),
        Route::of::<price_bands::PriceBands>(),
        Route::of::<price_dispersion::PriceDispersion>(),
        Route::of::<category_summary::CategorySummary>(),
        Route::of::<category_concentration::CategoryConcentration>(),
        Route::of::<price_change_leaders::PriceChangeLeaders>(),
        Route::of::<price_index::PriceIndex>(),
    ]
}
