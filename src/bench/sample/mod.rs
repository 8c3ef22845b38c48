//! Requests drawn from a snapshot: what its clients would ask, the popular things most often.
//!
//! Products, shelves, brands and retailers are kept in an order of popularity (products in a seeded random one, the
//! others by size) and drawn by Zipf. `queries` turns a draw into the query string of a route. A request drawn here is
//! well-formed: it is answered with 200 or with a 404 that its route documents. The load generator and the bench of
//! endpoints draw from the same sampler.

mod queries;

use std::cmp::Reverse;

use anyhow::{Context as _, ensure};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::mix::Mix;
use super::rng::Rng;
use super::routes::Asked;
use crate::catalog::{Catalog, Node};
use crate::query::endpoint::Route;
use crate::types::Country;

/// What a client sends as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// A request to a route of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Place of the route in the table.
    pub route: usize,
    /// Path and query.
    pub target: String,
}

/// What there is to ask for in a snapshot.
pub struct Sampler<'a> {
    catalog: &'a Catalog,
    /// Countries with a priced listing, the fuller one first.
    countries: Vec<Popular>,
    /// Bricks with a listing, in the order of the classification.
    bricks: Vec<u32>,
}

/// What there is to ask for in a country.
struct Popular {
    country: Country,
    /// Priced listings, in a seeded order.
    rows: Vec<u32>,
    /// Categories with a priced listing, the largest first.
    nodes: Vec<Node>,
    /// Brands with a priced listing, by the number of them.
    brands: Vec<usize>,
    /// Retailers that are served.
    retailers: Vec<u16>,
}

impl Popular {
    fn of(catalog: &Catalog, country: Country, rng: &mut Rng) -> Self {
        let priced = |row: &u32| catalog.listing(*row).is_priced();
        let mut rows: Vec<u32> = catalog.country_rows(country).filter(priced).collect();
        rng.shuffle(&mut rows);
        let size = |node: Node| catalog.taxonomy.priced_rows(country, node).len();
        let mut nodes: Vec<Node> =
            (0..catalog.taxonomy.nodes().len() as Node).filter(|&node| size(node) > 0).collect();
        nodes.sort_by_key(|&node| Reverse(size(node)));
        let listings = |brand: usize| catalog.brands[brand].priced[country.as_u8() as usize];
        let mut brands: Vec<usize> = (0..catalog.brands.len()).filter(|&brand| listings(brand) > 0).collect();
        brands.sort_by_key(|&brand| Reverse(listings(brand)));
        let retailers = catalog.coverage.serving(country).collect();
        Self { country, rows, nodes, brands, retailers }
    }
}

impl<'a> Sampler<'a> {
    /// What there is to ask for. The seed decides which products are popular.
    ///
    /// # Errors
    /// When no listing has a price of the last 90 days: nothing could be asked for.
    pub fn new(catalog: &'a Catalog, seed: u64) -> anyhow::Result<Self> {
        let mut rng = Rng::new(seed);
        let mut countries = Vec::from(Country::ALL.map(|country| Popular::of(catalog, country, &mut rng)));
        countries.retain(|popular| !popular.rows.is_empty());
        countries.sort_by_key(|popular| Reverse(popular.rows.len()));
        let id = catalog.id();
        ensure!(
            !countries.is_empty(),
            "{id} has no listing with a price of its last 90 days; name another --snapshot"
        );
        let bricks = match &catalog.classification {
            Some(gpc) => (0..gpc.len() as u32)
                .filter(|&node| Country::ALL.iter().any(|&country| !gpc.rows(country, node).is_empty()))
                .collect(),
            None => Vec::new(),
        };
        Ok(Self { catalog, countries, bricks })
    }

    /// A country, by the number of its priced listings.
    fn country(&self, rng: &mut Rng) -> &Popular {
        let all = self.countries.iter().map(|popular| popular.rows.len()).sum();
        let mut at = rng.below(all);
        for popular in &self.countries {
            if at < popular.rows.len() {
                return popular;
            }
            at -= popular.rows.len();
        }
        &self.countries[0]
    }

    /// A query string for a route.
    ///
    /// # Errors
    /// For a route of which nothing says what is asked.
    pub fn draw(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let popular = self.country(rng);
        let node = rng.popular(&popular.nodes).copied().unwrap_or_default();
        self.write(route, popular, node, false, rng)
    }

    /// A query string for a route about the largest category of the fuller country, whole and over 90 days, where the
    /// route is about one.
    ///
    /// # Errors
    /// As [`Sampler::draw`].
    pub fn largest(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let popular = &self.countries[0];
        self.write(route, popular, popular.nodes.first().copied().unwrap_or_default(), true, rng)
    }

    fn write(
        &self,
        route: &Route,
        popular: &Popular,
        node: Node,
        whole: bool,
        rng: &mut Rng,
    ) -> anyhow::Result<String> {
        let mut query = Query::default();
        let draw = queries::Draw { sampler: self, popular, node, whole };
        if Asked::of(route)?.is_some_and(|asked| draw.write(asked.about, &mut query, rng)) {
            return Ok(query.0);
        }
        // The snapshot has nothing of what the route is about.
        Ok(rng.pick(route.examples).map(|example| (*example).to_owned()).unwrap_or_default())
    }

    /// Requests by the weights of a mix.
    ///
    /// # Errors
    /// When the mix has requests of one's own for a route and they cannot be parameters of it, or as
    /// [`Sampler::draw`].
    pub fn requests(
        &self,
        routes: &[Route],
        mix: &Mix,
        seed: u64,
        count: usize,
    ) -> anyhow::Result<Vec<Request>> {
        for route in mix.routes() {
            for own in mix.queries(route).unwrap_or_default() {
                check(&routes[route], own, self.catalog)?;
            }
        }
        let mut rng = Rng::new(seed);
        let draw = |_| {
            let route = mix.draw(&mut rng);
            let own = mix.queries(route).and_then(|own| rng.pick(own).cloned());
            let query = own.map_or_else(|| self.draw(&routes[route], &mut rng), Ok)?;
            Ok(Request { route, target: target(routes[route].path, &query) })
        };
        (0..count).map(draw).collect()
    }
}

/// Path and query.
pub fn target(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

fn check(route: &Route, query: &str, catalog: &Catalog) -> anyhow::Result<()> {
    let faults = route.parse(query, catalog.as_of()).err().unwrap_or_default();
    let first = faults.first().map(|fault| format!("{} {}", fault.parameter, fault.reason));
    first.map_or(Ok(()), |fault| Err(anyhow::anyhow!(fault))).with_context(|| {
        format!("{} of the mix would be refused; change that query", target(route.path, query))
    })
}

/// A query string being written.
#[derive(Default)]
struct Query(String);

impl Query {
    /// Adds a parameter.
    fn put(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        self.0.extend(utf8_percent_encode(value, KEPT));
    }
}
