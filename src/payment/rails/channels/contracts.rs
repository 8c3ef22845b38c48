//! The contracts of payment channels on one chain, and the facilitator that has their transactions mined.
//!
//! What counts is what the contracts say; a facilitator's word is a word. A deposit counts for the processor by the rule
//! of `base`: the log directly after the token's `AuthorizationUsed` is its `Transfer` of the amount from the payer to the
//! collector. The trace of a deposit's claim is the payer's address and the nonce, with a space between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::B256;
use tokio::task::JoinSet;

use super::ChannelRail;
use super::multicall::{MULTICALL, aggregate, call_data, number, returned, selector};
use crate::payment::core::channel::chain::{ChannelChain, ChannelClaim};
use crate::payment::core::channel::payment::{ChannelPayment, SignedDeposit};
use crate::payment::core::channel::row::{OnChain, RefundIntent, Voucher};
use crate::payment::core::claim::{Claim, ClaimKey};
use crate::payment::core::rail::CallTimes;
use crate::payment::core::scheme::{
    Chain, DepositOrder, RailClaim, Scheme, Settlement, SignedPayment, Step, Verdict,
};
use crate::payment::net::facilitator::Facilitator;
use crate::payment::net::health::{Health, both_faults};
use crate::payment::net::http::Client;
use crate::payment::net::node::EvmNode;
use crate::payment::protocols::channel::{
    CHANNELS_CONTRACT, ChannelConfig, ChannelId, ClaimEntry, DEPOSIT_COLLECTOR, Signature, claim_digest,
    refund_digest,
};
use crate::payment::protocols::x402::batch::{BATCH, ChannelOrder, ClaimOf, VoucherOf, order_request};
use crate::payment::rails::base::key_of;
use crate::payment::rails::base::scheme::Due;

/// Who claims, sweeps and refunds are counted for in the facilitator's health.
const OURSELVES: &str = "ourselves";

/// The contracts and who settles.
#[derive(Debug)]
pub struct ChannelContracts {
    rail: Arc<ChannelRail>,
    facilitator: Arc<Facilitator>,
    node: Arc<EvmNode>,
    node_health: Arc<Health>,
    times: CallTimes,
    /// Whether there is code at the contracts.
    has_code: Arc<AtomicBool>,
    /// Whether a facilitator has ever said that it settles channels.
    was_supported: Arc<AtomicBool>,
    /// Dropped with this, and the tasks with it.
    _probes: JoinSet<()>,
}

impl ChannelContracts {
    /// Starts asking; tasks of the current runtime probe node and facilitator.
    pub fn start(client: &Client, rail: Arc<ChannelRail>, times: CallTimes) -> Self {
        let base = &rail.base;
        let name = format!("{} channels", base.network);
        let (url, bearer) = (&base.facilitator_url, base.bearer.clone());
        let facilitator =
            Arc::new(Facilitator::new(client.clone(), &name, url, bearer, (BATCH, &base.network)));
        let node = Arc::new(EvmNode::new(client.clone(), &base.rpc_url, base.chain_id));
        let (has_code, was_supported) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let mut probes = JoinSet::new();
        let (asked, supported) = (Arc::clone(&facilitator), Arc::clone(&was_supported));
        probes.spawn(async move {
            let probe = || async {
                asked.supported().await?;
                supported.store(true, Ordering::Release);
                Ok(())
            };
            asked.health().watch(probe).await;
        });
        let node_health = Arc::new(Health::new(format!("{name}, node")));
        let (asked, watched, code) = (Arc::clone(&node), Arc::clone(&node_health), Arc::clone(&has_code));
        probes.spawn(async move {
            let probe = || async {
                asked.probe().await?;
                if !code.load(Ordering::Acquire) {
                    find_contracts(&asked).await?;
                    code.store(true, Ordering::Release);
                }
                Ok(())
            };
            watched.watch(probe).await;
        });
        Self { rail, facilitator, node, node_health, times, has_code, was_supported, _probes: probes }
    }

    /// What the facilitator is asked for; the amount is that of the order.
    fn request(&self, amount: u64, order: &ChannelOrder<'_>) -> Vec<u8> {
        order_request(&self.rail.requirement(amount, self.times.offer_s, None), order)
    }

    fn deposit_request(&self, claim: &Claim, payment: &SignedPayment) -> Option<Vec<u8>> {
        let SignedPayment::Deposit(order) = payment else { return None };
        let DepositOrder { config, id, voucher, deposit } = order.as_ref();
        let voucher = VoucherOf { config, id: *id, max: voucher.max, signature: &voucher.signature };
        let order = ChannelOrder::Deposit {
            voucher,
            authorization: &deposit.authorization,
            signature: &deposit.signature,
        };
        Some(self.request(claim.amount, &order))
    }

