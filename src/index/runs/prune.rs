//! What is removed of a store of runs, and what stays.

use std::collections::BTreeSet;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::run::{MEMBER_FOLDER, RUN_FOLDER, RUN_JSON, Run};
use crate::store::{Store, StoreEntry};

/// Folder of what is known of inputs.
pub const KNOWN_FOLDER: &str = "known";
/// Folder of merged ranges.
pub const SHARD_FOLDER: &str = "shard";
/// File that says whether a shard is whole.
pub const SHARD_JSON: &str = "shard.json";
/// What the last build used.
const IN_USE: &str = "in-use.json";
/// Everything that is pruned; other files of the store are nobody's business.
const FOLDERS: [&str; 4] = [KNOWN_FOLDER, MEMBER_FOLDER, RUN_FOLDER, SHARD_FOLDER];

/// What a build used of a store.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InUse {
    /// What was known, runs, runs that are members of others, and shards, each as `<folder>/<name>`.
    units: BTreeSet<String>,
}

/// What was removed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PrunedRuns {
    /// Files.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl InUse {
    /// A run, and of one that was put together that its members are in it.
    pub fn add_run(&mut self, run: &Run) {
        self.units.insert(format!("{RUN_FOLDER}/{}", run.name()));
        let members = run.meta().members.iter().filter(|member| member.run != run.name());
        self.units.extend(members.map(|member| format!("{MEMBER_FOLDER}/{}", member.run)));
    }

    /// A shard.
    pub fn add_shard(&mut self, name: &str) {
        self.units.insert(format!("{SHARD_FOLDER}/{name}"));
    }

    /// What was known of an input.
    pub fn add_known(&mut self, name: &str) {
        self.units.insert(format!("{KNOWN_FOLDER}/{name}"));
    }
}

/// Removes what neither this build nor the one before used, and remembers what this one did.
///
/// # Errors
/// When the store cannot be listed or written.
pub fn prune_unused(store: &Store, in_use: &InUse) -> Result<PrunedRuns> {
    // What cannot be read keeps nothing: what is missing is made again.
    let before = store.get(IN_USE)?.and_then(|bytes| serde_json::from_slice::<InUse>(&bytes).ok());
    let before = before.unwrap_or_default();
    let pruned = prune(store, |unit, _| !in_use.units.contains(unit) && !before.units.contains(unit))?;
    store.remove(IN_USE)?;
    store.create(IN_USE, &serde_json::to_vec(in_use)?)?;
    Ok(pruned)
}

/// Removes what was written before a time, microseconds since 1970 UTC.
///
/// # Errors
/// When the store cannot be listed or written.
pub fn prune_older(store: &Store, before_micros: i64) -> Result<PrunedRuns> {
    prune(store, |_, written_micros| written_micros < before_micros)
}

/// Removes every unit, `<folder>/<name>` with all its files, that is to go by its name and the time of its latest file.
fn prune(store: &Store, goes: impl Fn(&str, i64) -> bool) -> Result<PrunedRuns> {
    let mut pruned = PrunedRuns::default();
    for folder in FOLDERS {
        let entries = store.list(folder)?;
        for unit in entries.chunk_by(|a, b| unit(&a.name) == unit(&b.name)) {
            let latest = unit.iter().map(|entry| entry.modified_micros).max().unwrap_or(0);
            if goes(self::unit(&unit[0].name), latest) {
                remove(store, unit, &mut pruned)?;
            }
        }
    }
    Ok(pruned)
}

/// The first two words of a name.
fn unit(name: &str) -> &str {
    let end = name.match_indices('/').nth(1).map_or(name.len(), |(at, _)| at);
    &name[..end]
}

/// Removes the files of a unit, first the one that says that it is whole.
fn remove(store: &Store, unit: &[StoreEntry], pruned: &mut PrunedRuns) -> Result<()> {
    let says_whole = |entry: &&StoreEntry| entry.name.ends_with(RUN_JSON) || entry.name.ends_with(SHARD_JSON);
    let (first, then): (Vec<_>, Vec<_>) = unit.iter().partition(says_whole);
    for entry in first.into_iter().chain(then) {
        store.remove(&entry.name)?;
        pruned.objects += 1;
        pruned.bytes += entry.bytes;
    }
    Ok(())
}
