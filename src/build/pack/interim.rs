//! What the text index and links read of all listings in memory, until they read what packing keeps of them.

use super::super::canonical::{ListingColumns, Names, Source};
use super::thin::Thin;

/// All listings.
pub(super) struct Whole<'a> {
    pub names: &'a Names,
    pub listings: ListingColumns,
}

impl<'a> Whole<'a> {
    pub(super) fn of(source: &'a dyn Source) -> anyhow::Result<Self> {
        let mut listings = ListingColumns::default();
        for batch in source.listings()? {
            listings.append(batch?);
        }
        Ok(Self { names: source.names(), listings })
    }
}
/// Latest observations, one per listing.
pub(super) struct Current {
    pub price: Vec<u32>,
    pub priced: Vec<u8>,
}

/// Entities in uid order, with their members in row order.
pub(super) struct EntityGroups {
    pub uid: Vec<u64>,
    ends: Vec<u32>,
    rows: Vec<u32>,
    pub of_row: Vec<u32>,
}

impl Current {
    pub(super) fn of(thin: &Thin) -> Self {
        let priced = (0..thin.len()).map(|row| thin.is_priced(row).into()).collect();
        Self { price: thin.price.clone(), priced }
    }
}

impl EntityGroups {
    pub(super) fn of(tables: &Whole<'_>, thin: &Thin) -> Self {
        let mut rows: Vec<u32> = (0..thin.len() as u32).collect();
        rows.sort_by_key(|&row| thin.entity[row as usize]);
        let (mut uid, mut ends): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
        for group in rows.chunk_by(|&a, &b| thin.entity[a as usize] == thin.entity[b as usize]) {
            uid.push(tables.listings.entity_uid[group[0] as usize]);
            ends.push(ends.last().copied().unwrap_or(0) + group.len() as u32);
        }
        Self { uid, ends, rows, of_row: thin.entity.clone() }
    }

    pub(super) fn members(&self, entity: usize) -> &[u32] {
        let from = if entity == 0 { 0 } else { self.ends[entity - 1] };
        &self.rows[from as usize..self.ends[entity] as usize]
    }
}
