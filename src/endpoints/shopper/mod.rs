//! Shopper endpoints: prices of one product or of a list of products, and discounts in a category.

mod basket;
mod best_price;
mod best_prices;
mod deal_finder;
mod price_drop_alert;
mod price_history;

use crate::query::descriptor::Descriptor;
use crate::query::endpoint::{Endpoint as _, Route};

/// Descriptor of `Basket`, which other modules link to.
pub const BASKET: &Descriptor = basket::Basket::DESCRIPTOR;
/// Descriptor of `BestPrice`, which other modules link to.
pub const BEST_PRICE: &Descriptor = best_price::BestPrice::DESCRIPTOR;
/// Descriptor of `PriceHistory`, which other modules link to.
pub const PRICE_HISTORY: &Descriptor = price_history::PriceHistory::DESCRIPTOR;

/// Returns the route table of the group.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::of::<best_price::BestPrice>(),
        Route::of::<price_history::PriceHistory>(),
        Route::of::<deal_finder::DealFinder>(),
        Route::of::<price_drop_alert::PriceDropAlert>(),
        Route::of::<basket::Basket>(),
        Route::of::<best_prices::BestPrices>(),
    ]
}
