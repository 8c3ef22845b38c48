//! How a request on a channel ends, in terms that the pipeline can answer.

use super::row::{OnChain, Voucher};
use super::voucher_check::RefundFault;
use crate::payment::core::claim::StoredAnswer;
use crate::payment::core::outcome::PaymentReason;
use crate::payment::protocols::channel::ChannelId;

/// What a client that is out of step is told of its channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfSync {
    /// Channel.
    pub id: ChannelId,
    /// What the chain says of it.
    pub chain: OnChain,
    /// What was sold on it.
    pub charged: u64,
    /// The newest voucher, by which the client can tell that this is so; `None` when it is not known here.
    pub voucher: Option<Voucher>,
}

/// How a request on a channel ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelOutcome {
    /// It is charged, and this is what it bought.
    Charged {
        /// Names the sale: channel and voucher.
        key: String,
        /// What it bought.
        answer: StoredAnswer,
        /// Value of the `PAYMENT-RESPONSE` header.
        receipt: String,
        /// Whether it was charged by a request before this one.
        again: bool,
    },
    /// It was charged before, and what it bought is no longer kept.
    AnswerExpired {
        /// CAIP-2 name of the network.
        network: String,
        /// Value of the `PAYMENT-RESPONSE` header.
        receipt: String,
    },
    /// The client is out of step: it is told where its channel stands.
    Corrected(PaymentReason, Box<OutOfSync>),
    /// The voucher is older than what is public; the client reads the chain.
    BelowClaimed,
    /// It is not taken.
    Refused(PaymentReason),
    /// The refund is not made.
    RefundRefused(RefundFault),
    /// The money went back.
    Refunded {
        /// Channel.
        id: ChannelId,
        /// Atomic USDC.
        amount: u64,
        /// Transaction; empty where none is known.
        transaction: String,
        /// Value of the `PAYMENT-RESPONSE` header.
        receipt: String,
    },
    /// It is asked too often.
    TooMany {
        /// Seconds after which it is looked at again.
        retry_after_s: u64,
    },
    /// Too many requests wait for the channel.
    Busy,
    /// Nobody can say yet, or too much is sold and not claimed: nothing was charged.
    Unclear,
    /// The answer could not be computed; nothing was charged.
    WorkFailed,
}

impl ChannelOutcome {
    /// The word for it, in the log and in counters.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Charged { again: false, .. } => "paid",
            Self::Charged { again: true, .. } => "replayed",
            Self::AnswerExpired { .. } => "answer_expired",
            Self::Corrected(reason, _) | Self::Refused(reason) => reason.as_str(),
            Self::BelowClaimed => "below_claimed",
            Self::RefundRefused(_) => "refund_refused",
            Self::Refunded { .. } => "refunded",
            Self::TooMany { .. } => "payer_limited",
            Self::Busy => "busy",
            Self::Unclear => "unclear",
            Self::WorkFailed => "work_failed",
        }
    }
}
