//! Coverage cells: (platform, country, root category) with the listings that were ever observed there.

use std::collections::BTreeMap;

use super::super::normalized::{NONE, Names};
use super::listing_key::ListingKeys;
use crate::snapshot::layout::CellEntry;

pub(super) fn cells(names: &Names, keys: &ListingKeys) -> Vec<CellEntry> {
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
