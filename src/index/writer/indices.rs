//! The file of indices (uids in order, entities, category scopes), and the small tables that are decoded at opening:
//! platforms, brands, categories, aliases, coverage. A coverage cell is (platform, country, root category), with the
//! number of listings that were ever observed there.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use super::super::scratch::Scratch;
use super::aggregates;
use super::category_scopes::{ByPrice, CategoryScopes};
use super::entities::Entities;
use super::listing_key::ListingKeys;
use crate::index::normalized::{NONE, Names};
use crate::lang::text::{path_slug, slug};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout::{AliasEntry, AliasTarget, BrandEntry, CategoryEntry, CellEntry, Dictionary};
use crate::types::Country;

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

pub(super) fn coverage_cells(names: &Names, keys: &ListingKeys) -> Vec<CellEntry> {
    let mut root: Vec<u32> = Vec::with_capacity(names.categories.len());
    for (node, category) in names.categories.iter().enumerate() {
        root.push(if category.parent == NONE { node as u32 } else { root[category.parent as usize] });
    }
    let mut cells: BTreeMap<(u16, u8, &str), CellEntry> = BTreeMap::new();
    for row in (0..keys.len()).filter(|&row| keys.is_observed(row)) {
        let root = root[keys.category[row] as usize];
        let (platform, country) = (keys.platform[row], keys.country(row).as_u8());
        let key = (platform, country, names.categories[root as usize].slug.as_str());
        let cell = cells.entry(key).or_insert(CellEntry {
            platform,
            country,
            root,
            priced: 0,
            recent: 0,
            branded: 0,
            newest: i64::MIN,
        });
        cell.priced += 1;
        cell.recent += u32::from(keys.is_priced(row));
        cell.branded += u32::from(keys.brand[row] != NONE);
        cell.newest = cell.newest.max(keys.latest_instant[row]);
    }
    cells.into_values().collect()
}

pub(super) fn of(names: &Names, keys: &ListingKeys) -> Dictionary {
    let mut brands: Vec<BrandEntry> = names
        .brands
        .iter()
        .map(|brand| BrandEntry {
            key: brand.key.clone(),
            label: brand.label.clone(),
            listings: [0; Country::ALL.len()],
            priced: [0; Country::ALL.len()],
        })
        .collect();
    for (row, &brand) in keys.brand.iter().enumerate().filter(|&(_, &brand)| brand != NONE) {
        let country = keys.country(row).as_u8() as usize;
        brands[brand as usize].listings[country] += 1;
        brands[brand as usize].priced[country] += u32::from(keys.is_priced(row));
    }
    let categories = names
        .categories
        .iter()
        .map(|node| CategoryEntry { slug: node.slug.clone(), label: node.label.clone(), parent: node.parent })
        .collect();
    let observed = (0..keys.len()).filter(|&row| keys.is_observed(row));
    Dictionary {
        first_day: names.first_day.days(),
        last_day: names.last_day.days(),
        newest: observed.map(|row| keys.latest_instant[row]).max().unwrap_or_default(),
        platforms: names.platforms.clone(),
        brands,
        categories,
        aliases: aliases(names),
        coverage: coverage_cells(names, keys),
    }
}

/// Aliases in slug form, the first of equal names first; a target of eight digits is a code.
fn aliases(names: &Names) -> Vec<AliasEntry> {
    let is_code = |target: &str| target.len() == 8 && target.bytes().all(|byte| byte.is_ascii_digit());
    names
        .aliases
        .iter()
        .map(|alias| AliasEntry {
            slug: slug(&alias.name),
            target: match alias.target.trim() {
                code if is_code(code) => AliasTarget::Code(code.parse().unwrap_or_default()),
                path => AliasTarget::Category(path_slug(path)),
            },
        })
        .collect()
}
