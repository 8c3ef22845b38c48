//! `GET /v1/social/category-structure`, `topic-trends` and `product-type-trends`: not published by any snapshot yet.
//!
//! The paths exist so that a client can distinguish unpublished data from a wrong path.

use std::convert::Infallible;

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::query::descriptor::{Descriptor, Group, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::Reader;
use crate::query::product_params::{COUNTRY, read_country};
use crate::query::refusal::Refusal;
use crate::types::Country;

/// Creates the description of a rollup: a text that all rollups have in common, followed by the given text.
macro_rules! not_published {
    ($($own:tt)*) => {
        concat!(
            "Do not use it yet: no snapshot publishes this rollup, and every request is refused with NOT_PUBLISHED. \
             The path exists so that clients can tell data that is not published from a wrong path.",
            $($own)*
        )
    };
}

/// Descriptors of the rollups.
const ROLLUPS: [Descriptor; 3] = [
    Descriptor {
        title: "Category structure",
        summary: "How people group products when they talk about them; not published yet.",
        about: not_published!(" For the categories of the shops use ", free_list!(categories), "."),
        params: &[&COUNTRY],
        ..Descriptor::of("/v1/social/category-structure", Group::Social)
    },
    Descriptor {
        title: "Topic trends",
        summary: "Topics that people talk about, over time; not published yet.",
        about: not_published!(),
        params: &[&COUNTRY],
        ..Descriptor::of("/v1/social/topic-trends", Group::Social)
    },
    Descriptor {
        title: "Product type trends",
        summary: "Product types that people talk about, over time; not published yet.",
        about: not_published!(
            " For changes in a product type use the paid endpoints with a classification code."
        ),
        params: &[&COUNTRY],
        ..Descriptor::of("/v1/social/product-type-trends", Group::Social)
    },
];

/// The endpoint of the rollup at index `AT` of `ROLLUPS`.
pub(super) struct Rollup<const AT: usize>;

/// Answer of a rollup. No rollup is published, so every request is refused with 404 `NOT_PUBLISHED`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Unpublished {}

impl<const AT: usize> Endpoint for Rollup<AT> {
    type Params = Country;
    type Plan = Infallible;
    type Answer<'a> = Unpublished;

    const DESCRIPTOR: &'static Descriptor = &ROLLUPS[AT];

    fn read(reader: &mut Reader<'_>) -> Country {
        read_country(reader)
    }

    fn resolve(catalog: &Catalog, _: Country) -> Result<Infallible, Refusal> {
        let message = format!("snapshot {} does not publish social rollups for any category", catalog.id());
        Err(Refusal::NotPublished(message))
    }

    fn run(_: &Catalog, plan: Infallible, _: Stamp) -> Unpublished {
        match plan {}
    }
}
