//! `[payment.rail.base]`: what it may hold, and what it cannot be.

use alloy_primitives::{Address, address};
use serde::Deserialize;

use super::{BaseRail, NAME};
use crate::payment::core::check::Check;
use crate::payment::core::claim::PaymentProtocol;
use crate::payment::core::secret::Secret;
use crate::payment::core::validators::{exact_url, service_url, token_url};
use crate::payment::protocols::eip3009::Domain;
use crate::payment::rails::evm::{SANDBOX_PAY_TO, caip2, check_payee, evm_address, evm_network};

/// USDC on Base.
pub const BASE_USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");

/// Test USDC on Base Sepolia.
pub const BASE_SEPOLIA_USDC: Address = address!("036CbD53842c5426634e7929541eC2318f3dCF7e");

/// Number of Base.
pub const BASE_CHAIN_ID: u64 = 8_453;

/// Number of Base Sepolia, the one chain of the sandbox.
pub const BASE_SEPOLIA_CHAIN_ID: u64 = 84_532;

/// Version of the EIP-712 domain of both known tokens.
const USDC_VERSION: &str = "2";

/// `[payment.rail.base]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawBase {
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

/// The rail of a configuration.
pub(super) fn check(raw: &RawBase, bearer: Option<Secret>, check: &mut Check) -> Option<BaseRail> {
    let at = |key: &str| format!("payment.rail.base.{key}");
    let chain_id = check.demand(&at("network"), raw.network.as_ref(), evm_network);
    let asset = check.demand(&at("asset"), raw.asset.as_ref(), evm_address);
    let pay_to = check.demand(&at("pay_to"), raw.pay_to.as_ref(), evm_address);
    check_payee(check, &at("pay_to"), pay_to, asset);
    if let (Some(chain_id), Some(asset)) = (chain_id, asset) {
        asset_of_chain(check, &at("asset"), chain_id, asset);
    }
    let domain = asset.and_then(|asset| domain(raw, asset, check));
    let form = if bearer.is_some() { token_url } else { service_url };
    let facilitator_url = check.demand_live(&at("facilitator_url"), raw.facilitator_url.as_ref(), form);
    let rpc_url = check.demand_live(&at("rpc_url"), raw.rpc_url.as_ref(), exact_url);
    let both = [PaymentProtocol::X402, PaymentProtocol::Mpp];
    let protocols = check.protocols(NAME, raw.protocols.as_ref(), &both);
    let (chain_id, asset, (eip712_name, eip712_version)) = (chain_id?, asset?, domain?);
    Some(BaseRail {
        network: caip2(chain_id),
        chain_id,
        asset,
        domain: Domain::new(&eip712_name, &eip712_version, chain_id, asset),
        pay_to: pay_to?,
        eip712_name,
        eip712_version,
        facilitator_url: facilitator_url?,
        rpc_url: rpc_url?,
        x402: protocols.contains(&PaymentProtocol::X402),
        mpp: protocols.contains(&PaymentProtocol::Mpp),
        bearer,
    })
}

/// The rail of a sandbox: test money, paid to nobody.
pub(super) fn sandbox() -> BaseRail {
    let eip712_name = "USDC";
    BaseRail {
        domain: Domain::new(eip712_name, USDC_VERSION, BASE_SEPOLIA_CHAIN_ID, BASE_SEPOLIA_USDC),
        network: caip2(BASE_SEPOLIA_CHAIN_ID),
        chain_id: BASE_SEPOLIA_CHAIN_ID,
        asset: BASE_SEPOLIA_USDC,
        pay_to: SANDBOX_PAY_TO,
        eip712_name: eip712_name.into(),
        eip712_version: USDC_VERSION.into(),
        facilitator_url: String::new(),
        rpc_url: String::new(),
        x402: true,
        mpp: true,
        bearer: None,
    }
}

/// Refuses a known token on the other known chain.
fn asset_of_chain(check: &mut Check, key: &str, chain_id: u64, asset: Address) {
    let swapped =
        [(BASE_CHAIN_ID, BASE_SEPOLIA_USDC), (BASE_SEPOLIA_CHAIN_ID, BASE_USDC)].contains(&(chain_id, asset));
    if swapped {
        let other = if asset == BASE_USDC { BASE_SEPOLIA_USDC } else { BASE_USDC };
        check.fault(key, format!("is USDC of another network: on eip155:{chain_id}, give {other}"));
    }
}

/// Name and version of the token's EIP-712 domain.
fn domain(raw: &RawBase, asset: Address, check: &mut Check) -> Option<(String, String)> {
    let known = known_domain(asset);
    let (name, version) = (known.map(|known| known.0), known.map(|known| known.1));
    let name = word(check, "payment.rail.base.eip712_name", raw.eip712_name.as_ref(), name);
    let version = word(check, "payment.rail.base.eip712_version", raw.eip712_version.as_ref(), version);
    name.zip(version)
}

/// A word of a token's domain: payers sign it, so with a wrong one every signature is a bad one.
fn word(check: &mut Check, key: &str, given: Option<&String>, known: Option<&str>) -> Option<String> {
    match (given.map(String::as_str), known) {
        (Some(given), Some(known)) if given != known => {
            check.fault(
                key,
                format!("is {given:?}, but the value of this asset is {known:?}: remove the key"),
            );
            None
        }
        (None, None) => {
            check.fault(key, "is missing, and this asset is not known: give the value of its contract");
            None
        }
        (Some(""), _) => {
            check.fault(key, "is empty: give the value of the asset's contract");
            None
        }
        (given, known) => given.or(known).map(str::to_owned),
    }
}

/// Name and version of the EIP-712 domain of a known token.
fn known_domain(asset: Address) -> Option<(&'static str, &'static str)> {
    [(BASE_USDC, "USD Coin"), (BASE_SEPOLIA_USDC, "USDC")]
        .into_iter()
        .find_map(|(known, name)| (known == asset).then_some((name, USDC_VERSION)))
}
