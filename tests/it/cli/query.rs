//! `pricebook query`: answers are the server's, endings are told apart, and a newcomer gets the demo.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock};

use pricebook::catalog::Catalog;
use pricebook::cli::query::{QueryCommand, QueryEnd, QueryReply};
use pricebook::query::endpoint::Stamp;
use pricebook::query::representation::Json;
use pricebook::types::Instant;
use serde_json::Value;

use crate::support::asking::{Service, build, fixture_input, golden_answers};
use crate::support::crafted::write_input;
use crate::support::snapshots;

/// Some moment; what is compared here is all else.
fn stamp() -> Stamp {
    Stamp { computed_at: Instant::from_micros(1_793_000_000_000_000), freshness_seconds: 7 }
}

/// The test catalog, and the folder in which it lies.
static DEMO: LazyLock<(Service, tempfile::TempDir)> = LazyLock::new(|| {
    let out = tempfile::tempdir().unwrap();
    (Service::new(build(&[fixture_input()], out.path())), out)
});

/// A request's words on the command line.
fn words(target: &str) -> Vec<String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let endpoint = path.rsplit('/').next().unwrap().to_owned();
    let option = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = value.replace('+', " ");
        let value = percent_encoding::percent_decode_str(&value).decode_utf8().unwrap();
        format!("--{}={value}", name.replace('_', "-"))
    };
    let options = query.split('&').filter(|pair| !pair.is_empty()).map(option);
    std::iter::once(endpoint).chain(options).collect()
}

/// What a command line comes to; `None` where it is none.
fn ask(words: &[String], catalog: &Arc<Catalog>) -> Option<QueryReply> {
    let command = QueryCommand::parse(words).ok()?;
    Some(command.answer(catalog, stamp(), None).unwrap().unwrap())
}

/// Golden requests and every endpoint's examples; no quotes, for nothing is paid here.
fn requests(service: &Service) -> Vec<String> {
    let golden = golden_answers().map(|golden| golden["request"].as_str().unwrap().to_owned());
    let examples = service
        .routes
        .iter()
        .flat_map(|route| route.examples.iter().map(|query| format!("{}?{query}", route.path)));
    let is_asked = |target: &String| service.knows(target) && !target.contains("quote=");
    golden.chain(examples).filter(is_asked).collect()
}

#[test]
fn answers_are_the_servers() {
    let (service, _) = &*DEMO;
    let (mut answered, mut refused) = (0, 0);
    for target in requests(service) {
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let route = service.routes.iter().find(|route| route.path == path).unwrap();
        let reply = ask(&[words(&target), vec!["--format=json".into()]].concat(), &service.catalog);
        let parsed = route.parse(query, service.catalog.as_of());
        if let Ok(Ok(work)) = parsed.map(|parsed| parsed.resolve(&service.catalog)) {
            let expected = work.run(stamp(), &Json).unwrap();
            let reply = reply.unwrap_or_else(|| panic!("{target} is a command line"));
            assert_eq!((reply.end, reply.said.as_str()), (QueryEnd::Answered, ""), "{target}");
            assert_eq!(reply.body, expected, "{target}");
            answered += 1;
            continue;
        }
        let (status, body) = service.ask(&target);
        let end = if status == 400 { QueryEnd::BadParameter } else { QueryEnd::Refused };
        // Some have no words on the command line: an unknown parameter, or one that is given twice.
        let Some(reply) = reply else {
            assert_eq!(end, QueryEnd::BadParameter, "{target}");
            continue;
        };
        assert_eq!(reply.end, end, "{target}: {}", reply.said);
        let problem: Value = serde_json::from_slice(&reply.body).unwrap();
        let error = if route.bare_errors { &problem } else { &problem["error"] };
        assert_eq!(error["code"], body["error"]["code"], "{target}");
        assert!(reply.said.len() > 10, "{target}: {}", reply.said);
        refused += 1;
    }
    assert!(answered >= 80 && refused >= 20, "{answered} answers, {refused} refusals");
}

#[test]
fn every_example_is_shown_as_a_table() {
    let (service, _) = &*DEMO;
    for route in &service.routes {
        for query in route.examples {
            let words = words(&format!("{}?{query}", route.path));
            let command = QueryCommand::parse(&words).unwrap();
            for width in [None, Some(60), Some(120)] {
                let reply = command.answer(&service.catalog, stamp(), width).unwrap().unwrap();
                let text = String::from_utf8(reply.body).unwrap();
                assert!(text.lines().count() >= 3, "{words:?}: {text}");
                let tables = text.lines().filter(|line| line.starts_with('|'));
                let widest = tables.map(|line| line.chars().count()).max();
                let limit = width.unwrap_or(usize::MAX);
                assert!(widest.is_some_and(|widest| widest <= limit), "{words:?} at {width:?}:\n{text}");
            }
        }
    }
}

#[test]
fn rows_are_written_as_the_server_writes_them() {
    let (service, _) = &*DEMO;
    let target = "/v1/marketing/competitive-landscape?category=memory&limit=3";
    let body = |format: &str| {
        let words = [words(target), vec![format!("--format={format}")]].concat();
        ask(&words, &service.catalog).unwrap().body
    };
    let csv = String::from_utf8(body("csv")).unwrap();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let json: Value = serde_json::from_slice(&body("json")).unwrap();
    let first: Value =
        serde_json::from_slice(body("ndjson").split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["product_name"], json["items"][0]["product_name"]);
    assert!(body("parquet").starts_with(b"PAR1") && body("arrow").starts_with(&[0xff; 4]));
    let command = QueryCommand::parse(["topic-trends", "--format=csv"]).unwrap();
    let fault = command.answer(&service.catalog, stamp(), None).unwrap_err().to_string();
    assert!(fault.contains("has no rows"), "{fault}");
}

