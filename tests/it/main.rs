//! The program from outside, by its rooms. One binary: the oracle and the inputs are compiled once.

#![allow(clippy::unwrap_used, clippy::format_push_string, unreachable_pub, missing_docs)]

mod api;
mod build;
mod catalog;
mod cli;
mod domain;
mod fuzz;
mod http;
mod mcp;
mod oracle;
mod payment;
#[path = "../../benches/quality/mod.rs"]
mod quality;
mod support;
mod web;
