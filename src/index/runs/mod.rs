//! Runs: the rows of one raw file, validated one by one and ordered by key.
//!
//! A run knows no other file, and neither the name of its own file nor its position among the inputs. The list of
//! inputs gives both when runs are merged. Rows of one key are a group. Groups are ordered by (hash, key, member) and
//! lie in small batches of an Arrow IPC file. `run.json` has the position and the checksum of each batch, so a range
//! of hashes is read without the rest, and a damaged batch is an error.
//!
//! ```text
//! run/<name>/rows.arrow            groups: candidates for listings, observations, what is odd about them
//!            rejects.ndjson.zst    rows with a fault of their own
//!            run.json              what was found out, and where the batches are; written last
//! ```
//!
//! `compact` joins the runs of a month that is over, so that a build opens few files. Every row is kept, with the
//! number of its file.
//!
//! A run is read from an object of a store or from a temporary file.

mod columns;
mod compact;
mod cursor;
mod decode;
mod group;
mod index;
mod key;
mod kway;
mod layout;
mod meta;
mod prune;
mod rejects;
mod rows;
mod run;
mod table;
mod tally;
mod writer;

#[cfg(test)]
mod compact_tests;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use anyhow::{Context as _, Result};

use crate::store::Store;
pub use compact::{RUNS_MAX, UsedRun, compact, used_runs};
pub use cursor::Groups;
pub use group::{ListingRows, OddRows, RunGroup};
pub use index::BatchIndex;
pub use key::Key;
pub use kway::MergedGroups;
pub use meta::{LineTallies, MemberMeta, RunMeta};
pub use prune::{InUse, KNOWN_FOLDER, PrunedRuns, SHARD_FOLDER, SHARD_JSON, prune_older, prune_unused};
pub use rejects::{RunReject, RunRejectWriter, RunRejects};
pub use rows::{ListingCandidate, ObservationOfRun, ObservationRows, Odd, OddRow, TEXT_COLUMNS};
pub use run::{REJECTS, ROWS, RUN_FOLDER, RUN_JSON, Run, is_name};
pub use table::GroupTable;
pub use tally::{LineExample, LineTally};
pub use writer::GroupWriter;

/// An object or a file.
enum ByteSource {
    Stored { store: Store, name: String },
    Local(File),
}

impl ByteSource {
    /// These bytes of it.
    ///
    /// # Errors
    /// When they cannot be read.
    fn range(&self, range: Range<u64>) -> Result<Vec<u8>> {
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
