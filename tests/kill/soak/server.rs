//! The server process: started, killed, and started again at the same address.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Counts, add};

/// Longest wait for a server to answer.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Server {
    snapshots: PathBuf,
    log: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
    starts: usize,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Server {
    pub(super) fn new(snapshots: &Path, root: &Path) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        Self { snapshots: snapshots.to_owned(), log: root.join("log"), address, child: None, starts: 0 }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts it and waits until it answers. Two of three have a log that nobody can write to.
    pub(super) fn start(&mut self, counts: &Counts) {
        let stderr: Stdio = match self.starts % 3 {
            1 if Path::new("/dev/full").exists() => {
                add(&counts.starts_without_log);
                OpenOptions::new().write(true).open("/dev/full").unwrap().into()
            }
            2 => {
                add(&counts.starts_without_log);
                // Nobody reads it.
                std::io::pipe().unwrap().1.into()
            }
            _ => File::options().create(true).append(true).open(&self.log).unwrap().into(),
        };
        self.starts += 1;
        let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
        command.args(["serve", "--payments", "off", "--rate", "0", "--listen", &self.address.to_string()]);
        command.arg("--snapshots").arg(&self.snapshots).stdin(Stdio::null()).stdout(Stdio::null());
        self.child = Some(command.stderr(stderr).spawn().unwrap());
        let began = Instant::now();
        while !self.answers() {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(
                ended.is_none(),
                "it does not start: {}",
                fs::read_to_string(&self.log).unwrap_or_default()
            );
            assert!(began.elapsed() < PATIENCE, "it does not answer");
            sleep(Duration::from_millis(20));
        }
    }

    fn answers(&self) -> bool {
        let asked = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(self.address)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream
                .write_all(b"GET /v1/public/coverage HTTP/1.1\r\nhost: soak\r\nconnection: close\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).map(|_| answer)
        };
        asked().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 "))
    }

    /// SIGKILL.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// SIGHUP.
    pub(super) fn hang_up(&self) {
        if let Some(child) = &self.child {
            let sent = Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
            assert!(sent.success(), "the server has ended by itself");
        }
    }

    /// Most memory that it has had, in megabytes.
    pub(super) fn peak_memory_mb(&self) -> u64 {
        let status = self.child.as_ref().map(|child| format!("/proc/{}/status", child.id()));
        let text = status.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1024
    }

    /// Ends it; panics in what it could log.
    pub(super) fn stop_and_count_panics(&mut self) -> usize {
        self.kill();
        fs::read_to_string(&self.log).unwrap_or_default().matches("panicked").count()
    }
}
