//! Requests drawn from a snapshot: what its clients would ask, the popular things most often.
//!
//! Products, shelves, brands and retailers are kept in an order of popularity (products in a seeded random one, the
//! others by size) and drawn by Zipf. `draws` says how each parameter of a route is drawn. A request drawn here is
//! well-formed: it is answered with 200 or with a 404 that its route documents. The load generator and the bench of
//! endpoints draw from the same sampler.

mod draws;

use std::cmp::Reverse;

use anyhow::ensure;

use crate::catalog::{Catalog, Node};
use crate::query::endpoint::Route;
use crate::stats::rng::Rng;
use crate::types::Country;

pub(super) use self::draws::RouteDraws;

/// What there is to ask for in a snapshot.
pub struct Sampler<'a> {
    pub(super) catalog: &'a Catalog,
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

/// The scope of a request: a country and a category of it.
struct Scope<'a> {
    sampler: &'a Sampler<'a>,
    popular: &'a Popular,
    node: Node,
    /// Whether the request is about the category as a whole: it has none of the optional parameters, and of the others
    /// the first value.
    whole: bool,
}

impl Scope<'_> {
    /// A query string for a route: an example of the route where the snapshot has nothing of what the route is about.
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

    /// A query string for a route.
    ///
    /// # Errors
    /// For a route of which nothing says what is asked.
    pub fn draw(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let popular = rng.popular(&self.countries).unwrap_or(&self.countries[0]);
        let node = rng.popular(&popular.nodes).copied().unwrap_or_default();
        Scope { sampler: self, popular, node, whole: false }.query(route, rng)
    }

    /// A query string for a route about the largest category of the fuller country, whole and over 90 days, where the
    /// route is about one.
    ///
    /// # Errors
    /// As [`Sampler::draw`].
    pub fn largest(&self, route: &Route, rng: &mut Rng) -> anyhow::Result<String> {
        let popular = &self.countries[0];
        let node = popular.nodes.first().copied().unwrap_or_default();
        Scope { sampler: self, popular, node, whole: true }.query(route, rng)
    }
}
