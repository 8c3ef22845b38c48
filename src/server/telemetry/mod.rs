//! What the operator reads: the log, one event per request in it, and metrics for Prometheus.

mod access;
mod log;
mod metrics;
mod payments;
mod process;

pub use access::AccessLog;
pub use log::{LogFormat, LogLosses, flush_log, log_losses, start_log};
pub use metrics::{ConnectionRefusal, Gauges, Metrics, UnreadBytes};
pub use process::{Process, raise_open_files};
