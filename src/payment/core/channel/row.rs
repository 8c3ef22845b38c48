//! A channel as the ledger knows it, and how that changes.
//!
//! `charged` counts everything that was sold on the channel since its beginning and never falls; `balance` and `claimed`
//! are the chain's words, of which `claimed` never falls either. What lies between `claimed` and `charged` is money at
//! risk. The newest voucher signs `charged`, or more than that where the payer was ahead of a ledger that was restored.

use crate::payment::core::claim::{RailName, StoreError, Stored};
use crate::payment::protocols::channel::{ChannelConfig, ChannelId, Signature};
use crate::payment::protocols::x402::batch::ChannelStateText;

/// A voucher: up to which sum may be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voucher {
    /// Atomic USDC, from the channel's beginning.
    pub max: u64,
    /// By the payer's authorizer.
    pub signature: Signature,
}

/// What the chain says of a channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OnChain {
    /// Everything that was deposited and not given back, claimed money included.
    pub balance: u64,
    /// Everything that was claimed.
    pub claimed: u64,
    /// Unix seconds at which a withdrawal by force was begun, while one is pending.
    pub withdraw_at: Option<u64>,
    /// How many refunds there were.
    pub refund_nonce: u64,
}

impl OnChain {
    /// As clients read it, with what was sold.
    pub fn as_text(&self, id: ChannelId, charged: u64) -> ChannelStateText {
        ChannelStateText {
            channel_id: id,
            balance: self.balance.to_string(),
            total_claimed: self.claimed.to_string(),
            withdraw_requested_at: self.withdraw_at.unwrap_or_default(),
            refund_nonce: self.refund_nonce.to_string(),
            charged_cumulative_amount: charged.to_string(),
        }
    }
}

/// The newest sale of a channel, but for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCharge {
    /// SHA-256 of the canonical request.
    pub request_hash: [u8; 32],
    /// Media type of the answer.
    pub media_type: String,
    /// The receipt: value of the `PAYMENT-RESPONSE` header.
    pub receipt: String,
    /// Snapshot that the answer was computed from.
    pub snapshot_id: String,
    /// Age of the snapshot's newest observation then.
    pub freshness_seconds: u64,
}

/// A refund that was asked for: durable before anybody is told to do it, kept as the answer to whoever repeats it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RefundIntent {
    /// The channel's count of refunds before this one.
    pub nonce: u64,
    /// Atomic USDC that go back.
    pub amount: u64,
    /// What the payer asked for, if it named an amount.
    pub asked: Option<u64>,
    /// Ceiling of the voucher that it was asked with.
    pub max: u64,
    /// Unix milliseconds.
    pub at: u64,
    /// Whether the chain has been seen to have done it.
    pub done: bool,
    /// Transaction, once one is known.
    pub transaction: Option<String>,
}

/// A channel as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    /// Names it.
    pub id: ChannelId,
    /// Rail.
    pub rail: RailName,
    /// What it is.
    pub config: ChannelConfig,
    /// What the chain says.
    pub chain: OnChain,
    /// When the chain said so, in Unix milliseconds.
    pub chain_synced_at: u64,
    /// What was sold, in atomic USDC.
    pub charged: u64,
    /// The newest voucher, once there is one.
    pub voucher: Option<Voucher>,
    /// The one before it.
    pub prior: Option<Voucher>,
    /// Ceiling of the newest voucher that left for a facilitator, and is public since; 0 before the first.
    pub published: u64,
    /// The newest refund.
    pub intent: Option<RefundIntent>,
    /// When the oldest charge that is not claimed was made, in Unix milliseconds.
    pub unclaimed_since: Option<u64>,
    /// The newest sale.
    pub last: Option<LastCharge>,
    /// When it was first seen, in Unix milliseconds.
    pub opened_at: u64,
    /// When it was last charged, in Unix milliseconds.
    pub used_at: u64,
}

impl ChannelRow {
    /// A channel that nothing was sold on here; what was claimed of it before was sold by a ledger that was lost.
    pub fn new(id: ChannelId, rail: RailName, config: ChannelConfig, chain: OnChain, now_ms: u64) -> Self {
        Self {
            id,
            rail,
            config,
            chain,
            chain_synced_at: now_ms,
            charged: chain.claimed,
            voucher: None,
            prior: None,
            published: chain.claimed,
            intent: None,
            unclaimed_since: None,
            last: None,
            opened_at: now_ms,
            used_at: now_ms,
        }
    }

    /// What was sold and not claimed yet, in atomic USDC.
    pub fn at_risk(&self) -> u64 {
        self.charged.saturating_sub(self.chain.claimed)
    }

    /// The row after a sale.
    pub fn sold(&mut self, charge: &ChannelCharge) {
        if self.at_risk() == 0 {
            self.unclaimed_since = Some(charge.at);
        }
        self.charged = charge.voucher.max;
        self.prior = self.voucher.replace(charge.voucher.clone());
        self.last = Some(charge.last.clone());
        self.used_at = charge.at;
    }

