//! Publishing: a snapshot appears atomically, and is put in use in a separate step.
//!
//! ```text
//! <out>/.building-<pid>/   written, flushed, made read-only
//!      → renamed to <out>/<id>/, parent flushed              published: anybody may open it
//!      → <out>/PREVIOUS and <out>/CURRENT replaced by rename  in use: servers switch to it
//! ```
//!
//! Between the two steps the caller opens the snapshot and answers the examples of all routes from it. This check
//! needs the endpoints, so it is in `server::preflight`. A build that dies leaves only `.building-*` directories.
//! Commands do not treat them as snapshots, and the next build removes them.
//!
//! Two locks serialize commands, and the system releases both when their holder dies. The build lock serializes the
//! commands that write snapshots. A command fails immediately if another command holds this lock. The pointer lock
//! ([`super::pointer_lock`]) is taken to change `CURRENT`, `PREVIOUS` and `accept` and to remove snapshots.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::manifest::{self, Manifest, Verification, is_id};
use super::mapped::Residence;
use super::pointer_lock::{self, PointerLock};
use super::read_only;
use super::safe_open;
use super::verified;

/// The file that names the snapshot in use.
pub const CURRENT: &str = "CURRENT";
/// The file that names the previously used snapshot.
pub const PREVIOUS: &str = "PREVIOUS";
/// The file with the ids of accepted snapshots, one per line. An accepted snapshot may be put in use regardless of
/// its size and its dates.
pub const ACCEPT: &str = "accept";
/// The maximum number of bytes that are read from each of these files.
const POINTER_BYTES_MAX: u64 = 1 << 16;
/// The maximum number of bytes of an invalid id that an error message quotes.
const QUOTED_BYTES_MAX: usize = 100;
const LOCK: &str = ".build.lock";
const STAGING_PREFIX: &str = ".building-";

/// An unfinished build: the build lock of a snapshots directory, and the directory to write into.
pub struct Staging {
    out: PathBuf,
    dir: PathBuf,
    scratch: PathBuf,
    lock: Option<BuildLock>,
}

/// A published snapshot that is not in use yet. Dropping it releases the build lock.
pub struct Published {
    out: PathBuf,
    id: String,
    _lock: Option<BuildLock>,
}

/// The content of `CURRENT`, with inode and modification time of the file, so that a rewritten file is detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The id of the snapshot.
    pub id: String,
    inode: u64,
    modified: (i64, i64),
}

impl Staging {
    /// Takes the build lock of `out` (which is created if necessary), removes the remains of builds that died, and
    /// creates an empty directory to write into.
    ///
    /// # Errors
    /// Returns an error if another build is running, or the directory cannot be written.
    pub fn begin(out: &Path) -> io::Result<Self> {
        fs::create_dir_all(out)?;
        let lock = lock_out(out)?;
        let dir = out.join(format!("{STAGING_PREFIX}{}", std::process::id()));
        let scratch = out.join(format!("{STAGING_PREFIX}{}.scratch", std::process::id()));
        fs::create_dir(&dir)?;
        fs::create_dir(&scratch)?;
        Ok(Self { out: out.to_owned(), dir, scratch, lock: Some(lock) })
    }

    /// The directory to write the snapshot into.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A directory for temporary files, removed together with the staging directory.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Whether a snapshot with the same content is already published.
    ///
    /// # Errors
    /// Returns an error if a snapshot with the same id but other content is published.
    pub fn holds(&self, manifest: &Manifest) -> io::Result<bool> {
        let target = self.out.join(&manifest.id);
        if !target.exists() {
            return Ok(false);
        }
        let same = manifest::read(&target).is_ok_and(|known| known == *manifest)
            && manifest::map_files(&target, manifest, Verification::Full, Residence::Mapped).is_ok();
        same.then_some(true).ok_or_else(|| {
            io::Error::other(format!(
                "{} exists and differs from the new build; remove it or choose another --id",
                target.display()
            ))
        })
    }

    /// Publishes the written snapshot under the manifest's id. An existing snapshot with that id and the same content
    /// is kept. `CURRENT` does not change.
    ///
    /// # Errors
    /// Returns an error if a snapshot with that id and other content exists, or an I/O operation fails.
    pub fn publish(mut self, manifest: &Manifest) -> io::Result<Published> {
        manifest::write(&self.dir, manifest)?;
        if !self.holds(manifest)? {
            read_only::seal(&self.dir)?;
            fs::rename(&self.dir, self.out.join(&manifest.id))?;
            read_only::sync_dir(&self.out)?;
        }
        Ok(Published { out: self.out.clone(), id: manifest.id.clone(), _lock: self.lock.take() })
    }
}

