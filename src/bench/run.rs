//! A bench from its options to its report.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};

use super::child::{self, Server};
use super::client::{self, Jobs, Seen, Stream};
use super::compare::{Criterion, Measure, compare};
use super::machine::{self, Machine};
use super::measured::{Measured, Side};
use super::mix::Mix;
use super::paid::{PaidServer, Priced};
use super::probe::Job;
use super::report::{Answers, BenchMethod, BenchReport, Payments, SnapshotFacts, table_head, table_row};
use super::routes::name;
use super::sample::{Request, Sampler};
use super::schedule::{Arrivals, Plan, SECOND_NS};
use super::{pin, probe};
use crate::catalog::Catalog;
use crate::endpoints;
use crate::payment::core::prices::Prices;
use crate::query::endpoint::Route;
use crate::snapshot::publish;

/// Different requests that are drawn; they are sent round and round.
const REQUESTS: usize = 1 << 16;
/// Of these, how many are looked at beforehand for the size of their answers.
const LOOKS: usize = 2_000;
/// Rate of the lowest rung, in requests per second.
const START_RATE: f64 = 500.0;

/// The server that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// One that is started for it.
    Own,
    /// One that runs already.
    Running(SocketAddr),
}

/// What to measure, and how.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    /// The snapshot, or a directory of snapshots, of which the current one is meant.
    pub snapshot: PathBuf,
    /// The server.
    pub target: Target,
    /// One rate; the knee is looked for without it.
    pub rate: Option<f64>,
    /// The mix; the standard one without it.
    pub mix: Option<PathBuf>,
    /// One route alone.
    pub only: Option<String>,
    /// Length of what is counted of a run in seconds.
    pub seconds: f64,
    /// Length of its warm-up in seconds.
    pub warmup: f64,
    /// Connections.
    pub connections: usize,
    /// How requests follow each other.
    pub arrivals: Arrivals,
    /// Seed of requests and arrivals.
    pub seed: u64,
    /// Turns of server and floor.
    pub turns: usize,
    /// Whether the floor is measured.
    pub floor: bool,
    /// Whether each request is paid, on a payment channel per connection.
    pub paid: bool,
    /// Cores of the generator.
    pub cpus: Option<String>,
    /// Cores of the server and of the floor.
    pub server_cpus: Option<String>,
    /// Filter of the server's log.
    pub server_log: String,
    /// Path and query that are sent beside, with their rate.
    pub beside: Option<(String, f64)>,
    /// The command line, for the report.
    pub command: Vec<String>,
}

