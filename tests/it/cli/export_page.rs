//! The page about exports names the columns that the files have, with their types, and what each means.
//!
//! `UPDATE_GOLDEN=1 cargo test --test it export_page` writes names and types anew; meanings stay, and a new column that
//! leaves as the input says it gets the meaning that the input gives it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, DataType};
use pricebook::cli::export::{CATEGORIES, LINKS, LISTINGS, OBSERVATIONS, PART_ROWS_MAX};
use pricebook::snapshot::tables::{ListingInput, ObservationInput};

use super::export::EXPORTED;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/export.md")
}

/// Where the rows of a table of the page begin and end.
fn place(page: &str, name: &str) -> std::ops::Range<usize> {
    let opening = format!("<!-- derived: {name} -->\n");
    let from = page.find(&opening).unwrap_or_else(|| panic!("no place for {name}")) + opening.len();
    from..from + page[from..].find("<!-- end -->").unwrap()
}

/// What the page says of a column, or else the input.
fn meaning(table: &str, column: &str) -> String {
    let row = format!("| `{column}` | ");
    if let Some(said) = table.lines().find_map(|line| line.strip_prefix(&row)) {
        let (_, said) = said.split_once(" | ").unwrap();
        return said.strip_suffix(" |").unwrap().to_owned();
    }
    let inputs = ListingInput::ALL.iter().chain(ObservationInput::ALL);
    let input = inputs.into_iter().find(|input| input.name == column);
    let about = input.unwrap_or_else(|| panic!("docs/export.md does not say what {column} means")).about;
    format!("{} Null: the source has none.", about.trim())
}

fn word(dtype: &DataType) -> &'static str {
    match dtype {
        DataType::Int64 => "int64",
        DataType::Float64 => "double",
        DataType::String => "string",
        DataType::Boolean => "boolean",
        DataType::Date => "date",
        DataType::Datetime(..) => "timestamp",
        other => panic!("the page has no word for {other}"),
    }
}

fn derived(table: &str, frame: &DataFrame) -> String {
    let mut rows = "| column | type | meaning |\n|---|---|---|\n".to_owned();
    for column in frame.columns() {
        let (name, dtype) = (column.name(), word(column.dtype()));
        writeln!(rows, "| `{name}` | {dtype} | {} |", meaning(table, name)).unwrap();
    }
    rows
}

fn tables() -> [(&'static str, DataFrame); 4] {
    [("listings", LISTINGS), ("observations", OBSERVATIONS), ("categories", CATEGORIES), ("links", LINKS)]
        .map(|(name, file)| (name, EXPORTED.table(file)))
}

#[test]
fn the_export_page_has_the_columns_of_the_files() {
    let written = std::fs::read_to_string(page()).unwrap();
    let mut now = written.clone();
    for (name, frame) in tables() {
        let at = place(&now, name);
        let table = derived(&now[at.clone()], &frame);
        now.replace_range(at, &table);
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(page(), &now).unwrap();
        return;
    }
    assert_eq!(written, now, "docs/export.md is out of date: see {}", file!());
}

#[test]
fn the_export_page_says_what_null_means() {
    let page = std::fs::read_to_string(page()).unwrap();
    for (name, frame) in tables() {
        let table = &page[place(&page, name)];
        for column in frame.columns().iter().filter(|column| column.null_count() > 0) {
            assert!(meaning(table, column.name()).contains("Null"), "{name}: {}", column.name());
        }
    }
}

#[test]
fn the_export_page_has_the_limit() {
    let page = std::fs::read_to_string(page()).unwrap();
    let said = page.split("has at most ").nth(1).unwrap().split(" rows").next().unwrap();
    assert_eq!(said.replace(',', ""), PART_ROWS_MAX.to_string());
}
