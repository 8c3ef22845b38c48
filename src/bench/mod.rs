//! The load generator: requests at a rate that does not wait for answers, and what their latency was.
//!
//! In reading order: [`sample`] draws requests from a snapshot, [`mix`] says how often each route is asked, both by the
//! numbers of [`crate::stats::rng`]; [`schedule`] says when each is meant to be sent; `client` sends them and [`record`]
//! counts latency from the moment that was meant, so that a server that stalls cannot make the generator look away;
//! [`knee`] climbs to the knee, [`compare`] sets the server beside the floor ([`floor`]: the same server loop with
//! a constant answer), [`report`] prints. In `paid` each answer is paid on a payment channel. `child` starts the two servers, `pin` keeps processes on their cores,
//! `machine` says where it was measured.
//!
//! **Invariant:** what is asked and when it is meant to be sent are functions of snapshot, mix, rate and seed.

mod child;
mod client;
pub mod compare;
pub mod floor;
pub mod knee;
mod machine;
pub mod mix;
pub mod paid;
pub mod probe;
pub mod record;
pub mod report;
mod run;
pub mod sample;
pub mod schedule;

pub use report::BenchOptions;
pub use run::run;
