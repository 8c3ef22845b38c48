//! A generated input: the same bytes whoever makes it, a clean build, and answers that say something.

use std::path::{Path, PathBuf};

use crate::oracle::{self, Oracle};
use crate::support::asking::{self, Service};
use crate::support::generated::{catalog, options};
use pricebook::catalog::Catalog;
use pricebook::cli::generate::{self, GenerateOptions};
use pricebook::index::run::{self, Report};
use pricebook::ingest::{Arguments, Silent};
use rayon::ThreadPoolBuilder;
use serde_json::Value;

/// Paths and hashes of all files below a folder, in order.
fn hashes(folder: &Path) -> Vec<(PathBuf, blake3::Hash)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let hash = blake3::hash(&std::fs::read(&path).unwrap());
                found.push((path.strip_prefix(folder).unwrap().to_owned(), hash));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Hashes of what a pool of so many threads generates.
fn generated_by(threads: usize, options: &GenerateOptions) -> Vec<(PathBuf, blake3::Hash)> {
    let out = tempfile::tempdir().unwrap();
    let options = GenerateOptions { out: out.path().join("new"), ..options.clone() };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| generate::run(&options, &|_| ()).unwrap());
    hashes(&options.out)
}

#[test]
fn bytes_follow_from_the_arguments() {
    // Enough for several row groups, and for several parts of few days.
    for (listings, days, every) in [(9_000, 60, 1), (70_000, 8, 3)] {
        let options = GenerateOptions { every, ..options(listings, days, 11, Path::new("")) };
        let files = generated_by(1, &options);
        assert_eq!(files, generated_by(4, &options));
        assert!(files.iter().any(|(path, _)| path.ends_with("part-000/observations.parquet")), "{files:?}");
        let other = generated_by(4, &GenerateOptions { seed: 12, ..options });
        assert_ne!(files.last(), other.last());
    }
}

#[test]
fn days_are_observed_backwards_from_the_last() {
    let out = tempfile::tempdir().unwrap();
    let options = GenerateOptions { every: 7, churn_pct: 0.0, ..options(500, 30, 3, out.path()) };
    let mut days: Vec<i32> =
        catalog(&options).iter().flat_map(|listing| &listing.prices).map(|price| price.day).collect();
    days.sort_unstable();
    days.dedup();
    let last = generate::LAST_DAY.days();
    assert_eq!(days, [last - 28, last - 21, last - 14, last - 7, last]);
}

#[test]
fn without_churn_every_day_is_there() {
    let out = tempfile::tempdir().unwrap();
    let options = GenerateOptions { churn_pct: 0.0, ..options(2_000, 20, 3, out.path()) };
    let listings = catalog(&options);
    assert!(listings.iter().all(|listing| listing.prices.len() == 20));
}

fn built(options: &GenerateOptions, out: &Path) -> (Report, Catalog) {
    generate::run(options, &|_| ()).unwrap();
    let build = run::Options {
        arguments: Arguments::folders([options.out.clone()]),
        out: out.to_owned(),
        max_rejects_pct: 0.1,
        ..run::Options::default()
    };
    let report = run::run(&build, &Silent).unwrap().report;
    let catalog = Catalog::open(&out.join(&report.id)).unwrap();
    (report, catalog)
}

#[test]
fn small_catalogs_agree_with_the_oracle() {
    for (listings, days, every, seed) in [(60, 40, 1, 5), (300, 90, 7, 6)] {
        let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = GenerateOptions { every, ..options(listings, days, seed, input.path()) };
        let service = Service::new(built(&options, out.path()).1);
        let mut oracle = Oracle::load(&[input.path().to_owned()]);
        oracle.links = asking::links(&service.catalog).into_iter().map(Into::into).collect();
        let (mut failures, mut found) = (Vec::new(), 0);
        for request in oracle::requests(&oracle, seed).into_iter().filter(|request| service.knows(request)) {
            let (status, body) = service.ask(&request);
            found += usize::from(status == 200);
            let wrong = oracle.check(&oracle.answer(&request), &request, status, &body);
            failures.extend(wrong.first().map(|first| format!("{request}\n    {first}")));
        }
        assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
        assert!(found > 100, "only {found} requests were answered");
    }
}

/// The answer of a request that must be answered.
#[track_caller]
fn ask(service: &Service, request: &str) -> Value {
    let (status, body) = service.ask(request);
    assert_eq!(status, 200, "{request}: {body}");
    body
}

