//! A claim: what is known of one payment, from the moment it was taken until long after it was settled.
//!
//! A claim is keyed by what the chain itself uses once only ([`ClaimKey`]), never by a header or a signature: those can
//! be rewritten without changing the payment. Its states:
//!
//! ```text
//! Claimed ──▶ Settling ──▶ Settled
//!    │            ├──▶ Failed      the settlement was refused, the chain says unpaid
//!    │            └──▶ Unknown ──▶ Settled | Expired
//!    └──▶ Open                     nothing was settled: the payment may be tried again
//! ```
//!
//! Money can arrive late (a front-runner, a facilitator that broadcasts after it said no), so Open, Failed and Unknown
//! claims are watched until the chain's own time has passed the payment's, and move to Settled when it does.
//! [`ClaimStore`] is the seam for a database that several servers share; `ledger` is the embedded one.

use std::fmt;
use std::pin::Pin;
use std::str::FromStr;

/// What a store's operation returns.
pub type Stored<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Names a payment by chain data: two credentials of one transfer have one key.
///
/// Its rail makes it ([`RailPayment::key`](super::rail::RailPayment::key)), of what the chain takes once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimKey(pub String);

impl fmt::Display for ClaimKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Name of a rail: its table in the configuration, and the word for it in the ledger and in logs. Names come from the
/// table of rails; a stored one is found there again or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RailName(&'static str);

impl RailName {
    /// A name, for a rail's own folder.
    pub(in crate::payment) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The word.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RailName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// How a payment is offered and presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaymentProtocol {
    /// x402, version 2.
    X402,
    /// The "Payment" HTTP authentication scheme.
    Mpp,
}

/// What a payment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClaimKind {
    /// An answer.
    Sale,
    /// Credit on a payment channel. It is no revenue, and buys nothing by itself.
    Deposit,
}

/// Where a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClaimState {
    /// Taken; a facilitator may have been asked whether it is good.
    Claimed,
    /// Its answer is stored; a settlement may have been asked for.
    Settling,
    /// Paid.
    Settled,
    /// Not settled by us, and free to be tried again.
    Open,
    /// The settlement was refused and the chain agreed.
    Failed,
    /// A settlement was asked for and nobody can say yet how it ended.
    Unknown,
    /// Certainly unpaid, for good.
    Expired,
}

/// What is known of a payment when it is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Names the payment.
    pub key: ClaimKey,
    /// What it is for.
    pub kind: ClaimKind,
    /// Rail.
    pub rail: RailName,
    /// Protocol it was presented with.
    pub protocol: PaymentProtocol,
    /// CAIP-2 name of the network.
    pub network: String,
    /// Token, as the chain writes it.
    pub asset: String,
    /// Who pays, as the chain writes it.
    pub payer: String,
    /// Who is paid, as the chain writes it.
    pub pay_to: String,
    /// Atomic USDC.
    pub amount: u64,
    /// Path of the endpoint.
    pub endpoint: String,
    /// Canonical request: path and canonical query.
    pub request: String,
    /// Media type that the answer is wanted in.
    pub media_type: String,
    /// What only the payer and this server know of the offer that was paid.
    pub reference: String,
    /// How the chain is asked for the payment, in the words of its scheme.
    pub trace: String,
    /// Unix seconds after which the chain no longer takes the payment.
    pub valid_before: u64,
    /// First block, or slot, that the payment can be in.
    pub from_block: u64,
    /// Unix milliseconds.
    pub claimed_at: u64,
}

/// The answer that was bought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Body, without content coding.
    pub body: Vec<u8>,
    /// Media type of the body.
    pub media_type: String,
    /// Snapshot that it was computed from.
    pub snapshot_id: String,
    /// Age of the snapshot's newest observation when it was computed.
    pub freshness_seconds: u64,
}

impl StoredAnswer {
    /// What a deposit buys.
    pub fn nothing() -> Self {
        Self { body: Vec::new(), media_type: String::new(), snapshot_id: String::new(), freshness_seconds: 0 }
    }
}

/// What the requests of deposits' claims begin with, before the channel: no path does.
pub const DEPOSIT_WORD: &str = "channel ";

/// Where on its chain a payment was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Transaction, as the chain writes it.
    pub transaction: String,
    /// Place of the transfer in it: one transfer pays one claim.
    pub index: u64,
}

/// A claim as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRow {
    /// What was claimed.
    pub claim: Claim,
    /// Where it stands.
    pub state: ClaimState,
    /// Since when, in Unix milliseconds.
    pub since: u64,
    /// Transaction, once one is known: of a settlement, or one that is said to be on its way.
    pub transaction: Option<String>,
    /// When it was settled, in Unix milliseconds.
    pub settled_at: Option<u64>,
    /// Whether the chain itself has been seen to say so.
    pub confirmed: bool,
    /// Whether the chain is still asked for it.
    pub watched: bool,
    /// Why it was refused or failed.
    pub reason: Option<String>,
    /// Snapshot that its answer was computed from, once there is one; kept when the body no longer is.
    pub snapshot_id: Option<String>,
}