#[test]
fn refusals_are_said_in_options() {
    let (service, _) = &*DEMO;
    let said = |line: &[&str]| {
        let words: Vec<String> = line.iter().map(ToString::to_string).collect();
        let reply = ask(&words, &service.catalog).unwrap();
        assert!(reply.body.is_empty(), "{line:?}");
        (reply.end, reply.said)
    };
    let (end, text) = said(&["best-price"]);
    assert_eq!((end, &*text), (QueryEnd::BadParameter, "--q: give --q, --product-uid or --entity-uid"));
    let (end, text) = said(&["best-price", "--q", "ketchup", "--limit", "51", "--country", "fr"]);
    assert_eq!(end, QueryEnd::BadParameter);
    assert!(text.contains("--limit: must be a whole number from 1 to 50"), "{text}");
    assert!(text.contains("--country: is not one of the allowed values (allowed: us, ca)"), "{text}");
    let (end, text) = said(&["share-of-shelf", "--category", "mmory"]);
    assert_eq!(end, QueryEnd::Refused);
    assert!(text.contains("memory"), "{text}");
}

/// The program itself, without anything of the user's.
fn pricebook(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pricebook"))
        .args(args)
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn endings_are_told_apart() {
    let home = tempfile::tempdir().unwrap();
    let (input, out) = (home.path().join("input"), home.path().join("prices"));
    fs::create_dir(&input).unwrap();
    write_input(&input);
    let catalog = build(&[input], &out);
    let snapshots = out.to_str().unwrap();
    let query = |args: &[&str]| pricebook(home.path(), &[&["query"], args].concat());

    let output = query(&["retailers", "--snapshots", snapshots]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(text(&output.stdout).contains("\nitems\n|"), "{}", text(&output.stdout));
    let one = out.join(catalog.id());
    let named = query(&["--snapshot", one.to_str().unwrap(), "--format", "json", "retailers"]);
    let body: Value = serde_json::from_slice(&named.stdout).unwrap();
    assert!(body["items"].as_array().is_some_and(|items| !items.is_empty()), "{body}");

    let output = query(&["best-price", "--limit", "0", "--snapshots", snapshots]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(text(&output.stderr).contains("--limit: must be"), "{}", text(&output.stderr));
    assert_eq!(query(&["best-prize", "--snapshots", snapshots]).status.code(), Some(2));
    let output = query(&["best-price", "--q", "zzzzqqqq", "--format", "json", "--snapshots", snapshots]);
    let problem: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &problem["error"]["code"]), (Some(3), &"NO_RESULTS".into()));
    assert!(text(&output.stderr).contains("no priced listing of us matches --q"), "{}", text(&output.stderr));

    let file = home.path().join("answer.json");
    let output = query(&["retailers", "--snapshots", snapshots, "--out", file.to_str().unwrap()]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(serde_json::from_slice::<Value>(&fs::read(&file).unwrap()).unwrap()["items"].is_array());
    let output = query(&["retailers", "--snapshots", snapshots, "--out", "answer"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--format"), "{}", text(&output.stderr));

    let empty = home.path().join("empty");
    let output = query(&["retailers", "--snapshots", empty.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("pricebook build --demo --out"), "{}", text(&output.stderr));
    assert!(!empty.exists(), "what was named is not invented");
}

#[test]
fn without_an_endpoint_all_are_listed() {
    let home = tempfile::tempdir().unwrap();
    let output = pricebook(home.path(), &["query"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    for route in pricebook::endpoints::routes() {
        let name = route.path.rsplit('/').next().unwrap();
        assert!(said.contains(&format!("  {name} ")) && said.contains(route.summary), "{said}");
    }
    assert!(fs::read_dir(home.path()).unwrap().next().is_none(), "nothing is built to list them");
}

#[test]
fn a_newcomer_gets_the_demo_once() {
    let home = tempfile::tempdir().unwrap();
    let query = || pricebook(home.path(), &["query", "best-price", "--q", "becel", "--country", "ca"]);
    let output = query();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).to_lowercase().contains("becel"), "{}", text(&output.stdout));
    let cache = home.path().join(".cache/pricebook");
    assert!(text(&output.stderr).contains(cache.to_str().unwrap()), "{}", text(&output.stderr));
    let names =
        |dir: &Path| fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(names(home.path()), [".cache"], "the folder in which it is asked is left alone");
    let output = query();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "it is there now");

    // Here is one: the cache is not asked.
    snapshots::publish(&home.path().join("snapshots"), "own", 1_299);
    let output = pricebook(home.path(), &["query", "best-price", "--q", "red kettle", "--format", "json"]);
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&body["meta"]["snapshot_id"], &body["best_price"]["price"]), (&"own".into(), &12.99.into()));
}

#[test]
fn verify_takes_the_current_one() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("snapshots");
    for id in ["a", "b"] {
        snapshots::publish(&out, id, 100);
    }
    for args in [&["verify"][..], &["verify", "snapshots"], &["verify", "snapshots/b"]] {
        let output = pricebook(home.path(), args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with("b is sound"), "{args:?}");
    }
    assert!(text(&pricebook(home.path(), &["verify", "snapshots/a"]).stdout).starts_with("a is sound"));
    let output = pricebook(home.path(), &["verify", "."]);
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("not a directory of snapshots"), "{said}");
}
