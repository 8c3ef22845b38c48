//! Every format that a build reads, almost right: refused with a sentence that names the file, or built into a snapshot
//! that opens.

use std::fs;
use std::path::Path;

use pricebook::catalog::Catalog;
use pricebook::index::run::{Options, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::mapping::InputMapping;
use pricebook::ingest::{Arguments, Silent};
use proptest::prelude::*;

use crate::support::mutate::{almost, cases};
use crate::support::written::{Table, latin1, utf16};

/// Both tables in one, with a decimal comma's worth of oddities in names.
fn table() -> Table {
    let names = "country,platform,product_id,product_name,gtin,category_path,date,price,list_price";
    let rows: Vec<Vec<String>> = (0..40)
        .map(|row| {
            let (item, day) = (row / 4, 20 + row % 4);
            let list = if row % 3 == 0 { format!("{}.99", 20 + item) } else { String::new() };
            vec![
                ["us", "CA"][row % 2].to_owned(),
                ["acme", "Best Buy"][item % 2].to_owned(),
                item.to_string(),
                format!("Thé, \"vert\" {item} x 250 ml"),
                ["036000291452", ""][item % 2].to_owned(),
                "Food > Tea".to_owned(),
                format!("2026-10-{day}"),
                format!("{}.{:02}", 10 + item, 7 * row % 100),
                list,
            ]
        })
        .collect();
    Table { names: names.split(',').map(str::to_owned).collect(), rows }
}

fn commas() -> String {
    table().with("price", |price| price.replace('.', ",")).separated(';')
}

/// Builds a folder of one file, with a mapping; why it is refused, if it is.
fn build(name: &str, bytes: &[u8], mapping: InputMapping) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    let arguments = Arguments { mapping, ..Arguments::folders([dir.path().join("in")]) };
    let options = Options {
        arguments,
        out: dir.path().join("out"),
        max_rejects_pct: 100.0,
        linking: Linking::Off,
        ..Options::default()
    };
    match run(&options, &Silent) {
        Ok(built) => {
            Catalog::open(&built.published.path()).unwrap();
            None
        }
        Err(error) => {
            let error = format!("{error:#}");
            let file = Path::new(name).file_name().unwrap().to_str().unwrap();
            assert!(error.contains(file), "{error}");
            Some(error)
        }
    }
}

fn plain(name: &str, bytes: &[u8]) {
    build(name, bytes, InputMapping::default());
}

#[test]
fn the_samples_are_built() {
    let table = table();
    for (name, bytes) in [
        ("prices.csv", commas().into_bytes()),
        ("prices.tsv", utf16(&table.separated('\t'), true, true)),
        ("prices.txt", latin1(&table.separated(','))),
        ("prices.jsonl.zst", zstd::encode_all(table.ndjson().as_bytes(), 1).unwrap()),
        ("prices.parquet", table.parquet()),
        ("prices.arrows", table.arrow()),
        ("prices.xlsx", table.xlsx()),
        ("prices.ods", table.ods()),
    ] {
        assert_eq!(build(name, &bytes, InputMapping::default()), None, "{name}");
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn separators_and_encodings(bytes in almost(vec![
        commas().into_bytes(),
        utf16(&commas(), true, true),
        utf16(&commas(), false, false),
        latin1(&commas()),
        format!("sep=;\n{}", commas()).into_bytes(),
    ])) {
        plain("prices.csv", &bytes);
    }

    #[test]
    fn objects(bytes in almost(vec![table().ndjson().into_bytes()])) {
        plain("prices.jsonl", &bytes);
    }

    #[test]
    fn zstd_streams(bytes in almost(vec![zstd::encode_all(table().ndjson().as_bytes(), 1).unwrap()])) {
        plain("prices.jsonl.zst", &bytes);
    }

    #[test]
    fn parquet_with_decimals(bytes in almost(vec![
        table().parquet(),
        include_bytes!("../../golden/input/typed.parquet").to_vec(),
        include_bytes!("../../golden/input/pandas.parquet").to_vec(),
    ])) {
        plain("country=us/platform=acme/product_id=1/product_name=Tea/price=1/dt=2026-10-31/part.parquet", &bytes);
        plain("prices.parquet", &bytes);
    }

    #[test]
    fn arrow_streams(bytes in almost(vec![
        table().arrow(),
        include_bytes!("../../golden/input/typed.arrows").to_vec(),
        include_bytes!("../../golden/input/typed.zstd.arrows").to_vec(),
    ])) {
        plain("country=us/platform=acme/product_id=1/product_name=Tea/price=1/dt=2026-10-31/part.arrows", &bytes);
        plain("prices.arrows", &bytes);
    }

    #[test]
    fn workbooks(bytes in almost(vec![
        table().xlsx(),
        table().ods(),
        include_bytes!("../../golden/input/prices.xlsx").to_vec(),
        include_bytes!("../../golden/input/prices.ods").to_vec(),
        include_bytes!("../../golden/input/prices.xls").to_vec(),
    ])) {
        for name in ["prices.xlsx", "prices.xls", "prices.ods"] {
            plain(&format!("platform=acme/product_name=Tea/{name}"), &bytes);
        }
    }

    /// The sheet of a workbook, in an archive that is sound.
    #[test]
    fn sheets(rows in almost(vec![table().separated('\t').into_bytes()])) {
        let text = String::from_utf8_lossy(&rows);
        let rows: Vec<Vec<String>> =
            text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        if let Some((names, rows)) = rows.split_first() {
            let table = Table { names: names.clone(), rows: rows.to_vec() };
            plain("prices.ods", &table.ods());
            plain("prices.xlsx", &table.xlsx());
        }
    }
}
