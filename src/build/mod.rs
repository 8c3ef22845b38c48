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
mod publication;
pub mod rejects;
pub mod report;
pub mod run;
pub mod runs;
pub mod scratch;
mod side_tables;
mod space;
pub mod template;

pub use rejects::{Reason, RejectWriter};
pub use report::InputReport;

/// What a build tells whoever watches it. Drawing is somebody else's business.
pub trait Progress: Sync {
    /// A stage begins; of so many parts (and what they are) where that is known.
    fn stage(&self, name: &str, parts: Option<(u64, &'static str)>);
    /// One more part of the current stage is done.
    fn part(&self);
    /// So many more rows were read.
    fn rows(&self, rows: u64);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _parts: Option<(u64, &'static str)>) {}
    fn part(&self) {}
    fn rows(&self, _rows: u64) {}
}
