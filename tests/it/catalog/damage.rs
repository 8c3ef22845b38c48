//! Damaged and foreign snapshots are refused by name, on opening and by `verify`, and never with a panic.
//!
//! What checksums notice is here; what only the invariants notice is in `nonsense.rs`.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::crafted::{build_small, copy, reseal, write_manifest};
use pricebook::catalog::Catalog;
use pricebook::snapshot::layout::{DICTIONARY, INDICES, LISTINGS, SPELLS, TEXT};
use pricebook::snapshot::manifest::{FORMAT_VERSION, MANIFEST, MANIFEST_CHECKSUM, Verification, list};
use pricebook::snapshot::mapped::Residence;

/// Files up to this long have every byte flipped, longer ones about as many, evenly.
const FLIPS_PER_FILE: usize = 400;

/// A sound snapshot to copy from, in a folder that goes with it.
fn sound() -> (tempfile::TempDir, PathBuf) {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    (out, snapshot)
}

/// The message with which a snapshot is refused.
fn refusal(snapshot: &Path, what: &str) -> String {
    let opened = catch_unwind(|| Catalog::open(snapshot).err().map(|fault| fault.to_string()));
    opened.unwrap_or_else(|_| panic!("{what}: opening panics")).unwrap_or_else(|| panic!("{what}: it opens"))
}

fn assert_named(message: &str, file: &str, what: &str) {
    // A fault of the checksum's file is one of the pair.
    let name = if file == MANIFEST_CHECKSUM { MANIFEST } else { file };
    assert!(message.contains(name), "{what} of {file} is not named: {message}");
}

/// Exit code and log of `pricebook verify`.
fn verify(snapshot: &Path) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook")).arg("verify").arg(snapshot).output().unwrap();
    let log = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), log)
}

#[test]
fn cut_longer_and_missing_files_are_named() {
    let (_out, snapshot) = sound();
    let copied = copy(&snapshot, "damaged");
    assert!(Catalog::open(&copied).is_ok(), "a copy is as good");
    for file in list(&snapshot, "") {
        let path = copied.join(&file);
        let good = fs::read(&path).unwrap();
        let longer = [good.as_slice(), b"\0"].concat();
        for bytes in [&good[..0], &good[..good.len() / 2], &good[..good.len() - 1], &longer] {
            fs::write(&path, bytes).unwrap();
            assert_named(&refusal(&copied, &file), &file, "another length");
        }
        fs::remove_file(&path).unwrap();
        let message = refusal(&copied, &file);
        assert!(message.contains(&file), "absence of {file} is not named: {message}");
        fs::write(&path, &good).unwrap();
    }
    assert!(Catalog::open(&copied).is_ok());
}

#[test]
fn flipped_bytes_are_noticed_wherever_they_are() {
    let (_out, snapshot) = sound();
    let copied = copy(&snapshot, "damaged");
    let mut flips = 0;
    for file in list(&snapshot, "") {
        let path = copied.join(&file);
        let good = fs::read(&path).unwrap();
        let whole = file.starts_with(MANIFEST) || good.len() <= FLIPS_PER_FILE;
        let stride = if whole { 1 } else { good.len() / FLIPS_PER_FILE + 1 };
        for at in (0..good.len()).step_by(stride).chain([good.len() - 1]) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&path, &bad).unwrap();
            assert_named(&refusal(&copied, &format!("{file} byte {at}")), &file, "a flipped byte");
            flips += 1;
        }
        fs::write(&path, &good).unwrap();
    }
    assert!(flips > 3_000, "{flips} flips");
    assert!(Catalog::open(&copied).is_ok());
}

/// What `serve --skip-verification` opens: lengths still count, bytes are believed.
#[test]
fn without_verification_only_lengths_are_noticed() {
    let (_out, snapshot) = sound();
    let copied = copy(&snapshot, "believed");
    let opens = || Catalog::open_after(&copied, Verification::Lengths, Residence::Mapped).is_ok();
    assert!(opens());
    let path = copied.join(SPELLS);
    let good = fs::read(&path).unwrap();
    let mut bad = good.clone();
    bad[64] ^= 1;
    fs::write(&path, &bad).unwrap();
    assert!(opens() && Catalog::open(&copied).is_err());
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(!opens());
}

