//! The methodology page's worked examples, computed by the program over the page's catalog.
//!
//! The catalog is described in the page; [`write_catalog`] is that description in code. Each example is a request in
//! backticks after `GET`, followed by a JSON block of the fields that it explains.

use std::fmt::Write as _;
use std::path::Path;

use crate::oracle::compare;
use crate::support::asking::{Service, build};
use serde_json::Value;

/// Teas of alpha, and how many of them beta sells too.
const TEAS: (u64, u64) = (30, 12);

/// A classification of one brick that has an attribute and one that has none.
const PUBLICATION: &str = r#"{"DateUtc": "2026-05-01T00:00:00Z", "Schema": [
 {"Level": 1, "Code": 50000000, "Title": "Food", "Childs": [
  {"Level": 2, "Code": 50200000, "Title": "Beverages", "Childs": [
   {"Level": 3, "Code": 50201700, "Title": "Hot Drinks", "Childs": [
    {"Level": 4, "Code": 10000116, "Title": "Tea Bags", "Childs": [
     {"Level": 5, "Code": 20000001, "Title": "Type of Tea", "Childs": [
      {"Level": 6, "Code": 30000001, "Title": "BLACK"}, {"Level": 6, "Code": 30000002, "Title": "GREEN"}]}]},
    {"Level": 4, "Code": 10000117, "Title": "Tea Other", "Childs": []}]}]}]}]}"#;

/// A GTIN-13 with its check digit.
pub(super) fn barcode(tea: u64) -> String {
    let body = format!("{}", 400_638_133_300 + tea);
    let weighted: u64 =
        body.bytes().enumerate().map(|(at, digit)| u64::from(digit - b'0') * [1, 3][at % 2]).sum();
    format!("{body}{}", (10 - weighted % 10) % 10)
}

fn write_catalog(dir: &Path) {
    let mut listings = "country,platform,product_id,product_name,brand,gtin,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price,list_price,in_stock\n".to_owned();
    let money = |cents: u64| format!("{}.{:02}", cents / 100, cents % 100);
    // Of its five dearest teas alpha says whether they are in stock.
    let stock = |tea: u64, first_out: u64| match tea {
        26.. if tea >= first_out => "false",
        26.. => "true",
        _ => "",
    };
    for tea in 1..=TEAS.0 {
        let brand = if tea % 2 == 1 { "Leaf" } else { "Cup" };
        let name = format!("Tea Blend {tea:02},{brand},{},Grocery > Tea", barcode(tea));
        let list = if tea <= 5 { money(tea * 150) } else { String::new() };
        writeln!(listings, "us,alpha,a{tea:02},{name}").unwrap();
        writeln!(observations, "us,alpha,a{tea:02},2026-09-15,{},,{}", money(tea * 100), stock(tea, 29))
            .unwrap();
        let (price, in_stock) = (money(tea * 102), stock(tea, 30));
        writeln!(observations, "us,alpha,a{tea:02},2026-10-15,{price},{list},{in_stock}").unwrap();
        if tea <= TEAS.1 {
            writeln!(listings, "us,beta,b{tea:02},{name}").unwrap();
            writeln!(observations, "us,beta,b{tea:02},2026-10-15,{},,", money(tea * 153)).unwrap();
        }
    }
    std::fs::write(dir.join("listings.csv"), listings).unwrap();
    std::fs::write(dir.join("observations.csv"), observations).unwrap();
    std::fs::write(dir.join("gpc.json"), PUBLICATION).unwrap();
}

#[test]
fn the_worked_examples_hold() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_catalog(input.path());
    let service = Service::new(build(&[input.path().to_owned()], out.path()));
    let mut explained = Vec::new();
    for part in include_str!("../../../docs/methodology.md").split("GET `").skip(1) {
        let (target, rest) = part.split_once('`').unwrap();
        let json = rest.split_once("```json").unwrap().1.split_once("```").unwrap().0;
        let expected: Value = serde_json::from_str(json).unwrap();
        let (status, body) = service.ask(target);
        assert_eq!(status, 200, "{target}: {body}");
        let wrong = compare(&expected, &body, "");
        assert!(wrong.is_empty(), "{target}\n{}\n{body}", wrong.join("\n"));
        explained.push(target.split('?').next().unwrap());
    }
    // The social rollups are not published yet, so there is nothing to explain.
    for route in service.routes.iter().filter(|route| !route.path.starts_with("/v1/social")) {
        assert!(explained.contains(&route.path), "{} has no worked example", route.path);
    }
}
