//! From a file with other names to a snapshot: `build --explain --write-map`, a look, `build --map`; and the template.

use std::path::Path;
use std::process::{Command, Output};

use pricebook::catalog::Catalog;
use pricebook::ingest::mapping::InputTable;

/// An export of a shop: other names, decimal commas, dates that nothing decides, no country.
const EXPORT: &str = "\
Retailer;SKU;Title;Brand Name;UPC;Category;Reg. Price;Price;Date;In Stock;URL;Notes
Best Buy;100;Acme Corn Flakes 500 g;Acme;036000291452;Food > Cereal;5,99;4,99;01/02/2026;1;https://x.example/1;a
amazon.com;200;Acme Corn Flakes 500g;Acme;036000291452;Food > Cereal;;4,49;02/02/2026;0;https://y.example/2;b
";

fn pricebook(dir: &Path, args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_pricebook");
    Command::new(program).args(args).current_dir(dir).output().unwrap()
}

fn said(output: &Output) -> (bool, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn a_strangers_export_is_mapped_in_two_commands() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("shop")).unwrap();
    std::fs::write(dir.path().join("shop/export.csv"), EXPORT).unwrap();

    let (succeeds, error) = said(&pricebook(dir.path(), &["build", "--input", "shop"]));
    assert!(!succeeds);
    for part in ["shop/export.csv", "country", "did you mean platform for Retailer", "--write-map"] {
        assert!(error.contains(part), "{part} is not said:\n{error}");
    }

    let looks = ["build", "--input", "shop", "--explain", "--write-map", "map.toml"];
    let (succeeds, explained) = said(&pricebook(dir.path(), &looks));
    assert!(succeeds, "{explained}");
    let line = |ours: &str| {
        let line = explained.lines().find(|line| line.trim_start().starts_with(&format!("{ours} ")));
        line.unwrap_or_else(|| panic!("nothing is said of {ours}:\n{explained}")).to_owned()
    };
    assert!(
        line("platform").contains("\"Retailer\", proposed")
            && line("platform").contains("best-buy | amazon-com")
    );
    assert!(line("price").contains("\"Price\"") && line("price").contains("4.99 | 4.49"));
    assert!(line("list_price").contains("\"Reg. Price\", proposed") && line("list_price").contains("5.99"));
    assert!(line("country").contains("NOT FOUND"));
    assert!(explained.contains("separated by ';'") && explained.contains("decimal comma"));
    assert!(explained.contains("01/02/2026 (line 2) is 1 February or 2 January"), "{explained}");
    assert!(line("not").contains("Notes"));
    assert!(!dir.path().join("snapshots/CURRENT").exists(), "nothing is built");

    // What the page says is to be decided.
    let map = dir.path().join("map.toml");
    let proposed = std::fs::read_to_string(&map).unwrap();
    let decided = proposed
        .replace("# country = \"us\"", "country = \"ca\"")
        .replace("# dates = \"DMY\"", "dates = \"DMY\"");
    assert_ne!(proposed, decided);
    std::fs::write(&map, decided).unwrap();
    let (succeeds, built) = said(&pricebook(dir.path(), &["build", "--input", "shop", "--map", "map.toml"]));
    assert!(succeeds, "{built}");
    let current = std::fs::read_to_string(dir.path().join("snapshots/CURRENT")).unwrap();
    let catalog = Catalog::open(&dir.path().join("snapshots").join(current.trim())).unwrap();
    assert_eq!(catalog.as_of().to_string(), "2026-02-03");
    let offers: Vec<_> = (0..2)
        .map(|row| catalog.listing(row))
        .map(|listing| {
            (listing.country().as_str(), listing.retailer().to_owned(), listing.product_id().to_owned())
        })
        .collect();
    assert_eq!(offers, [("ca", "amazon-com".into(), "200".into()), ("ca", "best-buy".into(), "100".into())]);
    assert_eq!(catalog.listings.current_price.as_slice(), [449, 499]);
    assert_eq!(catalog.manifest().counts.entities, 1);
}

#[test]
fn the_template_has_every_column_and_is_built() {
    let dir = tempfile::tempdir().unwrap();
    let (succeeds, text) = said(&pricebook(dir.path(), &["template", "mine"]));
    assert!(succeeds && text.contains("mine/observations.csv"), "{text}");
    for table in InputTable::ALL {
        let file = std::fs::read_to_string(dir.path().join(format!("mine/{}.csv", table.as_str()))).unwrap();
        let header: Vec<&str> = file.lines().next().unwrap().split(',').collect();
        assert_eq!(header, table.columns().iter().map(|column| column.name).collect::<Vec<_>>());
    }
    let (succeeds, text) = said(&pricebook(dir.path(), &["build", "--input", "mine"]));
    assert!(succeeds && text.contains(" 0 rejected (0.00 %)"), "{text}");
    let (succeeds, text) = said(&pricebook(dir.path(), &["template", "mine"]));
    assert!(!succeeds && text.contains("name an empty folder"), "{text}");
    // What stands in the mapping behind # is one.
    let mapping = std::fs::read_to_string(dir.path().join("mine/mapping.toml")).unwrap();
    let keys = |line: &str| line.starts_with("# ") && (line.contains(" = ") || line.starts_with("# ["));
    let lines = mapping.lines().filter(|line| keys(line)).map(|line| &line[2..]);
    let text = lines.collect::<Vec<_>>().join("\n");
    assert!(text.contains("decimal") && text.contains("[[source]]"));
    std::fs::write(dir.path().join("mapping.toml"), text).unwrap();
    pricebook::ingest::mapping::InputMapping::read(&dir.path().join("mapping.toml")).unwrap();
}

#[test]
fn ten_files_that_are_not_read_are_named_and_the_others_counted() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("shop")).unwrap();
    std::fs::write(dir.path().join("shop/export.csv"), EXPORT).unwrap();
    for number in 0..12 {
        std::fs::write(dir.path().join(format!("shop/page-{number:02}.pdf")), "").unwrap();
    }
    let (succeeds, explained) = said(&pricebook(dir.path(), &["build", "--input", "shop", "--explain"]));
    assert!(succeeds, "{explained}");
    assert_eq!(explained.matches(".pdf: not read").count(), 10, "{explained}");
    assert!(explained.contains("2 more files are not read, 12 in all"), "{explained}");
}
