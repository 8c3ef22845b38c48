//! Numbers and dates in the forms of a file: what its own form does not read is rejected.

use std::fs;
use std::path::Path;

use pricebook::index::run::{Options, Report, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::{Arguments, Silent};
use serde_json::{Value, json};

/// Builds an input of one shop with ten listings and these observations, each behind its keys; the report and what is
/// rejected.
fn built(out: &Path, rows: &[&str]) -> (Report, Vec<Value>) {
    let input = tempfile::tempdir().unwrap();
    let listings: Vec<String> = (0..10).map(|id| format!("us;shop;{id};Thing {id}\n")).collect();
    let prices: Vec<String> =
        rows.iter().enumerate().map(|(at, row)| format!("us;shop;{};{row}\n", at % 10)).collect();
    fs::write(
        input.path().join("listings.csv"),
        format!("country;platform;product_id;product_name\n{}", listings.concat()),
    )
    .unwrap();
    let header = "country;platform;product_id;date;price;list_price\n";
    fs::write(input.path().join("observations.csv"), format!("{header}{}", prices.concat())).unwrap();
    let options = Options {
        arguments: Arguments::folders([input.path()]),
        out: out.to_owned(),
        max_rejects_pct: 50.0,
        linking: Linking::Off,
        ..Options::default()
    };
    let built = run(&options, &Silent).unwrap();
    let rejected = out.join("reports").join(&built.report.id).join("rejected.ndjson");
    let rejected = fs::read_to_string(rejected).unwrap();
    (built.report, rejected.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn a_point_in_a_file_of_decimal_commas_is_not_a_price() {
    let out = tempfile::tempdir().unwrap();
    let rows = [
        "2026-03-01;12,99;",
        "2026-03-01;1.299,00;",
        "2026-03-01;3.99;",
        "2026-03-01;4,99;5.99",
        "2026-03-01;1.299;",
    ];
    let (report, rejected) = built(out.path(), &rows);
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    let said = ["line", "reason", "value"].map(|field| &rejected[0][field]);
    assert_eq!(said, [&json!(4), &json!("unparsable_price"), &json!("3.99")]);
    assert_eq!(report.input.ignored_list_prices.count, 1);
}
