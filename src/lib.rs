//! pricebook: an in-memory columnar server for retail price intelligence.

pub mod domain;
pub mod stats;