/// A step of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Claimed → Settling, with the answer to be sold. Durable before the settlement is asked for.
    Settling(StoredAnswer),
    /// Any but Settled → Settled. The answer is given when none is stored yet; `proof` is `None` where the chain
    /// could not be asked, and the claim then stays watched.
    Settled {
        /// Where it was paid.
        proof: Option<Proof>,
        /// Transaction by the word of a facilitator, where there is no proof.
        transaction: Option<String>,
        /// The answer, unless it is stored already.
        answer: Option<StoredAnswer>,
    },
    /// Claimed or Settling → Open.
    Open {
        /// Why, for the operator.
        reason: String,
    },
    /// Settling → Failed.
    Failed {
        /// Why, in the facilitator's words.
        reason: String,
    },
    /// Claimed or Settling → Unknown.
    Unknown {
        /// Transaction that is said to be on its way.
        transaction: Option<String>,
        /// Why, for the operator.
        reason: String,
    },
    /// The chain confirms a claim that is Settled by a facilitator's word.
    Confirmed(Proof),
    /// The chain's time is past the payment's and it is unpaid: Unknown, or Settled without confirmation → Expired;
    /// Open and Failed stay what they are. No longer watched, and its answer is dropped.
    Closed,
}

/// How a claim was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claiming {
    /// It is ours to work on.
    Ours,
    /// It is known: this is its row.
    Known(Box<ClaimRow>),
}

/// How a step was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// Done.
    Done,
    /// The claim is not in a state that the step starts from; nothing changed.
    NotThere,
    /// The proof pays another claim already; nothing changed.
    Spent,
}

/// How the ledger stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerMetrics {
    /// Why it cannot be written.
    pub fault: Option<String>,
    /// Claims by state; states without claims are left out.
    pub claims: Vec<(ClaimState, u64)>,
    /// Operations that wait to be written.
    pub waiting: usize,
    /// Bytes of answers that were sold and are kept.
    pub sold_bytes: u64,
    /// Bytes of answers that were computed and not paid for yet.
    pub unsold_bytes: u64,
}

/// Keeps claims. Every operation that changes something is durable when it returns.
pub trait ClaimStore: Send + Sync {
    /// Claims a payment: a new one, or one that is Open with the same request and reference. Exactly one of several
    /// callers gets [`Claiming::Ours`].
    ///
    /// # Errors
    /// When the store fails; then nothing is claimed.
    fn claim(&self, claim: Claim) -> Stored<'_, Claiming>;

    /// Takes a step.
    ///
    /// # Errors
    /// When the store fails; then the step may be taken again.
    fn advance(&self, key: ClaimKey, change: Change, at: u64) -> Stored<'_, Advance>;

    /// Looks a payment up.
    ///
    /// # Errors
    /// When the store fails.
    fn lookup(&self, key: &ClaimKey) -> Result<Option<ClaimRow>, StoreError>;

    /// The stored answer of a payment, unless its time is over at `at`, in Unix milliseconds.
    ///
    /// # Errors
    /// When the store fails.
    fn answer(&self, key: &ClaimKey, at: u64) -> Result<Option<StoredAnswer>, StoreError>;

    /// Watched claims of a rail that are to be looked at by `now`, in Unix milliseconds: those first whose look has been
    /// due for longest, new ones before all others; at most `count_max` Open ones, which anybody can make with wallets
    /// that are empty, and as many others. Claimed and Settling ones are not among them: a task is at work on each.
    ///
    /// # Errors
    /// When the store fails.
    fn watched(&self, rail: RailName, now: u64, count_max: usize) -> Result<Vec<ClaimRow>, StoreError>;

    /// Notes when watched claims are to be looked at next, in Unix milliseconds. A step makes its claim due at once.
    ///
    /// # Errors
    /// When the store fails.
    fn query_again(&self, due: Vec<(ClaimKey, u64)>) -> Stored<'_, ()>;

    /// A deposit of a payment channel, by its claims' reference, of which nobody can say yet whether it is settled.
    ///
    /// # Errors
    /// When the store fails.
    fn deposit_in_doubt(&self, reference: &str) -> Result<Option<ClaimKey>, StoreError>;

    /// The first block, or slot, of a network that this store knows everything of, set to `head` when it has none yet.
    /// What was paid before it may have been answered by a store that was lost.
    ///
    /// # Errors
    /// When the store fails.
    fn first_block(&self, network: String, head: u64) -> Stored<'_, u64>;

    /// Why nothing can be claimed now. While there is a reason, nothing is offered.
    fn fault(&self) -> Option<String>;

    /// Looks whether claims can be written, so that [`fault`](Self::fault) says so before the next one comes, and no
    /// longer than need be.
    ///
    /// # Errors
    /// When they cannot.
    fn check(&self) -> Stored<'_, ()>;

    /// Ends writing, with everything in its place for good.
    ///
    /// # Errors
    /// When what was written does not lie in its place yet; it is not lost.
    fn close(&self) -> Stored<'_, ()>;

    /// How the store stands.
    ///
    /// # Errors
    /// When the store fails.
    fn figures(&self) -> Result<LedgerMetrics, StoreError>;
}

/// A store that failed. What happened is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the ledger failed: {0}")]
pub struct StoreError(pub String);

/// A word that names nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a known state, kind or protocol of claims")]
pub struct UnknownWord(pub String);

macro_rules! words {
    ($kind:ident { $($variant:ident => $word:literal),+ }) => {
        impl $kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it, in the ledger and in logs.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $kind {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(UnknownWord(word.to_owned())),
                }
            }
        }
    };
}

words!(ClaimKind { Sale => "sale", Deposit => "deposit" });
words!(PaymentProtocol { X402 => "x402", Mpp => "mpp" });
words!(ClaimState {
    Claimed => "claimed",
    Settling => "settling",
    Settled => "settled",
    Open => "open",
    Failed => "failed",
    Unknown => "unknown",
    Expired => "expired"
});
