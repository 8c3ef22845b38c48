//! A disk that fails at any one call: every write, flush, rename, removal and change of mode that a build or the ledger
//! makes fails once, or from then on, or half way, with EIO or ENOSPC, and the process is killed there too.
//!
//! The calls are those of the C library, seen by a small library that is loaded before it (`failing_disk.c`), so that
//! SQLite's are among them and the program is the one that is shipped. The tests run themselves as children under it.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use pricebook::payment::core::claim::{Advance, ClaimState, ClaimStore as _, Claiming};
use pricebook::payment::ledger::Ledger;
use pricebook::snapshot::publish::{current, set_current};

use crate::builds::{assert_sound, has_remains, names, said};
use crate::crafted::{build, write_input};
use crate::ledger::{LIMITS, NOW, Payment, Said, check, check_file};

pub(super) const DISK: &str = "PRICEBOOK_DISK";
pub(super) const FAULT: &str = "PRICEBOOK_DISK_FAULT";
/// Input of the child that builds.
const INPUT: &str = "PRICEBOOK_TEST_INPUT";
/// Another round meets every call with another kind of fault; after six, every call has met all of them.
const ROUNDS: &str = "PRICEBOOK_DISK_ROUNDS";
/// Every so many calls a build is killed, in a test that has no hours.
const KILLED_EVERY: usize = 7;
/// More calls than a small build or the ledger's payments make.
const CALLS_MAX: usize = 5_000;
const SIGKILL: i32 = 9;
/// The snapshot that is in use before.
const OLD: &str = "old";

/// What becomes of a call, as `failing_disk.c` numbers it.
#[derive(Debug, Clone, Copy)]
enum FaultMode {
    Once = 1,
    FromThenOn = 2,
    Half = 3,
    Killed = 4,
}

/// A fault of the disk at the call of this number.
#[derive(Debug, Clone, Copy)]
struct DiskFault {
    call: usize,
    errno: i32,
    mode: FaultMode,
}

impl DiskFault {
    /// The fault that a call meets in a round.
    fn at(call: usize, round: usize) -> Self {
        let kind = call + round;
        let mode = [FaultMode::Once, FaultMode::FromThenOn, FaultMode::Half][kind % 3];
        Self { call, errno: [libc::EIO, libc::ENOSPC][kind / 3 % 2], mode }
    }

    fn order(self) -> String {
        format!("{}:{}:{}", self.call, self.errno, self.mode as u8)
    }
}

/// The library, compiled by the C compiler that builds SQLite.
pub(super) fn library(folder: &Path) -> PathBuf {
    let (source, library) =
        (concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kill/failing_disk.c"), folder.join("disk.so"));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let compiled = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status();
    assert!(compiled.unwrap().success());
    library
}

/// A folder whose files need no real disk, where there is one: nothing here is about power.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

/// Runs a test of this binary on the failing disk.
fn run_child(test: &str, library: &Path, disk: &Path, input: &Path) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    let output = child.env("LD_PRELOAD", library).env(DISK, disk).env(INPUT, input).output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let table: Vec<&str> = said.lines().filter(|line| line.starts_with("calls ")).collect();
    assert!(!table.is_empty(), "the child did nothing: {said}");
    println!("{test}: {}", table.join("; "));
}

/// The disk that this child runs on.
struct Disk(PathBuf);

impl Disk {
    fn of_child() -> Option<Self> {
        std::env::var_os(DISK).map(|path| Self(path.into()))
    }

    /// Has a call fail, counted from now on.
    fn fail(&self, fault: DiskFault) {
        self.order(&fault.order());
    }

    /// Has it work again; how many calls there were since it was to fail, and how many failed.
    fn mend(&self) -> (usize, usize) {
        self.order("0:0:0");
        let count = self.0.with_file_name(format!("{}.count", self.0.file_name().unwrap().display()));
        let text = fs::read_to_string(count).expect("the library is loaded");
        let mut numbers = text.split_whitespace().map(|number| number.parse().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    }

    fn order(&self, order: &str) {
        assert!(File::open(self.0.join(".fault").join(order)).is_err(), "an order is no file");
    }
}

fn rounds() -> usize {
    std::env::var(ROUNDS).map_or(1, |rounds| rounds.parse().unwrap())
}

/// The old snapshot is in use, and nothing else is there.
fn start_over(out: &Path) {
    for name in names(out).iter().filter(|name| !["CURRENT", "reports", OLD].contains(&name.as_str())) {
        let path = out.join(name);
        fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)).unwrap();
    }
    set_current(out, OLD).unwrap();
}

/// The child: has each call of a build fail in turn.
#[test]
fn publisher_child() {
    let (Some(disk), Some(input)) = (Disk::of_child(), std::env::var_os(INPUT)) else { return };
    let (out, input) = (disk.0.join("snapshots"), PathBuf::from(input));
    build(&input.join("small"), &out, Some(OLD)).unwrap();
    let new = build(&input.join("large"), &out, None).unwrap().id;
    for round in 0..rounds() {
        let (mut calls, mut refused, mut harmless) = (0, 0, 0);
        for call in 1..=CALLS_MAX {
            start_over(&out);
            let fault = DiskFault::at(call, round);
            disk.fail(fault);
            let built = build(&input.join("large"), &out, None);
            let (count, failed) = disk.mend();
            assert_sound(&out, &format!("{fault:?}"));
            let now = current(&out).unwrap().unwrap();
            match built {
                Ok(_) => assert_eq!(now, new, "{fault:?}: it was said to be in use"),
                Err(error) => {
                    assert!(failed > 0, "{fault:?}: {error:#}");
                    let system = std::io::Error::from_raw_os_error(fault.errno).to_string();
                    assert!(format!("{error:#}").contains(&system), "{fault:?} is not named: {error:#}");
                    assert!(now == OLD || now == new, "{now}");
                    refused += 1;
                    // The next one succeeds and tidies up.
                    build(&input.join("large"), &out, None).unwrap();
                    assert_eq!(current(&out).unwrap().as_ref(), Some(&new));
                    assert!(!has_remains(&out), "{fault:?}: {:?}", names(&out));
                    assert_sound(&out, &format!("{fault:?}, built again"));
                    continue;
                }
            }
            if failed == 0 {
                calls = count;
                break;
            }
            harmless += 1;
        }
        assert!(calls > 20, "{calls} calls");
        println!("\ncalls {calls}, refused builds {refused}, faults without harm {harmless}");
    }
}

