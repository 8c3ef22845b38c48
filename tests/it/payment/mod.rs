//! What a payment buys.

mod ledger_report;
pub mod statuses;
