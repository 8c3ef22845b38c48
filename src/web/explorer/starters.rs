//! Requests to begin with, which the catalog in use answers: the examples of the routes where it has what they ask for,
//! else the same questions about its own first shelf. They are found once for each snapshot.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use percent_encoding::utf8_percent_encode;

use crate::catalog::Catalog;
use crate::endpoints::{ComparedProduct, FirstScope, compared_products, first_category};
use crate::query::endpoint::Route;
use crate::query::params::KEPT;
use crate::server::Shared;
use crate::types::Country;

/// Most requests that are proposed for a route.
const STARTS_MAX: usize = 3;

/// Products that several retailers sell which are proposed.
const COMPARED_MAX: usize = 4;

/// Requests that a catalog answers.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// The snapshot.
    id: String,
    /// Query strings by the path of their route.
    queries: BTreeMap<&'static str, Vec<String>>,
    /// Number of products that several retailers sell.
    compared_count: usize,
    /// Some of them, most retailers first.
    compared: Vec<ComparedProduct>,
}

/// The newest of them.
#[derive(Default)]
pub(super) struct StarterCache(Mutex<Arc<Starts>>);

impl StarterCache {
    /// The requests of the catalog in use.
    pub(super) fn of(&self, shared: &Shared) -> Arc<Starts> {
        let catalog = shared.catalog();
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.id != catalog.id() {
            *newest = Arc::new(Starts::find(&shared.routes, &catalog));
        }
        Arc::clone(&newest)
    }
}

impl Starts {
    fn find(routes: &[Route], catalog: &Arc<Catalog>) -> Self {
        let own = first_category(catalog).map(|category_scope| about(&category_scope)).unwrap_or_default();
        let queries = routes.iter().map(|route| {
            let answered = |query: &str| {
                let parsed = route.parse(query, catalog.as_of());
                parsed.is_ok_and(|parsed| parsed.resolve_promptly(catalog).is_ok())
            };
            let examples = route.examples.iter().map(|query| (*query).to_owned());
            let mut queries: Vec<String> = examples
                .chain(own.iter().cloned())
                .filter(|query| !query.is_empty() && answered(query))
                .collect();
            queries.truncate(route.examples.len().clamp(1, STARTS_MAX));
            (route.path, queries)
        });
        let compared = Country::ALL.map(|country| compared_products(catalog, country, COMPARED_MAX));
        let compared_count = compared.iter().map(|(count, _)| count).sum();
        let mut compared: Vec<ComparedProduct> = compared.into_iter().flat_map(|(_, first)| first).collect();
        compared.sort_by_key(|product| Reverse(product.retailers));
        compared.truncate(COMPARED_MAX);
        Self { id: catalog.id().to_owned(), queries: queries.collect(), compared_count, compared }
    }

    /// Number of products that have prices at two retailers or more in one country.
    pub(crate) fn compared_count(&self) -> usize {
        self.compared_count
    }

    /// Some of them, most retailers first.
    pub(crate) fn compared(&self) -> &[ComparedProduct] {
        &self.compared
    }

    /// Queries that a route answers, the best first.
    pub(crate) fn of(&self, route: &str) -> &[String] {
        self.queries.get(route).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Questions about a shelf, in the parameters that routes have.
fn about(category_scope: &FirstScope) -> Vec<String> {
    let FirstScope { category, country, product_uid, product_name, brand, retailer } = category_scope;
    let country = country.as_str();
    let pair = |name: &str, value: &str| format!("{name}={}", utf8_percent_encode(value, KEPT));
    let category = pair("category", category);
    let mut queries = vec![
        format!("{}&country={country}", pair("q", product_name)),
        format!("{}&country={country}", pair("product_uid", product_uid)),
        format!("{category}&country={country}"),
        format!("{category}&country={country}&aggregate_by=retailer"),
        format!("{}&{category}&country={country}", pair("retailer", retailer)),
    ];
    queries.extend(brand.as_ref().map(|brand| format!("{}&country={country}", pair("brand", brand))));
    queries
}
