//! The page about the input says what the source says, and its example is built.
//!
//! A change to a column or a reason is seen in review: `UPDATE_GOLDEN=1 cargo test --test it input_page` writes the
//! derived tables anew.

use std::fmt::Write as _;
use std::path::Path;

use pricebook::index::run::{MAX_REJECTS_PCT, REPORTS};
use pricebook::ingest::report::EXAMPLES_MAX;
use pricebook::ingest::{Reason, limits};
use pricebook::snapshot::tables::{Input, ListingInput, ObservationInput, VariantInput};
use pricebook::types::Day;
use pricebook::types::money::PRICE_MAX;
use pricebook::types::platform::PLATFORM_BYTES_MAX;
use serde_json::Value;

use crate::oracle::compare;
use crate::support::asking::{Service, build};

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/input.md")
}

fn columns(columns: &[Input]) -> String {
    let mut table = "| column | required | form | example | meaning |\n|---|---|---|---|---|\n".to_owned();
    for Input { name, required, form, example, about } in columns {
        let required = if *required { "**yes**" } else { "no" };
        writeln!(table, "| `{name}` | {required} | {form} | `{example}` | {} |", about.trim()).unwrap();
    }
    table
}

fn reasons() -> String {
    let mut table = "| reason | the row | what to change |\n|---|---|---|\n".to_owned();
    for reason in Reason::ALL {
        writeln!(table, "| `{}` | {} | {} |", reason.code(), reason.about(), reason.remedy()).unwrap();
    }
    table
}

/// The page with what is derived put in anew.
fn derived(mut page: String) -> String {
    let tables = [
        ("listings", columns(ListingInput::ALL)),
        ("observations", columns(ObservationInput::ALL)),
        ("variants", columns(VariantInput::ALL)),
        ("reasons", reasons()),
    ];
    for (name, table) in tables {
        let opening = format!("<!-- derived: {name} -->\n");
        let from = page.find(&opening).unwrap_or_else(|| panic!("no place for {name}")) + opening.len();
        let to = from + page[from..].find("<!-- end -->").unwrap();
        page.replace_range(from..to, &table);
    }
    page
}

#[test]
fn the_input_page_is_that_of_the_source() {
    let written = std::fs::read_to_string(page()).unwrap();
    let now = derived(written.clone());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(page(), &now).unwrap();
        return;
    }
    assert_eq!(written, now, "docs/input.md is out of date: see {}", file!());
}

#[test]
fn limits_are_those_of_the_source() {
    let page = std::fs::read_to_string(page()).unwrap();
    let grouped = |number: u64| {
        let digits = number.to_string();
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
        groups.join(",")
    };
    for limit in [
        format!("{}.00", grouped(u64::from(PRICE_MAX.get()) / 100)),
        format!("{} to {}", Day::OBSERVED_MIN, Day::OBSERVED_MAX),
        format!("| {PLATFORM_BYTES_MAX} bytes |"),
        format!("| a name | {} bytes |", grouped(limits::NAME_BYTES_MAX as u64)),
        format!("| a product id, a brand | {} bytes |", grouped(limits::PRODUCT_ID_BYTES_MAX as u64)),
        format!("| an address, a category path | {} bytes |", grouped(limits::URL_BYTES_MAX as u64)),
        format!("| segments of a category path | {} |", limits::CATEGORY_DEPTH_MAX),
        format!("| categories, over both countries | {} |", grouped(limits::CATEGORY_NODES_MAX as u64)),
        format!(
            "| {} columns, {} MiB |",
            grouped(limits::COLUMNS_MAX as u64),
            limits::HEADER_BYTES_MAX >> 20
        ),
        format!("| nesting of JSON | {} deep |", limits::JSON_DEPTH_MAX),
        format!("{} nodes; a date", grouped(limits::CLASSIFICATION_NODES_MAX as u64)),
        format!("a date of {} bytes", limits::RELEASE_BYTES_MAX),
        format!("more than {} days lie between", limits::GAP_DAYS_MAX),
        format!("less than {} % of all observations", limits::BEHIND_PCT_MIN),
        format!("more than {MAX_REJECTS_PCT} %"),
        format!("first {EXAMPLES_MAX} examples"),
    ] {
        assert!(page.contains(&limit), "{limit} is not in the page");
    }
}

/// Reasons name the limit that they are about.
#[test]
fn reasons_name_their_limits() {
    for (reason, limit) in [
        (Reason::NestedTooDeep, limits::JSON_DEPTH_MAX),
        (Reason::ProductIdTooLong, limits::PRODUCT_ID_BYTES_MAX),
        (Reason::NameTooLong, limits::NAME_BYTES_MAX),
        (Reason::BrandTooLong, limits::BRAND_BYTES_MAX),
        (Reason::UrlTooLong, limits::URL_BYTES_MAX),
        (Reason::CategoryPathTooLong, limits::CATEGORY_PATH_BYTES_MAX),
        (Reason::CategoryTooDeep, limits::CATEGORY_DEPTH_MAX),
        (Reason::DateFarAhead, limits::GAP_DAYS_MAX.into()),
    ] {
        let said: String = reason.about().chars().filter(|letter| *letter != ',').collect();
        assert!(said.contains(&format!(" {limit} ")), "{said}");
    }
}

/// The report has these fields and no others, but for sizes that stand in `counts` too.
#[test]
fn every_field_of_the_report_is_explained() {
    let (page, report) = (std::fs::read_to_string(page()).unwrap(), example().1);
    let report: Value = serde_json::from_str(&report).unwrap();
    let input = report["input"].as_object().unwrap().keys();
    let of_input = input.filter(|name| report["counts"].get(name).is_none());
    let names = report.as_object().unwrap().keys().filter(|name| *name != "input").cloned();
    for name in names.chain(of_input.map(|name| format!("input.{name}"))) {
        assert!(page.contains(&format!("`{name}`")), "{name} of the report is not in the page");
    }
}

/// The blocks of the page that are files, by name.
fn files() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(page()).unwrap();
    let blocks = page.split("\n```").skip(1).step_by(2).filter_map(|block| {
        let (head, body) = block.split_once('\n')?;
        let (_, name) = head.split_once(' ')?;
        Some((name.to_owned(), format!("{body}\n")))
    });
    blocks.collect()
}

fn file(name: &str) -> String {
    files().into_iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// Builds the page's example: the snapshot, its report, and its rejected rows.
fn example() -> (Service, String, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("example")).unwrap();
    for (name, text) in
        files().into_iter().filter(|(name, _)| Path::new(name).extension() == Some("csv".as_ref()))
    {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let out = dir.path().join("snapshots");
    let service = Service::new(build(&[dir.path().join("example")], &out));
    let reports = out.join(REPORTS).join(service.catalog.id());
    let read = |name: &str| std::fs::read_to_string(reports.join(name)).unwrap();
    let above = format!("{}/", dir.path().display());
    (service, read("report.json"), read("rejected.ndjson").replace(&above, ""))
}

#[test]
fn the_example_is_built_and_answers() {
    let (service, report, rejected) = example();
    assert_eq!(rejected, file("example/rejected.ndjson"));
    let holds = |expected: &str, found: &Value| {
        let expected: Value = serde_json::from_str(&file(expected)).unwrap();
        let wrong = compare(&expected, found, "");
        assert!(wrong.is_empty(), "{}\n{found}", wrong.join("\n"));
    };
    holds("example/report.json", &serde_json::from_str(&report).unwrap());
    let (status, answer) = service.ask("/v1/shopper/best-price?q=036000291452&country=ca");
    assert_eq!(status, 200);
    holds("example/answer.json", &answer);
}
