//! The forms without scripts: every example through its page, faults, quotes, names from anywhere.

use std::sync::Arc;

use pricebook::endpoints;
use pricebook::query::params::Kind;
use serde_json::Value;

use super::html::{Element, Html};
use super::{demo, of, page, read};
use crate::payment::statuses::Shop;
use crate::support::asking::build;

fn place(path: &str) -> String {
    format!("/explore{}", path.trim_start_matches("/v1"))
}

fn outcome(page: &Html) -> Option<&Element> {
    page.all("section").find(|section| section.has_class("outcome"))
}

/// The JSON that the page holds for scripts.
fn data(page: &Html) -> Value {
    let script = page.all("script").find(|script| script.has_class("answer")).unwrap();
    serde_json::from_str(&script.text).unwrap()
}

/// What two answers to one question have in common: all but their time.
fn timeless(mut answer: Value) -> Value {
    for name in ["computed_at", "freshness_seconds"] {
        answer["meta"].as_object_mut().map(|meta| meta.remove(name));
    }
    answer
}

#[test]
fn every_example_is_answered_on_its_page() {
    let server = demo();
    for route in endpoints::routes().iter().filter(|route| !route.examples.is_empty()) {
        for request in route.example_requests() {
            let target = request.replacen("/v1", "/explore", 1);
            let (status, page) = page(&server, &target);
            assert_eq!(status, 200, "{target}");
            let shown = outcome(&page).unwrap();
            assert_eq!(shown.attribute("data-status"), Some("200"));
            let answer = server.get(shown.attribute("data-request").unwrap()).json();
            assert_eq!(timeless(data(&page)), timeless(answer.clone()), "{target}");
            // Each list of objects is a table with as many rows.
            for (name, rows) in answer.as_object().unwrap() {
                let Some(rows) = rows.as_array().filter(|rows| rows.iter().any(Value::is_object)) else {
                    continue;
                };
                let table =
                    page.all("table").find(|table| table.attribute("data-rows") == Some(name)).unwrap();
                assert_eq!(page.cells(table).len(), rows.len() + 1, "{target}: {name}");
            }
            let copies: Vec<&str> =
                page.all("pre").filter_map(|block| block.attribute("data-language")).collect();
            assert_eq!(copies, ["curl", "python", "typescript"]);
        }
    }
}

#[test]
fn every_parameter_has_a_field_with_label_and_hint() {
    let server = demo();
    for route in endpoints::routes().iter().filter(|route| !route.examples.is_empty()) {
        let (status, page) = page(&server, &place(route.path));
        assert_eq!(status, 200);
        let form = page.all("form").find(|form| form.has_class("ask")).unwrap();
        assert_eq!((form.attribute("method"), form.attribute("data-route")), (Some("get"), Some(route.path)));
        for param in route.params {
            let id = format!("p-{}", param.name);
            let field = page.by_id(&id).unwrap_or_else(|| panic!("{} has {id}", route.path));
            assert_eq!(field.attribute("name"), Some(param.name));
            assert!(page.all("label").any(|label| label.attribute("for") == Some(&id)));
            let hint = page.by_id(field.attribute("aria-describedby").unwrap()).unwrap();
            assert!(hint.text.contains(param.about), "{}", hint.text);
            if let Kind::Word(words, _) = param.kind {
                let options: Vec<&str> =
                    page.within(field, "option").filter_map(|option| option.attribute("value")).collect();
                assert_eq!(options[1..], *words);
            }
        }
    }
}

#[test]
fn a_fault_stands_at_its_field() {
    let server = demo();
    let (status, page) = page(&server, "/explore/shopper/price-history?q=tea&lookback_days=-3&retailer=");
    assert_eq!(status, 400);
    let field = page.by_id("p-lookback_days").unwrap();
    assert_eq!((field.attribute("aria-invalid"), field.attribute("value")), (Some("true"), Some("-3")));
    let described = field.attribute("aria-describedby").unwrap();
    let error = page.by_id(described.split(' ').next().unwrap()).unwrap();
    assert!(error.text.contains("whole number"), "{}", error.text);
    assert_eq!(page.by_id("p-q").unwrap().attribute("value"), Some("tea"));
    assert!(outcome(&page).unwrap().text.contains("INVALID_PARAMS"));
    // What a form sends for an empty field is not asked.
    assert_eq!(
        outcome(&page).unwrap().attribute("data-request"),
        Some("/v1/shopper/price-history?q=tea&lookback_days=-3")
    );
}

#[test]
fn offers_alternatives_for_missing_items() {
    let server = demo();
    let (status, found) = page(&server, "/explore/marketing/share-of-shelf?category=memmory");
    assert_eq!(status, 404);
    let links = found.within(outcome(&found).unwrap(), "a").filter_map(|link| link.attribute("href"));
    let links: Vec<&str> = links.filter(|link| link.contains("category=")).collect();
    assert_eq!(server.get(links[0]).status, 200, "{links:?}");
    let (status, found) = page(&server, "/explore/shopper/best-price?q=tofu&country=us");
    assert_eq!(status, 404);
    let links = found.within(outcome(&found).unwrap(), "a").filter_map(|link| link.attribute("href"));
    let elsewhere = links.into_iter().find(|link| link.contains("country=ca")).unwrap();
    assert_eq!(server.get(elsewhere).status, 200);
}

