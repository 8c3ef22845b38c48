//! USDC on Solana: transactions that a facilitator completes with its signature and settles.
//!
//! The facilitator's signature names the transaction, so before a settlement nobody here knows its name. **Paid**
//! means: a transaction that went well and whose *message*, all that the payer signed, is byte by byte the one that was
//! claimed. It is looked for among what the facilitator paid the fees of, by the memo that the payer signed with it.
//!
//! A payment can no longer happen when the blockhash in it is too old, which [`Claim::valid_before`] bounds. The
//! chain's own time is asked of the node; where a node does not know the method, the clock of this machine decides.
//!
//! The trace of a claim is the fee payer and the memo, with a space between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use super::SolanaRail;
use super::transaction::base58;
use crate::payment::core::claim::{Claim, Proof};
use crate::payment::core::rail::CallTimes;
use crate::payment::core::scheme::{Chain, Scheme, Settlement, SignedPayment, Step, Verdict};
use crate::payment::net::CHAIN_TIME_MARGIN_S;
use crate::payment::net::facilitator::Facilitator;
use crate::payment::net::health::{Health, both_faults};
use crate::payment::net::http::Client;
use crate::payment::net::node::ChainHead;
use crate::payment::net::rpc::{Failure, Rpc};
use crate::payment::protocols::x402::{EXACT, Extra, facilitator_request};

/// A node lists so many transactions of an account at once.
pub const SIGNATURES_MAX: usize = 1_000;
/// So often a look asks for more of them.
const SIGNATURE_CALLS_MAX: usize = 4;
/// Place of the transfer among the instructions: the scheme's layout puts two for the fee before it.
const TRANSFER_INSTRUCTION: u64 = 2;
const SIGNATURE_BYTES: usize = 64;

/// Unix seconds.
pub type Clock = fn() -> u64;

/// `exact` of x402 on Solana.
#[derive(Debug)]
pub struct ExactSolana {
    rail: Arc<SolanaRail>,
    facilitator: Arc<Facilitator>,
    node: Arc<Node>,
    node_health: Arc<Health>,
    times: CallTimes,
    clock: Clock,
    /// Dropped with the scheme, and the tasks with it.
    _probes: JoinSet<()>,
}

impl ExactSolana {
    /// Starts the rail: it is up once its facilitator has named who pays the fees, its node has answered, and the
    /// account that is paid exists. Tasks of the current runtime probe both.
    pub fn start(client: &Client, rail: Arc<SolanaRail>, times: CallTimes, clock: Clock) -> Self {
        let (url, bearer) = (&rail.facilitator_url, rail.bearer.clone());
        let facilitator =
            Arc::new(Facilitator::new(client.clone(), "solana", url, bearer, (EXACT, &rail.network)));
        let node = Arc::new(Node::new(client, &rail));
        let mut probes = JoinSet::new();
        let asked = Arc::clone(&facilitator);
        probes.spawn(async move { asked.health().watch(|| fee_payer_is_named(&asked)).await });
        let node_health = Arc::new(Health::new("solana node"));
        let (asked, watched) = (Arc::clone(&node), Arc::clone(&node_health));
        probes.spawn(async move { watched.watch(|| asked.probe()).await });
        Self { rail, facilitator, node, node_health, times, clock, _probes: probes }
    }

    /// What the facilitator is asked, both times; `None` when the order is of another scheme.
    fn request(&self, claim: &Claim, payment: &SignedPayment) -> Option<Vec<u8>> {
        let SignedPayment::Transaction(_) = payment else { return None };
        let (fee_payer, memo) = claim.trace.split_once(' ')?;
        let extra =
            Extra { fee_payer: Some(fee_payer.to_owned()), memo: Some(memo.to_owned()), ..Extra::default() };
        let requirement = self.rail.requirement(claim.amount, self.times.offer_s, extra);
        facilitator_request(&requirement, None, payment)
    }
}

async fn fee_payer_is_named(facilitator: &Facilitator) -> Result<(), String> {
    match facilitator.supported().await?.fee_payer {
        Some(_) => Ok(()),
        None => Err("the facilitator does not name a fee payer; name another facilitator_url".to_owned()),
    }
}

impl Scheme for ExactSolana {
    fn verify<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Verdict> {
        Box::pin(async move {
            match self.request(claim, payment) {
                Some(body) => self.facilitator.verify(body.into(), &claim.payer, self.times.verify).await,
                None => Verdict::Invalid("the payment is not a Solana transaction".to_owned()),
            }
        })
    }

