//! Payment channels on Base, or on another EVM chain: x402 `batch-settlement`.
//!
//! Network, token, payee, facilitator and node are those of the rail of single payments (`base`), which must offer x402.
//! `config` checks the operator's table, `credential` reads what clients send, [`contracts`] asks the chain and has
//! deposits, claims and refunds settled, [`sandbox`] stands in for all that where no money is to move. What is sold when
//! is decided in `core::channel`.

mod config;
pub mod contracts;
mod credential;
mod multicall;
pub mod sandbox;

use std::sync::Arc;

pub use self::config::RawChannels;
use self::contracts::ChannelContracts;
use self::sandbox::SandboxChannels;
use super::base::BaseRail;
use crate::payment::core::channel::ChannelTerms;
use crate::payment::core::channel::outcome::OutOfSync;
use crate::payment::core::check::Check;
use crate::payment::core::claim::{PaymentProtocol, RailName};
use crate::payment::core::rail::{
    OfferParts, Rail, RailContext, RailKind, RailMeans, ReadChannel, Started, WayToPay,
};
use crate::payment::protocols::channel::{AuthorizerKey, ChannelConfig};
use crate::payment::protocols::eip3009::Domain;
use crate::payment::protocols::x402::batch::{BATCH, VoucherStateText};
use crate::payment::protocols::x402::{ChannelExtra, Requirement, X402Payload};

/// Its name.
pub const NAME: RailName = RailName::new("channels");

/// What is known of it before it is configured.
pub const KIND: RailKind = RailKind { name: NAME, mpp_method: "evm", takes_bearer: false };

/// Clients take the first offer that they can pay: who wants channels asks for them alone.
const RANK: u8 = u8::MAX;

/// The rail as it is configured.
#[derive(Debug, Clone)]
pub struct ChannelRail {
    /// The rail of single payments that it shares network, token, payee, facilitator and node with.
    base: BaseRail,
    /// What the operator allows.
    terms: ChannelTerms,
    /// Signs claims and refunds.
    key: AuthorizerKey,
    /// The key before it.
    previous: Option<AuthorizerKey>,
    /// What signatures of channels are made for.
    domain: Domain,
}

impl ChannelRail {
    /// The key that signs for a channel, if there is one here.
    fn key_for(&self, config: &ChannelConfig) -> Option<&AuthorizerKey> {
        let keys = [Some(&self.key), self.previous.as_ref()];
        keys.into_iter().flatten().find(|key| key.address() == config.receiver_authorizer)
    }

    /// Whether a channel is on today's terms.
    fn is_current(&self, config: &ChannelConfig) -> bool {
        config.receiver == self.base.pay_to
            && config.token == self.base.asset
            && config.withdraw_delay == self.terms.withdraw_delay_s
            && config.receiver_authorizer == self.key.address()
    }

    /// Its terms, with where a channel stands.
    fn requirement(&self, amount: u64, ttl_s: u64, out_of_sync: Option<&OutOfSync>) -> Requirement {
        let mut requirement = self.base.requirement(amount, ttl_s, None);
        BATCH.clone_into(&mut requirement.scheme);
        let voucher = out_of_sync.and_then(|out_of_sync| out_of_sync.voucher.as_ref());
        requirement.extra.channel = Some(Box::new(ChannelExtra {
            receiver_authorizer: self.key.address().to_checksum(None),
            withdraw_delay: self.terms.withdraw_delay_s,
            min_deposit: self.terms.deposit_min.to_string(),
            channel_state: out_of_sync
                .map(|OutOfSync { id, chain, charged, .. }| chain.as_text(*id, *charged)),
            voucher_state: voucher.map(|voucher| VoucherStateText::new(voucher.max, &voucher.signature)),
        }));
        requirement
    }
}

impl Rail for ChannelRail {
    type Raw = RawChannels;

    fn check(raw: &RawChannels, context: &RailContext<'_>, check: &mut Check) -> Option<Self> {
        config::check(raw, context, check)
    }

    /// Its base is the sandbox's already.
    fn in_sandbox(configured: Option<Self>) -> Option<Self> {
        configured
    }

    fn kind(&self) -> RailKind {
        KIND
    }

    fn network(&self) -> String {
        self.base.network.clone()
    }

    fn ways(&self) -> Vec<WayToPay> {
        vec![WayToPay { protocol: PaymentProtocol::X402, method: BATCH, rank: RANK }]
    }

    fn x402_offer(&self, parts: &OfferParts<'_>) -> Option<Requirement> {
        Some(self.requirement(parts.amount, parts.ttl_s, None))
    }

    fn channel_terms(&self) -> Option<&ChannelTerms> {
        Some(&self.terms)
    }

    fn read_channel(&self, accepted: &Requirement, payload: &X402Payload) -> Option<ReadChannel> {
        let X402Payload::Channel(payload) = payload else { return None };
        let is_ours = accepted.scheme == BATCH && accepted.network == self.base.network;
        is_ours.then(|| credential::read(self, payload))
    }

    fn correction(&self, amount: u64, ttl_s: u64, out_of_sync: Option<&OutOfSync>) -> Option<Requirement> {
        Some(self.requirement(amount, ttl_s, out_of_sync))
    }

    fn start(self: Arc<Self>, means: &RailMeans) -> Started {
        let contracts = Arc::new(ChannelContracts::start(&means.client, self, means.times));
        Started { scheme: Arc::clone(&contracts) as Arc<_>, channels: Some(contracts) }
    }

    fn start_in_sandbox(self: Arc<Self>) -> Started {
        let channels = Arc::new(SandboxChannels::new(self));
        Started { scheme: Arc::clone(&channels) as Arc<_>, channels: Some(channels) }
    }
}
