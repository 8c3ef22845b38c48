//! Base, or another EVM chain: USDC by EIP-3009 authorization, settled by a facilitator.
//!
//! It is offered by x402 (`exact`) and by MPP (`evm`); both carry the same authorization, which one facilitator
//! settles. `config` checks the operator's table, `credential` holds payments against the offer, [`scheme`] verifies,
//! settles and looks. Its claims are keyed by chain, token, payer and nonce, which the token takes once.

mod config;
mod credential;
pub mod scheme;

use std::borrow::Cow;
use std::sync::Arc;

use alloy_primitives::Address;
use serde::{Deserialize, Serialize};

pub use self::config::{BASE_CHAIN_ID, BASE_SEPOLIA_CHAIN_ID, BASE_SEPOLIA_USDC, BASE_USDC, RawBase};
use self::credential::BasePayment;
pub(in crate::payment::rails) use self::credential::key_of;
use self::scheme::ExactEvm;
use crate::payment::core::check::Check;
use crate::payment::core::claim::{ClaimKey, PaymentProtocol, RailName};
use crate::payment::core::rail::{
    OfferParts, Rail, RailContext, RailKind, RailMeans, ReadPayment, Started, WayToPay,
};
use crate::payment::core::secret::Secret;
use crate::payment::protocols::eip3009::{Domain, address};
use crate::payment::protocols::mpp::{MppCharge, MppCredential, MppPayload};
use crate::payment::protocols::x402::{EXACT, Extra, Requirement, X402Payload};

/// Its name.
pub const NAME: RailName = RailName::new("base");

/// What is known of it before it is configured.
pub const KIND: RailKind = RailKind { name: NAME, mpp_method: MPP_METHOD, takes_bearer: true };

/// Method of MPP.
pub const MPP_METHOD: &str = "evm";

/// Label of the code in an x402 offer.
pub const LABEL: &str = "x402-base";

/// Decimals of USDC.
const DECIMALS: u8 = 6;

/// The rail as it is configured.
#[derive(Debug, Clone)]
pub struct BaseRail {
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
    /// What signatures are made for: the hash of that domain, of chain and token.
    pub domain: Domain,
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

/// What MPP asks for on an EVM chain: an EIP-3009 authorization.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EvmRequest {
    amount: String,
    currency: String,
    recipient: String,
    method_details: EvmDetails,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EvmDetails {
    chain_id: u64,
    credential_types: [Cow<'static, str>; 1],
    decimals: u8,
}

/// The charge of an authorization on an EVM chain, for an amount in atomic units of the token.
pub fn evm_charge(chain_id: u64, asset: Address, pay_to: Address, amount: u64) -> MppCharge {
    let request = EvmRequest {
        amount: amount.to_string(),
        currency: asset.to_checksum(None),
        recipient: pay_to.to_checksum(None),
        method_details: EvmDetails {
            chain_id,
            credential_types: ["authorization".into()],
            decimals: DECIMALS,
        },
    };
    MppCharge::new(MPP_METHOD, &request)
}

impl BaseRail {
    /// The terms of a payment by x402; the same for who is offered them and for who settles.
    pub fn requirement(&self, amount: u64, offer_s: u64, reference: Option<String>) -> Requirement {
        Requirement {
            scheme: EXACT.to_owned(),
            network: self.network.clone(),
            amount: amount.to_string(),
            asset: self.asset.to_checksum(None),
            pay_to: self.pay_to.to_checksum(None),
            max_timeout_seconds: offer_s,
            extra: Extra {
                name: Some(self.eip712_name.clone()),
                version: Some(self.eip712_version.clone()),
                reference,
                ..Extra::default()
            },
        }
    }
}

impl Rail for BaseRail {
    type Raw = RawBase;

    fn check(raw: &RawBase, context: &RailContext<'_>, check: &mut Check) -> Option<Self> {
        config::check(raw, context.bearer.clone(), check)
    }

    fn in_sandbox(configured: Option<Self>) -> Option<Self> {
        let test_money = configured.filter(|rail| rail.chain_id == BASE_SEPOLIA_CHAIN_ID);
        Some(test_money.unwrap_or_else(config::sandbox))
    }

    fn kind(&self) -> RailKind {
        KIND
    }

    fn network(&self) -> String {
        self.network.clone()
    }

    fn ways(&self) -> Vec<WayToPay> {
        let x402 = WayToPay { protocol: PaymentProtocol::X402, method: EXACT, rank: 0 };
        let mpp = WayToPay { protocol: PaymentProtocol::Mpp, method: MPP_METHOD, rank: 1 };
        [(self.x402, x402), (self.mpp, mpp)].into_iter().filter_map(|(is, way)| is.then_some(way)).collect()
    }

    fn x402_key(accepted: &Requirement, payload: &X402Payload) -> Option<ClaimKey> {
        let X402Payload::Authorization { authorization, .. } = payload else { return None };
        let chain_id = accepted.network.strip_prefix("eip155:")?.parse().ok()?;
        Some(key_of(chain_id, address(&accepted.asset)?, authorization.from, authorization.nonce))
    }

    fn mpp_key(credential: &MppCredential) -> Option<ClaimKey> {
        let MppPayload::Authorization { authorization, .. } = &credential.payload else { return None };
        let request: EvmRequest = credential.request_as()?;
        let (chain_id, token) = (request.method_details.chain_id, address(&request.currency)?);
        Some(key_of(chain_id, token, authorization.from, authorization.nonce))
    }

    fn x402_offer(&self, parts: &OfferParts<'_>) -> Option<Requirement> {
        self.x402.then(|| self.requirement(parts.amount, parts.ttl_s, Some((parts.code)(LABEL))))
    }

    fn mpp_charge(&self, amount: u64) -> Option<MppCharge> {
        self.mpp.then(|| evm_charge(self.chain_id, self.asset, self.pay_to, amount))
    }

    fn read_x402(self: Arc<Self>, accepted: &Requirement, payload: &X402Payload) -> Option<ReadPayment> {
        let X402Payload::Authorization { authorization, signature } = payload else { return None };
        let is_ours = accepted.scheme == EXACT && accepted.network == self.network;
        is_ours.then(|| BasePayment::read(self, authorization, signature))
    }

    fn read_mpp(self: Arc<Self>, credential: &MppCredential) -> Option<ReadPayment> {
        let MppPayload::Authorization { authorization, signature } = &credential.payload else { return None };
        // A challenge of before the rail was configured anew is signed for another chain or token.
        let request: EvmRequest = credential.request_as()?;
        let is_ours = credential.method() == MPP_METHOD
            && request.method_details.chain_id == self.chain_id
            && address(&request.currency) == Some(self.asset);
        is_ours.then(|| BasePayment::read(self, authorization, signature))
    }

    fn start(self: Arc<Self>, means: &RailMeans) -> Started {
        ExactEvm::start(&means.client, self, means.times).into()
    }
}
