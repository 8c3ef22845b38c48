//! What the process lives through: logs that nobody takes, signals at the wrong time, a disk quota.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::builds::said;

const PATIENCE: Duration = Duration::from_mins(1);

/// A server that is killed with its test.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn command(snapshots: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.arg("serve").args(["--listen", &address.to_string(), "--payments", "off", "--snapshots"]);
    command.arg(snapshots).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn status(address: SocketAddr, target: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

impl Server {
    /// Starts one whose standard error goes where `stderr` says, and waits until it answers.
    fn start(snapshots: &Path, stderr: Stdio) -> Self {
        let address = free_address();
        let child = command(snapshots, address).stderr(stderr).spawn().unwrap();
        let mut server = Self { child, address };
        let began = Instant::now();
        while status(address, "/v1/public/coverage") != Some(200) {
            assert!(server.child.try_wait().unwrap().is_none(), "it ended");
            assert!(began.elapsed() < PATIENCE, "it does not answer");
            sleep(Duration::from_millis(50));
        }
        server
    }

    /// Sends more requests than there is room for lines, some of which are faults.
    fn flood(&mut self) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let request = format!("HEAD /v1/public/{} HTTP/1.1\r\nhost: test\r\n\r\n", "x".repeat(400));
        for _ in 0..3_000 {
            stream.write_all(request.as_bytes()).unwrap();
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                assert_ne!(answers.read_line(&mut line).unwrap(), 0, "it closed");
            }
        }
        assert!(self.child.try_wait().unwrap().is_none(), "it ended");
        assert_eq!(status(self.address, "/v1/public/coverage"), Some(200));
    }
}

/// Builds the test catalog.
fn build(out: &Path) {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo-input");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    let output = command.args(["build", "--input"]).arg(input).arg("--out").arg(out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing() {
    let out = tempfile::tempdir().unwrap();
    build(out.path());
    if Path::new("/dev/full").exists() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        Server::start(out.path(), full.into()).flood();
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Server::start(out.path(), writer.into()).flood();
    let (unread, writer) = std::io::pipe().unwrap();
    Server::start(out.path(), writer.into()).flood();
    drop(unread);
}

#[test]
fn a_hangup_before_there_is_a_snapshot_stops_nothing() {
    let out = tempfile::tempdir().unwrap();
    build(out.path());
    for wait in [5, 20, 60, 150] {
        let address = free_address();
        let child = command(out.path(), address).stderr(Stdio::null()).spawn().unwrap();
        let mut server = Server { child, address };
        sleep(Duration::from_millis(wait));
        // Before main has begun nobody can keep the signal from ending the process.
        if server.is_prepared() {
            server.signal("-HUP");
        }
        let began = Instant::now();
        while status(address, "/v1/public/coverage") != Some(200) {
            assert!(server.child.try_wait().unwrap().is_none(), "ended by the hangup after {wait} ms");
            assert!(began.elapsed() < PATIENCE);
            sleep(Duration::from_millis(20));
        }
    }
}

impl Server {
    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Whether the process catches SIGHUP, as the system tells it.
    fn is_prepared(&self) -> bool {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
    }
}

#[test]
fn signals_without_a_meaning_end_nothing() {
    let out = tempfile::tempdir().unwrap();
    build(out.path());
    let mut server = Server::start(out.path(), Stdio::null());
    for name in ["-USR1", "-USR2", "-PIPE", "-HUP"] {
        server.signal(name);
        sleep(Duration::from_millis(50));
        assert_eq!(server.child.try_wait().unwrap(), None, "ended by {name}");
        assert_eq!(status(server.address, "/v1/public/coverage"), Some(200), "{name}");
    }
}

/// Output of a command that fails with this code and without a panic.
fn said_by(command: &mut Command, code: i32) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    said
}

#[test]
fn an_address_that_cannot_be_had_is_an_error() {
    let out = tempfile::tempdir().unwrap();
    build(out.path());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    // No interface has an address of RFC 5737.
    for address in [taken.local_addr().unwrap().to_string(), "192.0.2.1:9090".to_owned()] {
        for flag in ["--listen", "--admin"] {
            let mut command = command(out.path(), free_address());
            if flag == "--listen" {
                command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
                command.args(["serve", "--payments", "off", "--snapshots"]).arg(out.path());
            }
            let said = said_by(command.args([flag, &address, "--admin-public"]), 1);
            assert!(said.contains(&format!("cannot listen on {address}")), "{flag}: {said}");
        }
    }
}

#[test]
fn rejects_arguments_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let word = OsStr::from_bytes(b"\xff");
    let mut commands: Vec<Vec<&OsStr>> = vec![vec![word]];
    for name in ["serve", "query", "build", "job", "snapshots", "bench", "ledger", "no-such-command"] {
        commands.push(vec![OsStr::new(name), word]);
        commands.push(vec![word, OsStr::new(name)]);
    }
    for words in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_pricebook")).args(&words).output().unwrap();
        let said = said(&output);
        assert!(said.contains("Usage"), "{words:?}: {said}");
        assert!([2, 64].contains(&output.status.code().unwrap()), "{words:?}: {output:?}");
    }
}

/// A file that may not grow is an error of the one who writes it, not the end of the process.
#[test]
fn a_quota_is_an_error() {
    let out = tempfile::tempdir().unwrap();
    let script = "ulimit -f 100; exec \"$0\" build --demo --out \"$1\"";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_pricebook")])
        .arg(out.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = said(&output);
    assert!(said.contains("File too large"), "{said}");
}

#[test]
fn succeeds_when_the_reader_closes_the_pipe_early() {
    let script = "\"$0\" openapi | head -c 10 > /dev/null; exit \"${PIPESTATUS[0]}\"";
    let output = Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_pricebook")]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    said(&output);
}

/// What is named, or sold, is not invented.
#[test]
fn the_demo_is_served_only_to_who_names_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let serve = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
        command.arg("serve").args(["--listen", "127.0.0.1:0"]).args(args).current_dir(folder.path());
        command.stdin(Stdio::null()).output().unwrap()
    };
    let output = serve(&["--payments", "off", "--snapshots", "mistyped"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("mistyped does not contain a snapshot") && said.contains("pricebook build --input"),
        "{said}"
    );
    assert!(!folder.path().join("mistyped").exists());
}
