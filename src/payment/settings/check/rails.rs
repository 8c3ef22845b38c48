//! The rails of a configuration: what each needs, and what it cannot be.

use alloy_primitives::Address;

use super::Check;
use crate::payment::claim::{Protocol, Rail};
use crate::payment::secret::Secret;
use crate::payment::settings::wish::{EvmWish, PaymentWish, SolanaWish, TempoWish};
use crate::payment::settings::{
    BASE_CHAIN_ID, BASE_SEPOLIA_CHAIN_ID, BASE_SEPOLIA_USDC, BASE_USDC, EvmRail, SANDBOX_PAY_TO, SolanaRail,
    TempoRail, forms,
};

/// Version of the EIP-712 domain of both known tokens.
const USDC_VERSION: &str = "2";

/// Owner of nothing, to whom tokens on Solana are sent to be burnt.
const SOLANA_INCINERATOR: &str = "1nc1nerator11111111111111111111111111111111";

impl Check {
    /// The rails that are offered. All that are configured are checked, also those that a sandbox leaves out.
    pub(super) fn rails(
        &mut self,
        wish: &PaymentWish,
        base_bearer: Option<Secret>,
        solana_bearer: Option<Secret>,
    ) -> (Option<EvmRail>, Option<SolanaRail>, Option<TempoRail>) {
        let rail = &wish.rail;
        if self.live && rail.base.is_none() && rail.solana.is_none() && rail.tempo.is_none() {
            self.fault("payment.rail", "has no rail: give at least one of base, solana and tempo");
        }
        let base = rail.base.as_ref().and_then(|wish| self.base(wish, base_bearer));
        let solana = rail.solana.as_ref().and_then(|wish| self.solana(wish, solana_bearer));
        let tempo = rail.tempo.as_ref().and_then(|wish| self.tempo(wish));
        if self.live {
            return (base, solana, tempo);
        }
        // Nobody is asked to sign away real money for a sandbox.
        let base = base.filter(|rail| rail.chain_id == BASE_SEPOLIA_CHAIN_ID);
        (Some(base.unwrap_or_else(EvmRail::sandbox)), None, None)
    }

    fn base(&mut self, wish: &EvmWish, bearer: Option<Secret>) -> Option<EvmRail> {
        let at = |key: &str| format!("payment.rail.base.{key}");
        let chain_id = self.demand(&at("network"), wish.network.as_ref(), forms::evm_network);
        let asset = self.demand(&at("asset"), wish.asset.as_ref(), forms::evm_address);
        let pay_to = self.demand(&at("pay_to"), wish.pay_to.as_ref(), forms::evm_address);
        self.payee(&at("pay_to"), pay_to, asset);
        if let (Some(chain_id), Some(asset)) = (chain_id, asset) {
            self.asset_of_chain(&at("asset"), chain_id, asset);
        }
        let domain = asset.and_then(|asset| self.domain(wish, asset));
        let facilitator_url =
            self.demand_live(&at("facilitator_url"), wish.facilitator_url.as_ref(), forms::service_url);
        let rpc_url = self.demand_live(&at("rpc_url"), wish.rpc_url.as_ref(), forms::exact_url);
        let both = [Protocol::X402, Protocol::Mpp];
        let protocols = self.protocols(Rail::Base, wish.protocols.as_ref(), &both);
        let (chain_id, (eip712_name, eip712_version)) = (chain_id?, domain?);
        Some(EvmRail {
            network: format!("eip155:{chain_id}"),
            chain_id,
            asset: asset?,
            pay_to: pay_to?,
            eip712_name,
            eip712_version,
            facilitator_url: facilitator_url?,
            rpc_url: rpc_url?,
            x402: protocols.contains(&Protocol::X402),
            mpp: protocols.contains(&Protocol::Mpp),
            bearer,
        })
    }

    fn solana(&mut self, wish: &SolanaWish, bearer: Option<Secret>) -> Option<SolanaRail> {
        let at = |key: &str| format!("payment.rail.solana.{key}");
        let network = self.demand(&at("network"), wish.network.as_ref(), forms::solana_network);
        let asset = self.demand(&at("asset"), wish.asset.as_ref(), forms::solana_address);
        let pay_to = self.demand(&at("pay_to"), wish.pay_to.as_ref(), forms::solana_address);
        let incinerator = forms::solana_address(SOLANA_INCINERATOR).ok();
        if self.live && pay_to.is_some_and(|pay_to| pay_to == [0; 32] || Some(pay_to) == incinerator) {
            self.fault(&at("pay_to"), "is an address that nobody has a key to: give your own");
        }
        if pay_to.is_some() && pay_to == asset {
            self.fault(&at("pay_to"), "is the token itself: give your own address");
        }
        let facilitator_url =
            self.demand_live(&at("facilitator_url"), wish.facilitator_url.as_ref(), forms::service_url);
        let rpc_url = self.demand_live(&at("rpc_url"), wish.rpc_url.as_ref(), forms::exact_url);
        self.protocols(Rail::Solana, wish.protocols.as_ref(), &[Protocol::X402]);
        Some(SolanaRail {
            network: network?,
            asset: asset?,
            pay_to: pay_to?,
            facilitator_url: facilitator_url?,
            rpc_url: rpc_url?,
            bearer,
        })
    }

