//! Names, folders and formats of files.

use pricebook::ingest::Arguments;

use super::{FIGURES, LIST, Outcome, PriceList, build, build_with, folder};
use crate::support::written::{Table, gzipped, zipped};

/// The list as a table.
fn table() -> Table {
    let rows = LIST.rows();
    let values: Vec<&[&str]> = rows[1..].iter().map(Vec::as_slice).collect();
    Table::new(LIST.header, &values)
}

/// The list in two tables.
fn two() -> (Table, Table) {
    let all = table();
    let mut listings = all.without("date").without("price");
    listings.rows.dedup();
    (listings, all.without("product_name"))
}

fn one(name: &str, bytes: &[u8]) -> Outcome {
    build(&[(name, bytes)])
}

#[test]
fn formats_of_text() {
    let (csv, json) = (LIST.text(), table().ndjson());
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    one("prices.csv.gz", &gzipped(csv.as_bytes())).sound();
    one("prices.csv.zst", &zstd(&csv)).sound();
    one("prices.ndjson", json.as_bytes()).sound();
    one("prices.jsonl", json.as_bytes()).sound();
    one("prices.jsonl.zst", &zstd(&json)).sound();
    one("prices.JSONL", json.replace("\"price\"", "\"Price\"").as_bytes()).sound();
}

#[test]
fn workbooks() {
    one("prices.xlsx", &table().xlsx()).sound();
    one("prices.ods", &table().ods()).sound();
    one(
        "Prices.XLSX",
        &PriceList { header: "Country,Platform,Product ID,Product Name,Date,Price", ..LIST }.table().xlsx(),
    )
    .sound();
    let dollars = table().with("price", |price| format!("${price}"));
    one("prices.ods", &dollars.ods()).sound();
}

#[test]
fn an_old_workbook_with_a_mapping() {
    let listing = "country,product_id,product_name\nus,a longer id than fits into a view,Kettle\n";
    let xls = include_bytes!("../../../golden/input/prices.xls");
    let map = "[constants]\nplatform = \"acme\"\n";
    let dir =
        folder(&[("listings.csv", listing.as_bytes()), ("observations.xls", xls), ("map.x", map.as_bytes())]);
    let input = dir.path().join("IN");
    let mapping = pricebook::ingest::mapping::InputMapping::read(&input.join("map.x")).unwrap();
    let arguments = Arguments {
        inputs: ["listings.csv", "observations.xls"].map(|name| input.join(name)).into(),
        mapping,
        ..Arguments::default()
    };
    // Of its three rows one is out of stock and has no price, and one has no id.
    build_with(dir, arguments).refused(&[
        "1 of 4 rows",
        "unpriced_out_of_stock 1, first IN/observations.xls:4",
        "empty_product_id 1, first IN/observations.xls:7",
    ]);
}

#[test]
fn tables_by_names_and_folders() {
    let (listings, observations) = two();
    let (l, o) = (listings.separated(','), observations.separated(','));
    for (first, second) in [
        ("listings.csv", "observations.csv"),
        ("Listings.CSV", "Observations.CSV"),
        ("Listings.csv", "observations.csv"),
        ("a/b/listings.2026.csv", "c d/observations.csv"),
        ("listings/acme.csv", "observations/2026/october.csv"),
        ("products.csv", "price history.csv"),
        ("listings.csv", "observations.csv/part-00000-b1.csv"),
        ("Artikel Märkte.csv", "Preise (Kopie) 2026.csv"),
        ("export\\listings.csv", "export\\observations.csv"),
    ] {
        let report = build(&[(first, l.as_bytes()), (second, o.as_bytes())]).sound();
        assert_eq!(report.input.files.len(), 2, "{first}");
    }
}

