//! One catalog in many forms: the snapshot id says that all are read alike.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use polars::prelude::{DataFrame, DataType, ParquetReader, SerReader as _};
use pricebook::cli::generate::run;
use pricebook::snapshot::publish::current;
use tempfile::TempDir;

use crate::support::generated;
use crate::support::written::{Table, gzipped, latin1, utf16};

/// Size of the catalog.
const LISTINGS: u32 = 200;
const DAYS: u32 = 10;

/// A generated catalog with names that are not ASCII, and its id when it is read from plain CSV.
struct Catalog {
    listings: Table,
    observations: Table,
    id: String,
}

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let made = tempfile::tempdir().unwrap();
    let options = generated::options(LISTINGS, DAYS, 7, &made.path().join("made"));
    run(&options, &|_| ()).unwrap();
    let table = |name: &str| {
        let files = generated::files(&options.out, name);
        let tables: Vec<Table> = files.iter().map(|file| table(file)).collect();
        let rows = tables.iter().flat_map(|table| table.rows.clone()).collect();
        Table { names: tables[0].names.clone(), rows }
    };
    let listings = table("listings.parquet").with("product_name", |name| format!("{name}, crème à ½ prix"));
    let observations = table("observations.parquet");
    let input = Input::new();
    input.write("listings.csv", &listings.separated(','));
    input.write("observations.csv", &observations.separated(','));
    let id = input.id(&["--input", "IN"], b"");
    Catalog { listings, observations, id }
});

/// The texts of a file of the generator.
fn table(path: &Path) -> Table {
    let frame: DataFrame = ParquetReader::new(fs::File::open(path).unwrap()).finish().unwrap();
    let names: Vec<String> = frame.get_column_names().iter().map(ToString::to_string).collect();
    let texts = |name: &String| -> Vec<String> {
        let column = frame.column(name).unwrap();
        if column.dtype() == &DataType::Date {
            let days = column.date().unwrap().physical().clone();
            let day = |day: Option<i32>| pricebook::types::Day::from_days(day.unwrap()).to_string();
            return days.iter().map(day).collect();
        }
        let texts = column.cast(&DataType::String).unwrap();
        texts.str().unwrap().iter().map(|text| text.unwrap_or_default().to_owned()).collect()
    };
    let columns: Vec<Vec<String>> = names.iter().map(texts).collect();
    let row = |row: usize| columns.iter().map(|column| column[row].clone()).collect();
    Table { rows: (0..frame.height()).map(row).collect(), names }
}

/// Both tables in one: every observation with its listing, and the listings without any.
fn joined() -> Table {
    let Catalog { listings, observations, .. } = &*CATALOG;
    let key = |row: &Vec<String>, names: &Vec<String>| -> Vec<String> {
        let place = |name| names.iter().position(|known| known == name).unwrap();
        ["country", "platform", "product_id"].iter().map(|name| row[place(*name)].clone()).collect()
    };
    let more: Vec<usize> = (0..observations.names.len())
        .filter(|&at| !listings.names.contains(&observations.names[at]))
        .collect();
    let mut names = listings.names.clone();
    names.extend(more.iter().map(|&at| observations.names[at].clone()));
    let mut rows = Vec::new();
    for listing in &listings.rows {
        let of = key(listing, &listings.names);
        let seen = observations.rows.iter().filter(|row| key(row, &observations.names) == of);
        let before = rows.len();
        rows.extend(seen.map(|row| {
            listing.iter().cloned().chain(more.iter().map(|&at| row[at].clone())).collect::<Vec<_>>()
        }));
        if rows.len() == before {
            rows.push(listing.iter().cloned().chain(more.iter().map(|_| String::new())).collect());
        }
    }
    Table { names, rows }
}

/// A folder IN, and what is built from it.
struct Input(TempDir);

impl Input {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &(impl AsRef<[u8]> + ?Sized)) {
        let path = self.0.path().join("IN").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Builds into `out`, with so many threads, and gives the id.
    fn build(&self, out: &str, threads: &str, arguments: &[&str], sent: &[u8]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
        command.args(["build", "--linking", "off", "--out", out]).args(arguments).current_dir(self.0.path());
        command.env("RAYON_NUM_THREADS", threads).env("POLARS_MAX_THREADS", threads);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(sent).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        current(&self.path(out)).unwrap().unwrap()
    }

    fn id(&self, arguments: &[&str], sent: &[u8]) -> String {
        self.build("OUT", "2", arguments, sent)
    }

