//! Files that change under a running server: nothing is answered from them any more, the operator is told, and a sound
//! snapshot puts an end to it. A process whose mapped pages are gone ends with a sentence.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use pricebook::catalog::{Catalog, LISTINGS_PCT_MIN, PRICED_PCT_MIN, SERVING_PCT_MIN};
use pricebook::server::accept_loop::ConnectionLimits;
use pricebook::server::swap::{Outcome, SWAP_POLL, Swapper};
use pricebook::server::telemetry::Gauges;
use pricebook::server::{IntegrityMonitor, LOOK, READ_BYTES_PER_SECOND, ServerOptions};
use pricebook::snapshot::layout::SPELLS;
use pricebook::snapshot::manifest::Verification;
use pricebook::snapshot::mapped::{EXIT_LOST_FILE, Residence};
use tempfile::TempDir;

use crate::support::crafted::copy;
use crate::support::server::TestServer;
use crate::support::snapshots::publish;
use crate::support::test_endpoints;

/// A server of a writable copy of a snapshot, which is called `s1` like the sealed one in the same folder.
fn start(residence: Residence) -> (TempDir, std::path::PathBuf, TestServer, IntegrityMonitor) {
    let folder = tempfile::tempdir().unwrap();
    let copied = copy(&publish(folder.path(), "s1", 1), "writable");
    let catalog = Arc::new(Catalog::open_after(&copied, Verification::Full, residence).unwrap());
    let server = TestServer::of(
        test_endpoints::routes(),
        catalog,
        &ServerOptions::default(),
        ConnectionLimits::default(),
    );
    let mut guard = IntegrityMonitor::of(&server.shared);
    assert!(guard.look() && guard.read_on(1 << 20));
    (folder, copied, server, guard)
}

/// Writes over a byte and leaves the time of the file as it was.
fn flip(path: &Path) {
    let mut file = File::options().read(true).write(true).open(path).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    let middle = file.metadata().unwrap().len() / 2;
    file.seek(SeekFrom::Start(middle)).unwrap();
    file.write_all(&[0xa5]).unwrap();
    file.set_modified(modified).unwrap();
}

fn assert_withdrawn(server: &TestServer, file: &str) {
    let answer = server.get("/v1/public/echo");
    assert_eq!(answer.status, 503, "{answer:?}");
    let body = answer.json();
    assert_eq!(body["error"]["code"], "UNAVAILABLE", "{body}");
    assert!(body["error"]["message"].as_str().unwrap().contains("out of service"), "{body}");
    assert!(answer.header("retry-after").is_some());
    let reason = server.shared.withdrawn(&server.shared.catalog()).unwrap();
    assert!(reason.contains(file), "{reason}");
    let metrics = server.shared.metrics.text(&Gauges::default());
    assert!(metrics.contains("pricebook_snapshot_refusals_total{reason=\"changed\"} 1\n"), "{metrics}");
    assert!(server.shared.unready().is_some_and(|unready| unready.contains(&reason)), "{reason}");
}

#[test]
fn a_byte_that_was_written_over_takes_the_snapshot_out_of_service() {
    let (folder, copied, server, mut guard) = start(Residence::Mapped);
    flip(&copied.join(SPELLS));
    assert!(guard.look());
    assert_eq!(server.get("/v1/public/echo").status, 200, "nobody has read it yet");
    assert!(guard.read_on(1 << 30));
    assert_withdrawn(&server, SPELLS);
    assert_eq!(server.get("/nothing").status, 404);

    // The sealed one of the same id is sound, and CURRENT names it.
    let swapper = Swapper::new(folder.path().to_owned(), Arc::clone(&server.shared)).unwrap();
    assert_eq!(swapper.poll(), Outcome::Swapped("s1".into()));
    assert_eq!(server.get("/v1/public/echo").status, 200);
    assert!(guard.look() && guard.read_on(1 << 30));
    assert_eq!(server.get("/v1/public/echo").status, 200);
    publish(folder.path(), "s2", 2);
    assert_eq!(swapper.poll(), Outcome::Swapped("s2".into()));
    assert!(guard.look() && guard.read_on(1 << 30));
    drop(server);
}

#[test]
fn a_file_that_was_cut_short_or_written_lately_is_seen_at_a_look() {
    let (_folder, copied, server, mut guard) = start(Residence::Mapped);
    let file = File::options().write(true).open(copied.join(SPELLS)).unwrap();
    let length = file.metadata().unwrap().len();
    // Longer, so that no page is missing should something read it.
    file.set_len(length + 1).unwrap();
    assert!(guard.look());
    assert_withdrawn(&server, SPELLS);

    let (_folder, copied, server, mut guard) = start(Residence::Mapped);
    let path = copied.join(SPELLS);
    flip(&path);
    let now = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    File::options().write(true).open(&path).unwrap().set_modified(now).unwrap();
    assert!(guard.look());
    assert_withdrawn(&server, SPELLS);
}

/// The operator's page names the figures of the source.
#[test]
fn the_page_about_snapshots_is_that_of_the_source() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/snapshots.md")).unwrap();
    for figure in [
        format!("every {} seconds; a file whose time changed", LOOK.as_secs()),
        format!("looks at `CURRENT` and `accept` every {} seconds", SWAP_POLL.as_secs()),
        format!("{} MiB a second, round and round", READ_BYTES_PER_SECOND >> 20),
        format!("exit code {EXIT_LOST_FILE}"),
        format!("| listings | fewer than {LISTINGS_PCT_MIN} % |"),
        format!("| listings with a current price | fewer than {PRICED_PCT_MIN} % |"),
        format!("| coverage cells that serve | fewer than {SERVING_PCT_MIN} % |"),
    ] {
        assert!(page.contains(&figure), "{figure} is not in the page");
    }
}

#[test]
fn a_private_copy_does_not_care() {
    let (_folder, copied, server, mut guard) = start(Residence::Copied);
    for file in fs::read_dir(&copied).unwrap() {
        File::options().write(true).open(file.unwrap().path()).unwrap().set_len(0).unwrap();
    }
    assert!(guard.look() && guard.read_on(1 << 30));
    let answer = server.get("/v1/public/echo");
    assert_eq!((answer.status, &answer.json()["price"]), (200, &1.into()));
}

#[test]
fn a_guard_ends_with_its_server() {
    let (_folder, _, server, mut guard) = start(Residence::Mapped);
    let shared = Arc::downgrade(&server.shared);
    server.stop();
    let began = std::time::Instant::now();
    while shared.strong_count() > 0 && began.elapsed() < std::time::Duration::from_secs(10) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(!guard.look() && !guard.read_on(1));
}

#[test]
fn published_files_and_their_directory_cannot_be_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = publish(folder.path(), "s1", 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path) & 0o222, 0);
    for entry in fs::read_dir(&path).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()) & 0o222, 0);
    }
}
