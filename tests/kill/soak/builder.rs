//! The snapshots, and a builder that seldom gets to its end.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pricebook::catalog::Catalog;
use pricebook::snapshot::publish::{accept, current};
use pricebook::stats::rng::Rng;

use super::{EndAll, Soak, add, fixture_input};
use crate::failing_disk;

/// Inputs of the snapshots that are served: all of the test catalog, and a part of it.
const SERVED: [&[&str]; 2] =
    [&["bc_liquor", "gpc", "hammer", "hammer_gtin", "pcparts"], &["hammer_gtin", "pcparts"]];
/// Input of the one that is built meanwhile.
const BUILT: &[&str] = &["pcparts", "gpc"];
/// Calls to the disk of which one fails.
const CALLS: usize = 120;
/// Every so many builds ends by itself.
const WHOLE_EVERY: u64 = 5;
/// Every so many has a disk that fails.
const FAILING_EVERY: u64 = 3;
const PAUSE: Duration = Duration::from_millis(300);

pub(super) struct Builder {
    /// Standard error of every build.
    log: PathBuf,
    snapshots: PathBuf,
    reference: PathBuf,
    library: PathBuf,
    served: Vec<String>,
    built: String,
    /// How long a whole build takes.
    whole: Duration,
}

fn command(inputs: &[&str], out: &Path, log: &Path) -> Command {
    let log = File::options().create(true).append(true).open(log).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args(["build", "--force", "--out"]).arg(out).arg("--input");
    command.args(inputs.iter().map(|name| fixture_input(name)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command
}

fn build(inputs: &[&str], out: &Path, log: &Path) -> String {
    assert!(command(inputs, out, log).status().unwrap().success());
    current(out).unwrap().unwrap()
}

/// Takes a snapshot away, sealed as it is.
fn remove(dir: &Path) {
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o755));
    let _ = fs::remove_dir_all(dir);
}

impl Builder {
    /// Builds what is served, and beside it what will be built.
    pub(super) fn prepare(root: &Path) -> Self {
        let [snapshots, reference, log] =
            ["snapshots", "reference", "builds.log"].map(|name| root.join(name));
        let served: Vec<String> = SERVED.iter().map(|inputs| build(inputs, &snapshots, &log)).collect();
        let began = Instant::now();
        let built = build(BUILT, &reference, &log);
        let whole = began.elapsed();
        for id in served.iter().chain([&built]) {
            fs::create_dir_all(snapshots.join(id)).unwrap();
            accept(&snapshots, id).unwrap();
        }
        remove(&snapshots.join(&built));
        let library = failing_disk::library(root);
        Self { log, snapshots, reference, library, served, built, whole }
    }

    /// Ids of the snapshots that are always there.
    pub(super) fn served(&self) -> &[String] {
        &self.served
    }

    /// Every snapshot that may be served.
    pub(super) fn catalogs(&self) -> Vec<Arc<Catalog>> {
        let served = self.served.iter().map(|id| self.snapshots.join(id));
        let all = served.chain([self.reference.join(&self.built)]);
        all.map(|path| Arc::new(Catalog::open(&path).unwrap())).collect()
    }

    /// Builds again and again.
    pub(super) fn keep_building(&self, soak: &Soak, seed: u64) {
        let _end = EndAll(soak);
        let mut rng = Rng::new(seed ^ 0xb11d);
        for round in 1.. {
            if !soak.goes_on() {
                break;
            }
            if current(&self.snapshots).is_ok_and(|id| id.is_some_and(|id| id != self.built)) {
                remove(&self.snapshots.join(&self.built));
            }
            let mut command = command(BUILT, &self.snapshots, &self.log);
            let is_failing = round % FAILING_EVERY == 0;
            if is_failing {
                let fault = format!("{}:{}:{}", 1 + rng.below(CALLS), libc::EIO, 1 + rng.below(3));
                command.env("LD_PRELOAD", &self.library).env(failing_disk::DISK, &self.snapshots);
                command.env(failing_disk::FAULT, fault);
                add(&soak.counts.builds_on_failing_disk);
            }
            let mut child = command.spawn().unwrap();
            if !is_failing && round % WHOLE_EVERY != 0 {
                sleep(self.whole * (5 + rng.below(110) as u32) / 100);
                let _ = child.kill();
            }
            if child.wait().unwrap().success() {
                add(&soak.counts.builds_done);
            } else if !is_failing {
                add(&soak.counts.builds_killed);
            }
            soak.rest(PAUSE);
        }
    }

    /// The last build is left alone and succeeds.
    pub(super) fn finish(&self, snapshots: &Path) {
        assert_eq!(build(BUILT, snapshots, &self.log), self.built);
    }

    /// Number of panics in the log of builds.
    pub(super) fn panics(&self) -> usize {
        fs::read_to_string(&self.log).unwrap().matches("panicked").count()
    }
}
