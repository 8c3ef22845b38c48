//! A retailer's price level by day: over everything that it sells, and over what others sell too.

mod changes;
pub mod daily;
pub mod matched;

pub use changes::Total;
