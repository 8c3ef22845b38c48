//! The measured servers: child processes of the same program, on free ports. `taskset` pins processes to cores, so
//! that the generator and the server do not share cores.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

use anyhow::{Context as _, bail, ensure};

use super::probe::{self, Job};
use crate::endpoints::COVERAGE;
use crate::snapshot::publish::CURRENT;

/// Maximum time until the first answer of a server. A server verifies its snapshot before it answers.
const START_MAX: Duration = Duration::from_mins(5);
/// Pause between two attempts to reach a server.
const RETRY: Duration = Duration::from_millis(20);

/// A running server. Dropping it ends the server.
pub(super) struct Server {
    child: Child,
    pub(super) address: SocketAddr,
    folder: Option<PathBuf>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Starts a server of a snapshot, with payments off and without a rate limit. `log` is its log filter.
///
/// # Errors
/// Returns an error if the server does not start. Its messages go to standard error.
pub(super) fn serve(snapshot: &Path, cores: Option<&str>, log: &str) -> anyhow::Result<Server> {
    let folder = folder_of(snapshot).context("the folder for the server's snapshot cannot be created")?;
    let mut command = program(cores)?;
    command.args(["serve", "--payments", "off", "--snapshots"]).arg(&folder);
    start_serving(command, folder, log)
}

/// Starts a server with payments, from a configuration file in `folder`. The folder is removed with the server.
///
/// # Errors
/// Returns an error if the server does not start.
pub(super) fn serve_paid(
    config: &Path,
    folder: PathBuf,
    cores: Option<&str>,
    log: &str,
    environment: &[(&str, String)],
) -> anyhow::Result<Server> {
    let mut command = program(cores)?;
    command.args(["serve", "--config"]).arg(config).envs(environment.iter().cloned());
    start_serving(command, folder, log)
}

/// Starts a server without the settings in the environment of this process.
fn start_serving(mut command: Command, folder: PathBuf, log: &str) -> anyhow::Result<Server> {
    for name in ["CONFIG", "ADMIN", "RATE_LOOPBACK", "PAYMENTS", "SNAPSHOTS"] {
        command.env_remove(format!("PRICEBOOK_{name}"));
    }
    command.args(["--rate", "0"]).env("PRICEBOOK_LOG", log);
    start(command, Some(folder))
}

/// Starts the floor, the reference server that answers every request with a body of `bytes` bytes.
///
/// # Errors
/// Returns an error if the floor does not start.
pub(super) fn floor(bytes: usize, cores: Option<&str>) -> anyhow::Result<Server> {
    let mut command = program(cores)?;
    command.args(["floor", "--bytes", &bytes.to_string()]);
    start(command, None)
}

fn program(cores: Option<&str>) -> anyhow::Result<Command> {
    let own = std::env::current_exe().context("the path of this program is not known")?;
    Ok(command(own.as_os_str(), cores))
}

/// Creates a snapshots directory that contains only this snapshot, so that the server does not switch to another
/// snapshot during the measurement.
pub(super) fn folder_of(snapshot: &Path) -> io::Result<PathBuf> {
    let snapshot = snapshot.canonicalize()?;
    let id = snapshot.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = std::env::temp_dir().join(format!("pricebook-bench-{}", std::process::id()));
    // An earlier process with the same id may have left the folder.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    std::os::unix::fs::symlink(&snapshot, folder.join(id))?;
    fs::write(folder.join(CURRENT), id.as_encoded_bytes())?;
    Ok(folder)
}

fn start(mut command: Command, folder: Option<PathBuf>) -> anyhow::Result<Server> {
    // The port is released before the server binds it. Another process could take it in between, which is unlikely.
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    command.args(["--listen", &address.to_string()]).stdin(Stdio::null()).stdout(Stdio::null());
    let child = command.spawn().context("the server cannot be started; is taskset installed?")?;
    let mut server = Server { child, address, folder };
    let began = Instant::now();
    let first = Job::get(0, &COVERAGE.request("limit=1"), address);
    while probe::answers(address, std::slice::from_ref(&first)).is_err() {
        if let Some(status) = server.child.try_wait()? {
            bail!("the server ended with {status} before its first answer; its messages are above");
        }
        if began.elapsed() > START_MAX {
            bail!("the server did not answer within {} s", START_MAX.as_secs());
        }
        std::thread::sleep(RETRY);
    }
    Ok(server)
}

const TASKSET: &str = "taskset";

/// A command that runs only on the given cores; on all cores if `cores` is `None`.
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

/// Pins this process, with all its threads, to cores.
///
/// # Errors
/// Returns an error if taskset is not installed or a core does not exist.
pub(super) fn this_process(cores: &str) -> anyhow::Result<()> {
    let own = std::process::id().to_string();
    let output =
        Command::new(TASKSET).args(["-a", "-c", "-p", cores, &own]).stdin(Stdio::null()).output().context(
            "taskset is not installed (it is part of util-linux); leave out --cpus and --server-cpus",
        )?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "this process cannot be pinned to cores {cores}: {}", said.trim());
    Ok(())
}
