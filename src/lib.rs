//! pricebook: an in-memory columnar server for retail price intelligence.

pub mod api;
pub mod build;
pub mod catalog;
pub mod domain;
pub mod query;
pub mod snapshot;
pub mod stats;
