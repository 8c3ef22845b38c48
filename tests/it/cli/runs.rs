//! `pricebook runs`: what is left in a store that builds share.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::crafted::write_input;

fn pricebook(args: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook")).args(args).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.success(), said)
}

/// Number of files below a folder.
fn files(dir: &Path) -> usize {
    let below = |entry: fs::DirEntry| if entry.path().is_dir() { files(&entry.path()) } else { 1 };
    fs::read_dir(dir).map_or(0, |entries| entries.map(|entry| below(entry.unwrap())).sum())
}

#[test]
fn old_runs_go_and_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (input, out, runs) = (path("in"), path("out"), path("runs"));
    fs::create_dir(&input).unwrap();
    write_input(Path::new(&input));
    let build = || {
        let args = ["build", "--input", &input, "--out", &out, "--runs", &runs, "--max-rejects", "100"];
        let (built, said) = pricebook(&args);
        assert!(built, "{said}");
        said.lines().find(|line| line.trim_start().starts_with("snapshot ")).unwrap().to_owned()
    };
    let first = build();
    let made = files(Path::new(&runs));
    assert!(made > 3, "{made}");

    let prune = |age: &str| pricebook(&["runs", "prune", "--runs", &runs, "--older-than", age]);
    // Whatever time it is in this test: files have the real one.
    assert_eq!(prune("20000"), (true, "removed 0 files, 0 bytes\n".to_owned()));
    assert_eq!(files(Path::new(&runs)), made);
    let (pruned, said) = prune("0");
    assert!(pruned && said.starts_with(&format!("removed {made} files, ")), "{said}, of {made}");
    assert_eq!(files(Path::new(&runs)), 0);
    assert_eq!(build(), first);

    let (pruned, said) = prune("a while");
    assert!(!pruned && said.contains("--older-than <DAYS>"), "{said}");
}
