//! Whether a disk has room for what is about to be written: said before hours of work meet its end.

use std::path::Path;

use anyhow::{Result, ensure};

/// Refuses to begin `what`, which takes at least `needed` bytes, where the disk of `dir` has less. A disk that does not
/// tell what is free is taken to have room.
///
/// # Errors
/// When there is too little room; it says how much is missing where.
pub(super) fn require(dir: &Path, needed: u64, what: &str) -> Result<()> {
    match rustix::fs::statvfs(dir) {
        Ok(disk) => check(dir, disk.f_bavail.saturating_mul(disk.f_frsize), needed, what),
        Err(_) => Ok(()),
    }
}

/// Whole mebibytes, rounded up.
pub(super) fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

fn check(dir: &Path, free: u64, needed: u64, what: &str) -> Result<()> {
    ensure!(
        free >= needed,
        "{what} requires at least {} MiB, but the disk of {} has {} MiB free: free disk space, or build into a \
         directory on another disk",
        mebibytes(needed),
        dir.display(),
        mebibytes(free)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_refused_by_name() {
        let dir = Path::new("snapshots");
        assert!(check(dir, 1 << 20, 1 << 20, "the snapshot").is_ok());
        let refused = check(dir, 1 << 20, (1 << 20) + 1, "the snapshot").unwrap_err().to_string();
        assert!(
            refused.starts_with(
                "the snapshot requires at least 2 MiB, but the disk of snapshots has 1 MiB free:"
            ),
            "{refused}"
        );
    }

    #[test]
    fn checks_free_disk_space() {
        let dir = tempfile::tempdir().unwrap();
        assert!(require(dir.path(), 0, "nothing").is_ok());
        assert!(require(dir.path(), u64::MAX, "everything").is_err());
        assert!(require(&dir.path().join("gone"), u64::MAX, "everything").is_ok());
    }
}
