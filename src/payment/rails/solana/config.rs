//! `[payment.rail.solana]`: what it may hold, and what it cannot be.

use serde::Deserialize;

use super::transaction::{Pubkey, ata};
use super::{NAME, SolanaRail};
use crate::payment::core::check::Check;
use crate::payment::core::claim::PaymentProtocol;
use crate::payment::core::secret::Secret;
use crate::payment::core::validators::{exact_url, service_url, token_url};

/// Owner of nothing, to whom tokens are sent to be burnt.
const INCINERATOR: &str = "1nc1nerator11111111111111111111111111111111";
/// Bytes of an address.
const ADDRESS_BYTES: usize = 32;
/// Characters of the second part of a CAIP-2 name.
const CAIP2_REFERENCE_CHARS_MAX: usize = 32;

/// `[payment.rail.solana]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawSolana {
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

/// The rail of a configuration.
pub(super) fn check(raw: &RawSolana, bearer: Option<Secret>, check: &mut Check) -> Option<SolanaRail> {
    let at = |key: &str| format!("payment.rail.solana.{key}");
    let network = check.demand(&at("network"), raw.network.as_ref(), solana_network);
    let asset = check.demand(&at("asset"), raw.asset.as_ref(), solana_address);
    let pay_to = check.demand(&at("pay_to"), raw.pay_to.as_ref(), solana_address);
    let incinerator = solana_address(INCINERATOR).ok();
    let is_nobody =
        check.is_live() && pay_to.is_some_and(|pay_to| pay_to == [0; 32] || Some(pay_to) == incinerator);
    check.payee(&at("pay_to"), is_nobody, pay_to.is_some() && pay_to == asset);
    let form = if bearer.is_some() { token_url } else { service_url };
    let facilitator_url = check.demand_live(&at("facilitator_url"), raw.facilitator_url.as_ref(), form);
    let rpc_url = check.demand_live(&at("rpc_url"), raw.rpc_url.as_ref(), exact_url);
    check.protocols(NAME, raw.protocols.as_ref(), &[PaymentProtocol::X402]);
    let (asset, pay_to) = (asset?, pay_to?);
    Some(SolanaRail {
        network: network?,
        asset,
        pay_to,
        destination: ata(&pay_to, &asset),
        facilitator_url: facilitator_url?,
        rpc_url: rpc_url?,
        bearer,
    })
}

/// An address: 32 bytes in base 58.
fn solana_address(text: &str) -> Result<Pubkey, String> {
    let bytes = bs58::decode(text).into_vec().map_err(|error| format!("is not a Solana address: {error}"))?;
    let length = bytes.len();
    bytes.try_into().map_err(|_| {
        format!("is not a Solana address: it has {length} bytes, and an address has {ADDRESS_BYTES}")
    })
}

/// A network by its CAIP-2 name.
fn solana_network(text: &str) -> Result<String, String> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let named = text.strip_prefix("solana:").is_some_and(|reference| {
        (1..=CAIP2_REFERENCE_CHARS_MAX).contains(&reference.len()) && reference.bytes().all(word)
    });
    let refused = || {
        "is not a Solana network: give its CAIP-2 name, such as solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp for mainnet"
            .to_owned()
    };
    named.then(|| text.to_owned()).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solana_addresses_have_32_bytes() {
        let usdc = solana_address("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v").expect("an address");
        assert_eq!(usdc[..4], [0xc6, 0xfa, 0x7a, 0xf3]);
        assert_eq!(solana_address("11111111111111111111111111111111"), Ok([0; 32]));
        for text in ["", "1111111111111111111111111111111", "0PjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"] {
            assert!(solana_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn networks_are_caip2_names() {
        assert!(solana_network("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp").is_ok());
        for text in ["solana", "solana:", "solana:a b", "eip155:1", &format!("solana:{}", "a".repeat(33))] {
            assert!(solana_network(text).is_err(), "{text}");
        }
    }
}