    fn tempo(&mut self, wish: &TempoWish) -> Option<TempoRail> {
        let at = |key: &str| format!("payment.rail.tempo.{key}");
        let chain_id = wish.chain_id.filter(|&chain_id| chain_id > 0);
        if chain_id.is_none() {
            self.fault(
                &at("chain_id"),
                "is missing or 0: give the number of the chain, 4217 for the main one",
            );
        }
        let asset = self.demand(&at("asset"), wish.asset.as_ref(), forms::evm_address);
        let pay_to = self.demand(&at("pay_to"), wish.pay_to.as_ref(), forms::evm_address);
        self.payee(&at("pay_to"), pay_to, asset);
        let rpc_url = self.demand_live(&at("rpc_url"), wish.rpc_url.as_ref(), forms::exact_url);
        self.protocols(Rail::Tempo, wish.protocols.as_ref(), &[Protocol::Mpp]);
        Some(TempoRail { chain_id: chain_id?, asset: asset?, pay_to: pay_to?, rpc_url: rpc_url? })
    }

    /// Refuses who cannot be paid.
    fn payee(&mut self, key: &str, pay_to: Option<Address>, asset: Option<Address>) {
        let Some(pay_to) = pay_to else { return };
        if pay_to.is_zero() || (self.live && pay_to == SANDBOX_PAY_TO) {
            self.fault(key, "is an address that nobody has a key to: give your own");
        }
        if Some(pay_to) == asset {
            self.fault(key, "is the token itself: give your own address");
        }
    }

    /// Refuses a known token on the other known chain.
    fn asset_of_chain(&mut self, key: &str, chain_id: u64, asset: Address) {
        let swapped = [(BASE_CHAIN_ID, BASE_SEPOLIA_USDC), (BASE_SEPOLIA_CHAIN_ID, BASE_USDC)]
            .contains(&(chain_id, asset));
        if swapped {
            let other = if asset == BASE_USDC { BASE_SEPOLIA_USDC } else { BASE_USDC };
            self.fault(key, format!("is USDC of another network: on eip155:{chain_id} it is {other}"));
        }
    }

    /// Name and version of the token's EIP-712 domain.
    fn domain(&mut self, wish: &EvmWish, asset: Address) -> Option<(String, String)> {
        let known = known_domain(asset);
        let (name, version) = (known.map(|known| known.0), known.map(|known| known.1));
        let name = self.word("payment.rail.base.eip712_name", wish.eip712_name.as_ref(), name);
        let version = self.word("payment.rail.base.eip712_version", wish.eip712_version.as_ref(), version);
        name.zip(version)
    }

    /// A word of a token's domain: payers sign it, so with a wrong one every signature is a bad one.
    fn word(&mut self, key: &str, given: Option<&String>, known: Option<&str>) -> Option<String> {
        match (given.map(String::as_str), known) {
            (Some(given), Some(known)) if given != known => {
                self.fault(key, format!("is {given:?}, and that of this asset is {known:?}: leave it out"));
                None
            }
            (None, None) => {
                self.fault(key, "is missing, and this asset is not known: give what its contract says");
                None
            }
            (Some(""), _) => {
                self.fault(key, "is empty: give what the asset's contract says");
                None
            }
            (given, known) => given.or(known).map(str::to_owned),
        }
    }

    /// Protocols that a rail is offered by: all that it can do, unless it says otherwise.
    fn protocols(&mut self, rail: Rail, given: Option<&Vec<String>>, can: &[Protocol]) -> Vec<Protocol> {
        let Some(given) = given else { return can.to_vec() };
        let key = format!("payment.rail.{rail}.protocols");
        let words: Vec<String> = can.iter().map(|protocol| format!("{:?}", protocol.as_str())).collect();
        let words = words.join(" and ");
        if given.is_empty() {
            self.fault(&key, format!("is empty: give {words}, or leave the rail out"));
        }
        let mut protocols = Vec::new();
        for word in given {
            match word.parse::<Protocol>().ok().filter(|protocol| can.contains(protocol)) {
                Some(protocol) if protocols.contains(&protocol) => {
                    self.fault(&key, format!("has {word:?} twice"));
                }
                Some(protocol) => protocols.push(protocol),
                None => self.fault(&key, format!("has {word:?}, which {rail} is not paid by: give {words}")),
            }
        }
        protocols
    }
}

/// Name and version of the EIP-712 domain of a known token.
fn known_domain(asset: Address) -> Option<(&'static str, &'static str)> {
    [(BASE_USDC, "USD Coin"), (BASE_SEPOLIA_USDC, "USDC")]
        .into_iter()
        .find_map(|(known, name)| (known == asset).then_some((name, USDC_VERSION)))
}

impl EvmRail {
    /// The rail of a sandbox: test money, paid to nobody.
    fn sandbox() -> Self {
        Self {
            network: format!("eip155:{BASE_SEPOLIA_CHAIN_ID}"),
            chain_id: BASE_SEPOLIA_CHAIN_ID,
            asset: BASE_SEPOLIA_USDC,
            pay_to: SANDBOX_PAY_TO,
            eip712_name: "USDC".into(),
            eip712_version: USDC_VERSION.into(),
            facilitator_url: String::new(),
            rpc_url: String::new(),
            x402: true,
            mpp: true,
            bearer: None,
        }
    }
}
