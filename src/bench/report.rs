//! The report of a bench: a table for people, and all data as JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Serialize;

use super::compare::{Comparison, Ratios};
use super::machine::Machine;
use super::paid::Payments;
use super::probe::Answers;
use super::record::{Latency, Measured, Side};
use super::schedule::Arrivals;
use crate::payment::core::prices::usd;
use crate::types::Instant;

/// The snapshot of a bench.
#[derive(Debug, Clone, Serialize)]
pub struct SnapshotFacts {
    /// Id of the snapshot.
    pub id: String,
    /// Number of listings.
    pub listings: u64,
    /// Number of observations.
    pub observations: u64,
}

/// Options of a bench. The options that determine a run are serialized into the report.
#[derive(Debug, Clone, Serialize)]
pub struct BenchOptions {
    /// Directory of the snapshot, or a snapshots directory whose current snapshot is used.
    #[serde(skip)]
    pub snapshot: PathBuf,
    /// Address of a running server; a server is started if it is `None`.
    pub target: Option<SocketAddr>,
    /// The only rate to measure, in requests per second; the knee is searched for if it is `None`.
    #[serde(skip)]
    pub rate: Option<f64>,
    /// File of the mix; the standard mix is used if it is `None`.
    #[serde(skip)]
    pub mix: Option<PathBuf>,
    /// Name of the only route to request; all routes of the mix are requested if it is `None`.
    #[serde(skip)]
    pub only: Option<String>,
    /// Length of the warm-up of a run in seconds.
    pub warmup_seconds: f64,
    /// Measured time of a run in seconds.
    pub seconds: f64,
    /// Number of connections.
    pub connections: usize,
    /// Distribution of the times between requests.
    pub arrivals: Arrivals,
    /// Seed of requests and arrivals.
    pub seed: u64,
    /// Number of turns, each of which measures the server and the floor.
    #[serde(skip)]
    pub turns: usize,
    /// Whether the floor is measured.
    #[serde(skip)]
    pub floor: bool,
    /// Whether each request is paid, on a payment channel per connection.
    #[serde(skip)]
    pub paid: bool,
    /// Cores of the generator.
    pub cpus: Option<String>,
    /// Cores of the server and of the floor.
    pub server_cpus: Option<String>,
    /// Filter of the server's log.
    pub server_log: String,
    /// Path and query of an additional request that is sent at the same time as the others, and its rate per second.
    pub beside: Option<(String, f64)>,
    /// The command line, for the report.
    #[serde(skip)]
    pub command: Vec<String>,
}

/// Method of a measurement.
#[derive(Debug, Clone, Serialize)]
pub struct BenchMethod {
    /// The options that determine a run.
    #[serde(flatten)]
    pub options: BenchOptions,
    /// Number of distinct requests, which are sent in a cycle.
    pub requests: usize,
    /// Share of each route among the requests.
    pub mix: BTreeMap<&'static str, f64>,
}

/// Report of a bench.
#[derive(Debug, Clone, Serialize)]
pub struct BenchReport {
    /// The command line.
    pub command: Vec<String>,
    /// Start time.
    pub date: Instant,
    /// Commit of the program.
    pub commit: String,
    /// Compilation profile: `release`, or `debug`, whose figures are meaningless.
    pub profile: &'static str,
    /// The machine.
    pub machine: Machine,
    /// The snapshot.
    pub snapshot: SnapshotFacts,
    /// Method of the measurement.
    pub method: BenchMethod,
    /// Lengths and statuses of the answers.
    pub answers: Answers,
    /// The payments, if each request was paid.
    pub payments: Option<Payments>,
    /// The measurements.
    #[serde(flatten)]
    pub comparison: Comparison,
}

/// The header line of the table of runs.
pub(super) const TABLE_HEAD: &str = "side           asked/s achieved/s     p50 µs     p90 µs     p99 µs\
    \u{20}  p99.9 µs     max µs        404     errors     lag µs";

/// The line of one run in the table.
pub(super) fn table_row(run: &Measured) -> String {
    let Latency { p50_us, p90_us, p99_us, p999_us, max_us, .. } = run.latency;
    let side = match run.side {
        Side::Server => "server",
        Side::Floor => "floor",
    };
    let mut line = format!("{side:<11}{:>11.0}{:>11.0}", run.asked, run.achieved);
    for latency in [p50_us, p90_us, p99_us, p999_us, max_us] {
        // Writing into a String cannot fail.
        let _ = write!(line, "{latency:>11.1}");
    }
    let (not_found, lag) = (run.statuses.get(&404).unwrap_or(&0), run.generator_lag_p99_us);
    let _ = write!(line, "{not_found:>11}{:>11}{lag:>11.1}", run.errors());
    if let Some(beside) = run.beside {
        let _ = write!(line, "  beside: p50 {:.0} µs, p99 {:.0} µs", beside.p50_us, beside.p99_us);
    }
    line
}

/// The summary of the printed report. The table of runs is printed earlier, each line at the end of its run.
impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.digits$}"))
        };
        let Comparison { server_knee, floor_knee, ratios, turns, runs } = &self.comparison;
        writeln!(f)?;
        if let Some(run) = runs.iter().rfind(|run| run.side == Side::Server && run.routes.len() > 1) {
            writeln!(f, "by route, at {:.0}/s:", run.asked)?;
            for (route, latency) in &run.routes {
                let Latency { p50_us, p99_us, count, .. } = latency;
                writeln!(f, "  {route:<24} {count:>8} requests, p50 {p50_us:>9.1} µs, p99 {p99_us:>9.1} µs")?;
            }
        }
        writeln!(f, "answers: mean {} bytes, statuses {:?}", self.answers.mean_bytes, self.answers.statuses)?;
        if let Some(Payments { count, atomic }) = self.payments {
            writeln!(f, "ledger: {count} payments, {} USD", usd(atomic))?;
        }
        writeln!(f, "knee: server {}/s, floor {}/s", of(*server_knee, 0), of(*floor_knee, 0))?;
        let Ratios { throughput, p99, p99_same_rate } = *ratios;
        writeln!(f, "server over floor, median of {} turns:", turns.len())?;
        writeln!(f, "  throughput at the knee              {}", of(throughput, 3))?;
        writeln!(f, "  p99, each at half of its own knee   {}", of(p99, 2))?;
        writeln!(f, "  p99 at the same rate                {}", of(p99_same_rate, 2))?;
        let Machine { cpu, cores, .. } = &self.machine;
        writeln!(f, "commit {}, {cpu}, {cores} cores, snapshot {}", self.commit, self.snapshot.id)?;
        if self.profile == "debug" {
            writeln!(f, "DEBUG BUILD: these figures are meaningless; build with --release")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_wide_as_its_head() {
        let run = Measured::of_toy(Side::Server, 20_000.0, 19_999.6, 123.45);
        let (head, line) = (TABLE_HEAD, table_row(&run));
        assert_eq!(head.chars().count(), line.chars().count());
        assert!(line.starts_with("server") && line.contains("20000") && line.contains("123.5"), "{line}");
    }

    #[test]
    fn counts_late_answers_but_not_404s_as_errors() {
        assert_eq!(Measured::of_toy(Side::Floor, 1.0, 1.0, 1.0).errors(), 4 + 8 + 16);
    }
}
