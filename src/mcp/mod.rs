//! The Model Context Protocol: the routes as tools of agents, over HTTP at [`PATH`] and over standard input and
//! output.
//!
//! A call of a tool becomes a request of its route and is answered by the pipeline, so limits, prices, payments and
//! refusals are those of HTTP ([`crate::server::nested_service`]). A payment that a call carries becomes header
//! fields ([`crate::payment::protocols::mcp`]), and a 402 becomes one result for clients of both payment protocols.
//!
//! This module adds what an agent reads. `tools` and `schema` describe the routes from their table. `result` converts
//! the response of a call. `next` suggests the next calls. `prompts` has common tasks, and `methodology` the
//! definitions of metrics. `server` answers messages, `handler` receives them, and `message` refuses a body that is
//! not one, with errors of JSON-RPC. Sessions are not kept, so any server behind a load balancer may answer any
//! message.
//!
//! `rmcp` reads and writes messages. Their arguments and metadata are JSON of any form. They become typed values
//! before anything is decided.

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

/// Path of messages over HTTP.
pub const PATH: &str = "/mcp";

/// Maximum length of a message over HTTP, in bytes. It has room for the arguments of a call, and for a payment of 8
/// kB in two encodings.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1_024;

/// Default number of rows of a call to a paid route, if the route's own default is higher. An agent pays for the text
/// that it reads.
pub const ROWS_DEFAULT: u32 = 5;

/// Default number of rows of a call to a free route, whose rows are short names to choose from.
pub const NAMES_DEFAULT: u32 = 20;
