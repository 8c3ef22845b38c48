//! What endpoints share: parameters, the endpoint trait, resolution of categories and products, and the parts of
//! answers. Nothing here knows a single endpoint.

pub mod brand;
pub mod category;
pub mod endpoint;
pub mod inflation;
pub mod item;
pub mod likely;
pub mod new_prices;
pub mod page;
pub mod panel;
pub mod params;
pub mod parts;
pub mod product;
pub mod promo;
pub mod reference;
pub mod refusal;
pub mod scope;
pub mod search;
pub mod series;
pub mod shelf;
pub mod subject;
pub mod windows;
