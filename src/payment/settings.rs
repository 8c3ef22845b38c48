//! What the operator decides about payment, checked as a whole.
//!
//! [`wish`] is the form of the configuration file, `check` holds it against what can be, `forms` reads addresses and
//! URLs. A [`Settings`] that exists can be served: every address has been read, every time is in bounds, and in `live`
//! there is a rail and a secret. What only the network can tell (whether a facilitator answers, whether a token
//! account exists) is found out at the start by those who ask it.

mod check;
mod forms;
pub mod wish;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use alloy_primitives::{Address, address};

use super::Mode;
use super::claim::{Protocol, Rail};
use super::prices::Prices;
use super::quote::RailOffer;
use super::secret::{Secret, SecretError};

pub use check::{
    CHAIN_LOOK_MS, OFFER_TTL_S, REPLIES_BYTES_MAX, REPLY_TTL_S, REQUEST_DEADLINE_MS, SECRET_BYTES_MIN,
    SETTLE_TIMEOUT_MS, VERIFY_TIMEOUT_MS,
};

/// USDC on Base.
pub const BASE_USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");

/// Test USDC on Base Sepolia.
pub const BASE_SEPOLIA_USDC: Address = address!("036CbD53842c5426634e7929541eC2318f3dCF7e");

/// Number of Base.
pub const BASE_CHAIN_ID: u64 = 8_453;

/// Number of Base Sepolia, the one chain of the sandbox.
pub const BASE_SEPOLIA_CHAIN_ID: u64 = 84_532;

/// Who is paid in a sandbox that names nobody: an address that nobody has a key to.
pub const SANDBOX_PAY_TO: Address = address!("000000000000000000000000000000000000dEaD");

/// Something in the configuration that has to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Path of the key, or the environment variable.
    pub key: String,
    /// What is wrong with it, and what to give instead.
    pub reason: String,
}

impl Fault {
    /// A fault of a key.
    pub fn new(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { key: key.into(), reason: reason.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.reason)
    }
}

/// What the operator decided. It exists in `sandbox` and in `live`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Sandbox or live.
    pub mode: Mode,
    /// What every resource's URL begins with: scheme, host in lower case and port, without a slash at the end.
    pub public_base_url: String,
    /// Host of `public_base_url`, without the port.
    pub realm: String,
    /// The ledger's file.
    pub ledger: PathBuf,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: u64,
    /// Time for a facilitator to verify a payment.
    pub verify_timeout: Duration,
    /// Time for a payment to be settled, a second call included.
    pub settle_timeout: Duration,
    /// Time for which the chain is asked after a settlement that did not say yes.
    pub chain_look: Duration,
    /// Time for a whole paid request.
    pub request_deadline: Duration,
    /// Seconds for which a bought answer is kept.
    pub reply_ttl_s: u64,
    /// Bytes of bought answers that are kept.
    pub replies_bytes_max: u64,
    /// What requests cost.
    pub prices: Prices,
    /// Key of every MAC in an offer.
    pub secret: Secret,
    /// Key of the offers that were made before the last change of keys.
    pub secret_previous: Option<Secret>,
    /// Base, if it is offered.
    pub base: Option<EvmRail>,
    /// Solana, if it is offered.
    pub solana: Option<SolanaRail>,
    /// Tempo, if it is offered.
    pub tempo: Option<TempoRail>,
    /// Whether `public_base_url` is that of the listening socket, for want of a configured one.
    follows_address: bool,
}

impl Settings {
    /// These settings for a server that listens on `address`: a sandbox without a configured public URL is reached
    /// there, on a port that may be known only now.
    #[must_use]
    pub fn with_address(self, address: SocketAddr) -> Self {
        if !self.follows_address {
            return self;
        }
        let (public_base_url, realm) = (forms::own_url(address), forms::own_realm(address));
        Self { public_base_url, realm, ..self }
    }

