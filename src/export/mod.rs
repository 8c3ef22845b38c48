//! `pricebook export`: the tables of a snapshot as Parquet, for other engines and for ad-hoc work.
//!
//! ```text
//! categories.parquet     the category tree in preorder, each node with the last node below it
//! listings.parquet       a row per listing, in snapshot order; `listing` is its row number
//! links.parquet          a row per likely link, by uids
//! observations.parquet   a row per listing and day, grouped by listing, days ascending
//! ```
//!
//! Invariant: what leaves is what the build decided and nothing that an answer computes: no current price, no
//! statistic. Money is integer cents; what the source does not say is null. Rows go out in bounded groups, so memory
//! does not grow with the catalog. Each of the two large tables has a file of its own below.

mod links;
mod listings;
mod observations;

use std::fs::{self, File};
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result};
use polars::prelude::{Column, DataFrame, NamedFrom, ParquetWriter, Series};

use crate::catalog::{Catalog, Node};
use crate::snapshot::values::AnyColumn;

/// File of the category tree.
pub const CATEGORIES: &str = "categories.parquet";
/// File of the listings.
pub const LISTINGS: &str = "listings.parquet";
/// File of the likely links.
pub const LINKS: &str = "links.parquet";
/// File of the observations.
pub const OBSERVATIONS: &str = "observations.parquet";

/// Writes the tables of an opened snapshot into `out`, which is made if it is missing.
///
/// # Errors
/// When a table is there already, or cannot be written.
pub fn run(catalog: &Catalog, out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot make the directory {}", out.display()))?;
    categories(catalog, &mut Table::create(out, CATEGORIES)?)?;
    listings::write(catalog, &mut Table::create(out, LISTINGS)?)?;
    links::write(catalog, &mut Table::create(out, LINKS)?)?;
    observations::write(catalog, &mut Table::create(out, OBSERVATIONS)?)
}

/// A Parquet file whose rows go out group by group.
struct Table {
    name: &'static str,
    /// Waits for the first group, which has the schema.
    file: Option<BufWriter<File>>,
    writer: Option<polars::io::parquet::write::BatchedWriter<BufWriter<File>>>,
}

impl Table {
    fn create(out: &Path, name: &'static str) -> Result<Self> {
        let path = out.join(name);
        let file = File::create_new(&path)
            .with_context(|| format!("cannot write {}; name an empty directory", path.display()))?;
        Ok(Self { name, file: Some(BufWriter::new(file)), writer: None })
    }

    /// Appends a row group; every group has the same columns.
    fn group(&mut self, columns: Vec<Column>) -> Result<()> {
        let frame = DataFrame::new_infer_height(columns)?;
        if let Some(file) = self.file.take() {
            self.writer = Some(ParquetWriter::new(file).batched(frame.schema())?);
        }
        if let Some(writer) = &mut self.writer {
            writer.write_batch(&frame).with_context(|| format!("cannot write {}", self.name))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.finish().with_context(|| format!("cannot write {}", self.name))?;
        }
        Ok(())
    }
}

/// A column of values that may be missing or not.
fn column<T, P: ?Sized>(name: &str, values: T) -> Column
where
    Series: NamedFrom<T, P>,
{
    Series::new(name.into(), values).into()
}

/// The columns that stand for themselves: numbers that may be missing, and texts, of which an empty one is missing.
fn plain(
    columns: Vec<(&'static str, AnyColumn<'_>)>,
    rows: Range<u32>,
    exported: impl Fn(&'static str) -> &'static str,
) -> Vec<Column> {
    let rows = || rows.clone();
    let plain = columns.into_iter().filter_map(|(name, any)| {
        let name = exported(name);
        match any {
            AnyColumn::Count(values) => {
                Some(column(name, rows().map(|row| values.get(row)).collect::<Vec<_>>()))
            }
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

fn categories(catalog: &Catalog, table: &mut Table) -> Result<()> {
    let nodes = catalog.taxonomy.nodes();
    table.group(vec![
        column("category", (0..nodes.len() as Node).collect::<Vec<_>>()),
        column("last", nodes.iter().map(|node| node.subtree_end - 1).collect::<Vec<_>>()),
        column("parent", nodes.iter().map(|node| node.parent).collect::<Vec<_>>()),
        column("depth", nodes.iter().map(|node| node.depth).collect::<Vec<_>>()),
        column("slug", nodes.iter().map(|node| node.slug.as_str()).collect::<Vec<_>>()),
        column("category_path", nodes.iter().map(|node| node.path.as_str()).collect::<Vec<_>>()),
    ])?;
    table.finish()
}
