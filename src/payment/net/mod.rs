//! Everything of payment that goes over the network: facilitators, chain nodes, and the schemes made of them.
//!
//! [`evm`], [`solana`], [`tempo`] and [`sandbox`] are the [`super::scheme::Scheme`]s. The first two ask a
//! [`facilitator`] to verify and to settle and a chain node whether it is true; Tempo has its node do both. Nobody's
//! word about a payment is more than a word here: what counts as paid is decided on the logs of a receipt, or on a
//! transaction whose message is the one that was claimed. [`health`] decides which rails are offered.

pub mod evm;
pub mod facilitator;
pub mod health;
pub mod http;
pub mod node;
pub mod rpc;
pub mod sandbox;
pub mod solana;
pub mod tempo;

#[cfg(test)]
pub(crate) mod for_tests;

use std::time::Duration;

/// So long after its end a payment may still show up: blocks are dated by who makes them.
pub const CHAIN_TIME_MARGIN_S: u64 = 30;

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Verifying a payment.
    pub verify: Duration,
    /// Settling it, every call for it together.
    pub settle: Duration,
    /// How long a payer has to pay an offer, in seconds.
    pub offer_s: u64,
}

/// The longest text of somebody else that goes into a log, a row or a header.
pub const WORDS_CHARS_MAX: usize = 200;

/// Somebody else's text, cut and without control characters.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(WORDS_CHARS_MAX).collect()
}
