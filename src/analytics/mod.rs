//! Figures that several endpoints compute: price panels and series, promotions, matched baskets, price levels.
//!
//! The functions take listings of an opened catalog and return numbers. The mathematics is in [`crate::stats`]. The
//! callers choose the listings and the presentation.

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
