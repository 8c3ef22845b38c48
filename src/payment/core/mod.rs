//! A payment from its headers to its answer, whatever protocol and rail it comes by.
//!
//! [`offer`] writes the terms, [`credential`] reads payments and has them held against the terms, [`processor`] takes
//! one from claim to answer, [`reconcile`] finishes what it left behind, [`claim`] says what is remembered of it, and
//! [`gate`] is what the pipeline knows of all this. [`rail`] is the seam to the ways over which money comes; [`channel`]
//! sells on credit that its payer has deposited before, without waiting for anybody.

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
