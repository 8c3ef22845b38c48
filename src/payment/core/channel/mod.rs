//! Payment channels: the payer deposits once, and signs a voucher with each request.
//!
//! A voucher says up to which sum, counted from the channel's beginning, the receiver may claim. Between request and
//! answer stand a signature that is checked here and a row that is durable in the ledger. The money is claimed from
//! the chain later, for many answers at a time.
//!
//! ```text
//! gateway ─▶ known ─▶ charge: a task of its own, its turn on the channel
//!            no lock   read again · chain query · (deposit: a claim of its own) · check · work · commit ─▶ answer
//!                                                                                                └─ one transaction:
//! chain sync  reads every channel on the chain    claims · sweeps · refunds ─▶ facilitator          charge, answer,
//!             and sees withdrawals by force       the chain alone moves `claimed`                   revenue
//! ```
//!
//! - [`payment`] is what a request carries and [`outcome`] how it ends. [`row`] is what the ledger stores of a
//!   channel; the row in memory takes the same transitions ([`row::ChannelRow::sold`], [`row::ChannelRow::changed`]).
//! - [`manager`] is the channel manager: the channels in memory, their turns, and the chain queries. Chain queries are
//!   numbered, so a slow one never overwrites a later one. Until this process has read a channel from the chain, and
//!   when the chain has been silent for too long, the channel sells no answers.
//! - [`voucher_check`] has the rules as a pure function of the row and the voucher. A voucher signs what was charged
//!   and the price, no more and no less, and buys exactly one answer. The newest voucher, presented again for the same
//!   request, is answered with the stored bytes.
//! - [`deposit`] takes money in. A deposit is a payment like any other to the processor, of its own kind, and buys no
//!   answer by itself: it counts when the contract shows it. A refund counts when the contract has counted it
//!   ([`refund`]), a claim when the contract's total moves.
//! - [`chain_sync`] reads the chain in a steady round. A claim publishes the voucher that it uses, so it uses the one
//!   before the newest while that is fresh; a voucher that left for a facilitator buys no further answer and is
//!   answered with its receipt alone.
//! - [`chain`] is the seam to the contracts and to the service that settles. [`ChannelTerms`] is what the operator
//!   allows. Losses are bounded by `at_risk_channel_max` and `at_risk_max`, above which sales whose money is not
//!   claimed stop (503), and by a round of the chain sync that is short beside `withdraw_delay_s`. `docs/channels.md`
//!   has the arithmetic.

pub mod chain;
pub mod chain_sync;
pub mod charge;
pub mod deposit;
#[cfg(test)]
mod for_tests;
pub mod gateway;
pub mod manager;
pub mod outcome;
pub mod payment;
pub mod refund;
pub mod row;
mod table;
#[cfg(test)]
mod tests;
pub mod voucher_check;

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