    fn settle<'a>(&'a self, claim: &'a Claim, payment: &'a SignedPayment) -> Step<'a, Settlement> {
        Box::pin(async move {
            match self.request(claim, payment) {
                Some(body) => self.facilitator.settle(body.into(), &claim.payer, self.times.settle).await,
                None => Settlement::Refused("the payment is not a Solana transaction".to_owned(), None),
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
            let found = due.query(&self.node, transaction, self.clock).await;
            found.unwrap_or_else(|why| Chain::Silent(why.to_string()))
        })
    }

    fn is_up(&self) -> bool {
        self.node.head.was_seen() && self.facilitator.health().is_up()
    }

    fn fault(&self) -> Option<String> {
        both_faults(self.facilitator.health(), &self.node_health).filter(|_| !self.is_up())
    }

    fn withdraw(&self, why: &str) {
        self.facilitator.health().withdraw(why);
    }

    fn head(&self) -> u64 {
        self.node.head.get()
    }

    fn fee_payer(&self) -> Option<String> {
        self.facilitator.fee_payer()
    }
}

#[derive(Serialize)]
struct Options<'a> {
    commitment: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "maxSupportedTransactionVersion")]
    version_max: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
}

const CONFIRMED: Options<'static> =
    Options { commitment: "confirmed", encoding: None, version_max: None, limit: None, before: None };

#[derive(Deserialize)]
struct Listed {
    signature: String,
    slot: u64,
    memo: Option<String>,
}

#[derive(Deserialize)]
struct Transaction {
    slot: u64,
    meta: Option<Meta>,
    /// Bytes and their encoding.
    #[serde(rename = "transaction")]
    wire: (String, String),
}

#[derive(Deserialize)]
struct Meta {
    err: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Account {
    value: Option<IgnoredAny>,
}

/// A node of Solana.
#[derive(Debug)]
struct Node {
    rpc: Rpc,
    head: ChainHead,
    /// The account that is paid.
    account: String,
    account_exists: AtomicBool,
}

impl Node {
    fn new(client: &Client, rail: &SolanaRail) -> Self {
        Self {
            rpc: Rpc::new(client.clone(), rail.rpc_url.as_str()),
            head: ChainHead::default(),
            account: base58(&rail.destination),
            account_exists: AtomicBool::new(false),
        }
    }

    async fn probe(&self) -> Result<(), String> {
        if !self.account_exists.load(Ordering::SeqCst) {
            self.find_account().await?;
            self.account_exists.store(true, Ordering::SeqCst);
        }
        self.slot().await.map(drop).map_err(|why| why.to_string())
    }

    /// A facilitator does not create the account that is paid.
    async fn find_account(&self) -> Result<(), String> {
        let account = self.account.as_str();
        let options = Options { encoding: Some("base64"), ..CONFIRMED };
        let found: Account =
            self.rpc.call("getAccountInfo", (account, options)).await.map_err(|why| why.to_string())?;
        found.value.map(drop).ok_or_else(|| {
            format!("pay_to has no account for the token; create {account}, its associated token account")
        })
    }

    async fn slot(&self) -> Result<u64, Failure> {
        let slot = self.rpc.call("getSlot", [CONFIRMED]).await?;
        self.head.see(slot);
        Ok(slot)
    }

    /// The chain's time at a slot; `None` when it cannot be told now.
    async fn time(&self, slot: u64, clock: Clock) -> Option<u64> {
        match self.rpc.call::<_, Option<u64>>("getBlockTime", [slot]).await {
            Ok(time) => time,
            Err(failure) if failure.is_method_unknown() => Some(clock()),
            Err(_) => None,
        }
    }

    async fn transaction(&self, signature: &str) -> Result<Option<Transaction>, Failure> {
        let options = Options { encoding: Some("base64"), version_max: Some(0), ..CONFIRMED };
        self.rpc.call("getTransaction", (signature, options)).await
    }

    async fn signatures(&self, account: &str, before: Option<&str>) -> Result<Vec<Listed>, Failure> {
        let options = Options { limit: Some(SIGNATURES_MAX), before, ..CONFIRMED };
        self.rpc.call("getSignaturesForAddress", (account, options)).await
    }
}

/// What a transaction is to a claim.
enum TransactionMatch {
    /// Its payment.
    Paid(Proof),
    /// Its message, which was run and failed, or ran before this ledger knew of payments.
    Spent,
    /// Another, or not to be had.
    Other,
}

/// A payment to be found.
struct Due<'a> {
    fee_payer: &'a str,
    memo: String,
    message: &'a str,
    from_slot: u64,
    valid_before: u64,
}

impl<'a> Due<'a> {
    fn of(claim: &'a Claim) -> Option<Self> {
        let (fee_payer, memo) = claim.trace.split_once(' ')?;
        Some(Self {
            fee_payer,
            memo: format!("[{}] {memo}", memo.len()),
            message: claim.key.0.strip_prefix("solana:")?,
            from_slot: claim.from_block,
            valid_before: claim.valid_before,
        })
    }

