//! Search for products by text.
//!
//! [`index`] is the text index: dictionary, postings, top-k and fuzzy look-up over the columns of a snapshot.
//! [`query`] reads what a client asks for: it rewrites the query, weighs its words and decides what matches well
//! enough.

pub mod index;
pub mod query;
