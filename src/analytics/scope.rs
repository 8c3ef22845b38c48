//! The listings that a category answer covers: a category scope in a country, restricted to a retailer if one is
//! given.

use super::category_scope::{self, CategoryScope, PricedRows};
use crate::catalog::{Catalog, ScopeAggregates};
use crate::types::Country;

/// The listings that a category answer covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Country.
    pub country: Country,
    /// The category scope.
    pub category_scope: CategoryScope,
    /// The platform to which the scope is restricted, if any.
    pub retailer: Option<u16>,
}

/// Whether a listing is of the retailer. True if no retailer is given.
pub fn is_at(catalog: &Catalog, retailer: Option<u16>, row: u32) -> bool {
    retailer.is_none_or(|platform| catalog.listings.platform[row as usize] == platform)
}

/// The rows of a category scope, or of the whole country, ascending.
pub fn rows_of(
    catalog: &Catalog,
    country: Country,
    category_scope: Option<CategoryScope>,
    retailer: Option<u16>,
) -> Vec<u32> {
    if let Some(category_scope) = category_scope {
        return Scope { country, category_scope, retailer }.rows(catalog);
    }
    catalog.country_rows(country).filter(|&row| is_at(catalog, retailer, row)).collect()
}

impl Scope {
    /// All rows, priced or not, ascending.
    pub fn rows(&self, catalog: &Catalog) -> Vec<u32> {
        let mut rows = category_scope::rows(catalog, self.country, self.category_scope);
        if self.retailer.is_some() {
            rows.retain(|&row| is_at(catalog, self.retailer, row));
        }
        rows
    }

    /// All priced rows, ascending.
    pub fn priced_rows(&self, catalog: &Catalog) -> Vec<u32> {
        let priced = &catalog.listings.priced;
        let mut rows = self.rows(catalog);
        rows.retain(|&row| priced[row as usize] == 1);
        rows
    }

    /// The priced rows of the category scope by price. They are not restricted to the retailer; use [`is_at`] for
    /// that.
    pub fn priced<'a>(&self, catalog: &'a Catalog) -> PricedRows<'a> {
        category_scope::priced_rows(catalog, self.country, self.category_scope)
    }

    /// The prepared data of the scope, if it is a whole category scope.
    pub fn figures<'a>(&self, catalog: &'a Catalog) -> Option<ScopeAggregates<'a>> {
        category_scope::figures(catalog, self.country, self.category_scope)
            .filter(|_| self.retailer.is_none())
    }
}
