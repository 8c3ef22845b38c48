//! Laws that answers obey whatever the catalog: pages add up to the whole, shares to 100 %, tiers to the shelf; a
//! currency's unit changes no relative figure; a product without a counterpart changes no like-for-like figure.

use crate::oracle;
use std::fmt::Write as _;
use std::path::Path;

use crate::support::asking::{Service, build};
use serde_json::Value;

pub(super) const SEEDS: std::ops::Range<u64> = 40..46;
pub(super) const COUNTRIES: [&str; 2] = ["ca", "us"];

/// A service over generated dirty input.
pub(super) fn dirty(seed: u64) -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    oracle::write_input(input.path(), seed);
    // The mapping outlives the directory's name.
    Service::new(build(&[input.path().to_owned()], out.path()))
}

/// Root categories of a country.
pub(super) fn roots(service: &Service, country: &str) -> Vec<String> {
    let (_, body) = service.ask(&format!("/v1/public/categories?country={country}"));
    let slug = |item: &Value| item["slug"].as_str().unwrap().to_owned();
    body["items"].as_array().unwrap().iter().map(slug).collect()
}

/// The answer, if the catalog has one.
pub(super) fn found(service: &Service, target: &str) -> Option<Value> {
    let (status, body) = service.ask(target);
    assert!(matches!(status, 200 | 404), "{target}: {status} {body}");
    (status == 200).then_some(body)
}

#[test]
fn pages_add_up_to_the_whole() {
    for service in SEEDS.map(dirty) {
        for country in COUNTRIES {
            for root in roots(&service, country) {
                for sort in ["price_asc", "price_desc"] {
                    let page = |cursor: u64, limit: u64| {
                        let target = format!(
                            "/v1/marketing/competitive-landscape?category={root}&country={country}&sort={sort}\
                             &cursor={cursor}&limit={limit}"
                        );
                        found(&service, &target)
                    };
                    let walk = |limit: u64| {
                        let (mut uids, mut prices, mut cursor) = (Vec::new(), Vec::new(), Some(0));
                        while let Some(at) = cursor {
                            let Some(body) = page(at, limit) else { break };
                            for item in body["items"].as_array().unwrap() {
                                uids.push(item["product_uid"].as_str().unwrap().to_owned());
                                prices.push(item["price"].as_f64().unwrap());
                            }
                            cursor = body["next_cursor"].as_u64();
                            assert_eq!(body["has_more"], cursor.is_some());
                        }
                        (uids, prices)
                    };
                    let (uids, prices) = walk(50);
                    assert_eq!(walk(7).0, uids, "{root} {country} {sort}");
                    let ordered = |a: &f64, b: &f64| if sort == "price_asc" { a <= b } else { a >= b };
                    assert!(prices.is_sorted_by(ordered), "{root} {country} {sort}");
                    let mut distinct = uids.clone();
                    distinct.sort_unstable();
                    distinct.dedup();
                    assert_eq!(distinct.len(), uids.len(), "no listing twice");
                }
            }
        }
    }
}

#[test]
fn shares_add_up_and_tiers_partition_the_shelf() {
    let (mut shelves, mut ladders) = (0, 0);
    for service in SEEDS.map(dirty) {
        for country in COUNTRIES {
            for root in roots(&service, country) {
                let share = format!("/v1/marketing/share-of-shelf?category={root}&country={country}");
                if let Some(body) = found(&service, &share) {
                    let brands = body["brands"].as_array().unwrap();
                    let sum: f64 = brands.iter().map(|row| row["share_pct"].as_f64().unwrap()).sum();
                    let count: u64 = brands.iter().map(|row| row["product_count"].as_u64().unwrap()).sum();
                    assert!((sum - 100.0).abs() <= 0.005 * brands.len() as f64 + 1e-9, "{share}: {sum}");
                    assert_eq!(count, body["total_products"].as_u64().unwrap(), "{share}");
                    shelves += 1;
                }
                let bands = format!("/v1/analyst/price-bands?node={root}&country={country}");
                if let Some(body) = found(&service, &bands) {
                    let tiers = body["tiers"].as_array().unwrap();
                    let sum: u64 = tiers.iter().map(|tier| tier["products"].as_u64().unwrap()).sum();
                    assert_eq!(sum, body["products"].as_u64().unwrap(), "{bands}");
                    assert!(
                        tiers.windows(2).all(|pair| pair[0]["upper_bound"] == pair[1]["from"]),
                        "{bands}"
                    );
                    assert!(tiers.last().unwrap()["upper_bound"].is_null(), "{bands}");
                    assert!((1..=5).contains(&tiers.len()), "{bands}");
                    ladders += 1;
                }
            }
        }
    }
    assert!(shelves > 10 && ladders > 5, "{shelves} shelves and {ladders} ladders are enough to speak of");
}

