//! Every row of the snapshot leaves, with the words and numbers that the catalog gives, in folders and types that other
//! engines read; `tests/export/run` has them do so.

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use polars::prelude::{Column, DataFrame, DataType, ParquetReader, SerReader};
use pricebook::build::Silent;
use pricebook::build::pack::Linking;
use pricebook::build::run::{self as build, Options};
use pricebook::catalog::{Catalog, in_stock};
use pricebook::domain::Country;
use pricebook::export::{CATEGORIES, LINKS, LISTINGS, OBSERVATIONS, PART_ROWS_MAX, run};
use pricebook::snapshot::layout::PROMO;
use tempfile::{TempDir, tempdir};

/// A catalog of barcodes, wines and memory of two countries, and where its tables can go.
pub(super) fn catalog() -> (Catalog, TempDir) {
    let dir = tempdir().unwrap();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/demo-input");
    let options = Options {
        inputs: ["hammer_gtin", "bc_liquor", "pcparts"].map(|source| input.join(source)).into(),
        out: dir.path().join("snapshots"),
        id: None,
        gpc: None,
        max_rejects_pct: 0.0,
        linking: Linking::Kept,
    };
    let id = build::run(&options, &Silent).unwrap().report.id;
    let catalog = Catalog::open(&options.out.join(id)).unwrap();
    (catalog, dir)
}

fn exported(part_rows_max: NonZeroUsize) -> (Catalog, TempDir) {
    let (catalog, dir) = catalog();
    run(&catalog, &dir.path().join("tables"), part_rows_max).unwrap();
    (catalog, dir)
}

/// Paths below the exported tables, in order.
pub(super) fn files(tables: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

pub(super) fn read(path: &Path) -> DataFrame {
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
}

/// The rows of a table: of its file, or of all files in its folder.
fn table(dir: &TempDir, name: &str) -> DataFrame {
    let path = dir.path().join("tables").join(name);
    if path.is_file() {
        return read(&path);
    }
    files(&path).iter().map(|path| read(path)).reduce(|all, more| all.vstack(&more).unwrap()).unwrap()
}

/// The whole numbers of a column.
fn whole<'a>(frame: &'a DataFrame, name: &str) -> impl Iterator<Item = Option<u32>> + 'a {
    let numbers = frame.column(name).unwrap().i64().unwrap();
    numbers.iter().map(|number| number.map(|number| u32::try_from(number).unwrap()))
}

fn words<'a>(frame: &'a DataFrame, name: &str) -> impl Iterator<Item = Option<&'a str>> {
    frame.column(name).unwrap().str().unwrap().iter()
}

#[test]
fn tables_are_folders_by_country() {
    let (_catalog, dir) = exported(PART_ROWS_MAX);
    let tables = dir.path().join("tables");
    let found = files(&tables);
    let found: Vec<&str> =
        found.iter().map(|path| path.strip_prefix(&tables).unwrap().to_str().unwrap()).collect();
    let expected = [
        "categories.parquet",
        "links.parquet",
        "listings/country=ca/part-00000.parquet",
        "listings/country=us/part-00000.parquet",
        "observations/country=ca/part-00000.parquet",
        "observations/country=us/part-00000.parquet",
    ];
    assert_eq!(found, expected);
}

#[test]
fn every_listing_and_category_leaves_as_it_is() {
    let (catalog, dir) = exported(PART_ROWS_MAX);

    let categories = table(&dir, CATEGORIES);
    let nodes = catalog.taxonomy.nodes();
    assert!(words(&categories, "slug").eq(nodes.iter().map(|node| Some(node.slug.as_str()))));
    assert!(whole(&categories, "last").eq(nodes.iter().map(|node| Some(node.subtree_end - 1))));
    assert!(whole(&categories, "parent").eq(nodes.iter().map(|node| node.parent)));

    let listings = table(&dir, LISTINGS);
    let rows = catalog.listings.country.len() as u32;
    let each = || (0..rows).map(|row| catalog.listing(row));
    assert!(whole(&listings, "listing").eq((0..rows).map(Some)));
    assert!(words(&listings, "country").eq(each().map(|listing| Some(listing.country().as_str()))));
    assert!(words(&listings, "product_name").eq(each().map(|listing| Some(listing.name()))));
    assert!(words(&listings, "brand").eq(each().map(|listing| listing.brand())));
    assert!(whole(&listings, "category").eq(each().map(|listing| Some(listing.category()))));
    assert!(whole(&listings, "entity").eq(each().map(|listing| Some(listing.entity()))));
    assert!(whole(&listings, "review_count").eq(each().map(|listing| listing.review_count())));
    for (row, (uid, entity)) in
        words(&listings, "product_uid").zip(words(&listings, "entity_uid")).enumerate()
    {
        let listing = catalog.listing(row as u32);
        assert_eq!(uid, Some(listing.uid().to_string().as_str()));
        assert_eq!(entity, Some(listing.entity_uid().to_string().as_str()));
    }
}