/// Inputs of two snapshots.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let [small, large] = ["small", "large"].map(|name| folder.path().join(name));
    write_input(&small);
    write_input(&large);
    let more = "country,platform,product_id,date,price\nus,alpha,alpha0,2026-10-29,5\n";
    fs::write(large.join("more_observations.csv"), more).unwrap();
    let listings = fs::read_to_string(large.join("listings.csv")).unwrap();
    fs::write(large.join("listings.csv"), listings.replace("Bottle 3", "Flask 3")).unwrap();
    folder
}

#[test]
fn whatever_call_of_a_build_fails_a_sound_snapshot_is_in_use() {
    let (input, (folder, disk)) = (inputs(), folder());
    let library = library(input.path());
    run_child("failing_disk::publisher_child", &library, &disk, input.path());
    drop(folder);
}

#[test]
fn wherever_a_build_is_killed_a_sound_snapshot_is_in_use() {
    let (input, (_folder, disk)) = (inputs(), folder());
    let library = library(input.path());
    let out = disk.join("snapshots");
    build(&input.path().join("small"), &out, Some(OLD)).unwrap();
    let mut kills = 0;
    for call in (1..CALLS_MAX).step_by(KILLED_EVERY) {
        start_over(&out);
        let fault = DiskFault { call, errno: libc::EIO, mode: FaultMode::Killed };
        let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
        command.args(["build", "--force", "--input"]).arg(input.path().join("large")).arg("--out").arg(&out);
        command.env("LD_PRELOAD", &library).env(DISK, &disk).env(FAULT, fault.order());
        let output = command.output().unwrap();
        said(&output);
        assert_sound(&out, &format!("{fault:?}"));
        if output.status.success() {
            break;
        }
        assert_eq!(output.status.signal(), Some(SIGKILL), "{fault:?}");
        kills += 1;
    }
    assert!(kills > 2, "{kills} kills");
    build(&input.path().join("large"), &out, None).unwrap();
    assert!(!has_remains(&out), "{:?}", names(&out));
}

/// Takes a payment through its plan as far as the disk lets it.
fn pay(ledger: &Ledger, payment: Payment, said: &mut Said) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for step in 0..payment.stands().len() {
        let advance = if payment.stands()[step].0 == ClaimState::Claimed {
            runtime.block_on(ledger.claim(payment.claim())).map(|claiming| match claiming {
                Claiming::Ours => Advance::Done,
                Claiming::Known(row) => panic!("{payment:?} is known: {row:?}"),
            })
        } else {
            runtime.block_on(ledger.advance(payment.key(), payment.change(step), NOW))
        };
        match advance {
            Ok(Advance::Done) => drop(said.done.insert(payment, step + 1)),
            Ok(Advance::Spent) => drop(said.spent.insert(payment)),
            Ok(Advance::NotThere) => panic!("{payment:?} is not there at {step}"),
            Err(_) => return 1,
        }
    }
    0
}

/// The child: has each call of the ledger fail in turn.
#[test]
fn ledger_child() {
    let Some(disk) = Disk::of_child() else { return };
    for round in 0..rounds() {
        let (mut calls, mut refused, mut unopened) = (0, 0, 0);
        for call in 1..=CALLS_MAX {
            let (fault, file) = (DiskFault::at(call, round), disk.0.join(format!("{round}-{call}.sqlite")));
            let mut said = Said::default();
            disk.fail(fault);
            let ledger = Ledger::open(&file, LIMITS, NOW);
            let refused_before = refused;
            if let Ok(ledger) = &ledger {
                // Two that fight over one transfer among them.
                let payments = (0..Payment::PLANS).map(|number| (0, number)).chain([(1, 5)]);
                for (worker, number) in payments {
                    refused += pay(ledger, Payment { round: call, worker, number }, &mut said);
                }
            } else {
                unopened += 1;
            }
            let opened = ledger.is_ok();
            drop(ledger);
            let (count, failed) = disk.mend();
            assert!(
                failed > 0 || (opened && refused == refused_before),
                "{fault:?}: refused without a fault"
            );
            let ledger =
                Ledger::open(&file, LIMITS, NOW).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
            check(&ledger, &said);
            let mut after = Said::default();
            assert_eq!(pay(&ledger, Payment { round: call, worker: 2, number: 1 }, &mut after), 0);
            drop(ledger);
            check_file(&file);
            fs::remove_file(&file).unwrap();
            if failed == 0 {
                calls = count;
                break;
            }
        }
        assert!(calls > 20, "{calls} calls");
        println!("\ncalls {calls}, payments cut short {refused}, ledgers not opened {unopened}");
    }
}

#[test]
fn whatever_call_of_the_ledger_fails_it_has_kept_what_it_said() {
    let (scratch, (_folder, disk)) = (tempfile::tempdir().unwrap(), folder());
    let library = library(scratch.path());
    run_child("failing_disk::ledger_child", &library, &disk, scratch.path());
}
