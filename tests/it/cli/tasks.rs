//! A build as tasks: plan, validate, merge and write give what build gives; codes tell an engine what to try again.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use pricebook::cli::generate::run;
use pricebook::index::job::MERGE_TASK_VERSION;
use pricebook::snapshot::publish::current;
use serde_json::Value;

use crate::support::buckets::Buckets;
use crate::support::generated;

fn pricebook(dir: &Path, buckets: Option<&Buckets>, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args(args).current_dir(dir);
    buckets.map(|buckets| buckets.introduce(&mut command));
    command.output().unwrap()
}

/// What a command prints, which has to succeed.
fn printed(dir: &Path, buckets: Option<&Buckets>, args: &[&str]) -> Vec<Value> {
    let output = pricebook(dir, buckets, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn argv(task: &Value) -> Vec<&str> {
    task["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// Does every task, and says whether each was done before.
fn do_all(dir: &Path, buckets: Option<&Buckets>, tasks: &[Value]) -> Vec<bool> {
    let done = |task| {
        let said = printed(dir, buckets, &argv(task));
        assert_eq!(said.len(), 1, "one line a task");
        assert!(said[0]["made"].as_str().unwrap().contains('/'), "{said:?}");
        said[0]["reused"].as_bool().unwrap()
    };
    tasks.iter().map(done).collect()
}

/// A folder with an input in it, and the id of what is built from it.
fn input() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    run(&generated::options(200, 10, 5, &dir.path().join("raw")), &|_| ()).unwrap();
    let build = ["build", "--input", "raw", "--linking", "off", "--no-runs", "--out", "whole"];
    assert!(pricebook(dir.path(), None, &build).status.success());
    let id = current(&dir.path().join("whole")).unwrap().unwrap();
    (dir, id)
}

const VALIDATE: [&str; 7] = ["job", "plan", "validate", "--plan", "plan.json", "--input", "raw"];
const MERGE: [&str; 7] = ["job", "plan", "merge", "--plan", "plan.json", "--memory", "300M"];
const WRITE: [&str; 8] = ["job", "write", "--plan", "plan.json", "--linking", "off", "--out", "packed"];

/// A whole job, each task twice.
fn job(dir: &Path, buckets: Option<&Buckets>, runs: &str) -> String {
    let validate = printed(dir, buckets, &[&VALIDATE[..], &["--runs", runs]].concat());
    assert_eq!(validate.len(), 2, "a file of listings and one of observations");
    assert_eq!(do_all(dir, buckets, &validate), [false, false]);
    assert_eq!(do_all(dir, buckets, &validate), [true, true]);
    let merge = printed(dir, buckets, &MERGE);
    assert!(!merge.is_empty());
    assert!(do_all(dir, buckets, &merge).iter().all(|reused| !reused));
    assert!(do_all(dir, buckets, &merge).iter().all(|reused| *reused));
    assert_eq!(printed(dir, buckets, &MERGE), [Value::Null; 0], "nothing is left");
    assert!(pricebook(dir, buckets, &WRITE).status.success());
    current(&dir.join("packed")).unwrap().unwrap()
}

#[test]
fn tasks_make_the_snapshot_that_a_build_makes() {
    let (dir, id) = input();
    assert_eq!(job(dir.path(), None, "runs"), id);
    let report =
        |out: &str| fs::read(dir.path().join(out).join("reports").join(&id).join("report.json")).unwrap();
    assert!(report("whole") == report("packed"), "the reports differ");
}

#[test]
fn runs_may_lie_in_a_bucket() {
    let (dir, id) = input();
    let buckets = Buckets::start();
    assert_eq!(job(dir.path(), Some(&buckets), "s3://data/some/runs"), id);
    assert!(!dir.path().join("runs").exists());
}

#[test]
fn does_not_plan_finished_tasks_again() {
    let (dir, _) = input();
    // What was just written may change within a tick of its times, and is not believed.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    let plan = [&VALIDATE[..], &["--runs", "runs"]].concat();
    do_all(dir.path(), None, &printed(dir.path(), None, &plan));
    assert_eq!(printed(dir.path(), None, &plan), [Value::Null; 0]);
}

#[test]
fn codes_say_what_to_try_again() {
    let (dir, _) = input();
    let code = |args: &[&str]| {
        let output = pricebook(dir.path(), None, args);
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let tasks = printed(dir.path(), None, &[&VALIDATE[..], &["--runs", "runs"]].concat());
    let task = argv(&tasks[0]);

    // A command line that is none, and another version.
    assert_eq!(code(&["job", "validate", "--no-such-flag"]).0, 64);
    assert_eq!(
        code(&["job", "plan", "validate", "--plan", "p.json", "--runs", "runs"]).0,
        64,
        "nothing to read"
    );
    let at = task.iter().position(|word| *word == "--task-version").unwrap() + 1;
    let mut other = task.clone();
    other[at] = "9999";
    let (status, words) = code(&other);
    assert!(status == 64 && words.contains("version 9999"), "{words}");
    let plan = dir.path().join("plan.json");
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(dir.path().join("newer.json"), text.replacen("\"version\":1", "\"version\":77", 1)).unwrap();
    let newer: Vec<&str> =
        task.iter().map(|word| if word.ends_with("plan.json") { "newer.json" } else { word }).collect();
    let (status, words) = code(&newer);
    assert!(status == 64 && words.contains("version 77"), "{words}");

    // Input that is none: the same however often it is tried.
    assert_eq!(code(&WRITE).0, 65, "nothing is merged yet");
    let version = MERGE_TASK_VERSION.to_string();
    assert_eq!(
        code(&["job", "merge", "--plan", "none.json", "--shard", "0", "--task-version", &version]).0,
        65
    );
    fs::write(dir.path().join("raw/part-000/listings.parquet"), "no table").unwrap();
    let (status, words) = code(&task);
    assert!(status == 65 && words.contains("listings.parquet"), "{status}: {words}");

    // Nobody listens there: it may be back soon.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args([
        "job",
        "merge",
        "--plan",
        "s3://data/plan.json",
        "--shard",
        "0",
        "--task-version",
        &version,
    ]);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"));
    command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test");
    let output = command.current_dir(dir.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(75), "{}", String::from_utf8_lossy(&output.stderr));
}
