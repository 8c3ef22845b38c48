//! Every row of the snapshot leaves, with the words and numbers that the catalog gives, in folders and types that other
//! engines read; `tests/export/run` has them do so.

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::support::daily;
use polars::prelude::{Column, DataFrame, DataType, ParquetReader, SerReader};
use pricebook::catalog::{Catalog, Listing, in_stock};
use pricebook::cli::export::{CATEGORIES, LINKS, LISTINGS, OBSERVATIONS, PART_ROWS_MAX, run};
use pricebook::index::run as build;
use pricebook::index::run::Options;
use pricebook::index::writer::Linking;
use pricebook::ingest::{Arguments, Silent};
use pricebook::snapshot::layout::PROMO;
use pricebook::types::Country;
use tempfile::{TempDir, tempdir};

/// A catalog of groceries, some of them linked, and of memory: two countries; and its tables.
pub(super) struct Exported {
    catalog: Catalog,
    dir: TempDir,
}

impl Exported {
    fn tables(&self) -> PathBuf {
        self.dir.path().join("tables")
    }

    /// Where a test can write.
    fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The rows of a table: of its file, or of all files in its folder.
    pub(super) fn table(&self, name: &str) -> DataFrame {
        let parts = self.files(name).into_iter().map(|path| read(&path));
        parts.reduce(|all, more| all.vstack(&more).unwrap()).unwrap()
    }

    /// The file of a table, or all files in its folder.
    fn files(&self, name: &str) -> Vec<PathBuf> {
        let path = self.tables().join(name);
        if path.is_file() { vec![path] } else { files(&path) }
    }
}

pub(super) static EXPORTED: LazyLock<Exported> = LazyLock::new(|| {
    let dir = tempdir().unwrap();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo-input");
    let options = Options {
        arguments: Arguments::folders(["hammer_gtin", "hammer", "pcparts"].map(|source| input.join(source))),
        out: dir.path().join("snapshots"),
        max_rejects_pct: 0.0,
        linking: Linking::Kept,
        ..Options::default()
    };
    let id = build::run(&options, &Silent).unwrap().report.id;
    let catalog = Catalog::open(&options.out.join(id)).unwrap();
    run(&catalog, &dir.path().join("tables"), PART_ROWS_MAX).unwrap();
    Exported { catalog, dir }
});

/// The tables that are cut by country.
fn by_country() -> impl Iterator<Item = (&'static str, Country)> {
    [LISTINGS, OBSERVATIONS].into_iter().flat_map(|name| Country::ALL.map(|country| (name, country)))
}

