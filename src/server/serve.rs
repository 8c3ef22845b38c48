//! Start, run and stop of a server with a configuration.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::process::Signal as ProcessSignal;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::catalog::Catalog;
use crate::discovery::{LLMS_PATH, PageFacts, X402_PATH, llms_txt, x402_manifest};
use crate::endpoints;
use crate::index::demo::build_demo;
use crate::index::run::Built;
use crate::mcp::{McpHandler, McpServer};
use crate::openapi::{self, Terms};
use crate::payment::core::gate::Gate;
use crate::payment::protocols::x402::wallet::Wallet;
use crate::payment::settings::Settings;
use crate::payment::{self, Mode};
use crate::query::endpoint::Route;
use crate::server::accept_loop::{ConnectionLimits, End, Entrance, SHUTDOWN_GRACE, serve};
use crate::server::admin::Admin;
use crate::server::compute::give_way;
use crate::server::config::{ListenAddress, ServeConfig};
use crate::server::pages::Front;
use crate::server::preflight::{activate, rehearse};
use crate::server::respond::{JSON, TEXT};
use crate::server::sockets::listen_all;
use crate::server::swap::Swapper;
use crate::server::telemetry::{flush_log, raise_open_files};
use crate::server::tls::Tls;
use crate::server::{IntegrityMonitor, Shared, progress, quote};
use crate::snapshot::manifest::Verification;
use crate::snapshot::publish;
use crate::web::Website;

/// Time between two rounds of housekeeping.
const TIDY: Duration = Duration::from_mins(1);

/// Maximum time to wait for all rails before the first request is served. Connections wait in the listen queue
/// meanwhile.
const RAILS_WAIT: Duration = Duration::from_secs(2);

/// Maximum time for payments to be settled after the last connection has ended.
const SETTLING_GRACE: Duration = Duration::from_secs(20);

/// Maximum time to close the ledger. Closing moves the contents of the `-wal` file into the ledger file. This time is
/// longer than the time for which the ledger waits for its readers.
const CLOSING_GRACE: Duration = Duration::from_secs(10);

/// Maximum time for background tasks to end at the end of the process.
const RUNTIME_END: Duration = Duration::from_secs(1);

/// Maximum time from the signal to stop to the end of the process. A supervisor has to wait longer before it kills the
/// process.
pub const STOP_MAX: Duration =
    SHUTDOWN_GRACE.saturating_add(SETTLING_GRACE).saturating_add(CLOSING_GRACE).saturating_add(RUNTIME_END);

/// File descriptors that are reserved for the admin server, the ledger, snapshots and facilitators.
pub const FILES_RESERVED: usize = 256;

/// Maximum number of connections to the admin address.
const ADMIN_CONNECTIONS_MAX: usize = 64;

/// Signals that are ignored instead of ending the process. Tools that ask a server to reopen its log send them.
const MEANINGLESS_SIGNALS: [ProcessSignal; 2] = [ProcessSignal::USR1, ProcessSignal::USR2];

/// Runs the server until a signal to stop.
///
/// # Errors
/// Returns an error if the server cannot start, for example because no snapshot opens or an address is in use.
pub fn run(config: &ServeConfig) -> anyhow::Result<()> {
    // SIGHUP makes the swapper check `CURRENT`. Until the swapper runs, the signal is ignored.
    ignore(&[ProcessSignal::HUP])?;
    ignore(&MEANINGLESS_SIGNALS)?;
    // Rayon workers also have a lower priority than the threads that serve connections. An existing pool is left
    // unchanged.
    let _ = rayon::ThreadPoolBuilder::new().start_handler(|_| give_way()).build_global();
    let tls = config.tls.clone().map(Tls::open).transpose()?.map(Arc::new);
    let routes = endpoints::routes();
    let catalog = first_catalog(config, &routes)?;
    let terms = Terms::of(config.options.prices, config.payment.as_ref());
    let shared = Shared::new(routes, catalog, &config.options)?;
    let base = own_base(config);
    let shared = Arc::new(with_pages(shared, &base, &terms)?);
    let front = front(Arc::clone(&shared), &base, &terms)?;
    let swapper = Swapper::with_residence(config.snapshots.clone(), Arc::clone(&shared), config.residence)?;
    let wake = swapper.watch()?;
    IntegrityMonitor::of(&shared).watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("serve").build()?;
    let clients = {
        let _inside = runtime.enter();
        bind(&config.listen)?
    };
    // The admin server is started outside this runtime. If its address is in use, its own runtime is dropped, which
    // would panic inside another runtime.
    if let Some(admin) = &config.admin {
        serve_admin(admin, &shared)?;
    }
    let result = runtime.block_on(serve_until_told(config, clients, shared, front, tls, wake));
    runtime.shutdown_timeout(RUNTIME_END);
    result
}

