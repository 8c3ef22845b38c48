//! Inputs of a build that are almost right: refused with a sentence, or built into a snapshot that opens.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use flate2::Compression;
use flate2::read::GzEncoder;
use pricebook::catalog::Catalog;
use pricebook::cli::generate;
use pricebook::index::run::{Options, run};
use pricebook::ingest::{Arguments, Silent, classification};
use proptest::prelude::*;

use crate::support::crafted::write_input;
use crate::support::generated;
use crate::support::mutate::{almost, cases};

/// Lines of the small input's observations that are kept: a build for every case.
const LINES: usize = 120;

const NDJSON: &str = concat!(
    r#"{"country":"us","platform":"alpha","product_id":"alpha0","date":"2026-10-27","price":5.01,"in_stock":true}"#,
    "\n",
    r#"{"country":"us","platform":"alpha","product_id":"alpha1","date":"2026-10-27T01:02:03.5+02:00","price":"5.38","promo":null}"#,
    "\n",
    r#"{"country":"ca","platform":"beta","product_id":"beta1","date":"2026-10-26","price":1e1,"list_price":"12","more":[{"a":1}]}"#,
    "\n",
);

struct Sample {
    folder: tempfile::TempDir,
    parquet: Vec<u8>,
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    write_input(folder.path());
    let observations = folder.path().join("observations.csv");
    let text = fs::read_to_string(&observations).unwrap();
    let kept: Vec<&str> = text.lines().take(LINES).collect();
    fs::write(&observations, kept.join("\n") + "\n").unwrap();
    let made = tempfile::tempdir().unwrap();
    generate::run(&generated::options(40, 10, 1, &made.path().join("made")), &|_| ()).unwrap();
    let parquet = generated::files(&made.path().join("made"), "listings.parquet");
    Sample { folder, parquet: fs::read(&parquet[0]).unwrap() }
});

fn sample(name: &str) -> Vec<u8> {
    fs::read(SAMPLE.folder.path().join(name)).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(bytes, Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

/// Builds the small input with one file more or other than it is; why it is refused, if it is.
fn build_with(name: &str, bytes: &[u8]) -> Option<String> {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for entry in fs::read_dir(SAMPLE.folder.path()).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        fs::copy(&path, input.path().join(path.file_name().unwrap())).unwrap();
    }
    File::create(input.path().join(name)).unwrap().write_all(bytes).unwrap();
    build(input.path(), out.path())
}

fn build(input: &Path, out: &Path) -> Option<String> {
    let options = Options {
        arguments: Arguments::folders([input]),
        out: out.to_owned(),
        max_rejects_pct: 100.0,
        ..Options::default()
    };
    match run(&options, &Silent) {
        Ok(built) => {
            Catalog::open(&built.published.path()).unwrap();
            None
        }
        Err(error) => Some(format!("{error:#}")),
    }
}

/// Found by the test below: a file over which Polars' reader panics.
#[test]
fn a_damaged_parquet_file_is_refused_by_name() {
    let refusal = build_with("listings.parquet", include_bytes!("../../golden/damaged.parquet")).unwrap();
    assert!(refusal.contains("listings.parquet") && refusal.contains("the data is damaged"), "{refusal}");
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn listings_as_csv(bytes in almost(vec![sample("listings.csv")])) {
        build_with("listings.csv", &bytes);
    }

    #[test]
    fn observations_as_csv(bytes in almost(vec![sample("observations.csv")])) {
        build_with("observations.csv", &bytes);
    }

    #[test]
    fn observations_as_ndjson(bytes in almost(vec![NDJSON.as_bytes().to_vec()])) {
        build_with("observations.ndjson", &bytes);
    }

    #[test]
    fn survives_damaged_gzip(bytes in almost(vec![gzip(&sample("observations.csv")), gzip(&[])])) {
        build_with("observations.csv.gz", &bytes);
    }

    #[test]
    fn side_tables(
        aliases in almost(vec![sample("aliases.csv")]), bricks in almost(vec![sample("category_gpc.csv")]), both: bool,
    ) {
        build_with("aliases.csv", &aliases);
        if both {
            build_with("category_gpc.csv", &bricks);
        }
    }

    #[test]
    fn listings_as_parquet(bytes in almost(vec![SAMPLE.parquet.clone()])) {
        build_with("listings.parquet", &bytes);
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_classification_is_read_or_refused(bytes in almost(vec![sample("gpc.json")])) {
        let _ = classification::parse(&bytes);
    }
}
