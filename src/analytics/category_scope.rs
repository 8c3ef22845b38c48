//! A category scope: the listings that a resolved category refers to, in a country.
//!
//! The rows of a category are one range. The rows of a classification code are a list, which may be restricted to a
//! root category.

use std::ops::Range;

use crate::catalog::{Catalog, Node, ScopeAggregates};
use crate::types::Country;

/// The listings that a category answer covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CategoryScope {
    /// A category with all its descendants.
    Category(Node),
    /// A classification node with all its descendants, within a root category if one is given.
    Code {
        /// Node of the classification.
        node: u32,
        /// The root category to which the code is restricted, if any.
        within: Option<Node>,
    },
}

/// The priced rows of a scope in a country, by price, then by product uid.
pub fn priced_rows(catalog: &Catalog, country: Country, category_scope: CategoryScope) -> PricedRows<'_> {
    match category_scope {
        CategoryScope::Category(node) => {
            PricedRows { rows: catalog.taxonomy.priced_rows(country, node), within: None }
        }
        CategoryScope::Code { node, within } => PricedRows {
            rows: catalog.classification.as_ref().map_or(&[], |gpc| gpc.priced_rows(country, node)),
            within: within.map(|root| catalog.taxonomy.rows(country, root)),
        },
    }
}

/// The prepared data of a scope in a country; `None` for a code that is restricted to a root category.
pub fn figures(
    catalog: &Catalog,
    country: Country,
    category_scope: CategoryScope,
) -> Option<ScopeAggregates<'_>> {
    match category_scope {
        CategoryScope::Category(node) => Some(catalog.taxonomy.figures(country, node)),
        CategoryScope::Code { node, within: None } => {
            catalog.classification.as_ref().map(|gpc| gpc.figures(country, node))
        }
        CategoryScope::Code { within: Some(_), .. } => None,
    }
}

/// Rows in price order, restricted to a range of rows if one is given.
#[derive(Debug, Clone)]
pub struct PricedRows<'a> {
    /// Rows in price order.
    pub rows: &'a [u32],
    /// The range to which the rows are restricted, if any.
    pub within: Option<Range<u32>>,
}

impl PricedRows<'_> {
    /// Number of rows.
    pub fn count(&self) -> usize {
        match &self.within {
            None => self.rows.len(),
            Some(within) => self.rows.iter().filter(|row| within.contains(row)).count(),
        }
    }
}

/// All rows of a scope in a country, priced or not.
pub fn rows(catalog: &Catalog, country: Country, category_scope: CategoryScope) -> Vec<u32> {
    match category_scope {
        CategoryScope::Category(node) => catalog.taxonomy.rows(country, node).collect(),
        CategoryScope::Code { node, within } => {
            let rows = catalog.classification.as_ref().map_or(&[][..], |gpc| gpc.rows(country, node));
            let within = within.map(|root| catalog.taxonomy.rows(country, root));
            let mut rows: Vec<u32> = rows
                .iter()
                .copied()
                .filter(|row| within.as_ref().is_none_or(|range| range.contains(row)))
                .collect();
            rows.sort_unstable();
            rows
        }
    }
}

/// The slug path of a category, or the digits of a classification code.
pub fn slug_of(catalog: &Catalog, category_scope: CategoryScope) -> String {
    match category_scope {
        CategoryScope::Category(node) => catalog.taxonomy.node(node).slug.clone(),
        CategoryScope::Code { node, .. } => {
            catalog.classification.as_ref().map_or_else(String::new, |gpc| format!("{:08}", gpc.code(node)))
        }
    }
}

/// The display path of a category, or the ancestry of a classification code.
pub fn path_of(catalog: &Catalog, category_scope: CategoryScope) -> String {
    match category_scope {
        CategoryScope::Category(node) => catalog.taxonomy.node(node).path.clone(),
        CategoryScope::Code { node, .. } => {
            let Some(gpc) = &catalog.classification else { return String::new() };
            let titles: Vec<&str> = gpc.ancestry(node).into_iter().map(|node| gpc.title(node)).collect();
            titles.join(" > ")
        }
    }
}
