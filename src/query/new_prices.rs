//! Current prices of new products on a shelf: what answers about the level and spread of prices rest on.

use super::scope::Scope;
use super::shelf::PricedRows;
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

    /// Number of listings.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