/// A grocer and a rival over three months, prices in `unit` cents; `extra` products live in one month only.
fn write_months(dir: &Path, unit: u64, extra: u64) {
    let (mut listings, mut observations) = (
        "country,platform,product_id,product_name,brand,gtin,category_path\n".to_owned(),
        "country,platform,product_id,date,price,list_price\n".to_owned(),
    );
    for product in 0..60 + extra {
        for (shop, number) in [("grocer", 0), ("rival", 1)] {
            let brand = ["Oak", "Elm", "Ash"][(product % 3) as usize];
            writeln!(listings, "us,{shop},{product},Jar {product},{brand},,Food > Jars").unwrap();
            for (month, day) in [(7, 10), (7, 20), (8, 10), (9, 10), (9, 20)] {
                if product >= 60 && month != 8 {
                    continue;
                }
                let price = unit * (200 + 7 * product + (product * month + number * 13 + day) % 19);
                let list = if (product + month) % 4 == 0 { price * 5 / 4 } else { price };
                let money = |cents: u64| format!("{}.{:02}", cents / 100, cents % 100);
                writeln!(
                    observations,
                    "us,{shop},{product},2026-{month:02}-{day},{},{}",
                    money(price),
                    money(list)
                )
                .unwrap();
            }
        }
    }
    std::fs::write(dir.join("listings.csv"), listings).unwrap();
    std::fs::write(dir.join("observations.csv"), observations).unwrap();
}

fn months(unit: u64, extra: u64) -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_months(input.path(), unit, extra);
    Service::new(build(&[input.path().to_owned()], out.path()))
}

/// Fields of an answer, by pointer.
pub(super) fn figures(service: &Service, target: &str, pointers: &[&str]) -> Vec<Value> {
    let body = found(service, target).unwrap_or_else(|| panic!("{target} is answered"));
    pointers
        .iter()
        .map(|pointer| body.pointer(pointer).unwrap_or_else(|| panic!("{pointer}")).clone())
        .collect()
}

const INFLATION: &str =
    "/v1/analyst/inflation?category=jars&from=2026-07-01&to=2026-10-01&granularity=monthly";
const LIKE_FOR_LIKE: [&str; 8] = [
    "/lfl_change_pct",
    "/lfl_ci95_pct",
    "/lfl_median_pct",
    "/lfl_arithmetic_pct",
    "/lfl_matched",
    "/lfl_rising",
    "/lfl_falling",
    "/lfl_match_rate",
];

#[test]
fn the_unit_of_prices_changes_no_relative_figure() {
    let relative: [(&str, &[&str]); 6] = [
        (INFLATION, &LIKE_FOR_LIKE),
        (INFLATION, &["/overall_change_pct", "/naive_overall_change_pct", "/time_series/1/change_pct"]),
        ("/v1/marketing/share-of-shelf?category=jars", &["/brands"]),
        ("/v1/marketing/promo-intelligence?category=jars&time_window=last_90_days", &["/brands"]),
        (
            "/v1/analyst/retailer-index?retailer=grocer&category=jars&time_window=last_90_days",
            &["/time_series/0/price_index", "/time_series/1/price_index"],
        ),
        ("/v1/analyst/price-bands?node=jars", &["/band/half_width_pct", "/band/clamped"]),
    ];
    let (one, seven) = (months(4, 0), months(28, 0));
    for (target, pointers) in relative {
        assert_eq!(figures(&one, target, pointers), figures(&seven, target, pointers), "{target}");
    }
    let dispersion = ["/coefficient_of_variation", "/iqr_to_median"];
    let target = "/v1/analyst/price-dispersion?category=jars";
    assert_eq!(figures(&one, target, &dispersion), figures(&seven, target, &dispersion));
}

#[test]
fn a_product_without_a_counterpart_moves_no_like_for_like_figure() {
    let (few, more) = (months(4, 0), months(4, 9));
    assert_eq!(figures(&few, INFLATION, &LIKE_FOR_LIKE), figures(&more, INFLATION, &LIKE_FOR_LIKE));
    let averages = ["/time_series/1/avg_price"];
    assert_ne!(figures(&few, INFLATION, &averages), figures(&more, INFLATION, &averages), "averages do move");
}
