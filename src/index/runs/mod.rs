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
mod source;
mod table;
mod writer;

#[cfg(test)]
mod compact_tests;
#[cfg(test)]
mod tests;

pub use compact::{RUNS_MAX, UsedRun, compact, used_runs};
pub use cursor::Groups;
pub use group::{ListingRows, OddRows, RunGroup};
pub use index::BatchIndex;
pub use key::Key;
pub use kway::MergedGroups;
pub use meta::{Detected, LineExample, LineTallies, LineTally, MemberMeta, RunMeta};
pub use prune::{InUse, KNOWN_FOLDER, PrunedRuns, SHARD_FOLDER, SHARD_JSON, prune_older, prune_unused};
pub use rejects::{RunReject, RunRejects};
pub use rows::{ListingCandidate, ObservationOfRun, ObservationRows, Odd, OddRow, TEXT_COLUMNS};
pub use run::{REJECTS, ROWS, RUN_FOLDER, RUN_JSON, Run, is_name};

pub use rejects::RunRejectWriter;
pub use table::GroupTable;
pub use writer::GroupWriter;
