//! USDC on an EVM chain: authorizations that a facilitator settles, and the rule for what is paid.
//!
//! **Paid** means: in the receipt of a transaction that went well, the log directly after the token's
//! `AuthorizationUsed` for this payer and nonce is the token's `Transfer` of this amount from this payer to us. That
//! the receipt holds such a transfer *somewhere* is not enough: one transaction can use two authorizations of one
//! payer, and with one transfer two answers would be bought.
//!
//! The trace of a claim is the payer's address and the nonce, with a space between them.

use std::sync::Arc;

use alloy_primitives::{Address, B256, U256, keccak256};
use tokio::task::JoinSet;

use super::BaseRail;
use crate::payment::core::claim::{Claim, Proof};
use crate::payment::core::rail::CallTimes;
use crate::payment::core::scheme::{Chain, Scheme, Settlement, SignedPayment, Step, Verdict};
use crate::payment::net::CHAIN_TIME_MARGIN_S;
use crate::payment::net::facilitator::Facilitator;
use crate::payment::net::health::{Health, both_faults};
use crate::payment::net::http::Client;
use crate::payment::net::node::{EvmBlock, EvmLog, EvmNode, EvmReceipt};
use crate::payment::net::rpc::Failure;
use crate::payment::protocols::x402::{EXACT, facilitator_request};

/// Nodes answer for so many blocks at once.
pub const LOG_BLOCKS_MAX: u64 = 9_000;
/// So often a look asks for more blocks.
const LOG_CALLS_MAX: usize = 4;

/// `exact` of x402 on an EVM chain, which also settles the authorizations of MPP.
#[derive(Debug)]
pub struct ExactEvm {
    rail: Arc<BaseRail>,
    facilitator: Arc<Facilitator>,
    node: Arc<EvmNode>,
    node_health: Arc<Health>,
    times: CallTimes,
    /// Dropped with the scheme, and the tasks with it.
    _probes: JoinSet<()>,
}

impl ExactEvm {
    /// Starts the rail: it is up once its facilitator and its node have answered. Tasks of the current runtime probe
    /// both.
    pub fn start(client: &Client, rail: Arc<BaseRail>, times: CallTimes) -> Self {
        let (url, bearer) = (&rail.facilitator_url, rail.bearer.clone());
        let facilitator =
            Arc::new(Facilitator::new(client.clone(), &rail.network, url, bearer, (EXACT, &rail.network)));
        let node = Arc::new(EvmNode::new(client.clone(), &rail.rpc_url, rail.chain_id));
        let mut probes = JoinSet::new();
        let asked = Arc::clone(&facilitator);
        probes
            .spawn(async move { asked.health().watch(|| async { asked.supported().await.map(drop) }).await });
        let node_health = Arc::new(Health::new(format!("{} node", rail.network)));
        let (asked, watched) = (Arc::clone(&node), Arc::clone(&node_health));
        probes.spawn(async move { watched.watch(|| asked.probe()).await });
        Self { rail, facilitator, node, node_health, times, _probes: probes }
    }

    /// What the facilitator is asked, both times; `None` when the order is of another scheme. The reference of the
    /// offer stays here: who has it can ask for the answer.
    fn request(&self, claim: &Claim, payment: &SignedPayment) -> Option<Vec<u8>> {
        let SignedPayment::Authorization(_) = payment else { return None };
        let requirement = self.rail.requirement(claim.amount, self.times.offer_s, None);
        facilitator_request(&requirement, None, payment)
    }
}

