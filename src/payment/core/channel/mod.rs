//! Payment channels: the payer deposits once, and signs a voucher with each request.
//!
//! Between request and answer stand a signature that is checked here and a row that is durable in the ledger; the
//! money is claimed from the chain later, many answers at a time.
//!
//! ```text
//! counter ─▶ sale: a turn on the channel ─▶ judge ─▶ [deposit] ─▶ compute ─▶ row in the ledger ─▶ answer
//!              └─ refund                      mirror: reads the chain · claims · sweeps · closes
//! ```
//!
//! [`payment`] is what came, [`row`] what the ledger knows, the till what is in memory, [`voucher_check`] the rules, [`outcome`] how it ends; [`chain`] is the
//! seam to the contracts and to who settles, [`terms`] what the operator allows.

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
