//! From a configuration to a running server, and to its end.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::api;
use crate::build::demo::build_demo;
use crate::catalog::Catalog;
use crate::config::ServeConfig;
use crate::http::Shared;
use crate::http::admin::Admin;
use crate::http::server::{ConnectionLimits, End, SHUTDOWN_GRACE, listen, serve};
use crate::http::swap::{Swapper, rehearse};
use crate::openapi;
use crate::payment::core::gate::Gate;
use crate::payment::settings::Settings;
use crate::payment::{self, Mode};
use crate::progress;
use crate::snapshot::manifest::Verification;
use crate::snapshot::publish;

/// Time between two rounds of housekeeping.
const TIDY: Duration = Duration::from_mins(1);

/// Time that rails get to answer before the first request is; clients wait meanwhile.
const RAILS_WAIT: Duration = Duration::from_secs(2);

/// Time that payments get to be settled after the last connection is gone.
const SETTLING_GRACE: Duration = Duration::from_secs(20);

/// Time that the ledger gets to be brought into one file: longer than it waits for who reads it.
const CLOSING_GRACE: Duration = Duration::from_secs(10);

/// Time that background tasks get at the very end.
const RUNTIME_END: Duration = Duration::from_secs(1);

/// Runs the server until it is told to stop.
///
/// # Errors
/// When it cannot start: no snapshot opens, or an address is taken.
pub fn run(config: &ServeConfig) -> anyhow::Result<()> {
    let catalog = Arc::new(first_catalog(&config.snapshots, config.verification)?);
    let routes = api::routes();
    rehearse(&routes, &catalog).map_err(anyhow::Error::msg)?;
    let document = openapi::compact(&routes)?;
    let shared = Shared::new(routes, catalog, &config.options)?.with_page(openapi::PATH, document);
    let shared = Arc::new(shared);
    let wake = Swapper::new(config.snapshots.clone(), Arc::clone(&shared))?.watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("serve").build()?;
    let result = runtime.block_on(serve_until_told(config, shared, wake));
    runtime.shutdown_timeout(RUNTIME_END);
    result
}

/// Opens the snapshot to serve; without one, builds the demo's first.
fn first_catalog(snapshots: &Path, verification: Verification) -> anyhow::Result<Catalog> {
    let id = if let Some(id) = publish::current(snapshots)? {
        id
    } else {
        tracing::info!(snapshots = %snapshots.display(), "no snapshot yet: building the demo's, which takes seconds");
        build_demo(snapshots, progress::watch().as_ref()).context("the demo snapshot cannot be built")?
    };
    let began = Instant::now();
    let catalog = Catalog::open_after(&snapshots.join(&id), verification)?;
    let (millis, verified) = (began.elapsed().as_millis() as u64, verification == Verification::Full);
    tracing::info!(snapshot_id = id, millis, verified, "snapshot opened");
    Ok(catalog)
}

async fn serve_until_told(config: &ServeConfig, shared: Arc<Shared>, wake: Sender<()>) -> anyhow::Result<()> {
    let clients = bind(config.listen)?;
    let address = clients.local_addr()?;
    if let Some(admin) = config.admin {
        let listener = bind(admin)?;
        tracing::info!(address = %listener.local_addr()?, "admin: /healthz, /readyz and /metrics");
        // It answers until the very end, so that /readyz can say that the server is stopping.
        let operator = Arc::new(Admin(Arc::clone(&shared)));
        tokio::spawn(serve(listener, operator, ConnectionLimits::default(), std::future::pending()));
    }
    let gate = match &config.payment {
        Some(payment) => Some(open_gate(&payment.clone().with_address(address), &shared)?),
        None => None,
    };
    tokio::spawn(wake_on_hangup(signal(SignalKind::hangup())?, wake));
    tokio::spawn(keep_tidy(Arc::clone(&shared)));
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    if let Some(gate) = &gate
        && tokio::time::timeout(RAILS_WAIT, gate.all_open()).await.is_err()
    {
        tracing::warn!("not every rail has answered; one that has not is offered once it does");
    }
    announce(&shared, address);
    let stop = told_to_stop(Arc::clone(&shared), interrupt, terminate);
    match serve(clients, shared, ConnectionLimits::default(), stop).await {
        End::Drained => tracing::info!("stopped; every running request was finished"),
        End::CutOff => tracing::warn!("stopped; requests that did not finish in time were cut off"),
    }
    if let Some(gate) = gate {
        end_payments(&gate).await;
    }
    Ok(())
}

/// Waits for the payments that are at work, then closes the ledger, so that its file alone is all of it.
async fn end_payments(gate: &Gate) {
    if tokio::time::timeout(SETTLING_GRACE, gate.idle()).await.is_err() {
        tracing::warn!("payments are still at work; the next start takes them up");
    }
    match tokio::time::timeout(CLOSING_GRACE, gate.close()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the ledger is not closed cleanly"),
        Err(_) => tracing::warn!("the ledger is not closed in time; its log belongs to it"),
    }
}

/// Has paid routes paid, before the first of them is asked for.
fn open_gate(settings: &Settings, shared: &Arc<Shared>) -> anyhow::Result<Arc<Gate>> {
    let answering = Arc::downgrade(shared);
    let answerer =
        move |request: &str, media_type: &str| answering.upgrade()?.answer_again(request, media_type);
    let gate = payment::start::open(settings, Arc::new(answerer))?;
    shared.take_payments(Arc::clone(&gate));
    Ok(gate)
}

fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    listen(address).with_context(|| format!("cannot listen on {address}"))
}

/// Says what an operator wants to know at the start, and what to try.
fn announce(shared: &Shared, address: SocketAddr) {
    match shared.payments {
        Mode::Off => tracing::warn!("payments are off: paid routes answer for nothing"),
        Mode::Sandbox => tracing::warn!("payments are a sandbox: paid routes take test money"),
        Mode::Live => tracing::info!("payments are live"),
    }
    let first = shared.routes.iter().find_map(|route| Some((route.path, route.examples.first()?)));
    let example = first.map(|(path, query)| format!("http://{address}{path}?{query}")).unwrap_or_default();
    tracing::info!(%address, snapshot_id = shared.catalog().id(), "try {}", example.trim_end_matches('?'));
}

/// Ends at the first signal to stop. The second one ends the process without waiting.
async fn told_to_stop(shared: Arc<Shared>, mut interrupt: Signal, mut terminate: Signal) {
    either(&mut interrupt, &mut terminate).await;
    shared.drain();
    tracing::info!("stopping: running requests get {} s to finish", SHUTDOWN_GRACE.as_secs());
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        tracing::warn!("told to stop again: stopping at once");
        std::process::exit(1);
    });
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

async fn wake_on_hangup(mut hangup: Signal, wake: Sender<()>) {
    while hangup.recv().await.is_some() && wake.send(()).is_ok() {}
}

async fn keep_tidy(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(TIDY).await;
        shared.tidy();
    }
}
