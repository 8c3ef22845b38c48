//! Lists the snapshots of a directory, and removes old ones.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::manifest::{self, MANIFEST, Manifest, is_id};
use super::pointer_lock::PointerLock;
use super::publish;
use super::read_only;

/// A directory with a manifest.
#[derive(Debug)]
pub struct KeptSnapshot {
    /// Name of the directory.
    pub id: String,
    /// The modification time of the manifest.
    pub published: SystemTime,
    /// The manifest, or the reason why the manifest is invalid. Other files are not read.
    pub manifest: Result<Manifest, String>,
}

/// The result of pruning.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Ids of the removed snapshots.
    pub removed: Vec<String>,
    /// Directories that were not removed because their manifest is not valid for this version of the program, each
    /// with the fault.
    pub unsound: Vec<(String, String)>,
}

/// The snapshots of a directory, the most recently published first.
///
/// # Errors
/// Returns an error if the directory cannot be listed.
pub fn list(snapshots: &Path) -> io::Result<Vec<KeptSnapshot>> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(snapshots)? {
        let entry = entry?;
        let id = entry.file_name().to_string_lossy().into_owned();
        let dir = entry.path();
        let Some(about) = fs::metadata(dir.join(MANIFEST)).ok().filter(|_| is_id(&id)) else { continue };
        let published = about.modified()?;
        let named = |manifest: Manifest| {
            if manifest.id == id {
                Ok(manifest)
            } else {
                Err(format!("its manifest has the id {}", manifest.id))
            }
        };
        let manifest = manifest::read(&dir).and_then(named);
        kept.push(KeptSnapshot { id, published, manifest });
    }
    kept.sort_by(|a, b| b.published.cmp(&a.published).then_with(|| b.id.cmp(&a.id)));
    Ok(kept)
}

/// Removes all but the last `keep` snapshots, with their directories below `reports`, and the remains of builds that
/// died. The current and the previous snapshot are always kept, and count among the `keep` snapshots.
///
/// # Errors
/// Returns an error if a build is running, another process holds the pointer lock, `CURRENT` or `PREVIOUS` cannot be
/// read, or an I/O operation fails.
pub fn prune(snapshots: &Path, keep: usize, reports: &str) -> io::Result<Pruned> {
    // A running build may be about to publish a snapshot that already exists, and relies on it being kept.
    let _build = publish::lock_out(snapshots)?;
    let mut all = list(snapshots)?;
    let (mut pruned, mut kept, mut aside) = (Pruned::default(), 0, Vec::new());
    // `CURRENT` and `PREVIOUS` are read under the lock that protects them. Files are removed after the lock is
    // released.
    let lock = PointerLock::take(snapshots)?;
    let in_use = [publish::current(snapshots)?, publish::previous(snapshots)?];
    let is_in_use = |id: &str| in_use.iter().flatten().any(|named| named == id);
    all.sort_by_key(|snapshot| !is_in_use(&snapshot.id));
    for KeptSnapshot { id, manifest, .. } in all {
        if is_in_use(&id) || (manifest.is_ok() && kept < keep) {
            kept += 1;
            continue;
        }
        if let Err(fault) = manifest {
            pruned.unsound.push((id, fault));
            continue;
        }
        aside.push(publish::set_aside(&lock, &id)?);
        pruned.removed.push(id);
    }
    drop(lock);
    let reports = pruned.removed.iter().map(|id| snapshots.join(reports).join(id)).filter(|dir| dir.is_dir());
    aside.into_iter().chain(reports).try_for_each(|dir| read_only::remove(&dir))?;
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::manifest::for_tests::empty_manifest;
    use super::super::publish::{Staging, set_current};
    use super::*;

    /// Publishes an empty snapshot, with a modification time this many seconds after the epoch.
    fn publish(out: &Path, id: &str, seconds: u64) {
        Staging::begin(out).unwrap().publish(&empty_manifest(id)).unwrap();
        fs::create_dir_all(out.join("reports").join(id)).unwrap();
        let file = fs::File::open(out.join(id).join(MANIFEST)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    fn ids(out: &Path) -> Vec<String> {
        list(out).unwrap().into_iter().map(|snapshot| snapshot.id).collect()
    }

    #[test]
    fn the_last_ones_and_those_in_use_stay() {
        let out = tempfile::tempdir().unwrap();
        let out = out.path();
        for (seconds, id) in (1..).zip(["a", "b", "c", "d", "e"]) {
            publish(out, id, seconds);
        }
        fs::create_dir_all(out.join("input")).unwrap();
        fs::create_dir_all(out.join("other")).unwrap();
        fs::write(out.join("other").join(MANIFEST), "{}").unwrap();
        assert_eq!(ids(out), ["other", "e", "d", "c", "b", "a"]);
        set_current(out, "a").unwrap();
        set_current(out, "c").unwrap();
        fs::create_dir_all(out.join(".building-1/x")).unwrap();
        let pruned = prune(out, 3, "reports").unwrap();
        assert_eq!(pruned.removed, ["d", "b"]);
        assert!(pruned.unsound.len() == 1 && pruned.unsound[0].0 == "other", "{pruned:?}");
        assert_eq!(ids(out), ["other", "e", "c", "a"]);
        assert!(!out.join(".building-1").exists() && !out.join("reports/d").exists());
        assert!(out.join("reports/e").exists());
        assert_eq!(prune(out, 0, "reports").unwrap().removed, ["e"]);
        assert_eq!(prune(out, 0, "reports").unwrap().removed, [""; 0]);
    }

    #[test]
    fn refuses_to_prune_while_a_build_runs() {
        let out = tempfile::tempdir().unwrap();
        publish(out.path(), "a", 1);
        let staging = Staging::begin(out.path()).unwrap();
        let fault = prune(out.path(), 0, "reports").unwrap_err();
        assert!(fault.to_string().contains("another build"), "{fault}");
        assert!(staging.dir().exists());
        assert_eq!(ids(out.path()), ["a"]);
    }
}
