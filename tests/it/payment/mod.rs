//! What a payment buys.

mod ledger_report;
mod statuses;
