//! The free list `brands`: the brands of a country.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::lang::text::fold;
use crate::query::descriptor::{Descriptor, Group, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::{Kind, Param, Reader};
use crate::query::product_params::{COUNTRY, read_country};
use crate::query::refusal::Refusal;
use crate::types::Country;

static PREFIX: Param = Param {
    name: "q",
    kind: Kind::Text,
    about: "Beginning of the brand's label; case and diacritics are ignored.",
};
static LIMIT: Param = Param {
    name: "limit",
    kind: Kind::Integer { min: 1, max: 100, default: Some(20) },
    about: "Maximum number of items.",
};

/// The endpoint.
pub(super) struct Brands;

/// Parsed parameters, which `resolve` returns unchanged as the plan.
pub(super) struct Params {
    country: Country,
    prefix: Option<String>,
    limit: u32,
}

/// Answer of brands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Brands whose label begins with `q`, most listings first, then by label. Only brands with a price of the last 90
    /// days in the country are included.
    items: Vec<Item>,
}

/// A brand in a country.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedBrand")]
pub(super) struct Item {
    /// Display label of the brand: the spelling that is most frequent in the catalog.
    brand: String,
    /// Number of listings of the brand in the country with a price of the last 90 days.
    product_count: u32,
}

impl Endpoint for Brands {
    type Params = Params;
    type Plan = Params;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Brands",
        summary: "The brands of a country, selected by the beginning of their label.",
        about: "Use it to find a brand's spelling, or the largest brands of a country. q is the beginning of the \
                label; the largest brands come first. Brands without a product that has a price of the last 90 days \
                are left out. No field is null.",
        params: &[&COUNTRY, &PREFIX, &LIMIT],
        examples: &["q=cor&limit=3"],
        rows: &["items"],
        next: |answer| Some(NextStep::to("brand-tracker", "brand", answer.first_text("items.brand")?)),
        ..Descriptor::of(free_list!(brands), Group::Public)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            country: read_country(reader),
            prefix: reader.text(&PREFIX),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
        }
    }

    fn resolve(_: &Catalog, params: Params) -> Result<Params, Refusal> {
        Ok(params)
    }

    fn run(catalog: &Catalog, params: Params, _: Stamp) -> Answer {
        let prefix = params.prefix.as_deref().map(fold).unwrap_or_default();
        let country = params.country.as_u8() as usize;
        let mut brands: Vec<_> = catalog
            .brands
            .iter()
            .filter(|brand| brand.priced[country] > 0 && fold(&brand.label).starts_with(&prefix))
            .collect();
        brands.sort_by_key(|brand| (Reverse(brand.priced[country]), &brand.label));
        let item = |brand: &&crate::snapshot::layout::BrandEntry| Item {
            brand: brand.label.clone(),
            product_count: brand.priced[country],
        };
        Answer { items: brands.iter().take(params.limit as usize).map(item).collect() }
    }
}
