//! Raw input in, snapshot out.
//!
//! The first half reads and cleans: [`ingest`] turns files into chunks of text columns, by what a [`mapping`] says of
//! them, [`judge`] judges its rows, [`merge`] decides which of all rows count, [`rejects`] and [`report`] say what became of them. The
//! halves meet in [`canonical`].

pub mod canonical;
pub mod classification;
mod clean;
pub mod demo;
mod everyday;
pub mod explain;
#[cfg(test)]
mod for_tests;
pub mod gather;
pub mod ingest;
pub mod job;
pub mod judge;
pub mod limits;
pub mod mapping;
pub mod memory;
pub mod merge;
pub mod pack;
mod progress;
mod publication;
pub mod rejects;
pub mod report;
pub mod run;
pub mod runs;
pub mod scratch;
mod side_tables;
mod space;
pub mod template;

pub use progress::{Progress, Silent};
pub use rejects::{Reason, RejectWriter};
pub use report::InputReport;
