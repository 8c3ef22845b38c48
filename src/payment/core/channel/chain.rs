//! The seam to the contracts of payment channels on a network, and to the service that settles with them.

use super::payment::{ChannelPayment, SignedDeposit};
use super::row::{OnChain, RefundIntent, Voucher};
use crate::payment::core::claim::ClaimKey;
use crate::payment::core::scheme::{RailClaim, Settlement, Step};
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};

/// Channels in one claim: more would not fit the gas that facilitators give.
pub const CLAIMS_PER_CALL_MAX: usize = 25;

/// A channel in a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelClaim {
    /// Channel.
    pub config: ChannelConfig,
    /// The voucher that allows it.
    pub voucher: Voucher,
    /// What is claimed then, from the channel's beginning: at most what the voucher allows.
    pub claimed: u64,
}

/// The contracts of one network, and its facilitator.
pub trait ChannelChain: Send + Sync {
    /// What the chain says of channels, in their order: all at one moment.
    ///
    /// # Errors
    /// With why it did not say.
    fn query<'a>(&'a self, ids: &'a [ChannelId]) -> Step<'a, Result<Vec<OnChain>, String>>;

    /// What the chain holds for the receiver that was claimed and not swept, in atomic USDC.
    ///
    /// # Errors
    /// With why it did not say.
    fn unswept(&self) -> Step<'_, Result<u64, String>>;

    /// Claims at most [`CLAIMS_PER_CALL_MAX`] channels of one receiver's authorizer.
    fn claim<'a>(&'a self, claims: &'a [ChannelClaim]) -> Step<'a, Settlement>;

    /// Moves what was claimed to the receiver.
    fn sweep(&self) -> Step<'_, Settlement>;

    /// Gives money back, after claiming what is left to claim. `voucher` is that of the payer who asks, or the newest.
    fn refund<'a>(
        &'a self,
        config: &'a ChannelConfig,
        voucher: &'a Voucher,
        claim: Option<&'a ChannelClaim>,
        intent: &'a RefundIntent,
    ) -> Step<'a, Settlement>;

    /// What the claim of a deposit holds: its key, and what only the rail knows.
    fn deposit_claim(&self, payment: &ChannelPayment, deposit: &SignedDeposit) -> (ClaimKey, RailClaim);

    /// Whether there is a key to claim and refund a channel of this configuration with.
    fn has_key_for(&self, config: &ChannelConfig) -> bool;

    /// Whether vouchers can be taken: the node answers, the contracts are there, and a facilitator has said once that it
    /// settles them.
    fn is_up(&self) -> bool;

    /// Whether deposits, claims and refunds can be settled now.
    fn can_settle(&self) -> bool;

    /// Whether a channel is on today's terms.
    fn is_current(&self, config: &ChannelConfig) -> bool;

    /// Takes note that a facilitator settled channels before this process began.
    fn was_supported_before(&self);

    /// The newest block that was seen.
    fn head(&self) -> u64;
}