    /// The row after a change.
    pub fn changed(&mut self, change: &ChannelChange) {
        match change {
            ChannelChange::Chain { chain, at, .. } => self.seen(*chain, *at),
            ChannelChange::Published(max) => self.published = self.published.max(*max),
            ChannelChange::Refund(intent) => self.intent = Some(intent.clone()),
            ChannelChange::RefundOver => self.intent = None,
        }
    }

    /// What was claimed is never less than before, and what was sold never less than what was claimed. The age of what is
    /// left begins anew with each claim: it was sold after what was claimed.
    fn seen(&mut self, chain: OnChain, at: u64) {
        let claimed = chain.claimed.max(self.chain.claimed);
        let was_claimed = claimed > self.chain.claimed;
        self.chain = OnChain { claimed, ..chain };
        self.chain_synced_at = at;
        self.charged = self.charged.max(claimed);
        self.published = self.published.max(claimed);
        self.unclaimed_since = match self.unclaimed_since {
            _ if self.at_risk() == 0 => None,
            Some(_) if was_claimed => Some(at),
            since => since,
        };
    }
}

/// A sale on a channel, to be made durable as a whole: charge, answer and revenue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelCharge {
    /// What was charged before: the sale is refused when it is something else by now.
    pub expected: u64,
    /// The voucher that pays it; it signs what is charged then.
    pub voucher: Voucher,
    /// What is sold, but for its answer.
    pub last: LastCharge,
    /// The answer, without content coding.
    pub body: Vec<u8>,
    /// Path of the endpoint.
    pub endpoint: String,
    /// Unix milliseconds.
    pub at: u64,
}

/// How a channel changes beside its sales.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelChange {
    /// The chain was read at this moment, in Unix milliseconds. What is charged is at least what is claimed; money that was
    /// claimed since is an event, in the transaction that is given if one is known.
    Chain {
        /// What it said.
        chain: OnChain,
        /// When.
        at: u64,
        /// The transaction of the claim that was just made.
        transaction: Option<String>,
    },
    /// A voucher up to this ceiling leaves for a facilitator.
    Published(u64),
    /// A refund is asked for, or has come to this.
    Refund(RefundIntent),
    /// The refund that was asked for will not be made any more.
    RefundOver,
}

/// Something that happened to a channel's money; sales are not among it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelEvent {
    /// Channel; `None` for a sweep, which is of all.
    pub channel: Option<ChannelId>,
    /// What.
    pub kind: ChannelEventKind,
    /// Atomic USDC.
    pub amount: u64,
    /// Transaction, where one is known.
    pub transaction: Option<String>,
    /// Unix milliseconds.
    pub at: u64,
}

/// What can happen to a channel's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelEventKind {
    /// The payer put money in.
    Deposit,
    /// Sold money was claimed.
    Claim,
    /// Claimed money was moved to the receiver.
    Sweep,
    /// Money went back to the payer.
    Refund,
    /// Money was claimed that this ledger had not sold: another one did, and was lost.
    Adoption,
}

impl ChannelEventKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Deposit, Self::Claim, Self::Sweep, Self::Refund, Self::Adoption];

    /// The word for it, in the ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deposit => "deposit",
            Self::Claim => "claim",
            Self::Sweep => "sweep",
            Self::Refund => "refund",
            Self::Adoption => "adoption",
        }
    }
}

/// How a change of a channel was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelWrite {
    /// It is durable.
    Done,
    /// The channel is not there, or is charged otherwise than was expected; nothing changed.
    Elsewhere,
}

/// Keeps channels. Every operation that changes something is durable when it returns; several servers may share a store.
pub trait ChannelStore: Send + Sync {
    /// A channel.
    ///
    /// # Errors
    /// When the store fails.
    fn channel(&self, id: ChannelId) -> Result<Option<ChannelRow>, StoreError>;

    /// The channels of a rail that are used or hold money that is not claimed: first those with unclaimed money, the
    /// oldest first, then the last used; at most `count_max`.
    ///
    /// # Errors
    /// When the store fails.
    fn channels(&self, rail: RailName, count_max: usize) -> Result<Vec<ChannelRow>, StoreError>;

    /// Answer of a channel's newest sale, unless it is no longer kept at `at`, in Unix milliseconds.
    ///
    /// # Errors
    /// When the store fails.
    fn last_body(&self, id: ChannelId, at: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Begins a channel, unless it is there already.
    ///
    /// # Errors
    /// When the store fails.
    fn open_channel(&self, row: ChannelRow) -> Stored<'_, ChannelWrite>;

    /// Makes a sale durable.
    ///
    /// # Errors
    /// When the store fails; then nothing was sold.
    fn commit_charge(&self, id: ChannelId, charge: ChannelCharge) -> Stored<'_, ChannelWrite>;

    /// Changes a channel.
    ///
    /// # Errors
    /// When the store fails; then nothing changed.
    fn change(&self, id: ChannelId, change: ChannelChange) -> Stored<'_, ChannelWrite>;

    /// Notes an event.
    ///
    /// # Errors
    /// When the store fails.
    fn note(&self, event: ChannelEvent) -> Stored<'_, ()>;

    /// When the oldest claim was seen that was not swept since, in Unix milliseconds.
    ///
    /// # Errors
    /// When the store fails.
    fn unswept_since(&self) -> Result<Option<u64>, StoreError>;
}
