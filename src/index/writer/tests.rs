//! Packing in hardly any memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::bounds::MemoryBudget;
use super::{Linking, pack_in};
use crate::index::for_tests::tables;
use crate::index::normalized::{Canonical, Source};

pub(super) fn demo() -> Canonical {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo-input");
    tables(&input)
}

fn written(source: &dyn Source, bytes: u64) -> BTreeMap<String, Vec<u8>> {
    let (dir, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let budget = MemoryBudget::of_bytes(bytes);
    pack_in(budget, source, Linking::Off, dir.path(), scratch.path(), &|_| ()).unwrap();
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "temporary files are gone");
    let files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    files.map(named).collect()
}

#[test]
fn sorts_on_the_disk_leave_no_trace() {
    let tables = demo();
    let roomy = written(&tables, 1 << 30);
    for bytes in [20_000, 1 << 20] {
        let narrow = written(&tables, bytes);
        assert_eq!(narrow.keys().collect::<Vec<_>>(), roomy.keys().collect::<Vec<_>>());
        for (name, bytes_of) in &narrow {
            assert!(bytes_of == &roomy[name], "{name} differs in {bytes} bytes");
        }
    }
}
