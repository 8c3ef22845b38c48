//! Language: the text of product names, labels and queries, read in English and French.
//!
//! - [`text`]: slugs, terms of names and queries, folded text
//! - [`pack`]: how much of a product is sold, and the price per unit
//! - [`brand`]: one key for all spellings of a brand
//! - [`everyday`]: everyday names of categories

pub mod brand;
pub mod everyday;
pub mod pack;
pub mod text;

pub use pack::{Pack, Unit, UnitPrice};
