//! The snapshot that benches measure: that of `PRICEBOOK_BENCH_SNAPSHOT`, else one built of the folders in
//! `PRICEBOOK_BENCH_INPUT`, separated by `:`, else the test catalog.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

use pricebook::catalog::Catalog;
use pricebook::index::run::{Options, run};
use pricebook::ingest::{Arguments, Silent};
use pricebook::snapshot::publish;

/// Input folders to measure.
fn inputs() -> Vec<PathBuf> {
    match std::env::var("PRICEBOOK_BENCH_INPUT") {
        Ok(paths) => paths.split(':').map(PathBuf::from).collect(),
        Err(_) => vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo-input")],
    }
}

/// Builds a snapshot below `out` and returns its directory.
pub(crate) fn build(out: &Path) -> PathBuf {
    let options = Options {
        arguments: Arguments::folders(inputs()),
        out: out.to_owned(),
        max_rejects_pct: 100.0,
        ..Options::default()
    };
    out.join(run(&options, &Silent).expect("a snapshot").report.id)
}

/// The snapshot that is named, or the current one of the directory that is; nothing where none is named.
pub(crate) fn named() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("PRICEBOOK_BENCH_SNAPSHOT")?);
    let current = publish::current(&path).expect("a readable CURRENT");
    Some(current.map_or_else(|| path.clone(), |id| path.join(id)))
}

/// Opens the snapshot that is named, or a fresh one of the inputs.
pub(crate) fn catalog() -> Catalog {
    if let Some(path) = named() {
        return Catalog::open(&path).expect("a catalog");
    }
    // The mapped files outlive their folder.
    let out = tempfile::tempdir().expect("a directory");
    Catalog::open(&build(out.path())).expect("a catalog")
}
