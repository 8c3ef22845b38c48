//! The catalog is replaced under a running server: no request fails, none sees two snapshots, and a snapshot that
//! is not fit to serve changes nothing.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::support::client::Answer;
use crate::support::server::TestServer;
use crate::support::snapshots::{cleaned, publish, publish_tables};
use crate::support::test_endpoints;
use pricebook::catalog::Catalog;
use pricebook::index::normalized::Canonical;
use pricebook::server::accept_loop::ConnectionLimits;
use pricebook::server::swap::{Outcome, Swapper};
use pricebook::server::telemetry::Gauges;
use pricebook::server::{ServerOptions, SnapshotRefusal};
use pricebook::snapshot::publish::{CURRENT, accept, set_current};
use pricebook::types::Day;
use tempfile::TempDir;

const CLIENTS: usize = 4;
const SWAPS: u32 = 100;

/// A server of snapshot `s1` in a folder of its own, and its swapper.
fn start() -> (TempDir, TestServer, Swapper) {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Arc::new(Catalog::open(&publish(folder.path(), "s1", 1)).unwrap());
    let server = TestServer::of(
        test_endpoints::routes(),
        catalog,
        &ServerOptions::default(),
        ConnectionLimits::default(),
    );
    let swapper = Swapper::new(folder.path().to_owned(), Arc::clone(&server.shared)).unwrap();
    assert_eq!(swapper.poll(), Outcome::Unchanged);
    (folder, server, swapper)
}

/// So many listings of one shop that were seen on a day.
fn shop(listings: usize, day: &str) -> Canonical {
    let mut rows = "country,platform,product_id,product_name,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for item in 0..listings {
        rows += &format!("us,shop,{item},Thing {item},Kitchen\n");
        observations += &format!("us,shop,{item},{day},1\n");
    }
    cleaned(&rows, &observations)
}

/// The id of the one snapshot that header, body and data of an answer speak of.
fn one_snapshot(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    let id = answer.header("x-snapshot-id").unwrap();
    assert_eq!(body["snapshot_id"], id);
    assert_eq!(format!("s{}", body["price"]), id);
    id.to_owned()
}

/// How often snapshots were refused for each reason, where they were.
fn refused(server: &TestServer) -> Vec<(&'static str, u64)> {
    let text = server.shared.metrics.text(&Gauges::default());
    let count = |reason: SnapshotRefusal| {
        let name = format!("pricebook_snapshot_refusals_total{{reason=\"{}\"}} ", reason.as_str());
        let count = text.lines().find_map(|line| line.strip_prefix(&name)).expect(&text);
        (reason.as_str(), count.parse().unwrap())
    };
    SnapshotRefusal::ALL.map(count).into_iter().filter(|(_, count)| *count > 0).collect()
}

fn refusal(outcome: Outcome) -> String {
    match outcome {
        Outcome::Refused(reason) => reason,
        other => panic!("{other:?} is no refusal"),
    }
}

#[test]
fn a_hundred_swaps_under_load_fail_and_mix_no_answer() {
    let (folder, server, swapper) = start();
    publish(folder.path(), "s2", 2);
    let done = AtomicBool::new(false);
    let answered = AtomicU32::new(0);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (server, done, answered) = (&server, &done, &answered);
                scope.spawn(move || {
                    let target =
                        ["/v1/public/echo", "/v1/shopper/echo", "/v1/analyst/slow?millis=3"][number % 3];
                    let mut client = server.connect();
                    let mut seen = [0; 2];
                    while !done.load(Ordering::Relaxed) {
                        let id = one_snapshot(&client.get(target));
                        seen[usize::from(id == "s2")] += 1;
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    seen
                })
            })
            .collect();
        for swap in 0..SWAPS {
            let before = answered.load(Ordering::Relaxed);
            let id = ["s2", "s1"][swap as usize % 2];
            set_current(folder.path(), id).unwrap();
            assert_eq!(swapper.poll(), Outcome::Swapped(id.into()));
            // Load on either side of every swap.
            while answered.load(Ordering::Relaxed) < before + CLIENTS as u32
                && !clients.iter().any(ScopedJoinHandle::is_finished)
            {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        done.store(true, Ordering::Relaxed);
        for client in clients {
            let seen = client.join().expect("a client whose every answer was whole");
            assert!(seen.iter().all(|count| *count > 0), "each client saw both snapshots: {seen:?}");
        }
    });
    assert_eq!(server.shared.metrics.swaps.get(), u64::from(SWAPS));
}

