//! The server: a socket on one side, a route of the table on the other.
//!
//! In reading order: [`sockets`] listens, [`server`] accepts connections and limits them, with `head` and `preface` for
//! those of HTTP/2; `pipeline` leads a request through its steps, in one function, `paying` through those of a payment;
//! `visit` is what is known of a request, `respond` what every response carries; [`problem`], [`rate`], [`encoding`],
//! `accept`, `etag`, [`quote`] and `panics` are steps of that way; [`sending`] sends answers, [`backlog`] limits the bytes
//! of those that are not read, and `bodies` shares equal ones; [`foreign`] lets another protocol in, whose requests of
//! routes go the same way, and [`site`] pages for people; [`swap`] replaces the catalog under the running server, once it
//! is [`fitness`] that says so, with `ahead` for its days; `janitor` drops the old one and `guard` looks after the files of
//! the one in use; [`admin`] answers the operator. `crate::serve` puts it all together.

mod accept;
pub mod admin;
mod ahead;
pub mod backlog;
mod bodies;
mod crowd;
pub mod encoding;
mod etag;
pub mod fitness;
pub mod foreign;
pub mod forwarded;
mod guard;
mod head;
mod host;
mod janitor;
mod line;
mod panics;
mod paying;
mod pipeline;
mod preface;
pub mod problem;
pub mod quote;
mod quoting;
pub mod rate;
pub(crate) mod respond;
pub mod sending;
pub mod server;
mod shared;
pub mod site;
pub mod sockets;
mod stall;
pub mod swap;
pub mod tls;
mod unfit;
pub(crate) mod visit;

pub(crate) use accept::accepts;
pub use guard::{Guard, LOOK, READ_BYTES_PER_SECOND};
pub use janitor::Janitor;
pub use line::Line;
pub use shared::{ServerOptions, Shared};
pub use unfit::{SnapshotRefusal, UnfitSnapshot};
pub use visit::stamp_of;

/// Longest request target, in bytes.
pub const TARGET_BYTES_MAX: usize = 2_048;

/// Methods that are answered.
pub(crate) const METHODS: &str = "GET, HEAD, OPTIONS";
