//! `[payment]` as it stands in the configuration file: its keys and their types, nothing checked beyond them.

use std::path::PathBuf;

use serde::Deserialize;

use crate::payment::Mode;
use crate::payment::prices::PricesWish;

/// `[payment]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaymentWish {
    /// How paid routes are paid.
    pub mode: Option<Mode>,
    /// URL that clients reach the server by.
    pub public_base_url: Option<String>,
    /// File of the ledger.
    pub ledger: Option<PathBuf>,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: Option<u64>,
    /// Milliseconds for a facilitator to verify a payment.
    pub verify_timeout_ms: Option<u64>,
    /// Milliseconds for a payment to be settled.
    pub settle_timeout_ms: Option<u64>,
    /// Milliseconds for which the chain is asked for a payment.
    pub chain_look_ms: Option<u64>,
    /// Milliseconds for a whole paid request.
    pub request_deadline_ms: Option<u64>,
    /// Seconds for which a bought answer is kept.
    pub reply_ttl_s: Option<u64>,
    /// Bytes of bought answers that are kept.
    pub replies_bytes_max: Option<u64>,
    /// `[payment.prices]`.
    pub prices: PricesWish,
    /// `[payment.rail]`.
    pub rail: RailWishes,
}

/// `[payment.rail]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RailWishes {
    /// `[payment.rail.base]`.
    pub base: Option<EvmWish>,
    /// `[payment.rail.solana]`.
    pub solana: Option<SolanaWish>,
    /// `[payment.rail.tempo]`.
    pub tempo: Option<TempoWish>,
}

/// `[payment.rail.base]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvmWish {
    /// CAIP-2 name.
    pub network: Option<String>,
    /// The token.
    pub asset: Option<String>,
    /// Name of its EIP-712 domain.
    pub eip712_name: Option<String>,
    /// Version of its EIP-712 domain.
    pub eip712_version: Option<String>,
    /// Who is paid.
    pub pay_to: Option<String>,
    /// Base URL of the facilitator.
    pub facilitator_url: Option<String>,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: Option<String>,
    /// Protocols that it is offered by.
    pub protocols: Option<Vec<String>>,
}

/// `[payment.rail.solana]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolanaWish {
    /// CAIP-2 name.
    pub network: Option<String>,
    /// Mint of the token.
    pub asset: Option<String>,
    /// Owner of the token account that is paid.
    pub pay_to: Option<String>,
    /// Base URL of the facilitator.
    pub facilitator_url: Option<String>,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: Option<String>,
    /// Protocols that it is offered by.
    pub protocols: Option<Vec<String>>,
}

/// `[payment.rail.tempo]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TempoWish {
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
