//! Building and opening a snapshot.
//!
//! Over the test catalog by default; `PRICEBOOK_BENCH_INPUT` names other input folders, `PRICEBOOK_BENCH_SNAPSHOT` a
//! snapshot to open instead of one built from them.

mod common;

use std::hint::black_box;

use common::{build, named};
use criterion::{Criterion, criterion_group, criterion_main};
use pricebook::catalog::Catalog;
use pricebook::snapshot::manifest::Verification;
use pricebook::snapshot::mapped::Residence;

fn snapshot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("snapshot");
    group.sample_size(10);
    let out = tempfile::tempdir().expect("a directory");
    let path = named().unwrap_or_else(|| {
        group.bench_function("build", |bencher| bencher.iter(|| black_box(build(out.path()))));
        build(out.path())
    });
    group.bench_function("open and verify", |bencher| {
        bencher.iter(|| black_box(Catalog::open(&path).is_ok()));
    });
    group.bench_function("open after it was verified", |bencher| {
        bencher
            .iter(|| black_box(Catalog::open_after(&path, Verification::Lengths, Residence::Mapped).is_ok()));
    });
    group.finish();
}

criterion_group!(benches, snapshot);
criterion_main!(benches);
