//! From settings to a gate: the ledger is opened, the rails are started.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Mode;
use super::core::claim::RailName;
use super::core::claim::{ClaimStore, StoreError};
use super::core::clock::{unix_millis, unix_seconds};
use super::core::gate::Gate;
use super::core::processor::{Answerer, ProcessingTimes, Processor};
use super::core::rail::{CallTimes, RailMeans};
use super::core::scheme::Scheme;
use super::ledger::{Ledger, ReplyLimits};
use super::net::http::Client;
use super::rails::sandbox::Sandbox;
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
    let store: Arc<dyn ClaimStore> = Arc::new(ledger);
    let times = ProcessingTimes {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        chain_look: settings.chain_look,
    };
    let processor = Arc::new(Processor::new(store, schemes(settings), times, answerer));
    let gate = Arc::new(Gate::new(settings, processor));
    gate.start();
    Ok(gate)
}

/// What settles on each rail. In a sandbox nothing is asked of anybody.
fn schemes(settings: &Settings) -> BTreeMap<RailName, Arc<dyn Scheme>> {
    if settings.mode != Mode::Live {
        let sandbox = |name| (name, Arc::new(Sandbox::default()) as Arc<dyn Scheme>);
        return settings.rails.iter().map(|rail| sandbox(rail.name())).collect();
    }
    let times = CallTimes {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        offer_s: settings.offer_ttl_s,
    };
    let means = RailMeans { client: Client::new(), times, clock: unix_seconds };
    settings.rails.iter().map(|rail| (rail.name(), Arc::clone(rail).start(&means))).collect()
}