/// Serves MCP on standard input and output until the client closes its end or a signal to stop arrives.
///
/// # Errors
/// Returns an error if the server cannot start, for example because no snapshot opens.
pub fn run_stdio(config: &ServeConfig) -> anyhow::Result<()> {
    ignore(&MEANINGLESS_SIGNALS)?;
    let routes = endpoints::routes();
    let catalog = first_catalog(config, &routes)?;
    let shared = Arc::new(Shared::new(routes, catalog, &config.options)?);
    // The swapper checks for new snapshots until `_wake` is dropped.
    let _wake =
        Swapper::with_residence(config.snapshots.clone(), Arc::clone(&shared), config.residence)?.watch()?;
    IntegrityMonitor::of(&shared).watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("mcp").build()?;
    let result = runtime.block_on(speak_until_told(config, &shared));
    runtime.shutdown_timeout(RUNTIME_END);
    result
}

/// Keeps these signals from ending the process.
fn ignore(signals: &[ProcessSignal]) -> io::Result<()> {
    for signal in signals {
        signal_hook::flag::register(signal.as_raw(), Arc::default())?;
    }
    Ok(())
}

async fn speak_until_told(config: &ServeConfig, shared: &Arc<Shared>) -> anyhow::Result<()> {
    let gate = match &config.payment {
        Some(payment) => Some(open_gate(&payment.clone().with_address(config.listen.foremost()), shared)?),
        None => None,
    };
    if let Some(gate) = &gate
        && tokio::time::timeout(RAILS_WAIT, gate.all_open()).await.is_err()
    {
        tracing::warn!("some rails have not answered yet; each is offered once it answers");
    }
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let server = McpServer::here(Arc::clone(shared))?;
    let conversation = async {
        let running = rmcp::serve_server(server, rmcp::transport::stdio()).await;
        let running = running.context("the client did not complete the MCP handshake")?;
        running.waiting().await?;
        anyhow::Ok(())
    };
    let result = tokio::select! {
        result = conversation => result,
        () = either(&mut interrupt, &mut terminate) => Ok(()),
    };
    shared.drain();
    if let Some(gate) = gate {
        end_payments(&gate).await;
    }
    result
}

/// Adds the documents that describe the server. `base` is the URL of the server for clients, or empty if the URL is not
/// known.
///
/// # Errors
/// Returns an error if a document cannot be encoded, which cannot happen with its types.
pub fn with_pages(shared: Shared, base: &str, terms: &Terms) -> anyhow::Result<Shared> {
    let facts = PageFacts { prices: &shared.prices, base };
    let document = openapi::compact(&shared.routes, terms)?;
    let page = llms_txt(&shared.routes, &facts).into_bytes();
    let manifest = x402_manifest(&shared.routes, &facts)?;
    let takes_payments = shared.payments != Mode::Off;
    let shared = shared.with_page(openapi::PATH, JSON, document).with_page(LLMS_PATH, TEXT, page);
    Ok(if takes_payments { shared.with_page(X402_PATH, JSON, manifest) } else { shared })
}

/// The handler of client requests: pages for people, tools for agents, routes for programs.
///
/// # Errors
/// Returns an error if the system provides no random bytes for the wallet of the pages, or if a description cannot be
/// encoded.
pub fn front(shared: Arc<Shared>, base: &str, terms: &Terms) -> anyhow::Result<Front<McpHandler>> {
    let document = openapi::compact(&shared.routes, terms)?;
    let is_sandbox = shared.payments == Mode::Sandbox;
    let wallet = is_sandbox
        .then(Wallet::generate)
        .transpose()
        .context("the wallet key of the pages cannot be generated")?;
    let page_source = Box::new(Website::new(&shared.routes, &document, base, wallet)?);
    let door = McpHandler::new(Arc::clone(&shared))?;
    Ok(Front::new(shared, page_source, door))
}

/// The URL of this server for clients; empty if it is not known before the server listens.
fn own_base(config: &ServeConfig) -> String {
    let known =
        |payment: &&Settings| payment.configured_host().is_some() || config.listen.foremost().port() != 0;
    let payment = config.payment.as_ref().filter(known);
    payment
        .map(|payment| payment.clone().with_address(config.listen.foremost()).public_base_url)
        .unwrap_or_default()
}