    /// Checks that the folder alone is the catalog.
    fn is_the_catalog(&self) {
        assert_eq!(self.id(&["--input", "IN"], b""), CATALOG.id);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Writes both tables under these names.
fn input(suffix: &str, write: impl Fn(&Table) -> Vec<u8>) -> Input {
    let input = Input::new();
    input.write(&format!("listings.{suffix}"), &write(&CATALOG.listings));
    input.write(&format!("observations.{suffix}"), &write(&CATALOG.observations));
    input
}

/// With a decimal comma in every column of decimal numbers.
fn with_commas(table: &Table) -> Table {
    let names = ["price", "list_price", "rating"]
        .into_iter()
        .filter(|name| table.names.iter().any(|own| own == name));
    names.fold(table.clone(), |table, name| table.with(name, |value| value.replace('.', ",")))
}

/// With dates as the calendar on the wall has them.
fn with_dots(table: &Table) -> Table {
    if !table.names.iter().any(|name| name == "date") {
        return table.clone();
    }
    table.clone().with("date", |date| date.split('-').rev().collect::<Vec<_>>().join("."))
}

#[test]
fn separators_decimal_commas_and_encodings() {
    input("csv", |table| with_commas(table).separated(';').into_bytes()).is_the_catalog();
    input("txt", |table| utf16(&with_dots(&with_commas(table)).separated('\t'), true, true)).is_the_catalog();
    input("csv", |table| latin1(&with_dots(table).separated(';'))).is_the_catalog();
    input("tsv.gz", |table| {
        gzipped(format!("\u{feff}{}", table.separated('\t').replace('\n', "\r\n")).as_bytes())
    })
    .is_the_catalog();
}

#[test]
fn objects_a_line() {
    input("ndjson", |table| table.ndjson().into_bytes()).is_the_catalog();
    input("jsonl.zst", |table| zstd::encode_all(table.ndjson().as_bytes(), 1).unwrap()).is_the_catalog();
}

#[test]
fn decimals_below_folders_of_keys() {
    let Catalog { listings, observations, .. } = &*CATALOG;
    let (named, unnamed) = (Input::new(), Input::new());
    for country in listings.values("country") {
        let part = listings.only("country", &country).without("country").parquet();
        named.write(&format!("listings/country={country}/part-0000.parquet"), &part);
        unnamed.write(&format!("products/country={country}/part-0000.parquet"), &part);
        let observations = observations.only("country", &country).without("country");
        for day in observations.values("date") {
            let part = observations.only("date", &day).without("date").parquet();
            named.write(&format!("observations/country={country}/dt={day}/part-0000.parquet"), &part);
            unnamed.write(&format!("prices/country={country}/dt={day}/part-0000.parquet"), &part);
        }
    }
    named.is_the_catalog();
    unnamed.is_the_catalog();
    input("parquet", Table::parquet).is_the_catalog();
}

#[test]
fn a_stream_on_standard_input() {
    let Catalog { listings, observations, id } = &*CATALOG;
    let input = Input::new();
    input.write("listings.csv", &listings.separated(','));
    assert_eq!(&input.id(&["--input", "IN", "--observations", "-"], &observations.arrow()), id);
    assert_eq!(&input.id(&["--listings", "IN/listings.csv", "--input", "-"], &observations.arrow()), id);
    let input = Input::new();
    input.write("observations.csv", &observations.separated(','));
    assert_eq!(
        &input.id(&["--listings", "-", "--observations", "IN/observations.csv"], &listings.arrow()),
        id
    );
    assert_eq!(&input.id(&["--input", "-"], &joined().arrow()), id);
}

#[test]
fn workbooks_and_one_file_with_both_tables() {
    input("xlsx", Table::xlsx).is_the_catalog();
    input("ods", Table::ods).is_the_catalog();
    let all = joined();
    let prices = [
        ("prices.csv", with_commas(&all).separated(';').into_bytes()),
        ("prices.xlsx", all.xlsx()),
        ("prices.ndjson", all.ndjson().into_bytes()),
    ];
    for (name, bytes) in prices {
        let input = Input::new();
        input.write(name, &bytes);
        input.is_the_catalog();
    }
}

#[test]
fn other_names_and_constants_by_a_mapping() {
    let Catalog { listings, observations, id } = &*CATALOG;
    let input = Input::new();
    let strange = |table: &Table, country: &str| {
        let mut table = with_commas(table).only("country", country).without("country");
        for name in &mut table.names {
            *name = match name.as_str() {
                "platform" => "Retailer".to_owned(),
                "product_id" => "SKU".to_owned(),
                "price" => "Prix".to_owned(),
                "date" => "Relevé le".to_owned(),
                other => other.to_owned(),
            };
        }
        table.with("Retailer", |key| format!("{} (store)", key.to_uppercase()))
    };
    for country in ["us", "ca"] {
        input.write(&format!("{country}/listings.csv"), &strange(listings, country).separated(';'));
        input.write(&format!("{country}/prices.csv"), &strange(observations, country).separated(';'));
    }
    let mut map = String::from(
        "separator = \";\"\ndates = \"YMD\"\n\
         [columns]\nplatform = \"Retailer\"\nproduct_id = \"SKU\"\n\
         [observations.columns]\nprice = \"Prix\"\ndate = \"Relevé le\"\n\
         [[source]]\nfiles = \"us/*.csv\"\nconstants = { country = \"US\" }\n\
         [[source]]\nfiles = \"ca/*.csv\"\nconstants = { country = \"Canada\" }\n[retailers]\n",
    );
    for key in listings.values("platform") {
        map += &format!("\"{} (store)\" = \"{key}\"\n", key.to_uppercase());
    }
    fs::write(input.path("map.toml"), &map).unwrap();
    let files = ["--listings", "IN/**/listings.csv", "--observations", "IN/{us,ca}/prices.csv"];
    assert_eq!(&input.id(&[&files[..], &["--map", "map.toml"]].concat(), b""), id);
    let config =
        map.replace("[columns]", "[input.columns]").replace("[observations.", "[input.observations.");
    let config = config.replace("[[source]]", "[[input.source]]").replace("[retailers]", "[input.retailers]");
    fs::write(input.path("pricebook.toml"), format!("[input]\n{config}")).unwrap();
    assert_eq!(&input.id(&[&files[..], &["--config", "pricebook.toml"]].concat(), b""), id);
}

#[test]
fn files_of_any_name_by_patterns() {
    let Catalog { listings, observations, id } = &*CATALOG;
    let input = Input::new();
    input.write("Artikel [alt].csv", "nothing,of,this\n");
    input.write("a/Artikel.dat", &listings.separated('\t'));
    for (at, rows) in observations.rows.chunks(700).enumerate() {
        let part = Table { names: observations.names.clone(), rows: rows.to_vec() };
        input.write(&format!("b/{at}/prices-{at}.bak"), &part.separated(','));
    }
    assert_eq!(&input.id(&["--listings", "IN/a/A*.dat", "--observations", "IN/b/**/prices-?.bak"], b""), id);
    assert_eq!(&input.id(&["--listings", "IN/a/Artikel.dat", "--observations", "IN/b"], b""), id);
}

/// More than a part of a file, and dirt of every kind in it.
#[test]
fn threads_leave_no_trace() {
    let input = Input::new();
    let mut listings = String::from("country;platform;product_id;product_name;gtin;category_path\n");
    let spellings = ["Acme Foods", "ACME FOODS", "acme.foods", "Acme-Foods", "acme foods"];
    for item in 0..300 {
        let (shop, barcode) = (spellings[item % 5], ["3.6E+10", "", "4011"][item % 3]);
        listings += &format!("US;{shop};{item};Thing é {item};{barcode};Shelf {}\n", item % 7);
    }
    for blanks in 1..60 {
        listings += &format!("us;Acme{}Foods;more{blanks};Thing;;\n", ".".repeat(blanks));
    }
    input.write("listings.csv", &latin1(&listings));
    let mut observations = Vec::from(*b"country;platform;product_id;date;price;note\n");
    for row in 0..120_000_usize {
        let (item, day) = (row % 300, 1 + row / 300 % 28);
        let price = match row % 101 {
            0 => "N/A".to_owned(),
            7 => "1.299,00".to_owned(),
            _ => format!("{},{:02}", 1 + row % 50, row % 100),
        };
        let extra = if row % 997 == 0 { ";more" } else { "" };
        let note = "a note that makes the file longer than a part of it, ";
        let shop = spellings[row % 5];
        let line = format!(
            "us;{shop};{item};{day:02}.{:02}.2026;{price};{note}{row}{extra}\n",
            1 + row / 8_400 % 10
        );
        observations.extend_from_slice(line.as_bytes());
    }
    input.write("observations.csv", &observations);
    let read = |out: &str, id: &str, name: &str| {
        fs::read(input.path(out).join("reports").join(id).join(name)).unwrap()
    };
    let (one, four) = ("one", "four");
    let id = input.build(one, "1", &["--input", "IN"], b"");
    assert_eq!(input.build(four, "4", &["--input", "IN"], b""), id);
    for name in ["report.json", "rejected.ndjson"] {
        assert!(read(one, &id, name) == read(four, &id, name), "{name} differs");
    }
    assert!(read(one, &id, "rejected.ndjson").len() > 1_000);
}
