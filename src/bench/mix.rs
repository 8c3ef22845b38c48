//! The mix of requests: a weight for each route, and the user's own requests, which replace the requests that are
//! drawn from the snapshot.
//!
//! Routes are named by the last segment of their path. A file is TOML:
//!
//! ```toml
//! best-price = 40
//! inflation = 1
//!
//! [queries]
//! inflation = ["category=food&country=ca"]
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use super::sample::{RouteDraws, Sampler};
use crate::catalog::Catalog;
use crate::query::endpoint::Route;
use crate::stats::rng::Rng;

/// A request to a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Index of the route in the route table.
    pub route: usize,
    /// Path and query.
    pub target: String,
}

/// Contents of a mix file.
#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    queries: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    weights: BTreeMap<String, u32>,
}

/// Weights of routes, and the user's own requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mix {
    /// Indices of routes in the route table, each with the sum of the weights of all routes up to and including this
    /// route.
    cumulated: Vec<(usize, u64)>,
    queries: BTreeMap<usize, Vec<String>>,
}

fn place(routes: &[Route], wanted: &str) -> anyhow::Result<usize> {
    routes.iter().position(|route| route.name() == wanted || route.path == wanted).with_context(|| {
        let known: Vec<&str> = routes.iter().map(|route| route.name()).collect();
        format!("{wanted} in the mix is not a route; the routes are {}", known.join(", "))
    })
}

impl Mix {
    /// The standard weights. Routes of the classification are left out if the snapshot does not have a
    /// classification.
    ///
    /// # Errors
    /// Returns an error if the table of draws does not contain a route.
    pub fn standard(routes: &[Route], classified: bool) -> anyhow::Result<Self> {
        let mut weights = BTreeMap::new();
        for route in routes {
            if let Some(draws) = RouteDraws::of(route)?
                && (classified || !draws.needs_classification())
            {
                weights.insert(route.name().to_owned(), draws.weight);
            }
        }
        Self::new(routes, File { weights, ..File::default() })
    }

    /// A mix of one route.
    ///
    /// # Errors
    /// Returns an error if the route does not exist.
    pub fn only(routes: &[Route], name: &str) -> anyhow::Result<Self> {
        Self::new(routes, File { weights: [(name.to_owned(), 1)].into(), ..File::default() })
    }

    /// The mix of a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or [`Mix::parse`] rejects its text.
    pub fn read(routes: &[Route], path: &Path) -> anyhow::Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("the mix {} cannot be read", path.display()))?;
        Self::parse(routes, &text).with_context(|| format!("the mix {} cannot be used", path.display()))
    }

    /// The mix of a file's text.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML, has no route with a weight, names something that is not a route, or
    /// has an empty list of queries.
    pub fn parse(routes: &[Route], text: &str) -> anyhow::Result<Self> {
        Self::new(routes, toml::from_str(text)?)
    }

    fn new(routes: &[Route], file: File) -> anyhow::Result<Self> {
        let (mut cumulated, mut sum) = (Vec::new(), 0);
        for (name, weight) in file.weights.iter().filter(|(_, weight)| **weight > 0) {
            sum += u64::from(*weight);
            cumulated.push((place(routes, name)?, sum));
        }
        ensure!(sum > 0, "no route has a weight; write a line such as best-price = 1");
        let mut queries = BTreeMap::new();
        for (name, own) in file.queries {
            if own.is_empty() {
                bail!(
                    "the list of queries of {name} is empty; omit the list to draw queries from the snapshot"
                );
            }
            queries.insert(place(routes, &name)?, own);
        }
        Ok(Self { cumulated, queries })
    }

    /// Indices of the routes with a weight.
    pub fn routes(&self) -> impl Iterator<Item = usize> + '_ {
        self.cumulated.iter().map(|&(route, _)| route)
    }

    /// The user's own requests of a route, if there are any.
    pub fn queries(&self, route: usize) -> Option<&[String]> {
        self.queries.get(&route).map(Vec::as_slice)
    }

    /// Draws a route by weight.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let sum = self.cumulated.last().map_or(0, |&(_, sum)| sum);
        let at = rng.below(sum as usize) as u64;
        let found = self.cumulated.partition_point(|&(_, upto)| upto <= at);
        self.cumulated.get(found).map_or(0, |&(route, _)| route)
    }

    /// Draws `count` requests by the weights.
    ///
    /// # Errors
    /// Returns an error if one of the user's own requests has parameters that its route refuses, and in the cases of
    /// [`Sampler::draw`].
    pub fn requests(
        &self,
        sampler: &Sampler<'_>,
        routes: &[Route],
        seed: u64,
        count: usize,
    ) -> anyhow::Result<Vec<Request>> {
        for route in self.routes() {
            for own in self.queries(route).unwrap_or_default() {
                check(&routes[route], own, sampler.catalog)?;
            }
        }
        let mut rng = Rng::new(seed);
        let draw = |_| {
            let route = self.draw(&mut rng);
            let own = self.queries(route).and_then(|own| rng.pick(own).cloned());
            let query = own.map_or_else(|| sampler.draw(&routes[route], &mut rng), Ok)?;
            Ok(Request { route, target: routes[route].request(&query) })
        };
        (0..count).map(draw).collect()
    }
}

fn check(route: &Route, query: &str, catalog: &Catalog) -> anyhow::Result<()> {
    let faults = route.parse(query, catalog.as_of()).err().unwrap_or_default();
    let first = faults.first().map(|fault| format!("{} {}", fault.parameter, fault.reason));
    first
        .map_or(Ok(()), |fault| Err(anyhow::anyhow!(fault)))
        .with_context(|| format!("{} of the mix would be refused; change that query", route.request(query)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;

    #[test]
    fn every_route_that_answers_has_a_weight() {
        let routes = endpoints::routes();
        let mix = Mix::standard(&routes, true).expect("a mix");
        let asked: Vec<usize> = mix.routes().collect();
        for (at, route) in routes.iter().enumerate() {
            assert_eq!(asked.contains(&at), !route.examples.is_empty(), "{}", route.path);
        }
        let mut names: Vec<&str> = routes.iter().map(|route| route.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), routes.len(), "a name is one route's");
    }

    #[test]
    fn routes_come_by_weight() {
        let routes = endpoints::routes();
        let text = "best-price = 3\n'/v1/analyst/inflation' = 1\nbrands = 0\n[queries]\ninflation = ['a=b']";
        let mix = Mix::parse(&routes, text).expect("a mix");
        let mut rng = Rng::new(1);
        let (mut counts, draws) = (BTreeMap::new(), 40_000);
        for _ in 0..draws {
            *counts.entry(routes[mix.draw(&mut rng)].path).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 2);
        assert!((29_000..31_000).contains(&counts["/v1/shopper/best-price"]), "{counts:?}");
        let inflation = routes.iter().position(|route| route.path == "/v1/analyst/inflation").expect("it");
        assert_eq!(mix.queries(inflation), Some(&["a=b".to_owned()][..]));
    }

    #[test]
    fn a_mix_that_cannot_be_is_refused_with_a_way_out() {
        let refused = |text: &str| format!("{:#}", Mix::parse(&endpoints::routes(), text).expect_err(text));
        assert!(refused("best-prize = 1").contains("the routes are best-price, price-history"));
        assert!(refused("").contains("no route has a weight"));
        assert!(refused("best-price = 1\n[queries]\nbest-price = []").contains("omit the list"));
        assert!(refused("best-price = -1").contains("-1"));
    }
}