#[test]
fn every_observation_leaves_as_it_is() {
    let (catalog, dir) = exported(PART_ROWS_MAX);
    let observations = table(&dir, OBSERVATIONS);
    let columns = &catalog.observations.columns;
    assert_eq!(observations.height(), columns.price.len());
    assert!(whole(&observations, "price_cents").eq(columns.price.iter().copied().map(Some)));
    assert!(
        whole(&observations, "list_price_cents")
            .map(Option::unwrap_or_default)
            .eq(columns.list_price.iter().copied())
    );
    assert!(observations.column("list_price_cents").unwrap().null_count() > 0, "some have none");
    let flags = |name: &str| observations.column(name).unwrap().bool().unwrap().iter();
    assert!(flags("promo").eq(columns.flags.iter().map(|flags| Some(flags & PROMO != 0))));
    assert!(flags("in_stock").eq(columns.flags.iter().map(|&flags| in_stock(flags))));

    let day = observations.column("day").unwrap();
    assert_eq!(day.dtype(), &DataType::Date);
    let days = day.date().unwrap().physical().iter();
    assert!(days.eq(columns.day.iter().map(|&day| Some(catalog.day(day).days()))));

    let rows = 0..catalog.listings.country.len() as u32;
    let listing = rows.flat_map(|row| catalog.observations.of(row).map(move |_| row));
    let country = listing.clone().map(|row| Some(catalog.listing(row).country().as_str()));
    assert!(whole(&observations, "listing").eq(listing.map(Some)));
    assert!(words(&observations, "country").eq(country));
}

#[test]
fn the_country_of_a_folder_is_that_of_its_rows() {
    let (catalog, dir) = exported(PART_ROWS_MAX);
    for (name, country) in
        [LISTINGS, OBSERVATIONS].into_iter().flat_map(|name| Country::ALL.map(|of| (name, of)))
    {
        let frame = read(&dir.path().join(format!("tables/{name}/country={country}/part-00000.parquet")));
        assert!(words(&frame, "country").all(|word| word == Some(country.as_str())), "{name} {country}");
        let listing: Vec<u32> = whole(&frame, "listing").map(Option::unwrap).collect();
        let rows = catalog.country_rows(country);
        assert!(!listing.is_empty() && listing.iter().all(|row| rows.contains(row)), "{name} {country}");
    }
}

/// What the Parquet schema alone says, and no other schema is there: an embedded one of Arrow had string views, which
/// pyarrow cannot filter. Iceberg and Delta have no unsigned numbers.
#[test]
fn files_have_plain_types() {
    let (_catalog, dir) = exported(PART_ROWS_MAX);
    for path in files(&dir.path().join("tables")) {
        let mut reader = ParquetReader::new(File::open(&path).unwrap());
        let metadata = reader.get_metadata().unwrap().clone();
        let beside = metadata.key_value_metadata.as_deref().unwrap_or_default();
        assert!(beside.is_empty(), "{}: {beside:?}", path.display());
        let fields = metadata.schema().fields();
        for (column, field) in reader.finish().unwrap().columns().iter().zip(fields) {
            let said = format!("{field:?}");
            let wanted = match column.dtype() {
                DataType::String => "logical_type: Some(String)",
                DataType::Int64 => "physical_type: Int64",
                DataType::Float64 => "physical_type: Double",
                DataType::Boolean => "physical_type: Boolean",
                DataType::Date => "logical_type: Some(Date)",
                DataType::Datetime(..) => "logical_type: Some(Timestamp",
                other => panic!("{} has a column of type {other}", path.display()),
            };
            assert!(said.contains(wanted), "{}: {said}", path.display());
            assert!(!said.contains("UInt"), "{}: {said}", path.display());
        }
    }
}

#[test]
fn large_tables_are_cut() {
    let (catalog, whole_dir) = exported(PART_ROWS_MAX);
    let part_rows_max = NonZeroUsize::new(700).unwrap();
    run(&catalog, &whole_dir.path().join("cut"), part_rows_max).unwrap();
    for (name, country) in
        [LISTINGS, OBSERVATIONS].into_iter().flat_map(|name| Country::ALL.map(|of| (name, of)))
    {
        let folder =
            |tables: &str| whole_dir.path().join(tables).join(name).join(format!("country={country}"));
        let uncut = read(&folder("tables").join("part-00000.parquet"));
        let parts = files(&folder("cut"));
        assert_eq!(parts.len(), uncut.height().div_ceil(700), "{name} {country}");
        let mut from = 0;
        for (number, path) in parts.iter().enumerate() {
            assert!(path.ends_with(format!("part-{number:05}.parquet")), "{}", path.display());
            let part = read(path);
            let rows = (uncut.height() - from).min(700);
            assert!(part.equals_missing(&uncut.slice(from as i64, rows)), "{}", path.display());
            from += rows;
        }
        assert_eq!(from, uncut.height(), "{name} {country}");
    }
    assert!(files(&whole_dir.path().join("cut").join(OBSERVATIONS)).len() > 4, "something was cut");
}

#[test]
fn links_leave_by_uid() {
    let (catalog, dir) = exported(PART_ROWS_MAX);
    let links = table(&dir, LINKS);
    let rows = 0..catalog.listings.country.len() as u32;
    // Every link is kept at both ends and leaves once.
    assert_eq!(links.height() * 2, rows.map(|row| catalog.links.of(row).count()).sum::<usize>());
    let kept = |column: &Column| column.null_count() == 0;
    assert!(links.columns().iter().all(kept));
}

#[test]
fn nothing_is_written_over() {
    let (catalog, dir) = catalog();
    for name in [CATEGORIES, LINKS, LISTINGS, OBSERVATIONS] {
        let tables = dir.path().join(format!("with-{name}"));
        fs::create_dir_all(tables.join(name)).unwrap();
        let refused = run(&catalog, &tables, PART_ROWS_MAX).unwrap_err();
        let said = format!("{refused:#}");
        assert!(said.contains(name) && said.contains("name an empty directory"), "{said}");
        assert_eq!(fs::read_dir(&tables).unwrap().count(), 1, "nothing was written");
    }
}