#[test]
fn a_page_asks_for_quotes_where_answers_are_sold() {
    let shop = Shop::open();
    let target = "/explore/shopper/best-price?q=tofu&country=ca";
    let (status, page) = read(target, &shop.get(target, &[]));
    assert_eq!(status, 200);
    let shown = outcome(&page).unwrap();
    assert!(shown.text.contains("has to be paid for") && shown.text.contains("0.01"), "{}", shown.text);
    assert!(!page.all("script").any(|script| script.has_class("answer")), "no answer is given away");
    let python = page.all("pre").find(|block| block.attribute("data-language") == Some("python")).unwrap();
    assert!(python.text.contains("x402AsyncTransport"));
    let free = shop.get("/explore/public/retailers?country=ca", &[]);
    assert!(outcome(&read("retailers", &free).1).unwrap().text.contains("loblaws"));
    let nothing = shop.get("/explore/shopper/best-price?q=zzyqx&country=ca", &[]);
    assert_eq!(nothing.status, 404);
}

/// A catalog whose names try to be markup.
fn hostile() -> (tempfile::TempDir, super::TestServer) {
    let input = tempfile::tempdir().unwrap();
    let name = "<script>alert(1)</script>\"\"'&amp; </title>";
    let listings = format!(
        "country,platform,product_id,product_name,brand,category_path,url\n\
         us,alpha,\"<b>1\",\"{name}\",\"Br\"\"&<i>\",Tools > Saws,javascript:alert(1)\n\
         us,alpha,2,Saw blade,Plain,Tools > Saws,\n"
    );
    let observations = "country,platform,product_id,date,price\nus,alpha,<b>1,2026-10-14,4.00\nus,alpha,<b>1,2026-10-15,3.00\n\
         us,alpha,2,2026-10-15,9.00\n";
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let out = tempfile::tempdir().unwrap();
    let catalog = build(&[input.path().to_owned()], out.path());
    (input, of(Arc::new(catalog)))
}

#[test]
fn names_are_text_wherever_they_come_from() {
    let (_input, server) = hostile();
    for target in [
        "/",
        "/coverage",
        "/explore/marketing/competitive-landscape?category=saws",
        "/explore/shopper/best-price?q=alert",
        "/product?q=alert&country=us",
        "/category?category=saws&country=us",
        "/category?category=%3Cscript%3Ealert(2)%3C%2Fscript%3E%22%27",
        "/product?q=%3Cscript%3Ealert(2)%3C%2Fscript%3E%22%27",
        "/explore/shopper/best-price?q=%3Cscript%3Ealert(2)%3C%2Fscript%3E%22%27",
        "/explore/marketing/share-of-shelf?category=%22%3E%3Cimg%20src=x%3E",
    ] {
        let (_, page) = page(&server, target);
        for script in page.all("script") {
            assert!(
                script.attribute("src").is_some() || script.has_class("answer"),
                "{target}: {}",
                script.text
            );
        }
        assert!(
            page.all("b").next().is_none()
                && page.all("i").next().is_none()
                && page.all("img").next().is_none()
        );
        assert!(!page.targets().any(|(_, place)| place.starts_with("javascript:")), "{target}");
    }
    let (_, page) = page(&server, "/explore/marketing/competitive-landscape?category=saws");
    assert!(page.all("th").any(|cell| cell.text.starts_with("<script>alert(1)</script>")));
}

#[test]
fn another_catalog_has_requests_of_its_own() {
    let (_input, server) = hostile();
    let mut requests = 0;
    for route in endpoints::routes().iter().filter(|route| !route.examples.is_empty()) {
        let (_, form) = page(&server, &place(route.path));
        let tries = form.all("p").find(|tries| tries.has_class("tries"));
        for link in tries.into_iter().flat_map(|tries| form.within(tries, "a")) {
            let target = link.attribute("href").unwrap();
            assert_eq!(server.get(target).status, 200, "{target}");
            requests += 1;
        }
    }
    assert!(requests >= 4, "{requests}");
}

#[test]
fn a_page_and_each_answer_that_it_asks_for_are_taken_out_of_the_rate() {
    let (_input, server) = hostile();
    let left = |target: &str| {
        let answer = server.get(target);
        answer.header("ratelimit").map(str::to_owned)
    };
    // Loopback is not counted unless it is asked for.
    assert_eq!(left("/coverage"), None);
    let out = tempfile::tempdir().unwrap();
    let (input, _server) = hostile();
    let catalog = build(&[input.path().to_owned()], out.path());
    let options = pricebook::server::ServerOptions {
        rate_loopback: true,
        requests_per_minute: std::num::NonZeroU32::new(60),
        ..Default::default()
    };
    let server = crate::support::server::TestServer::real(std::sync::Arc::new(catalog), &options);
    let left = |target: &str| -> u32 {
        let answer = server.get(target);
        let state = answer.header("ratelimit").unwrap().to_owned();
        let left = state.split(';').find_map(|part| part.trim().strip_prefix("r=")).unwrap();
        left.parse().unwrap()
    };
    let before = left("/v1/public/retailers");
    assert_eq!(left("/docs"), before - 1);
    // The header of a page says what was left before its own requests.
    assert_eq!(left("/explore/public/retailers?country=us"), before - 2);
    assert_eq!(left("/coverage?country=us"), before - 4);
    assert_eq!(left("/docs"), before - 6);
}
