//! Shelves: the listings of each category and of each classification node, per country.
//!
//! Rows are ordered by category in preorder, so a category is one range of rows. Classification codes cut across
//! categories: their rows are listed by brick, bricks in the publication's preorder, so that a coarser code is one
//! range of that list. A shelf's priced rows are put in price order when it is its turn: ranks are sorted, not prices.

use std::io;
use std::ops::Range;

use rayon::prelude::*;

use super::super::normalized::{NONE, Names};
use super::listing_key::ListingKeys;
use crate::ingest::classification::ClassificationTables;
use crate::snapshot::columns::ColumnWriter;
use crate::types::Country;

/// Shelves of one tree; shelf `country × nodes + node`.
pub(super) struct CategoryScopes {
    /// Where each shelf's listings lie among `rows`, or among all rows.
    ranges: Vec<Range<u32>>,
    /// Rows by shelf; `None` where they lie as they are.
    rows: Option<Vec<u32>>,
}

/// Priced rows by price, equal prices by product uid.
pub(super) struct ByPrice {
    rows: Vec<u32>,
    /// The place of each row there; [`NONE`] for what is not priced.
    rank: Vec<u32>,
}

impl ByPrice {
    pub(super) fn of(listing_keys: &ListingKeys) -> Self {
        let priced = (0..listing_keys.len()).filter(|&row| listing_keys.is_priced(row));
        let mut keys: Vec<u64> =
            priced.map(|row| u64::from(listing_keys.price[row]) << u32::BITS | row as u64).collect();
        keys.par_sort_unstable();
        keys.par_chunk_by_mut(|a, b| a >> u32::BITS == b >> u32::BITS)
            .for_each(|same| same.sort_unstable_by_key(|&key| listing_keys.uid[key as u32 as usize]));
        let rows: Vec<u32> = keys.into_iter().map(|key| key as u32).collect();
        let mut rank = vec![NONE; listing_keys.len()];
        for (place, &row) in (0..).zip(&rows) {
            rank[row as usize] = place;
        }
        Self { rows, rank }
    }
}

impl CategoryScopes {
    /// The range of rows of each category's subtree.
    pub(super) fn of_categories(names: &Names, listing_keys: &ListingKeys) -> Self {
        let nodes = names.categories.len();
        let mut ranges = vec![0..0; nodes * Country::ALL.len()];
        for (row, &category) in (0..).zip(&listing_keys.category) {
            let range: &mut Range<u32> =
                &mut ranges[listing_keys.country(row as usize).as_u8() as usize * nodes + category as usize];
            if range.end == 0 {
                range.start = row;
            }
            range.end = row + 1;
        }
        // Preorder: children stand behind their parents, and their rows beside each other.
        for scope in (0..ranges.len()).rev() {
            let parent = names.categories[scope % nodes].parent;
            let Range { start, end } = ranges[scope];
            if parent != NONE && end != 0 {
                let above = &mut ranges[scope - scope % nodes + parent as usize];
                *above = match above.end {
                    0 => start..end,
                    _ => above.start.min(start)..above.end.max(end),
                };
            }
        }
        Self { ranges, rows: None }
    }

    /// The listings of each classification node, of whatever level.
    pub(super) fn of_codes(classification: &ClassificationTables, listing_keys: &ListingKeys) -> Self {
        let nodes = classification.code.len();
        let scope = |row: usize| {
            listing_keys.country(row).as_u8() as usize * nodes + listing_keys.brick[row] as usize
        };
        let listed = || (0..listing_keys.len()).filter(|&row| listing_keys.brick[row] != NONE);
        let mut next = vec![0_u32; nodes * Country::ALL.len()];
        for row in listed() {
            next[scope(row)] += 1;
        }
        let mut total = 0;
        let mut ranges = Vec::with_capacity(next.len());
        for next in &mut next {
            let count = std::mem::replace(next, total);
            total += count;
            ranges.push(*next..total);
        }
        let mut rows = vec![0; total as usize];
        for row in listed() {
            let next = &mut next[scope(row)];
            rows[*next as usize] = row as u32;
            *next += 1;
        }
        let mut category_scopes = Self { ranges, rows: Some(rows) };
        category_scopes.widen(&classification.parent);
        category_scopes
    }

    /// Makes the range of each node that of its subtree: in preorder those lie behind it.
    fn widen(&mut self, parents: &[u32]) {
        let nodes = parents.len();
        for scope in (0..self.ranges.len()).rev() {
            let parent = parents[scope % nodes];
            if parent != NONE {
                let end = self.ranges[scope].end;
                let above = &mut self.ranges[scope - scope % nodes + parent as usize];
                above.end = above.end.max(end);
            }
        }
    }

    /// Number of shelves.
    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Number of listings of a shelf, priced or not.
    pub(super) fn listings(&self, scope: usize) -> usize {
        self.ranges[scope].len()
    }

    /// The priced rows of a shelf in price order.
    pub(super) fn priced(&self, scope: usize, by_price: &ByPrice) -> Vec<u32> {
        let rank = |row: u32| Some(by_price.rank[row as usize]).filter(|&rank| rank != NONE);
        let range = self.ranges[scope].clone();
        let mut ranks: Vec<u32> = match &self.rows {
            None => range.filter_map(rank).collect(),
            Some(rows) => {
                rows[range.start as usize..range.end as usize].iter().filter_map(|&row| rank(row)).collect()
            }
        };
        ranks.sort_unstable();
        for rank in &mut ranks {
            *rank = by_price.rows[*rank as usize];
        }
        ranks
    }

    /// Which nodes have listings, by country.
    pub(super) fn stocked(&self) -> [Vec<bool>; Country::ALL.len()] {
        let nodes = self.ranges.len() / Country::ALL.len();
        Country::ALL.map(|country| {
            let from = country.as_u8() as usize * nodes;
            self.ranges[from..from + nodes].iter().map(|range| !range.is_empty()).collect()
        })
    }

    /// Writes where each category's rows lie; empty where the category has no listing in the country.
    pub(super) fn write_ranges(&self, file: &mut ColumnWriter) -> io::Result<()> {
        file.column("category_from", &self.ranges.iter().map(|range| range.start).collect::<Vec<_>>())?;
        file.column("category_to", &self.ranges.iter().map(|range| range.end).collect::<Vec<_>>())
    }

    /// Writes the rows of each brick; nodes that are no bricks have none of their own.
    pub(super) fn write_rows(&self, file: &mut ColumnWriter) -> io::Result<()> {
        let rows = self.rows.as_deref().unwrap_or_default();
        let next = self.ranges.iter().skip(1).map(|range| range.start.into());
        let ends: Vec<u64> = next.chain([rows.len() as u64]).take(self.ranges.len()).collect();
        file.column("brick_ends", &ends)?;
        file.column("brick_rows", rows)
    }
}