impl Scheme for ExactEvm {
    fn verify<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Verdict> {
        Box::pin(async move {
            match self.request(claim, payment) {
                Some(body) => self.facilitator.verify(body.into(), &claim.payer, self.times.verify).await,
                None => Verdict::Invalid("the payment is not an authorization".to_owned()),
            }
        })
    }

    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement> {
        Box::pin(async move {
            match self.request(claim, payment) {
                Some(body) => self.facilitator.settle(body.into(), &claim.payer, self.times.settle).await,
                None => Settlement::Refused("the payment is not an authorization".to_owned(), None),
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
        self.node.was_seen() && self.facilitator.health().is_up()
    }

    fn fault(&self) -> Option<String> {
        both_faults(self.facilitator.health(), &self.node_health).filter(|_| !self.is_up())
    }

    fn withdraw(&self, why: &str) {
        self.facilitator.health().withdraw(why);
    }

    fn head(&self) -> u64 {
        self.node.head()
    }
}

/// A payment to be found.
#[derive(Debug, Clone, Copy)]
pub(in crate::payment::rails) struct Due {
    asset: Address,
    from: Address,
    nonce: B256,
    pay_to: Address,
    amount: u64,
    from_block: u64,
    valid_before: u64,
}

impl Due {
    /// By its claim; `None` when that cannot be read.
    pub(in crate::payment::rails) fn of(claim: &Claim) -> Option<Self> {
        let (from, nonce) = claim.trace.split_once(' ')?;
        Some(Self {
            asset: claim.asset.parse().ok()?,
            from: from.parse().ok()?,
            nonce: nonce.parse().ok()?,
            pay_to: claim.pay_to.parse().ok()?,
            amount: claim.amount,
            from_block: claim.from_block,
            valid_before: claim.valid_before,
        })
    }

    /// Topics of the token's word that the nonce is spent.
    fn spent(&self) -> [B256; 3] {
        [keccak256("AuthorizationUsed(address,bytes32)"), self.from.into_word(), self.nonce]
    }

    /// Where the receipt pays, by the rule.
    fn paid_in(&self, receipt: &EvmReceipt) -> Option<Proof> {
        if !receipt.succeeded() || receipt.block_number.0 < self.from_block {
            return None;
        }
        let transfer =
            [keccak256("Transfer(address,address,uint256)"), self.from.into_word(), self.pay_to.into_word()];
        let pays = |used: &EvmLog, next: &EvmLog| {
            used.is_of(self.asset, &self.spent())
                && next.says(self.asset, &transfer, U256::from(self.amount))
                && next.log_index.0 == used.log_index.0 + 1
        };
        let pair = receipt.logs.windows(2).find(|pair| pays(&pair[0], &pair[1]))?;
        let transaction = receipt.transaction_hash.to_string();
        Some(Proof { transaction, index: pair[1].log_index.0 })
    }

    /// Looks for it, first in a transaction that is said to hold it.
    pub(in crate::payment::rails) async fn query(
        &self,
        node: &EvmNode,
        transaction: Option<&str>,
    ) -> Result<Chain, Failure> {
        let mut contradicted = false;
        // What a facilitator calls a transaction may be anything.
        if let Some(hash) = transaction.and_then(|text| text.parse().ok())
            && let Some(receipt) = node.receipt(hash).await?
        {
            if let Some(proof) = self.paid_in(&receipt) {
                return Ok(Chain::Paid(proof));
            }
            contradicted = true;
        }
        self.search(node, contradicted).await
    }

    /// Looks for the transaction that spent the nonce, in all blocks that the payment can be in.
    async fn search(&self, node: &EvmNode, contradicted: bool) -> Result<Chain, Failure> {
        let latest = node.latest().await?;
        let mut from = self.from_block;
        // The first block that counts may be yet to come: a chain without traffic makes none.
        if latest.number.0.saturating_add(1) == from {
            let for_good = self.is_over(node, latest, latest.number.0).await?;
            return Ok(Chain::Unpaid { for_good, contradicted });
        }
        for _ in 0..LOG_CALLS_MAX {
            if latest.number.0 < from {
                break;
            }
            let to = latest.number.0.min(from.saturating_add(LOG_BLOCKS_MAX));
            let logs = node.logs(self.asset, self.spent(), (from, to)).await?;
            if !logs.is_empty() {
                return self.judge(node, latest, &logs).await;
            }
            let for_good = self.is_over(node, latest, to).await?;
            if for_good || to == latest.number.0 {
                return Ok(Chain::Unpaid { for_good, contradicted });
            }
            from = to + 1;
        }
        Ok(Chain::Silent(format!(
            "the payment can be in any block from {} on, and the node's newest block is {}",
            self.from_block, latest.number.0
        )))
    }

    /// Whether no block after `number` can hold the payment.
    async fn is_over(&self, node: &EvmNode, latest: EvmBlock, number: u64) -> Result<bool, Failure> {
        let block = if number == latest.number.0 { latest } else { node.block(number).await? };
        Ok(block.timestamp.0 > self.valid_before.saturating_add(CHAIN_TIME_MARGIN_S))
    }

    /// The nonce is spent: for us?
    async fn judge(&self, node: &EvmNode, latest: EvmBlock, spent: &[EvmLog]) -> Result<Chain, Failure> {
        for log in spent {
            let Some(receipt) = node.receipt(log.transaction_hash).await? else {
                return Ok(Chain::Silent(
                    "the node returned a log, but not the receipt of its transaction".to_owned(),
                ));
            };
            if let Some(proof) = self.paid_in(&receipt) {
                return Ok(Chain::Paid(proof));
            }
        }
        let for_good = self.is_over(node, latest, latest.number.0).await?;
        Ok(Chain::Unpaid { for_good, contradicted: true })
    }
}

#[cfg(test)]
mod tests;
