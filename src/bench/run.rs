//! Runs a bench with given options, and returns its report.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::child::{self, Server};
use super::client::{self, Jobs, RunOutcome, Stream};
use super::compare::compare;
use super::machine::{self, Machine};
use super::mix::{Mix, Request};
use super::paid::{PaidServer, Priced};
use super::probe::{self, Job};
use super::record::{Measured, Side};
use super::report::{BenchMethod, BenchOptions, BenchReport, SnapshotFacts, TABLE_HEAD, table_row};
use super::sample::Sampler;
use super::schedule::{Arrivals, Plan, SECOND_NS};
use crate::catalog::Catalog;
use crate::endpoints;
use crate::payment::core::prices::Prices;
use crate::query::endpoint::Route;
use crate::snapshot::publish;

/// Number of distinct requests that are drawn. They are sent in a cycle.
const REQUESTS: usize = 1 << 16;
/// Number of requests that are sent in advance to measure their answers, without and with payments.
const LOOKS: usize = 2_000;
const PAID_LOOKS: usize = 200;
/// Runs a bench, and prints each run as it is made.
///
/// # Errors
/// Returns an error if the snapshot cannot be opened, the options are invalid, or a server cannot be reached.
pub fn run(options: &BenchOptions) -> anyhow::Result<BenchReport> {
    let (date, machine) = (machine::now(), Machine::here());
    let routes = endpoints::routes();
    let path = publish::named(&options.snapshot)
        .with_context(|| format!("{} cannot be read", options.snapshot.display()))?;
    let DrawnRequests { requests, snapshot, priced } = draw(&routes, options, &path)?;
    let cores = options.server_cpus.as_deref();
    let log = &options.server_log;
    let start_paid = || PaidServer::start(&path, cores, log, priced, options.connections);
    let mut paid = options.paid.then(start_paid).transpose()?;
    let own = match options.target {
        None if paid.is_none() => Some(child::serve(&path, cores, log)?),
        _ => None,
    };
    let started = paid.as_ref().map(PaidServer::address).or(own.as_ref().map(|server| server.address));
    let address = options.target.or(started).context("no server was started")?;
    let jobs: Vec<Job> =
        requests.iter().map(|request| Job::get(request.route, &request.target, address)).collect();
    let beside =
        options.beside.as_ref().map(|(target, _)| beside_job(&routes, target, address)).transpose()?;
    let bought =
        paid.as_mut().map(|paid| Ok::<_, anyhow::Error>(paid.sign(PAID_LOOKS)?.into_jobs())).transpose()?;
    let looked = bought.as_deref().unwrap_or(&jobs[..jobs.len().min(LOOKS)]);
    let answers = probe::answers(address, looked)
        .with_context(|| format!("the server at {address} does not answer"))?;
    let floor = if options.floor { Some(child::floor(answers.mean_bytes, cores)?) } else { None };
    // This process is pinned after the servers are started, because a child inherits the cores of its parent.
    options.cpus.as_deref().map_or(Ok(()), child::this_process)?;
    let mut bench = Bench { options, routes: &routes, address, jobs, floor, beside, paid };
    print(TABLE_HEAD)?;
    let comparison =
        compare(|side, rate| bench.measure(side, rate), options.rate, options.turns, options.floor)?;
    Ok(BenchReport {
        command: options.command.clone(),
        date,
        commit: machine::commit(),
        profile: machine::profile(),
        machine,
        snapshot,
        method: BenchMethod {
            options: options.clone(),
            requests: requests.len(),
            mix: shares(&routes, &requests),
        },
        answers,
        payments: bench.paid.as_ref().map(PaidServer::taken).transpose()?,
        comparison,
    })
}

/// Prints a line. A closed pipe is an error instead of a panic.
fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// Requests drawn from a snapshot.
struct DrawnRequests {
    requests: Vec<Request>,
    snapshot: SnapshotFacts,
    /// The requests that can be bought, with their prices.
    priced: Vec<Priced>,
}

/// Draws the requests. The catalog is closed before the measurement.
fn draw(routes: &[Route], options: &BenchOptions, path: &Path) -> anyhow::Result<DrawnRequests> {
    let catalog = Arc::new(Catalog::open(path)?);
    let mix = match (&options.only, &options.mix) {
        (Some(name), _) => Mix::only(routes, name)?,
        (None, Some(file)) => Mix::read(routes, file)?,
        (None, None) => Mix::standard(routes, catalog.classification.is_some())?,
    };
    let sampler = Sampler::new(&catalog, options.seed)?;
    let requests = mix.requests(&sampler, routes, options.seed, REQUESTS)?;
    let counts = catalog.manifest().counts;
    let facts = SnapshotFacts {
        id: catalog.id().to_owned(),
        listings: counts.listings,
        observations: counts.observations,
    };
    let priced = if options.paid { priced(routes, &requests, &catalog) } else { Vec::new() };
    Ok(DrawnRequests { requests, snapshot: facts, priced })
}

