//! Rows of each category and classification node, per country.
//!
//! Rows are ordered by category in preorder, so a category is one range of rows. Classification codes cut across
//! categories: their rows are listed by brick, bricks in the publication's preorder, so that a coarser code is one
//! range of that list. Priced rows are listed per node in price order, so that a page needs no sorting.

use super::super::canonical::{Canonical, ClassificationTables, NONE};
use crate::domain::Country;

/// A range of rows for each (country, category); empty where the category has no listing in the country.
pub(super) struct Ranges {
    pub from: Vec<u32>,
    pub to: Vec<u32>,
}

/// Lists of rows, one after the other: list `i` ends at `ends[i]`.
pub(super) struct Lists {
    pub ends: Vec<u32>,
    pub rows: Vec<u32>,
}

impl Lists {
    /// The rows of list `at`.
    pub(super) fn get(&self, at: usize) -> &[u32] {
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.rows[from as usize..self.ends[at] as usize]
    }
}

/// The range of rows of each category's subtree; index `country × categories + category`.
pub(super) fn category_ranges(tables: &Canonical) -> Ranges {
    let nodes = tables.names.categories.len();
    let cells = nodes * Country::ALL.len();
    let mut ranges = Ranges { from: vec![0; cells], to: vec![0; cells] };
    for (row, &category) in tables.listings.category.iter().enumerate() {
        let base = tables.listings.country[row].as_u8() as usize * nodes;
        for node in ancestry(tables, category) {
            let cell = base + node as usize;
            if ranges.to[cell] == 0 {
                ranges.from[cell] = row as u32;
            }
            ranges.to[cell] = row as u32 + 1;
        }
    }
    ranges
}

/// Priced rows of each (country, category) subtree in price order.
pub(super) fn priced_by_category(tables: &Canonical, by_price: &[u32]) -> Lists {
    let nodes = tables.names.categories.len();
    lists(nodes * Country::ALL.len(), by_price, |row, put| {
        let base = tables.listings.country[row].as_u8() as usize * nodes;
        ancestry(tables, tables.listings.category[row]).for_each(|node| put(base + node as usize));
    })
}

/// All rows of each (country, classification node) that is a brick, ascending; other nodes have empty lists.
pub(super) fn rows_by_brick(
    tables: &Canonical,
    classification: &ClassificationTables,
    brick: &[u32],
) -> Lists {
    let nodes = classification.code.len();
    let rows: Vec<u32> = (0..brick.len() as u32).collect();
    lists(nodes * Country::ALL.len(), &rows, |row, put| {
        if brick[row] != NONE {
            put(tables.listings.country[row].as_u8() as usize * nodes + brick[row] as usize);
        }
    })
}

/// Priced rows of each (country, classification node of any level) in price order.
pub(super) fn priced_by_code(
    tables: &Canonical,
    classification: &ClassificationTables,
    brick: &[u32],
    by_price: &[u32],
) -> Lists {
    let nodes = classification.code.len();
    lists(nodes * Country::ALL.len(), by_price, |row, put| {
        let base = tables.listings.country[row].as_u8() as usize * nodes;
        let mut node = brick[row];
        while node != NONE {
            put(base + node as usize);
            node = classification.parent[node as usize];
        }
    })
}

fn ancestry(tables: &Canonical, category: u32) -> impl Iterator<Item = u32> {
    let parent =
        |&node: &u32| Some(tables.names.categories[node as usize].parent).filter(|&parent| parent != NONE);
    std::iter::successors(Some(category), parent)
}

/// Distributes `rows` in their order to the lists that `targets` names: counted first, then placed.
fn lists(count: usize, rows: &[u32], targets: impl Fn(usize, &mut dyn FnMut(usize))) -> Lists {
    let mut ends = vec![0_u32; count];
    for &row in rows {
        targets(row as usize, &mut |list| ends[list] += 1);
    }
    let mut total = 0_u32;
    let mut next: Vec<u32> = Vec::with_capacity(count);
    for end in &mut ends {
        next.push(total);
        total = total.checked_add(*end).expect("fewer than 2^32 row entries");
        *end = total;
    }
    let mut placed = vec![0; total as usize];
    for &row in rows {
        targets(row as usize, &mut |list| {
            placed[next[list] as usize] = row;
            next[list] += 1;
        });
    }
    Lists { ends, rows: placed }
}
