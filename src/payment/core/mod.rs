//! A payment from its headers to its answer, whatever protocol and rail it comes by.
//!
//! - [`offer`] writes the terms, by [`prices`] and with a `reference`. [`credential`] reads payments and has them
//!   compared with the terms ([`conditions`]).
//! - [`processor`] takes a payment from claim to answer, and [`reconcile`] finishes what it left behind. [`claim`]
//!   says what is stored of a payment, [`outcome`] how it ends. [`failure_limiter`] limits payers whose payments fail.
//! - [`rail`] and [`scheme`] are the seam to the ways over which money comes. [`check`], [`validators`] and [`secret`]
//!   are the tools by which a rail checks its configuration.
//! - [`gate`] is what the pipeline knows of all this, [`metrics`] the metrics of the operator.
//! - [`channel`] sells on payment channels: answers against deposits, without waiting for a third party.
//!
//! A request is recognised by its normal form (`Route::normal_form`), which depends on no snapshot and contains every
//! parameter. A window that lies in the future since a swap therefore still names its claim, and never another's.

pub mod channel;
pub mod check;
pub mod claim;
pub mod clock;
pub mod conditions;
pub mod credential;
pub mod failure_limiter;
pub mod gate;
pub mod metrics;
pub mod offer;
pub mod outcome;
pub mod prices;
pub mod processor;
pub mod rail;
pub mod reconcile;
pub mod reference;
pub mod scheme;
pub mod secret;
pub mod validators;
