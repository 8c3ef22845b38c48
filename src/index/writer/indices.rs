//! The file of indices: uids in order, entities, shelves.

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use super::super::normalized::Names;
use super::super::scratch::Scratch;
use super::aggregates;
use super::category_scopes::{ByPrice, CategoryScopes};
use super::entities::Entities;
use super::listing_key::ListingKeys;
use crate::snapshot::columns::{ColumnWriter, Written};

/// Rows of which a column is put together at a time.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// Writes the indices to `path`.
pub(super) fn write(
    names: &Names,
    keys: &ListingKeys,
    entities: &Entities,
    categories: &CategoryScopes,
    scratch: &Scratch,
    path: &Path,
) -> Result<Written> {
    let mut file = ColumnWriter::create(path)?;
    write_uids(keys, &mut file)?;
    entities.write(&mut file)?;
    categories.write_ranges(&mut file)?;
    let by_price = ByPrice::of(keys);
    let from = (keys, &by_price);
    aggregates::write(&mut file, "category", categories, from, scratch)?;
    if let Some(classification) = &names.classification {
        let codes = CategoryScopes::of_codes(classification, keys);
        codes.write_rows(&mut file)?;
        aggregates::write(&mut file, "code", &codes, from, scratch)?;
    }
    Ok(file.finish()?)
}

/// Writes uids in order, and the row of each.
fn write_uids(keys: &ListingKeys, file: &mut ColumnWriter) -> Result<()> {
    let mut order: Vec<(u64, u32)> = keys.uid.iter().copied().zip(0..).collect();
    order.par_sort_unstable();
    file.column::<u64>("listing_uid", &[])?;
    for some in order.chunks(ROWS_AT_A_TIME) {
        file.column("listing_uid", &some.iter().map(|&(uid, _)| uid).collect::<Vec<_>>())?;
    }
    file.column::<u32>("uid_order", &[])?;
    for some in order.chunks(ROWS_AT_A_TIME) {
        file.column("uid_order", &some.iter().map(|&(_, row)| row).collect::<Vec<_>>())?;
    }
    Ok(())
}
