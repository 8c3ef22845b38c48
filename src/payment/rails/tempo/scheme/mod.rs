//! USDC on Tempo: transactions that this server broadcasts itself.
//!
//! The hash is known before anything is sent, so the chain can always be asked for the receipt. **Paid** means: the
//! transaction went well, and the token said `TransferWithMemo` of this amount from this payer to us with this memo.
//! The chain takes a transaction that it has already taken and shows its old receipt again: that one payment buys one
//! answer is the ledger's doing, by the place of the log.
//!
//! The trace of a claim is the transaction's hash and the memo, with a space between them.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use super::TempoRail;
use crate::payment::core::claim::{Claim, Proof};
use crate::payment::core::rail::CallTimes;
use crate::payment::core::scheme::{Chain, Scheme, Settlement, SignedPayment, Step, Verdict};
use crate::payment::net::CHAIN_TIME_MARGIN_S;
use crate::payment::net::health::{CallKind, Health};
use crate::payment::net::http::Client;
use crate::payment::net::node::{EvmNode, EvmReceipt};
use crate::payment::net::rpc::Failure;

/// Between two questions for a receipt, where the node does not wait for it by itself.
pub const RECEIPT_POLL: Duration = Duration::from_millis(250);
/// Share of the time for settling, a quarter at most, that is kept for asking what became of a broadcast that nothing was
/// heard of.
const AFTERMATH_MAX: Duration = Duration::from_secs(2);
/// A node's code for a transaction that it will not take.
const REJECTED: i64 = -32003;
const REVERTED: &str = "transaction_failed";

/// `charge` of MPP on Tempo.
#[derive(Debug)]
pub struct TempoBroadcast {
    node: Arc<EvmNode>,
    health: Arc<Health>,
    times: CallTimes,
    /// Dropped with the scheme, and the task with it.
    _probes: JoinSet<()>,
}

impl TempoBroadcast {
    /// Starts the rail: it is up once its node has answered. A task of the current runtime probes it.
    pub fn start(client: &Client, rail: &TempoRail, times: CallTimes) -> Self {
        let node = Arc::new(EvmNode::new(client.clone(), &rail.rpc_url, rail.chain_id));
        let health = Arc::new(Health::new("tempo"));
        let mut probes = JoinSet::new();
        let (asked, watched) = (Arc::clone(&node), Arc::clone(&health));
        probes.spawn(async move { watched.watch(|| asked.probe()).await });
        Self { node, health, times, _probes: probes }
    }

    /// Broadcasts, and says whether the node failed to answer, and then whether on the way.
    async fn broadcast(&self, due: &Due, raw: &Bytes) -> (Settlement, Option<bool>) {
        let deadline = Instant::now() + self.times.settle;
        let hash = due.hash;
        let waiting = self.times.settle.saturating_sub(AFTERMATH_MAX.min(self.times.settle / 4));
        let failure = match self.node.send_and_wait(raw, waiting).await {
            Ok(receipt) if receipt.transaction_hash == hash => return (ended(&receipt), None),
            Ok(_) => {
                return (
                    Settlement::Unclear("the receipt belongs to another transaction".to_owned(), None),
                    Some(false),
                );
            }
            Err(failure) if failure.is_method_unknown() => match self.node.send(raw).await {
                Ok(_) => return self.wait(hash, deadline).await,
                Err(failure) => failure,
            },
            Err(failure) => failure,
        };
        // It may have been taken all the same, now or by somebody else's hand.
        let receipt = self.node.receipt(hash).await;
        if let Ok(Some(receipt)) = &receipt {
            return (ended(receipt), None);
        }
        let settlement = match &failure {
            Failure::Said(error) if error.code == REJECTED => Settlement::Refused(error.to_string(), None),
            _ => Settlement::Unclear(failure.to_string(), Some(hash.to_string())),
        };
        let is_alive = receipt.is_ok() && self.has_taken(due).await;
        // An error is an answer, and anybody can sign what earns one: it takes the rail from nobody else. So does one
        // that keeps the node waiting for a block that never holds it.
        let silence = (matches!(failure, Failure::Silent(_)) && !is_alive).then(|| failure.is_network());
        (settlement, silence)
    }

    /// Whether the node holds a transaction that is in no block, or the transaction's time is over: then it was the
    /// transaction, and not the node, that nothing came of.
    async fn has_taken(&self, due: &Due) -> bool {
        if self.node.knows(due.hash).await.unwrap_or(false) {
            return true;
        }
        self.node.latest().await.is_ok_and(|latest| latest.timestamp.0 >= due.valid_before)
    }

