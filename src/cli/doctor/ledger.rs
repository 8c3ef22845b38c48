//! Checks the ledger of a server that settles payments: it opens, is undamaged, is writable, and only its owner can
//! read it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::Findings;
use crate::payment::Mode;
use crate::payment::ledger::report::LedgerReport;
use crate::payment::settings::Settings;
use crate::snapshot::lock_holder::holders;

const CHECK: &str = "ledger";
/// Permission bits of everyone except the owner.
const NOT_OWNER: u32 = 0o077;

/// Checks the ledger, also while a server has it open. Does nothing unless payments are live.
pub(super) fn check(settings: Option<&Settings>, findings: &mut Findings) {
    let Some(settings) = settings.filter(|settings| settings.mode == Mode::Live) else { return };
    let path = &settings.ledger;
    match fs::metadata(path) {
        Ok(about) => {
            if about.permissions().mode() & NOT_OWNER != 0 {
                let message =
                    format!("other users can read {}, which names the payers: run chmod 600", path.display());
                findings.warning(CHECK, message);
            }
            existing(path, about.ino(), findings);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => missing(path, findings),
        Err(error) => {
            findings.error(CHECK, format!("the metadata of {} cannot be read: {error}", path.display()));
        }
    }
}

fn existing(path: &Path, inode: u64, findings: &mut Findings) {
    let place = path.display();
    let damaged = match LedgerReport::open(path).and_then(|report| report.damaged()) {
        Ok(damaged) => damaged,
        Err(error) => return findings.error(CHECK, error.to_string()),
    };
    if damaged > 0 {
        let advice = "pricebook ledger verify lists the rows, and a backup contains the original rows";
        findings
            .error(CHECK, format!("{place} has {damaged} rows that do not match their checksums: {advice}"));
    }
    if let Err(error) = access(path, Access::WRITE_OK) {
        findings.error(
            CHECK,
            format!("{place} cannot be written by this user ({error}): run doctor as the server's user"),
        );
    } else if let Some(pid) = holders(inode).first() {
        findings.ok(CHECK, format!("{place} opens; a server has it open (process {pid})"));
    } else {
        findings.ok(CHECK, format!("{place} opens; pricebook ledger verify checks every row"));
    }
}

fn missing(path: &Path, findings: &mut Findings) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder: PathBuf = folder.unwrap_or(Path::new(".")).into();
    match access(&folder, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => {
            findings.ok(CHECK, format!("there is no ledger yet: the first start creates {}", path.display()));
        }
        Err(error) => {
            let advice = "make the folder writable for the server's user, or change payment.ledger";
            findings.error(CHECK, format!("{} cannot be created ({error}): {advice}", path.display()));
        }
    }
}
