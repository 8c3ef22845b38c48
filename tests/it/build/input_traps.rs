//! What real files hold, one small input per trap.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::support::cleaned::clean;
use flate2::Compression;
use flate2::write::GzEncoder;
use polars::prelude::{DataFrame, IntoColumn, NamedFrom, ParquetWriter, Series};
use pricebook::index::normalized::{Canonical, NONE, PROMO, STOCK_IN, STOCK_MASK, STOCK_OUT};
use pricebook::ingest::mapping::InputMapping;
use pricebook::ingest::{Arguments, InputReport, RejectWriter};
use tempfile::TempDir;

const LISTINGS: &str = "country,platform,product_id,product_name,brand,gtin,category_path\n";
const OBSERVATIONS: &str = "country,platform,product_id,date,price,list_price,in_stock,promo,currency\n";

/// What came of an input.
pub(super) struct Cleaned {
    pub(super) tables: Canonical,
    pub(super) report: InputReport,
    /// Lines of `rejected.ndjson`.
    pub(super) rejected: String,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder with these files.
pub(super) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

pub(super) fn try_clean(folders: &[PathBuf]) -> anyhow::Result<Cleaned> {
    read_arguments(&Arguments::folders(folders))
}

/// Cleans these files by a mapping.
pub(super) fn clean_mapped(mapping: &str, files: &[(&str, &[u8])]) -> anyhow::Result<Cleaned> {
    let folder = folder(files);
    let mapping = InputMapping::of_text(mapping).unwrap();
    read_arguments(&Arguments { mapping, ..Arguments::folders([folder.path()]) })
}

fn read_arguments(arguments: &Arguments) -> anyhow::Result<Cleaned> {
    let out = Shared::default();
    let mut rejects = RejectWriter::new(Box::new(out.clone()));
    let mut report = InputReport::default();
    let tables = clean(arguments, &mut rejects, &mut report)?;
    rejects.report(&mut report);
    rejects.flush()?;
    tables.check().unwrap();
    let rejected = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
    Ok(Cleaned { tables, report, rejected })
}

pub(super) fn clean_files(files: &[(&str, &[u8])]) -> Cleaned {
    let folder = folder(files);
    try_clean(&[folder.path().to_path_buf()]).unwrap()
}

pub(super) fn error_of(files: &[(&str, &[u8])]) -> String {
    let folder = folder(files);
    format!("{:#}", try_clean(&[folder.path().to_path_buf()]).err().expect("an error"))
}

/// Cleans these rows, below the usual headers.
fn rows(listings: &str, observations: &str) -> Cleaned {
    let (listings, observations) = (format!("{LISTINGS}{listings}"), format!("{OBSERVATIONS}{observations}"));
    clean_files(&[("listings.csv", listings.as_bytes()), ("observations.csv", observations.as_bytes())])
}

/// One listing with these rows of observations, each behind its key.
fn observed(rows_: &[&str]) -> Cleaned {
    let lines: Vec<_> = rows_.iter().map(|row| format!("us,shop,1,{row}\n")).collect();
    rows("us,shop,1,Thing,,,\n", &lines.concat())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reasons in the order of the file.
pub(super) fn reasons(cleaned: &Cleaned) -> Vec<(u64, String)> {
    let lines = cleaned.rejected.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.map(|line| (line["line"].as_u64().unwrap(), line["reason"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn barcodes_that_are_none_leave_the_listing() {
    let cleaned = rows(
        "us,shop,1,Sci,,4.81E+10,\nus,shop,2,Lost zeros,,11115001554,\nus,shop,3,Store code,,2000000000046,\n\
         us,shop,4,PLU,,4011,\nus,shop,5,Whole,,00011115001554,\nus,shop,6,Export,,11115001554.0,\n",
        "us,shop,1,2026-01-01,1,,,,\n",
    );
    let listings = &cleaned.tables.listings;
    assert_eq!(listings.gtin, [0, 11_115_001_554, 0, 0, 11_115_001_554, 11_115_001_554]);
    assert_eq!(listings.entity_uid[1], listings.entity_uid[4]);
    assert_ne!(listings.entity_uid[0], listings.entity_uid[2]);
    let faults = &cleaned.report.unusable_barcodes;
    assert_eq!(faults["scientific_notation"].count, 1);
    assert_eq!(faults["too_short"].examples[0].line, 5);
    assert_eq!(faults.values().map(|tally| tally.count).sum::<u64>(), 3);
    assert_eq!(cleaned.report.rejected_rows, 0);
}

#[test]
fn one_barcode_at_very_different_prices_stays_one_entity() {
    let cleaned = rows(
        "us,a,1,Cable,,00011115001554,\nus,b,1,Television,,00011115001554,\n",
        "us,a,1,2026-01-01,14.80,,,,\nus,b,1,2026-01-01,1666.00,,,,\n",
    );
    assert_eq!(cleaned.tables.listings.entity_uid[0], cleaned.tables.listings.entity_uid[1]);
    assert_eq!(cleaned.tables.observations.columns.price, [1_480, 166_600]);
}

#[test]
fn a_day_keeps_its_lowest_price_and_what_goes_with_it() {
    let cleaned = observed(&[
        "2026-01-02T10:00:00Z,9.99,12.00,true,,",
        "2026-01-02T11:00:00Z,8.99,8.99,false,,",
        "2026-01-02T12:00:00Z,8.99,20.00,true,true,",
        "2026-01-01,5.00,,,,",
    ]);
    let observations = &cleaned.tables.observations;
    assert_eq!(observations.columns.day, [0, 1]);
    assert_eq!(observations.columns.price, [500, 899]);
    assert_eq!(observations.columns.list_price, [0, 899]);
    assert_eq!(observations.columns.flags, [0, STOCK_OUT]);
    assert_eq!(cleaned.report.repeated_days, 2);
    // Eleven o'clock: the instant is that of the row that stands.
    assert_eq!(cleaned.tables.listings.latest_instant, [1_767_351_600_000_000]);
}

#[test]
fn list_prices_at_or_below_the_price_or_beyond_belief_make_no_promotion() {
    let cleaned = observed(&[
        "2026-01-01,10,10,,,",
        "2026-01-02,10,9,,,",
        "2026-01-03,10,10.01,,false,",
        "2026-01-04,10,50,,,",
        "2026-01-05,10,50.01,,,",
        "2026-01-06,10,,,TRUE,",
        "2026-01-07,10,soon,,1,",
        "2026-01-08,10,10000000.01,,,",
    ]);
    let promo: Vec<_> =
        cleaned.tables.observations.columns.flags.iter().map(|flags| flags & PROMO != 0).collect();
    assert_eq!(promo, [false, false, true, true, false, true, true, false]);
    assert_eq!(cleaned.tables.observations.columns.list_price, [1_000, 900, 1_001, 5_000, 5_001, 0, 0, 0]);
    assert_eq!(cleaned.report.ignored_list_prices.count, 2);
    assert_eq!(cleaned.report.ignored_list_prices.examples[0].value, "soon");
}

#[test]
fn blank_stock_is_unknown() {
    let cleaned = observed(&[
        "2026-01-01,1,,,,",
        "2026-01-02,1,,True,,",
        "2026-01-03,1,,0,,",
        "2026-01-04,1,,maybe,,",
        "2026-01-05,1",
    ]);
    let stock: Vec<_> =
        cleaned.tables.observations.columns.flags.iter().map(|flags| flags & STOCK_MASK).collect();
    assert_eq!(stock, [0, STOCK_IN, STOCK_OUT, 0, 0]);
}

#[test]
fn bad_rows_are_rejected_with_line_and_reason() {
    let cleaned = rows(
        "us,shop,1,Thing,,,\nfr,shop,2,Thing,,,\nus,!?,2,Thing,,,\nus,shop,,Thing,,,\nus,shop,2,  ,,,\n",
        "us,shop,1,2026-01-01,abc,,,,\nus,shop,1,2026-01-01,0,,,,\nus,shop,1,2026-01-01,-1,,,,\n\
         us,shop,1,2026-01-01,0.004,,,,\nus,shop,1,2026-01-01,10000000.01,,,,\nus,shop,1,1999-12-31,1,,,,\n\
         us,shop,1,yesterday,1,,,,\nus,shop,9,2026-01-01,1,,,,\nUK,shop,1,2026-01-01,1,,,,\n\
         us,shop,1,2026-01-01,1,,,,CAD\nus,shop,1,2026-01-01,1,,,,EUR\nus,shop,1,2026-01-01,10000000,,,,usd\n\
         us,shop,1,2026-01-02,0.005,,,,\n",
    );
    let expected = [
        (3, "unknown_country"),
        (4, "invalid_platform"),
        (5, "empty_product_id"),
        (6, "empty_name"),
        (2, "unparsable_price"),
        (3, "price_not_positive"),
        (4, "price_not_positive"),
        (5, "price_too_small"),
        (6, "price_too_large"),
        (7, "date_out_of_range"),
        (8, "unparsable_date"),
        (9, "no_listing"),
        (10, "unknown_country"),
        (11, "wrong_currency"),
        (12, "wrong_currency"),
    ];
    assert_eq!(reasons(&cleaned), expected.map(|(line, reason)| (line, reason.to_owned())));
    assert!(cleaned.rejected.lines().next().unwrap().contains(r#""reason":"unknown_country","value":"fr""#));
    assert_eq!(cleaned.tables.observations.columns.price, [1_000_000_000, 1]);
    assert_eq!((cleaned.report.listing_rows, cleaned.report.observation_rows), (5, 13));
    assert_eq!(cleaned.report.rejected["wrong_currency"].count, 2);
    assert_eq!(cleaned.report.one_cent_prices["shop"].examples[0].line, 14);
    assert!((cleaned.report.rejected_share - 15.0 / 18.0).abs() < 1e-12);
}

#[test]
fn merchant_spellings_become_keys() {
    let cleaned = rows(
        "us,BestBuy-com,1,Thing,,,\nus,bestbuy-com,1,Other,,,\nus,best-buy,1,Thing,,,\n",
        "us,BESTBUY-COM,1,2026-01-01,1,,,,\n",
    );
    assert_eq!(cleaned.tables.names.platforms, ["best-buy", "bestbuy-com"]);
    assert_eq!(cleaned.report.duplicate_listings.count, 1);
    assert_eq!(cleaned.report.duplicate_listings.examples[0].line, 3);
    let listings = &cleaned.tables.listings;
    assert_eq!(listings.name.iter().collect::<Vec<_>>(), ["Thing", "Thing"]);
    assert_eq!(cleaned.tables.observations.offsets, [0, 0, 1]);
    assert_eq!(listings.latest_instant, [0, 1_767_225_600_000_000]);
    assert_eq!(cleaned.report.unobserved_listings, 1);
    let spellings = &cleaned.report.retailer_spellings;
    let written: Vec<_> = spellings["bestbuy-com"].iter().map(String::as_str).collect();
    assert_eq!((spellings.len(), written), (1, vec!["BESTBUY-COM", "BestBuy-com", "bestbuy-com"]));
    let cleaned =
        rows("US,Best Buy,1,Thing,,,\nCanada,amazon.com,1,Thing,,,\n", "usa,BEST BUY,1,2026-01-01,1,,,,\n");
    assert_eq!(cleaned.tables.names.platforms, ["amazon-com", "best-buy"]);
    assert_eq!(cleaned.tables.observations.columns.price, [100]);
}

#[test]
fn categories_are_a_tree_over_both_countries() {
    let cleaned = rows(
        "us,shop,1,T,,,Phones > Accessories\nus,shop,2,T,,,Cameras>accessories\nus,shop,3,T,,,phones\n\
         us,shop,4,T,,,\nca,shop,5,T,,,Phones > Accessories\nca,shop,6,T,,, > Phones > --- > accessories\n",
        "us,shop,1,2026-01-01,1,,,,\n",
    );
    let nodes: Vec<_> = cleaned
        .tables
        .names
        .categories
        .iter()
        .map(|node| (node.slug.as_str(), node.label.as_str(), node.parent))
        .collect();
    let expected = [
        ("cameras", "Cameras", NONE),
        ("cameras/accessories", "accessories", 0),
        ("phones", "Phones", NONE),
        ("phones/accessories", "Accessories", 2),
        ("uncategorized", "Uncategorized", NONE),
    ];
    assert_eq!(nodes, expected);
    assert_eq!(cleaned.tables.listings.category, [3, 3, 1, 2, 3, 4]);
}

#[test]
fn brands_take_their_most_frequent_spelling() {
    let cleaned = rows(
        "us,shop,1,T,Sony,,\nus,shop,2,T,SONY,,\nca,shop,3,T,SONY,,\nus,shop,4,T,N/A,,\nus,shop,5,T,,,\n\
         us,shop,6,T,\"Acer, Inc.\",,\n",
        "us,shop,1,2026-01-01,1,,,,\n",
    );
    let labels: Vec<_> = cleaned.tables.names.brands.iter().map(|brand| brand.label.as_str()).collect();
    assert_eq!(labels, ["Acer, Inc.", "SONY"]);
    assert_eq!(cleaned.tables.listings.brand, [1, 1, 1, NONE, NONE, 0]);
}

#[test]
fn csv_as_it_comes() {
    let name = "é".repeat(308);
    let listings = format!(
        "\u{feff}product_name,country,platform,colour,product_id,brand,gtin\r\n\
         \"Big, \"\"best\"\"\r\nthing\",us,shop,red,1,Acme\r\n\
         \r\n\
         27\" monitor,us,shop,red,2,\"Acme\"\r\n\
         \"never closed,us,shop,red,3,Acme\r\n\
         {name},us,shop,red,4,Acme,,\r\n\
         bad,xx,shop,red,5\r\n\
         more,us,shop,red,7,Acme,,,extra,fields\r\n"
    );
    let mut listings = listings.into_bytes();
    listings.extend_from_slice(b"caf\xe9,us,shop,red,6,\xff\n");
    let observations = format!("{OBSERVATIONS}us,shop,1,2026-01-01,1.005,,,,\n");
    let cleaned =
        clean_files(&[("a/listings.csv", &listings), ("b/observations.csv", observations.as_bytes())]);
    let names: Vec<_> = cleaned.tables.listings.name.iter().collect();
    let expected = ["Big, \"best\"\r\nthing", "27\" monitor", "\"never closed", &name, "caf\u{fffd}"];
    assert_eq!(names, expected);
    assert_eq!(
        reasons(&cleaned),
        [(8, "unknown_country"), (9, "ragged_record")].map(|(line, reason)| (line, reason.to_owned()))
    );
    assert_eq!(cleaned.tables.observations.columns.price, [101]);
    assert_eq!(cleaned.report.files[0].unknown_columns, ["colour"]);
    assert_eq!(cleaned.report.warnings.len(), 1);
}

#[test]
fn the_first_listing_wins_in_reading_order() {
    let listing = |name: &str| format!("{LISTINGS}us,shop,1,{name},,,\n").into_bytes();
    let observations = format!("{OBSERVATIONS}us,shop,1,2026-01-01,1,,,,\n").into_bytes();
    let one = folder(&[("b/listings.csv", &listing("b")), ("b-1/listings.csv", &listing("b-1"))]);
    let two = folder(&[("listings.csv", &listing("two")), ("observations.csv", &observations)]);
    let name = |folders: &[&TempDir]| {
        let paths: Vec<_> = folders.iter().map(|folder| folder.path().to_path_buf()).collect();
        let cleaned = try_clean(&paths).unwrap();
        assert_eq!(cleaned.report.duplicate_listings.count, 2);
        cleaned.tables.listings.name.get(0).to_owned()
    };
    assert_eq!(name(&[&one, &two]), "b-1");
    assert_eq!(name(&[&two, &one]), "two");
}

#[test]
fn errors_name_file_and_column() {
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes();
    let observations = format!("{OBSERVATIONS}us,shop,1,2026-01-01,1,,,,\n").into_bytes();
    let (l, o) = ("listings.csv", "observations.csv");
    let missing = error_of(&[(l, &listings), (o, b"country,platform,product_id,day\n")]);
    assert!(missing.contains(o) && missing.contains("missing required columns date, price"), "{missing}");
    let empty = error_of(&[(l, b""), (o, &observations)]);
    assert!(empty.contains(l) && empty.contains("country"), "{empty}");
    let object = br#"{"country":"us","platform":"shop","product_id":"1"}"#;
    let keys = error_of(&[("listings.ndjson", object), (o, &observations)]);
    assert!(keys.contains("listings.ndjson") && keys.contains("product_name"), "{keys}");
    for broken in ["observations.csv.gz", "observations.parquet"] {
        let error = error_of(&[(l, &listings), (broken, b"no such format")]);
        assert!(error.contains(broken), "{error}");
    }
    let cut = gzip(&observations);
    let error = error_of(&[(l, &listings), ("observations.csv.gz", &cut[..cut.len() - 9])]);
    assert!(error.contains("observations.csv.gz"), "{error}");
    let json = error_of(&[(l, &listings), (o, &observations), ("gpc.json", b"{")]);
    assert!(json.contains("gpc.json"), "{json}");
}

#[test]
fn an_input_without_rows_is_refused() {
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes();
    assert!(error_of(&[]).contains("no listings in"));
    assert!(error_of(&[("listings.csv", &listings)]).contains("no observations in"));
    let header = error_of(&[("listings.csv", &listings), ("observations.csv", OBSERVATIONS.as_bytes())]);
    assert!(header.contains("does not contain a valid observation"), "{header}");
    let empty =
        folder(&[("listings.csv", LISTINGS.as_bytes()), ("observations.csv", OBSERVATIONS.as_bytes())]);
    let full = folder(&[
        ("listings.csv", &listings),
        ("observations.csv", b"country,platform,product_id,date,price\nus,shop,1,2026-01-01,1\n"),
    ]);
    let folders = [full.path().to_path_buf(), empty.path().to_path_buf()];
    let error = format!("{:#}", try_clean(&folders).err().expect("an error"));
    assert!(error.contains("neither rows nor a side table"), "{error}");
    let missing = try_clean(&[PathBuf::from("no/such/folder")]).err().unwrap().to_string();
    assert!(missing.contains("no/such/folder"));
}

/// Id, day, price, list price, stock.
type Observed = (String, &'static str, f64, Option<f64>, Option<bool>);

/// Rows for the comparison of formats; nothing in them depends on a format.
fn table() -> (Vec<[String; 5]>, Vec<Observed>) {
    let listings = (0..300).map(|number| {
        let category = ["Food > Tea", "Food > Coffee", "", "Garden & Home"][number % 4];
        let name = format!("Thing, \"no.\" {number}\nof many");
        ["us".into(), format!("shop{}", number % 3), number.to_string(), name, category.into()]
    });
    let observations = (0..5_000_usize).map(|number| {
        let day = ["2026-02-28", "2026-03-01", "2026-03-02T23:59:59Z"][number % 3];
        let price = 0.5 + (number * 7919 % 100_000) as f64 / 1_000.0;
        let list = (number % 4 == 0).then_some(price * 1.25);
        ((number * 31 % 300).to_string(), day, price, list, (number % 5 > 0).then_some(number % 5 > 1))
    });
    (listings.collect(), observations.collect())
}

fn csv_files() -> (Vec<u8>, Vec<u8>) {
    let (listing_rows, observation_rows) = table();
    let mut listings = String::from("country,platform,product_id,product_name,category_path\n");
    for [country, platform, id, name, category] in listing_rows {
        listings += &format!("{country},{platform},{id},\"{}\",{category}\n", name.replace('"', "\"\""));
    }
    let mut observations = String::from("country,platform,product_id,date,price,list_price,in_stock\n");
    for (id, day, price, list, stock) in observation_rows {
        let shop = id.parse::<usize>().unwrap() % 3;
        let list = list.map_or(String::new(), |list| list.to_string());
        let stock = stock.map_or("", |stock| if stock { "True" } else { "0" });
        observations += &format!("us,Shop{shop},{id},{day},{price},{list},{stock}\n");
    }
    (listings.into_bytes(), observations.into_bytes())
}

fn ndjson_files() -> (Vec<u8>, Vec<u8>) {
    let (listing_rows, observation_rows) = table();
    let (mut listings, mut observations) = (String::new(), String::new());
    for [country, platform, id, name, category] in listing_rows {
        let row = serde_json::json!({"country": country, "platform": platform, "product_id": id,
            "product_name": name, "category_path": category, "tags": ["a", {"b": 1}]});
        listings += &format!("{row}\n");
    }
    for (id, day, price, list, stock) in observation_rows {
        let (shop, id) = (format!("shop{}", id.parse::<u32>().unwrap() % 3), id.parse::<u32>().unwrap());
        let row = serde_json::json!({"country": "us", "platform": shop, "product_id": id, "date": day,
            "price": price, "list_price": list, "in_stock": stock});
        observations += &format!("{row}\n");
    }
    (listings.into_bytes(), observations.into_bytes())
}

pub(super) fn parquet(columns: Vec<Series>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let columns: Vec<_> = columns.into_iter().map(IntoColumn::into_column).collect();
    let mut frame = DataFrame::new(columns[0].len(), columns).unwrap();
    ParquetWriter::new(&mut bytes).with_row_group_size(Some(1_000)).finish(&mut frame).unwrap();
    bytes
}

fn parquet_files() -> (Vec<u8>, Vec<u8>) {
    let (listings, observations) = table();
    let text = |name: &str, at: usize| {
        let values: Vec<_> = listings.iter().map(|row| row[at].as_str()).collect();
        Series::new(name.into(), values)
    };
    let listing_file = parquet(vec![
        text("product_name", 3),
        text("country", 0),
        text("platform", 1),
        text("product_id", 2),
        text("category_path", 4),
    ]);
    let ids: Vec<u32> = observations.iter().map(|row| row.0.parse().unwrap()).collect();
    let shops: Vec<_> = ids.iter().map(|id| format!("shop{}", id % 3)).collect();
    let days: Vec<_> = observations.iter().map(|row| row.1).collect();
    let prices: Vec<_> = observations.iter().map(|row| row.2).collect();
    let lists: Vec<_> = observations.iter().map(|row| row.3).collect();
    let stock: Vec<_> = observations.iter().map(|row| row.4).collect();
    let observation_file = parquet(vec![
        Series::new("country".into(), vec!["us"; ids.len()]),
        Series::new("platform".into(), shops),
        Series::new("product_id".into(), ids),
        Series::new("date".into(), days),
        Series::new("price".into(), prices),
        Series::new("list_price".into(), lists),
        Series::new("in_stock".into(), stock),
    ]);
    (listing_file, observation_file)
}

fn check_same(suffix: &str, (listings, observations): (Vec<u8>, Vec<u8>)) {
    let (csv_listings, csv_observations) = csv_files();
    let expected = clean_files(&[("listings.csv", &csv_listings), ("observations.csv", &csv_observations)]);
    let names = (format!("listings.{suffix}"), format!("observations.{suffix}"));
    let cleaned = clean_files(&[(&names.0, &listings), (&names.1, &observations)]);
    assert_eq!(expected.rejected, "");
    assert_eq!(cleaned.rejected, "");
    assert_same(&cleaned.tables, &expected.tables);
    assert_eq!(cleaned.report.repeated_days, expected.report.repeated_days);
}

/// Equality, with "no rating" equal to itself.
fn assert_same(a: &Canonical, b: &Canonical) {
    let text = |tables: &Canonical| {
        let listings = format!("{:?}", tables.listings);
        let names =
            format!("{:?} {:?} {:?}", tables.names.platforms, tables.names.brands, tables.names.categories);
        (listings, names, tables.names.first_day, tables.names.last_day)
    };
    assert_eq!(a.observations.columns.price, b.observations.columns.price);
    assert_eq!(a.observations.columns.list_price, b.observations.columns.list_price);
    assert!(a.observations == b.observations && text(a) == text(b), "the tables differ");
}

#[test]
fn formats_say_the_same() {
    let (listings, observations) = csv_files();
    check_same("csv.gz", (gzip(&listings), gzip(&observations)));
    let (listings, observations) = ndjson_files();
    check_same("ndjson.gz", (gzip(&listings), gzip(&observations)));
    check_same("ndjson", (listings, observations));
    check_same("parquet", parquet_files());
}

#[test]
fn dates_may_be_typed() {
    use polars::prelude::{DataType, TimeUnit};
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes();
    let ticks = Series::new("date".into(), [20_454_i32, 20_455]).cast(&DataType::Date).unwrap();
    for unit in
        [None, Some(TimeUnit::Milliseconds), Some(TimeUnit::Microseconds), Some(TimeUnit::Nanoseconds)]
    {
        let dates = unit.map_or(ticks.clone(), |unit| ticks.cast(&DataType::Datetime(unit, None)).unwrap());
        let observations = parquet(vec![
            Series::new("country".into(), ["us", "us"]),
            Series::new("platform".into(), ["shop", "shop"]),
            Series::new("product_id".into(), ["1", "1"]),
            dates,
            Series::new("price".into(), [1.005_f32, 2.0]),
            Series::new("in_stock".into(), [1_i64, 0]),
        ]);
        let cleaned = clean_files(&[("listings.csv", &listings), ("observations.parquet", &observations)]);
        assert_eq!(
            (cleaned.tables.names.first_day.days(), cleaned.tables.names.last_day.days()),
            (20_454, 20_455)
        );
        assert_eq!(cleaned.tables.observations.columns.price, [101, 200], "{unit:?}");
        assert_eq!(cleaned.tables.observations.columns.flags, [STOCK_IN, STOCK_OUT]);
        assert_eq!(cleaned.tables.listings.latest_instant, [20_455 * 86_400_000_000]);
    }
}

#[test]
fn rejects_only_the_json_lines_that_are_not_objects() {
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes();
    let observations = b"{\"country\":\"us\",\"platform\":\"shop\",\"product_id\":1,\"date\":\"2026-01-01\",\"price\":\"2\"}\n\
        \n{\"country\":\"us\",\n[1]\nnull\n\
        {\"country\":\"us\",\"platform\":\"shop\",\"product_id\":\"1\",\"date\":\"2026-01-02\",\"price\":null}\n";
    let cleaned = clean_files(&[("listings.csv", &listings), ("observations.ndjson", observations)]);
    let expected =
        [(3, "unreadable_row"), (4, "unreadable_row"), (5, "unreadable_row"), (6, "missing_price")];
    assert_eq!(reasons(&cleaned), expected.map(|(line, reason)| (line, reason.to_owned())));
    assert_eq!(cleaned.tables.observations.columns.price, [200]);
}

#[test]
fn two_runs_and_another_order_give_the_same_tables() {
    let (listings, observations) = csv_files();
    let run = |observations: &[u8]| {
        clean_files(&[("listings.csv", &listings), ("observations.csv", observations)]).tables
    };
    let first = run(&observations);
    assert_same(&run(&observations), &first);
    let text = String::from_utf8(observations).unwrap();
    let (header, body) = text.split_once('\n').unwrap();
    let mut lines: Vec<_> = body.lines().collect();
    lines.sort_by_key(|line| {
        line.bytes().rev().fold(17_u64, |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte))
    });
    let shuffled = run(format!("{header}\n{}", lines.join("\n")).as_bytes());
    assert_same(&shuffled, &first);
}

#[test]
fn side_tables_come_along() {
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,Drinks > Wine\n").into_bytes();
    let observations = format!("{OBSERVATIONS}us,shop,1,2026-01-01,1,,,,\n").into_bytes();
    let cleaned = clean_files(&[
        ("listings.csv", &listings),
        ("observations.csv", &observations),
        ("aliases.csv", b"alias,target\nvino,Drinks > Wine\nplonk,10000276\n"),
        ("category_gpc.csv", b"category_path,brick\nDrinks > Wine,10000276\nDrinks>wine,10000275\n"),
        (
            "sub/gpc.json",
            br#"{"DateUtc":"2025-11-27","Schema":[{"Level":1,"Code":50000000,"Title":"Food"}]}"#,
        ),
        ("notes.csv", b"not,read\n"),
    ]);
    assert_eq!(cleaned.tables.names.aliases.len(), 2);
    assert_eq!(cleaned.tables.names.aliases[1].target, "10000276");
    assert_eq!(cleaned.tables.names.category_bricks.len(), 1);
    assert_eq!(cleaned.tables.names.category_bricks[0].slug, "drinks/wine");
    assert_eq!(cleaned.tables.names.classification.unwrap().release, "2025-11");
    let warnings = cleaned.report.distinct_warnings();
    let [notes] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(notes.contains("notes.csv: not read"), "{notes}");
    assert!(Path::new(&cleaned.report.files[0].file).ends_with("listings.csv"));
}

#[test]
fn columns_of_a_type_without_a_text_are_named() {
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes();
    let promo = Series::new("promo".into(), [Series::new("".into(), [1_i64])]);
    let text = |name: &str, value: &str| Series::new(name.into(), [value]);
    let mut columns = vec![text("country", "us"), text("platform", "shop"), text("product_id", "1")];
    columns.extend([text("date", "2026-01-01"), text("price", "1"), promo]);
    let error = error_of(&[("listings.csv", &listings), ("observations.parquet", &parquet(columns))]);
    assert!(error.contains("column promo") && error.contains("observations.parquet"), "{error}");
}

#[test]
fn a_file_of_any_ending_that_a_flag_names_is_read_and_not_warned_of() {
    let listings = format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes();
    let observations = format!("{OBSERVATIONS}us,shop,1,2026-01-01,1,,,,\n").into_bytes();
    let folder = folder(&[("items.dat", &listings), ("prices.bak", &observations)]);
    let path = |name: &str| vec![folder.path().join(name).display().to_string()];
    let arguments =
        Arguments { listings: path("items.dat"), observations: path("prices.bak"), ..Arguments::default() };
    let (mut rejects, mut report) = (RejectWriter::discard(), InputReport::default());
    let tables = clean(&arguments, &mut rejects, &mut report).unwrap();
    assert_eq!(tables.observations.columns.price, [100]);
    assert_eq!(report.warnings, []);
}
