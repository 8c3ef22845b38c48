//! The ledger of a server that settles: can it be read, written, and by nobody else?

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::Findings;
use crate::payment::Mode;
use crate::payment::ledger::report::LedgerReport;
use crate::payment::settings::Settings;

const CHECK: &str = "ledger";
/// Rights of everybody but the owner.
const NOT_OWNER: u32 = 0o077;

/// Opens it beside a server that may have it open.
pub(super) fn look(settings: Option<&Settings>, findings: &mut Findings) {
    let Some(settings) = settings.filter(|settings| settings.mode == Mode::Live) else { return };
    let path = &settings.ledger;
    match fs::metadata(path) {
        Ok(about) => {
            if about.permissions().mode() & NOT_OWNER != 0 {
                let message = format!("others can read {}: it holds who paid (chmod 600)", path.display());
                findings.warning(CHECK, message);
            }
            existing(path, about.ino(), findings);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => missing(path, findings),
        Err(error) => findings.error(CHECK, format!("{} cannot be looked at: {error}", path.display())),
    }
}

fn existing(path: &Path, inode: u64, findings: &mut Findings) {
    let place = path.display();
    if let Err(error) = LedgerReport::open(path) {
        findings.error(CHECK, error.to_string());
    } else if let Err(error) = access(path, Access::WRITE_OK) {
        findings
            .error(CHECK, format!("{place} cannot be written by this user ({error}): look as the server's"));
    } else if let Some(pid) = holder(inode) {
        findings.ok(CHECK, format!("{place} opens; a server has it open (process {pid})"));
    } else {
        findings.ok(CHECK, format!("{place} opens; pricebook ledger verify reads it through"));
    }
}

fn missing(path: &Path, findings: &mut Findings) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder: PathBuf = folder.unwrap_or(Path::new(".")).into();
    match access(&folder, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => findings.ok(CHECK, format!("there is none yet: the first start makes {}", path.display())),
        Err(error) => {
            let advice = "make the folder writable for the server's user, or name another payment.ledger";
            findings.error(CHECK, format!("{} cannot be made ({error}): {advice}", path.display()));
        }
    }
}

/// The process that has a file locked, by the kernel's list.
fn holder(inode: u64) -> Option<u32> {
    holder_in(&fs::read_to_string("/proc/locks").ok()?, inode)
}

fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_it = words.get(1) == Some(&"FLOCK")
            && words.get(5)?.rsplit(':').next().and_then(|number| number.parse().ok()) == Some(inode);
        is_it.then(|| words.get(4)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_locks_are_read() {
        let locks = "1: POSIX  ADVISORY  WRITE 17 08:01:4711 0 EOF\n2: FLOCK  ADVISORY  WRITE 18 08:01:4711 0 EOF\n\
                     3: FLOCK  ADVISORY  READ 19 fe:00:4712 0 EOF\n";
        assert_eq!(holder_in(locks, 4711), Some(18));
        assert_eq!(holder_in(locks, 4712), Some(19));
        assert_eq!(holder_in(locks, 4713), None);
        assert_eq!(holder_in("", 0), None);
    }
}
