//! From input files to a snapshot: rows are validated, sorted, merged, cleaned and written.
//!
//! [`pipeline`] leads from files to a normalized catalog: [`validate`] makes a run of each file, [`merge`] decides which of
//! all rows count. [`writer`] turns the [`normalized`] catalog into the files of a snapshot. [`run`] is a whole build in one
//! process, [`job`] the same steps as tasks on many machines.

mod clean;
pub mod demo;
mod everyday;
#[cfg(test)]
mod for_tests;
pub mod job;
pub mod memory;
pub mod merge;
pub mod normalized;
pub mod pipeline;
pub mod run;
pub mod runs;
pub mod scratch;
mod space;
pub mod validate;
pub mod writer;
