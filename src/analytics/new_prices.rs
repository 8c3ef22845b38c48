//! Current prices of new products in a category scope, the basis of answers about the level and spread of prices.
//!
//! For a whole scope they are prepared in the snapshot. For a part of a scope they are collected from its rows.

use std::borrow::Cow;

use super::Span;
use super::scope::Scope;
use crate::catalog::{Catalog, ScopeAggregates};
use crate::stats::spreads::{SellerPrice, Spreads};
use crate::types::Condition;

/// Priced listings of condition new in a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrices {
    scope: Scope,
    /// The listings, if the scope has no prepared data.
    part: Option<Part>,
}

/// The new listings of a part of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// The rows of the listings, ascending.
    rows: Vec<u32>,
    /// The current prices of the listings in cents, ascending. They are not in the order of `rows`.
    cents: Vec<u32>,
}

impl NewPrices {
    /// The new listings of a scope.
    pub fn of(catalog: &Catalog, scope: &Scope) -> Self {
        let part = scope.figures(catalog).is_none().then(|| {
            let rows = new_rows(catalog, scope, |_| true);
            let price = &catalog.listings.current_price;
            let mut cents: Vec<u32> = rows.iter().map(|&row| price[row as usize]).collect();
            cents.sort_unstable();
            Part { rows, cents }
        });
        Self { scope: *scope, part }
    }

    /// The prices in cents, ascending.
    pub fn cents<'a>(&'a self, catalog: &'a Catalog) -> &'a [u32] {
        match &self.part {
            Some(part) => &part.cents,
            None => self.figures(catalog).map_or(&[], ScopeAggregates::new_cents),
        }
    }

    /// The rows of the listings, ascending.
    pub fn rows(&self, catalog: &Catalog) -> Cow<'_, [u32]> {
        match &self.part {
            Some(part) => Cow::Borrowed(&part.rows),
            None => new_rows(catalog, &self.scope, |_| true).into(),
        }
    }

    /// The prices in cents of one brand's products, unordered.
    pub fn of_brand(&self, catalog: &Catalog, brand: u32) -> Vec<u32> {
        let (brands, price) = (&catalog.listings.brand, &catalog.listings.current_price);
        let rows = new_rows(catalog, &self.scope, |row| brands[row] == brand);
        rows.into_iter().map(|row| price[row as usize]).collect()
    }

    /// The span of the observations behind these prices.
    pub fn observed(&self, catalog: &Catalog) -> Span {
        match &self.part {
            Some(part) => Span::of_rows(catalog, part.rows.iter().copied()),
            None => Span::between(self.figures(catalog).and_then(ScopeAggregates::new_observed)),
        }
    }

    /// The spreads of entities across the retailers of the scope.
    pub fn spreads<'a>(&self, catalog: &'a Catalog) -> Spreads<'a> {
        let Some(part) = &self.part else {
            return self.figures(catalog).map_or_else(|| Spreads::of(Vec::new()), ScopeAggregates::spreads);
        };
        let listings = &catalog.listings;
        let offer = |row: usize| SellerPrice {
            product: listings.entity[row],
            cents: listings.current_price[row],
            seller: listings.platform[row],
        };
        // A spread needs at least two retailers.
        let rows = if self.scope.retailer.is_some() { &[][..] } else { &part.rows };
        Spreads::of(rows.iter().map(|&row| offer(row as usize)).collect())
    }

    fn figures<'a>(&self, catalog: &'a Catalog) -> Option<ScopeAggregates<'a>> {
        self.scope.figures(catalog)
    }
}

/// The rows of priced listings of condition new for which `takes` returns true, ascending.
fn new_rows(catalog: &Catalog, scope: &Scope, takes: impl Fn(usize) -> bool) -> Vec<u32> {
    let (priced, condition) = (&catalog.listings.priced, &catalog.listings.condition);
    let mut rows = scope.rows(catalog);
    rows.retain(|&row| {
        let row = row as usize;
        takes(row) && priced[row] == 1 && condition[row] == Condition::New.as_u8()
    });
    rows
}
