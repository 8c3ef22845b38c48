//! Makes published snapshots immutable: read-only files in a read-only directory, and fs-verity if it is available.
//!
//! Permissions prevent accidents, but do not restrict root. With fs-verity (ext4, f2fs, btrfs) the kernel rejects
//! every write, and verifies every block that it reads from the disk. On other file systems, the permissions are the
//! only protection.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::manifest;
use super::mapped;
use super::safe_open;

/// The permission bits that allow writing.
const WRITE_BITS: u32 = 0o222;
/// The permission bit that allows the owner to write.
const OWNER_WRITE_BIT: u32 = 0o200;

/// Makes the files and directories of a finished snapshot read-only, and flushes its directories to the disk.
pub(super) fn seal(dir: &Path) -> io::Result<()> {
    for name in manifest::list(dir, "") {
        let path = dir.join(name);
        forbid(&path)?;
        // Failures are only logged, because not every file system supports fs-verity.
        let (file, _) = safe_open::open(&path)?;
        if let Err(fault) = mapped::enable_verity(&file) {
            tracing::debug!(file = %path.display(), %fault, "fs-verity is not available");
        }
        for parent in path.ancestors().skip(1).take_while(|parent| parent.starts_with(dir)) {
            sync_dir(parent)?;
            forbid(parent)?;
        }
    }
    sync_dir(dir)?;
    forbid(dir)
}

/// Removes a directory, even if it is read-only.
pub(super) fn remove(dir: &Path) -> io::Result<()> {
    allow(dir)?;
    fs::remove_dir_all(dir)
}

/// Flushes the entries of a directory to the disk.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

fn forbid(path: &Path) -> io::Result<()> {
    change(path, |mode| mode & !WRITE_BITS)
}

/// Allows the owner to write to a directory and its subdirectories.
fn allow(dir: &Path) -> io::Result<()> {
    change(dir, |mode| mode | OWNER_WRITE_BIT)?;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            allow(&entry.path())?;
        }
    }
    Ok(())
}

fn change(path: &Path, mode: impl Fn(u32) -> u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = fs::symlink_metadata(path)?.permissions();
    permissions.set_mode(mode(permissions.mode()));
    fs::set_permissions(path, permissions)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn seals_a_snapshot_read_only_yet_removable() {
        let out = tempfile::tempdir().unwrap();
        let dir = out.path().join("snapshot");
        fs::create_dir_all(dir.join("deep/er")).unwrap();
        for name in ["a", "deep/b", "deep/er/c"] {
            fs::write(dir.join(name), "x").unwrap();
        }
        seal(&dir).unwrap();
        for name in ["", "a", "deep", "deep/b", "deep/er", "deep/er/c"] {
            let mode = fs::metadata(dir.join(name)).unwrap().permissions().mode();
            assert_eq!(mode & WRITE_BITS, 0, "{name}");
        }
        remove(&dir).unwrap();
        assert!(!dir.exists());
    }
}
