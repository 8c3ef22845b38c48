//! Payment channels: the payer deposits once, and signs a voucher with each request.
//!
//! Between request and answer stand a signature that is checked here and a row that is durable in the ledger; the
//! money is claimed from the chain later, many answers at a time. [`row`] is what the ledger knows of a channel,
//! [`chain`] the seam to the contracts and to who settles, [`terms`] what the operator allows.

pub mod chain;
pub mod row;
pub mod terms;
