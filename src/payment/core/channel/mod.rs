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
//! - [`chain`] is the seam to the contracts and to who settles, [`terms`] what the operator allows. Losses are bounded
//!   by `at_risk_channel_max` and `at_risk_max`, above which sales whose money is not claimed stop (503), and by a
//!   round of the chain sync that is short beside `withdraw_delay_s`. `docs/channels.md` has the arithmetic.

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
pub mod terms;
#[cfg(test)]
mod tests;
pub mod voucher_check;
