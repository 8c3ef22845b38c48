//! Answers against two independent recomputations: golden answers of another program over the test catalog, and the
//! oracle over it, over the demo and over small dirty inputs.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::oracle::forms::Doubt;
use crate::oracle::load::Doubtful;
use crate::oracle::{self, Oracle, Trouble, compare};
use crate::support::asking::{self, Service, build, demo_input, fixture, fixture_input};

/// Dirty inputs that every run checks; `ORACLE_SEEDS` sets another number.
const SEEDS: u64 = 8;
/// Further requests for texts that each catalog is asked; `ORACLE_TEXTS` sets another number.
const TEXTS: usize = 60;
/// Of the demo's requests one in so many is recomputed: the oracle reads every raw row again for each.
const DEMO_ONE_IN: usize = 60;
/// Differences that are printed of one request.
const SHOWN: usize = 4;

#[test]
fn golden_answers_hold() {
    let service = Service::new(fixture());
    let (mut held, mut failures) = (0, Vec::new());
    for golden in asking::golden_answers() {
        let request = golden["request"].as_str().unwrap();
        if !service.knows(request) {
            continue;
        }
        let (status, body) = service.ask(request);
        let mut wrong = compare(&golden["status"], &status.into(), "status");
        if let Some(expect) = golden.get("expect") {
            wrong.extend(compare(expect, &body, ""));
        }
        if let Some(code) = golden.get("code") {
            wrong.extend(compare(code, &body["error"]["code"], "code"));
        }
        if let Some(details) = golden.get("details") {
            wrong.extend(compare(details, &body["error"]["details"], "details"));
        }
        if let Some(bad) = golden.get("bad_parameters") {
            let mut named: Vec<&str> = Vec::new();
            named.extend(
                body["error"]["details"]["parameters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(|bad| bad["parameter"].as_str()),
            );
            named.sort_unstable();
            wrong.extend(compare(bad, &serde_json::json!(named), "bad parameters"));
        }
        held += usize::from(wrong.is_empty());
        failures.extend(show(request, &wrong));
    }
    assert!(failures.is_empty(), "{held} held, {} failed\n{}", failures.len(), failures.join("\n"));
    assert!(held >= 50, "only {held} golden answers are of endpoints that exist");
}

#[test]
fn examples_are_answered() {
    let service = Service::new(fixture());
    for route in &service.routes {
        for query in route.examples {
            let (status, body) = service.ask(&format!("{}?{query}", route.path));
            assert_eq!(status, 200, "{}?{query}: {body}", route.path);
        }
    }
}

#[test]
fn test_catalog_agrees_with_the_oracle() {
    check_input(&[fixture_input()], 1);
}

#[test]
fn demo_agrees_with_the_oracle() {
    check_sample(&[demo_input()], 3, DEMO_ONE_IN);
}

#[test]
fn dirty_inputs_agree_with_the_oracle() {
    let seeds = std::env::var("ORACLE_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap());
    let first = std::env::var("ORACLE_FIRST_SEED").map_or(0, |seed| seed.parse().unwrap());
    let mut failures = Vec::new();
    for seed in first..first + seeds {
        let input = tempfile::tempdir().unwrap();
        oracle::write_input(input.path(), seed);
        let inputs = [input.path().to_owned()];
        let found = match Oracle::try_load(&inputs) {
            Ok(oracle) => differences(&inputs, oracle, seed, 1),
            Err(doubts) => refused_otherwise(&inputs, &doubts).into_iter().collect(),
        };
        failures.extend(found.into_iter().map(|text| format!("seed {seed}: {text}")));
    }
    assert!(failures.is_empty(), "{} differences\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn dirty_inputs_that_can_be_read_in_two_ways_are_refused() {
    let seeds = std::env::var("ORACLE_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap());
    let troubles = [Trouble::Dates, Trouble::MixedDates, Trouble::Prices, Trouble::Reviews];
    let mut failures = Vec::new();
    for (seed, trouble) in (0..seeds).zip(troubles.into_iter().cycle()) {
        let input = tempfile::tempdir().unwrap();
        oracle::write_ambiguous_input(input.path(), seed, trouble);
        let inputs = [input.path().to_owned()];
        let found = match Oracle::try_load(&inputs) {
            Ok(_) => vec!["the oracle has no doubt".to_owned()],
            Err(doubts) => refused_otherwise(&inputs, &doubts).into_iter().collect(),
        };
        failures.extend(found.into_iter().map(|text| format!("seed {seed}, {trouble:?}: {text}")));
    }
    assert!(failures.is_empty(), "{} differences\n{}", failures.len(), failures.join("\n"));
}

/// What is wrong with how a build is refused for one of `doubts`.
fn refused_otherwise(inputs: &[PathBuf], doubts: &[Doubtful]) -> Option<String> {
    let out = tempfile::tempdir().unwrap();
    let said = match asking::try_build(inputs, out.path()) {
        Ok(_) => return Some(format!("built, though {doubts:?}")),
        Err(fault) => format!("{fault:#}"),
    };
    let is_said = |Doubtful { file, doubt }: &Doubtful| {
        let Doubt { line, value, settings, readings } = &**doubt;
        let readings = readings.as_ref().map_or(String::new(), |[one, other]| format!("{one} or {other}"));
        let parts = [
            file.to_string_lossy().into_owned(),
            format!("{value} (line {line}) is {readings}"),
            format!("and no value of the file decides: set {settings} (--map FILE, or [input] of --config)"),
        ];
        parts.iter().all(|part| said.contains(part))
    };
    let published = out.path().join("CURRENT").exists();
    (published || !doubts.iter().any(is_said))
        .then(|| format!("published: {published}, {said:?} for {doubts:?}"))
}

/// Real sources that are not part of the project, where they lie beside it.
#[test]
fn acceptance_inputs_agree_with_the_oracle() {
    let Some(root) = asking::shared("acceptance") else { return };
    for source in ["datafiniti_electronics_us", "hammer_groceries_ca", "pcparts_us"] {
        check_input(&[root.join(source), root.join("gpc")], 2);
    }
}

fn check_input(inputs: &[PathBuf], seed: u64) {
    check_sample(inputs, seed, 1);
}

/// Checks one in so many of the requests that are drawn.
fn check_sample(inputs: &[PathBuf], seed: u64, one_in: usize) {
    let failures = differences(inputs, Oracle::load(inputs), seed, one_in);
    assert!(failures.is_empty(), "{} differences in {inputs:?}\n{}", failures.len(), failures.join("\n"));
}

fn differences(inputs: &[PathBuf], mut oracle: Oracle, seed: u64, one_in: usize) -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let service = Service::new(build(inputs, out.path()));
    oracle.links = asking::links(&service.catalog).into_iter().map(Into::into).collect();
    let mut failures = Vec::new();
    let mut requests = oracle::requests(&oracle, seed);
    requests.extend(oracle::text_requests(&oracle, seed, texts()));
    // `ORACLE_PATH` leaves the requests that hold it, all of them.
    let path = std::env::var("ORACLE_PATH").unwrap_or_default();
    let one_in = if path.is_empty() { one_in } else { 1 };
    requests.retain(|request| service.knows(request) && request.contains(&path));
    for request in requests.into_iter().step_by(one_in) {
        let (status, body) = service.ask(&request);
        let expected = oracle.answer(&request);
        let mut wrong = oracle.check(&expected, &request, status, &body);
        if expected.status == 0
            && let Some(product) = service.quoted_product(&request)
        {
            wrong.extend(oracle.check_quoted_text(&request, &product).err());
        }
        failures.extend(show(&request, &wrong));
    }
    failures
}

fn texts() -> usize {
    std::env::var("ORACLE_TEXTS").map_or(TEXTS, |texts| texts.parse().unwrap())
}

fn show(request: &str, wrong: &[String]) -> Option<String> {
    (!wrong.is_empty()).then(|| format!("{request}\n    {}", wrong[..wrong.len().min(SHOWN)].join("\n    ")))
}

#[test]
fn uids_that_contradict_each_other_are_bad_parameters() {
    let service = Service::new(fixture());
    for (product, entity, expected) in [
        ("p_k3b94f05wn8cc", "e_25jf5m3673dmj", 200),
        ("p_k3b94f05wn8cc", "e_6nxr8tkqzwyke", 400),
        ("p_k3b94f05wn8cc", "e_0000000000000", 400),
        ("p_0000000000000", "e_25jf5m3673dmj", 400),
        ("nonsense", "e_25jf5m3673dmj", 400),
    ] {
        let request = format!("/v1/shopper/best-price?product_uid={product}&entity_uid={entity}&country=ca");
        assert_eq!(service.ask(&request).0, expected, "{request}");
    }
}

/// A catalog of `listings` listings of one retailer with required columns only: no brand, barcode, category, list
/// price, stock or classification.
fn write_bare(dir: &std::path::Path, listings: usize) {
    let (mut offers, mut prices) = ("country,platform,product_id,product_name\n".to_owned(), String::new());
    for number in 0..listings {
        writeln!(offers, "us,shop,{number},Thing Number {number}").unwrap();
        writeln!(prices, "us,shop,{number},2026-03-{:02},{}.49", 1 + number % 28, 1 + number).unwrap();
    }
    std::fs::write(dir.join("listings.csv"), offers).unwrap();
    std::fs::write(dir.join("observations.csv"), format!("country,platform,product_id,date,price\n{prices}"))
        .unwrap();
}

#[test]
fn bare_catalogs_agree_with_the_oracle() {
    for listings in [1, 2, 4, 5, 30, 60] {
        let input = tempfile::tempdir().unwrap();
        write_bare(input.path(), listings);
        check_input(&[input.path().to_owned()], listings as u64);
    }
}

/// Listings of one retailer: one with a brand that is seen to this day, and one without that was seen a while ago.
fn write_half_branded(dir: &std::path::Path) {
    let listings = "country,platform,product_id,product_name,brand,category_path\n\
         us,shop,1,Jar One,Oak,Food > Jars\nus,shop,2,Jar Two,,Food > Jars\n";
    let observations = "country,platform,product_id,date,price,in_stock\n\
         us,shop,1,2026-10-28,4.50,true\nus,shop,2,2026-09-01,5.50,true\n";
    std::fs::write(dir.join("listings.csv"), listings).unwrap();
    std::fs::write(dir.join("observations.csv"), observations).unwrap();
}

#[test]
fn availability_is_as_old_as_the_listings_in_its_rows() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_half_branded(input.path());
    let service = Service::new(build(&[input.path().to_owned()], out.path()));
    for (by, products, day) in [("brand", 1, "2026-10-28"), ("retailer", 2, "2026-09-01")] {
        let target = format!("/v1/marketing/availability-index?category=jars&country=us&aggregate_by={by}");
        let (status, body) = service.ask(&target);
        assert_eq!((status, &body["total"]["products"]), (200, &products.into()), "{body}");
        let observed = body["meta"]["price_observed_at_min"].as_str().unwrap();
        assert!(observed.starts_with(day), "{by}: {observed}");
    }
    check_input(&[input.path().to_owned()], 1);
}

/// The routes that are read page by page, each with the parameter that says where a page begins.
const PAGED: [&str; 5] = [
    "/v1/shopper/deal-finder?category=food&country=ca&cursor=",
    "/v1/marketing/competitive-landscape?category=food&country=ca&cursor=",
    "/v1/analyst/price-change-leaders?category=food&country=ca&cursor=",
    "/v1/public/categories?country=ca&offset=",
    "/v1/public/coverage?offset=",
];

#[test]
fn a_page_beyond_the_end_is_empty() {
    let service = Service::new(fixture());
    let paged = service
        .routes
        .iter()
        .flat_map(|route| route.params)
        .filter(|param| ["cursor", "offset"].contains(&param.name));
    assert_eq!(paged.count(), PAGED.len(), "every one is asked");
    for start in ["100000", "4294967295", "4294967296", "18446744073709551615"] {
        for target in PAGED.map(|target| format!("{target}{start}")) {
            let (status, body) = service.ask(&target);
            assert_eq!(status, 200, "{target}: {body}");
            assert_eq!(body["items"], serde_json::json!([]), "{target}");
            assert!(body["next_cursor"].is_null(), "{target}: {body}");
        }
    }
    for target in PAGED.map(|target| format!("{target}18446744073709551616")) {
        let (status, body) = service.ask(&target);
        assert_eq!(status, 400, "{target}: {body}");
        assert!(body.to_string().contains("from 0 to 18446744073709551615"), "{target}: {body}");
    }
}

#[test]
fn node_is_another_name_of_category() {
    let service = Service::new(fixture());
    let ask = |query: &str| service.ask(&format!("/v1/analyst/price-bands?{query}"));
    let (status, by_category) = ask("category=memory&brand=corsair");
    assert_eq!((status, &by_category["resolved"]["input"]), (200, &json!("memory")));
    for query in ["node=memory&brand=corsair", "node=memory&category=memory&brand=corsair"] {
        assert_eq!(ask(query), (200, by_category.clone()), "{query}");
    }
    let faults = |query: &str| {
        let (status, body) = ask(query);
        assert_eq!(status, 400, "{query}");
        let faults = body["error"]["details"]["parameters"].as_array().unwrap().clone();
        let text = |fault: &Value, name: &str| fault[name].as_str().unwrap().to_owned();
        faults.iter().map(|fault| (text(fault, "parameter"), text(fault, "reason"))).collect::<Vec<_>>()
    };
    assert_eq!(faults("country=us"), [("category".to_owned(), "give category or node".to_owned())]);
    let differ =
        "category and node are two names of one parameter and have different values; give one of them";
    let differ = differ.to_owned();
    assert_eq!(
        faults("category=memory&node=Memory"),
        [("category".to_owned(), differ.clone()), ("node".to_owned(), differ)]
    );
}
