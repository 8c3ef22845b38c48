//! What to ask a catalog first: requests that it answers, whatever it holds.

use std::cmp::Reverse;

use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::{COMPETITIVE_LANDSCAPE, COVERAGE};
use crate::catalog::{Catalog, Node};
use crate::query::params::KEPT;
use crate::query::product::distinct_retailers;
use crate::snapshot::layout::UNCATEGORIZED;
use crate::types::Country;

/// What stays as it is in a slug path, which is to be read by people.
const SLUG: &AsciiSet = &KEPT.remove(b'/');

/// Products in the answer: as many as a terminal shows.
const PRODUCTS_SHOWN: u32 = 3;

/// Digits of the shortest barcode.
const CODE_DIGITS_MIN: usize = 8;

/// Products of a catalog among which those to begin with are searched.
const PRODUCTS_SEARCHED_MAX: u32 = 1 << 20;

/// A product that several retailers sell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedProduct {
    /// Where.
    pub country: Country,
    /// Its uid across retailers.
    pub entity_uid: String,
    /// Name at the retailer with the lowest price.
    pub name: String,
    /// Retailers that have a price.
    pub retailers: u32,
}

/// A shelf to begin with, and what stands on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstScope {
    /// Slug of the category.
    pub category: String,
    /// Where.
    pub country: Country,
    /// Its cheapest product: the uid.
    pub product_uid: String,
    /// Name of that product.
    pub product_name: String,
    /// Brand of the first product that has one.
    pub brand: Option<String>,
    /// Who sells the cheapest product.
    pub retailer: String,
}

/// The shelf with most products that several retailers sell, else with most products; what has no category is no shelf
/// where there is another. `None` for a catalog without prices.
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

/// The number of products that have prices at two retailers or more in a country, and at most `most` of them, most
/// retailers first.
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
        // A code is no name that people ask for.
        let is_code =
            |word: &str| word.len() >= CODE_DIGITS_MIN && word.bytes().all(|byte| byte.is_ascii_digit());
        let entity_uid = catalog.entities.uid(entity).to_string();
        let product = ComparedProduct { country, entity_uid, name, retailers };
        Some(product).filter(|product| !product.name.split_whitespace().any(is_code))
    };
    (first.len(), first.into_iter().filter_map(product).take(most).collect())
}

/// Path and query of a request that this catalog answers: the cheapest products of its first shelf. A catalog without
/// prices is asked what it covers.
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