    /// Every way to pay that is configured, the preferred first.
    pub fn offers(&self) -> Vec<(Rail, RailOffer)> {
        let offer = |rail: Rail, protocol: Protocol, method: &'static str, network: String| {
            (rail, RailOffer { protocol: protocol.as_str(), method, network })
        };
        let (base, solana, tempo) = (self.base.as_ref(), self.solana.as_ref(), self.tempo.as_ref());
        let base_by = |takes: fn(&EvmRail) -> bool, protocol, method| {
            base.filter(|rail| takes(rail))
                .map(|rail| offer(Rail::Base, protocol, method, rail.network.clone()))
        };
        let tempo = tempo.map(|rail| offer(Rail::Tempo, Protocol::Mpp, "tempo", rail.network()));
        [
            base_by(|rail| rail.x402, Protocol::X402, "exact"),
            solana.map(|rail| offer(Rail::Solana, Protocol::X402, "exact", rail.network.clone())),
            tempo,
            base_by(|rail| rail.mpp, Protocol::Mpp, "evm"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The secrets of payment, as the environment has them.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Key of every MAC in an offer.
    pub current: Option<Secret>,
    /// The key before it.
    pub previous: Option<Secret>,
    /// Bearer token of Base's facilitator.
    pub base_bearer: Option<Secret>,
    /// Bearer token of Solana's facilitator.
    pub solana_bearer: Option<Secret>,
}

impl Secrets {
    /// Variable of `current`; like the others, it may stand in the file that `<name>_FILE` names.
    pub const CURRENT: &'static str = "PRICEBOOK_PAYMENT_SECRET";
    /// Variable of `previous`.
    pub const PREVIOUS: &'static str = "PRICEBOOK_PAYMENT_SECRET_PREVIOUS";
    /// Variable of `base_bearer`.
    pub const BASE_BEARER: &'static str = "PRICEBOOK_FACILITATOR_BEARER_BASE";
    /// Variable of `solana_bearer`.
    pub const SOLANA_BEARER: &'static str = "PRICEBOOK_FACILITATOR_BEARER_SOLANA";

    /// Reads them all.
    ///
    /// # Errors
    /// With everything that cannot be read.
    pub fn from_environment() -> Result<Self, Vec<SecretError>> {
        let mut errors = Vec::new();
        let mut read =
            |name| Secret::from_environment(name).map_err(|error| errors.push(error)).ok().flatten();
        let secrets = Self {
            current: read(Self::CURRENT),
            previous: read(Self::PREVIOUS),
            base_bearer: read(Self::BASE_BEARER),
            solana_bearer: read(Self::SOLANA_BEARER),
        };
        if errors.is_empty() { Ok(secrets) } else { Err(errors) }
    }
}

/// Base, or another EVM chain: payments by EIP-3009 authorization through a facilitator.
#[derive(Debug, Clone)]
pub struct EvmRail {
    /// CAIP-2 name, `eip155:<chain>`.
    pub network: String,
    /// Number of the chain.
    pub chain_id: u64,
    /// The token.
    pub asset: Address,
    /// Who is paid.
    pub pay_to: Address,
    /// Name of the token's EIP-712 domain.
    pub eip712_name: String,
    /// Version of the token's EIP-712 domain.
    pub eip712_version: String,
    /// Base URL of the facilitator.
    pub facilitator_url: String,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
    /// Whether it is offered by x402.
    pub x402: bool,
    /// Whether it is offered by MPP.
    pub mpp: bool,
    /// What the facilitator wants to see as a bearer token.
    pub bearer: Option<Secret>,
}

/// Solana: payments by a partially signed transaction through a facilitator.
#[derive(Debug, Clone)]
pub struct SolanaRail {
    /// CAIP-2 name.
    pub network: String,
    /// Mint of the token.
    pub asset: [u8; 32],
    /// Owner of the token account that is paid.
    pub pay_to: [u8; 32],
    /// Base URL of the facilitator.
    pub facilitator_url: String,
    /// URL of the chain's JSON-RPC.
    pub rpc_url: String,
    /// What the facilitator wants to see as a bearer token.
    pub bearer: Option<Secret>,
}

/// Tempo: payments by a signed transaction that this server broadcasts.
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

impl TempoRail {
    /// CAIP-2 name of the chain.
    pub fn network(&self) -> String {
        format!("eip155:{}", self.chain_id)
    }
}
