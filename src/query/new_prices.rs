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
        Self { rows, cents }
    }

    /// When these prices of `scope` were observed; read in the order of memory where the scope is a range of rows.
    pub fn observed(&self, catalog: &Catalog, scope: &Scope) -> Span {
        let Scope { country, shelf: Shelf::Category(node), retailer: None } = *scope else {
            return Span::of_rows(catalog, self.rows.iter().copied());
        };
        let (priced, condition) = (&catalog.listings.priced, &catalog.listings.condition);
        let is_new =
            |&row: &u32| priced[row as usize] == 1 && condition[row as usize] == Condition::New.as_u8();
        Span::of_rows(catalog, catalog.taxonomy.rows(country, node).filter(is_new))
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
