//! Everything of payment that goes over the network: facilitators and chain nodes, as rails ask them.
//!
//! A [`facilitator`] verifies and settles what x402 carries, a [`node`] of an EVM chain says whether it is true.
//! Nobody's word about a payment is more than a word here: what counts as paid is decided by the rails, on the logs of
//! a receipt or on a transaction whose message is the one that was claimed. [`health`] decides which rails are offered.

pub mod facilitator;
pub mod health;
pub mod http;
pub mod node;
pub mod rpc;

#[cfg(test)]
pub(crate) mod for_tests;

/// So long after its end a payment may still show up: blocks are dated by who makes them.
pub const CHAIN_TIME_MARGIN_S: u64 = 30;

/// The longest text of somebody else that goes into a log, a row or a header.
pub const WORDS_CHARS_MAX: usize = 200;

/// Somebody else's text, cut and without control characters.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(WORDS_CHARS_MAX).collect()
}