    /// Asks for the receipt of what was sent, until the deadline. A node that says to the end that there is none is
    /// alive: the transaction is what is not mined.
    async fn wait(&self, hash: B256, deadline: Instant) -> (Settlement, Option<bool>) {
        let mut is_alive = false;
        let receipt = async {
            loop {
                match self.node.receipt(hash).await {
                    Ok(Some(receipt)) => return receipt,
                    Ok(None) => is_alive = true,
                    Err(_) => is_alive = false,
                }
                sleep(RECEIPT_POLL).await;
            }
        };
        if let Ok(receipt) = timeout_at(deadline, receipt).await {
            return (ended(&receipt), None);
        }
        let why = "the transaction was sent and is not in a block yet".to_owned();
        (Settlement::Unclear(why, Some(hash.to_string())), (!is_alive).then_some(true))
    }
}

/// How a transaction ended that is in a block.
fn ended(receipt: &EvmReceipt) -> Settlement {
    let hash = Some(receipt.transaction_hash.to_string());
    if receipt.succeeded() { Settlement::Done(hash) } else { Settlement::Refused(REVERTED.to_owned(), hash) }
}

impl Scheme for TempoBroadcast {
    /// Everything that can be said without broadcasting was checked already.
    fn verify<'a>(&'a self, _claim: &'a Claim, _order: &'a SignedPayment) -> Step<'a, Verdict> {
        Box::pin(async { Verdict::Valid })
    }

    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement> {
        Box::pin(async move {
            let (Some(due), SignedPayment::Transaction(wire)) = (Due::of(claim), payment) else {
                return Settlement::Refused("the payment is not a Tempo transaction".to_owned(), None);
            };
            let (settlement, silence) = self.broadcast(&due, &Bytes::copy_from_slice(wire)).await;
            match (&settlement, silence) {
                (Settlement::Unclear(..), Some(network)) => {
                    self.health.fail(CallKind::Settle, &claim.payer, network);
                }
                (Settlement::Unclear(..), None) => {}
                (Settlement::Done(_) | Settlement::Refused(..), _) => self.health.succeed(CallKind::Settle),
            }
            settlement
        })
    }

    /// The claim names the transaction: what somebody else calls it is not asked for.
    fn query<'a>(&'a self, claim: &'a Claim, _transaction: Option<&'a str>) -> Step<'a, Chain> {
        Box::pin(async move {
            let Some(due) = Due::of(claim) else {
                return Chain::Silent(
                    "the payment cannot be found on the chain: its row in the ledger is not valid".to_owned(),
                );
            };
            due.query(&self.node).await.unwrap_or_else(|why| Chain::Silent(why.to_string()))
        })
    }

    fn is_up(&self) -> bool {
        self.health.is_up()
    }

    fn fault(&self) -> Option<String> {
        self.health.fault().map(|why| format!("node: {why}"))
    }

    fn withdraw(&self, why: &str) {
        self.health.withdraw(why);
    }

    fn head(&self) -> u64 {
        self.node.head()
    }
}

/// A payment to be found.
#[derive(Debug, Clone, Copy)]
struct Due {
    hash: B256,
    memo: B256,
    asset: Address,
    from: Address,
    pay_to: Address,
    amount: u64,
    from_block: u64,
    valid_before: u64,
}

impl Due {
    fn of(claim: &Claim) -> Option<Self> {
        let (hash, memo) = claim.trace.split_once(' ')?;
        Some(Self {
            hash: hash.parse().ok()?,
            memo: memo.parse().ok()?,
            asset: claim.asset.parse().ok()?,
            from: claim.payer.parse().ok()?,
            pay_to: claim.pay_to.parse().ok()?,
            amount: claim.amount,
            from_block: claim.from_block,
            valid_before: claim.valid_before,
        })
    }

    /// Where the receipt pays.
    fn paid_in(&self, receipt: &EvmReceipt) -> Option<Proof> {
        if !receipt.succeeded() || receipt.block_number.0 < self.from_block {
            return None;
        }
        let event = keccak256("TransferWithMemo(address,address,uint256,bytes32)");
        let transfer = [event, self.from.into_word(), self.pay_to.into_word(), self.memo];
        let log = receipt.logs.iter().find(|log| log.says(self.asset, &transfer, U256::from(self.amount)))?;
        Some(Proof { transaction: receipt.transaction_hash.to_string(), index: log.log_index.0 })
    }

    async fn query(&self, node: &EvmNode) -> Result<Chain, Failure> {
        // The block first: what is in no block after its time never will be.
        let latest = node.latest().await?;
        let Some(receipt) = node.receipt(self.hash).await? else {
            let end = self.valid_before.saturating_add(CHAIN_TIME_MARGIN_S);
            return Ok(Chain::Unpaid { for_good: latest.timestamp.0 > end, contradicted: false });
        };
        // The chain takes a transaction once: what it did, it did for good.
        let otherwise = Chain::Unpaid { for_good: true, contradicted: true };
        Ok(self.paid_in(&receipt).map_or(otherwise, Chain::Paid))
    }
}

#[cfg(test)]
mod tests;
