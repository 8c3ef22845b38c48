//! pricebook: an in-memory columnar server for retail price intelligence.

pub mod analytics;
pub mod bench;
pub mod catalog;
pub mod cli;
pub mod discovery;
pub mod endpoints;
pub mod index;
pub mod ingest;
pub mod lang;
pub mod matching;
pub mod mcp;
pub mod openapi;
pub mod payment;
pub mod query;
pub mod search;
pub mod server;
pub mod snapshot;
pub mod stats;
pub mod store;
pub mod types;
pub mod web;

#[cfg(test)]
mod architecture_tests;
