//! Shopper endpoints: one product.

mod best_price;
mod price_history;

use crate::query::endpoint::Route;

/// The group's table.
pub(super) fn routes() -> Vec<Route> {
    vec![Route::of::<best_price::BestPrice>(), Route::of::<price_history::PriceHistory>()]
}