/// The requests that have a price. Free requests, and requests that would be refused, are left out.
fn priced(routes: &[Route], requests: &[Request], catalog: &Arc<Catalog>) -> Vec<Priced> {
    let price = |request: &Request| {
        let query = request.target.split_once('?').map_or("", |(_, query)| query);
        let parsed = routes[request.route].parse(query, catalog.as_of()).ok()?;
        let class = parsed.price;
        let batch = parsed.resolve(catalog).ok()?.batch_price();
        let price = Prices::DEFAULT.of(batch.unwrap_or(class));
        (price > 0).then(|| Priced { request: request.clone(), price })
    };
    requests.iter().filter_map(price).collect()
}

fn beside_job(routes: &[Route], target: &str, address: SocketAddr) -> anyhow::Result<Job> {
    let path = target.split('?').next().unwrap_or(target);
    let route = routes.iter().position(|route| route.path == path);
    let route = route
        .with_context(|| format!("{path} of --beside is not a route; give path and query of a route"))?;
    Ok(Job::get(route, target, address))
}

/// Share of each route among the requests.
fn shares(routes: &[Route], requests: &[Request]) -> BTreeMap<&'static str, f64> {
    let mut mix = BTreeMap::new();
    for request in requests {
        *mix.entry(routes[request.route].name()).or_insert(0.0) += 1.0 / requests.len() as f64;
    }
    mix
}

/// The server and the floor, ready to be measured.
struct Bench<'a> {
    options: &'a BenchOptions,
    routes: &'a [Route],
    address: SocketAddr,
    jobs: Vec<Job>,
    floor: Option<Server>,
    beside: Option<Job>,
    paid: Option<PaidServer>,
}

impl Bench<'_> {
    fn plan(&self, rate: f64) -> Plan {
        let nanos = |seconds: f64| (seconds * SECOND_NS as f64) as u64;
        let BenchOptions { arrivals, seed, .. } = *self.options;
        let (warmup_ns, measured_ns) = (nanos(self.options.warmup_seconds), nanos(self.options.seconds));
        Plan { rate, arrivals, warmup_ns, measured_ns, seed }
    }

    /// Runs a side at a rate, and prints the run.
    fn measure(&mut self, side: Side, rate: f64) -> anyhow::Result<Measured> {
        let address = match (side, &self.floor) {
            (Side::Floor, Some(floor)) => floor.address,
            _ => self.address,
        };
        let plan = self.plan(rate);
        let rate_beside = self.options.beside.as_ref().map_or(1.0, |&(_, rate)| rate);
        let lines = match &mut self.paid {
            Some(paid) => Some(paid.sign(plan.times().count())?),
            None => None,
        };
        let jobs = lines.as_ref().map_or(Jobs::Round(&self.jobs), Jobs::Lines);
        let beside = self.beside.as_ref().filter(|_| side == Side::Server).map(|job| Stream {
            jobs: Jobs::Round(std::slice::from_ref(job)),
            plan: Plan { rate: rate_beside, arrivals: Arrivals::Constant, ..plan },
        });
        let seen = client::send(address, Stream { jobs, plan }, beside, self.options.connections)
            .with_context(|| {
                format!("the server at {address} does not accept {} connections", self.options.connections)
            })?;
        let run = measured(self.routes, side, &plan, &seen, beside.is_some());
        print(&table_row(&run))?;
        Ok(run)
    }
}

fn measured(routes: &[Route], side: Side, plan: &Plan, seen: &RunOutcome, has_beside: bool) -> Measured {
    let record = &seen.record;
    Measured {
        side,
        asked: plan.rate,
        achieved: seen.completed as f64 * SECOND_NS as f64 / plan.measured_ns as f64,
        latency: record.latency(),
        routes: record.routes().map(|(route, latency)| (routes[route].name(), latency)).collect(),
        statuses: record.statuses.clone(),
        broken: record.broken,
        late: record.late,
        generator_lag_p99_us: seen.lag_p99_us,
        beside: has_beside.then(|| seen.beside.latency()),
    }
}
