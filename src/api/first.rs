//! What to ask a catalog first: a request that it answers, whatever it holds.

use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::{marketing, public};
use crate::catalog::{Catalog, Node};
use crate::domain::Country;
use crate::query::params::KEPT;
use crate::snapshot::layout::UNCATEGORIZED;

/// What stays as it is in a slug path, which is to be read by people.
const SLUG: &AsciiSet = &KEPT.remove(b'/');

/// Products in the answer: as many as a terminal shows.
const PRODUCTS_SHOWN: u32 = 3;

/// Path and query of a request that this catalog answers: the cheapest products of the shelf with most products that
/// several retailers sell, else with most products; what has no category is no shelf where there is another. A catalog
/// without prices is asked what it covers.
pub fn first_request(catalog: &Catalog) -> String {
    let nodes = catalog.taxonomy.nodes();
    let is_leaf = |at: &usize| nodes.get(at + 1).is_none_or(|next| next.parent != Some(*at as Node));
    let leaves = (0..nodes.len()).filter(is_leaf);
    let shelves = leaves.flat_map(|at| Country::ALL.map(|country| (country, at)));
    let ranked = shelves.map(|(country, at)| {
        let figures = catalog.taxonomy.figures(country, at as Node);
        let (shared, priced) = (figures.spreads().lowest.len(), figures.priced_rows().len());
        let is_shelf = priced > 0 && nodes[at].slug != UNCATEGORIZED;
        (is_shelf, shared, priced, country, at)
    });
    match ranked.max() {
        Some((_, _, priced, country, at)) if priced > 0 => format!(
            "{}?category={}&country={}&limit={PRODUCTS_SHOWN}",
            marketing::SHELF_PATH,
            utf8_percent_encode(&nodes[at].slug, SLUG),
            country.as_str()
        ),
        _ => public::COVERAGE_PATH.to_owned(),
    }
}
