//! A brand's listings, broken down by category and by retailer.

use std::cmp::Reverse;

use crate::catalog::{Catalog, Node};
use crate::types::Country;

/// The rows of a brand under one category node or at one platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandCell {
    /// The category node or the platform.
    pub key: u32,
    /// The brand's rows, priced or not, ascending.
    pub rows: Vec<u32>,
    /// The number of these that are priced.
    pub priced: u32,
    /// The number of priced listings with any brand under the same key.
    pub branded: u32,
}

/// A brand's rows by platform. `branded` are the priced rows of the scope with any brand. Only platforms with a priced
/// row of the brand are included: largest first, then by key.
pub fn by_retailer(catalog: &Catalog, rows: &[u32], branded: &[u32]) -> Vec<BrandCell> {
    let platform = |row: u32| Some(u32::from(catalog.listings.platform[row as usize]));
    cells(catalog, rows, branded, catalog.platforms.len(), platform)
}

/// A brand's rows by category, one level below `above`, or by root for `None`. As long as all priced rows are in one
/// node and some of them are below it, the breakdown descends to the children of this node. A row whose category is the
/// parent of these children is counted at that parent.
pub fn by_category(
    catalog: &Catalog,
    country: Country,
    above: Option<Node>,
    rows: &[u32],
    branded: &[u32],
) -> Vec<BrandCell> {
    let taxonomy = &catalog.taxonomy;
    let category = |row: u32| catalog.listings.category[row as usize];
    let mut above = above;
    loop {
        let nodes: Vec<Node> = taxonomy.children(country, above).collect();
        let node_of = |row: u32| {
            let own = category(row);
            // Children are in preorder, so only the last one at or before the row's node can be its ancestor.
            let at = nodes.partition_point(|&node| node <= own);
            let holder = at.checked_sub(1).map(|at| nodes[at]).filter(|&node| taxonomy.is_below(own, node));
            holder.or_else(|| above.filter(|&above| above == own))
        };
        let cells = cells(catalog, rows, branded, taxonomy.nodes().len(), node_of);
        match cells.as_slice() {
            [only] if Some(only.key) != above && is_any_deeper(catalog, only) => above = Some(only.key),
            _ => return by_slug(catalog, cells),
        }
    }
}

/// Whether any priced row of a cell is below the cell's node.
fn is_any_deeper(catalog: &Catalog, cell: &BrandCell) -> bool {
    let listings = &catalog.listings;
    let mut priced = cell.rows.iter().filter(|&&row| listings.priced[row as usize] == 1);
    priced.any(|&row| listings.category[row as usize] != cell.key)
}

/// Sorts cells by size, largest first, then by slug.
fn by_slug(catalog: &Catalog, mut cells: Vec<BrandCell>) -> Vec<BrandCell> {
    let slug = |cell: &BrandCell| catalog.taxonomy.node(cell.key).slug.as_str();
    cells.sort_by(|one, other| (Reverse(one.priced), slug(one)).cmp(&(Reverse(other.priced), slug(other))));
    cells
}

/// Groups rows by a key below `keys`. Rows without a key are dropped. Only keys with a priced row are included:
/// largest first, then by key.
fn cells(
    catalog: &Catalog,
    rows: &[u32],
    branded: &[u32],
    keys: usize,
    key: impl Fn(u32) -> Option<u32>,
) -> Vec<BrandCell> {
    let mut places: Vec<Option<usize>> = vec![None; keys];
    let mut cells: Vec<BrandCell> = Vec::new();
    for &row in rows {
        let Some(key) = key(row) else { continue };
        let place = *places[key as usize].get_or_insert_with(|| {
            cells.push(BrandCell { key, rows: Vec::new(), priced: 0, branded: 0 });
            cells.len() - 1
        });
        cells[place].rows.push(row);
        cells[place].priced += u32::from(catalog.listings.priced[row as usize]);
    }
    for &row in branded {
        if let Some(place) = key(row).and_then(|key| places[key as usize]) {
            cells[place].branded += 1;
        }
    }
    cells.retain(|cell| cell.priced > 0);
    cells.sort_by_key(|cell| (Reverse(cell.priced), cell.key));
    cells
}
