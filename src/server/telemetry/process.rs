//! What the system says of this process.

use std::fs;

use rustix::param::page_size;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Memory and files of this process; zero where the system does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Process {
    /// Resident memory, in bytes.
    pub resident_bytes: u64,
    /// Open file descriptors.
    pub open_files: u64,
    /// Most file descriptors that may be open.
    pub open_files_max: u64,
}

impl Process {
    /// Looks now.
    pub fn look() -> Self {
        let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
        Self {
            resident_bytes: pages * page_size() as u64,
            open_files: fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64),
            open_files_max: getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
        }
    }
}

/// Raises the limit of open files as far as this process may, and says where it is then.
pub fn raise_open_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    // Where the system does not let it, the limit stays.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_memory_and_files() {
        let process = Process::look();
        assert!(process.resident_bytes > 1 << 20, "{process:?}");
        assert!((3..=process.open_files_max).contains(&process.open_files), "{process:?}");
    }
}
