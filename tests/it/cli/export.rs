//! Every row of the snapshot leaves, with the words and numbers that the catalog gives.

use std::fs::File;
use std::path::Path;

use polars::prelude::{DataFrame, DataType, ParquetReader, SerReader};
use pricebook::build::Silent;
use pricebook::build::pack::Linking;
use pricebook::build::ingest::Arguments;
use pricebook::build::run::{self as build, Options};
use pricebook::catalog::Catalog;
use pricebook::export::{CATEGORIES, LISTINGS, OBSERVATIONS, run};
use pricebook::snapshot::layout::PROMO;
use tempfile::{TempDir, tempdir};

/// A catalog of barcodes and wines, and the directory of its exported tables.
fn exported() -> (Catalog, TempDir) {
    let dir = tempdir().unwrap();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/demo-input");
    let inputs = vec![input.join("hammer_gtin"), input.join("bc_liquor")];
    let options = Options {
        arguments: Arguments::folders(inputs),
        out: dir.path().join("snapshots"),
        id: None,
        gpc: None,
        max_rejects_pct: 0.0,
        linking: Linking::Checked,
    };
    let id = build::run(&options, &Silent).unwrap().report.id;
    let catalog = Catalog::open(&options.out.join(id)).unwrap();
    run(&catalog, &dir.path().join("tables")).unwrap();
    (catalog, dir)
}

fn table(dir: &TempDir, name: &str) -> DataFrame {
    ParquetReader::new(File::open(dir.path().join("tables").join(name)).unwrap()).finish().unwrap()
}

#[test]
fn every_row_leaves_as_it_is() {
    let (catalog, dir) = exported();

    let categories = table(&dir, CATEGORIES);
    let (slug, last) = (
        categories.column("slug").unwrap().str().unwrap(),
        categories.column("last").unwrap().u32().unwrap(),
    );
    assert_eq!(categories.height(), catalog.taxonomy.nodes().len());
    for (at, node) in catalog.taxonomy.nodes().iter().enumerate() {
        assert_eq!((slug.get(at), last.get(at)), (Some(node.slug.as_str()), Some(node.subtree_end - 1)));
    }

    let listings = table(&dir, LISTINGS);
    let text = |name: &str| listings.column(name).unwrap().str().unwrap().clone();
    let (uid, brand, entity) = (text("product_uid"), text("brand"), text("entity_uid"));
    assert_eq!(listings.height(), catalog.listings.country.len());
    for row in 0..listings.height() {
        let listing = catalog.listing(row as u32);
        assert_eq!(uid.get(row), Some(listing.uid().to_string().as_str()));
        assert_eq!(brand.get(row), listing.brand());
        assert_eq!(entity.get(row), Some(listing.entity_uid().to_string().as_str()));
    }

    let observations = table(&dir, OBSERVATIONS);
    let columns = &catalog.observations.columns;
    assert_eq!(observations.height(), columns.price.len());
    let price = observations.column("price_cents").unwrap().u32().unwrap();
    assert!(price.iter().eq(columns.price.iter().copied().map(Some)));
    let list_price = observations.column("list_price_cents").unwrap().u32().unwrap();
    assert!(list_price.iter().map(Option::unwrap_or_default).eq(columns.list_price.iter().copied()));
    assert!(list_price.null_count() > 0, "some have none");
    let promo = observations.column("promo").unwrap().bool().unwrap();
    assert!(
        promo
            .iter()
            .map(|promo| promo == Some(true))
            .eq(columns.flags.iter().map(|flags| flags & PROMO != 0))
    );
    let listing = observations.column("listing").unwrap().u32().unwrap();
    let day = observations.column("day").unwrap();
    assert_eq!(day.dtype(), &DataType::Date);
    for row in 0..catalog.listings.country.len() as u32 {
        assert!(catalog.observations.of(row).all(|at| listing.get(at) == Some(row)));
    }
}

#[test]
fn nothing_is_written_over() {
    let (catalog, dir) = exported();
    let refused = run(&catalog, &dir.path().join("tables")).unwrap_err();
    assert!(format!("{refused:#}").contains("name an empty directory"), "{refused:#}");
}
