//! Where a shelf with too few products, or without a spread, takes its band from.

use super::measures;
use crate::catalog::{Catalog, Classification};
use crate::figures::new_prices::NewPrices;
use crate::figures::scope::Scope;
use crate::figures::shelf::{self, Shelf};
use crate::stats::bands::Spread;

/// A distribution that a shelf inherits from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    /// `type:` and a brick's title, or the slug path or code of an ancestor.
    pub(super) name: String,
    /// The distribution.
    pub(super) spread: Spread,
}

/// The first source that can be measured: the shelf's product type, then its ancestors, the deepest first.
pub(super) fn source(catalog: &Catalog, scope: &Scope, prices: &NewPrices) -> Option<Source> {
    let measured = |(name, shelf): (String, Shelf)| {
        let spread = Spread::of_sorted(NewPrices::of(catalog, &Scope { shelf, ..*scope }).cents(catalog))?;
        measures(&spread).then_some(Source { name, spread })
    };
    let product_type = catalog.classification.as_ref().and_then(|gpc| {
        let brick = product_type(catalog, gpc, &prices.rows(catalog))?;
        Some((format!("type:{}", gpc.title(brick)), Shelf::Code { node: brick, within: None }))
    });
    let above = ancestors(catalog, scope.shelf).into_iter();
    let above = above.map(|shelf| (shelf::slug_of(catalog, shelf), shelf));
    product_type.into_iter().chain(above).find_map(measured)
}

/// The brick that at least half of the rows map to, rows without a mapping counted; of two the smaller code.
fn product_type(catalog: &Catalog, gpc: &Classification, rows: &[u32]) -> Option<u32> {
    let mut bricks: Vec<(u32, u32)> = rows
        .iter()
        .filter_map(|&row| catalog.listing(row).brick())
        .map(|(node, _)| (gpc.code(node), node))
        .collect();
    bricks.sort_unstable();
    let half = |same: &&[(u32, u32)]| 2 * same.len() >= rows.len();
    bricks.chunk_by(|a, b| a == b).find(half).map(|same| same[0].1)
}

/// The shelves above one, the deepest first.
fn ancestors(catalog: &Catalog, shelf: Shelf) -> Vec<Shelf> {
    match shelf {
        Shelf::Category(node) => {
            let parent = |&node: &u32| catalog.taxonomy.node(node).parent;
            std::iter::successors(parent(&node), parent).map(Shelf::Category).collect()
        }
        Shelf::Code { node, .. } => catalog.classification.as_ref().map_or_else(Vec::new, |gpc| {
            let parents = std::iter::successors(gpc.parent(node), |&node| gpc.parent(node));
            parents.map(|node| Shelf::Code { node, within: None }).collect()
        }),
    }
}
