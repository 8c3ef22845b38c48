//! Marks of the snapshots that this machine has verified. If a snapshot has a mark, a server does not repeat the
//! verification that a build or another server has made.
//!
//! Opening a snapshot with full verification writes a mark beside the snapshot. The mark identifies the files by
//! device, inode, length and times. A mark is accepted if all of these are unchanged, and only the reading user or
//! root can have written the mark. `serve` reads only lengths if it accepts a mark; a build and `verify` always read
//! all bytes.
//!
//! The mark protects against accidents. It does not protect against root, who can set any time, or against disk
//! errors, which [`watch`](super::watch) detects.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::manifest::{self, FORMAT_VERSION, MANIFEST, MANIFEST_BYTES_MAX, MANIFEST_CHECKSUM, Manifest};
use super::safe_open;

/// Directory of the marks, beside the snapshots.
pub const VERIFIED: &str = ".verified";
/// The permission bits with which users other than the owner may write.
const WRITE_OF_OTHERS: u32 = 0o022;
const DIRECTORY_MODE: u32 = 0o755;
const MARK_MODE: u32 = 0o644;

/// The identity of the files of a snapshot, and of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    format_version: u32,
    /// Version of the program. Another version may check more.
    program: String,
    /// [`manifest::content`] of the files.
    root: String,
    files: Vec<MarkedFile>,
}

/// The identity of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkedFile {
    name: String,
    device: u64,
    inode: u64,
    bytes: u64,
    /// Modification time, in seconds and nanoseconds since 1970.
    modified: (i64, i64),
    /// Change time of the inode, in seconds and nanoseconds since 1970. It cannot be set by programs.
    changed: (i64, i64),
}

impl Mark {
    /// The current identity of the snapshot in `dir`. `None` if the snapshot cannot have a mark: the name of its
    /// directory is not its id, or a file is missing.
    pub fn of(dir: &Path, manifest: &Manifest) -> Option<Self> {
        if dir.file_name()?.to_str()? != manifest.id {
            return None;
        }
        let names = manifest.files.iter().map(|entry| entry.name.as_str());
        let files = names.chain([MANIFEST, MANIFEST_CHECKSUM]).map(|name| MarkedFile::of(dir, name).ok());
        Some(Self {
            format_version: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            root: manifest::content(&manifest.files),
            files: files.collect::<Option<_>>()?,
        })
    }

    /// Whether this machine has written exactly this mark for the snapshot in `dir`.
    pub fn is_left(&self, dir: &Path) -> bool {
        read(dir).is_ok_and(|left| left == *self)
    }

    /// Writes the mark, which states that the snapshot in `dir` was verified in full.
    ///
    /// # Errors
    /// Returns an error if the mark cannot be written. The caller may ignore the error.
    pub fn leave(&self, dir: &Path) -> io::Result<()> {
        let (marks, id) = place(dir)?;
        match DirBuilder::new().mode(DIRECTORY_MODE).create(&marks) {
            Err(fault) if fault.kind() != io::ErrorKind::AlreadyExists => return Err(fault),
            _ => {}
        }
        let next = marks.join(format!(".{id}.{}", std::process::id()));
        let written = || {
            let mut file = File::options().write(true).create_new(true).mode(MARK_MODE).open(&next)?;
            file.write_all(&serde_json::to_vec_pretty(self)?)?;
            fs::rename(&next, marks.join(id))
        };
        written().inspect_err(|_| _ = fs::remove_file(&next))
    }
}

