//! Laws of answers about lists of products, whatever the catalog: more retailers are never dearer, how a list is written
//! changes nothing, its order only the order of rows; what prices are told in scales money and nothing else, of lists and
//! of the shelves that they are from; and the totals of the catalog are those of its parts.

use std::fmt::Write as _;
use std::path::Path;

use super::laws::{COUNTRIES, SEEDS, dirty, figures, found, roots};
use super::methodology::barcode;
use crate::support::asking::{Service, build};
use pricebook::types::Country;
use serde_json::Value;

const BASKET: &str = "/v1/shopper/basket";
const BEST_PRICES: &str = "/v1/shopper/best-prices";
const STATS: &str = "/v1/public/stats";

/// A list of products in its normal form: of every third listing the barcode, where it has one, the product or itself.
fn list(service: &Service, country: &str, most: usize) -> Vec<String> {
    let catalog = &service.catalog;
    let rows = catalog.country_rows(Country::parse(country).unwrap());
    let mut ids = Vec::new();
    for (at, row) in rows.enumerate().step_by(3) {
        let listing = catalog.listing(row);
        let id = match (at % 2, listing.gtin()) {
            (0, Some(gtin)) => gtin,
            (0, None) => listing.entity_uid().to_string(),
            _ => listing.uid().to_string(),
        };
        if ids.len() < most && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

fn basket(country: &str, items: &[String]) -> String {
    format!("{BASKET}?country={country}&items={}", items.join(","))
}

/// Of a row or an answer, an amount in cents.
fn cents(value: &Value) -> i64 {
    (value.as_f64().unwrap() * 100.0).round() as i64
}

#[test]
fn a_split_basket_is_never_dearer_than_a_single_one() {
    let (mut baskets, mut savings) = (0, 0);
    for service in SEEDS.map(dirty) {
        for country in COUNTRIES {
            let ids = list(&service, country, 40);
            for items in ids.chunks(7).chain([&ids[..]]) {
                let items: Vec<String> =
                    items.iter().enumerate().map(|(at, id)| format!("{id}*{}", at + 1)).collect();
                let Some(body) = found(&service, &basket(country, &items)) else { continue };
                let split = cents(&body["split"]["total"]);
                let single = &body["single"];
                let saving = cents(&single["completed_total"]) - split;
                assert_eq!(cents(&body["split_saving"]), saving);
                assert!(saving >= 0, "{body}");
                savings += usize::from(saving > 0);
                assert_eq!(single, &body["retailers"][0]);
                let resolved = body["resolved_items"].as_u64().unwrap();
                for at in body["retailers"].as_array().unwrap() {
                    let (total, completed) = (cents(&at["total"]), cents(&at["completed_total"]));
                    assert!(total <= completed && split <= completed, "{at}");
                    let lacks = at["missing"].as_array().unwrap().len() as u64;
                    assert_eq!(at["items_carried"].as_u64().unwrap() + lacks, resolved, "{at}");
                    assert_eq!(total == completed, lacks == 0, "{at}");
                }
                // The pair carries at least what one retailer does, and where it has everything costs no more.
                let pair = &body["pair"];
                assert_eq!(pair.is_null(), body["retailer_count"] == 1);
                if !pair.is_null() {
                    assert!(pair["items_carried"].as_u64() >= single["items_carried"].as_u64());
                    if pair["items_carried"] == resolved {
                        assert!(split <= cents(&pair["total"]));
                    }
                    if pair["items_carried"] == single["items_carried"] {
                        assert!(cents(&pair["total"]) <= cents(&single["total"]));
                    }
                }
                let of_items: i64 = body["items"].as_array().unwrap().iter().filter_map(first_cost).sum();
                assert_eq!(of_items, split, "each item at its first offer");
                baskets += 1;
            }
        }
    }
    assert!(baskets > 20 && savings > 2, "{baskets} baskets, {savings} of which can be split for less");
}

/// What an item costs at its first offer.
fn first_cost(item: &Value) -> Option<i64> {
    let quantity = item["quantity"].as_i64().unwrap();
    item["offers"].get(0).map(|offer| cents(&offer["price"]) * quantity)
}

/// The normal form of a request.
fn canonical(service: &Service, target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap();
    let route = service.routes.iter().find(|route| route.path == path).unwrap();
    let parsed =
        route.parse(query, service.catalog.as_of()).unwrap_or_else(|faults| panic!("{target}: {faults:?}"));
    assert_eq!(route.normal_form(query, service.catalog.as_of()).as_ref(), Some(&parsed.canonical_query));
    parsed.canonical_query
}

/// The same id as somebody else writes it.
fn otherwise(id: &str) -> String {
    match id.strip_prefix('0').filter(|_| id.len() == 14) {
        Some(gtin) => format!("+{}-{}+", &gtin[..7], &gtin[7..]),
        None => format!("+{id}%20"),
    }
}

#[test]
fn two_spellings_of_a_list_are_one_request() {
    for service in SEEDS.map(dirty) {
        for country in COUNTRIES {
            let ids = list(&service, country, 12);
            let otherwise: Vec<String> = ids.iter().map(|id| otherwise(id)).collect();
            let with_ones: Vec<String> = otherwise.iter().map(|id| format!("{id}*1")).collect();
            let plain = basket(country, &ids);
            for spelling in [&otherwise, &with_ones] {
                let spelled = basket(country, spelling);
                assert_eq!(canonical(&service, &plain), canonical(&service, &spelled), "{spelled}");
                assert_eq!(service.ask(&plain), service.ask(&spelled), "{spelled}");
            }
            let is_barcode = |id: &&String| id.len() == 14;
            let gtins: Vec<String> = ids.iter().filter(is_barcode).cloned().collect();
            let Some(first) = gtins.first() else { continue };
            let spelled: Vec<String> = gtins.iter().map(|gtin| self::otherwise(gtin)).collect();
            let target = |ids: &[String]| format!("{BEST_PRICES}?country={country}&gtin={}", ids.join(","));
            let plain = target(&gtins);
            // Again in its first spelling, which is the same id and answered once.
            let twice = format!("{},{first}", target(&spelled));
            assert_eq!(canonical(&service, &plain), canonical(&service, &twice), "{twice}");
            assert_eq!(service.ask(&plain), service.ask(&twice), "{twice}");
        }
    }
}

/// Rows of an answer by the id that they are about, which is sorted by.
fn rows(body: &Value, field: &str) -> Vec<Value> {
    let mut rows = body[field].as_array().unwrap().clone();
    rows.sort_by_key(|row| row["item"].as_str().unwrap().to_owned());
    rows
}

#[test]
fn the_order_of_a_list_is_the_order_of_its_rows_and_no_more() {
    for service in SEEDS.map(dirty) {
        for country in COUNTRIES {
            let ids = list(&service, country, 15);
            let backwards: Vec<String> = ids.iter().rev().cloned().collect();
            let (one, other) = (basket(country, &ids), basket(country, &backwards));
            if let (Some(one), Some(other)) = (found(&service, &one), found(&service, &other)) {
                let order: Vec<&str> = one["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| row["item"].as_str().unwrap())
                    .collect();
                assert_eq!(order, ids);
                assert_eq!(rows(&one, "items"), rows(&other, "items"));
                for field in [
                    "requested_items",
                    "resolved_items",
                    "retailer_count",
                    "pair",
                    "split",
                    "split_saving",
                    "split_saving_pct",
                    "meta",
                ] {
                    assert_eq!(one[field], other[field], "{field}");
                }
                // Only the ids that a retailer lacks are listed in the order of the request.
                let totals = |body: &Value| -> Vec<Value> {
                    let mut retailers = body["retailers"].as_array().unwrap().clone();
                    for at in &mut retailers {
                        at.as_object_mut().unwrap().remove("missing");
                    }
                    retailers
                };
                assert_eq!(totals(&one), totals(&other));
            }
            let uids: Vec<String> = ids.iter().filter(|id| id.starts_with("p_")).cloned().collect();
            let target =
                |uids: &[String]| format!("{BEST_PRICES}?country={country}&product_uid={}", uids.join(","));
            let backwards: Vec<String> = uids.iter().rev().cloned().collect();
            if let (Some(one), Some(other)) =
                (found(&service, &target(&uids)), found(&service, &target(&backwards)))
            {
                assert_eq!(rows(&one, "results"), rows(&other, "results"));
                assert_eq!(one["meta"], other["meta"]);
            }
        }
    }
}

#[test]
fn each_row_is_what_best_price_says_of_that_id() {
    let same = ["scope", "member_count", "match_suspect", "match_suspect_reasons", "best_price"];
    let mut compared = 0;
    for service in SEEDS.map(dirty) {
        for country in COUNTRIES {
            let ids = list(&service, country, 30);
            for parameter in ["product_uid", "entity_uid"] {
                let ids: Vec<&str> =
                    ids.iter().map(String::as_str).filter(|id| id.starts_with(&parameter[..1])).collect();
                if ids.is_empty() {
                    continue;
                }
                let target = format!("{BEST_PRICES}?country={country}&{parameter}={}", ids.join(","));
                let Some(body) = found(&service, &target) else { continue };
                for (row, id) in body["results"].as_array().unwrap().iter().zip(&ids) {
                    let alone = format!("/v1/shopper/best-price?country={country}&{parameter}={id}&limit=50");
                    let alone = found(&service, &alone);
                    assert_eq!(row["status"] == "ok", alone.is_some(), "{row}");
                    let Some(alone) = alone else { continue };
                    for field in same {
                        assert_eq!(row[field], alone[field], "{id} {field}");
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 50, "{compared} rows are enough to speak of");
}

/// Three shops that sell some of forty barcoded jars of six brands, prices in `unit` cents. That is enough for a shop to
/// be asked for by name.
fn write_shops(dir: &Path, unit: u64) {
    let (mut listings, mut observations) = (
        "country,platform,product_id,product_name,brand,gtin,category_path\n".to_owned(),
        "country,platform,product_id,date,price,list_price\n".to_owned(),
    );
    for jar in 0..40 {
        for (shop, number) in [("corner", 0), ("market", 1), ("store", 2)] {
            if (jar + number) % 4 == 3 {
                continue;
            }
            let brand = ["Oak", "Elm", "Ash", "Fir", "Yew", "Bay"][(jar % 6) as usize];
            writeln!(listings, "us,{shop},{jar},Jar {jar},{brand},{},Food > Jars", barcode(jar)).unwrap();
            for (month, day) in [(9, 10), (10, 10)] {
                let price = unit * (200 + 7 * jar + (3 * jar * month + 11 * number + day) % 17);
                let list = if jar % 5 == 0 { price * 5 / 4 } else { price };
                let money = |cents: u64| format!("{}.{:02}", cents / 100, cents % 100);
                let (price, list) = (money(price), money(list));
                writeln!(observations, "us,{shop},{jar},2026-{month:02}-{day},{price},{list}").unwrap();
            }
        }
    }
    std::fs::write(dir.join("listings.csv"), listings).unwrap();
    std::fs::write(dir.join("observations.csv"), observations).unwrap();
}

fn shops(unit: u64) -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_shops(input.path(), unit);
    Service::new(build(&[input.path().to_owned()], out.path()))
}

/// A request, its fields that are money and those that are not.
struct Scaled {
    target: String,
    money: &'static [&'static str],
    shares: &'static [&'static str],
}

fn scaled_basket() -> Scaled {
    let jars: Vec<String> = (0..12).map(|jar| format!("{}*{}", barcode(jar), 1 + jar % 3)).collect();
    Scaled {
        target: format!("{BASKET}?items={}", jars.join(",")),
        money: &[
            "/single/total",
            "/single/completed_total",
            "/retailers/2/total",
            "/retailers/2/completed_total",
            "/pair/total",
            "/split/total",
            "/split_saving",
            "/items/3/offers/0/price",
            "/items/3/offers/1/price",
        ],
        shares: &[
            "/split_saving_pct",
            "/resolved_items",
            "/single/retailer",
            "/single/missing",
            "/retailers/1/retailer",
            "/retailers/1/items_carried",
            "/pair/retailers",
            "/pair/items_carried",
            "/split/retailers",
            "/items/5/offers/0/retailer",
        ],
    }
}

fn scaled_best_prices() -> Scaled {
    let gtins: Vec<String> = (0..20).map(barcode).collect();
    Scaled {
        target: format!("{BEST_PRICES}?gtin={}", gtins.join(",")),
        money: &[
            "/results/4/highest_price",
            "/results/4/best_price/price",
            "/results/5/best_price/list_price",
        ],
        shares: &[
            "/resolved_items",
            "/results/4/entity_uid",
            "/results/4/retailer_count",
            "/results/4/best_price/retailer",
            "/results/5/best_price/savings_pct",
        ],
    }
}

/// Answers about the shelf of these jars.
fn scaled_shelf() -> [Scaled; 7] {
    let of = |path: &str, money, shares| Scaled { target: format!("/v1/{path}"), money, shares };
    [
        of(
            "analyst/category-concentration?category=jars",
            &[],
            &["/hhi", "/cr4_pct", "/effective_groups", "/fragmentation", "/largest"],
        ),
        of(
            "analyst/price-change-leaders?category=jars",
            &["/items/0/from_price", "/items/0/to_price", "/items/0/change_amount", "/items/1/price"],
            &[
                "/bands",
                "/matched",
                "/rising",
                "/stable",
                "/falling",
                "/leaders",
                "/items/0/product_uid",
                "/items/0/change_pct",
                "/items/1/change_pct",
            ],
        ),
        of(
            "analyst/price-index?category=jars",
            &["/contributions/up/0/from_price", "/contributions/up/0/to_price"],
            &[
                "/index",
                "/index_ci95",
                "/methods",
                "/panel",
                "/contributions/matched",
                "/contributions/up/0/change_pct",
                "/contributions/up/0/contribution_pct",
                "/time_series",
            ],
        ),
        of(
            "marketing/price-positioning?category=jars&retailer=market",
            &[],
            &["/products", "/price_index", "/median_index", "/category_percentile", "/matched_index"],
        ),
        of(
            "marketing/retailer-assortment?category=jars&retailer=market",
            &["/gaps/0/lowest_price"],
            &["/share_pct", "/brands", "/exclusive_entities", "/overlap", "/gap_entities", "/churn"],
        ),
        of(
            "marketing/brand-breakdown?brand=oak",
            &["/min_price", "/max_price", "/retailers/0/max_price"],
            &["/products", "/entities", "/share_pct", "/lfl_matched", "/retailers/0/share_pct"],
        ),
        scaled_summary(),
    ]
}

fn scaled_summary() -> Scaled {
    Scaled {
        target: "/v1/analyst/category-summary?category=jars&time_window=last_60_days".to_owned(),
        money: &["/price/min", "/price/max"],
        shares: &[
            "/products",
            "/entities",
            "/cross_retailer_entities",
            "/conditions",
            "/retailers",
            "/brands",
            "/lfl_change_pct",
            "/lfl_matched",
            "/lfl_rising",
            "/promo",
            "/availability",
            "/freshness",
            "/notes",
        ],
    }
}

#[test]
fn the_unit_of_prices_scales_money_and_leaves_shares() {
    let (one, seven) = (shops(4), shops(28));
    let requests = [scaled_basket(), scaled_best_prices()].into_iter().chain(scaled_shelf());
    for Scaled { target, money, shares } in requests {
        let amounts = |service| figures(service, &target, money).iter().map(cents).collect::<Vec<_>>();
        let times_seven: Vec<i64> = amounts(&one).iter().map(|amount| 7 * amount).collect();
        assert_eq!(times_seven, amounts(&seven), "{target}");
        let of_one = figures(&one, &target, shares);
        assert!(of_one.iter().all(|share| !share.is_null()), "{target}: {of_one:?}");
        assert_eq!(of_one, figures(&seven, &target, shares), "{target}");
    }
}

#[test]
fn the_totals_of_the_catalog_are_those_of_its_parts() {
    for service in SEEDS.map(dirty) {
        let (_, both) = service.ask(STATS);
        let shown = both["countries"].as_array().unwrap();
        assert_eq!(shown.iter().map(|of| &of["country"]).collect::<Vec<_>>(), ["us", "ca"]);
        for field in ["listings", "priced_listings", "observations"] {
            let sum: u64 = shown.iter().map(|of| of[field].as_u64().unwrap()).sum();
            assert_eq!(both[field], sum, "{field}");
        }
        let counts = service.catalog.manifest().counts;
        assert_eq!(
            (&both["listings"], &both["observations"]),
            (&counts.listings.into(), &counts.observations.into())
        );
        for of in shown {
            let country = of["country"].as_str().unwrap();
            let (_, alone) = service.ask(&format!("{STATS}?country={country}"));
            assert_eq!(alone["countries"].as_array().unwrap(), std::slice::from_ref(of));
            assert_eq!(alone["listings"], of["listings"]);
            let count = |field: &str| of[field].as_u64().unwrap();
            let tree = format!("/v1/public/categories?country={country}");
            let (_, tree) = service.ask(&tree);
            assert_eq!(tree["total"], count("category_root_count"));
            let products = |item: &Value| item["products"].as_u64().unwrap();
            let priced: u64 = tree["items"].as_array().unwrap().iter().map(products).sum();
            assert_eq!(priced, count("priced_listings"), "each priced listing lies below one root");
            let (_, retailers) = service.ask(&format!("/v1/public/retailers?country={country}"));
            let retailers = retailers["items"].as_array().unwrap();
            let served = retailers.iter().filter(|item| item["is_serving_eligible"] == true).count();
            assert_eq!(count("serving_eligible_retailer_count"), served as u64);
            assert!(count("retailer_count") >= retailers.len() as u64);
            assert!(count("cross_retailer_entities") <= count("priced_entities"));
            assert!(count("priced_entities") <= count("entities") && count("entities") <= count("listings"));
            assert_eq!(count("observations") == 0, of["observed_from"].is_null());
            // A catalog of one root says the same of that root.
            if let [root] = &roots(&service, country)[..]
                && let Some(body) = found(
                    &service,
                    &format!("/v1/analyst/category-summary?category={root}&country={country}"),
                )
            {
                assert_eq!(body["products"], count("priced_listings"));
                assert_eq!(body["entities"], count("priced_entities"));
                assert_eq!(body["cross_retailer_entities"], count("cross_retailer_entities"));
            }
        }
    }
}
