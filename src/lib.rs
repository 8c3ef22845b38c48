//! pricebook: an in-memory columnar server for retail price intelligence.

pub mod build;
pub mod domain;
pub mod snapshot;
pub mod stats;
