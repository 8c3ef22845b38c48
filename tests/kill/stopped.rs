//! A running server's ledger: taken away and given back under it, and whole in its file alone after SIGTERM.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pricebook::payment::ledger::audit::audit;

use crate::crafted::build_small;

/// Longest wait for a server to say something else.
const PATIENCE: Duration = Duration::from_mins(1);
/// Between two questions.
const PAUSE: Duration = Duration::from_millis(50);
/// Nobody settles here: the rail stays closed, and its ledger is open all the same.
const CONFIG: &str = r#"
[payment]
mode = "live"
public_base_url = "http://127.0.0.1:8080"
[payment.rail.tempo]
chain_id = 4217
asset = "0x20C000000000000000000000b9537d11c60E8b50"
pay_to = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
rpc_url = "http://127.0.0.1:1"
"#;

struct Server {
    child: Child,
    clients: SocketAddr,
    operator: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(folder: &Path) -> Self {
        // Ports are given back before the server takes them.
        let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let (clients, operator) = (free(), free());
        fs::write(folder.join("pricebook.toml"), CONFIG).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_pricebook"))
            .current_dir(folder)
            .args(["serve", "--config", "pricebook.toml", "--listen", &clients.to_string()])
            .args(["--admin", &operator.to_string()])
            .env("PRICEBOOK_PAYMENT_SECRET", "c47d1f9ab3025e86d90f7c1e4ba86325")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, clients, operator }
    }
}

/// Waits until an answer has this status and this word.
fn says(address: SocketAddr, path: &str, status: u16, word: &str) {
    let began = Instant::now();
    loop {
        let answer = ask(address, path);
        if answer.as_ref().is_some_and(|(is, body)| *is == status && body.contains(word)) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "not {status} {word:?} but {answer:?}");
        thread::sleep(PAUSE);
    }
}

/// Status and body of an answer; `None` while there is none.
fn ask(address: SocketAddr, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    Some((status, answer.split_once("\r\n\r\n")?.1.to_owned()))
}

#[test]
fn a_stopped_servers_ledger_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, aside) = (folder.path().join("ledger.sqlite"), folder.path().join("aside"));
    build_small(&folder.path().join("snapshots"));
    let mut server = Server::start(folder.path());
    // Clients are answered once the ledger is open; the only rail is down.
    says(server.clients, "/v1/public/coverage", 200, "");
    says(server.operator, "/readyz", 503, "no rail is up");
    fs::rename(&ledger, &aside).unwrap();
    says(server.operator, "/readyz", 503, "ledger.sqlite was removed or renamed");
    fs::rename(&aside, &ledger).unwrap();
    says(server.operator, "/readyz", 503, "no rail is up");
    let stop = Command::new("kill").args(["-TERM", &server.child.id().to_string()]).status().unwrap();
    assert!(stop.success());
    assert!(server.child.wait().unwrap().success());
    // Whatever lies beside it, the file alone is all of it.
    let alone = folder.path().join("alone.sqlite");
    fs::copy(&ledger, &alone).unwrap();
    let found = audit(&alone).unwrap();
    assert_eq!((found.version, found.faults), (4, vec![]));
    let log = fs::metadata(folder.path().join("ledger.sqlite-wal")).map_or(0, |log| log.len());
    assert_eq!(log, 0);
}
