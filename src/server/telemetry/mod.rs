//! Telemetry for the operator: the log, with one event per request, and metrics for Prometheus.
//!
//! This module counts and logs. It does not depend on the modules that use it. A module that refuses something defines
//! the closed set of its reasons (such as [`HeavyRefusal`](crate::server::compute::HeavyRefusal) or
//! [`SnapshotRefusal`](crate::server::SnapshotRefusal)) and passes a reason as a word. Counters that alerts query are
//! created with the value 0 (`Metrics::expect_*`), because the rate of a counter that appears with its first event does
//! not show that event. Gauges are read when `/metrics` is requested (`Shared::observe`).
//!
//! `ops/` contains the dashboard, the alert rules and the service unit. A test compares every metric, label and label
//! value in the dashboard and the rules with those of a running server (`tests/it/http/ops.rs`).

mod access;
mod log;
mod metrics;
mod payments;

pub use self::metrics::{Process, raise_open_files};
pub use access::AccessLog;
pub use log::{LogFormat, LogLosses, flush_log, log_losses, start_log};
pub use metrics::{ConnectionRefusal, Gauges, Metrics, UnreadBytes};
