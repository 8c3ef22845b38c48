//! `pricebook export`: the tables of a snapshot as Parquet, for other engines and for ad-hoc work.
//!
//! ```text
//! categories.parquet                              the category tree in preorder, with the last descendant of each node
//! links.parquet                                   a row per likely link, sorted by uids
//! listings/country=us/part-00000.parquet          a row per listing, in snapshot order; `listing` is its row number
//! observations/country=us/part-00000.parquet, …   a row per listing and day, grouped by listing, days ascending
//! ```
//!
//! docs/export.md describes every column. Invariant: the export contains results of the build only, not values that are
//! computed for an answer, such as current prices or statistics. Money is integer cents. Values that the source does
//! not state are null. Rows are written in bounded groups, so memory does not grow with the catalog. `listings`,
//! `observations` and `links` each write their table, and `files` writes Parquet.

mod files;
mod links;
mod listings;
mod observations;

use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use polars::prelude::{Column, NamedFrom, Series};

use self::files::{Parts, Table};
use crate::catalog::{Catalog, Node};
use crate::snapshot::values::AnyColumn;
use crate::types::Country;

/// File of the category tree.
pub const CATEGORIES: &str = "categories.parquet";
/// Folder of the listings, with a folder for each country.
pub const LISTINGS: &str = "listings";
/// File of the likely links.
pub const LINKS: &str = "links.parquet";
/// Folder of the observations, with a folder for each country.
pub const OBSERVATIONS: &str = "observations";

/// Maximum number of rows in a file of listings or observations.
pub const PART_ROWS_MAX: NonZeroUsize = NonZeroUsize::new(16_000_000).expect("not zero");

/// Writes the tables of an opened snapshot into `out`, which is created if it is missing. A file has at most
/// `part_rows_max` rows of listings or observations; [`PART_ROWS_MAX`] is the usual value.
///
/// # Errors
/// Returns an error if a table exists already or cannot be written.
pub fn run(catalog: &Catalog, out: &Path, part_rows_max: NonZeroUsize) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot create the directory {}", out.display()))?;
    for name in [CATEGORIES, LINKS, LISTINGS, OBSERVATIONS] {
        let path = out.join(name);
        let is_free = fs::symlink_metadata(&path).is_err();
        ensure!(is_free, "{} exists already; name an empty directory", path.display());
    }
    categories(catalog, Table::create(out.join(CATEGORIES))?)?;
    links::write(catalog, Table::create(out.join(LINKS))?)?;
    for country in Country::ALL {
        let parts = |table| Parts::new(out, table, country, part_rows_max);
        listings::write(catalog, country, parts(LISTINGS))?;
        observations::write(catalog, country, parts(OBSERVATIONS))?;
    }
    Ok(())
}

/// Makes a column of values of any type, with or without nulls.
fn column<T, P: ?Sized>(name: &str, values: T) -> Column
where
    Series: NamedFrom<T, P>,
{
    Series::new(name.into(), values).into()
}

/// Makes a column of whole numbers, as signed 64-bit integers.
fn whole(name: &str, numbers: impl IntoIterator<Item = u32>) -> Column {
    column(name, numbers.into_iter().map(i64::from).collect::<Vec<_>>())
}

/// Makes a column of optional whole numbers, as signed 64-bit integers.
fn count(name: &str, numbers: impl IntoIterator<Item = Option<u32>>) -> Column {
    column(name, numbers.into_iter().map(|number| number.map(i64::from)).collect::<Vec<_>>())
}

/// Makes the columns that are exported unchanged: optional numbers and texts. An empty text becomes null. Other columns
/// are skipped.
fn plain(
    columns: Vec<(&'static str, AnyColumn<'_>)>,
    rows: Range<u32>,
    exported: impl Fn(&'static str) -> &'static str,
) -> Vec<Column> {
    let rows = || rows.clone();
    let plain = columns.into_iter().filter_map(|(name, any)| {
        let name = exported(name);
        match any {
            AnyColumn::Count(values) => Some(count(name, rows().map(|row| values.get(row)))),
            AnyColumn::Number(values) => {
                Some(column(name, rows().map(|row| values.get(row)).collect::<Vec<_>>()))
            }
            AnyColumn::Text(values) => {
                let text = |row| Some(values.get(row)).filter(|text| !text.is_empty());
                Some(column(name, rows().map(text).collect::<Vec<_>>()))
            }
            _ => None,
        }
    });
    plain.collect()
}

fn categories(catalog: &Catalog, mut table: Table) -> Result<()> {
    let nodes = catalog.taxonomy.nodes();
    table.group(vec![
        whole("category", 0..nodes.len() as Node),
        whole("last", nodes.iter().map(|node| node.subtree_end - 1)),
        count("parent", nodes.iter().map(|node| node.parent)),
        whole("depth", nodes.iter().map(|node| node.depth)),
        column("slug", nodes.iter().map(|node| node.slug.as_str()).collect::<Vec<_>>()),
        column("category_path", nodes.iter().map(|node| node.path.as_str()).collect::<Vec<_>>()),
    ])?;
    table.finish()
}
