//! A column of a file that feeds several of ours, by a mapping.

use std::fs;

use crate::support::cleaned::clean;
use crate::support::written::{Table, gzipped};
use pricebook::index::normalized::Canonical;
use pricebook::ingest::mapping::InputMapping;
use pricebook::ingest::{Arguments, InputReport, RejectWriter};

/// The barcode is the id of a product, and its price the list price too.
const MAPPING: &str =
    "[columns]\nproduct_id = \"barcode\"\ngtin = \"barcode\"\nprice = \"cost\"\nlist_price = \"cost\"\n";

/// Writes a table in a format.
type Write = fn(&Table) -> Vec<u8>;

const BARCODES: [&str; 2] = ["036000291452", "00011115001554"];

fn cleaned(files: &[(String, Vec<u8>)], mapping: &str) -> Canonical {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let map = folder.path().join("map.x");
    fs::write(&map, mapping).unwrap();
    let mapping = InputMapping::read(&map).unwrap();
    let arguments = Arguments { mapping, ..Arguments::folders([folder.path()]) };
    let mut report = InputReport::default();
    let tables = clean(&arguments, &mut RejectWriter::discard(), &mut report).unwrap();
    assert_eq!(report.rejected_rows, 0, "{:?}", report.rejected);
    tables
}

/// A file of each table, with these names for id and price beside others.
fn tables(more: [&str; 2], each: impl Fn(&str, &str) -> [Vec<String>; 2]) -> [Table; 2] {
    let columns = |names: &str, more: &str| format!("{names},{more}").split(',').map(str::to_owned).collect();
    let rows: Vec<[Vec<String>; 2]> =
        BARCODES.iter().zip(["1.99", "12.5"]).map(|(code, price)| each(code, price)).collect();
    let row = |known: &[&str], more: &[String]| {
        known.iter().map(|value| (*value).to_owned()).chain(more.iter().cloned()).collect()
    };
    [
        Table {
            names: columns("country,platform,product_name", more[0]),
            rows: rows.iter().map(|[listing, _]| row(&["us", "shop", "Thing"], listing)).collect(),
        },
        Table {
            names: columns("country,platform,date", more[1]),
            rows: rows.iter().map(|[_, seen]| row(&["us", "shop", "2026-10-30"], seen)).collect(),
        },
    ]
}

#[test]
fn one_column_feeds_several_in_every_format() {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let expected = tables(["product_id,gtin", "product_id,price,list_price"], |code, price| {
        [owned(&[code, code]), owned(&[code, price, price])]
    });
    let written = expected.map(|table| table.separated(',').into_bytes());
    let names = ["listings.csv", "observations.csv"].map(str::to_owned);
    let expected = cleaned(&names.into_iter().zip(written).collect::<Vec<_>>(), "");
    assert_eq!(expected.listings.gtin, [11_115_001_554, 36_000_291_452]);
    assert_eq!(expected.observations.columns.price, [1_250, 199]);
    let formats: [(&str, Write); 7] = [
        ("csv", |table| table.separated(',').into_bytes()),
        ("tsv.gz", |table| gzipped(table.separated('\t').as_bytes())),
        ("ndjson", |table| table.ndjson().into_bytes()),
        ("parquet", Table::parquet),
        ("arrows", Table::arrow),
        ("xlsx", Table::xlsx),
        ("ods", Table::ods),
    ];
    for names in [["barcode", "barcode,cost"], ["Barcode", "BARCODE,Cost"]] {
        let shared = tables(names, |code, price| [owned(&[code]), owned(&[code, price])]);
        for (suffix, write) in formats {
            let file = |name: &str, table: &Table| (format!("{name}.{suffix}"), write(table));
            let files = [file("listings", &shared[0]), file("observations", &shared[1])];
            let found = cleaned(&files, MAPPING);
            assert_eq!(format!("{:?}", found.listings), format!("{:?}", expected.listings), "{suffix}");
            assert_eq!(found.observations, expected.observations, "{suffix}");
        }
    }
}

/// A key that is written exactly as one column wants it feeds another that wants it in other case.
#[test]
fn keys_of_objects_are_found_in_any_case_for_each_column() {
    let listing = "{\"country\":\"us\",\"platform\":\"shop\",\"barcode\":\"036000291452\",\"product_name\":\"Thing\"}\n";
    let seen = "country,platform,product_id,date,price\nus,shop,036000291452,2026-10-30,1\n";
    let files = [("listings.ndjson", listing), ("observations.csv", seen)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let mapping = "[listings.columns]\nproduct_id = \"Barcode\"\ngtin = \"barcode\"\n[observations.columns]\nproduct_id = \"product_id\"\n";
    let found = cleaned(&files, mapping);
    assert_eq!(
        (&found.listings.gtin[..], &found.observations.columns.price[..]),
        (&[36_000_291_452][..], &[100][..])
    );
}