impl Published {
    /// The directory of the snapshot.
    pub fn path(&self) -> PathBuf {
        self.out.join(&self.id)
    }

    /// The id of the snapshot.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The snapshots directory.
    pub fn snapshots(&self) -> &Path {
        &self.out
    }

    /// Puts the snapshot in use.
    ///
    /// # Errors
    /// Returns an error in the cases of [`set_current`].
    pub fn activate(self) -> io::Result<PathBuf> {
        set_current(&self.out, &self.id)?;
        Ok(self.path())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After publishing, `dir` no longer exists. If a removal fails, the next build removes the directories.
        let _ = read_only::remove(&self.dir);
        let _ = read_only::remove(&self.scratch);
    }
}

/// The build lock of a snapshots directory. It is released on drop.
#[derive(Debug)]
pub(super) struct BuildLock(File);

impl Drop for BuildLock {
    fn drop(&mut self) {
        // A forked child process that has not yet executed its program also holds the file open, so closing it here
        // would not release the lock.
        let _ = self.0.unlock();
    }
}

/// Takes the build lock of a snapshots directory and removes the remains of builds that died.
pub(super) fn lock_out(out: &Path) -> io::Result<BuildLock> {
    let lock = pointer_lock::open(&out.join(LOCK))?;
    lock.try_lock().map_err(|fault| match fault {
        TryLockError::WouldBlock => io::Error::other(format!(
            "another build is writing to {}; wait until that build ends",
            out.display()
        )),
        TryLockError::Error(fault) => fault,
    })?;
    for entry in fs::read_dir(out)?.flatten() {
        if is_staging(&entry.path()) {
            read_only::remove(&entry.path())?;
        }
    }
    Ok(BuildLock(lock))
}

/// Renames a published snapshot so that it is no longer visible, and returns the directory that remains to be
/// removed. The caller must also hold the lock of [`lock_out`]. If the command dies, the next build removes the
/// directory.
pub(super) fn set_aside(lock: &PointerLock, id: &str) -> io::Result<PathBuf> {
    let aside = lock.snapshots().join(format!("{STAGING_PREFIX}{}.pruned.{id}", std::process::id()));
    fs::rename(lock.snapshots().join(id), &aside)?;
    verified::forget(lock.snapshots(), id)?;
    Ok(aside)
}

/// Whether `path` is a directory of an unfinished build.
pub fn is_staging(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGING_PREFIX))
}

/// The content of `CURRENT` in a snapshots directory; `None` if the file does not exist.
///
/// # Errors
/// Returns an error if the file is not a regular file, cannot be read, or does not contain the id of a snapshot.
pub fn pointer(snapshots: &Path) -> io::Result<Option<Pointer>> {
    pointer_in(snapshots, CURRENT)
}

