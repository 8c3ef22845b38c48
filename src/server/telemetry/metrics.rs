//! Counters and gauges of a running server, in the text format of `OpenMetrics`.
//!
//! Label values come from closed sets: paths of the route table, statuses, rails, and the words of enums. The only
//! exception is the id of the snapshot in use, and there is one such id at a time.
//!
//! Memory and file descriptors of the process come from the operating system when metrics are read.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use rustix::param::page_size;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::log::LogLosses;
use super::payments::PaymentCollector;
use crate::payment::core::gate::Gate;

/// Upper bounds of the latency histogram, in seconds.
const LATENCY_SECONDS: [f64; 13] =
    [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/// Statuses that alerts query.
const ALERTING_STATUSES: [u16; 3] = [429, 500, 503];

/// The route label of a path that belongs to no route.
const NO_ROUTE: &str = "none";

/// The rail label of a payment that no rail could read.
const NO_RAIL: &str = "none";

/// Reason why a connection was closed before its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// The address of the client has reached its connection limit.
    Address,
    /// The network of the client has reached its connection limit.
    Network,
    /// The TLS handshake failed or took too long.
    Handshake,
}

impl ConnectionRefusal {
    const ALL: [Self; 3] = [Self::Address, Self::Network, Self::Handshake];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Network => "network",
            Self::Handshake => "handshake",
        }
    }
}

/// Bytes of answers that clients have not read yet.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnreadBytes {
    /// Bytes of all clients.
    pub total: usize,
    /// Bytes of the client with the most unread bytes.
    pub client_most: usize,
    /// Bytes on the connection with the most unread bytes.
    pub connection_most: usize,
}

