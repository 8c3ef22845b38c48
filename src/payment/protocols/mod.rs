//! The protocols that payments are offered and presented with: x402 and MPP, and what both are written in.
//!
//! Nothing is decided here and no rail is known: a protocol writes the terms that a rail names, and reads what it
//! carries. [`eip3009`] is the one kind of payment that both carry in parts; [`channel`] is what the parties of payment
//! channels sign.

pub mod channel;
pub mod codec;
pub mod eip3009;
#[cfg(test)]
pub(in crate::payment) mod for_tests;
pub mod mcp;
pub mod mpp;
pub mod x402;
