//! Search for products by text.
//!
//! [`index`] is the text index: dictionary, postings, top-k and fuzzy lookup over the columns of a snapshot.
//! [`query`] reads the text that a client searches for: it rewrites the query, weighs its words and decides which
//! matches are good enough.

pub mod index;
pub mod query;
