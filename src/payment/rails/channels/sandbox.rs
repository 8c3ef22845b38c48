//! Channels of a sandbox: every signature is checked, and no money moves.
//!
//! A deposit is credited in memory. Claims and refunds are taken for done, and change nothing on a chain: nothing is
//! ever claimed, and what is given back leaves the balance.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ChannelRail;
use super::contracts::deposit_claim;
use crate::payment::core::channel::chain::{ChannelChain, ChannelClaim};
use crate::payment::core::channel::payment::{ChannelPayment, SignedDeposit};
use crate::payment::core::channel::row::{OnChain, RefundIntent, Voucher};
use crate::payment::core::claim::{Claim, ClaimKey};
use crate::payment::core::scheme::{Chain, RailClaim, Scheme, Settlement, SignedPayment, Step, Verdict};
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};
use crate::payment::rails::sandbox::Sandbox;

/// Channels without a chain.
pub struct SandboxChannels {
    rail: Arc<ChannelRail>,
    deposits: Sandbox,
    channels: Mutex<BTreeMap<ChannelId, OnChain>>,
}

impl SandboxChannels {
    /// None yet.
    pub fn new(rail: Arc<ChannelRail>) -> Self {
        Self { rail, deposits: Sandbox::default(), channels: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChannelId, OnChain>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scheme for SandboxChannels {
    fn verify<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Verdict> {
        self.deposits.verify(claim, payment)
    }

    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement> {
        if let SignedPayment::Deposit(order) = payment {
            let mut channels = self.lock();
            let channel = channels.entry(order.id).or_default();
            channel.balance = channel.balance.saturating_add(order.deposit.authorization.amount);
        }
        self.deposits.settle(claim, payment)
    }

    fn query<'a>(&'a self, claim: &'a Claim, transaction: Option<&'a str>) -> Step<'a, Chain> {
        self.deposits.query(claim, transaction)
    }

    fn is_up(&self) -> bool {
        true
    }

    fn withdraw(&self, _why: &str) {}

    fn head(&self) -> u64 {
        0
    }
}

impl ChannelChain for SandboxChannels {
    fn query<'a>(&'a self, ids: &'a [ChannelId]) -> Step<'a, Result<Vec<OnChain>, String>> {
        let channels = self.lock();
        let said = ids.iter().map(|id| channels.get(id).copied().unwrap_or_default()).collect();
        Box::pin(async { Ok(said) })
    }

    fn unswept(&self) -> Step<'_, Result<u64, String>> {
        Box::pin(async { Ok(0) })
    }

    fn claim<'a>(&'a self, _claims: &'a [ChannelClaim]) -> Step<'a, Settlement> {
        Box::pin(async { Settlement::Done(None) })
    }

    fn sweep(&self) -> Step<'_, Settlement> {
        Box::pin(async { Settlement::Done(None) })
    }

    fn refund<'a>(
        &'a self,
        config: &'a ChannelConfig,
        _voucher: &'a Voucher,
        _claim: Option<&'a ChannelClaim>,
        intent: &'a RefundIntent,
    ) -> Step<'a, Settlement> {
        if let Some(channel) = self.lock().get_mut(&config.id(&self.rail.domain)) {
            channel.balance = channel.balance.saturating_sub(intent.amount);
            channel.refund_nonce += 1;
        }
        Box::pin(async { Settlement::Done(None) })
    }

    fn deposit_claim(&self, payment: &ChannelPayment, deposit: &SignedDeposit) -> (ClaimKey, RailClaim) {
        deposit_claim(&self.rail, payment, deposit)
    }

    fn has_key_for(&self, config: &ChannelConfig) -> bool {
        self.rail.key_for(config).is_some()
    }

    fn is_current(&self, config: &ChannelConfig) -> bool {
        self.rail.is_current(config)
    }

    fn is_up(&self) -> bool {
        true
    }

    fn can_settle(&self) -> bool {
        true
    }

    fn was_supported_before(&self) {}

    fn head(&self) -> u64 {
        0
    }
}