fn pointer_in(snapshots: &Path, name: &str) -> io::Result<Option<Pointer>> {
    let path = snapshots.join(name);
    let read = || -> io::Result<Pointer> {
        let (file, about) = safe_open::open(&path)?;
        let text = safe_open::read_opened_text(&file, POINTER_BYTES_MAX)?;
        let id = text.trim_ascii();
        if !is_id(id) {
            let start = &id[..id.floor_char_boundary(QUOTED_BYTES_MAX)];
            return Err(io::Error::other(format!("it contains {start:?}, which is not a snapshot id")));
        }
        Ok(Pointer { id: id.to_owned(), inode: about.ino(), modified: (about.mtime(), about.mtime_nsec()) })
    };
    match read() {
        Ok(pointer) => Ok(Some(pointer)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => {
            Err(io::Error::new(fault.kind(), format!("{} cannot be read: {fault}", path.display())))
        }
    }
}

/// The id in `CURRENT` of a snapshots directory; `None` if the file does not exist.
///
/// # Errors
/// Returns an error in the cases of [`pointer()`].
pub fn current(snapshots: &Path) -> io::Result<Option<String>> {
    Ok(pointer(snapshots)?.map(|pointer| pointer.id))
}

/// The id of the previously used snapshot; `None` if there is no such snapshot.
///
/// # Errors
/// Returns an error in the cases of [`pointer()`].
pub fn previous(snapshots: &Path) -> io::Result<Option<String>> {
    Ok(pointer_in(snapshots, PREVIOUS)?.map(|pointer| pointer.id))
}

/// The directory of a snapshot: of the current snapshot if `dir` is a snapshots directory, otherwise `dir` itself.
///
/// # Errors
/// Returns an error in the cases of [`current`].
pub fn named(dir: &Path) -> io::Result<PathBuf> {
    Ok(current(dir)?.map_or_else(|| dir.to_owned(), |id| dir.join(id)))
}

/// Atomically sets `CURRENT` to a verified snapshot, and stores the previous value of `CURRENT` in `PREVIOUS`. With
/// `force`, the snapshot is also added to the accepted snapshots ([`ACCEPT`]).
///
/// # Errors
/// Returns an error if the snapshot has changed since it was verified, or an I/O operation fails.
pub fn put_in_use(lock: &PointerLock, verified: &Manifest, force: bool) -> io::Result<()> {
    let (snapshots, id) = (lock.snapshots(), &verified.id);
    expect_whole(&snapshots.join(id), verified)?;
    if force {
        add_accepted(lock, id)?;
    }
    // If `CURRENT` cannot be read, `PREVIOUS` is not changed.
    if let Some(before) = current(snapshots).ok().flatten().filter(|before| before != id) {
        replace(snapshots, PREVIOUS, &before)?;
    }
    replace(snapshots, CURRENT, id)
}

/// Rejects a snapshot that was removed, replaced or truncated since it was verified. Its bytes are not read again.
fn expect_whole(dir: &Path, verified: &Manifest) -> io::Result<()> {
    let found = manifest::read(dir).map_err(|fault| vec![fault]);
    let found = found.and_then(|found| {
        manifest::map_files(dir, verified, Verification::Lengths, Residence::Mapped).map(|_| found)
    });
    let fault = match found {
        Ok(found) if found == *verified => return Ok(()),
        Ok(_) => "its manifest changed".to_owned(),
        Err(faults) => faults.join("; "),
    };
    Err(io::Error::other(format!(
        "{} was removed or changed while it was verified ({fault}); pricebook snapshots list shows the remaining \
         snapshots",
        dir.display()
    )))
}

/// Puts a snapshot in use as [`put_in_use`] does, but without a previous verification, and without adding it to the
/// accepted snapshots.
///
/// # Errors
/// Returns an error if the snapshot does not exist, another process holds the lock, or an I/O operation fails.
pub fn set_current(snapshots: &Path, id: &str) -> io::Result<()> {
    let lock = PointerLock::take(snapshots)?;
    let manifest = manifest::read(&snapshots.join(id)).map_err(io::Error::other)?;
    put_in_use(&lock, &manifest, false)
}

/// Whether an operator has accepted that a snapshot is put in use regardless of its size and its dates.
///
/// # Errors
/// Returns an error if the file of accepted snapshots cannot be read.
pub fn is_accepted(snapshots: &Path, id: &str) -> io::Result<bool> {
    Ok(accepted(snapshots)?.iter().any(|accepted| accepted == id))
}

/// Accepts that a snapshot is put in use regardless of its size and its dates. Ids of removed snapshots are dropped
/// from the file.
///
/// # Errors
/// Returns an error if another process holds the lock, or an I/O operation fails.
pub fn accept(snapshots: &Path, id: &str) -> io::Result<()> {
    add_accepted(&PointerLock::take(snapshots)?, id)
}

fn add_accepted(lock: &PointerLock, id: &str) -> io::Result<()> {
    let snapshots = lock.snapshots();
    let mut ids = accepted(snapshots)?;
    ids.retain(|known| known != id && snapshots.join(known).is_dir());
    ids.push(id.to_owned());
    replace(snapshots, ACCEPT, &ids.join("\n"))
}

/// The ids of the snapshots that may be put in use regardless of their size and their dates.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn accepted(snapshots: &Path) -> io::Result<Vec<String>> {
    let path = snapshots.join(ACCEPT);
    match safe_open::read_text(&path, POINTER_BYTES_MAX) {
        Ok(text) => Ok(text.split_ascii_whitespace().filter(|id| is_id(id)).map(str::to_owned).collect()),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(fault) => {
            Err(io::Error::new(fault.kind(), format!("{} cannot be read: {fault}", path.display())))
        }
    }
}

