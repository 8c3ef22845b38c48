//! The free list `retailers`: the retailers of a country.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::query::descriptor::{Descriptor, Group, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::Reader;
use crate::query::product_params::{COUNTRY, read_country};
use crate::query::refusal::{QualityStatus, Refusal};
use crate::types::Country;

/// The endpoint.
pub(super) struct Retailers;

/// Answer of retailers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Every retailer with an observation in the country, ordered by key.
    items: Vec<Item>,
}

/// A retailer in a country.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedRetailer")]
pub(super) struct Item {
    /// Key of the retailer.
    retailer: String,
    /// Country.
    country: Country,
    /// Best status among the retailer's coverage cells in the country. There is one cell per root category.
    quality_status: QualityStatus,
    /// Whether the parameter `retailer` of other routes accepts this retailer in this country.
    is_serving_eligible: bool,
    /// Number of listings with a price of the last 90 days.
    product_count: u32,
}

impl Endpoint for Retailers {
    type Params = Country;
    type Plan = Country;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Retailers",
        summary: "The retailers of a country, and whether they can be requested by name.",
        about: "Use it to find the keys that the parameter retailer accepts. Only retailers with is_serving_eligible \
                can be requested by name; the others still count when all retailers are requested. A retailer may \
                serve one country and not the other. No field is null.",
        params: &[&COUNTRY],
        examples: &["country=ca"],
        rows: &["items"],
        ..Descriptor::of(free_list!(retailers), Group::Public)
    };

    fn read(reader: &mut Reader<'_>) -> Country {
        read_country(reader)
    }

    fn resolve(_: &Catalog, country: Country) -> Result<Country, Refusal> {
        Ok(country)
    }

    fn run(catalog: &Catalog, country: Country, _: Stamp) -> Answer {
        let mut recent = vec![0; catalog.platforms.len()];
        for cell in catalog.coverage.cells.iter().filter(|cell| cell.country == country) {
            recent[cell.platform as usize] += cell.recent;
        }
        let item = |(platform, retailer): (usize, &String)| {
            let quality_status = catalog.coverage.best(platform as u16, country)?;
            Some(Item {
                retailer: retailer.clone(),
                country,
                quality_status,
                is_serving_eligible: quality_status == QualityStatus::Serving,
                product_count: recent[platform],
            })
        };
        Answer { items: catalog.platforms.iter().enumerate().filter_map(item).collect() }
    }
}
