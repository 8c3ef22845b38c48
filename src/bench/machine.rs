//! The machine and the program of a measurement.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::types::Instant;

const UNKNOWN: &str = "unknown";
/// Option of `git rev-parse` that shortens the commit hash to 12 digits.
const COMMIT_DIGITS: &str = "--short=12";

/// The machine on which a measurement ran.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Operating system and kernel.
    pub system: String,
}

impl Machine {
    /// This machine.
    pub(super) fn here() -> Self {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_else(|_| UNKNOWN.into());
        Self {
            cpu: model(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {} {}", std::env::consts::OS, std::env::consts::ARCH, release.trim()),
        }
    }
}

/// Model of the processor, from the text of `/proc/cpuinfo`.
fn model(cpuinfo: &str) -> String {
    let name =
        |line: &str| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim().to_owned());
    cpuinfo.lines().find_map(name).unwrap_or_else(|| UNKNOWN.into())
}

/// Commit of this program: `PRICEBOOK_COMMIT` at build time, otherwise the current commit of its source directory,
/// with a note if files have uncommitted changes.
pub(super) fn commit() -> String {
    if let Some(commit) = option_env!("PRICEBOOK_COMMIT") {
        return commit.to_owned();
    }
    let sources = env!("CARGO_MANIFEST_DIR");
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("-C").arg(sources).args(args).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", COMMIT_DIGITS, "HEAD"]) else { return UNKNOWN.into() };
    let changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|list| !list.is_empty());
    if changed { format!("{commit} with changes") } else { commit }
}

/// Compilation profile of this program.
pub(super) const fn profile() -> &'static str {
    if cfg!(debug_assertions) { "debug" } else { "release" }
}

/// The current time of the wall clock.
pub(super) fn now() -> Instant {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::from_micros(age.as_micros() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read() {
        assert_eq!(
            model("processor\t: 0\nmodel name\t: AMD EPYC 9B45\nmodel name\t: other\n"),
            "AMD EPYC 9B45"
        );
        assert_eq!(model(""), UNKNOWN);
    }
}
