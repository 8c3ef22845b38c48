//! `pricebook doctor` against configurations that are well, and against broken ones.

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde_json::Value;

use crate::support::snapshots;

/// A key that nothing speaks against.
const SECRET: &str = "9f3c1e07ab52d86640d1f7b8c2e95a3b7716e0fd84c95b2aa30e6d41f8b7c259";

/// Whether a variable makes another clock: this process and the program look at the same.
fn is_of_the_clock(name: &str) -> bool {
    name == "LD_PRELOAD" || name.starts_with("FAKETIME")
}

/// Exit code, and what was found, a line each.
fn doctor(dir: &Path, args: &[&str]) -> (i32, Vec<String>) {
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook"))
        .arg("doctor")
        .args(args)
        .env_clear()
        .envs(std::env::vars().filter(|(name, _)| is_of_the_clock(name)))
        .env("PRICEBOOK_PAYMENT_SECRET", SECRET)
        .current_dir(dir)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap_or(-1), said.lines().map(str::to_owned).collect())
}

/// A port that nobody has.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The lines of a check with their level.
fn of<'a>(lines: &'a [String], check: &str) -> Vec<(&'a str, &'a str)> {
    let split = |line: &'a String| {
        let (level, rest) = line.split_once(' ').unwrap();
        let (name, message) = rest.trim_start().split_once(' ').unwrap();
        (name == check).then(|| (level, message.trim_start()))
    };
    lines.iter().filter_map(split).collect()
}

#[test]
fn reports_passing_checks() {
    let dir = tempfile::tempdir().unwrap();
    snapshots::publish(&dir.path().join("snapshots"), "kettle", 1_299);
    let listen = format!("localhost:{}", free_port());
    let (code, lines) = doctor(dir.path(), &["--listen", &listen]);
    assert_eq!(code, 0, "{lines:#?}");
    for check in ["configuration", "listen", "rails", "clock", "files", "memory"] {
        let found = of(&lines, check);
        assert!(!found.is_empty() && found.iter().all(|(level, _)| *level != "error"), "{check}: {lines:#?}");
    }
    // Its price is of October 2026: well or old, but open.
    assert!(of(&lines, "snapshot")[0].1.starts_with("kettle opens"), "{lines:#?}");
    assert!(of(&lines, "configuration")[0].1.contains("payments off"), "{lines:#?}");
    let json = doctor(dir.path(), &["--listen", &listen, "--json"]).1.join("\n");
    let findings: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(findings.len(), lines.len());
    assert_eq!((&findings[0]["check"], &findings[0]["level"]), (&"configuration".into(), &"ok".into()));
}

#[test]
fn a_broken_configuration_does_not_hide_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pricebook.toml");
    let text =
        "listen = \"localhost:1\"\nsnapshots = \"none\"\n[payment]\nmode = \"live\"\noffer_ttl_s = 0\n";
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let (code, lines) = doctor(dir.path(), &["--config", "pricebook.toml"]);
    assert_eq!(code, 1);
    let found = of(&lines, "configuration");
    assert_eq!(found[0].0, "warning", "everybody can write it: {lines:#?}");
    for key in ["payment.offer_ttl_s", "payment.rail", "payment.public_base_url"] {
        assert!(
            found.iter().any(|(level, said)| *level == "error" && said.starts_with(key)),
            "{key}: {lines:#?}"
        );
    }
    assert_eq!(of(&lines, "snapshot")[0].0, "error", "{lines:#?}");
    assert!(of(&lines, "snapshot")[0].1.contains("pricebook build --input DIR --out none"), "{lines:#?}");
    assert!(!dir.path().join("none").exists() && !of(&lines, "listen").is_empty());

    fs::write(&file, "listen = \"localhost\"").unwrap();
    let (code, lines) = doctor(dir.path(), &["--config", "pricebook.toml"]);
    assert!(code == 1 && of(&lines, "configuration")[1].1.contains("localhost:8080"), "{lines:#?}");
    let (code, lines) = doctor(dir.path(), &["--listen", "0.0.0.0:0"]);
    assert!(code == 1 && of(&lines, "configuration")[0].1.contains("--payments off"), "{lines:#?}");
}

#[test]
fn a_snapshot_that_does_not_open_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("snapshots");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("CURRENT"), "gone\n").unwrap();
    let listen = format!("127.0.0.1:{}", free_port());
    let (code, lines) = doctor(dir.path(), &["--listen", &listen]);
    assert_eq!(code, 1);
    let (level, said) = of(&lines, "snapshot")[0];
    assert!(level == "error" && said.contains("gone") && said.contains("rollback"), "{lines:#?}");
}

