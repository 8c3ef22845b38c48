//! Figures that several endpoints compute: price panels and series, promotions, matched baskets, price levels.
//!
//! Listings of an opened catalog in, numbers out. The mathematics is in [`crate::stats`]; which listings a request is
//! about, and how an answer shows the numbers, is decided above.

pub mod assortment;
pub mod availability;
pub mod basket;
pub mod breakdown;
pub mod category_scope;
pub mod concentration;
pub mod counts;
pub mod latest;
pub mod leaders;
pub mod new_prices;
pub mod offers;
pub mod panel;
pub mod positioning;
pub mod price_index;
pub mod price_level;
pub mod price_tiers;
pub mod promotions;
pub mod reference_price;
pub mod scope;
pub mod series;
pub mod shopping;
mod span;
pub mod stock;

pub use span::Span;