/// Opens the snapshot to serve and answers the examples of the routes from it. If there is no snapshot and
/// `builds_demo` is set, builds the demo snapshot first.
fn first_catalog(config: &ServeConfig, routes: &[Route]) -> anyhow::Result<Arc<Catalog>> {
    let ServeConfig { snapshots, verification, residence, .. } = config;
    let id = match publish::current(snapshots)? {
        Some(id) => id,
        None if config.builds_demo => {
            first_demo(snapshots, routes).context("the demo snapshot cannot be built")?
        }
        None => bail!(
            "{0} does not contain a snapshot ({1} does not exist); build one with: pricebook build --input DIR --out \
             {0}, or the demo snapshot with: pricebook build --demo --out {0}",
            snapshots.display(),
            snapshots.join(publish::CURRENT).display()
        ),
    };
    let began = Instant::now();
    let catalog = Arc::new(Catalog::open_after(&snapshots.join(&id), *verification, *residence)?);
    rehearse(routes, &catalog).map_err(anyhow::Error::msg)?;
    let (millis, verified) =
        (began.elapsed().as_millis() as u64, catalog.verification() == Verification::Full);
    tracing::info!(snapshot_id = id, millis, verified, "snapshot opened");
    Ok(catalog)
}

/// Builds the demo snapshot and makes it current. Returns its id.
fn first_demo(snapshots: &Path, routes: &[Route]) -> anyhow::Result<String> {
    tracing::info!(snapshots = %snapshots.display(), "no snapshot yet: building the demo snapshot (takes seconds)");
    let Built { published, report } = build_demo(snapshots, progress::watch().as_ref())?;
    activate(routes, published.snapshots(), published.id(), false)?;
    Ok(report.id)
}

/// The configured number of connections, reduced to the number for which there are file descriptors.
fn connections_max(configured: usize) -> usize {
    let files = usize::try_from(raise_open_files()).unwrap_or(usize::MAX);
    let possible = files.saturating_sub(FILES_RESERVED).max(files / 2);
    if possible < configured {
        tracing::warn!(
            connections = possible,
            open_files_max = files,
            "fewer connections than configured, because the limit of open files is too low (ulimit -n)"
        );
    }
    configured.min(possible)
}

/// Serves the admin address on a separate thread, independently of the load of other threads. It runs until the end
/// of the process, so that /readyz can report that the server is stopping.
fn serve_admin(address: &ListenAddress, shared: &Arc<Shared>) -> anyhow::Result<()> {
    let (operator, limits) = (
        Arc::new(Admin(Arc::clone(shared))),
        ConnectionLimits { connections_max: ADMIN_CONNECTIONS_MAX, ..ConnectionLimits::default() },
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listeners = {
        let _inside = runtime.enter();
        bind(address)?
    };
    tracing::info!(address = %listeners[0].local_addr()?, "admin: /livez, /readyz and /metrics");
    std::thread::Builder::new().name("admin".into()).spawn(move || {
        let entrance = Entrance::new(listeners, None);
        runtime.block_on(serve(entrance, operator, limits, std::future::pending()));
    })?;
    Ok(())
}

async fn serve_until_told(
    config: &ServeConfig,
    clients: Vec<TcpListener>,
    shared: Arc<Shared>,
    front: Front<McpHandler>,
    tls: Option<Arc<Tls>>,
    wake: Sender<()>,
) -> anyhow::Result<()> {
    let limits = ConnectionLimits {
        connections_max: connections_max(config.connections_max),
        proxies: config.options.proxies.trusted.clone(),
        ..ConnectionLimits::default()
    };
    let address = clients[0].local_addr()?;
    let gate = match &config.payment {
        Some(payment) => Some(open_gate(&payment.clone().with_address(address), &shared)?),
        None => None,
    };
    tokio::spawn(wake_on_hangup(signal(SignalKind::hangup())?, wake, tls.clone()));
    tokio::spawn(keep_tidy(Arc::clone(&shared), tls.clone()));
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    if let Some(gate) = &gate
        && tokio::time::timeout(RAILS_WAIT, gate.all_open()).await.is_err()
    {
        tracing::warn!("some rails have not answered yet; each is offered once it answers");
    }
    announce(&shared, config, address);
    let stop = told_to_stop(Arc::clone(&shared), interrupt, terminate);
    match serve(Entrance::new(clients, tls), Arc::new(front), limits, stop).await {
        End::Drained => tracing::info!("stopped; every running request was finished"),
        End::CutOff => tracing::warn!("stopped; requests that did not finish in time were cut off"),
    }
    if let Some(gate) = gate {
        end_payments(&gate).await;
    }
    Ok(())
}

/// Waits for payments that are being processed, then closes the ledger, so that one file contains all of it.
async fn end_payments(gate: &Gate) {
    if tokio::time::timeout(SETTLING_GRACE, gate.idle()).await.is_err() {
        tracing::warn!("payments are still in progress; the next start resumes them");
    }
    match tokio::time::timeout(CLOSING_GRACE, gate.close()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(%error, "the ledger was not closed cleanly; keep its -wal file beside the ledger");
        }
        Err(_) => tracing::warn!("the ledger was not closed in time; keep its -wal file beside the ledger"),
    }
}

