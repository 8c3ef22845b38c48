//! Coverage cells: (platform, country, root category) with the listings that were ever observed there.

use std::collections::BTreeMap;

use super::super::canonical::{Canonical, NONE};
use super::current::Current;
use crate::snapshot::layout::{CellEntry, NO_DAY};

pub(super) fn cells(tables: &Canonical, current: &Current) -> Vec<CellEntry> {
    let listings = &tables.listings;
    let mut root: Vec<u32> = Vec::with_capacity(tables.names.categories.len());
    for (node, category) in tables.names.categories.iter().enumerate() {
        root.push(if category.parent == NONE { node as u32 } else { root[category.parent as usize] });
    }
    let mut cells: BTreeMap<(u16, u8, &str), CellEntry> = BTreeMap::new();
    for row in (0..listings.platform.len()).filter(|&row| current.day[row] != NO_DAY) {
        let root = root[listings.category[row] as usize];
        let (platform, country) = (listings.platform[row], listings.country[row].as_u8());
        let key = (platform, country, tables.names.categories[root as usize].slug.as_str());
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
        cell.recent += u32::from(current.priced[row]);
        cell.branded += u32::from(listings.brand[row] != NONE);
        cell.newest = cell.newest.max(listings.latest_instant[row]);
    }
    cells.into_values().collect()
}
