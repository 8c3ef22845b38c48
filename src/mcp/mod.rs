//! The Model Context Protocol: the routes as tools of agents, over HTTP at [`PATH`] and over standard input and
//! output.
//!
//! A tool call becomes a request for the route of the tool, which the pipeline answers, so limits, prices, payments and
//! refusals are the same as over HTTP ([`crate::server::nested_service`]). A payment in a call becomes header fields
//! ([`crate::payment::protocols::mcp`]), and a 402 becomes one result for clients of both payment protocols.
//!
//! This module adds the texts that an agent reads. `tools` and `schema` describe the routes; they are generated from
//! the route table. `result` converts the response of a route into the result of a call. `next` suggests the next
//! calls. `prompts` contains common tasks, and `methodology` the definitions of the figures. `handler` receives
//! messages over HTTP, `message` answers other bodies with JSON-RPC errors, and `server` answers messages. There are no
//! sessions, so any server behind a load balancer may answer any message.
//!
//! `rmcp` reads and writes messages. Their arguments and metadata are untyped JSON, which is converted to typed values
//! before any decision is made.

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

/// Maximum length of a message over HTTP, in bytes. It is enough for the arguments of a call and for a payment of 8 kB
/// in two encodings.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1_024;

/// Default number of rows of a call to a paid route, if the route's own default is higher. The number is low because an
/// agent also pays for the text that it reads.
pub const ROWS_DEFAULT: u32 = 5;

/// Default number of rows of a call to a free route, whose rows are short names to choose from.
pub const NAMES_DEFAULT: u32 = 20;
