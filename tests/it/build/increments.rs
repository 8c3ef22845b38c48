//! The law of increments: whatever the files were before, in which order they came, and however a build is cut, equal
//! files give one snapshot, one report and one list of rejects, byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use pricebook::index::memory::MEMORY_BYTES_MIN;
use pricebook::index::run::{Options, REPORTS, RunsAt, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::{Arguments, ListingsOrder, Silent};
use pricebook::snapshot::manifest::list;

use crate::oracle::dirty::{self, Rng};

/// What a build leaves: the id, its report and its rejects.
type Left = (String, String, String);

fn options(input: &Path, out: &Path, order: ListingsOrder) -> Options {
    Options {
        arguments: Arguments { listings_order: order, ..Arguments::folders([input]) },
        out: out.to_owned(),
        max_rejects_pct: 100.0,
        linking: Linking::Off,
        runs: RunsAt::Beside,
        ..Options::default()
    }
}

/// Builds, and reads what is left; nothing where there is nothing to build yet.
fn left(options: &Options, threads: usize) -> Result<Left, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let built = pool.install(|| run(options, &Silent)).map_err(|error| format!("{error:#}"))?;
    let dir = options.out.join(REPORTS).join(&built.report.id);
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    Ok((built.report.id, read("report.json"), read("rejected.ndjson")))
}

/// The files of an input, with their bytes.
fn files(input: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    list(input, "")
        .into_iter()
        .map(|name| (PathBuf::from(&name), fs::read(input.join(&name)).unwrap()))
        .collect()
}

fn put(input: &Path, name: &Path, bytes: &[u8]) {
    let path = input.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// One way to the same files: some come late, some are other files first, some are there for a while.
fn one_way(r: &mut Rng, wanted: &[(PathBuf, Vec<u8>)], input: &Path, out: &Path, order: ListingsOrder) {
    fs::remove_dir_all(input).unwrap();
    fs::create_dir_all(input).unwrap();
    let mut rest: Vec<&(PathBuf, Vec<u8>)> = wanted.iter().collect();
    while !rest.is_empty() {
        for _ in 0..=r.below(3) {
            if rest.is_empty() {
                break;
            }
            let (name, bytes) = rest.swap_remove(r.below(rest.len()));
            if r.chance(30) {
                // The same name held something else before.
                let (_, other) = &wanted[r.below(wanted.len())];
                put(input, name, other);
                rest.push(wanted.iter().find(|(known, _)| known == name).unwrap());
            } else {
                put(input, name, bytes);
            }
        }
        if r.chance(30) {
            let (name, bytes) = &wanted[r.below(wanted.len())];
            let guest = input.join("guest");
            put(&guest, name, bytes);
            let _ = left(&drawn(r, input, out, order), 1 + r.below(3));
            fs::remove_dir_all(guest).unwrap();
        }
        if r.chance(60) {
            let _ = left(&drawn(r, input, out, order), 1 + r.below(3));
        }
    }
}

/// The options of a build, cut at random.
fn drawn(r: &mut Rng, input: &Path, out: &Path, order: ListingsOrder) -> Options {
    let shard_bits = Some(r.below(5) as u32);
    let memory = MEMORY_BYTES_MIN << r.below(3);
    Options { shard_bits, memory, rehash: r.chance(20), ..options(input, out, order) }
}

#[test]
fn every_way_to_the_same_files_gives_the_same_bytes() {
    let seeds: u64 = std::env::var("INCREMENT_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(6);
    for seed in 1..=seeds {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("input");
        fs::create_dir_all(&input).unwrap();
        dirty::write_input(&input, seed);
        let wanted = files(&input);
        let order = if seed % 3 == 0 { ListingsOrder::Newest } else { ListingsOrder::First };
        let from_nothing = left(&options(&input, &folder.path().join("nothing"), order), 2);
        let mut r = Rng(seed);
        let out = folder.path().join("way");
        one_way(&mut r, &wanted, &input, &out, order);
        assert_eq!(files(&input), wanted);
        let way = left(&drawn(&mut r, &input, &out, order), 1 + r.below(3));
        match (&from_nothing, &way) {
            (Ok(nothing), Ok(way)) => {
                assert_eq!(way.0, nothing.0, "seed {seed}: another snapshot");
                assert_eq!(way.1, nothing.1, "seed {seed}: another report");
                assert!(way.2 == nothing.2, "seed {seed}: other rejects");
            }
            (nothing, way) => assert_eq!(way, nothing, "seed {seed}"),
        }
        // Once more with nothing new: everything is taken as it is.
        assert_eq!(left(&options(&input, &out, order), 2), way, "seed {seed}");
    }
}
