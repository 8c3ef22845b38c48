//! How a presented payment ends, in terms that the pipeline can answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::claim::{ClaimRow, StoredAnswer};
use crate::payment::protocols::codec::InvalidTransaction;

/// Why a payment was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentReason {
    /// The header cannot be read.
    Malformed,
    /// The offer that it pays was not made by this server for this request.
    NotOurs,
    /// The offer, or the time in which the payment can be used, is over or nearly so.
    Expired,
    /// It is made on other terms than those that were offered.
    Terms,
    /// It pays another amount than the price.
    Amount,
    /// The signature is not the payer's.
    Signature,
    /// It paid for another request already.
    PaymentUsed,
    /// It would not settle; the payment may be sent again when the cause is gone.
    Refused,
    /// It was not settled.
    SettlementFailed,
}

impl PaymentReason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::Malformed,
        Self::NotOurs,
        Self::Expired,
        Self::Terms,
        Self::Amount,
        Self::Signature,
        Self::PaymentUsed,
        Self::Refused,
        Self::SettlementFailed,
    ];

    /// The word for it, as clients read it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotOurs => "not_ours",
            Self::Expired => "expired",
            Self::Terms => "terms",
            Self::Amount => "amount",
            Self::Signature => "signature",
            Self::PaymentUsed => "payment_used",
            Self::Refused => "refused",
            Self::SettlementFailed => "settlement_failed",
        }
    }

    /// What the client should know of it.
    pub const fn said(self) -> &'static str {
        match self {
            Self::Malformed => "The payment cannot be read.",
            Self::NotOurs => "The payment is for an offer that this server did not make for this request.",
            Self::Expired => "The payment, or the offer that it answers, has expired.",
            Self::Terms => "The terms of the payment differ from the terms offered for this request.",
            Self::Amount => "The amount of the payment differs from the price.",
            Self::Signature => {
                "The payment does not have a valid signature of its payer: 65 bytes with a low s."
            }
            Self::PaymentUsed => "The payment was made for another request.",
            Self::Refused => "The payment would not settle.",
            Self::SettlementFailed => "The payment was not settled; nothing was charged.",
        }
    }
}

impl PaymentReason {
    /// What to do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Malformed => {
                "Send the payment in the encoding of its protocol, in at most 8 kB. x402 requires version 2 and \
                 PAYMENT-SIGNATURE."
            }
            Self::NotOurs => {
                "Pay an offer of this response, and send the payment to the same path with the same parameters."
            }
            Self::Expired => "Pay a new offer of this response, and send the payment at once.",
            Self::Terms => "Pay an offer of this response, and return the offer unchanged.",
            Self::Amount => "Pay exactly the amount of an offer of this response.",
            Self::Signature => "Sign with the payer's key for the token's EIP-712 domain.",
            Self::PaymentUsed => "Pay an offer of this response for this request.",
            Self::Refused => {
                "Check the payer's balance, then send the same payment again or pay a new offer."
            }
            Self::SettlementFailed => "Check the payer's balance, then pay a new offer of this response.",
        }
    }
}

impl From<InvalidTransaction> for PaymentReason {
    /// Why a transaction is no payment.
    fn from(invalid: InvalidTransaction) -> Self {
        match invalid {
            InvalidTransaction::Malformed(_) => Self::Malformed,
            InvalidTransaction::Layout(_) => Self::Terms,
            InvalidTransaction::Signature => Self::Signature,
        }
    }
}

/// How a presented payment ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentOutcome {
    /// It is settled, and this is what it bought.
    Paid(Box<ClaimRow>, StoredAnswer),
    /// It is settled, and what it bought is no longer kept.
    AnswerExpired(Box<ClaimRow>),
    /// A request with the same payment is at work.
    InProgress,
    /// It is not taken. The row is that of a settlement that failed.
    Refused(PaymentReason, Option<Box<ClaimRow>>),
    /// It is not looked at: too many payments of its payer failed.
    TooManyFailures {
        /// Seconds after which one is looked at again.
        retry_after_s: u64,
    },
    /// Nobody can say yet whether it is settled. The row, if there is one, may name a transaction.
    Unclear(Option<Box<ClaimRow>>),
    /// The answer could not be computed; nothing was charged.
    WorkFailed,
}

impl PaymentOutcome {
    /// The word for it, in the log and in counters.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Paid(..) => "paid",
            Self::AnswerExpired(_) => "answer_expired",
            Self::InProgress => "in_progress",
            Self::Refused(reason, _) => reason.as_str(),
            Self::TooManyFailures { .. } => "payer_limited",
            Self::Unclear(_) => "unclear",
            Self::WorkFailed => "work_failed",
        }
    }
}
