//! pricebook: an in-memory columnar server for retail price intelligence.

pub mod analytics;
pub mod bench;
pub mod catalog;
pub mod cli;
pub mod compute;
pub mod config;
pub mod discovery;
pub mod endpoints;
pub mod eval;
pub mod export;
pub mod http;
pub mod index;
pub mod ingest;
pub mod lang;
pub mod matching;
pub mod mcp;
pub mod openapi;
pub mod payment;
pub mod progress;
pub mod query;
pub mod serve;
pub mod snapshot;
pub mod stats;
pub mod store;
pub mod telemetry;
pub mod types;
pub mod web;

#[cfg(test)]
mod tidy_tests;