    async fn settle_order(&self, amount: u64, order: &ChannelOrder<'_>) -> Settlement {
        self.facilitator.settle(self.request(amount, order).into(), OURSELVES, self.times.settle).await
    }

    /// Our signature of claims, which are all of one authorizer; `None` when its key is not here.
    fn sign_claims(&self, claims: &[ClaimOf<'_>]) -> Option<Signature> {
        let key = self.rail.key_for(claims.first()?.voucher.config)?;
        let entry = |claim: &ClaimOf<'_>| ClaimEntry {
            id: claim.voucher.id,
            max: claim.voucher.max,
            claimed: claim.claimed,
        };
        let entries: Vec<ClaimEntry> = claims.iter().map(entry).collect();
        Some(key.sign(claim_digest(&entries, &self.rail.domain)))
    }

    fn claim_of<'a>(&self, claim: &'a ChannelClaim) -> ClaimOf<'a> {
        ClaimOf { voucher: self.voucher_of(&claim.config, &claim.voucher), claimed: claim.claimed }
    }

    fn voucher_of<'a>(&self, config: &'a ChannelConfig, voucher: &'a Voucher) -> VoucherOf<'a> {
        VoucherOf {
            config,
            id: config.id(&self.rail.domain),
            max: voucher.max,
            signature: &voucher.signature,
        }
    }

    async fn read(&self, ids: &[ChannelId]) -> Result<Vec<OnChain>, String> {
        let getters =
            ["channels(bytes32)", "pendingWithdrawals(bytes32)", "refundNonce(bytes32)"].map(selector);
        let calls: Vec<Vec<u8>> =
            ids.iter().flat_map(|id| getters.map(|getter| call_data(getter, &[*id]))).collect();
        let data = aggregate(CHANNELS_CONTRACT, &calls);
        let answer = self.node.call(MULTICALL, data).await.map_err(|why| why.to_string())?;
        let returned = returned(&answer, calls.len())
            .ok_or("the node's answer is not a valid answer of the contract Multicall3")?;
        let read = |of: &[&[u8]]| {
            let [channel, withdrawal, nonce] = of else { return None };
            let withdraw_at = number(withdrawal, 1)?;
            Some(OnChain {
                balance: number(channel, 0)?,
                claimed: number(channel, 1)?,
                withdraw_at: (withdraw_at > 0).then_some(withdraw_at),
                refund_nonce: number(nonce, 0)?,
            })
        };
        let channels: Option<Vec<OnChain>> = returned.chunks(getters.len()).map(read).collect();
        channels.ok_or_else(|| "a number of a channel on the chain is not below 2^64".to_owned())
    }
}

/// Whether the contracts are there.
async fn find_contracts(node: &EvmNode) -> Result<(), String> {
    for contract in [CHANNELS_CONTRACT, DEPOSIT_COLLECTOR, MULTICALL] {
        if !node.has_code(contract).await.map_err(|why| why.to_string())? {
            return Err(format!("this chain has no contract at {contract}: remove [payment.rail.channels]"));
        }
    }
    Ok(())
}

impl Scheme for ChannelContracts {
    fn verify<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Verdict> {
        Box::pin(async move {
            match self.deposit_request(claim, payment) {
                Some(body) => self.facilitator.verify(body.into(), &claim.payer, self.times.verify).await,
                None => Verdict::Invalid("the payment is not a deposit".to_owned()),
            }
        })
    }

    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement> {
        Box::pin(async move {
            match self.deposit_request(claim, payment) {
                Some(body) => self.facilitator.settle(body.into(), &claim.payer, self.times.settle).await,
                None => Settlement::Refused("the payment is not a deposit".to_owned(), None),
            }
        })
    }

    fn query<'a>(&'a self, claim: &'a Claim, transaction: Option<&'a str>) -> Step<'a, Chain> {
        Box::pin(async move {
            let Some(due) = Due::of(claim) else {
                return Chain::Silent(
                    "the payment cannot be found on the chain: its row in the ledger is not valid".to_owned(),
                );
            };
            due.query(&self.node, transaction).await.unwrap_or_else(|why| Chain::Silent(why.to_string()))
        })
    }

    fn is_up(&self) -> bool {
        ChannelChain::is_up(self)
    }

    fn fault(&self) -> Option<String> {
        both_faults(self.facilitator.health(), &self.node_health).filter(|_| !ChannelChain::is_up(self))
    }

    fn withdraw(&self, why: &str) {
        self.facilitator.health().withdraw(why);
    }

    fn head(&self) -> u64 {
        self.node.head()
    }
}

