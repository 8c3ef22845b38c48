//! `GET /v1/social/category-structure`, `topic-trends` and `product-type-trends`: not published by any snapshot yet.
//!
//! The paths exist so that a client can tell a gap in what is published from a wrong address.

use std::convert::Infallible;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::query::endpoint::{Endpoint, Group, Stamp};
use crate::query::params::{Param, Reader};
use crate::query::product_params::COUNTRY;
use crate::query::refusal::Refusal;
use crate::types::Country;

/// What tells the rollups apart.
pub(super) trait Topic: Send + Sync + 'static {
    /// Path, with the version prefix.
    const PATH: &'static str;
    /// One sentence.
    const SUMMARY: &'static str;
    /// When to use it.
    const ABOUT: &'static str;
}

/// How shoppers group products.
pub(super) struct CategoryStructure;

impl Topic for CategoryStructure {
    const PATH: &'static str = "/v1/social/category-structure";
    const SUMMARY: &'static str = "How people group products when they talk about them; not published yet.";
    const ABOUT: &'static str = "Do not use it yet: no snapshot publishes this rollup, and every request is refused with \
         NOT_PUBLISHED. The path exists so that a gap in what is published can be told from a wrong \
         address. For the categories of the shops use /v1/public/categories.";
}

/// What shoppers talk about.
pub(super) struct TopicTrends;

impl Topic for TopicTrends {
    const PATH: &'static str = "/v1/social/topic-trends";
    const SUMMARY: &'static str = "Topics that people talk about, over time; not published yet.";
    const ABOUT: &'static str = "Do not use it yet: no snapshot publishes this rollup, and every request is refused with \
         NOT_PUBLISHED. The path exists so that a gap in what is published can be told from a wrong \
         address.";
}

/// Which product types shoppers talk about.
pub(super) struct ProductTypeTrends;

impl Topic for ProductTypeTrends {
    const PATH: &'static str = "/v1/social/product-type-trends";
    const SUMMARY: &'static str = "Product types that people talk about, over time; not published yet.";
    const ABOUT: &'static str = "Do not use it yet: no snapshot publishes this rollup, and every request is refused with \
         NOT_PUBLISHED. The path exists so that a gap in what is published can be told from a wrong \
         address. For what changed in a product type use the priced endpoints with a classification code.";
}

/// The endpoint of a rollup.
pub(super) struct Rollup<T>(PhantomData<T>);

/// Answer of a rollup: none is published, so every request is 404 `NOT_PUBLISHED`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Unpublished {}

impl<T: Topic> Endpoint for Rollup<T> {
    type Params = Country;
    type Plan = Infallible;
    type Answer<'a> = Unpublished;

    const PATH: &'static str = T::PATH;
    const GROUP: Group = Group::Social;
    const SUMMARY: &'static str = T::SUMMARY;
    const ABOUT: &'static str = T::ABOUT;
    const PARAMS: &'static [&'static Param] = &[&COUNTRY];
    const EXAMPLES: &'static [&'static str] = &[];

    fn read(reader: &mut Reader<'_>) -> Country {
        reader.word(&COUNTRY, Country::parse).unwrap_or(Country::Us)
    }

    fn resolve(catalog: &Catalog, _: Country) -> Result<Infallible, Refusal> {
        let message = format!(
            "snapshot {} publishes no social rollups; this says nothing about the categories",
            catalog.id()
        );
        Err(Refusal::NotPublished(message))
    }

    fn run(_: &Catalog, plan: Infallible, _: Stamp) -> Unpublished {
        match plan {}
    }
}
