//! Example requests for new users of a server. They are derived from the catalog, so that it can answer each of them.

use std::cmp::Reverse;

use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::{COMPETITIVE_LANDSCAPE, COVERAGE};
use crate::catalog::{Catalog, Node};
use crate::query::params::KEPT;
use crate::query::product::distinct_retailers;
use crate::snapshot::layout::UNCATEGORIZED;
use crate::types::Country;

/// Characters that are percent-encoded in a slug path. `/` is not encoded, so that people can read the path.
const SLUG: &AsciiSet = &KEPT.remove(b'/');

/// Number of products in the answer to the first request. It is small, so that the answer fits on a terminal.
const PRODUCTS_SHOWN: u32 = 3;

/// Minimum number of digits of a barcode.
const CODE_DIGITS_MIN: usize = 8;

/// Maximum number of products of a catalog that [`compared_products`] examines.
const PRODUCTS_SEARCHED_MAX: u32 = 1 << 20;

/// A product that several retailers sell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedProduct {
    /// Country of the product.
    pub country: Country,
    /// Uid of the product across retailers.
    pub entity_uid: String,
    /// Name at the retailer with the lowest price.
    pub name: String,
    /// Number of retailers that have a price for the product.
    pub retailers: u32,
}

/// A category for example requests, with some of its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstScope {
    /// Slug of the category.
    pub category: String,
    /// Country of the category.
    pub country: Country,
    /// Uid of the cheapest product in the category.
    pub product_uid: String,
    /// Name of the cheapest product.
    pub product_name: String,
    /// Brand of the cheapest product that has a brand; `None` if no product has one.
    pub brand: Option<String>,
    /// Retailer of the cheapest product.
    pub retailer: String,
}

/// Returns the leaf category and the country with the most products that several retailers sell. Among equals, the
/// category with the most priced listings is used. `UNCATEGORIZED` is used only if no other category has prices.
/// Returns `None` if the catalog has no prices.
pub fn first_category(catalog: &Catalog) -> Option<FirstScope> {
    let nodes = catalog.taxonomy.nodes();
    let is_leaf = |at: &usize| nodes.get(at + 1).is_none_or(|next| next.parent != Some(*at as Node));
    let leaves = (0..nodes.len()).filter(is_leaf);
    let category_scopes = leaves.flat_map(|at| Country::ALL.map(|country| (country, at)));
    let ranked = category_scopes.map(|(country, at)| {
        let figures = catalog.taxonomy.figures(country, at as Node);
        let (shared, priced) = (figures.spreads().lowest.len(), figures.priced_rows().len());
        let is_category_scope = priced > 0 && nodes[at].slug != UNCATEGORIZED;
        (is_category_scope, shared, priced, country, at)
    });
    let (.., country, at) = ranked.max().filter(|(_, _, priced, ..)| *priced > 0)?;
    let rows = catalog.taxonomy.priced_rows(country, at as Node);
    let cheapest = catalog.listing(*rows.first()?);
    Some(FirstScope {
        category: nodes[at].slug.clone(),
        country,
        product_uid: cheapest.uid().to_string(),
        product_name: cheapest.name().to_owned(),
        brand: rows.iter().find_map(|&row| catalog.listing(row).brand()).map(str::to_owned),
        retailer: cheapest.retailer().to_owned(),
    })
}

/// Returns the number of products that have prices at two or more retailers in a country, and at most `most` of these
/// products, ordered by number of retailers, highest first. Entities that may combine different products are excluded.
pub fn compared_products(catalog: &Catalog, country: Country, most: usize) -> (usize, Vec<ComparedProduct>) {
    let rows = catalog.country_rows(country);
    let retailers = |entity: u32| match catalog.entities.members(entity, &rows) {
        // Most products have one listing.
        [] | [_] => 0,
        members => {
            let priced = members.iter().copied().filter(|&row| catalog.listing(row).is_priced());
            distinct_retailers(catalog, priced)
        }
    };
    let entities = 0..u32::try_from(catalog.entities.len()).unwrap_or(u32::MAX).min(PRODUCTS_SEARCHED_MAX);
    let compared = entities.map(|entity| (retailers(entity), entity)).filter(|(retailers, _)| *retailers > 1);
    let compared =
        compared.filter(|(_, entity)| catalog.entities.suspect_reasons(*entity, country).is_empty());
    let mut first: Vec<(u32, u32)> = compared.collect();
    first.sort_unstable_by_key(|&(retailers, entity)| (Reverse(retailers), entity));
    let product = |(retailers, entity)| {
        let cheapest = catalog.cheapest(catalog.entities.members(entity, &rows), |_| true)?;
        let name = catalog.listing(cheapest).name().to_owned();
        // People do not search for a name that contains a barcode.
        let is_code =
            |word: &str| word.len() >= CODE_DIGITS_MIN && word.bytes().all(|byte| byte.is_ascii_digit());
        let entity_uid = catalog.entities.uid(entity).to_string();
        let product = ComparedProduct { country, entity_uid, name, retailers };
        Some(product).filter(|product| !product.name.split_whitespace().any(is_code))
    };
    (first.len(), first.into_iter().filter_map(product).take(most).collect())
}

/// Returns path and query of a request that the catalog can answer. It requests the cheapest products of
/// [`first_category`], or the coverage if the catalog has no prices.
pub fn first_request(catalog: &Catalog) -> String {
    match first_category(catalog) {
        Some(FirstScope { category, country, .. }) => format!(
            "{}?category={}&country={}&limit={PRODUCTS_SHOWN}",
            COMPETITIVE_LANDSCAPE.path,
            utf8_percent_encode(&category, SLUG),
            country.as_str()
        ),
        None => COVERAGE.path.to_owned(),
    }
}
