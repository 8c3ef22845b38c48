//! What a request on a channel carries, as its rail read it.
//!
//! Invariant: the voucher is signed by the authorizer that the configuration names, the identifier is that
//! configuration's, and a deposit is signed by its payer. Nothing else of it has been checked.

use crate::payment::core::claim::RailName;
use crate::payment::protocols::channel::{ChannelConfig, ChannelId, DepositAuthorization, Signature};

/// Whether a channel is on our terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermsStatus {
    /// On today's.
    Current,
    /// On terms that we had, with a key that we have: it is claimed and given back, and buys nothing.
    Former,
    /// On somebody else's.
    Foreign,
}

/// A deposit that its payer signed.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedDeposit {
    /// What was signed.
    pub authorization: DepositAuthorization,
    /// By the payer.
    pub signature: Signature,
}

impl std::fmt::Debug for SignedDeposit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedDeposit").field("authorization", &self.authorization).finish_non_exhaustive()
    }
}

/// What is asked of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelAct {
    /// An answer for a voucher.
    Voucher,
    /// The same, after this deposit if the money does not suffice.
    Deposit(SignedDeposit),
    /// The same, with a deposit of a kind that is not taken.
    DepositOtherwise,
    /// Money back: so much, or everything that is left.
    Refund {
        /// Atomic USDC.
        amount: Option<u64>,
    },
}

/// What a request on a channel carries.
#[derive(Clone, PartialEq, Eq)]
pub struct ChannelPayment {
    /// Rail.
    pub rail: RailName,
    /// Channel.
    pub id: ChannelId,
    /// What it is.
    pub config: ChannelConfig,
    /// What the voucher signs: atomic USDC, from the channel's beginning.
    pub max: u64,
    /// By the payer's authorizer.
    pub signature: Signature,
    /// What is asked.
    pub act: ChannelAct,
    /// Whether the channel is on our terms.
    pub terms_status: TermsStatus,
}

impl std::fmt::Debug for ChannelPayment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChannelPayment")
            .field("id", &self.id)
            .field("max", &self.max)
            .field("act", &self.act)
            .field("terms_status", &self.terms_status)
            .finish_non_exhaustive()
    }
}