impl ChannelChain for ChannelContracts {
    fn query<'a>(&'a self, ids: &'a [ChannelId]) -> Step<'a, Result<Vec<OnChain>, String>> {
        Box::pin(self.read(ids))
    }

    fn unswept(&self) -> Step<'_, Result<u64, String>> {
        Box::pin(async {
            let words = [self.rail.base.pay_to.into_word(), self.rail.base.asset.into_word()];
            let data = call_data(selector("receivers(address,address)"), &words);
            let answer =
                self.node.call(CHANNELS_CONTRACT, data.into()).await.map_err(|why| why.to_string())?;
            let sums = number(&answer, 0).zip(number(&answer, 1));
            let (claimed, swept) =
                sums.ok_or("the claimed or the swept amount on the chain is not below 2^64")?;
            Ok(claimed.saturating_sub(swept))
        })
    }

    fn claim<'a>(&'a self, claims: &'a [ChannelClaim]) -> Step<'a, Settlement> {
        Box::pin(async move {
            let claims: Vec<ClaimOf<'_>> = claims.iter().map(|claim| self.claim_of(claim)).collect();
            let Some(signature) = self.sign_claims(&claims) else { return no_key() };
            let order = ChannelOrder::Claim { claims: &claims, signature: &signature };
            self.settle_order(claims.iter().map(|claim| claim.claimed).max().unwrap_or_default(), &order)
                .await
        })
    }

    fn sweep(&self) -> Step<'_, Settlement> {
        Box::pin(async {
            let order = ChannelOrder::Sweep { receiver: self.rail.base.pay_to, token: self.rail.base.asset };
            self.settle_order(0, &order).await
        })
    }

    fn refund<'a>(
        &'a self,
        config: &'a ChannelConfig,
        voucher: &'a Voucher,
        claim: Option<&'a ChannelClaim>,
        intent: &'a RefundIntent,
    ) -> Step<'a, Settlement> {
        Box::pin(async move {
            let Some(key) = self.rail.key_for(config) else { return no_key() };
            let voucher = self.voucher_of(config, voucher);
            let claims: Vec<ClaimOf<'_>> = claim.into_iter().map(|claim| self.claim_of(claim)).collect();
            let claims_signature = self.sign_claims(&claims);
            let digest = refund_digest(voucher.id, intent.nonce, intent.amount, &self.rail.domain);
            let order = ChannelOrder::Refund {
                voucher,
                amount: intent.amount,
                nonce: intent.nonce,
                claims: &claims,
                claims_signature: claims_signature.as_ref(),
                signature: &key.sign(digest),
            };
            self.settle_order(intent.amount, &order).await
        })
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
        self.node.was_seen()
            && self.has_code.load(Ordering::Acquire)
            && self.was_supported.load(Ordering::Acquire)
    }

    fn can_settle(&self) -> bool {
        self.facilitator.health().is_up()
    }

    fn was_supported_before(&self) {
        self.was_supported.store(true, Ordering::Release);
    }

    fn head(&self) -> u64 {
        self.node.head()
    }
}

/// What the claim of a deposit holds, and what is settled.
pub(super) fn deposit_claim(
    rail: &ChannelRail,
    payment: &ChannelPayment,
    deposit: &SignedDeposit,
) -> (ClaimKey, RailClaim) {
    let base = &rail.base;
    let nonce: B256 = deposit.authorization.nonce(payment.id);
    let payer = payment.config.payer;
    let key = key_of(base.chain_id, base.asset, payer, nonce);
    let order = DepositOrder {
        config: payment.config.clone(),
        id: payment.id,
        voucher: Voucher { max: payment.max, signature: payment.signature },
        deposit: deposit.clone(),
    };
    let claim = RailClaim {
        network: base.network.clone(),
        asset: format!("{:#x}", base.asset),
        pay_to: format!("{DEPOSIT_COLLECTOR:#x}"),
        trace: format!("{payer:#x} {nonce:#x}"),
        valid_before: deposit.authorization.valid_before,
        payment: SignedPayment::Deposit(Box::new(order)),
    };
    (key, claim)
}

fn no_key() -> Settlement {
    Settlement::Refused("the key of the channel's authorizer is not configured".to_owned(), None)
}