/// Paths below the exported tables, in order.
fn files(tables: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn read(path: &Path) -> DataFrame {
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
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
    let tables = EXPORTED.tables();
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
    let Exported { catalog, .. } = &*EXPORTED;

    let categories = EXPORTED.table(CATEGORIES);
    let nodes = catalog.taxonomy.nodes();
    assert!(words(&categories, "slug").eq(nodes.iter().map(|node| Some(node.slug.as_str()))));
    assert!(whole(&categories, "last").eq(nodes.iter().map(|node| Some(node.subtree_end - 1))));
    assert!(whole(&categories, "parent").eq(nodes.iter().map(|node| node.parent)));

    let listings = EXPORTED.table(LISTINGS);
    let rows = catalog.listings.country.len() as u32;
    let each = || (0..rows).map(|row| catalog.listing(row));
    assert!(whole(&listings, "listing").eq((0..rows).map(Some)));
    assert!(words(&listings, "country").eq(each().map(|listing| Some(listing.country().as_str()))));
    assert!(words(&listings, "product_name").eq(each().map(|listing| Some(listing.name()))));
    assert!(words(&listings, "brand").eq(each().map(Listing::brand)));
    assert!(whole(&listings, "category").eq(each().map(|listing| Some(listing.category()))));
    assert!(whole(&listings, "entity").eq(each().map(|listing| Some(listing.entity()))));
    assert!(whole(&listings, "review_count").eq(each().map(Listing::review_count)));
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
    let Exported { catalog, .. } = &*EXPORTED;
    let observations = EXPORTED.table(OBSERVATIONS);
    let held = daily::all(catalog);
    let each = || held.iter().map(|(_, seen)| *seen);
    assert_eq!(observations.height(), held.len());
    assert!(whole(&observations, "price_cents").eq(each().map(|(_, price, ..)| Some(price))));
    assert!(
        whole(&observations, "list_price_cents")
            .map(Option::unwrap_or_default)
            .eq(each().map(|(_, _, list_price, _)| list_price))
    );
    assert!(observations.column("list_price_cents").unwrap().null_count() > 0, "some have none");
    let flags = |name: &str| observations.column(name).unwrap().bool().unwrap().iter();
    assert!(flags("promo").eq(each().map(|(.., flags)| Some(flags & PROMO != 0))));
    assert!(flags("in_stock").eq(each().map(|(.., flags)| in_stock(flags))));

    let day = observations.column("day").unwrap();
    assert_eq!(day.dtype(), &DataType::Date);
    let days = day.date().unwrap().physical().iter();
    assert!(days.eq(each().map(|(day, ..)| Some(catalog.day(day).days()))));

    let listing = held.iter().map(|(row, _)| *row);
    let country = listing.clone().map(|row| Some(catalog.listing(row).country().as_str()));
    assert!(whole(&observations, "listing").eq(listing.map(Some)));
    assert!(words(&observations, "country").eq(country));
}

#[test]
fn the_country_of_a_folder_is_that_of_its_rows() {
    for (name, country) in by_country() {
        let frame = EXPORTED.table(&format!("{name}/country={country}"));
        assert!(words(&frame, "country").all(|word| word == Some(country.as_str())), "{name} {country}");
        let rows = EXPORTED.catalog.country_rows(country);
        let is_of_country = |row: Option<u32>| rows.contains(&row.unwrap());
        assert!(!rows.is_empty() && whole(&frame, "listing").all(is_of_country), "{name} {country}");
    }
}

/// What the Parquet schema alone says, and no other schema is there: an embedded one of Arrow had string views, which
/// pyarrow cannot filter. Iceberg and Delta have no unsigned numbers.
#[test]
fn files_have_plain_types() {
    for path in files(&EXPORTED.tables()) {
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
    let cut = EXPORTED.beside("cut");
    let rows_max = NonZeroUsize::new(700).unwrap();
    run(&EXPORTED.catalog, &cut, rows_max).unwrap();
    for (name, country) in by_country() {
        let folder = format!("{name}/country={country}");
        let uncut = EXPORTED.table(&folder);
        let parts = files(&cut.join(folder));
        assert!(parts.len() > 1, "{name} {country}");
        assert_eq!(parts.len(), uncut.height().div_ceil(rows_max.get()), "{name} {country}");
        for (number, path) in parts.iter().enumerate() {
            assert!(path.ends_with(format!("part-{number:05}.parquet")), "{}", path.display());
            let rows = uncut.slice((number * rows_max.get()) as i64, rows_max.get());
            assert!(read(path).equals_missing(&rows), "{}", path.display());
        }
    }
}

#[test]
fn links_leave_by_uid() {
    let Exported { catalog, .. } = &*EXPORTED;
    let links = EXPORTED.table(LINKS);
    let rows = 0..catalog.listings.country.len() as u32;
    // Every link is kept at both ends and leaves once.
    assert_eq!(links.height() * 2, rows.map(|row| catalog.links.of(row).count()).sum::<usize>());
    let kept = |column: &Column| column.null_count() == 0;
    assert!(links.height() > 0 && links.columns().iter().all(kept));
}

#[test]
fn refuses_to_overwrite_existing_files() {
    for name in [CATEGORIES, LINKS, LISTINGS, OBSERVATIONS] {
        let tables = EXPORTED.beside(&format!("with-{name}"));
        fs::create_dir_all(tables.join(name)).unwrap();
        let refused = run(&EXPORTED.catalog, &tables, PART_ROWS_MAX).unwrap_err();
        let said = format!("{refused:#}");
        assert!(said.contains(name) && said.contains("name an empty directory"), "{said}");
        assert_eq!(fs::read_dir(&tables).unwrap().count(), 1, "nothing was written");
    }
}
