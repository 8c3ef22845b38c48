//! An opened snapshot.

mod cell;

use std::path::Path;

pub use cell::CatalogCell;

use crate::domain::{Day, Instant};

/// Why a snapshot does not open.
#[derive(Debug, thiserror::Error)]
#[error("snapshot {path} does not open: {fault}")]
pub struct OpenError {
    /// The snapshot's directory.
    pub path: String,
    /// What is wrong, and where.
    pub fault: String,
}

/// An opened snapshot: everything a request reads.
pub struct Catalog {}

impl Catalog {
    /// Maps the snapshot in `path`, checks it and warms its pages.
    ///
    /// # Errors
    /// When a file is missing, damaged or foreign.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Err(OpenError { path: path.display().to_string(), fault: "not written yet".into() })
    }

    /// The snapshot's id.
    pub fn id(&self) -> &str {
        ""
    }

    /// The snapshot's now: the day that follows its last observation.
    pub fn as_of(&self) -> Day {
        self.newest().day()
    }

    /// Instant of the newest observation.
    pub fn newest(&self) -> Instant {
        Instant::from_micros(0)
    }
}
