//! Input behind addresses: buckets and web servers. The snapshot id says that it is read as files of this machine are.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use pricebook::cli::generate::run;
use pricebook::snapshot::publish::current;
use tempfile::TempDir;

use crate::support::buckets::Buckets;
use crate::support::generated;

const SIDE_TABLES: [&str; 3] = ["aliases.csv", "category_gpc.csv", "gpc.json"];

/// Files of a small catalog, and the id of the snapshot of them.
struct Made {
    dir: TempDir,
    listings: Vec<Vec<u8>>,
    observations: Vec<Vec<u8>>,
    id: String,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let options = generated::options(100, 8, 11, &dir.path().join("made"));
    run(&options, &|_| ()).unwrap();
    let bytes = |name: &str| -> Vec<Vec<u8>> {
        generated::files(&options.out, name).iter().map(|file| fs::read(file).unwrap()).collect()
    };
    let (listings, observations) = (bytes("listings.parquet"), bytes("observations.parquet"));
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook"))
        .args(["build", "--linking", "off", "--out", "local", "--input", "made"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let id = current(&dir.path().join("local")).unwrap().unwrap();
    Made { dir, listings, observations, id }
});

/// A path of what was made.
fn made(name: &str) -> String {
    MADE.dir.path().join("made").join(name).to_str().unwrap().to_owned()
}

/// Puts the catalog into a bucket: its tables where `place` says.
fn filled(place: impl Fn(&str, usize) -> String) -> Buckets {
    let buckets = Buckets::start();
    for (table, files) in [("listings", &MADE.listings), ("observations", &MADE.observations)] {
        for (at, bytes) in files.iter().enumerate() {
            buckets.put(&format!("data/{}", place(table, at)), bytes);
        }
    }
    buckets
}

fn build(dir: &Path, buckets: &Buckets, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args(["build", "--linking", "off", "--out", "OUT"]).args(arguments).current_dir(dir);
    buckets.introduce(&mut command).output().unwrap()
}

/// Builds, and gives the id and what was said.
fn built(buckets: &Buckets, arguments: &[&str]) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let output = build(dir.path(), buckets, arguments);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let left: Vec<_> =
        fs::read_dir(dir.path().join("OUT")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".building")), "{left:?}");
    (current(&dir.path().join("OUT")).unwrap().unwrap(), said)
}

fn refused(buckets: &Buckets, arguments: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = build(dir.path(), buckets, arguments);
    assert!(!output.status.success(), "{arguments:?} is read");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_prefix_of_a_bucket_is_a_folder() {
    let buckets = filled(|table, at| format!("cat a+b/{table}/part-{at}.parquet"));
    for name in SIDE_TABLES {
        buckets.put(&format!("data/cat a+b/{name}"), fs::read(made(name)).unwrap());
    }
    // What consoles leave where a folder was made, and neighbours whose names begin alike.
    buckets.put("data/cat a+b", "");
    buckets.put("data/cat a+bc/listings/part.parquet", "no table");
    for root in ["s3://data/cat a+b/", "s3a://data/cat a+b/"] {
        assert_eq!(built(&buckets, &["--input", root]).0, MADE.id, "{root}");
    }
    assert_eq!(buckets.reads("data/cat a+b/aliases.csv"), 2, "once a build");
}

#[test]
fn patterns_single_objects_and_files_of_this_machine() {
    let buckets = filled(|table, at| format!("raw/{table}-{at}.bin"));
    buckets.put("data/raw/observations-x.txt.tmp", "no table");
    let (listings, sides) = (made("part-000/listings.parquet"), SIDE_TABLES.map(made));
    let with_sides = |arguments: &[&str]| {
        let mut all: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        all.push("--input".to_owned());
        all.extend(sides.clone());
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        built(&buckets, &all).0
    };
    let pattern = "s3://data/raw/observations-*.bin";
    assert_eq!(with_sides(&["--listings", &listings, "--observations", pattern]), MADE.id);
    let address = format!("file://{listings}");
    let object = "s3://data/raw/observations-0.bin";
    assert_eq!(with_sides(&["--listings", &address, "--observations", object]), MADE.id);
}

#[test]
fn keys_of_the_path_count() {
    let buckets = Buckets::start();
    let row = |price: &str| format!("platform,product_id,product_name,price\nshop,1,Thing,{price}\n");
    buckets.put("data/x/country=us/dt=2026-10-30/a.csv", row("1.00"));
    buckets.put("data/x/country=us/dt=2026-10-31/a.csv", row("2.00"));
    buckets.put("data/x/country=ca/dt=2026-10-31/a.csv", row("3.00"));
    let (_, said) = built(&buckets, &["--input", "s3://data/x"]);
    for says in
        ["as of                    2026-11-01", "listings                 2", "observations             3"]
    {
        assert!(said.contains(says), "{says}:\n{said}");
    }
}

#[test]
fn a_file_of_a_web_server() {
    // The bucket as a web server: anybody may read, nobody lists.
    let buckets = filled(|table, at| format!("{table}-{at}.parquet"));
    let at = |key: &str| format!("{}/data/{key}?key=secret", buckets.at());
    for name in SIDE_TABLES {
        buckets.put(&format!("data/{name}"), fs::read(made(name)).unwrap());
    }
    let sides = SIDE_TABLES.map(at);
    let (listings, observations) = (at("listings-0.parquet"), at("observations-0.parquet"));
    let mut arguments = vec!["--listings", &listings, "--observations", &observations, "--input"];
    arguments.extend(sides.iter().map(String::as_str));
    let (id, said) = built(&buckets, &arguments);
    assert_eq!(id, MADE.id);
    assert!(!said.contains("secret"));
}

#[test]
fn reports_the_address_of_missing_input() {
    let buckets = filled(|table, at| format!("raw/{table}/{at}.parquet"));
    let web = format!("{}/data/none.csv?key=secret", buckets.at());
    for (arguments, says) in [
        (vec!["--input", "s3://data/none"], "s3://data/none does not exist"),
        (vec!["--input", "s3://data/raw", "--observations", "s3://data/raw/*.csv"], "matches no file"),
        (
            vec!["--input", "s3://data/raw", "--observations", "s3://da*/x"],
            "the name of a bucket cannot be a pattern",
        ),
        (vec!["--input", "ftp://data/raw"], "only file://, s3://"),
        (vec!["--input", &web], "/data/none.csv does not exist"),
    ] {
        let error = refused(&buckets, &arguments);
        assert!(error.contains(says) && !error.contains("secret"), "{arguments:?}: {error}");
    }
}
