//! From runs to shards: the rows that count, one range of key hashes at a time.
//!
//! ```text
//! runs ─kway─▶ the rows of a key ─reduce─▶ its listing and spells ─build─▶ shard, in snapshot order
//! shards ─source─▶ what the index writer reads    runs and shards ─report─▶ report.json, rejected.ndjson
//! ```
//!
//! A shard follows from the rows in its range alone, each of which carries its position in the reading order. The
//! distribution of rows over files, runs and shards, and the order in which files were validated, change nothing.
//! [`task`] holds everything that a merge is told, so a merge runs wherever the store can be reached.
//!
//! Observations on days that are not believed are left out here, as rejects with file and line (`clean::far_days`
//! decides by the counts of all runs). Of the latest days, which together hold under 1 % of the rows, the first row of
//! each is kept for `report.json`, where an operator looks for a mistyped date.

mod build;
mod kway;
mod reduce;
pub mod report;
pub mod shard;
pub mod source;
pub mod task;

use std::path::Path;

use anyhow::{Context as _, Result};

use self::build::Building;
use self::kway::Cursors;
use self::reduce::Reducer;
use self::shard::Shard;
use self::task::MergeTask;
use crate::store::Store;

/// Makes a shard, if it is not there yet: a task of its own, which may run anywhere and as often as one likes.
///
/// # Errors
/// When a run cannot be read, or the shard cannot be written.
pub fn merge(task: &MergeTask, store: &Store, scratch: &Path) -> Result<()> {
    let name = task.name()?;
    if Shard::meta(store, &name)?.is_some() {
        return Ok(());
    }
    let mut cursors = Cursors::open(store, &task.runs, &task.hashes())?;
    let mut building = Building::new(task.first_late_day);
    let mut reducer = Reducer::new(task.newest, task.last_day);
    while let Some(key) = cursors.next(&mut reducer)? {
        building.take(&key, &mut reducer, &task.codes);
    }
    drop(cursors);
    let dir = tempfile_in(scratch, &name)?;
    let meta = building.write(&dir).with_context(|| format!("cannot write a shard to {}", dir.display()))?;
    Shard::put(store, &name, &dir, meta)?;
    std::fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))
}

/// A folder for the files of a shard.
fn tempfile_in(scratch: &Path, name: &str) -> Result<std::path::PathBuf> {
    let dir = scratch.join(format!("shard-{name}"));
    match std::fs::remove_dir_all(&dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(&dir),
    }
    .with_context(|| format!("cannot write to {}", dir.display()))?;
    Ok(dir)
}
