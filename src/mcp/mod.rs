//! The Model Context Protocol: the routes as tools of agents, over HTTP at [`PATH`] and over standard input and
//! output.
//!
//! A call of a tool becomes a request of its route and is answered by the pipeline, so limits, prices, payments and
//! refusals are those of HTTP ([`crate::server::nested_service`]). A payment that a call carries becomes header fields
//! ([`crate::payment::protocols::mcp`]), and a 402 is one result for clients of both protocols.
//!
//! This module adds what an agent reads: `tools` and `schema` describe the routes from their table, `result` says what
//! came of a call, `next` what to call then, `prompts` has common jobs, `methodology` the definitions of metrics.
//! `server` answers messages, `handler` receives them, `message` refuses a body that is not one, in the terms of
//! JSON-RPC. No session is kept, so any server behind a load balancer may answer any message.
//!
//! Messages are read and written by `rmcp`, whose arguments and metadata are JSON of any form. They become typed
//! values before anything is decided.

mod handler;
mod message;
mod methodology;
mod next;
mod prompts;
mod result;
mod schema;
mod server;
mod tools;

pub use handler::McpHandler;
pub use methodology::sections;
pub use server::McpServer;
pub use tools::Toolbox;

/// Where messages over HTTP are sent.
pub const PATH: &str = "/mcp";

/// Longest message over HTTP, in bytes: the arguments of a call, and a payment of 8 kB in two spellings.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1_024;

/// Most rows that a call asks for unless it says so, where a route would give more: an agent pays for what it reads.
pub const ROWS_DEFAULT: u32 = 5;

/// The same of the free routes, whose rows are short names to choose from.
pub const NAMES_DEFAULT: u32 = 20;
