//! Commands on one directory of snapshots at once: `CURRENT` always names a complete snapshot, what is activated with
//! `--force` is accepted, and a lock that another process holds ends a command with exit code 75.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use pricebook::catalog::Catalog;
use pricebook::index::run::REPORTS;
use pricebook::server::preflight;
use pricebook::snapshot::pointer_lock::{POINTER_LOCK, POINTER_LOCK_WAIT_MAX, PointerLock};
use pricebook::snapshot::publish::{ACCEPT, CURRENT, PREVIOUS, Staging, accepted, current, previous};
use pricebook::snapshot::{manifest, retention};
use pricebook::stats::rng::Rng;
use tempfile::TempDir;

use crate::support::crafted::write_input;
use crate::support::snapshots::publish;

/// Rounds of the model test.
const ROUNDS: usize = 200;
/// Commands that run at once in a round.
const COMMANDS: usize = 4;
/// Rounds of each reproduction.
const REPRODUCTIONS: u32 = 40;
/// Snapshots that the tests take from.
const IDS: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];
/// Exit code of a command that may succeed when it is tried again.
const TRY_AGAIN: i32 = 75;

/// Snapshots that lie apart, to be published again after they were removed.
fn sources() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (id, price) in IDS.into_iter().zip(1..) {
        publish(dir.path(), id, price);
    }
    dir
}

/// Publishes a snapshot again, as a build does that makes the same one, and puts it in use.
fn build(sources: &Path, out: &Path, id: &str, is_meant: bool) -> anyhow::Result<String> {
    let staging = Staging::begin(out)?;
    let manifest = manifest::read(&sources.join(id)).unwrap();
    for entry in &manifest.files {
        let file = staging.dir().join(&entry.name);
        fs::create_dir_all(file.parent().unwrap())?;
        fs::copy(sources.join(id).join(&entry.name), file)?;
    }
    let published = staging.publish(&manifest)?;
    activate(published.snapshots(), id, is_meant)
}

/// The id of the snapshot that is in use then.
fn activate(out: &Path, id: &str, is_meant: bool) -> anyhow::Result<String> {
    preflight::activate(&[], out, id, is_meant).map(|catalog| catalog.id().to_owned())
}

/// `CURRENT` names a complete snapshot, and so does `PREVIOUS` where it is there; the current one.
fn assert_whole(out: &Path, when: &str) -> String {
    let open = |id: String| {
        let opened = Catalog::open(&out.join(&id));
        assert!(opened.is_ok(), "{when}: {id}: {:?}", opened.err());
        id
    };
    previous(out).unwrap().map(open);
    open(current(out).unwrap().expect("a current snapshot"))
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Build { id: &'static str, is_meant: bool },
    Activate { id: &'static str, is_meant: bool },
    RollBack,
    Prune { keep: usize },
}

/// Effect of a command that succeeded.
#[derive(Debug)]
enum Effect {
    InUse { id: String, is_accepted: bool },
    Removed(Vec<String>),
}

impl Work {
    fn random(rng: &mut Rng) -> Self {
        let id = IDS[rng.below(IDS.len())];
        let is_meant = rng.chance(50);
        match rng.below(10) {
            0..=2 => Self::Build { id, is_meant },
            3..=5 => Self::Activate { id, is_meant },
            6..=7 => Self::RollBack,
            _ => Self::Prune { keep: rng.below(3) },
        }
    }

    fn run(self, sources: &Path, out: &Path) -> anyhow::Result<Effect> {
        let in_use = |id, is_accepted| Effect::InUse { id, is_accepted };
        match self {
            Self::Build { id, is_meant } => Ok(in_use(build(sources, out, id, is_meant)?, is_meant)),
            Self::Activate { id, is_meant } => Ok(in_use(activate(out, id, is_meant)?, is_meant)),
            Self::RollBack => Ok(in_use(preflight::roll_back(&[], out)?.id().to_owned(), true)),
            Self::Prune { keep } => Ok(Effect::Removed(retention::prune(out, keep, REPORTS)?.removed)),
        }
    }

    /// Whether a command may fail so beside others.
    fn may_say(self, fault: &str) -> bool {
        let is_writer = matches!(self, Self::Build { .. } | Self::Prune { .. });
        let is_gone = fault.contains("cannot be opened") || fault.contains("was removed or changed");
        is_writer && fault.contains("another build is writing to")
            || matches!(self, Self::Activate { .. } | Self::RollBack) && is_gone
            || matches!(self, Self::RollBack) && fault.contains("PREVIOUS does not exist")
    }
}

/// Runs commands at once and returns the effects of those that succeeded.
fn at_once(works: &[(Work, Duration)], sources: &Path, out: &Path, when: &str) -> Vec<(Work, Effect)> {
    let barrier = Barrier::new(works.len());
    std::thread::scope(|scope| {
        let run = |&(work, delay): &(Work, Duration)| {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                std::thread::sleep(delay);
                (work, work.run(sources, out))
            })
        };
        let running: Vec<_> = works.iter().map(run).collect();
        let done = running.into_iter().map(|thread| thread.join().unwrap());
        done.filter_map(|(work, result)| match result {
            Ok(effect) => Some((work, effect)),
            Err(fault) => {
                assert!(work.may_say(&format!("{fault:#}")), "{when}: {work:?}: {fault:#}");
                None
            }
        })
        .collect()
    })
}

