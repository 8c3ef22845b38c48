//! A retailer's daily price level, over all its products and over the products that other retailers sell too.

mod changes;
pub mod daily;
pub mod matched;

pub use changes::Total;
