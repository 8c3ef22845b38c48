//! How good the search is: queries whose answers people judged ([`judged`]), queries that mean a known product
//! ([`known`]), queries for what is there or is not there ([`people`]).
//!
//! A ranking is what best-price answers with a min_quality of 0: the resolved product, then its related matches, ten places
//! in all. A place is an entity, for that is what an answer is about; it stands for every listing of the entity in the
//! country. What is refused by default is measured by [`people`].

pub mod judged;
pub mod known;
pub mod people;

use std::time::Instant;

use anyhow::{Result, bail};
use serde::Serialize;

use pricebook::catalog::Catalog;
use pricebook::query::product::resolve;
use pricebook::query::product_params::ProductQuery;
use pricebook::query::refusal::Refusal;
use pricebook::search::index::MatchQuality;
use pricebook::search::query::Strictness;
use pricebook::stats::quantile;
use pricebook::types::Country;

/// Places of a ranking that count.
pub const PLACES: usize = 10;
const SECOND_US: f64 = 1e6;

/// What a query was answered with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Ranking {
    /// Entities, best first; none where nothing was found.
    entities: Vec<u32>,
    /// Whether terms were read otherwise than they were written.
    is_corrected: bool,
}

/// Time that queries took: resolution and related matches, after each was asked once before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueryTimes {
    /// Median in microseconds.
    pub p50_us: f64,
    /// 99 in a hundred took no longer, in microseconds.
    pub p99_us: f64,
}

fn rank(catalog: &Catalog, country: Country, query: &str) -> Result<Ranking> {
    let asked = ProductQuery {
        q: Some(query.to_owned()),
        product_uid: None,
        entity_uid: None,
        country,
        retailer: None,
        strictness: Strictness { min_quality: Some(MatchQuality::default()), ..Strictness::default() },
    };
    let product = match resolve(catalog, &asked, PLACES - 1) {
        Ok(product) if product.offers.is_empty() => return Ok(Ranking::default()),
        Ok(product) => product,
        Err(Refusal::NoResults { .. }) => return Ok(Ranking::default()),
        Err(other) => bail!("{query:?} is refused: {other:?}"),
    };
    let related = product.related(catalog, PLACES - 1);
    let entities = related.into_iter().map(|related| catalog.listing(related.row).entity());
    let entities = std::iter::once(product.entity).chain(entities).collect();
    Ok(Ranking { entities, is_corrected: product.reading().corrected_terms.is_some() })
}

/// The rankings of queries, in their order; each is asked twice and timed the second time.
fn rank_all<'a>(
    catalog: &Catalog,
    queries: impl Iterator<Item = (Country, &'a str)> + Clone,
) -> Result<(Vec<Ranking>, QueryTimes)> {
    let rankings: Vec<Ranking> =
        queries.clone().map(|(country, query)| rank(catalog, country, query)).collect::<Result<_>>()?;
    let mut took = Vec::with_capacity(rankings.len());
    for (country, query) in queries {
        let began = Instant::now();
        std::hint::black_box(rank(catalog, country, query)?);
        took.push(began.elapsed().as_secs_f64() * SECOND_US);
    }
    let quantiles = [0.5, 0.99].map(|p| quantile::quantile_mut(&mut took, p).unwrap_or_default());
    Ok((rankings, QueryTimes { p50_us: quantiles[0], p99_us: quantiles[1] }))
}

/// The share of some of all; 0 of none.
fn share(some: usize, all: usize) -> f64 {
    some as f64 / all.max(1) as f64
}
