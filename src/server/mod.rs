//! The HTTP server: accepts connections and answers requests for the routes of the route table.
//!
//! ```text
//! sockets ─▶ accept_loop ─▶ pages ─▶ nested_service ─▶ pipeline ─▶ respond ─▶ response_body
//!            connection limits        request_context  steps       headers    backlog, write timeout
//! ```
//!
//! - [`sockets`] listens. [`accept_loop`] accepts connections and limits them, with `connection_limit`,
//!   `half_closed`, `head_limits`, `preface`, `write_timeout` and [`tls`].
//! - `request_context` contains the facts of a request that are known before its first step. `pipeline` runs the steps
//!   of a request, and `paying` the additional steps of a payment. The steps use [`problem`], [`rate`], [`encoding`],
//!   `content_negotiation`, `etag`, [`quote`] and `panics`. `respond` adds the headers of every response.
//! - [`response_body`] sends answers, [`backlog`] limits the unread bytes of all answers, `shared_bodies` shares the
//!   buffers of equal answers.
//! - [`nested_service`] serves another protocol at one path, [`pages`] serves the pages for people.
//! - [`swap`] replaces the catalog once [`preflight`] has accepted a new snapshot. `future_days` checks the dates of a
//!   snapshot. `deferred_drop` drops the old catalog. `integrity_monitor` watches the files of the snapshot in use.
//! - [`admin`] answers the operator. [`config`] reads the configuration, [`compute`] runs heavy requests on separate
//!   threads, [`telemetry`] writes the log and the metrics. [`serve`] starts and stops all of them.

pub mod accept_loop;
pub mod admin;
pub mod backlog;
pub mod compute;
pub mod config;
mod connection_limit;
mod content_negotiation;
mod deferred_drop;
pub mod encoding;
mod etag;
pub mod forwarded;
mod future_days;
mod half_closed;
mod head_limits;
mod host;
mod integrity_monitor;
pub mod nested_service;
pub mod pages;
mod panics;
mod paying;
mod pipeline;
mod preface;
pub mod preflight;
pub mod problem;
pub mod progress;
pub mod quote;
pub mod rate;
mod rejection;
pub(crate) mod request_context;
pub(crate) mod respond;
pub mod response_body;
pub mod serve;
mod shared_bodies;
pub mod sockets;
mod state;
pub mod swap;
pub mod telemetry;
pub mod tls;
mod write_timeout;

pub(crate) use content_negotiation::accepts;
pub use deferred_drop::DeferredDrop;
pub use half_closed::HalfClosed;
pub use integrity_monitor::{IntegrityMonitor, LOOK, READ_BYTES_PER_SECOND};
pub use rejection::{RejectedSnapshot, SnapshotRefusal};
pub use request_context::stamp_of;
pub use state::{ServerOptions, Shared};

/// Maximum length of a request target, in bytes.
pub const TARGET_BYTES_MAX: usize = 2_048;

/// Methods that the server answers, in the form of the `Allow` header.
pub(crate) const METHODS: &str = "GET, HEAD, OPTIONS";
