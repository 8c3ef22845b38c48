//! Snapshots whose files are almost right, checksums and all: refused, or opened and served.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::query::endpoint::Route;
use pricebook::server::preflight::rehearse;
use pricebook::snapshot::layout::Dictionary;
use pricebook::snapshot::manifest::{self, MANIFEST};
use pricebook::snapshot::publish::{ACCEPT, CURRENT, accepted, pointer};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::crafted::{build_small, copy, edit_dictionary, reseal, write_manifest};
use crate::support::mutate::{almost, cases, mutated};

static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(endpoints::routes);

/// A sound snapshot to copy from, its files, and the folder that goes with it.
struct Sound {
    snapshot: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    _out: tempfile::TempDir,
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    let names = manifest::list(&snapshot, "").into_iter().filter(|name| !name.starts_with(MANIFEST));
    let files = names.map(|name| (name.clone(), fs::read(snapshot.join(name)).unwrap())).collect();
    Sound { snapshot, files, _out: out }
});

/// What opens is whole: every route answers from it, with 200 or an error of its own.
fn open(snapshot: &std::path::Path) -> bool {
    match Catalog::open(snapshot) {
        Ok(catalog) => {
            rehearse(&ROUTES, &Arc::new(catalog)).unwrap();
            true
        }
        Err(fault) => {
            assert!(!fault.faults.is_empty());
            false
        }
    }
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn a_file_with_a_sound_checksum_is_refused_or_served((file, bytes) in any::<Index>().prop_flat_map(|file| {
        let (name, bytes) = file.get(&SOUND.files).clone();
        (Just(name), almost(vec![bytes]))
    })) {
        // Tests of this binary share one process, and its name would be shared too.
        let copied = copy(&SOUND.snapshot, &format!("fuzz-{file}"));
        fs::write(copied.join(&file), &bytes).unwrap();
        reseal(&copied, |_| ());
        let unchanged = SOUND.files.iter().any(|(_, known)| *known == bytes);
        prop_assert!(open(&copied) || !unchanged);
    }

    #[test]
    fn a_manifest_with_a_sound_checksum_is_refused_or_served(
        json in almost(vec![fs::read(SOUND.snapshot.join(MANIFEST)).unwrap()]),
    ) {
        let copied = copy(&SOUND.snapshot, "fuzz-manifest");
        write_manifest(&copied, &json);
        open(&copied);
    }

    #[test]
    fn a_pointer_names_a_snapshot_or_nothing(bytes in almost(vec![b"2026-10-31-0123abcd\n".to_vec()])) {
        let folder = tempfile::tempdir().unwrap();
        for name in [CURRENT, ACCEPT] {
            fs::write(folder.path().join(name), &bytes).unwrap();
        }
        if let Ok(named) = pointer(folder.path()) {
            prop_assert!(manifest::is_id(&named.unwrap().id));
        }
        prop_assert!(accepted(folder.path()).is_ok_and(|ids| ids.iter().all(|id| manifest::is_id(id)))
            || String::from_utf8(bytes).is_err());
    }

    #[test]
    fn a_dictionary_is_refused_or_read_back(bytes in mutated(
        SOUND.files.iter().filter(|(name, _)| name == "dictionary.bin").map(|(_, bytes)| bytes.clone()).collect(),
    )) {
        let folder = tempfile::tempdir().unwrap();
        if let Ok(dictionary) = Dictionary::read(&bytes) {
            let path = folder.path().join("dictionary.bin");
            dictionary.write(&path).unwrap();
            prop_assert!(Dictionary::read(&fs::read(path).unwrap()).is_ok());
        }
    }
}

/// The helper of this test, held against what it should leave alone.
#[test]
fn a_snapshot_that_is_sealed_again_opens() {
    let copied = copy(&SOUND.snapshot, "fuzz-same");
    edit_dictionary(&copied, |_| ());
    assert!(open(&copied));
}
