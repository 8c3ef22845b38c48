//! The price tiers of a category scope. A scope with too few products, or without a spread, inherits its band from
//! its product type or from an ancestor scope.

use super::category_scope::{self, CategoryScope};
use super::new_prices::NewPrices;
use super::scope::Scope;
use crate::catalog::{Catalog, Classification};
use crate::stats::bands::{HalfWidth, Spread};

/// The minimum number of products for measuring a spread.
pub const PRODUCTS_MIN: usize = 30;

/// The price distribution of a scope, and the distribution from which its band and its tiers are derived.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceLadder {
    /// The distribution of the scope's own prices.
    pub own: Spread,
    /// The source of the band and the tiers, if they are inherited.
    source: Option<Source>,
}

/// The reason why a scope has no band and no tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLadder {
    /// No new product has a price.
    NoProduct,
    /// The scope's own prices do not suffice, and there is no distribution that it could inherit.
    NoSpread,
}

impl PriceLadder {
    /// Determines the distributions of a scope with these prices.
    ///
    /// # Errors
    /// Returns an error if no band can be derived.
    pub fn of(catalog: &Catalog, scope: &Scope, prices: &NewPrices) -> Result<Self, NoLadder> {
        let own = Spread::of_sorted(prices.cents(catalog)).ok_or(NoLadder::NoProduct)?;
        if measures(&own) {
            return Ok(Self { own, source: None });
        }
        let source = source(catalog, scope, prices).ok_or(NoLadder::NoSpread)?;
        Ok(Self { own, source: Some(source) })
    }

    /// The half-width of the band of similar prices.
    pub fn half_width(&self) -> HalfWidth {
        self.source.as_ref().map_or(&self.own, |source| &source.spread).half_width()
    }

    /// The boundaries between the tiers in cents, before they are moved to prices that exist.
    pub fn boundaries(&self) -> [f64; 4] {
        self.source.as_ref().map_or(self.own.tiers, |source| source.spread.tiers_at(self.own.median))
    }

    /// The source of the band, if it is inherited: `type:` and a brick's title, or the slug path or code of an
    /// ancestor.
    pub fn inherited_from(self) -> Option<String> {
        self.source.map(|source| source.name)
    }
}

/// Whether a band and tiers can be derived from a spread.
fn measures(spread: &Spread) -> bool {
    spread.products >= PRODUCTS_MIN && spread.has_width()
}

/// A distribution that a scope inherits.
#[derive(Debug, Clone, PartialEq)]
struct Source {
    name: String,
    spread: Spread,
}

/// The first source with enough prices and a spread: the scope's product type, then its ancestors, nearest first.
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

/// The brick of at least half of the rows, where rows without a brick count in the total. Of two such bricks, the one
/// with the smaller code.
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

/// The ancestors of a scope, nearest first.
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
