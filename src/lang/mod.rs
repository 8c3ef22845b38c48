//! Language: the text of product names, labels and queries, read in English and French.
//!
//! - [`text`]: slugs, terms of names and queries, folded text
//! - [`pack`]: how much of a product is sold, and the price per unit
//! - [`brand`]: one key for all spellings of a brand
//! - [`asking`]: words and phrases about asking, in queries
//! - [`everyday`]: everyday names of categories
//! - [`quantities`]: numbers with a unit, and which of them say how much is sold
//! - `units`, `dimension`: units and what they measure
//! - `part_numbers`, `series`, `generic_codes`: codes that name a product, a member of a series, or neither
//! - [`lexicon`]: words and their meanings, as rows of `data/lexicon.tsv`
//! - `product_types`, `synonyms`, `variants`: words of which a product has one and not another

pub mod asking;
pub mod brand;
pub(crate) mod dimension;
pub mod everyday;
pub(crate) mod generic_codes;
pub mod lexicon;
pub mod pack;
pub(crate) mod part_numbers;
pub(crate) mod product_types;
pub mod quantities;
pub(crate) mod series;
pub(crate) mod synonyms;
pub mod text;
pub(crate) mod units;
pub(crate) mod variants;

pub use lexicon::Lexicon;
pub use pack::{Pack, Unit, UnitPrice};
pub use part_numbers::mpn;
