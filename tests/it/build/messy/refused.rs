//! Folders of which nothing can come: the sentence says why, and what to do.

use super::{LIST, build, build_text};
use crate::support::written::Table;

const LISTING: &str = "country,platform,product_id,product_name\nus,acme,A-1,Kettle\n";
const OBSERVATIONS: &str = "country,platform,product_id,date,price\n";

fn with_listings(name: &str, bytes: &[u8]) -> super::Outcome {
    build(&[("listings.csv", LISTING.as_bytes()), (name, bytes)])
}

#[test]
fn refuses_input_without_data_files() {
    build(&[]).refused(&["no listings in IN", "no files were found"]);
    build(&[("photos/1.jpg", b"\xff\xd8"), ("photos/2.jpg", b"\xff\xd8")]).refused(&[
        "no listings in IN",
        "IN/photos/1.jpg",
        "IN/photos/2.jpg",
    ]);
}

#[test]
fn files_without_rows() {
    build_text("prices.csv", "").refused(&["IN/prices.csv", "the file is empty"]);
    with_listings("observations.csv", b"").refused(&["IN/observations.csv", "the file is empty"]);
    with_listings("observations.csv", b"\n\n").refused(&["IN/observations.csv", "the file is empty"]);
    with_listings("observations.csv", OBSERVATIONS.as_bytes())
        .refused(&["does not contain a valid observation", "IN/observations.csv"]);
    build_text("prices.csv", "country,platform,product_id,product_name,date,price\n")
        .refused(&["no row", "IN/prices.csv"]);
}

#[test]
fn files_that_are_something_else() {
    with_listings("observations.pdf", b"%PDF-1.7").refused(&[
        "IN/observations.pdf",
        "this format is not supported",
        ".csv",
    ]);
    build(&[("listings.pdf", b"%PDF-1.7")]).refused(&[
        "no listings in IN",
        "IN/listings.pdf",
        "this format is not supported",
        ".csv",
    ]);
    with_listings("observations.json", b"[{\"price\":1}]").refused(&[
        "IN/observations.json",
        "one object per line",
        ".ndjson",
    ]);
    with_listings("observations.xlsx", b"<html><table>").refused(&[
        "IN/observations.xlsx",
        "not a workbook",
        "save it as",
    ]);
    with_listings("observations.csv", b"PK\x03\x04\x14\0\0\0rest")
        .refused(&["IN/observations.csv", "zip archive"]);
    with_listings("observations.csv", b"%PDF-1.7\n%\xe2\xe3").refused(&["IN/observations.csv", "PDF"]);
    with_listings("observations.parquet", b"PAR1").refused(&["IN/observations.parquet"]);
    with_listings("observations.csv.gz", OBSERVATIONS.as_bytes())
        .refused(&["IN/observations.csv.gz", "the file cannot be decompressed"]);
    with_listings("observations.csv.zst", OBSERVATIONS.as_bytes())
        .refused(&["IN/observations.csv.zst", "the file cannot be decompressed"]);
    build_text("prices.ndjson", "[\n{\"country\":\"us\"}\n]\n")
        .refused(&["IN/prices.ndjson", "missing required column"]);
}

#[test]
fn one_table_alone() {
    build(&[("listings.csv", LISTING.as_bytes())]).refused(&["no observations in IN"]);
    let observation = format!("{OBSERVATIONS}us,acme,A-1,2026-10-31,1\n");
    build(&[("observations.csv", observation.as_bytes())]).refused(&["no listings in IN"]);
    // The one name hides the others.
    build(&[("listings.csv", LISTING.as_bytes()), ("prices.csv", observation.as_bytes())]).refused(&[
        "no observations in IN",
        "IN/prices.csv",
        "--observations",
    ]);
}

#[test]
fn observations_of_other_listings() {
    let observations = format!("{OBSERVATIONS}us,acme,a-1,2026-10-31,1\nus,acme,A-9,2026-10-31,1\n");
    with_listings("observations.csv", observations.as_bytes()).refused(&[
        "does not contain a valid observation",
        "no_listing 2, first IN/observations.csv:2 \"a-1\"",
        "Add the listing, or correct the key",
    ]);
}

#[test]
fn columns_that_are_missing() {
    let text = LIST.text().replacen("country", "colour", 1);
    build_text("prices.csv", &text).refused(&[
        "IN/prices.csv",
        "missing required column country",
        "the file has the columns colour, platform",
    ]);
    let broken = OBSERVATIONS.replace("date", "day") + "us,acme,A-1,2026-10-31,1\n";
    with_listings("observations.csv", broken.as_bytes()).refused(&[
        "IN/observations.csv",
        "missing required column date",
        "did you mean date for day?",
    ]);
}

#[test]
fn workbooks_with_other_names() {
    let strange =
        |names: &str| Table::new(names, &[&["us", "Best Buy", "1", "Tea", "2026-10-31", "1.99"]]).xlsx();
    let shop = strange("Country,Retailer,SKU,Title,Date,Price");
    let proposed =
        ["platform for Retailer", "product_id for SKU", "product_name for Title", "--write-map FILE"];
    build(&[("shop.xlsx", &shop)]).refused(&[&["IN/shop.xlsx"], &proposed[..]].concat());
    build(&[("listings.xlsx", &shop), ("observations.xlsx", &shop)])
        .refused(&[&["IN/listings.xlsx"], &proposed[..]].concat());
    build(&[("shop.xlsx", &strange("Price list of October,,,,,"))]).refused(&[
        "IN/shop.xlsx",
        "the first row of a sheet must contain their names",
        "Sheet1 begins with Price list of October",
    ]);
}
