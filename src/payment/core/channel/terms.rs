//! What the operator allows on payment channels. Amounts are atomic USDC, times seconds.

/// What the operator allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelTerms {
    /// Time between a withdrawal by force and its end.
    pub withdraw_delay_s: u64,
    /// Smallest deposit.
    pub deposit_min: u64,
    /// Most that may lie unspent in a channel after a deposit.
    pub deposit_max: u64,
    /// A channel is claimed once so much of it is unclaimed.
    pub claim_at: u64,
    /// A channel is claimed so long after its oldest unclaimed charge.
    pub claim_after_s: u64,
    /// Claimed money is swept to the receiver once it is so much.
    pub sweep_at: u64,
    /// It is swept so long after the last sweep.
    pub sweep_after_s: u64,
    /// Most that is sold on one channel before it is claimed.
    pub at_risk_channel_max: u64,
    /// Most that is sold on all channels before it is claimed.
    pub at_risk_max: u64,
    /// A channel that nobody used for so long is claimed and refunded.
    pub idle_refund_s: u64,
    /// Channels that are kept in memory.
    pub channels_max: usize,
    /// Requests that may wait for one channel.
    pub waiters_max: usize,
    /// Vouchers that are taken on one channel in a second.
    pub vouchers_per_s: u32,
}

impl Default for ChannelTerms {
    fn default() -> Self {
        Self {
            withdraw_delay_s: 86_400,
            deposit_min: 1_000_000,
            deposit_max: 100_000_000,
            claim_at: 1_000_000,
            claim_after_s: 21_600,
            sweep_at: 20_000_000,
            sweep_after_s: 86_400,
            at_risk_channel_max: 5_000_000,
            at_risk_max: 500_000_000,
            idle_refund_s: 2_592_000,
            channels_max: 100_000,
            waiters_max: 4,
            vouchers_per_s: 1_000,
        }
    }
}