/// Opens the payment gate and sets it in `shared`, before the first paid request is served.
fn open_gate(settings: &Settings, shared: &Arc<Shared>) -> anyhow::Result<Arc<Gate>> {
    let answering = Arc::downgrade(shared);
    let answerer =
        move |request: &str, media_type: &str| answering.upgrade()?.answer_again(request, media_type);
    let gate = payment::start::open(settings, Arc::new(answerer))?;
    shared.take_payments(Arc::clone(&gate));
    Ok(gate)
}

fn bind(address: &ListenAddress) -> anyhow::Result<Vec<TcpListener>> {
    listen_all(address.addresses()).with_context(|| format!("cannot listen on {address}"))
}

/// Logs the payment mode, the address, the snapshot and a request to try.
fn announce(shared: &Shared, config: &ServeConfig, address: SocketAddr) {
    match shared.payments {
        Mode::Off => tracing::warn!("payments are off: paid routes are free of charge"),
        Mode::Sandbox => tracing::warn!("payments are in sandbox mode: paid routes accept test money"),
        Mode::Live => tracing::info!("payments are live"),
    }
    let request = endpoints::first_request(&shared.catalog());
    // A quote is free even if the request has to be paid.
    let request = if shared.payments == Mode::Off { request } else { quote::target_of(&request) };
    let (base, options) = seen_from(config, address);
    tracing::info!(
        %address,
        snapshot_id = shared.catalog().id(),
        "open {base}/ in a browser, or try: curl {options}'{base}{request}'"
    );
}

/// A URL at which clients reach this server, and the options that curl needs for it.
fn seen_from(config: &ServeConfig, address: SocketAddr) -> (String, &'static str) {
    if let Some(url) = config.payment.as_ref().and_then(Settings::configured_url) {
        return (url.to_owned(), "");
    }
    // The unspecified address is not an address that clients can connect to.
    let near: IpAddr =
        if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
    let asked = if address.ip().is_unspecified() { near } else { address.ip() };
    let asked = SocketAddr::new(asked, address.port());
    // curl would reject the certificate, because it names a host and not this address.
    let (options, scheme) = if config.tls.is_some() { ("--insecure ", "https") } else { ("", "http") };
    (format!("{scheme}://{asked}"), options)
}

/// Resolves at the first signal to stop. The second signal ends the process at once.
async fn told_to_stop(shared: Arc<Shared>, mut interrupt: Signal, mut terminate: Signal) {
    either(&mut interrupt, &mut terminate).await;
    shared.drain();
    tracing::info!("stopping: running requests get {} s to finish", SHUTDOWN_GRACE.as_secs());
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        tracing::warn!("second signal to stop: stopping at once");
        flush_log();
        std::process::exit(1);
    });
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

async fn wake_on_hangup(mut hangup: Signal, wake: Sender<()>, tls: Option<Arc<Tls>>) {
    while hangup.recv().await.is_some() && wake.send(()).is_ok() {
        if let Some(tls) = &tls {
            reload(tls);
        }
    }
}

fn reload(tls: &Tls) {
    match tls.reload() {
        Ok(()) => tracing::info!("certificate and key were reloaded"),
        Err(error) => {
            tracing::error!(%error, "certificate and key cannot be used; the previous ones stay in use");
        }
    }
}

async fn keep_tidy(shared: Arc<Shared>, tls: Option<Arc<Tls>>) {
    let mut written = tls.as_ref().map(|tls| tls.written());
    loop {
        tokio::time::sleep(TIDY).await;
        shared.tidy();
        if let Some(tls) = &tls {
            let now = tls.written();
            if written.replace(now) != Some(now) {
                reload(tls);
            }
        }
    }
}