#[test]
fn commands_at_once_leave_a_complete_current_snapshot_and_accept_what_is_meant() {
    let (sources, out) = (sources(), tempfile::tempdir().unwrap());
    let (sources, out, mut rng) = (sources.path(), out.path(), Rng::new(57));
    build(sources, out, IDS[0], false).unwrap();
    let (mut meant, mut done) = (BTreeSet::new(), [0; 4]);
    for round in 0..ROUNDS {
        let works: Vec<_> = (0..COMMANDS)
            .map(|_| (Work::random(&mut rng), Duration::from_micros(rng.below(3_000) as u64)))
            .collect();
        let (when, before) = (format!("round {round}: {works:?}"), current(out).unwrap());
        let effects = at_once(&works, sources, out, &when);
        let now = assert_whole(out, &when);
        let mut in_use = effects.iter().filter_map(|(_, effect)| match effect {
            Effect::InUse { id, .. } => Some(id),
            Effect::Removed(_) => None,
        });
        match in_use.clone().next() {
            Some(_) => assert!(in_use.any(|id| *id == now), "{when}: {now} is current after {effects:?}"),
            None => assert_eq!(Some(now), before, "{when}"),
        }
        for (work, effect) in &effects {
            done[match work {
                Work::Build { .. } => 0,
                Work::Activate { .. } => 1,
                Work::RollBack => 2,
                Work::Prune { .. } => 3,
            }] += 1;
            if let Effect::InUse { id, is_accepted: true } = effect {
                meant.insert(id.clone());
            }
        }
        for (_, effect) in effects {
            // A snapshot that was removed and built again is another one.
            if let Effect::Removed(ids) = effect {
                meant.retain(|id| !ids.contains(id));
            }
        }
        let accepted: BTreeSet<String> = accepted(out).unwrap().into_iter().collect();
        assert!(accepted.is_superset(&meant), "{when}: {meant:?} and not only {accepted:?}");
    }
    assert!(
        done.iter().all(|&count| count >= ROUNDS / 8),
        "builds, activations, rollbacks, prunes: {done:?}"
    );
}

