//! Search for products by text.
//!
//! [`index`] is the text index: dictionary, postings, top-k and fuzzy lookup over the columns of a snapshot. [`query`]
//! interprets the text of a search: it rewrites the query, weighs its words and decides which matches are good enough.

pub mod index;
pub mod query;
