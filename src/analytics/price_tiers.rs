//! The price tiers of a shelf. One with too few products, or without a spread, takes its band from its product type or from
//! a shelf above.

use super::category_scope::{self, CategoryScope};
use super::new_prices::NewPrices;
use super::scope::Scope;
use crate::catalog::{Catalog, Classification};
use crate::stats::bands::{HalfWidth, Spread};

/// Fewest products that a spread is measured on.
pub const PRODUCTS_MIN: usize = 30;

/// The ladder of a shelf: its own distribution, and the one that its band comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceLadder {
    /// Distribution of the shelf's own prices.
    pub own: Spread,
    /// Where the band comes from, if not from the shelf itself.
    source: Option<Source>,
}

/// Why a shelf has no ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLadder {
    /// Nothing new has a price.
    NoProduct,
    /// Neither its own prices nor others that it could take over suffice.
    NoSpread,
}

impl PriceLadder {
    /// That of a scope with these prices.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(catalog: &Catalog, scope: &Scope, prices: &NewPrices) -> Result<Self, NoLadder> {
        let own = Spread::of_sorted(prices.cents(catalog)).ok_or(NoLadder::NoProduct)?;
        if measures(&own) {
            return Ok(Self { own, source: None });
        }
        let source = source(catalog, scope, prices).ok_or(NoLadder::NoSpread)?;
        Ok(Self { own, source: Some(source) })
    }

    /// How far from a price others are similar.
    pub fn half_width(&self) -> HalfWidth {
        self.source.as_ref().map_or(&self.own, |source| &source.spread).half_width()
    }

    /// Prices in cents between which the tiers lie, before they are put on prices that there are.
    pub fn boundaries(&self) -> [f64; 4] {
        self.source.as_ref().map_or(self.own.tiers, |source| source.spread.tiers_at(self.own.median))
    }

    /// Where the band comes from, if not from the shelf itself: `type:` and a brick's title, or the slug path or code of an
    /// ancestor.
    pub fn inherited_from(self) -> Option<String> {
        self.source.map(|source| source.name)
    }
}

/// Whether a band and tiers can be drawn from a spread.
fn measures(spread: &Spread) -> bool {
    spread.products >= PRODUCTS_MIN && spread.has_width()
}

/// A distribution that a shelf inherits from.
#[derive(Debug, Clone, PartialEq)]
struct Source {
    name: String,
    spread: Spread,
}

/// The first source that can be measured: the shelf's product type, then its ancestors, the deepest first.
fn source(catalog: &Catalog, scope: &Scope, prices: &NewPrices) -> Option<Source> {
    let measured = |(name, category_scope): (String, CategoryScope)| {
        let spread =
            Spread::of_sorted(NewPrices::of(catalog, &Scope { category_scope, ..*scope }).cents(catalog))?;
        measures(&spread).then_some(Source { name, spread })
    };
    let product_type = catalog.classification.as_ref().and_then(|gpc| {
        let brick = product_type(catalog, gpc, &prices.rows(catalog))?;
        Some((format!("type:{}", gpc.title(brick)), CategoryScope::Code { node: brick, within: None }))
    });
    let above = ancestors(catalog, scope.category_scope).into_iter();
    let above =
        above.map(|category_scope| (category_scope::slug_of(catalog, category_scope), category_scope));
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
fn ancestors(catalog: &Catalog, category_scope: CategoryScope) -> Vec<CategoryScope> {
    match category_scope {
        CategoryScope::Category(node) => {
            let parent = |&node: &u32| catalog.taxonomy.node(node).parent;
            std::iter::successors(parent(&node), parent).map(CategoryScope::Category).collect()
        }
        CategoryScope::Code { node, .. } => catalog.classification.as_ref().map_or_else(Vec::new, |gpc| {
            let parents = std::iter::successors(gpc.parent(node), |&node| gpc.parent(node));
            parents.map(|node| CategoryScope::Code { node, within: None }).collect()
        }),
    }
}