#[test]
fn prune_beside_activate_leaves_a_complete_current_snapshot() {
    let (sources, out) = (sources(), tempfile::tempdir().unwrap());
    let (sources, out) = (sources.path(), out.path());
    for id in ["s0", "s1"] {
        build(sources, out, id, false).unwrap();
    }
    let began = Instant::now();
    build(sources, out, "s2", true).unwrap();
    let longest = began.elapsed();
    for round in 0..REPRODUCTIONS {
        fs::write(out.join(CURRENT), "s0\n").unwrap();
        fs::write(out.join(PREVIOUS), "s1\n").unwrap();
        for id in ["s1", "s2"].into_iter().filter(|id| !out.join(id).exists()) {
            copy(&sources.join(id), &out.join(id));
        }
        let when = format!("round {round}");
        let works = [
            (Work::Activate { id: "s2", is_meant: true }, Duration::ZERO),
            (Work::Prune { keep: 1 }, longest * round / REPRODUCTIONS),
        ];
        let effects = at_once(&works, sources, out, &when);
        let is_activated = effects.iter().any(|(_, effect)| matches!(effect, Effect::InUse { .. }));
        assert_eq!(assert_whole(out, &when), if is_activated { "s2" } else { "s0" }, "{when}");
    }
}

fn copy(from: &Path, to: &Path) {
    for file in manifest::list(from, "") {
        fs::create_dir_all(to.join(&file).parent().unwrap()).unwrap();
        fs::copy(from.join(&file), to.join(&file)).unwrap();
    }
}

#[test]
fn three_activations_at_once_are_all_accepted() {
    let (sources, out) = (sources(), tempfile::tempdir().unwrap());
    let (sources, out) = (sources.path(), out.path());
    for id in IDS {
        build(sources, out, id, false).unwrap();
    }
    for round in 0..REPRODUCTIONS {
        fs::remove_file(out.join(ACCEPT)).unwrap_or_default();
        let when = format!("round {round}");
        let works = ["s0", "s1", "s2"].map(|id| (Work::Activate { id, is_meant: true }, Duration::ZERO));
        assert_eq!(at_once(&works, sources, out, &when).len(), works.len(), "{when}: all succeed");
        let mut ids = accepted(out).unwrap();
        ids.sort();
        assert_eq!(ids, ["s0", "s1", "s2"], "{when}");
        assert_whole(out, &when);
    }
}

fn pricebook(args: &[&str], option: &str, dir: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args(args).arg(option).arg(dir).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn command_that_waits_too_long_for_a_lock_ends_with_75_and_names_its_holder() {
    let dirs: [PathBuf; 2] = ["a", "b"].map(PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = dirs.map(|dir| folder.path().join(dir));
    for out in [&one, &other] {
        for id in IDS {
            publish(out, id, 1);
        }
    }
    let input = folder.path().join("input");
    write_input(&input);
    // One holder says who it is, the other one is known to the system only.
    let recorded = PointerLock::take(&one).unwrap();
    let unrecorded = File::options().write(true).open(other.join(POINTER_LOCK)).unwrap();
    unrecorded.lock().unwrap();
    let began = Instant::now();
    let waiting = [
        pricebook(&["snapshots", "activate"], "--snapshots", &one, &["s0"]),
        pricebook(&["snapshots", "prune", "--keep", "1"], "--snapshots", &one, &[]),
        pricebook(&["snapshots", "rollback"], "--snapshots", &other, &[]),
        pricebook(
            &["build", "--input", input.to_str().unwrap()],
            "--out",
            &other,
            &["--id", "new", "--force", "--linking", "off", "--no-runs"],
        ),
    ];
    let holder = format!("is locked by pid {} (", std::process::id());
    for (child, since) in waiting.into_iter().zip([") since 20", ") since 20", "since 20", "since 20"]) {
        let output = child.wait_with_output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(TRY_AGAIN), "{said}");
        for part in [POINTER_LOCK, &holder, since, "within 10 s"] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
    }
    assert!(began.elapsed() >= POINTER_LOCK_WAIT_MAX);
    for out in [&one, &other] {
        assert_eq!(current(out).unwrap().as_deref(), Some("s4"), "nothing was changed");
        assert!(IDS.iter().all(|id| out.join(id).exists()), "nothing was removed");
    }
    assert!(other.join("new").exists(), "the build is published");
    drop((recorded, unrecorded));
    let output =
        pricebook(&["snapshots", "activate"], "--snapshots", &one, &["s0"]).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}
