//! Publishing: a snapshot appears whole or not at all.
//!
//! ```text
//! <out>/.building-<pid>/   written, flushed, made read-only
//!      → renamed to <out>/<id>/, parent flushed
//!      → <out>/CURRENT replaced by rename, parent flushed
//! ```
//!
//! A build that dies leaves only a `.building-*` directory, which nobody takes for a snapshot and the next build
//! removes. One build at a time: a lock file that the system releases when its holder dies.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{self, MANIFEST, Manifest, Verification, is_id};

/// File that names the snapshot in use.
pub const CURRENT: &str = "CURRENT";
const LOCK: &str = ".build.lock";
const STAGING_PREFIX: &str = ".building-";

/// The right to build into a snapshots directory, and the directory to write into.
pub struct Staging {
    out: PathBuf,
    dir: PathBuf,
    scratch: PathBuf,
    _lock: File,
}

impl Staging {
    /// Takes the lock of `out` (created if need be), removes the remains of builds that died, and makes a fresh
    /// directory to write into.
    ///
    /// # Errors
    /// When another build is running, or the directory cannot be written.
    pub fn begin(out: &Path) -> io::Result<Self> {
        fs::create_dir_all(out)?;
        let lock = File::options().create(true).truncate(false).write(true).open(out.join(LOCK))?;
        lock.try_lock().map_err(|fault| match fault {
            TryLockError::WouldBlock => {
                io::Error::other(format!("another build is writing to {}", out.display()))
            }
            TryLockError::Error(fault) => fault,
        })?;
        for entry in fs::read_dir(out)?.flatten() {
            if is_staging(&entry.path()) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        let dir = out.join(format!("{STAGING_PREFIX}{}", std::process::id()));
        let scratch = out.join(format!("{STAGING_PREFIX}{}.scratch", std::process::id()));
        fs::create_dir(&dir)?;
        fs::create_dir(&scratch)?;
        Ok(Self { out: out.to_owned(), dir, scratch, _lock: lock })
    }

    /// The directory to write the snapshot into.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A directory for what does not belong to the snapshot, removed with the staging directory.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Whether this very snapshot is published already.
    ///
    /// # Errors
    /// When another one has its id.
    pub fn holds(&self, manifest: &Manifest) -> io::Result<bool> {
        let target = self.out.join(&manifest.id);
        if !target.exists() {
            return Ok(false);
        }
        let same = manifest::read(&target).is_ok_and(|known| known == *manifest)
            && manifest::map_files(&target, manifest, Verification::Full).is_ok();
        same.then_some(true).ok_or_else(|| {
            io::Error::other(format!(
                "{} exists and differs from what was built; remove it or choose another --id",
                target.display()
            ))
        })
    }

    /// Publishes what was written under the manifest's id and makes it current. A snapshot of that id with the
    /// same content is left as it is.
    ///
    /// # Errors
    /// When a snapshot of that id with other content exists, or the disk refuses.
    pub fn publish(self, manifest: &Manifest) -> io::Result<PathBuf> {
        manifest::write(&self.dir, manifest)?;
        let target = self.out.join(&manifest.id);
        if !self.holds(manifest)? {
            seal(&self.dir)?;
            fs::rename(&self.dir, &target)?;
            sync_dir(&self.out)?;
        }
        set_current(&self.out, &manifest.id)?;
        Ok(target)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After a publish there is nothing left to remove; otherwise the next build would do it.
        let _ = fs::remove_dir_all(&self.dir);
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

/// Whether `path` is the directory of an unfinished build.
pub fn is_staging(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGING_PREFIX))
}

/// The id in `CURRENT` of a snapshots directory; `None` when there is no such file.
///
/// # Errors
/// When the file cannot be read or does not hold the name of a directory.
pub fn current(snapshots: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(snapshots.join(CURRENT)) {
        Ok(text) if is_id(text.trim()) => Ok(Some(text.trim().to_owned())),
        Ok(text) => Err(io::Error::other(format!("{CURRENT} does not name a snapshot: {:?}", text.trim()))),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The snapshot that a directory means: itself, or the current one of a snapshots directory.
///
/// # Errors
/// As [`current`].
pub fn named(dir: &Path) -> io::Result<PathBuf> {
    Ok(current(dir)?.map_or_else(|| dir.to_owned(), |id| dir.join(id)))
}

/// Points `CURRENT` at a snapshot, atomically.
///
/// # Errors
/// When the disk refuses.
pub fn set_current(snapshots: &Path, id: &str) -> io::Result<()> {
    let next = snapshots.join(".CURRENT.next");
    manifest::write_synced(&next, format!("{id}\n").as_bytes())?;
    fs::rename(&next, snapshots.join(CURRENT))?;
    sync_dir(snapshots)
}

/// Makes the files of a finished snapshot read-only and flushes their directories.
fn seal(dir: &Path) -> io::Result<()> {
    debug_assert!(dir.join(MANIFEST).exists());
    for name in manifest::list(dir, "") {
        let path = dir.join(name);
        let mut permissions = fs::metadata(&path)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions)?;
        if let Some(parent) = path.parent() {
            sync_dir(parent)?;
        }
    }
    sync_dir(dir)
}

fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::INTERFACE_VERSION;
    use crate::snapshot::manifest::{Counts, FORMAT_VERSION};

    fn manifest(id: &str) -> Manifest {
        Manifest {
            format_version: FORMAT_VERSION,
            id: id.into(),
            as_of: "2026-10-31".into(),
            schema_version: INTERFACE_VERSION.into(),
            classification_release: None,
            counts: Counts::default(),
            linking: None,
            files: Vec::new(),
        }
    }

    #[test]
    fn a_snapshot_appears_whole() {
        let out = tempfile::tempdir().unwrap();
        assert_eq!(current(out.path()).unwrap(), None);
        let staging = Staging::begin(out.path()).unwrap();
        assert!(Staging::begin(out.path()).is_err(), "one build at a time");
        staging.publish(&manifest("a")).unwrap();
        assert_eq!(current(out.path()).unwrap().as_deref(), Some("a"));
        assert!(manifest::read(&out.path().join("a")).is_ok());
        Staging::begin(out.path()).unwrap().publish(&manifest("a")).unwrap();
        let other = Manifest { as_of: "2026-11-30".into(), ..manifest("a") };
        assert!(Staging::begin(out.path()).unwrap().publish(&other).is_err(), "snapshots are immutable");
    }

    #[test]
    fn the_remains_of_a_dead_build_are_removed() {
        let out = tempfile::tempdir().unwrap();
        fs::create_dir_all(out.path().join(".building-1/text")).unwrap();
        let staging = Staging::begin(out.path()).unwrap();
        assert!(!out.path().join(".building-1").exists());
        drop(staging);
        assert_eq!(manifest::list(out.path(), ""), [LOCK]);
    }

    #[test]
    fn ids_cannot_leave_the_directory() {
        for bad in ["", ".", "..", "a/b", "../a", ".building-1", "reports", "CURRENT"] {
            assert!(!is_id(bad), "{bad}");
        }
        assert!(is_id("2026-10-31-0123abcd"));
    }
}
