//! A build that is killed, refused or not alone publishes nothing and leaves nothing that lasts.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::crafted::{build, build_small, write_input};
use pricebook::catalog::Catalog;
use pricebook::snapshot::publish::{ACCEPT, CURRENT, PREVIOUS, current, set_current};

/// Parts of a whole build's time after which it is killed, in percent; the end, where it publishes, more often.
const KILLED_AT_PERCENT: [u32; 12] = [1, 8, 17, 29, 41, 55, 66, 78, 87, 92, 96, 99];
const LISTINGS: usize = 2_000;
const DAYS: usize = 40;
/// Longest wait for a child to get somewhere.
const PATIENCE: Duration = Duration::from_mins(1);

/// An input that takes long enough to be killed in the middle.
fn write_large(folder: &Path) {
    let mut listings = String::from("country,platform,product_id,product_name,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price\n");
    for item in 0..LISTINGS {
        listings += &format!("us,shop{},p{item},Thing number {item},Food > Shelf {}\n", item % 7, item % 31);
        for day in 0..DAYS {
            let (month, day) = (1 + day / 28, 1 + day % 28);
            observations += &format!("us,shop{},p{item},2026-{month:02}-{day:02},{item}.5\n", item % 7);
        }
    }
    fs::write(folder.join("listings.csv"), listings).unwrap();
    fs::write(folder.join("observations.csv"), observations).unwrap();
}

fn command(input: &Path, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.arg("build").arg("--input").arg(input).arg("--out").arg(out).arg("--force");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn output(input: &Path, out: &Path) -> Output {
    let output = command(input, out).stderr(Stdio::piped()).output().unwrap();
    said(&output);
    output
}

/// All that a command printed. A panic is a defect, whatever the command ends with.
pub(super) fn said(output: &Output) -> String {
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// SIGKILL.
fn kill(mut child: Child) {
    let _ = child.kill();
    child.wait().unwrap();
}

/// Names in a snapshots directory, the locks left out.
pub(super) fn names(out: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != ".build.lock" && name != ".current.lock");
    names.sort();
    names
}

pub(super) fn has_remains(out: &Path) -> bool {
    names(out).iter().any(|name| name.starts_with(".building-") || name.starts_with(".demo-input"))
}

/// Everything that is not a staging directory is a sound snapshot or no snapshot; `CURRENT` names a sound one.
pub(super) fn assert_sound(out: &Path, when: &str) {
    for name in names(out) {
        let opened = Catalog::open(&out.join(&name));
        if name.starts_with('.') || ["reports", "runs", CURRENT, PREVIOUS, ACCEPT].contains(&name.as_str()) {
            assert!(opened.is_err(), "{name} is taken for a snapshot, killed at {when}");
        } else {
            assert!(opened.is_ok(), "{:?}, killed at {when}", opened.err());
        }
    }
    let id = current(out).unwrap().unwrap();
    assert!(Catalog::open(&out.join(id)).is_ok(), "CURRENT does not open, killed at {when}");
}

fn wait_until(what: &str, reached: impl Fn() -> bool) {
    let began = Instant::now();
    while !reached() {
        assert!(began.elapsed() < PATIENCE, "{what} does not come about");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_killed_build_changes_nothing_and_the_next_one_tidies_up() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (input, out) = (input.path(), out.path());
    write_large(input);
    let began = Instant::now();
    assert!(command(input, out).status().unwrap().success());
    let mut whole = began.elapsed();
    let large = current(out).unwrap().unwrap();
    let small = build_small(out).file_name().unwrap().to_str().unwrap().to_owned();

    let (mut killed, mut left) = (0, 0);
    for percent in KILLED_AT_PERCENT {
        fs::remove_dir_all(out.join(&large)).unwrap_or_default();
        set_current(out, &small).unwrap();
        let child = command(input, out).spawn().unwrap();
        let lived = whole * percent / 100;
        sleep(lived);
        kill(child);
        assert_sound(out, &format!("{percent} %"));
        let now = current(out).unwrap().unwrap();
        assert!(now == small || now == large, "CURRENT names {now}");
        if now == small {
            killed += 1;
        } else {
            // It was done already: the machine is less busy than it was when a whole build was timed.
            whole = lived;
        }
        left += usize::from(has_remains(out));
    }
    assert!(killed >= 6 && left >= 4, "{killed} builds were killed in time, {left} left something");

    assert!(command(input, out).status().unwrap().success());
    assert_eq!(current(out).unwrap().as_ref(), Some(&large));
    assert_sound(out, "100 %");
    assert!(!has_remains(out), "{:?}", names(out));
}

#[test]
fn the_second_of_two_builds_at_once_is_refused() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_large(input.path());
    let first = command(input.path(), out.path()).spawn().unwrap();
    wait_until("the first build", || has_remains(out.path()));
    let second = output(input.path(), out.path());
    kill(first);
    let log = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{log}");
    assert!(log.contains("another build is writing to"), "{log}");
}

#[test]
fn a_refused_input_publishes_nothing() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path();
    build_small(out);
    let before = (names(out), current(out).unwrap());
    let observations = "country,platform,product_id,date,price\nus,alpha,alpha0,2026-10-01,5\n";
    for (name, bytes, expect) in [
        (
            "observations.csv",
            format!("{observations}{}", "us,alpha,alpha0,2026-10-02,free\n".repeat(60)),
            "were rejected",
        ),
        ("observations.csv", observations.replace(",price", ",cost"), "price"),
        (
            "observations.csv",
            observations.replace("us,alpha", "us,elsewhere"),
            "does not contain a valid observation",
        ),
        ("listings.csv", "country,platform,product_id\nus,alpha,1\n".into(), "product_name"),
        ("observations.csv.gz", "no gzip".into(), "observations.csv.gz"),
        ("gpc.json", "{".into(), "gpc.json"),
        (
            "gpc.json",
            r#"{"Schema":[{"Level":1,"Code":1,"Childs":[{"Level":3,"Code":2}]}]}"#.into(),
            "level 3",
        ),
    ] {
        let input = tempfile::tempdir().unwrap();
        write_input(input.path());
        fs::write(input.path().join(name), bytes).unwrap();
        let fault = build(input.path(), out, None).map(|report| report.id);
        let message = format!("{:#}", fault.expect_err(expect));
        assert!(message.contains(expect), "{message}");
        assert_eq!((names(out), current(out).unwrap()), before, "{message}");
    }
    let output = output(Path::new("absent"), out);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((names(out), current(out).unwrap()), before);
}

/// The demo's input is unpacked first; killed meanwhile, it goes with the rest.
#[test]
fn a_killed_demo_build_is_tidied_up_too() {
    let out = tempfile::tempdir().unwrap();
    let mut demo = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    demo.args(["build", "--demo", "--out"]).arg(out.path());
    let child = demo.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let scratch = out.path().join(format!(".building-{}.scratch/demo-input/pcparts", child.id()));
    wait_until("the unpacked demo", || scratch.is_dir());
    kill(child);
    assert!(has_remains(out.path()));
    assert_eq!(current(out.path()).unwrap(), None);
    build_small(out.path());
    assert!(!has_remains(out.path()), "{:?}", names(out.path()));
}