#[test]
fn names_the_process_holding_a_port() {
    let dir = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, lines) = doctor(dir.path(), &["--listen", &address, "--admin", &address]);
    assert_eq!(code, 1);
    for check in ["listen", "admin"] {
        let (level, said) = of(&lines, check)[0];
        assert!(level == "error" && said.contains(&format!("--{check}")), "{lines:#?}");
        assert!(said.contains(&format!("(process {})", std::process::id())), "{lines:#?}");
    }
}

/// A facilitator and a node of Base in one, whose clock is off by so many seconds. It answers as long as the test runs.
fn facilitator_and_node(off: i64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer_all(stream, off));
        }
    });
    url
}

fn answer_all(mut stream: TcpStream, off: i64) {
    let mut asked = String::new();
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut part) {
        asked.push_str(&String::from_utf8_lossy(&part[..length]));
        let Some((head, body)) = asked.split_once("\r\n\r\n") else { continue };
        let lower = head.to_lowercase();
        let expected = lower
            .split("content-length: ")
            .nth(1)
            .map_or(0, |rest| rest.lines().next().unwrap().parse::<usize>().unwrap());
        if body.len() < expected {
            continue;
        }
        let answer = if head.contains("/supported") {
            r#"{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}"#.to_owned()
        } else {
            let result = if body.contains("eth_chainId") { "0x2105" } else { "0x10" };
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{result}"}}"#)
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
        let date =
            Timestamp::from_second(now + off).unwrap().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ndate: {date}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        if stream.write_all((head + &answer).as_bytes()).is_err() {
            return;
        }
        asked.clear();
    }
}

#[test]
fn rails_ledger_and_clock_of_a_live_server() {
    let dir = tempfile::tempdir().unwrap();
    snapshots::publish(&dir.path().join("snapshots"), "kettle", 1_299);
    let url = facilitator_and_node(-100);
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let base = format!(
        "listen = \"127.0.0.1:{}\"\n[payment]\nmode = \"live\"\npublic_base_url = \"https://api.example.net\"\n\
         [payment.rail.base]\nnetwork = \"eip155:8453\"\nasset = \"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913\"\n\
         pay_to = \"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\"\nfacilitator_url = \"{url}\"\nrpc_url = \"{url}\"\n",
        free_port()
    );
    let tempo = format!(
        "[payment.rail.tempo]\nchain_id = 4217\nasset = \"0x20C000000000000000000000b9537d11c60E8b50\"\n\
         pay_to = \"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\"\nrpc_url = \"{nobody}\"\n"
    );
    fs::write(dir.path().join("a.toml"), &base).unwrap();
    fs::write(dir.path().join("b.toml"), base + &tempo).unwrap();
    let (code, lines) = doctor(dir.path(), &["--config", "a.toml"]);
    assert_eq!(of(&lines, "rails")[0].0, "ok", "{lines:#?}");
    assert!(of(&lines, "ledger")[0].1.starts_with("there is no ledger yet"), "{lines:#?}");
    let (level, said) = of(&lines, "clock")[0];
    assert!(
        code == 1 && level == "error" && said.contains("s ahead") && said.contains("set the clock"),
        "{lines:#?}"
    );
    assert!(!dir.path().join("ledger.sqlite").exists(), "nothing is made");

    fs::write(dir.path().join("ledger.sqlite"), "no ledger").unwrap();
    fs::set_permissions(dir.path().join("ledger.sqlite"), Permissions::from_mode(0o644)).unwrap();
    let (code, lines) = doctor(dir.path(), &["--config", "b.toml"]);
    assert_eq!(code, 1);
    let rails = of(&lines, "rails");
    assert_eq!((rails.len(), rails[0].0, rails[1].0), (2, "ok", "error"), "{lines:#?}");
    assert!(
        rails[1].1.starts_with("tempo cannot be paid: node: ") && rails[1].1.contains(&nobody),
        "{lines:#?}"
    );
    let ledger = of(&lines, "ledger");
    assert_eq!((ledger[0].0, ledger[1].0), ("warning", "error"), "{lines:#?}");
    assert!(ledger[0].1.contains("chmod 600"), "{lines:#?}");

    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ledger/v4.sqlite");
    let path = dir.path().join("ledger.sqlite");
    fs::write(&path, fs::read(golden).unwrap()).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let hand = rusqlite::Connection::open(&path).unwrap();
    hand.execute_batch("UPDATE claims SET amount = 1; UPDATE channel SET charged = 1").unwrap();
    drop(hand);
    let (_, lines) = doctor(dir.path(), &["--config", "a.toml"]);
    let (level, said) = of(&lines, "ledger")[0];
    assert!(level == "error" && said.contains("has 11 rows that do not match their checksums"), "{lines:#?}");
}