/// Replaces a small file of a snapshots directory. The caller must hold the pointer lock, because the temporary file
/// always has the same name.
fn replace(snapshots: &Path, name: &str, text: &str) -> io::Result<()> {
    let next = snapshots.join(format!(".{name}.next"));
    manifest::write_synced(&next, format!("{text}\n").as_bytes())?;
    fs::rename(&next, snapshots.join(name))?;
    read_only::sync_dir(snapshots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::manifest::for_tests::empty_manifest;

    #[test]
    fn a_snapshot_appears_whole() {
        let out = tempfile::tempdir().unwrap();
        assert_eq!(current(out.path()).unwrap(), None);
        let staging = Staging::begin(out.path()).unwrap();
        assert!(Staging::begin(out.path()).is_err(), "one build at a time");
        let published = staging.publish(&empty_manifest("a")).unwrap();
        assert_eq!(current(out.path()).unwrap(), None, "published is not in use");
        assert!(Staging::begin(out.path()).is_err(), "nobody builds before it is decided");
        published.activate().unwrap();
        assert_eq!(current(out.path()).unwrap().as_deref(), Some("a"));
        assert!(manifest::read(&out.path().join("a")).is_ok());
        Staging::begin(out.path()).unwrap().publish(&empty_manifest("a")).unwrap().activate().unwrap();
        assert_eq!(previous(out.path()).unwrap(), None, "there was no other");
        let other = Manifest { as_of: "2026-11-30".into(), ..empty_manifest("a") };
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
        // This also applies to a staging directory that is already read-only.
        let staging = Staging::begin(out.path()).unwrap();
        fs::write(staging.dir().join("file"), "x").unwrap();
        read_only::seal(staging.dir()).unwrap();
        drop(staging);
        assert_eq!(manifest::list(out.path(), ""), [LOCK]);
    }

    #[test]
    fn remembers_the_previous_current_snapshot() {
        let out = tempfile::tempdir().unwrap();
        for id in ["a", "b"] {
            Staging::begin(out.path()).unwrap().publish(&empty_manifest(id)).unwrap();
        }
        for (id, before) in [("a", None), ("b", Some("a")), ("b", Some("a")), ("a", Some("b"))] {
            set_current(out.path(), id).unwrap();
            assert_eq!(previous(out.path()).unwrap().as_deref(), before);
        }
    }

    #[test]
    fn snapshot_that_is_gone_or_changed_is_not_put_in_use() {
        let out = tempfile::tempdir().unwrap();
        for id in ["a", "b"] {
            Staging::begin(out.path()).unwrap().publish(&empty_manifest(id)).unwrap();
        }
        set_current(out.path(), "a").unwrap();
        let lock = PointerLock::take(out.path()).unwrap();
        let refuse = |verified: &Manifest, part: &str| {
            let fault = put_in_use(&lock, verified, true).unwrap_err().to_string();
            assert!(fault.contains("was removed or changed") && fault.contains(part), "{fault}");
            assert_eq!(current(out.path()).unwrap().as_deref(), Some("a"));
            assert_eq!(accepted(out.path()).unwrap(), [""; 0]);
        };
        let another = Manifest { as_of: "2026-11-30".into(), ..empty_manifest("b") };
        refuse(&another, "its manifest changed");
        let aside = set_aside(&lock, "b").unwrap();
        assert!(is_staging(&aside) && aside.exists());
        refuse(&empty_manifest("b"), "manifest.json");
        drop(lock);
        assert!(set_current(out.path(), "b").is_err());
    }

    #[test]
    fn records_accepted_snapshots_by_id() {
        let out = tempfile::tempdir().unwrap();
        assert!(!is_accepted(out.path(), "a").unwrap());
        for id in ["a", "b", "a"] {
            fs::create_dir_all(out.path().join(id)).unwrap();
            accept(out.path(), id).unwrap();
        }
        assert_eq!(accepted(out.path()).unwrap(), ["b", "a"]);
        fs::remove_dir(out.path().join("b")).unwrap();
        accept(out.path(), "c").unwrap();
        assert_eq!(accepted(out.path()).unwrap(), ["a", "c"], "what is gone is dropped");
        fs::remove_file(out.path().join(ACCEPT)).unwrap();
        fs::create_dir(out.path().join(ACCEPT)).unwrap();
        assert!(is_accepted(out.path(), "a").is_err());
    }

    #[test]
    fn rejects_a_current_pointer_that_is_not_a_regular_file() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join(CURRENT);
        for make in [&["mkfifo"][..], &["ln", "-s", "/dev/zero"], &["mkdir"]] {
            let status = std::process::Command::new(make[0]).args(&make[1..]).arg(&path).status();
            assert!(status.unwrap().success());
            let fault = pointer(out.path()).unwrap_err().to_string();
            assert!(fault.contains("CURRENT cannot be read: it is not a regular file"), "{fault}");
            fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        }
        fs::write(&path, "x".repeat(POINTER_BYTES_MAX as usize + 1)).unwrap();
        assert!(pointer(out.path()).unwrap_err().to_string().contains("larger than"));
    }

    #[test]
    fn ids_cannot_leave_the_directory() {
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "../a",
            ".building-1",
            ".verified",
            "reports",
            "runs",
            "CURRENT",
            "PREVIOUS",
            "accept",
        ] {
            assert!(!is_id(bad), "{bad}");
        }
        assert!(is_id("2026-10-31-0123abcd"));
    }
}
