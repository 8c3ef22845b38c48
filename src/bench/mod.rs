//! The load generator: sends requests at a rate that does not depend on answers, and measures their latency.
//!
//! In reading order: [`sample`] draws requests from a snapshot, and [`mix`] decides how often each route is
//! requested, both with the random numbers of [`crate::stats::rng`]. [`schedule`] decides when each request is meant
//! to be sent. `client` sends the requests. [`record`] counts latency from the moment that was meant, so that a
//! stalled server does not lower its own latencies (coordinated omission). [`knee`] climbs to the knee. [`compare`]
//! compares the server with the floor ([`floor`]: the same server loop with a constant answer). [`report`] prints the
//! results. In `paid` each answer is paid on a payment channel. `child` starts the servers and pins processes to
//! cores, and `machine` describes the machine.
//!
//! **Invariant:** the requests, and the times at which they are meant to be sent, are functions of snapshot, mix,
//! rate and seed.

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
