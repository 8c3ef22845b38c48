//! From settings to a gate: the ledger is opened, the rails are started.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Mode;
use super::claim::{ClaimStore, Rail, StoreError};
use super::clock::{unix_millis, unix_seconds};
use super::gate::Gate;
use super::ledger::{Ledger, Limits};
use super::net;
use super::net::evm::ExactEvm;
use super::net::http::Client;
use super::net::sandbox::Sandbox;
use super::net::solana::ExactSolana;
use super::net::tempo::TempoBroadcast;
use super::scheme::Scheme;
use super::settings::Settings;
use super::till::{Answerer, Till, Times};

/// Opens the gate; it takes payments once its rails have answered. Its tasks run on the current runtime.
///
/// # Errors
/// When the ledger cannot be opened.
pub fn open(settings: &Settings, answerer: Answerer) -> Result<Arc<Gate>, StoreError> {
    let limits = Limits { reply_ttl_s: settings.reply_ttl_s, replies_bytes_max: settings.replies_bytes_max };
    // What a sandbox takes is no revenue and leaves nothing behind.
    let ledger = match settings.mode {
        Mode::Live => Ledger::open(&settings.ledger, limits, unix_millis())?,
        Mode::Sandbox | Mode::Off => Ledger::in_memory(limits)?,
    };
    let store: Arc<dyn ClaimStore> = Arc::new(ledger);
    let times = Times {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        chain_look: settings.chain_look,
    };
    let till = Arc::new(Till::new(store, schemes(settings), times, answerer));
    let gate = Arc::new(Gate::new(settings, till));
    gate.start();
    Ok(gate)
}

fn schemes(settings: &Settings) -> BTreeMap<Rail, Arc<dyn Scheme>> {
    let mut schemes: BTreeMap<Rail, Arc<dyn Scheme>> = BTreeMap::new();
    if settings.mode != Mode::Live {
        schemes.insert(Rail::Base, Arc::new(Sandbox::default()));
        return schemes;
    }
    let client = Client::new();
    let times = net::Times {
        verify: settings.verify_timeout,
        settle: settings.settle_timeout,
        offer_s: settings.offer_ttl_s,
    };
    if let Some(rail) = &settings.base {
        schemes.insert(Rail::Base, Arc::new(ExactEvm::start(&client, rail.clone(), times)));
    }
    if let Some(rail) = &settings.solana {
        schemes
            .insert(Rail::Solana, Arc::new(ExactSolana::start(&client, rail.clone(), times, unix_seconds)));
    }
    if let Some(rail) = &settings.tempo {
        schemes.insert(Rail::Tempo, Arc::new(TempoBroadcast::start(&client, rail, times)));
    }
    schemes
}
