//! The snapshot that benches measure: the demo, or the folders in `PRICEBOOK_BENCH_INPUT`, separated by `:`.

use std::path::{Path, PathBuf};

use pricebook::build::Silent;
use pricebook::build::run::{Options, run};

/// Input folders to measure.
fn inputs() -> Vec<PathBuf> {
    match std::env::var("PRICEBOOK_BENCH_INPUT") {
        Ok(paths) => paths.split(':').map(PathBuf::from).collect(),
        Err(_) => vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/demo-input")],
    }
}

/// Builds a snapshot below `out` and returns its directory.
pub(crate) fn build(out: &Path) -> PathBuf {
    let options =
        Options { inputs: inputs(), out: out.to_owned(), id: None, gpc: None, max_rejects_pct: 100.0 };
    out.join(run(&options, &Silent).expect("a snapshot").id)
}
