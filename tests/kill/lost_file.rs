//! A server whose files are cut short under it ends with a sentence, or takes the snapshot out of service first.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use pricebook::snapshot::mapped::EXIT_LOST_FILE;
use pricebook::snapshot::publish::set_current;

use crate::crafted::{build_small, copy};

/// Longest wait for the server's next word.
const PATIENCE: Duration = Duration::from_mins(1);

/// The status of a request; `None` when there is nobody to answer.
fn status(address: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request =
        "GET /v1/shopper/best-price?q=bottle+0+of+alpha HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).split(' ').nth(1)?.parse().ok()
}

#[test]
fn a_file_that_is_cut_short_ends_the_server_with_a_sentence() {
    let out = tempfile::tempdir().unwrap();
    let sealed = build_small(out.path());
    let id = sealed.file_name().unwrap().to_str().unwrap().to_owned();
    // The same snapshot, as somebody leaves it who copies files about.
    let other = out.path().join("elsewhere");
    fs::create_dir(&other).unwrap();
    let copied = copy(&sealed, "writable");
    fs::rename(&copied, other.join(&id)).unwrap();
    set_current(&other, &id).unwrap();
    let mut serve = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    serve.args(["--log-format", "json", "serve", "--listen", "127.0.0.1:0", "--snapshots"]).arg(&other);
    let mut child = serve.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    let address = loop {
        let from = said.len();
        assert!(log.read_line(&mut said).unwrap() > 0, "no address in {said}");
        let line: serde_json::Value = serde_json::from_str(&said[from..]).unwrap();
        let fields = line.get("fields").unwrap_or(&line);
        if let Some(address) = fields["address"].as_str() {
            break address.to_owned();
        }
    };
    assert_eq!(status(&address), Some(200));
    for file in fs::read_dir(other.join(&id)).unwrap() {
        File::options().write(true).open(file.unwrap().path()).unwrap().set_len(0).unwrap();
    }
    match status(&address) {
        // The guard was there first.
        Some(status) => {
            assert_eq!(status, 503);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        None => assert_eq!(child.wait().unwrap().code(), Some(EXIT_LOST_FILE)),
    }
    log.read_to_string(&mut said).unwrap();
    assert!(said.contains("was truncated or cannot be read") || said.contains("out of service"), "{said}");
}