/// Measures, printing each run as it is made.
///
/// # Errors
/// When the snapshot does not open, the options cannot be, or a server cannot be reached.
pub fn run(options: &BenchOptions) -> anyhow::Result<BenchReport> {
    let (date, machine) = (machine::now(), Machine::here());
    let routes = endpoints::routes();
    let path = publish::named(&options.snapshot)
        .with_context(|| format!("{} cannot be read", options.snapshot.display()))?;
    let Drawn { requests, snapshot, priced } = draw(&routes, options, &path)?;
    let cores = options.server_cpus.as_deref();
    let mut paid = None;
    if options.paid {
        let (log, connections) = (&options.server_log, options.connections);
        paid = Some(PaidServer::start(&path, cores, log, priced, connections)?);
    }
    let own = match options.target {
        Target::Own if paid.is_none() => Some(child::serve(&path, cores, &options.server_log)?),
        _ => None,
    };
    let address = match (&paid, &own, options.target) {
        (Some(server), ..) => server.address(),
        (None, Some(server), _) => server.address,
        (None, None, Target::Running(address)) => address,
        (None, None, Target::Own) => unreachable!("an own server was started"),
    };
    let jobs = jobs(&requests, address);
    let beside =
        options.beside.as_ref().map(|(target, _)| beside_job(&routes, target, address)).transpose()?;
    let bought =
        paid.as_mut().map(|paid| Ok::<_, anyhow::Error>(paid.sign(LOOKS)?.into_jobs())).transpose()?;
    let looked = bought.as_deref().unwrap_or(&jobs[..jobs.len().min(LOOKS)]);
    let look =
        probe::look(address, looked).with_context(|| format!("the server at {address} does not answer"))?;
    let floor = if options.floor { Some(child::floor(look.mean_bytes, cores)?) } else { None };
    let floor_jobs = floor.as_ref().map(|floor: &Server| self::jobs(&requests, floor.address));
    // The servers are started before, as a child inherits the cores of its parent.
    options.cpus.as_deref().map_or(Ok(()), pin::this_process)?;
    let mut bench = Bench { options, routes: &routes, address, jobs, floor, floor_jobs, beside, paid };
    print(&table_head())?;
    let wanted = options.rate.map_or(Criterion::Knee { start: START_RATE }, Criterion::Rate);
    let all = compare(&mut bench, wanted, options.turns, options.floor)?;
    let payments = bench.paid.as_ref().map(PaidServer::taken).transpose()?;
    let payments = payments.map(|(count, atomic)| Payments { count, atomic });
    let (server_knee, floor_knee, ratios) = (all.server_knee(), all.floor_knee(), all.ratios());
    Ok(BenchReport {
        command: options.command.clone(),
        date,
        commit: machine::commit(),
        profile: machine::profile(),
        machine,
        snapshot,
        method: method(options, &routes, &requests),
        answers: Answers { mean_bytes: look.mean_bytes, statuses: look.statuses },
        payments,
        server_knee,
        floor_knee,
        ratios,
        turns: all.turns,
        runs: all.runs,
    })
}

/// Prints a line; a reader that has had enough is an error and no panic.
fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// What is drawn from a snapshot.
struct Drawn {
    requests: Vec<Request>,
    snapshot: SnapshotFacts,
    /// Those of the requests that can be bought, with what they cost.
    priced: Vec<Priced>,
}

/// Draws the requests. The catalog is closed again before anything is measured.
fn draw(routes: &[Route], options: &BenchOptions, path: &Path) -> anyhow::Result<Drawn> {
    let catalog = Arc::new(Catalog::open(path)?);
    let mix = match (&options.only, &options.mix) {
        (Some(name), _) => Mix::only(routes, name)?,
        (None, Some(file)) => Mix::read(routes, file)?,
        (None, None) => Mix::standard(routes, catalog.classification.is_some())?,
    };
    let sampler = Sampler::new(&catalog, options.seed)?;
    let requests = sampler.requests(routes, &mix, options.seed, REQUESTS)?;
    let counts = catalog.manifest().counts;
    let facts = SnapshotFacts {
        id: catalog.id().to_owned(),
        listings: counts.listings,
        observations: counts.observations,
    };
    let priced = if options.paid { priced(routes, &requests, &catalog) } else { Vec::new() };
    Ok(Drawn { requests, snapshot: facts, priced })
}

/// The requests that are answered for money. What is not found costs nothing, and what is free has no voucher.
fn priced(routes: &[Route], requests: &[Request], catalog: &Arc<Catalog>) -> Vec<Priced> {
    let price = |request: &Request| {
        let query = request.target.split_once('?').map_or("", |(_, query)| query);
        let parsed = routes[request.route].parse(query, catalog.as_of()).ok()?;
        let price = Prices::DEFAULT.of(parsed.price);
        let is_answered = price > 0 && parsed.resolve(catalog).is_ok();
        is_answered.then(|| Priced { request: request.clone(), price })
    };
    requests.iter().filter_map(price).collect()
}

fn jobs(requests: &[Request], address: SocketAddr) -> Vec<Job> {
    let job =
        |request: &Request| Job { route: request.route, bytes: probe::request(&request.target, address) };
    requests.iter().map(job).collect()
}

