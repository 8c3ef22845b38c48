//! What a payment buys.

mod batches;
mod ledger_report;
pub mod statuses;
