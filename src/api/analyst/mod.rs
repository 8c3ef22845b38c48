//! Analyst endpoints: price levels and their change.

mod category_summary;
mod inflation;
mod price_bands;
mod price_dispersion;
mod price_index;
mod retailer_index;

use crate::query::endpoint::Route;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<inflation::Inflation>(),
        Route::of::<retailer_index::RetailerIndex>(),
        Route::of::<price_bands::PriceBands>(),
        Route::of::<price_dispersion::PriceDispersion>(),
        Route::of::<category_summary::CategorySummary>(),
        Route::of::<price_index::PriceIndex>(),
    ]
}
