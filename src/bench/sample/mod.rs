//! Requests drawn from a snapshot, as clients would send them. Popular products, categories and brands are drawn most
//! often.
//!
//! Products, categories and brands are ordered by popularity (products in a seeded random order, the others by size)
//! and drawn by Zipf's law. A retailer is the retailer of a random listing. `draws` defines how each parameter of a
//! route is drawn. A request drawn here is valid: it is answered with 200, or with a 404 that its route documents.
//! The load generator and the bench of endpoints use the same sampler.

mod draws;

use std::cmp::Reverse;

use anyhow::ensure;

use crate::catalog::{Catalog, Node};
use crate::query::endpoint::Route;
use crate::stats::rng::Rng;
use crate::types::Country;

pub(super) use self::draws::RouteDraws;

/// The products, categories, brands and bricks of a snapshot that requests can name.
pub struct Sampler<'a> {
    pub(super) catalog: &'a Catalog,
    /// Countries with a priced listing, in descending order of the number of priced listings.
    countries: Vec<Popular>,
    /// Bricks with a listing, in the order of the classification.
    bricks: Vec<u32>,
}

/// The products, categories, brands and retailers of a country that requests can name.
struct Popular {
    country: Country,
    /// Priced listings, in a random order that depends on the seed.
    rows: Vec<u32>,
    /// Categories with a priced listing, the largest first.
    nodes: Vec<Node>,
    /// Brands with a priced listing, in descending order of the number of priced listings.
    brands: Vec<usize>,
    /// Retailers that are serving eligible: they have a coverage cell with the status serving.
    retailers: Vec<u16>,
}

/// The scope of a request: a country and one of its categories.
struct Scope<'a> {
    sampler: &'a Sampler<'a>,
    popular: &'a Popular,
    node: Node,
    /// Whether the request is about the category as a whole. Such a request has no optional parameters, and the first
    /// value of each list of values.
    whole: bool,
}

impl Scope<'_> {
    /// A query string for a route. If the snapshot does not contain a value that the route needs, the query string is
    /// an example of the route.
    fn query(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let drawn = RouteDraws::of(route)?.and_then(|draws| draws.query(self, rng));
        let example = || rng.pick(route.examples).map(|example| (*example).to_owned()).unwrap_or_default();
        Ok(drawn.unwrap_or_else(example))
    }
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
    /// Collects the products, categories, brands and retailers that requests can name. The seed determines which
    /// products are popular.
    ///
    /// # Errors
    /// Returns an error if no listing has a price of the last 90 days.
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

    /// A query string for a route.
    ///
    /// # Errors
    /// Returns an error if the table of draws does not contain the route.
    pub fn draw(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let popular = rng.popular(&self.countries).unwrap_or(&self.countries[0]);
        let node = rng.popular(&popular.nodes).copied().unwrap_or_default();
        Scope { sampler: self, popular, node, whole: false }.query(route, rng)
    }

    /// A query string for a route. If the route is about a category, the request is about the largest category of the
    /// country with the most priced listings, as a whole and over 90 days.
    ///
    /// # Errors
    /// Returns an error in the cases of [`Sampler::draw`].
    pub fn largest(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let popular = &self.countries[0];
        let node = popular.nodes.first().copied().unwrap_or_default();
        Scope { sampler: self, popular, node, whole: true }.query(route, rng)
    }
}