/// Values that are read when metrics are requested.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gauges {
    /// Age of the newest observation of the catalog, in seconds.
    pub freshness_seconds: f64,
    /// Number of heavy requests that wait for a compute thread.
    pub heavy_waiting: usize,
    /// Number of heavy requests that run.
    pub heavy_running: usize,
    /// Bytes of answers that are not read yet.
    pub unread: UnreadBytes,
    /// Number of requests that were not logged.
    pub unlogged: u64,
    /// Numbers of log lines that were lost.
    pub log: LogLosses,
    /// Memory and file descriptors of the process.
    pub process: Process,
    /// Whether the server is ready for requests, as `/readyz` reports.
    pub is_ready: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SnapshotLabels {
    id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PaymentLabels {
    rail: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ScopeLabels {
    scope: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LimitLabels {
    limit: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// Counters and gauges of a running server.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    latency: Family<RouteLabels, Histogram>,
    snapshot: Family<SnapshotLabels, Gauge>,
    payments: Family<PaymentLabels, Counter>,
    gate: PaymentCollector,
    refused: Family<ReasonLabels, Counter>,
    heavy_refused: Family<ReasonLabels, Counter>,
    unread_refused: Family<LimitLabels, Counter>,
    snapshot_refusals: Family<ReasonLabels, Counter>,
    scraped: Scraped,
    /// Streams of HTTP/2 that were reset because their answers were not read.
    pub streams_reset: Counter,
    /// Open connections of clients.
    pub connections: Gauge,
    /// Snapshots put in use after the first.
    pub swaps: Counter,
    /// Requests that panicked.
    pub panics: Counter,
}

/// Gauges that are set when metrics are requested.
#[derive(Default)]
struct Scraped {
    freshness: Gauge<f64, AtomicU64>,
    heavy_waiting: Gauge,
    heavy_running: Gauge,
    unread_bytes: Family<ScopeLabels, Gauge>,
    lost_lines: Family<ReasonLabels, Gauge>,
    resident_bytes: Gauge,
    open_files: Gauge,
    open_files_max: Gauge,
    ready: Gauge,
}

impl Scraped {
    fn register(&self, registry: &mut Registry) {
        registry.register("freshness_seconds", "Age of the newest observation", self.freshness.clone());
        registry.register("heavy_waiting", "Heavy requests that wait", self.heavy_waiting.clone());
        registry.register("heavy_running", "Heavy requests that run", self.heavy_running.clone());
        registry.register(
            "unread_answer_bytes",
            "Bytes of answers that clients have not read: in total, and of the client and the connection with the most",
            self.unread_bytes.clone(),
        );
        registry.register("log_lines_lost", "Log lines that were lost", self.lost_lines.clone());
        registry.register("resident_memory_bytes", "Resident memory", self.resident_bytes.clone());
        registry.register("open_files", "Open file descriptors", self.open_files.clone());
        registry.register(
            "open_files_max",
            "Maximum number of open file descriptors",
            self.open_files_max.clone(),
        );
        registry.register(
            "ready",
            "Whether the server is ready for requests, as in /readyz",
            self.ready.clone(),
        );
    }

    fn set(&self, seen: &Gauges) {
        self.freshness.set(seen.freshness_seconds);
        self.heavy_waiting.set(seen.heavy_waiting as i64);
        self.heavy_running.set(seen.heavy_running as i64);
        let UnreadBytes { total, client_most, connection_most } = seen.unread;
        for (scope, bytes) in [("total", total), ("client", client_most), ("connection", connection_most)] {
            self.unread_bytes.get_or_create(&ScopeLabels { scope }).set(bytes as i64);
        }
        let lost =
            [("unread", seen.log.unread), ("unwritten", seen.log.unwritten), ("sampled", seen.unlogged)];
        for (reason, lines) in lost {
            self.lost_lines.get_or_create(&ReasonLabels { reason }).set(lines as i64);
        }
        self.resident_bytes.set(seen.process.resident_bytes as i64);
        self.open_files.set(seen.process.open_files as i64);
        self.open_files_max.set(seen.process.open_files_max as i64);
        self.ready.set(i64::from(seen.is_ready));
    }
}

impl Metrics {
    /// Metrics with all counters at zero.
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("pricebook"),
            requests: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(LATENCY_SECONDS)),
            snapshot: Family::default(),
            payments: Family::default(),
            gate: PaymentCollector::default(),
            refused: Family::default(),
            heavy_refused: Family::default(),
            unread_refused: Family::default(),
            streams_reset: Counter::default(),
            snapshot_refusals: Family::default(),
            scraped: Scraped::default(),
            connections: Gauge::default(),
            swaps: Counter::default(),
            panics: Counter::default(),
        };
        metrics.register();
        for reason in ConnectionRefusal::ALL {
            drop(metrics.refused.get_or_create(&ReasonLabels { reason: reason.as_str() }));
        }
        metrics.expect_requests(None);
        metrics
    }

    fn register(&mut self) {
        let build: Family<BuildLabels, Gauge> = Family::default();
        build.get_or_create(&BuildLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        let registry = &mut self.registry;
        registry.register("build_info", "Version of the program", build);
        registry.register("requests", "Requests answered", self.requests.clone());
        registry.register(
            "request_seconds",
            "Time from a request's head to its answer",
            self.latency.clone(),
        );
        registry.register("request_panics", "Requests that panicked", self.panics.clone());
        registry.register("heavy_refused", "Heavy requests refused", self.heavy_refused.clone());
        registry.register(
            "unread_refused",
            "Requests refused because too many bytes of answers were not read",
            self.unread_refused.clone(),
        );
        registry.register(
            "streams_reset",
            "Streams of HTTP/2 that were reset because their answers were not read",
            self.streams_reset.clone(),
        );
        registry.register("connections", "Open connections of clients", self.connections.clone());
        registry.register(
            "connections_refused",
            "Connections closed before their first request",
            self.refused.clone(),
        );
        registry.register("snapshot", "The snapshot in use", self.snapshot.clone());
        registry.register("snapshot_swaps", "Snapshots put in use after the first", self.swaps.clone());
        registry.register(
            "snapshot_refusals",
            "Snapshots refused, or taken out of service",
            self.snapshot_refusals.clone(),
        );
        registry.register("payments", "Payments presented, by rail and outcome", self.payments.clone());
        registry.register_collector(Box::new(self.gate.clone()));
        self.scraped.register(registry);
    }

    /// Creates those counters of a route that alerts query, with the value 0. Otherwise a counter would appear with its
    /// first event, and its rate would not show that event. `None` is for all paths that belong to no route.
    pub fn expect_requests(&self, route: Option<&'static str>) {
        let route = route.unwrap_or(NO_ROUTE);
        for status in ALERTING_STATUSES {
            drop(self.requests.get_or_create(&RequestLabels { route, status }));
        }
    }

    /// Creates the counters of refused heavy requests with the value 0.
    pub fn expect_heavy_refusals(&self, reasons: impl IntoIterator<Item = &'static str>) {
        for reason in reasons {
            drop(self.heavy_refused.get_or_create(&ReasonLabels { reason }));
        }
    }

    /// Creates the counters of requests refused for unread answers with the value 0.
    pub fn expect_unread_refusals(&self, limits: impl IntoIterator<Item = &'static str>) {
        for limit in limits {
            drop(self.unread_refused.get_or_create(&LimitLabels { limit }));
        }
    }

    /// Counts a request that was refused because too many bytes of answers are not read.
    pub fn unread_refused(&self, limit: &'static str) {
        self.unread_refused.get_or_create(&LimitLabels { limit }).inc();
    }

    /// Creates the counters of refused snapshots with the value 0.
    pub fn expect_snapshot_refusals(&self, reasons: impl IntoIterator<Item = &'static str>) {
        for reason in reasons {
            drop(self.snapshot_refusals.get_or_create(&ReasonLabels { reason }));
        }
    }

    /// Counts a snapshot that was refused, or taken out of service.
    pub fn snapshot_refused(&self, reason: &'static str) {
        self.snapshot_refusals.get_or_create(&ReasonLabels { reason }).inc();
    }

    /// Counts a payment that was presented, by outcome. `rail` is `None` if no rail could read it.
    pub fn payment(&self, rail: Option<&'static str>, outcome: &'static str) {
        let rail = rail.unwrap_or(NO_RAIL);
        self.payments.get_or_create(&PaymentLabels { rail, outcome }).inc();
    }

    /// Adds the payment metrics of this gate.
    pub fn watch(&self, gate: Arc<Gate>) {
        self.gate.watch(gate);
    }

    /// Counts a connection that was closed before its first request.
    pub fn refused(&self, reason: ConnectionRefusal) {
        self.refused.get_or_create(&ReasonLabels { reason: reason.as_str() }).inc();
    }

    /// Counts a heavy request that was refused.
    pub fn heavy_refused(&self, reason: &'static str) {
        self.heavy_refused.get_or_create(&ReasonLabels { reason }).inc();
    }

    /// Counts a request. `route` is `None` for a path that belongs to no route.
    pub fn request(&self, route: Option<&'static str>, status: u16, time: Duration) {
        let route = route.unwrap_or(NO_ROUTE);
        self.requests.get_or_create(&RequestLabels { route, status }).inc();
        self.latency.get_or_create(&RouteLabels { route }).observe(time.as_secs_f64());
    }

    /// Sets the id of the snapshot in use.
    pub fn snapshot_in_use(&self, id: &str) {
        self.snapshot.clear();
        self.snapshot.get_or_create(&SnapshotLabels { id: id.to_owned() }).set(1);
    }

    /// All metrics as text, with gauges set to these values.
    pub fn text(&self, seen: &Gauges) -> String {
        self.scraped.set(seen);
        let mut text = String::new();
        // Writing into a String fails only if a collector does, and these collectors do not fail.
        if prometheus_client::encoding::text::encode(&mut text, &self.registry).is_err() {
            let _ = write!(text, "# incomplete");
        }
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory and file descriptors of this process. A value that the system does not report is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Process {
    /// Resident memory, in bytes.
    pub resident_bytes: u64,
    /// Open file descriptors.
    pub open_files: u64,
    /// Maximum number of open file descriptors.
    pub open_files_max: u64,
}

impl Process {
    /// Reads the current values from the system.
    pub fn look() -> Self {
        let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
        Self {
            resident_bytes: pages * page_size() as u64,
            open_files: fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64),
            open_files_max: getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
        }
    }
}

/// Raises the soft limit of open files to the hard limit, and returns the limit that is then in force.
pub fn raise_open_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    // If the system refuses, the limit is unchanged.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_was_counted() {
        let metrics = Metrics::new();
        metrics.request(Some("/v1/x"), 200, Duration::from_micros(70));
        metrics.request(None, 404, Duration::from_micros(7));
        metrics.snapshot_in_use("a");
        metrics.snapshot_in_use("b");
        metrics.refused(ConnectionRefusal::Address);
        metrics.payment(None, "refused");
        let lost = LogLosses { unread: 3, unwritten: 0 };
        metrics.expect_requests(Some("/v1/y"));
        metrics.expect_snapshot_refusals(["unsound", "changed"]);
        metrics.snapshot_refused("changed");
        let text = metrics.text(&Gauges { log: lost, ..Gauges::default() });
        for line in [
            "pricebook_requests_total{route=\"/v1/x\",status=\"200\"} 1",
            "pricebook_requests_total{route=\"none\",status=\"404\"} 1",
            "pricebook_snapshot{id=\"b\"} 1",
            "pricebook_connections_refused_total{reason=\"address\"} 1",
            "pricebook_payments_total{rail=\"none\",outcome=\"refused\"} 1",
            "pricebook_log_lines_lost{reason=\"unread\"} 3",
            "pricebook_requests_total{route=\"/v1/y\",status=\"500\"} 0",
            "pricebook_snapshot_refusals_total{reason=\"unsound\"} 0",
            "pricebook_snapshot_refusals_total{reason=\"changed\"} 1",
        ] {
            assert!(text.lines().any(|written| written == line), "{line}: {text}");
        }
        assert!(!text.contains("id=\"a\""), "{text}");
    }

    #[test]
    fn a_process_has_memory_and_files() {
        let process = Process::look();
        assert!(process.resident_bytes > 1 << 20, "{process:?}");
        assert!((3..=process.open_files_max).contains(&process.open_files), "{process:?}");
    }
}