    async fn query(&self, node: &Node, transaction: Option<&str>, clock: Clock) -> Result<Chain, Failure> {
        let mut contradicted = false;
        if let Some(signature) = transaction.filter(|text| is_signature(text)) {
            match self.check(node, signature).await? {
                Some(TransactionMatch::Paid(proof)) => return Ok(Chain::Paid(proof)),
                Some(TransactionMatch::Spent | TransactionMatch::Other) => contradicted = true,
                None => {}
            }
        }
        // The slot first: what is not among the transactions of later is not before it.
        let slot = node.slot().await?;
        // The first slot that counts may be yet to come.
        if slot.saturating_add(1) < self.from_slot {
            return Ok(Chain::Silent(format!(
                "the node is at slot {slot}, and the payment is at slot {} or later",
                self.from_slot
            )));
        }
        match self.search(node).await? {
            None => Ok(Chain::Silent("not all transactions of the fee payer can be searched".to_owned())),
            Some(TransactionMatch::Paid(proof)) => Ok(Chain::Paid(proof)),
            Some(TransactionMatch::Spent) => Ok(Chain::Unpaid { for_good: true, contradicted: true }),
            Some(TransactionMatch::Other) => {
                let end = self.valid_before.saturating_add(CHAIN_TIME_MARGIN_S);
                let for_good = node.time(slot, clock).await.is_some_and(|time| time > end);
                Ok(Chain::Unpaid { for_good, contradicted })
            }
        }
    }

    /// Looks through what the fee payer paid for; `None` when that is more than can be looked through, or cannot be
    /// read.
    async fn search(&self, node: &Node) -> Result<Option<TransactionMatch>, Failure> {
        let mut before: Option<String> = None;
        for _ in 0..SIGNATURE_CALLS_MAX {
            let listed = node.signatures(self.fee_payer, before.as_deref()).await?;
            for entry in listed.iter().filter(|entry| entry.slot >= self.from_slot && self.has_memo(entry)) {
                match self.check(node, &entry.signature).await? {
                    Some(TransactionMatch::Other) => {}
                    Some(found) => return Ok(Some(found)),
                    None => return Ok(None),
                }
            }
            match listed.last() {
                Some(oldest) if listed.len() >= SIGNATURES_MAX && oldest.slot >= self.from_slot => {
                    before = Some(oldest.signature.clone());
                }
                _ => return Ok(Some(TransactionMatch::Other)),
            }
        }
        Ok(None)
    }

    /// Whether a transaction's memos, each after its length, hold the claim's.
    fn has_memo(&self, listed: &Listed) -> bool {
        listed.memo.as_deref().is_some_and(|memos| memos.split("; ").any(|memo| memo == self.memo))
    }

    /// What a transaction is to the claim; `None` when the node does not have it.
    async fn check(&self, node: &Node, signature: &str) -> Result<Option<TransactionMatch>, Failure> {
        let Some(transaction) = node.transaction(signature).await? else { return Ok(None) };
        // A transaction that cannot be read may be the payment: nothing follows from it.
        let Ok(wire) = STANDARD.decode(&transaction.wire.0) else { return Ok(None) };
        let Some((name, message)) = split(&wire) else { return Ok(Some(TransactionMatch::Other)) };
        if alloy_primitives::hex::encode(Sha256::digest(message)) != self.message {
            return Ok(Some(TransactionMatch::Other));
        }
        let went_well = transaction.meta.is_some_and(|meta| meta.err.is_none());
        Ok(Some(if went_well && transaction.slot >= self.from_slot {
            TransactionMatch::Paid(Proof { transaction: base58(name), index: TRANSFER_INSTRUCTION })
        } else {
            TransactionMatch::Spent
        }))
    }
}

/// The first signature of a transaction, and its message.
fn split(wire: &[u8]) -> Option<(&[u8], &[u8])> {
    // One byte counts up to 127 signatures; a transaction has room for a dozen.
    let (&count, rest) = wire.split_first().filter(|(count, _)| (1..0x80).contains(*count))?;
    let (signatures, message) = rest.split_at_checked(usize::from(count) * SIGNATURE_BYTES)?;
    Some((&signatures[..SIGNATURE_BYTES], message))
}

/// What a facilitator calls a transaction may be anything.
fn is_signature(text: &str) -> bool {
    text.len() <= 2 * SIGNATURE_BYTES
        && bs58::decode(text).into_vec().is_ok_and(|bytes| bytes.len() == SIGNATURE_BYTES)
}

#[cfg(test)]
mod tests;
