//! State that all requests share: the route table, the catalog in use, the compute threads, the counters.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwapOption;
use hyper::body::Bytes;

use super::backlog::{Backlog, UnreadLimit, UnreadLimits};
use super::forwarded::Proxies;
use super::problem::Problem;
use super::quote;
use super::rate::{REQUESTS_PER_MINUTE, Rate};
use super::rejection::SnapshotRefusal;
use super::shared_bodies::Bodies;
use crate::catalog::{Catalog, CatalogHandle};
use crate::payment::Mode;
use crate::payment::core::gate::Gate;
use crate::payment::core::prices::Prices;
use crate::query::endpoint::Route;
use crate::query::representation::{self, Representation};
use crate::server::compute::{ClientKey, Compute, ComputePlace, HeavyRefusal, QUEUE_DEPTH_MAX};
use crate::server::telemetry::{AccessLog, Gauges, Metrics, Process, log_losses};
use crate::types::Instant;

/// Options of a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Payment mode.
    pub payments: Mode,
    /// Prices of requests. Quotes state them even if payments are off.
    pub prices: Prices,
    /// Requests per minute and client; `None` for no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Whether `requests_per_minute` applies to clients on loopback too.
    pub rate_loopback: bool,
    /// Number of compute threads.
    pub threads: usize,
    /// Maximum number of heavy requests that wait for a compute thread.
    pub queue_depth_max: usize,
    /// Limits of the bytes of answers that clients leave unread.
    pub unread: UnreadLimits,
    /// The trusted proxies.
    pub proxies: Proxies,
    /// The one host that requests may name; `None` for any host.
    pub host: Option<String>,
    /// Whether clients connect over TLS.
    pub tls: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            payments: Mode::Off,
            prices: Prices::DEFAULT,
            requests_per_minute: Some(REQUESTS_PER_MINUTE),
            rate_loopback: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            queue_depth_max: QUEUE_DEPTH_MAX,
            unread: UnreadLimits::default(),
            proxies: Proxies::default(),
            host: None,
            tls: false,
        }
    }
}

/// A document that is the same for every request.
pub(super) struct Page {
    pub(super) path: &'static str,
    pub(super) media_type: &'static str,
    pub(super) body: Bytes,
}

/// A catalog that was taken out of service.
struct Withdrawn {
    catalog: Weak<Catalog>,
    reason: String,
}

/// State that all requests share.
pub struct Shared {
    pub(crate) routes: Vec<Route>,
    pub(super) paths: matchit::Router<usize>,
    pub(super) pages: Vec<Page>,
    /// Available representations of answers. The default for clients without an `Accept` header comes first.
    pub(super) representations: Vec<&'static dyn Representation>,
    pub(super) catalog: CatalogHandle,
    pub(super) compute: Compute,
    pub(super) rate: Option<Rate>,
    pub(super) backlog: Arc<Backlog>,
    pub(super) bodies: Bodies,
    pub(super) proxies: Proxies,
    pub(super) host: Option<String>,
    pub(super) tls: bool,
    pub(super) access: AccessLog,
    pub(crate) payments: Mode,
    gate: OnceLock<Arc<Gate>>,
    pub(crate) prices: Prices,
    /// Counters of the running server.
    pub metrics: Metrics,
    withdrawn: ArcSwapOption<Withdrawn>,
    draining: AtomicBool,
    begun: u64,
    requests: AtomicU64,
}

