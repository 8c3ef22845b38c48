//! A snapshot is verified once on a machine: what a full opening leaves beside it, and who believes that.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::support::crafted::{build_small, copy};
use pricebook::catalog::Catalog;
use pricebook::snapshot::layout::SPELLS;
use pricebook::snapshot::manifest::{self, Verification};
use pricebook::snapshot::mapped::Residence;
use pricebook::snapshot::retention::prune;
use pricebook::snapshot::verified::{Mark, VERIFIED};

/// What is read of a snapshot that need not be read twice.
fn once(snapshot: &Path) -> Verification {
    opened(snapshot, Verification::Once, Residence::Mapped)
}

fn opened(snapshot: &Path, asked: Verification, residence: Residence) -> Verification {
    Catalog::open_after(snapshot, asked, residence).unwrap().verification()
}

/// Files of a sealed snapshot can be changed again.
fn unseal(snapshot: &Path) {
    for path in [snapshot.to_owned(), snapshot.join(SPELLS)] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode | 0o200)).unwrap();
    }
}

#[test]
fn skips_verification_of_verified_snapshots() {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    assert_eq!(opened(&snapshot, Verification::Lengths, Residence::Mapped), Verification::Lengths);
    assert!(!out.path().join(VERIFIED).exists(), "lengths prove nothing");
    assert_eq!(once(&snapshot), Verification::Full);
    assert_eq!(once(&snapshot), Verification::Lengths);
    assert_eq!(opened(&snapshot, Verification::Full, Residence::Mapped), Verification::Full);
    // What is copied is held against its checksums whatever the files are.
    assert_eq!(opened(&snapshot, Verification::Once, Residence::Copied), Verification::Full);
    assert_eq!(once(&snapshot), Verification::Lengths);
}

#[test]
fn verifies_changed_files_again() {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    once(&snapshot);
    unseal(&snapshot);
    let path = snapshot.join(SPELLS);
    let touched = || {
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(7)).unwrap();
    };
    let chmodded = || fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let replaced = || {
        fs::copy(&path, snapshot.with_file_name("aside")).unwrap();
        fs::rename(snapshot.with_file_name("aside"), &path).unwrap();
    };
    let changes: [&dyn Fn(); 3] = [&touched, &chmodded, &replaced];
    for change in changes {
        once(&snapshot);
        assert_eq!(once(&snapshot), Verification::Lengths);
        // Times of changes are as fine as the clock of the file system.
        std::thread::sleep(Duration::from_millis(20));
        change();
        assert_eq!(once(&snapshot), Verification::Full);
    }
    let mut bytes = fs::read(&path).unwrap();
    bytes[70] ^= 1;
    fs::write(&path, bytes).unwrap();
    let fault = Catalog::open_after(&snapshot, Verification::Once, Residence::Mapped).err().unwrap();
    assert!(fault.to_string().contains(SPELLS), "{fault}");
}

/// A mark that says of a damaged file what the file is: whoever takes it for true reads no byte, and `verify` does not.
#[test]
fn verify_command_ignores_marks() {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    unseal(&snapshot);
    let path = snapshot.join(SPELLS);
    let mut bytes = fs::read(&path).unwrap();
    bytes[70] ^= 1;
    fs::write(&path, bytes).unwrap();
    let manifest = manifest::read(&snapshot).unwrap();
    Mark::of(&snapshot, &manifest).unwrap().leave(&snapshot).unwrap();
    assert_eq!(once(&snapshot), Verification::Lengths);
    assert!(Catalog::open(&snapshot).is_err());
    let program = env!("CARGO_BIN_EXE_pricebook");
    let verified = std::process::Command::new(program).arg("verify").arg(&snapshot).output().unwrap();
    assert_eq!(verified.status.code(), Some(1));
}

#[test]
fn a_mark_is_left_for_a_snapshot_under_its_own_name_and_goes_with_it() {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    let copied = copy(&snapshot, "copied");
    assert_eq!([once(&copied), once(&copied)], [Verification::Full; 2], "it calls itself otherwise");
    let marks = || manifest::list(&out.path().join(VERIFIED), "");
    assert_eq!(marks(), [""; 0]);
    once(&snapshot);
    assert_eq!(marks(), [snapshot.file_name().unwrap().to_str().unwrap()]);
    fs::remove_file(out.path().join("CURRENT")).unwrap();
    prune(out.path(), 0, "reports").unwrap();
    assert_eq!(marks(), [""; 0]);
}
