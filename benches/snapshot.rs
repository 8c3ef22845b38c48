//! Building and opening a snapshot.
//!
//! Over the demo by default; `PRICEBOOK_BENCH_INPUT` names other input folders, separated by `:`.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use pricebook::build::Silent;
use pricebook::build::run::{Options, run};
use pricebook::catalog::Catalog;

fn inputs() -> Vec<PathBuf> {
    match std::env::var("PRICEBOOK_BENCH_INPUT") {
        Ok(paths) => paths.split(':').map(PathBuf::from).collect(),
        Err(_) => vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/demo-input")],
    }
}

fn build(out: &Path) -> PathBuf {
    let options =
        Options { inputs: inputs(), out: out.to_owned(), id: None, gpc: None, max_rejects_pct: 100.0 };
    out.join(run(&options, &Silent).expect("a snapshot").id)
}

fn snapshot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("snapshot");
    group.sample_size(10);
    let out = tempfile::tempdir().expect("a directory");
    group.bench_function("build", |bencher| bencher.iter(|| black_box(build(out.path()))));
    let path = build(out.path());
    group.bench_function("open and verify", |bencher| {
        bencher.iter(|| black_box(Catalog::open(&path).is_ok()));
    });
    group.finish();
}

criterion_group!(benches, snapshot);
criterion_main!(benches);
