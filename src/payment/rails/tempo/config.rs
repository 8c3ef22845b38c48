//! `[payment.rail.tempo]`: what it may hold, and what it cannot be.

use serde::Deserialize;

use super::{NAME, TempoRail};
use crate::payment::core::check::Check;
use crate::payment::core::claim::PaymentProtocol;
use crate::payment::core::validators::exact_url;
use crate::payment::rails::evm::{check_payee, evm_address};

/// `[payment.rail.tempo]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawTempo {
    /// Number of the chain.
    pub chain_id: Option<u64>,
    /// The token.
    pub asset: Option<String>,
    /// Who is paid.
    pub pay_to: Option<String>,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: Option<String>,
    /// Protocols that it is offered by.
    pub protocols: Option<Vec<String>>,
}

/// The rail of a configuration.
pub(super) fn check(raw: &RawTempo, check: &mut Check) -> Option<TempoRail> {
    let at = |key: &str| format!("payment.rail.tempo.{key}");
    let chain_id = raw.chain_id.filter(|&chain_id| chain_id > 0);
    if chain_id.is_none() {
        check.fault(&at("chain_id"), "is missing or 0: give the number of the chain, 4217 for the main one");
    }
    let asset = check.demand(&at("asset"), raw.asset.as_ref(), evm_address);
    let pay_to = check.demand(&at("pay_to"), raw.pay_to.as_ref(), evm_address);
    check_payee(check, &at("pay_to"), pay_to, asset);
    let rpc_url = check.demand_live(&at("rpc_url"), raw.rpc_url.as_ref(), exact_url);
    check.protocols(NAME, raw.protocols.as_ref(), &[PaymentProtocol::Mpp]);
    Some(TempoRail { chain_id: chain_id?, asset: asset?, pay_to: pay_to?, rpc_url: rpc_url? })
}
