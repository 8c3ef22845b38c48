//! Shopper endpoints: one product, or a list of them.

mod basket;
mod best_price;
mod best_prices;
mod deal_finder;
mod price_drop_alert;
mod price_history;

use crate::query::endpoint::Route;

/// The group's table.
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