impl MarkedFile {
    fn of(dir: &Path, name: &str) -> io::Result<Self> {
        let about = fs::symlink_metadata(dir.join(name))?;
        Ok(Self {
            name: name.to_owned(),
            device: about.dev(),
            inode: about.ino(),
            bytes: about.len(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        })
    }
}

/// Removes the mark of a removed snapshot.
pub(super) fn forget(snapshots: &Path, id: &str) -> io::Result<()> {
    match fs::remove_file(snapshots.join(VERIFIED).join(id)) {
        Err(fault) if fault.kind() != io::ErrorKind::NotFound => Err(fault),
        _ => Ok(()),
    }
}

/// The mark of the snapshot in `dir`. Fails if another user may have written it.
fn read(dir: &Path) -> io::Result<Mark> {
    let (marks, id) = place(dir)?;
    let (file, about) = safe_open::open(&marks.join(id))?;
    if !(is_ours(&about) && is_ours(&fs::symlink_metadata(&marks)?)) {
        return Err(io::Error::other("another user may have written the file"));
    }
    Ok(serde_json::from_slice(&safe_open::read_opened(&file, MANIFEST_BYTES_MAX)?)?)
}

/// The directory of the marks for the snapshot in `dir`, and the name of its mark.
fn place(dir: &Path) -> io::Result<(std::path::PathBuf, &str)> {
    let id = dir.file_name().and_then(|name| name.to_str());
    let nowhere = || io::Error::other("the snapshot does not have a parent directory");
    let (snapshots, id) = dir.parent().zip(id).ok_or_else(nowhere)?;
    Ok((snapshots.join(VERIFIED), id))
}

/// Whether only this user and root can write the file.
fn is_ours(about: &Metadata) -> bool {
    let owner = about.uid();
    (owner == 0 || owner == rustix::process::geteuid().as_raw()) && about.mode() & WRITE_OF_OTHERS == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;
    use std::time::{Duration, UNIX_EPOCH};

    use super::super::blocks::Written;
    use super::super::manifest::FileEntry;
    use super::super::manifest::for_tests::empty_manifest;
    use super::*;

    const FILES: [&str; 2] = ["a.cols", "b.cols"];

    /// A snapshot whose files were verified, and its directory.
    fn marked(out: &Path) -> (Manifest, PathBuf) {
        let dir = out.join("s1");
        fs::create_dir(&dir).unwrap();
        let file = |name: &str| {
            fs::write(dir.join(name), name).unwrap();
            FileEntry::new(name, Written::of(name.as_bytes()))
        };
        let manifest = Manifest { files: FILES.map(file).to_vec(), ..empty_manifest("s1") };
        manifest::write(&dir, &manifest).unwrap();
        assert!(!is_believed(&dir, &manifest), "nobody has verified it");
        Mark::of(&dir, &manifest).unwrap().leave(&dir).unwrap();
        assert!(is_believed(&dir, &manifest));
        (manifest, dir)
    }

    fn is_believed(dir: &Path, manifest: &Manifest) -> bool {
        Mark::of(dir, manifest).is_some_and(|mark| mark.is_left(dir))
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_that_anything_happened_to_is_not_believed() {
        let touched = |path: &Path| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(1)).unwrap();
        };
        // Same bytes, and the modification time restored: the change time differs.
        let rewritten = |path: &Path| {
            let modified = fs::metadata(path).unwrap().modified().unwrap();
            std::thread::sleep(Duration::from_millis(20));
            fs::write(path, fs::read(path).unwrap()).unwrap();
            File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
        };
        let replaced = |path: &Path| {
            let aside = path.with_file_name("aside");
            fs::copy(path, &aside).unwrap();
            fs::rename(&aside, path).unwrap();
        };
        let chmodded = |path: &Path| {
            std::thread::sleep(Duration::from_millis(20));
            set_mode(path, 0o600);
        };
        let linked = |path: &Path| {
            fs::rename(path, path.with_file_name("aside")).unwrap();
            std::os::unix::fs::symlink("aside", path).unwrap();
        };
        let changes: [&dyn Fn(&Path); 5] = [&touched, &rewritten, &replaced, &chmodded, &linked];
        for change in changes {
            for name in FILES.into_iter().chain([MANIFEST, MANIFEST_CHECKSUM]) {
                let out = tempfile::tempdir().unwrap();
                let (manifest, dir) = marked(out.path());
                change(&dir.join(name));
                assert!(!is_believed(&dir, &manifest), "{name}");
                // After another verification it is accepted again.
                Mark::of(&dir, &manifest).unwrap().leave(&dir).unwrap();
                assert!(is_believed(&dir, &manifest));
                fs::remove_file(dir.join(name)).unwrap();
                assert_eq!(Mark::of(&dir, &manifest), None);
            }
        }
    }

    #[test]
    fn a_mark_is_about_one_content_and_one_program() {
        let out = tempfile::tempdir().unwrap();
        let (manifest, dir) = marked(out.path());
        let other = FileEntry::new("a.cols", Written::of(b"other!"));
        let files = vec![other, manifest.files[1].clone()];
        assert!(!is_believed(&dir, &Manifest { files, ..manifest.clone() }));
        assert!(!is_believed(&dir, &Manifest { id: "s2".into(), ..manifest.clone() }), "another's name");
        let path = out.path().join(VERIFIED).join("s1");
        let mark = fs::read_to_string(&path).unwrap();
        let said = format!("\"program\": \"{}\"", env!("CARGO_PKG_VERSION"));
        assert!(mark.contains(&said), "{mark}");
        for bad in [mark.replace(&said, "\"program\": \"0.0.0\""), mark.replace('{', "["), String::new()] {
            fs::write(&path, bad).unwrap();
            assert!(!is_believed(&dir, &manifest));
        }
        fs::write(&path, mark).unwrap();
        assert!(is_believed(&dir, &manifest));
    }

    #[test]
    fn distrusts_marks_writable_by_other_users() {
        let out = tempfile::tempdir().unwrap();
        let (manifest, dir) = marked(out.path());
        let marks = out.path().join(VERIFIED);
        for (path, sound) in [(marks.join("s1"), MARK_MODE), (marks.clone(), DIRECTORY_MODE)] {
            for loose in [0o020, 0o002] {
                set_mode(&path, sound | loose);
                assert!(!is_believed(&dir, &manifest), "{} {loose:o}", path.display());
                set_mode(&path, sound);
                assert!(is_believed(&dir, &manifest));
            }
        }
        if rustix::process::geteuid().is_root() {
            let nobody = |uid| std::os::unix::fs::chown(marks.join("s1"), Some(uid), None).unwrap();
            nobody(65_534);
            assert!(!is_believed(&dir, &manifest));
            nobody(0);
            assert!(is_believed(&dir, &manifest));
        }
        fs::rename(marks.join("s1"), marks.join("aside")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", marks.join("s1")).unwrap();
        assert!(!is_believed(&dir, &manifest), "a device has no end");
    }

    #[test]
    fn a_mark_goes_with_its_snapshot() {
        let out = tempfile::tempdir().unwrap();
        let (manifest, dir) = marked(out.path());
        fs::remove_dir_all(&dir).unwrap();
        assert!(!is_believed(&dir, &manifest), "a mark of nothing");
        forget(out.path(), "s1").unwrap();
        forget(out.path(), "s1").unwrap();
        assert_eq!(manifest::list(&out.path().join(VERIFIED), ""), [""; 0]);
    }
}
