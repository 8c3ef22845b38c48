//! The real routes over two real snapshots, swapped a hundred times under load: every answer is, byte for byte
//! but for its clocks, the one that the snapshot named in its header gives alone.

use crate::oracle;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::support::asking::{Service, build};
use crate::support::server::TestServer;
use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::server::ServerOptions;
use pricebook::server::accept_loop::ConnectionLimits;
use pricebook::server::swap::{Outcome, Swapper};
use pricebook::snapshot::publish::{accept, current, set_current};
use serde_json::Value;

const CLIENTS: usize = 3;
const SWAPS: usize = 100;
const REQUESTS: [&str; 6] = [
    "/v1/shopper/best-price?q=milk&country=ca",
    "/v1/shopper/price-history?q=milk&country=ca&lookback_days=400",
    "/v1/marketing/competitive-landscape?category=food&country=ca&limit=50",
    "/v1/marketing/share-of-shelf?category=food&country=ca",
    "/v1/analyst/inflation?category=food&country=ca&time_window=last_90_days",
    "/v1/public/coverage",
];

/// Builds a snapshot of generated input below `out`, makes it current and returns its id.
fn publish(out: &Path, seed: u64) -> String {
    let input = tempfile::tempdir().unwrap();
    oracle::write_input(input.path(), seed);
    build(&[input.path().to_owned()], out);
    current(out).unwrap().unwrap()
}

/// What of an answer does not depend on when it was asked for.
fn timeless(mut body: Value) -> Value {
    if let Some(meta) = body.get_mut("meta").and_then(Value::as_object_mut) {
        meta.remove("computed_at");
        meta.remove("freshness_seconds");
    }
    // Problem documents say more than code and details.
    match body.get("error") {
        Some(error) => serde_json::json!([error["code"], error["details"]]),
        None => body,
    }
}

#[test]
fn every_answer_is_that_of_the_snapshot_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let ids = [publish(folder.path(), 1), publish(folder.path(), 2)];
    // They have nothing in common, least of all their sizes.
    for id in &ids {
        accept(folder.path(), id).unwrap();
    }
    let mut expected: BTreeMap<(String, &str), (u16, Value)> = BTreeMap::new();
    for id in &ids {
        let service = Service::new(Catalog::open(&folder.path().join(id)).unwrap());
        for request in REQUESTS {
            let (status, body) = service.ask(request);
            expected.insert((id.clone(), request), (status, timeless(body)));
        }
    }
    let answered_200 = expected.values().filter(|(status, _)| *status == 200).count();
    assert!(answered_200 > REQUESTS.len(), "both snapshots answer most requests: {answered_200}");

    let catalog = Arc::new(Catalog::open(&folder.path().join(&ids[1])).unwrap());
    let server =
        TestServer::of(endpoints::routes(), catalog, &ServerOptions::default(), ConnectionLimits::default());
    let swapper = Swapper::new(folder.path().to_owned(), Arc::clone(&server.shared)).unwrap();
    let (done, answered) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (server, done, answered, expected) = (&server, &done, &answered, &expected);
                scope.spawn(move || {
                    let mut client = server.connect();
                    for request in REQUESTS.iter().cycle().skip(number) {
                        if done.load(Ordering::Relaxed) {
                            break;
                        }
                        let answer = client.get(request);
                        let id = answer.header("x-snapshot-id").unwrap().to_owned();
                        let (status, body) = &expected[&(id, *request)];
                        assert_eq!((answer.status, &timeless(answer.json())), (*status, body), "{request}");
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for swap in 0..SWAPS {
            let before = answered.load(Ordering::Relaxed);
            let id = &ids[swap % 2];
            set_current(folder.path(), id).unwrap();
            assert_eq!(swapper.poll(), Outcome::Swapped(id.clone()));
            while answered.load(Ordering::Relaxed) < before + CLIENTS as u32
                && !clients.iter().any(std::thread::ScopedJoinHandle::is_finished)
            {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(server.shared.metrics.swaps.get(), SWAPS as u64);
}
