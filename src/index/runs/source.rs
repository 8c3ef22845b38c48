//! Where bytes of a run are read: an object of a store, or a temporary file.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use anyhow::{Context as _, Result};

use crate::store::Store;

/// An object or a file.
pub(super) enum ByteSource {
    Stored { store: Store, name: String },
    Local(File),
}

impl ByteSource {
    /// These bytes of it.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(super) fn range(&self, range: Range<u64>) -> Result<Vec<u8>> {
        match self {
            Self::Stored { store, name } => store.range(name, range),
            Self::Local(file) => {
                let mut bytes = vec![0; (range.end - range.start) as usize];
                file.read_exact_at(&mut bytes, range.start).context("a temporary file cannot be read")?;
                Ok(bytes)
            }
        }
    }
}
