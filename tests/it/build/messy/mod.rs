//! Folders as shops and analysts have them: each is built with the right figures, or refused in a sentence that names
//! file, line, value and rule, and what to do.

mod damage;
mod files;
mod layout;
mod refused;
mod values;

use std::fs;
use std::path::Path;

use crate::support::daily;
use pricebook::catalog::Catalog;
use pricebook::index::run::{Options, Report, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::{Arguments, Silent};
use pricebook::types::Country;
use tempfile::TempDir;

/// Two things of one retailer, on two days.
const FIGURES: [&str; 4] = [
    "us acme A-1 2026-10-30 3.99",
    "us acme A-1 2026-10-31 3.49",
    "us acme A-2 2026-10-30 1299.00",
    "us acme A-2 2026-10-31 1199.00",
];

/// A price list that holds [`FIGURES`], in one file: what is written otherwise than here is what a test is about.
#[derive(Clone, Copy)]
struct PriceList {
    header: &'static str,
    separator: char,
    country: &'static str,
    retailer: &'static str,
    days: [&'static str; 2],
    prices: [&'static str; 4],
}

const LIST: PriceList = PriceList {
    header: "country,platform,product_id,product_name,date,price",
    separator: ',',
    country: "us",
    retailer: "acme",
    days: ["2026-10-30", "2026-10-31"],
    prices: ["3.99", "3.49", "1299.00", "1199.00"],
};

impl PriceList {
    fn rows(&self) -> Vec<Vec<&'static str>> {
        let [first, last] = self.days;
        let [a, b, c, d] = self.prices;
        let listing = |id, name, day, price| vec![self.country, self.retailer, id, name, day, price];
        vec![
            self.header.split(',').collect(),
            listing("A-1", "Kettle, 1 l", first, a),
            listing("A-1", "Kettle, 1 l", last, b),
            listing("A-2", "Coffee machine", first, c),
            listing("A-2", "Coffee machine", last, d),
        ]
    }

    /// As text, quoted where a value holds the separator.
    fn text(&self) -> String {
        let quoted = |value: &str| {
            if value.contains([self.separator, '"']) {
                format!("\"{}\"", value.replace('"', "\"\""))
            } else {
                value.to_owned()
            }
        };
        let line = |row: Vec<&str>| {
            row.into_iter().map(quoted).collect::<Vec<_>>().join(&self.separator.to_string()) + "\n"
        };
        self.rows().into_iter().map(line).collect()
    }
}

/// What became of a folder.
struct Outcome {
    /// The catalog's prices, or why there is none; folders are called IN and OUT.
    result: Result<(Vec<String>, Report), String>,
    dir: TempDir,
}

impl Outcome {
    /// The report of a build with these figures.
    fn built(self, figures: &[&str]) -> Report {
        let (found, report) = self.result.unwrap_or_else(|error| panic!("not built: {error}"));
        assert_eq!(found, figures);
        report
    }

    /// The report of a build with [`FIGURES`], of which no row was lost.
    fn sound(self) -> Report {
        let report = self.built(&FIGURES);
        assert_eq!(report.input.rejected_rows, 0, "{report}");
        report
    }

    /// The words of a build that was refused, in which all of these are.
    fn refused(self, words: &[&str]) -> String {
        let Err(error) = self.result else { panic!("built") };
        for word in words {
            assert!(error.contains(word), "{word:?} is not in: {error}");
        }
        assert!(!self.dir.path().join("OUT/CURRENT").exists(), "published");
        error
    }
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = dir.path().join("IN").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

fn options(dir: &Path, arguments: Arguments) -> Options {
    Options { arguments, out: dir.join("OUT"), linking: Linking::Off, ..Options::default() }
}

/// What becomes of a folder with these files, built with `--input` alone.
fn build(files: &[(&str, &[u8])]) -> Outcome {
    let dir = folder(files);
    fs::create_dir_all(dir.path().join("IN")).unwrap();
    let arguments = Arguments::folders([dir.path().join("IN")]);
    build_with(dir, arguments)
}

fn build_with(dir: TempDir, arguments: Arguments) -> Outcome {
    let result = run(&options(dir.path(), arguments), &Silent);
    let result =
        result.map_err(|error| format!("{error:#}").replace(&format!("{}/", dir.path().display()), ""));
    let result = result.map(|built| (prices(&Catalog::open(&built.published.path()).unwrap()), built.report));
    Outcome { result, dir }
}

/// What becomes of one text.
fn build_text(name: &str, text: &str) -> Outcome {
    build(&[(name, text.as_bytes())])
}

/// Every price in a catalog: country, retailer, id, day, price.
fn prices(catalog: &Catalog) -> Vec<String> {
    let mut lines = Vec::new();
    for row in Country::ALL.into_iter().flat_map(|country| catalog.country_rows(country)) {
        let listing = catalog.listing(row);
        for (day, cents, ..) in daily::of(catalog, row) {
            let (country, retailer, id) =
                (listing.country().as_str(), listing.retailer(), listing.product_id());
            let day = catalog.day(day);
            lines.push(format!("{country} {retailer} {id} {day} {}.{:02}", cents / 100, cents % 100));
        }
    }
    lines.sort();
    lines
}