#[test]
fn accepts_spark_output_directories() {
    let (listings, observations) = two();
    let part = "part-00000-0b5c1b0e-6d5f-4c9e-8d6e-1f2a3b4c5d6e-c000";
    let mut files = vec![
        (format!("listings/{part}.snappy.parquet"), listings.parquet()),
        (format!("listings/.{part}.snappy.parquet.crc"), b"crc\0\0\0".to_vec()),
        ("listings/_SUCCESS".to_owned(), vec![]),
        ("observations/_SUCCESS".to_owned(), vec![]),
        ("observations/._SUCCESS.crc".to_owned(), b"crc".to_vec()),
        ("observations/_delta_log/00000.json".to_owned(), b"{}".to_vec()),
    ];
    for day in observations.values("date") {
        let part_of_day = observations.only("date", &day).without("date");
        files.push((format!("observations/dt={day}/{part}.snappy.parquet"), part_of_day.parquet()));
        files.push((format!("observations/dt={day}/.{part}.snappy.parquet.crc"), b"crc\0\0\0".to_vec()));
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
    let report = build(&files).sound();
    assert!(report.input.warnings.is_empty(), "{:?}", report.input.warnings);
}

#[test]
fn folders_that_say_what_columns_would() {
    let all = table();
    let days = all.values("date");
    for (folders, name) in [
        ("country=us/platform=acme/dt=DAY", "part-0000.csv"),
        ("Country=US/Platform=Acme/date=DAY", "prices.csv"),
        ("country=us/retailer=x/platform=a%63me/DT=DAY", "part.csv"),
    ] {
        let file = |day: &String| {
            let part = all.only("date", day).without("date").without("country").without("platform");
            (format!("{}/{name}", folders.replace("DAY", day)), part.separated(','))
        };
        let files: Vec<_> = days.iter().map(file).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (&**name, text.as_bytes())).collect();
        build(&files).sound();
    }
}

#[test]
fn exact_decimals() {
    one("prices.parquet", &table().parquet()).sound();
    let half =
        table().with("price", |price| if price == "3.99" { "3.9850".to_owned() } else { price.to_owned() });
    one("prices.parquet", &half.parquet()).sound();
}

#[test]
fn warns_of_unrelated_files() {
    let files: [(&str, &[u8]); 8] = [
        ("prices.csv", LIST.text().as_bytes().to_vec().leak()),
        ("READ ME.docx", b"PK"),
        ("photos/IMG_0001.JPG", b"\xff\xd8"),
        ("photos/IMG_0002.jpg", b"\xff\xd8"),
        ("photos/Thumbs.db", b""),
        (".DS_Store", b""),
        ("__MACOSX/._prices.csv", b"\0\x05\x16\x07"),
        ("~$prices.xlsx", b"\x05acme"),
    ];
    let report = build(&files).sound();
    let warnings: String = report.input.warnings.iter().map(|warning| warning.subject.as_str()).collect();
    for name in ["READ ME.docx", "IMG_0001.JPG", "IMG_0002.jpg", "Thumbs.db", "~$prices.xlsx"] {
        assert!(warnings.contains(name), "{name}: {warnings}");
    }
    assert!(!warnings.contains("DS_Store") && !warnings.contains("MACOSX"), "{warnings}");
    let printed = report.to_string();
    assert!(printed.contains("photos/IMG_0001.JPG: not read"), "{report}");
    assert!(printed.contains("(same warning for 2 others)") && !printed.contains("IMG_0002"), "{report}");
}

#[test]
fn a_zip_is_unpacked_first() {
    let zip = zipped(&[("prices.csv", &LIST.text())]);
    one("prices.zip", &zip).refused(&["no listings in IN", "IN/prices.zip", "unpack the archive"]);
    one("listings.csv.zip", &zip).refused(&["IN/listings.csv.zip", "unpack the archive"]);
}

#[test]
fn several_sources_in_one_folder() {
    let other = PriceList {
        retailer: "Bolt & Co.",
        prices: ["3,89", "3,39", "1.289,00", "1.189,00"],
        separator: ';',
        ..LIST
    };
    let mut figures: Vec<String> = other
        .figures("bolt-and-co", ["3.89", "3.39", "1289.00", "1189.00"])
        .into_iter()
        .chain(FIGURES.map(str::to_owned))
        .collect();
    figures.sort();
    let figures: Vec<&str> = figures.iter().map(String::as_str).collect();
    build(&[("acme/prices.csv", LIST.text().as_bytes()), ("bolt/Preise.csv", other.text().as_bytes())])
        .built(&figures);
}

impl PriceList {
    fn table(&self) -> Table {
        let rows = self.rows();
        let values: Vec<&[&str]> = rows[1..].iter().map(Vec::as_slice).collect();
        Table::new(self.header, &values)
    }

    /// The lines of the catalog for a retailer with these prices.
    fn figures(&self, key: &str, prices: [&str; 4]) -> Vec<String> {
        let keys = ["A-1 2026-10-30", "A-1 2026-10-31", "A-2 2026-10-30", "A-2 2026-10-31"];
        keys.into_iter()
            .zip(prices)
            .map(|(at, price)| format!("{} {key} {at} {price}", self.country))
            .collect()
    }
}
