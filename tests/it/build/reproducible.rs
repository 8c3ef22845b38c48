//! The same input gives the same snapshot, byte for byte, wherever and however it is built; reports lie beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::crafted::{build, write_input};
use pricebook::snapshot::manifest::list;
use pricebook::snapshot::publish::current;
use serde_json::Value;

/// Every file of a directory with its bytes.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    list(dir, "").into_iter().map(|name| (name.clone(), fs::read(dir.join(&name)).unwrap())).collect()
}

/// Runs the command and returns the id that is current then, or what it says.
fn command(input: &Path, out: &Path, threads: &str, more: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args(["build", "--input"]).arg(input).arg("--out").arg(out).args(more);
    let output =
        command.env("RAYON_NUM_THREADS", threads).env("POLARS_MAX_THREADS", threads).output().unwrap();
    if output.status.success() {
        return Ok(current(out).unwrap().unwrap());
    }
    Err(String::from_utf8(output.stderr).unwrap())
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn place_and_threads_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("somewhere/else/entirely"));
    write_input(&one);
    write_input(&other);
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let id = command(&one, &first, "1", &[]).unwrap();
    assert_eq!(command(&other, &second, "4", &[]).as_ref(), Ok(&id));
    let (a, b) = (contents(&first.join(&id)), contents(&second.join(&id)));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

#[test]
fn the_order_of_observations_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("input"), folder.path().join("out"));
    write_input(&input);
    let first = build(&input, &out, None).unwrap().id;
    let before = contents(&out.join(&first));
    let path = input.join("observations.csv");
    let text = fs::read_to_string(&path).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_by_key(|row| xxhash_rust::xxh3::xxh3_64(row.as_bytes()));
    fs::write(&path, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
    let other = folder.path().join("other");
    assert_eq!(build(&input, &other, None).unwrap().id, first);
    assert!(contents(&other.join(&first)) == before, "the snapshot differs");
}

#[test]
fn ids_follow_the_content_or_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("input"), folder.path().join("out"));
    write_input(&input);
    let id = command(&input, &out, "2", &[]).unwrap();
    let (date, hash) = id.split_at("2026-10-28".len());
    assert_eq!(date, "2026-10-28", "the day after the last observation");
    let digits = hash.strip_prefix('-').unwrap();
    assert!(digits.len() == 8 && digits.bytes().all(|byte| b"0123456789abcdef".contains(&byte)), "{id}");

    assert_eq!(command(&input, &out, "2", &["--id", "autumn_v1.2"]).unwrap(), "autumn_v1.2");
    assert_eq!(json(&out.join("autumn_v1.2/manifest.json"))["id"], "autumn_v1.2");
    for bad in ["", ".", "..", ".hidden", "a/b", "../a", "a b", "CURRENT", "reports", "é", ".building-1"] {
        let fault = command(&input, &out, "2", &["--id", bad]).expect_err(bad);
        assert!(fault.contains("is not a valid snapshot id"), "{fault}");
    }
    assert_eq!(current(&out).unwrap().unwrap(), "autumn_v1.2");

    // One more row is another snapshot.
    let path = input.join("observations.csv");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "us,alpha,alpha5,2026-10-01,7.77,,,\n").unwrap();
    let next = command(&input, &out, "2", &[]).unwrap();
    assert!(next != id && next.starts_with(date), "{next}");
}

#[test]
fn building_again_leaves_what_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("input"), folder.path().join("out"));
    write_input(&input);
    let id = build(&input, &out, None).unwrap().id;
    let changed = || fs::metadata(out.join(&id).join("listings.cols")).unwrap().modified().unwrap();
    let (before, time) = (contents(&out.join(&id)), changed());
    assert_eq!(build(&input, &out, None).unwrap().id, id);
    assert!(contents(&out.join(&id)) == before && changed() == time, "the published files were touched");
    for name in list(&out.join(&id), "") {
        assert!(fs::metadata(out.join(&id).join(&name)).unwrap().permissions().readonly(), "{name}");
    }

    // Another content under a known id is refused, and the report of the published one stays.
    build(&input, &out, Some("named")).unwrap();
    let report = contents(&out.join("reports/named"));
    let path = input.join("observations.csv");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "us,alpha,alpha5,2026-10-01,7.77,,,\n").unwrap();
    let fault = format!("{:#}", build(&input, &out, Some("named")).unwrap_err());
    assert!(fault.contains("exists and differs"), "{fault}");
    assert!(contents(&out.join("reports/named")) == report, "the report speaks of what is not published");
}

#[test]
fn reports_say_what_became_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("input"), folder.path().join("out"));
    write_input(&input);
    let listings = fs::read_to_string(input.join("listings.csv")).unwrap();
    let observations = fs::read_to_string(input.join("observations.csv")).unwrap();
    let line = |text: &str| text.lines().count() as u64 + 1;
    let (in_listings, in_observations) = (line(&listings), line(&observations));
    fs::write(input.join("listings.csv"), listings + "fr,alpha,x,Bottle,,,,\n").unwrap();
    let bad = "us,alpha,alpha0,2026-10-01,free,,,\nus,alpha,nobody,2026-10-01,1.00,,,\nus,alpha,alpha0,1999-01-01,1,,,\n";
    fs::write(input.join("observations.csv"), observations + bad).unwrap();
    let id = build(&input, &out, None).unwrap().id;

    let dir = out.join("reports").join(&id);
    assert_eq!(list(&dir, ""), ["rejected.ndjson", "report.json"]);
    let lines = fs::read_to_string(dir.join("rejected.ndjson")).unwrap();
    let found: Vec<(String, u64, String, String)> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| {
            let text = |field: &str| row[field].as_str().unwrap().to_owned();
            (text("file"), row["line"].as_u64().unwrap(), text("reason"), text("value"))
        })
        .collect();
    let expect = [
        ("listings.csv", in_listings, "unknown_country", "fr"),
        ("observations.csv", in_observations, "unparsable_price", "free"),
        ("observations.csv", in_observations + 1, "no_listing", "nobody"),
        ("observations.csv", in_observations + 2, "date_out_of_range", "1999-01-01"),
    ];
    assert_eq!(found.len(), expect.len(), "{lines}");
    for ((file, line, reason, value), want) in found.iter().zip(expect) {
        assert!(file.ends_with(want.0) && value.contains(want.3), "{file} {value}");
        assert_eq!((*line, reason.as_str()), (want.1, want.2));
    }

    let report = json(&dir.join("report.json"));
    let manifest = json(&out.join(&id).join("manifest.json"));
    assert_eq!(report["id"], id);
    assert_eq!(report["as_of"], manifest["as_of"]);
    assert_eq!(report["counts"], manifest["counts"]);
    let input = &report["input"];
    assert_eq!(input["rejected_rows"], 4);
    assert_eq!(input["rejected"]["no_listing"]["count"], 1);
    assert_eq!(input["rejected"]["no_listing"]["examples"][0]["line"], in_observations + 1);
    assert_eq!(input["listing_rows"], in_listings - 1);
    assert_eq!(input["observation_rows"], in_observations + 1);
}
