//! What the operator reads: one log event per request, and counters for Prometheus.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tracing_subscriber::EnvFilter;

/// The filter of the log without `PRICEBOOK_LOG`.
const LOG_FILTER: &str = "info";

/// Upper bounds of the latency histogram, in seconds.
const LATENCY_SECONDS: [f64; 13] =
    [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/// The route label of a path that no route has.
const NO_ROUTE: &str = "none";

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines to read.
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts the log on standard error. `PRICEBOOK_LOG` filters it, as in `warn` or `info,pricebook::access=off`.
pub fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_env("PRICEBOOK_LOG").unwrap_or_else(|_| EnvFilter::new(LOG_FILTER));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    // A second start, as in tests, changes nothing.
    let _ = match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current().name().unwrap_or_default().to_owned();
        tracing::error!(place, thread, "{}", panic.payload_as_str().unwrap_or("a panic without words"));
    }));
}

/// Counters of a running server.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    latency: Family<RouteLabels, Histogram>,
    snapshot: Family<SnapshotLabels, Gauge>,
    payments: Family<PaymentLabels, Counter>,
    /// Snapshots put in use after the first.
    pub swaps: Counter,
    /// Snapshots that were refused.
    pub refusals: Counter,
    /// Heavy requests that found every place taken.
    pub admission_rejects: Counter,
    /// Requests that panicked.
    pub panics: Counter,
    /// Age of the newest observation, in seconds, when last looked at.
    pub freshness: Gauge<f64, AtomicU64>,
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
struct PaymentLabels {
    outcome: &'static str,
}

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("pricebook"),
            requests: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(LATENCY_SECONDS)),
            snapshot: Family::default(),
            payments: Family::default(),
            swaps: Counter::default(),
            refusals: Counter::default(),
            admission_rejects: Counter::default(),
            panics: Counter::default(),
            freshness: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("requests", "Requests answered", metrics.requests.clone());
        registry.register(
            "request_seconds",
            "Time from a request's head to its answer",
            metrics.latency.clone(),
        );
        registry.register("payments", "Payments presented, by what they came to", metrics.payments.clone());
        registry.register("snapshot", "The snapshot in use", metrics.snapshot.clone());
        registry.register("snapshot_swaps", "Snapshots put in use after the first", metrics.swaps.clone());
        registry.register("snapshot_refusals", "Snapshots refused", metrics.refusals.clone());
        registry.register("admission_rejects", "Heavy requests refused", metrics.admission_rejects.clone());
        registry.register("request_panics", "Requests that panicked", metrics.panics.clone());
        registry.register("freshness_seconds", "Age of the newest observation", metrics.freshness.clone());
        metrics
    }

    /// Counts a payment that was presented, by what it came to.
    pub fn payment(&self, outcome: &'static str) {
        self.payments.get_or_create(&PaymentLabels { outcome }).inc();
    }

    /// Counts a request; `route` is `None` for a path that no route has.
    pub fn request(&self, route: Option<&'static str>, status: u16, time: Duration) {
        let route = route.unwrap_or(NO_ROUTE);
        self.requests.get_or_create(&RequestLabels { route, status }).inc();
        self.latency.get_or_create(&RouteLabels { route }).observe(time.as_secs_f64());
    }

    /// Names the snapshot in use.
    pub fn snapshot_in_use(&self, id: &str) {
        self.snapshot.clear();
        self.snapshot.get_or_create(&SnapshotLabels { id: id.to_owned() }).set(1);
    }

    /// All counters in the text format of `OpenMetrics`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a String fails only if a collector does, and none of these does.
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
        let text = metrics.text();
        assert!(text.contains("pricebook_requests_total{route=\"/v1/x\",status=\"200\"} 1"), "{text}");
        assert!(text.contains("pricebook_requests_total{route=\"none\",status=\"404\"} 1"), "{text}");
        assert!(text.contains("pricebook_snapshot{id=\"b\"} 1") && !text.contains("id=\"a\""), "{text}");
    }
}
