//! Which cores a process may run on, by `taskset`: the generator and the server should not share one.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

const TASKSET: &str = "taskset";

/// A command that runs on some cores only, if any are named.
pub(super) fn command(program: &OsStr, cores: Option<&str>) -> Command {
    match cores {
        None => Command::new(program),
        Some(cores) => {
            let mut command = Command::new(TASKSET);
            command.arg("-c").arg(cores).arg(program);
            command
        }
    }
}

/// Keeps this process, with all its threads, on some cores.
///
/// # Errors
/// When there is no taskset, or no such core.
pub(super) fn this_process(cores: &str) -> anyhow::Result<()> {
    let own = std::process::id().to_string();
    let output =
        Command::new(TASKSET).args(["-a", "-c", "-p", cores, &own]).stdin(Stdio::null()).output().context(
            "taskset is not installed (it is part of util-linux); leave out --cpus and --server-cpus",
        )?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "this process cannot be kept on cores {cores}: {}", said.trim());
    Ok(())
}
