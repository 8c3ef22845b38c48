//! Current prices of new products on a shelf: what answers about the level and spread of prices rest on.

use super::parts::Span;
use super::scope::Scope;
use super::shelf::{PricedRows, Shelf};
use crate::catalog::Catalog;
use crate::domain::Condition;

/// Priced listings of condition new in a scope, by price, equal prices by product uid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrices {
    /// Rows of the listings.
    pub rows: Vec<u32>,
    /// Their current prices in cents, ascending.
    pub cents: Vec<u32>,
    /// When these prices were observed.
    pub observed: Span,
}

impl NewPrices {
    /// Those of a scope.
    pub fn of(catalog: &Catalog, scope: &Scope) -> Self {
        let PricedRows { rows, within } = scope.priced(catalog);
        let (condition, price) = (&catalog.listings.condition, &catalog.listings.current_price);
        let takes = |&row: &u32| {
            condition[row as usize] == Condition::New.as_u8()
                && within.as_ref().is_none_or(|range| range.contains(&row))
                && scope.takes(catalog, row)
        };
        let rows: Vec<u32> = rows.iter().copied().filter(takes).collect();
        let cents = rows.iter().map(|&row| price[row as usize]).collect();
        let observed =
            observed(catalog, scope).unwrap_or_else(|| Span::of_rows(catalog, rows.iter().copied()));
        Self { rows, cents, observed }
    }

    /// Number of listings.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// When the prices of a scope were observed, read in the order of its rows, which is that of memory; `None` where the
/// scope is no range of rows.
fn observed(catalog: &Catalog, scope: &Scope) -> Option<Span> {
    let Shelf::Category(node) = scope.shelf else { return None };
    if scope.retailer.is_some() {
        return None;
    }
    let listings = &catalog.listings;
    let (priced, condition) = (&listings.priced, &listings.condition);
    let is_new = |row: &u32| priced[*row as usize] == 1 && condition[*row as usize] == Condition::New.as_u8();
    Some(Span::of_rows(catalog, catalog.taxonomy.rows(scope.country, node).filter(is_new)))
}
