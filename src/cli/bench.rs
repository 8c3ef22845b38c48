//! `pricebook bench`, and `pricebook floor`: the minimal server with which bench compares a server.

use std::fs;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Args;

use super::say;
use crate::bench::schedule::Arrivals;
use crate::bench::{self, BenchOptions, floor};

/// Default number of connections.
const CONNECTIONS: u16 = 64;
/// Default number of connections with `--paid`, where each connection has a payment channel.
const PAID_CONNECTIONS: u16 = 16;

/// Maximum length of the floor's answer, in bytes. The whole answer is in memory.
const FLOOR_BYTES_MAX: i64 = 1 << 30;

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Snapshot, or directory of snapshots, to draw requests from and to serve.
    #[arg(long, value_name = "DIR")]
    snapshot: PathBuf,
    /// URL of a running server that serves the same snapshot, as in http://127.0.0.1:8080 [default: a server is
    /// started].
    #[arg(long, value_name = "URL", value_parser = target)]
    target: Option<SocketAddr>,
    /// Requests per second [default: the rate grows until the server no longer keeps up].
    #[arg(long, value_parser = positive)]
    rate: Option<f64>,
    /// TOML file with weights of routes (best-price = 40) and, in the table `queries`, your own requests.
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    mix: Option<PathBuf>,
    /// Pays for each request on a payment channel.
    ///
    /// Every connection has a payment channel. One voucher per request is signed before the measurement. The server
    /// keeps its ledger on disk. The floor is not measured.
    #[arg(long, conflicts_with_all = ["target", "alternate", "beside"])]
    paid: bool,
    /// The only route to send requests to, named by the last segment of its path.
    #[arg(long, value_name = "ROUTE")]
    only: Option<String>,
    /// Measured time of a run, in seconds.
    #[arg(long, default_value = "5", value_parser = positive)]
    seconds: f64,
    /// Warm-up before the measured time, in seconds.
    #[arg(long, default_value = "1", value_parser = positive)]
    warmup: f64,
    /// Number of connections, each with one request in flight [default: 64, or 16 with --paid].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: Option<u16>,
    /// Distribution of the times between requests.
    #[arg(long, value_enum, default_value = "constant")]
    arrivals: Arrivals,
    /// Seed of the random choice of requests and of their times.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of turns; each turn measures the server and the floor, and ratios are medians over the turns.
    #[arg(long, default_value_t = 1, value_name = "TURNS", value_parser = clap::value_parser!(u8).range(1..))]
    alternate: u8,
    /// Does not measure the floor, which is the same server loop with a constant answer.
    #[arg(long)]
    no_floor: bool,
    /// CPU cores for this process, which busy-waits between requests; needs taskset.
    #[arg(long, value_name = "LIST")]
    cpus: Option<String>,
    /// CPU cores for the servers that are started; needs taskset.
    #[arg(long, value_name = "LIST")]
    server_cpus: Option<String>,
    /// Log filter of the server that is started; info logs every request.
    #[arg(long, default_value = "warn", value_name = "FILTER")]
    server_log: String,
    /// Path and query of an additional request that is repeated during the measurement and counted separately.
    #[arg(long, value_name = "TARGET")]
    beside: Option<String>,
    /// Requests per second of --beside.
    #[arg(long, default_value = "10", value_name = "RATE", requires = "beside", value_parser = positive)]
    beside_rate: f64,
    /// File to write the whole report to, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct FloorArgs {
    /// Length of the answer, in bytes.
    #[arg(long, value_parser = clap::value_parser!(u32).range(..=FLOOR_BYTES_MAX))]
    bytes: u32,
    /// Address to listen on.
    #[arg(long, value_name = "ADDR")]
    listen: SocketAddr,
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("must be above 0".to_owned()) }
}

fn target(text: &str) -> Result<SocketAddr, String> {
    let authority = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
    let mut found =
        authority.to_socket_addrs().map_err(|_| "give host and port, as in http://127.0.0.1:8080")?;
    found.next().ok_or_else(|| format!("{authority} has no address"))
}

pub(super) fn bench(args: BenchArgs) -> anyhow::Result<()> {
    let json = args.json.clone();
    // If the report cannot be written, the command fails before the measurement.
    if let Some(path) = &json {
        fs::write(path, "").with_context(|| format!("{} cannot be written", path.display()))?;
    }
    let report = bench::run(&options(args)?)?;
    say(&report)?;
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&report)?;
        fs::write(&path, text + "\n").with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn options(args: BenchArgs) -> anyhow::Result<BenchOptions> {
    let own = args.target.is_none();
    ensure!(
        own || args.server_cpus.is_none() || !args.no_floor,
        "--server-cpus applies only to servers that this command starts; omit it, or start the server under taskset"
    );
    let beside_rate = args.beside_rate;
    Ok(BenchOptions {
        snapshot: args.snapshot,
        target: args.target,
        rate: args.rate,
        mix: args.mix,
        only: args.only,
        seconds: args.seconds,
        warmup_seconds: args.warmup,
        connections: usize::from(args.connections.unwrap_or(if args.paid {
            PAID_CONNECTIONS
        } else {
            CONNECTIONS
        })),
        arrivals: args.arrivals,
        seed: args.seed,
        turns: usize::from(args.alternate),
        floor: !args.no_floor && !args.paid,
        paid: args.paid,
        cpus: args.cpus,
        server_cpus: args.server_cpus,
        server_log: args.server_log,
        beside: args.beside.map(|target| (target, beside_rate)),
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
    })
}

pub(super) fn serve_floor(args: &FloorArgs) -> anyhow::Result<()> {
    floor::run(args.bytes as usize, args.listen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_host_and_a_port() {
        let address: SocketAddr = "127.0.0.1:8080".parse().expect("an address");
        for text in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "127.0.0.1:8080"] {
            assert_eq!(target(text), Ok(address));
        }
        assert!(target("http://127.0.0.1").is_err_and(|error| error.contains("host and port")));
        assert!(positive("0").is_err() && positive("nan").is_err() && positive("inf").is_err());
    }
}