#[test]
fn swapped_and_stray_files_are_named() {
    let (_out, snapshot) = sound();
    let copied = copy(&snapshot, "swapped");
    let (a, b) = (copied.join(LISTINGS), copied.join(SPELLS));
    fs::rename(&a, copied.join("aside")).unwrap();
    fs::rename(&b, &a).unwrap();
    fs::rename(copied.join("aside"), &b).unwrap();
    let message = refusal(&copied, "swapped files");
    assert!(message.contains(LISTINGS) && message.contains(SPELLS), "{message}");
    // Even with checksums to match.
    reseal(&copied, |_| ());
    assert!(refusal(&copied, "swapped files").contains(LISTINGS));

    for stray in ["notes.txt", "text.cols.old", "more/listings.cols"] {
        let copied = copy(&snapshot, "stray");
        fs::create_dir_all(copied.join(stray).parent().unwrap()).unwrap();
        fs::write(copied.join(stray), "x").unwrap();
        assert!(refusal(&copied, stray).contains(&format!("{stray} is not listed")));
    }
}

#[test]
fn foreign_files_and_manifests_are_refused() {
    let (_out, snapshot) = sound();
    for file in [LISTINGS, INDICES, DICTIONARY] {
        for bytes in
            [&b"PK\x03\x04 a foreign file"[..], b"", b"PBCOLS01\xff\xff\xff\xffPBCOLS01", &[0xff; 200]]
        {
            let copied = copy(&snapshot, "foreign");
            fs::write(copied.join(file), bytes).unwrap();
            reseal(&copied, |_| ());
            assert_named(&refusal(&copied, file), file, "foreign bytes");
        }
    }
    let copied = copy(&snapshot, "manifests");
    let headless = format!(r#"{{"format_version": {FORMAT_VERSION}}}"#);
    for (json, expect) in [
        (r#"{"format_version": 99, "of": "another program"}"#, "format version 99"),
        (&headless, "missing field"),
        ("[]", "not a manifest"),
        ("", "not a manifest"),
    ] {
        write_manifest(&copied, json.as_bytes());
        let message = refusal(&copied, json);
        assert!(message.contains(expect) && message.contains(MANIFEST), "{message}");
    }
    for (name, expect) in
        [("../outside", "not a file of a snapshot"), ("/etc/hosts", "not a file of a snapshot")]
    {
        let copied = copy(&snapshot, "manifests");
        fs::write(copied.with_file_name("outside"), "").unwrap();
        reseal(&copied, |manifest| name.clone_into(&mut manifest.files[0].name));
        assert!(refusal(&copied, name).contains(expect));
    }
    let copied = copy(&snapshot, "manifests");
    reseal(&copied, |manifest| manifest.id = "x\r\ny".into());
    assert!(refusal(&copied, "id").contains("is not a snapshot id"));
}

#[test]
fn refuses_directories_that_are_not_snapshots() {
    let (out, snapshot) = sound();
    assert!(refusal(&out.path().join("absent"), "an absent one").contains(MANIFEST));
    assert!(refusal(out.path(), "the directory of snapshots").contains(MANIFEST));
    let staged = copy(&snapshot, ".building-7");
    assert!(refusal(&staged, "a staging directory").contains("unfinished build"));
}

#[test]
fn verify_exits_with_1_and_names_the_file() {
    let (_out, snapshot) = sound();
    let (code, log) = verify(&snapshot);
    assert_eq!(code, 0, "{log}");
    assert!(log.contains("is sound"), "{log}");
    for file in [LISTINGS, DICTIONARY, MANIFEST, TEXT] {
        let copied = copy(&snapshot, "damaged");
        let mut bytes = fs::read(copied.join(file)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(copied.join(file), bytes).unwrap();
        let (code, log) = verify(&copied);
        assert!(code == 1 && log.contains(file), "exit code {code}: {log}");
    }
    let (code, log) = verify(&snapshot.with_file_name("absent"));
    assert!(code == 1 && log.contains(MANIFEST), "exit code {code}: {log}");
}
