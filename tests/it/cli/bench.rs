//! The load generator: what it draws from the test catalog can be asked, and the program measures and reports.

use std::process::Command;

use crate::support::asking::{Service, build, fixture, fixture_input};
use pricebook::bench::mix::Mix;
use pricebook::bench::sample::Sampler;
use pricebook::stats::rng::Rng;
use serde_json::Value;

/// Requests drawn per route.
const DRAWS: usize = 40;
/// Requests drawn by the standard mix.
const MIXED: usize = 500;

#[test]
fn whatever_is_drawn_is_answered() {
    let service = Service::new(fixture());
    let sampler = Sampler::new(&service.catalog, 1).unwrap();
    let mut rng = Rng::new(2);
    let mut nothing_in_the_largest = Vec::new();
    for route in service.routes.iter().filter(|route| !route.examples.is_empty()) {
        let drawn = (0..DRAWS).map(|_| sampler.draw(route, &mut rng).unwrap()).collect::<Vec<_>>();
        let largest = sampler.largest(route, &mut rng).unwrap();
        let mut found = 0;
        for query in drawn.iter().chain([&largest]) {
            let target = route.request(query);
            let (status, body) = service.ask(&target);
            found += usize::from(status == 200);
            assert!(matches!(status, 200 | 404), "{status} {target} {body}");
            assert!(status == 200 || !route.refusals.is_empty(), "{target} documents no 404");
        }
        // Two of its sources name no brands, so that half of its categories have no share of shelf.
        assert!(found * 4 > DRAWS, "requests of {} find too little: {found}", route.path);
        if service.ask(&route.request(&largest)).0 != 200 {
            nothing_in_the_largest.push(route.path);
        }
    }
    // It is wine, and its source names no brands and states no stock.
    assert_eq!(nothing_in_the_largest, ["/v1/marketing/share-of-shelf", "/v1/marketing/availability-index"]);
}

#[test]
fn a_seed_is_a_list_of_requests() {
    let service = Service::new(fixture());
    let (catalog, routes) = (&service.catalog, &service.routes);
    let mix = Mix::standard(routes, true).unwrap();
    let draw =
        |popular, seed| mix.requests(&Sampler::new(catalog, popular).unwrap(), routes, seed, MIXED).unwrap();
    let requests = draw(1, 1);
    assert_eq!(requests.len(), MIXED);
    assert_eq!(requests, draw(1, 1));
    assert_ne!(requests, draw(1, 2));
    assert_ne!(requests, draw(2, 1), "other products are popular");
    let own = "inflation = 1\n[queries]\ninflation = ['category=food&country=ca']";
    let own = Mix::parse(routes, own).unwrap();
    let requests = own.requests(&Sampler::new(catalog, 1).unwrap(), routes, 1, 3).unwrap();
    assert!(
        requests.iter().all(|request| request.target == "/v1/analyst/inflation?category=food&country=ca")
    );
    let wrong = Mix::parse(routes, "inflation = 1\n[queries]\ninflation = ['window=1']").unwrap();
    let refused = wrong.requests(&Sampler::new(catalog, 1).unwrap(), routes, 1, 3).unwrap_err();
    assert!(format!("{refused:#}").contains("change that query"), "{refused:#}");
}

/// Runs the program on a snapshot and reads its report.
fn bench(snapshots: &std::path::Path, args: &[&str]) -> (String, Value) {
    let json = snapshots.join("bench.json");
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook"))
        .arg("bench")
        .args(["--seconds", "1", "--warmup", "0.2", "--connections", "8", "--snapshot"])
        .arg(snapshots)
        .arg("--json")
        .arg(&json)
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    let report = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    (String::from_utf8(output.stdout).unwrap(), report)
}

#[test]
fn the_program_measures_a_server_and_its_floor() {
    let out = tempfile::tempdir().unwrap();
    let catalog = build(&[fixture_input()], out.path());
    let beside = "/v1/analyst/inflation?category=food&country=ca";
    let (table, report) = bench(out.path(), &["--rate", "200", "--beside", beside]);
    assert_eq!(report["snapshot"]["id"], catalog.id());
    for field in ["date", "commit", "profile"] {
        assert!(report[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    assert!(report["command"].as_array().unwrap().iter().any(|word| word == "bench"));
    assert!(report["machine"]["cores"].as_u64().unwrap() > 0 && report["machine"]["cpu"].is_string());
    assert!(report["answers"]["mean_bytes"].as_u64().unwrap() > 100);
    let runs = report["runs"].as_array().unwrap();
    let sides: Vec<&str> = runs.iter().map(|run| run["side"].as_str().unwrap()).collect();
    assert_eq!(sides, ["server", "floor"]);
    for run in runs {
        // As many as were due in the counted second, whenever they were answered.
        assert_eq!((&run["asked"], &run["latency"]["count"]), (&200.0.into(), &200.into()), "{run}");
        let at = |name: &str| run["latency"][name].as_f64().unwrap();
        let figures = [at("p50_us"), at("p90_us"), at("p99_us"), at("p999_us"), at("max_us")];
        assert!(figures[0] > 0.0 && figures.is_sorted(), "{run}");
        assert!(
            run["achieved"].is_f64() && run["generator_lag_p99_us"].is_f64() && run["routes"].is_object()
        );
        let answered: u64 =
            run["statuses"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(answered + run["late"].as_u64().unwrap() + run["broken"].as_u64().unwrap(), 200, "{run}");
    }
    assert_eq!(runs[0]["beside"]["count"], 10, "{}", runs[0]);
    assert!(runs[1]["beside"].is_null() && report["ratios"]["p99_same_rate"].is_f64());
    assert!(report["server_knee"].is_null() && report["turns"].as_array().unwrap().len() == 1);
    assert!(
        table.contains("achieved/s") && table.lines().filter(|line| line.starts_with("floor")).count() == 1
    );
}

#[test]
fn every_paid_request_is_answered() {
    let out = tempfile::tempdir().unwrap();
    build(&[fixture_input()], out.path());
    let (_, report) = bench(out.path(), &["--paid", "--rate", "100"]);
    // A voucher of a wrong amount is refused, and so is every later one of its channel.
    for answered in [&report["answers"]["statuses"], &report["runs"][0]["statuses"]] {
        assert_eq!(answered.as_object().unwrap().keys().collect::<Vec<_>>(), ["200"], "{report}");
    }
    assert!(report["payments"]["count"].as_u64().unwrap() >= 100, "{report}");
}

#[test]
fn options_that_cannot_be_are_refused_with_a_way_out() {
    let out = tempfile::tempdir().unwrap();
    let refused = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pricebook")).arg("bench").args(args).output().unwrap();
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let nowhere = out.path().join("nowhere").display().to_string();
    assert!(refused(&["--snapshot", &nowhere]).contains("cannot be opened"));
    assert!(refused(&["--snapshot", &nowhere, "--rate", "0"]).contains("above 0"));
    assert!(refused(&["--snapshot", &nowhere, "--target", "here"]).contains("host and port"));
}