fn rows(answer: &Value, field: &str) -> usize {
    answer[field].as_array().unwrap_or_else(|| panic!("no {field} in {answer}")).len()
}

#[test]
fn answers_say_something() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (report, catalog) = built(&options(20_000, 60, 4, input.path()), out.path());
    assert_eq!((report.input.rejected_rows, report.counts.listings), (0, 20_000));
    assert!(report.coverage["serving"] > 50 && report.coverage["thin"] > 50, "{:?}", report.coverage);
    let service = Service::new(catalog);
    shopper(&service);
    marketing(&service);
    analyst(&service);
    reference(&service);
}

fn shopper(service: &Service) {
    let page = ask(service, "/v1/marketing/competitive-landscape?category=headphones&limit=50&cursor=400");
    let items = page["items"].as_array().unwrap();
    let shared =
        items.iter().find(|item| item["match_type"] == "entity").expect("a product at several retailers");
    let uid = shared["product_uid"].as_str().unwrap();
    for path in ["best-price", "price-history", "price-drop-alert"] {
        ask(service, &format!("/v1/shopper/{path}?product_uid={uid}"));
    }
    let name = shared["product_name"].as_str().unwrap();
    let words: Vec<&str> =
        name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| word.len() > 2).collect();
    let by_text = ask(service, &format!("/v1/shopper/best-price?q={}", words.join("+")));
    assert!(by_text["resolved_product"].is_object(), "{by_text}");
    let deals = ask(service, "/v1/shopper/deal-finder?category=groceries&min_discount_pct=10");
    assert!(rows(&deals, "items") > 10, "{deals}");
}

fn marketing(service: &Service) {
    for aggregate in ["brand", "retailer"] {
        let promo = ask(
            service,
            &format!("/v1/marketing/promo-intelligence?category=groceries&aggregate_by={aggregate}"),
        );
        assert!(rows(&promo, &format!("{aggregate}s")) > 5, "{promo}");
    }
    let shelf = ask(service, "/v1/marketing/share-of-shelf?category=headphones");
    assert!(rows(&shelf, "brands") > 10, "{shelf}");
    let brand = shelf["brands"][0]["brand"].as_str().unwrap().replace(' ', "+").replace('&', "%26");
    let tracked =
        ask(service, &format!("/v1/marketing/brand-tracker?brand={brand}&time_window=last_60_days"));
    assert!(rows(&tracked, "retailers") > 3, "{tracked}");
}

fn analyst(service: &Service) {
    for (shelf, least) in [
        ("category=headphones", 500),
        ("department=groceries", 1_500),
        ("department=electronics&country=ca", 100),
    ] {
        let inflation = ask(service, &format!("/v1/analyst/inflation?{shelf}&time_window=last_60_days"));
        assert!(inflation["lfl_matched"].as_u64().unwrap() > least, "{inflation}");
        assert!(inflation["lfl_change_pct"].is_f64() && rows(&inflation, "time_series") > 5, "{inflation}");
        let spread = ask(service, &format!("/v1/analyst/price-dispersion?{shelf}"));
        assert!(spread["cross_retailer"]["entities"].as_u64().unwrap() > 5, "{spread}");
    }
    let bands = ask(service, "/v1/analyst/price-bands?node=headphones");
    assert_eq!((&bands["band"]["clamped"], rows(&bands, "tiers")), (&Value::Bool(false), 5), "{bands}");
    let index = ask(service, "/v1/analyst/retailer-index?retailer=northmart&department=groceries");
    let points = index["time_series"].as_array().unwrap();
    assert!(points.iter().any(|point| point["matched_index"].is_f64()), "{index}");
}

fn reference(service: &Service) {
    let cells = ask(service, "/v1/public/coverage?quality_status=serving");
    assert!(cells["total"].as_u64().unwrap() > 50, "{cells}");
    let classes = ask(service, "/v1/reference/classify?q=Headphones,Accessories");
    assert_eq!(classes["results"][0]["match_kind"], "exact", "{classes}");
    assert_eq!(classes["results"][1]["match_kind"], "co_equal", "{classes}");
    let landscape = ask(service, "/v1/marketing/competitive-landscape?category=headphones");
    assert_eq!(landscape["resolved"]["match_source"], "segment");
    let alias = ask(service, "/v1/marketing/competitive-landscape?category=cans");
    assert_eq!(alias["resolved"]["match_source"], "alias");
    let brick = ask(service, "/v1/marketing/competitive-landscape?category=90101011");
    assert_eq!(brick["resolved"]["match_source"], "gpc");
}
