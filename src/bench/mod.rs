//! The load generator: sends requests at a rate that does not depend on answers, and measures their latency.
//!
//! In reading order: [`sample`] draws requests from a snapshot, and [`mix`] decides how often each route is
//! requested, both with the random numbers of [`crate::stats::rng`]. [`schedule`] computes the scheduled send time of
//! each request. `client` sends the requests. [`record`] measures latency from the scheduled send time. A stall of
//! the server therefore increases the latencies of all requests that are due during the stall, which avoids
//! coordinated omission. [`knee`] searches for the knee, which is the highest rate that the server keeps up with.
//! [`compare`] compares the server with the floor ([`floor`]), a reference server with the same server loop and a
//! constant answer. [`report`] prints the results. `paid` pays for each answer on a payment channel. `child` starts
//! the servers and pins processes to cores, and `machine` describes the machine.
//!
//! **Invariant:** the requests and their scheduled send times are functions of snapshot, mix, rate and seed.

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
