//! The operator's view: the log, one event per request in it, and metrics for Prometheus.
//!
//! This module counts and logs, and knows none of the modules that it counts. A module that refuses something owns the
//! closed set of its reasons (such as [`HeavyRefusal`](crate::server::compute::HeavyRefusal) or
//! [`SnapshotRefusal`](crate::server::SnapshotRefusal)) and passes the word. Counters that alerts ask for begin at
//! zero (`Metrics::expect_*`), because the rate of a counter that appears with its first event does not show that
//! event. Gauges are read when `/metrics` is asked for (`Shared::observe`).
//!
//! `ops/` has the dashboard, the alert rules and the units that run beside the program. A test compares every name in
//! them with a running server (`tests/it/http/ops.rs`).

mod access;
mod log;
mod metrics;
mod payments;

pub use self::metrics::{Process, raise_open_files};
pub use access::AccessLog;
pub use log::{LogFormat, LogLosses, flush_log, log_losses, start_log};
pub use metrics::{ConnectionRefusal, Gauges, Metrics, UnreadBytes};
