//! The listings that a category answer is about: a shelf in a country, at one retailer if one is named.

use super::category_scope::{self, CategoryScope, PricedRows};
use crate::catalog::{Catalog, ScopeAggregates};
use crate::types::Country;

/// The listings that a category answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Country.
    pub country: Country,
    /// Shelf.
    pub category_scope: CategoryScope,
    /// Platform that narrows it.
    pub retailer: Option<u16>,
}

/// Whether a listing is of the retailer, if one is named.
pub fn is_at(catalog: &Catalog, retailer: Option<u16>, row: u32) -> bool {
    retailer.is_none_or(|platform| catalog.listings.platform[row as usize] == platform)
}

/// Rows of a shelf, or of the whole country, ascending.
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
    /// Every row, priced or not, ascending.
    pub fn rows(&self, catalog: &Catalog) -> Vec<u32> {
        let mut rows = category_scope::rows(catalog, self.country, self.category_scope);
        if self.retailer.is_some() {
            rows.retain(|&row| is_at(catalog, self.retailer, row));
        }
        rows
    }

    /// Every priced row, ascending.
    pub fn priced_rows(&self, catalog: &Catalog) -> Vec<u32> {
        let priced = &catalog.listings.priced;
        let mut rows = self.rows(catalog);
        rows.retain(|&row| priced[row as usize] == 1);
        rows
    }

    /// Priced rows of the shelf by price; [`is_at`] still decides about the retailer.
    pub fn priced<'a>(&self, catalog: &'a Catalog) -> PricedRows<'a> {
        category_scope::priced_rows(catalog, self.country, self.category_scope)
    }

    /// What is prepared about the scope, where it is a whole shelf.
    pub fn figures<'a>(&self, catalog: &'a Catalog) -> Option<ScopeAggregates<'a>> {
        category_scope::figures(catalog, self.country, self.category_scope)
            .filter(|_| self.retailer.is_none())
    }
}
