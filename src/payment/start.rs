//! From settings to a gate: the ledger is opened, the rails are started.

use std::sync::Arc;

use super::Mode;
use super::core::channel::gateway::ChannelGateway;
use super::core::channel::manager::{ChannelManager, ChannelManagerParts};
use super::core::channel::row::ChannelStore;
use super::core::claim::{ClaimStore, StoreError};
use super::core::clock::{unix_millis, unix_seconds};
use super::core::gate::Gate;
use super::core::processor::{Answerer, ProcessingTimes, Processor};
use super::core::rail::{CallTimes, Rail, RailMeans, Started};
use super::ledger::{Ledger, ReplyLimits};
use super::net::http::Client;
use super::settings::Settings;

/// Opens the gate; it takes payments once its rails have answered. Its tasks run on the current runtime.
///
/// # Errors
/// When the ledger cannot be opened.
pub fn open(settings: &Settings, answerer: Answerer) -> Result<Arc<Gate>, StoreError> {
    let limits =
        ReplyLimits { reply_ttl_s: settings.reply_ttl_s, replies_bytes_max: settings.replies_bytes_max };
    // What a sandbox takes is no revenue and leaves nothing behind.
    let ledger = match settings.mode {
        Mode::Live => Ledger::open(&settings.ledger, limits, unix_millis())?,
        Mode::Sandbox | Mode::Off => Ledger::in_memory(limits)?,
    };
    let ledger = Arc::new(ledger);
    let store: Arc<dyn ClaimStore> = Arc::clone(&ledger) as Arc<_>;
    let channels: Arc<dyn ChannelStore> = ledger;
    let times = ProcessingTimes {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        chain_query: settings.chain_query,
    };
    let started = start_rails(settings);
    let schemes = started.iter().map(|(rail, started)| (rail.name(), Arc::clone(&started.scheme))).collect();
    let processor = Arc::new(Processor::new(store, schemes, times, answerer));
    let mut tills = Vec::new();
    for (rail, started) in started {
        let (Some(chain), Some(terms)) = (started.channels, rail.channel_terms()) else { continue };
        tills.push(Arc::new(ChannelManager::open(ChannelManagerParts {
            rail: rail.name(),
            network: rail.network(),
            terms: terms.clone(),
            is_sandbox: settings.mode != Mode::Live,
            chain,
            store: Arc::clone(&channels),
            processor: Arc::clone(&processor),
            deadline: settings.request_deadline,
            chain_query: settings.chain_query,
            offer_ttl_s: settings.offer_ttl_s,
        })?));
    }
    let gate = Arc::new(Gate::new(settings, processor, ChannelGateway::new(tills)));
    gate.start();
    Ok(gate)
}

/// What settles on each rail. In a sandbox nothing is asked of anybody.
fn start_rails(settings: &Settings) -> Vec<(Arc<dyn Rail>, Started)> {
    let rails = settings.rails.iter();
    if settings.mode != Mode::Live {
        return rails.map(|rail| (Arc::clone(rail), Arc::clone(rail).start_in_sandbox())).collect();
    }
    let times = CallTimes {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        offer_s: settings.offer_ttl_s,
    };
    let means = RailMeans { client: Client::new(), times, clock: unix_seconds };
    rails.map(|rail| (Arc::clone(rail), Arc::clone(rail).start(&means))).collect()
}