#[test]
fn the_old_catalog_goes_when_its_last_request_has_gone() {
    let (folder, server, swapper) = start();
    let old = Arc::downgrade(&server.shared.catalog());
    publish(folder.path(), "s2", 2);
    let mut client = server.connect();
    client.write("GET", "/v1/analyst/slow?millis=2500", &[]);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(swapper.poll(), Outcome::Swapped("s2".into()));
    assert!(old.upgrade().is_some(), "a request still uses it");
    assert_eq!(one_snapshot(&client.read("GET")), "s1");
    assert_eq!(one_snapshot(&client.get("/v1/public/echo")), "s2");
    let began = Instant::now();
    while old.upgrade().is_some() {
        assert!(began.elapsed() < Duration::from_secs(10), "the old catalog is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Replaces a read-only file.
fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let next = file.with_extension("next");
    let folder = file.parent().unwrap();
    let mut rights = fs::metadata(folder).unwrap().permissions();
    let sealed = rights.clone();
    #[allow(clippy::permissions_set_readonly_false)]
    rights.set_readonly(false);
    fs::set_permissions(folder, rights).unwrap();
    fs::write(&next, bytes).unwrap();
    fs::rename(&next, file).unwrap();
    fs::set_permissions(folder, sealed).unwrap();
}

#[test]
fn a_damaged_snapshot_is_refused_once_and_tried_again_when_asked() {
    let (folder, server, swapper) = start();
    let path = publish(folder.path(), "s2", 2);
    damage(&path.join("spells.cols"));
    assert!(refusal(swapper.poll()).contains("spells.cols"));
    assert_eq!(swapper.poll(), Outcome::Unchanged);
    assert_eq!(one_snapshot(&server.get("/v1/public/echo")), "s1");
    refusal(swapper.check_now());
    set_current(folder.path(), "s2").unwrap();
    refusal(swapper.poll());
    damage(&path.join("spells.cols"));
    assert_eq!(swapper.poll(), Outcome::Unchanged);
    assert_eq!(swapper.check_now(), Outcome::Swapped("s2".into()));
    assert_eq!(refused(&server), [("unsound", 3)]);
    assert_eq!(server.shared.metrics.swaps.get(), 1);
}

#[test]
fn a_snapshot_on_which_an_endpoint_fails_is_refused() {
    let (folder, server, swapper) = start();
    publish(folder.path(), "bad-2", 2);
    let reason = refusal(swapper.poll());
    assert!(reason.contains("/v1/public/fussy") && reason.contains("unbearable"), "{reason}");
    assert_eq!(refused(&server), [("fails_examples", 1)]);
    assert_eq!(one_snapshot(&server.get("/v1/public/fussy")), "s1");
}

#[test]
fn a_current_that_names_nothing_changes_nothing() {
    let (folder, server, swapper) = start();
    for text in ["", "../s1", "no-such-snapshot"] {
        fs::write(folder.path().join(CURRENT), text).unwrap();
        refusal(swapper.poll());
        assert_eq!(swapper.poll(), Outcome::Unchanged);
    }
    fs::remove_file(folder.path().join(CURRENT)).unwrap();
    refusal(swapper.poll());
    assert_eq!(swapper.poll(), Outcome::Unchanged);
    set_current(folder.path(), "s1").unwrap();
    assert_eq!(swapper.poll(), Outcome::Unchanged, "it names the one in use");
    assert_eq!(one_snapshot(&server.get("/v1/public/echo")), "s1");
    assert_eq!(refused(&server), [("unreadable", 3), ("unsound", 1)]);
}

#[test]
fn reports_a_broken_current_once_and_recovers_after_repair() {
    let (folder, server, swapper) = start();
    let path = folder.path().join(CURRENT);
    for make in [&["mkfifo"][..], &["ln", "-s", "/dev/zero"], &["mkdir"]] {
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new(make[0]).args(&make[1..]).arg(&path).status().unwrap().success());
        let reason = refusal(swapper.poll());
        assert!(reason.contains("CURRENT cannot be read: it is not a regular file"), "{reason}");
        assert_eq!(swapper.poll(), Outcome::Unchanged);
        assert_eq!(one_snapshot(&server.get("/v1/public/echo")), "s1");
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        fs::write(&path, "s1").unwrap();
        assert_eq!(swapper.poll(), Outcome::Unchanged, "it names the one in use");
    }
    publish(folder.path(), "s2", 2);
    assert_eq!(swapper.poll(), Outcome::Swapped("s2".into()));
}

#[test]
fn a_snapshot_that_holds_much_less_is_refused_until_it_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let large = publish_tables(folder.path(), "large", &shop(100, "2026-10-30"));
    let catalog = Arc::new(Catalog::open(&large).unwrap());
    let server = TestServer::of(
        test_endpoints::routes(),
        catalog,
        &ServerOptions::default(),
        ConnectionLimits::default(),
    );
    let swapper = Swapper::new(folder.path().to_owned(), Arc::clone(&server.shared)).unwrap();
    for (id, listings, day, said) in [
        ("few", 49, "2026-10-30", "49 listings instead of 100 (at least 50 %)"),
        ("old", 100, "2026-10-29", "its newest observation is of 2026-10-29 instead of 2026-10-30"),
    ] {
        publish_tables(folder.path(), id, &shop(listings, day));
        let reason = refusal(swapper.poll());
        assert!(reason.contains(said) && reason.contains(&format!("activate {id} --force")), "{reason}");
        assert_eq!(swapper.poll(), Outcome::Unchanged);
        assert_eq!(server.shared.catalog().id(), "large");
    }
    // Said for another one, it is not said for this one.
    accept(folder.path(), "few").unwrap();
    refusal(swapper.poll());
    assert_eq!(refused(&server), [("falls_behind", 3)]);
    accept(folder.path(), "old").unwrap();
    assert_eq!(swapper.poll(), Outcome::Swapped("old".into()));
    publish_tables(folder.path(), "half", &shop(50, "2026-10-30"));
    assert_eq!(swapper.poll(), Outcome::Swapped("half".into()), "the limit itself is no fall");
}

#[test]
fn snapshot_from_the_future_is_served_where_current_names_it() {
    let (folder, server, swapper) = start();
    let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let today = Day::from_days(today as i32);
    let mut listings = "country,platform,product_id,product_name,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for item in 0..200 {
        listings += &format!("us,shop,{item},Thing {item},Kitchen\n");
        observations += &format!("us,shop,{item},{today},1\n");
    }
    observations += &format!("us,shop,0,{},1\n", today.plus_days(30));
    let tables = cleaned(&listings, &observations);
    publish_tables(folder.path(), "s2", &tables);
    assert_eq!(swapper.poll(), Outcome::Swapped("s2".into()));
    assert_eq!(server.shared.catalog().as_of(), today.plus_days(31));
}

#[test]
fn a_watcher_checks_at_once_when_woken() {
    let (folder, server, swapper) = start();
    let wake = swapper.watch().unwrap();
    publish(folder.path(), "s2", 2);
    wake.send(()).unwrap();
    let began = Instant::now();
    while server.shared.catalog().id() != "s2" {
        assert!(began.elapsed() < Duration::from_secs(10), "not swapped");
        std::thread::sleep(Duration::from_millis(10));
    }
}