fn beside_job(routes: &[Route], target: &str, address: SocketAddr) -> anyhow::Result<Job> {
    let path = target.split('?').next().unwrap_or(target);
    let route = routes.iter().position(|route| route.path == path);
    let route =
        route.with_context(|| format!("--beside names {path}, which is no route; give path and query"))?;
    Ok(Job { route, bytes: probe::request(target, address) })
}

fn method(options: &BenchOptions, routes: &[Route], requests: &[Request]) -> BenchMethod {
    let mut mix = BTreeMap::new();
    for request in requests {
        *mix.entry(name(routes[request.route].path)).or_insert(0.0) += 1.0 / requests.len() as f64;
    }
    BenchMethod {
        target: match options.target {
            Target::Own => None,
            Target::Running(address) => Some(address.to_string()),
        },
        warmup_seconds: options.warmup,
        seconds: options.seconds,
        connections: options.connections,
        arrivals: options.arrivals,
        seed: options.seed,
        requests: requests.len(),
        cpus: options.cpus.clone(),
        server_cpus: options.server_cpus.clone(),
        server_log: options.server_log.clone(),
        mix,
        beside: options.beside.clone(),
    }
}

/// Both sides, ready to be measured.
struct Bench<'a> {
    options: &'a BenchOptions,
    routes: &'a [Route],
    address: SocketAddr,
    jobs: Vec<Job>,
    floor: Option<Server>,
    floor_jobs: Option<Vec<Job>>,
    beside: Option<Job>,
    paid: Option<PaidServer>,
}

impl Bench<'_> {
    fn plan(&self, rate: f64) -> Plan {
        let nanos = |seconds: f64| (seconds * SECOND_NS as f64) as u64;
        let BenchOptions { arrivals, seed, .. } = *self.options;
        let (warmup_ns, measured_ns) = (nanos(self.options.warmup), nanos(self.options.seconds));
        Plan { rate, arrivals, warmup_ns, measured_ns, seed }
    }
}

impl Measure for Bench<'_> {
    fn measure(&mut self, side: Side, rate: f64) -> anyhow::Result<Measured> {
        ensure!(rate > 0.0, "nothing is asked for at a rate of {rate}; name a --rate above 0");
        let (address, jobs) = match (side, &self.floor, &self.floor_jobs) {
            (Side::Floor, Some(floor), Some(jobs)) => (floor.address, jobs),
            _ => (self.address, &self.jobs),
        };
        let plan = self.plan(rate);
        let rate_beside = self.options.beside.as_ref().map_or(1.0, |&(_, rate)| rate);
        let lines = match &mut self.paid {
            Some(paid) => Some(paid.sign(plan.times().count())?),
            None => None,
        };
        let jobs = lines.as_ref().map_or(Jobs::Round(jobs), Jobs::Lines);
        let beside = self.beside.as_ref().filter(|_| side == Side::Server).map(|job| Stream {
            jobs: Jobs::Round(std::slice::from_ref(job)),
            plan: Plan { rate: rate_beside, arrivals: Arrivals::Constant, ..plan },
        });
        let seen = client::send(address, Stream { jobs, plan }, beside, self.options.connections)
            .with_context(|| {
                format!("the server at {address} does not take {} connections", self.options.connections)
            })?;
        let run = measured(self.routes, side, &plan, &seen, beside.is_some());
        print(&table_row(&run))?;
        Ok(run)
    }
}

fn measured(routes: &[Route], side: Side, plan: &Plan, seen: &Seen, has_beside: bool) -> Measured {
    let record = &seen.record;
    Measured {
        side,
        asked: plan.rate,
        achieved: seen.completed as f64 * SECOND_NS as f64 / plan.measured_ns as f64,
        latency: record.latency(),
        routes: record.routes().map(|(route, latency)| (name(routes[route].path), latency)).collect(),
        statuses: record.statuses().clone(),
        broken: record.broken(),
        late: record.late(),
        generator_lag_p99_us: seen.lag_p99_us,
        beside: has_beside.then(|| seen.beside.latency()),
    }
}