impl Shared {
    /// Creates a server's state with its first catalog.
    ///
    /// # Errors
    /// Returns an error if two routes share a path, or if the system cannot start a thread.
    pub fn new(routes: Vec<Route>, catalog: Arc<Catalog>, options: &ServerOptions) -> anyhow::Result<Self> {
        let mut paths = matchit::Router::new();
        for (number, route) in routes.iter().enumerate() {
            paths.insert(route.path, number)?;
        }
        let metrics = Metrics::new();
        metrics.snapshot_in_use(catalog.id());
        metrics.expect_heavy_refusals(HeavyRefusal::ALL.map(HeavyRefusal::as_str));
        metrics.expect_unread_refusals(UnreadLimit::ALL.map(UnreadLimit::as_str));
        metrics.expect_snapshot_refusals(SnapshotRefusal::ALL.map(SnapshotRefusal::as_str));
        for route in &routes {
            // The columns are computed here once, instead of by the first request.
            let _ = route.columns();
        }
        for path in routes.iter().map(|route| route.path).chain([quote::PATH]) {
            metrics.expect_requests(Some(path));
        }
        Ok(Self {
            routes,
            paths,
            pages: Vec::new(),
            representations: representation::ALL.to_vec(),
            catalog: CatalogHandle::new(catalog),
            compute: Compute::start(options.threads, options.queue_depth_max)?,
            rate: options.requests_per_minute.map(|quota| Rate::new(quota, options.rate_loopback)),
            backlog: Arc::new(Backlog::new(options.unread, metrics.streams_reset.clone())),
            bodies: Bodies::default(),
            proxies: options.proxies.clone(),
            host: options.host.clone(),
            tls: options.tls,
            access: AccessLog::new(),
            payments: options.payments,
            gate: OnceLock::new(),
            prices: options.prices,
            metrics,
            withdrawn: ArcSwapOption::empty(),
            draining: AtomicBool::new(false),
            begun: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos() as u64),
            requests: AtomicU64::new(0),
        })
    }

    /// Serves `body` at `path`. The page is free, is the same for every request and is not part of the route table.
    #[must_use]
    pub fn with_page(mut self, path: &'static str, media_type: &'static str, body: Vec<u8>) -> Self {
        self.pages.push(Page { path, media_type, body: body.into() });
        self
    }

    /// Adds a representation of answers for clients that accept it.
    #[must_use]
    pub fn with_representation(mut self, representation: &'static dyn Representation) -> Self {
        self.representations.push(representation);
        self
    }

    /// Sets the gate, which takes the payments for paid routes. A server has one gate, so a second call has no effect.
    pub fn take_payments(&self, gate: Arc<Gate>) {
        self.metrics.watch(Arc::clone(&gate));
        let _ = self.gate.set(gate);
    }

    /// The gate that takes the payments for paid routes; `None` if payments are off or no gate is set yet.
    pub(super) fn gate(&self) -> Option<&Gate> {
        self.gate.get().map(Arc::as_ref)
    }

    /// The catalog in use.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.catalog.load()
    }

    /// Takes a catalog out of service because its files have changed since they were verified.
    pub(super) fn withdraw(&self, catalog: &Arc<Catalog>, reason: String) {
        self.metrics.snapshot_refused(SnapshotRefusal::Changed.as_str());
        self.withdrawn.store(Some(Arc::new(Withdrawn { catalog: Arc::downgrade(catalog), reason })));
    }

    /// The reason why a catalog is out of service; `None` while it is in service.
    pub fn withdrawn(&self, catalog: &Arc<Catalog>) -> Option<String> {
        let withdrawn = self.withdrawn.load();
        let withdrawn = withdrawn.as_ref().filter(|found| found.catalog.as_ptr() == Arc::as_ptr(catalog))?;
        Some(withdrawn.reason.clone())
    }

    /// The route at a path.
    pub fn route(&self, path: &str) -> Option<&Route> {
        self.paths.at(path).ok().map(|found| &self.routes[*found.value])
    }

    /// The representations of a route's answers, the default for clients without an `Accept` header first.
    pub(super) fn offered(&self, route: &Route) -> impl Iterator<Item = &'static dyn Representation> {
        self.representations.iter().copied().filter(|one| route.offers(*one))
    }

    /// 406: the client accepts none of the route's representations.
    pub(super) fn not_acceptable(&self, route: &Route) -> Problem {
        Problem::not_acceptable(self.offered(route).map(Representation::media_type).collect())
    }

    /// Whether a path is a route, a document or the quote path, as opposed to a page for people.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.route(path).is_some() || self.page(path).is_some() || path == quote::PATH
    }

    /// The page at a path.
    pub(super) fn page(&self, path: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.path == path)
    }

    /// A request id that is unique in this process and differs from ids of processes started at another time.
    pub(super) fn next_request_id(&self) -> String {
        format!("{:x}-{:x}", self.begun, self.requests.fetch_add(1, Ordering::Relaxed))
    }

    /// Announces that the server stops: `/readyz` returns 503 from now on.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    /// The reason why the server is not ready for requests; `None` if it is ready.
    pub fn unready(&self) -> Option<String> {
        if self.draining.load(Ordering::Acquire) {
            return Some("stopping".to_owned());
        }
        let catalog = self.catalog();
        if let Some(reason) = self.withdrawn(&catalog) {
            return Some(format!("snapshot {} is out of service: {reason}", catalog.id()));
        }
        if let Some(why) = self.gate().and_then(Gate::fault) {
            return Some(format!("no payment can be accepted: {why}"));
        }
        let can_be_paid = self.gate().is_some_and(|gate| !gate.rails().is_empty());
        (self.payments == Mode::Live && !can_be_paid)
            .then(|| "no payment can be accepted: no rail is up".to_owned())
    }

    /// Chooses the thread on which a request computes its answer, or refuses the request (503) if `catalog` is out of
    /// service or too many heavy requests wait.
    pub(super) fn admit(
        &self,
        heavy: bool,
        client: ClientKey,
        catalog: &Arc<Catalog>,
    ) -> Result<ComputePlace, Problem> {
        if self.withdrawn(catalog).is_some() {
            return Err(Problem::withdrawn());
        }
        self.compute.admit(heavy, client).map_err(|reason| self.overloaded(reason))
    }

    /// 503: a heavy request that was not computed.
    pub(super) fn overloaded(&self, reason: HeavyRefusal) -> Problem {
        self.metrics.heavy_refused(reason.as_str());
        Problem::overloaded()
    }

    /// The current values of the gauges.
    pub fn observe(&self) -> Gauges {
        let age_micros = now().micros().saturating_sub(self.catalog().newest().micros()).max(0);
        let (heavy_waiting, heavy_running) = self.compute.load();
        let process = Process::look();
        Gauges {
            freshness_seconds: age_micros as f64 / 1e6,
            heavy_waiting,
            heavy_running,
            unread: self.backlog.unread(),
            unlogged: self.access.unlogged(),
            log: log_losses(),
            process,
            is_ready: self.unready().is_none(),
        }
    }

    /// Periodic housekeeping outside of requests.
    pub(crate) fn tidy(&self) {
        if let Some(rate) = &self.rate {
            rate.forget_idle();
        }
    }
}

/// The current time of the wall clock.
pub(super) fn now() -> Instant {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::from_micros(age.as_micros() as i64)
}
