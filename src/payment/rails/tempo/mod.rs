//! Tempo: USDC by a signed transaction that this server broadcasts itself; the payer pays the fee.
//!
//! It is offered by MPP (`tempo`). [`RawTempo`] is the operator's table, [`transaction`] reads what payers sign,
//! `credential` holds it against the offer, [`scheme`] broadcasts and looks. Its claims are keyed by the hash of the
//! transaction in its canonical form.

mod credential;
pub mod scheme;
pub mod transaction;

use std::sync::Arc;

use alloy_primitives::Address;
use serde::{Deserialize, Serialize};

use self::credential::{TempoPayment, key_of};
use self::scheme::TempoBroadcast;
use super::evm::{check_payee, evm_address};
use crate::payment::core::check::Check;
use crate::payment::core::claim::{ClaimKey, PaymentProtocol, RailName};
use crate::payment::core::rail::{Rail, RailContext, RailKind, RailMeans, ReadPayment, Started, WayToPay};
use crate::payment::core::validators::exact_url;
use crate::payment::protocols::mpp::{MppCharge, MppCredential, MppPayload};
use crate::payment::rails::evm::caip2;

/// Its name.
pub const NAME: RailName = RailName::new("tempo");

/// What is known of it before it is configured.
pub const KIND: RailKind = RailKind { name: NAME, mpp_method: MPP_METHOD, takes_bearer: false };

/// Method of MPP.
pub const MPP_METHOD: &str = "tempo";

/// The rail as it is configured.
#[derive(Debug, Clone)]
pub struct TempoRail {
    /// Number of the chain.
    pub chain_id: u64,
    /// The token.
    pub asset: Address,
    /// Who is paid.
    pub pay_to: Address,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
}

/// What MPP asks for on Tempo: a signed transaction, which this server broadcasts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TempoRequest {
    amount: String,
    currency: String,
    recipient: String,
    method_details: TempoDetails,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TempoDetails {
    chain_id: u64,
    supported_modes: [&'static str; 1],
}

/// The charge of a transaction on Tempo, for an amount in atomic units of the token.
pub fn tempo_charge(chain_id: u64, asset: Address, pay_to: Address, amount: u64) -> MppCharge {
    let request = TempoRequest {
        amount: amount.to_string(),
        currency: asset.to_checksum(None),
        recipient: pay_to.to_checksum(None),
        method_details: TempoDetails { chain_id, supported_modes: ["pull"] },
    };
    MppCharge::new(MPP_METHOD, &request)
}

impl Rail for TempoRail {
    type Raw = RawTempo;

    fn check(raw: &RawTempo, _context: &RailContext<'_>, check: &mut Check) -> Option<Self> {
        check_table(raw, check)
    }

    /// No client knows test money here.
    fn in_sandbox(_configured: Option<Self>) -> Option<Self> {
        None
    }

    fn kind(&self) -> RailKind {
        KIND
    }

    fn network(&self) -> String {
        caip2(self.chain_id)
    }

    fn ways(&self) -> Vec<WayToPay> {
        vec![WayToPay { protocol: PaymentProtocol::Mpp, method: MPP_METHOD, rank: 0 }]
    }

    fn mpp_key(credential: &MppCredential) -> Option<ClaimKey> {
        let MppPayload::Transaction(wire) = &credential.payload else { return None };
        transaction::read(wire).ok().map(|transfer| key_of(&transfer))
    }

    fn mpp_charge(&self, amount: u64) -> Option<MppCharge> {
        Some(tempo_charge(self.chain_id, self.asset, self.pay_to, amount))
    }

    fn read_mpp(self: Arc<Self>, credential: &MppCredential) -> Option<ReadPayment> {
        let MppPayload::Transaction(wire) = &credential.payload else { return None };
        (credential.method() == MPP_METHOD).then(|| TempoPayment::read(self, wire))
    }

    fn start(self: Arc<Self>, means: &RailMeans) -> Started {
        TempoBroadcast::start(&means.client, &self, means.times).into()
    }
}

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
fn check_table(raw: &RawTempo, check: &mut Check) -> Option<TempoRail> {
    let at = |key: &str| format!("payment.rail.tempo.{key}");
    let chain_id = raw.chain_id.filter(|&chain_id| chain_id > 0);
    if chain_id.is_none() {
        check.fault(&at("chain_id"), "is missing or 0: give the chain id, 4217 for mainnet");
    }
    let asset = check.demand(&at("asset"), raw.asset.as_ref(), evm_address);
    let pay_to = check.demand(&at("pay_to"), raw.pay_to.as_ref(), evm_address);
    check_payee(check, &at("pay_to"), pay_to, asset);
    let rpc_url = check.demand_live(&at("rpc_url"), raw.rpc_url.as_ref(), exact_url);
    check.protocols(NAME, raw.protocols.as_ref(), &[PaymentProtocol::Mpp]);
    Some(TempoRail { chain_id: chain_id?, asset: asset?, pay_to: pay_to?, rpc_url: rpc_url? })
}
