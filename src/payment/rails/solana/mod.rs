//! Solana: USDC by a partially signed transaction that a facilitator completes and settles.
//!
//! It is offered by x402 (`exact`). `config` checks the operator's table, [`transaction`] reads what payers sign,
//! `credential` holds it against the offer, [`scheme`] verifies, settles and looks. Its claims are keyed by the hash of
//! the message, which is all that is signed: the fee payer's empty slot holds anything.

mod config;
mod credential;
pub mod scheme;
pub mod transaction;

use std::sync::Arc;

pub use self::config::RawSolana;
use self::credential::{SolanaPayment, key_of};
use self::scheme::ExactSolana;
use self::transaction::{Pubkey, base58};
use crate::payment::core::check::Check;
use crate::payment::core::claim::{ClaimKey, PaymentProtocol, RailName};
use crate::payment::core::rail::{
    OfferParts, Rail, RailContext, RailKind, RailMeans, ReadPayment, Started, WayToPay,
};
use crate::payment::core::secret::Secret;
use crate::payment::protocols::x402::{EXACT, Extra, Requirement, X402Payload};

/// Its name.
pub const NAME: RailName = RailName::new("solana");

/// What is known of it before it is configured.
pub const KIND: RailKind = RailKind { name: NAME, mpp_method: "solana", takes_bearer: true };

/// Label of the code in an x402 offer.
pub const LABEL: &str = "x402-solana";

/// Label of the code that a transaction carries as its memo.
pub const LABEL_MEMO: &str = "x402-solana-memo";

/// The rail as it is configured.
#[derive(Debug, Clone)]
pub struct SolanaRail {
    /// CAIP-2 name.
    pub network: String,
    /// Mint of the token.
    pub asset: Pubkey,
    /// Owner of the token account that is paid.
    pub pay_to: Pubkey,
    /// Token account that is paid.
    pub destination: Pubkey,
    /// Base URL of the facilitator.
    pub facilitator_url: String,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
    /// What the facilitator wants to see as a bearer token.
    pub bearer: Option<Secret>,
}

impl SolanaRail {
    /// The terms of a payment; the same for who is offered them and for who settles.
    pub fn requirement(&self, amount: u64, offer_s: u64, extra: Extra) -> Requirement {
        Requirement {
            scheme: EXACT.to_owned(),
            network: self.network.clone(),
            amount: amount.to_string(),
            asset: base58(&self.asset),
            pay_to: base58(&self.pay_to),
            max_timeout_seconds: offer_s,
            extra,
        }
    }
}

impl Rail for SolanaRail {
    type Raw = RawSolana;

    fn check(raw: &RawSolana, context: &RailContext<'_>, check: &mut Check) -> Option<Self> {
        config::check(raw, context.bearer.clone(), check)
    }

    /// No client knows test money here.
    fn in_sandbox(_configured: Option<Self>) -> Option<Self> {
        None
    }

    fn kind(&self) -> RailKind {
        KIND
    }

    fn network(&self) -> String {
        self.network.clone()
    }

    fn ways(&self) -> Vec<WayToPay> {
        vec![WayToPay { protocol: PaymentProtocol::X402, method: EXACT, rank: 1 }]
    }

    fn x402_key(_accepted: &Requirement, payload: &X402Payload) -> Option<ClaimKey> {
        let X402Payload::Transaction(wire) = payload else { return None };
        transaction::read(wire).ok().map(|transfer| key_of(&transfer))
    }

    /// None while it is not known who pays the fees.
    fn x402_offer(&self, parts: &OfferParts<'_>) -> Option<Requirement> {
        let extra = Extra {
            fee_payer: Some(parts.fee_payer?.to_owned()),
            memo: Some((parts.code)(LABEL_MEMO)),
            reference: Some((parts.code)(LABEL)),
            ..Extra::default()
        };
        Some(self.requirement(parts.amount, parts.ttl_s, extra))
    }

    fn read_x402(self: Arc<Self>, accepted: &Requirement, payload: &X402Payload) -> Option<ReadPayment> {
        let X402Payload::Transaction(wire) = payload else { return None };
        let is_ours = accepted.scheme == EXACT && accepted.network == self.network;
        is_ours.then(|| SolanaPayment::read(self, wire))
    }

    fn start(self: Arc<Self>, means: &RailMeans) -> Started {
        ExactSolana::start(&means.client, self, means.times, means.clock).into()
    }
}
