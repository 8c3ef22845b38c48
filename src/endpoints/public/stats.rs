//! `GET /v1/public/stats`: the size of the catalog.

use schemars::JsonSchema;
use serde::Serialize;

use super::coverage::COUNTRY;
use crate::catalog::{Catalog, CountryStats};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::Reader;
use crate::query::refusal::Refusal;
use crate::types::{Country, Day, INTERFACE_VERSION};

/// Countries in the order of the answer. The default country of other endpoints comes first.
const SHOWN: [Country; Country::ALL.len()] = [Country::Us, Country::Ca];

/// The endpoint.
pub(super) struct Stats;

/// Answer of stats. A listing is one offer of one retailer in one country. It is priced if it has a price of the last
/// 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    /// Day from which every window is counted back: the day after the last observation in the catalog.
    as_of: Day,
    /// Id of the snapshot from which the answer was computed.
    snapshot_id: &'a str,
    /// Version of the response schema.
    schema_version: &'static str,
    /// Number of codes in the product classification (GPC), on all levels; null if the snapshot has no classification.
    gpc_codes: Option<u32>,
    /// Number of listings in the countries of the answer, priced or not.
    listings: u64,
    /// Number of priced listings in the countries of the answer.
    priced_listings: u64,
    /// Number of observations in the countries of the answer. A listing counts once for each day on which it was
    /// observed.
    observations: u64,
    /// One row per country: us, then ca, or only the requested country.
    countries: Vec<Item>,
}

/// Size of the catalog in one country. Listings without a recent price are included unless the description of a field
/// excludes them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CountryStats")]
struct Item {
    /// Country.
    country: Country,
    /// Currency of the country's prices: USD in us, CAD in ca.
    currency: &'static str,
    /// Number of listings.
    listings: u32,
    /// Number of listings with a price of the last 90 days.
    priced_listings: u32,
    /// Number of listings with a usable barcode.
    barcoded_listings: u32,
    /// Number of different products. Listings that share a usable barcode are one product. Any other listing is a
    /// separate product.
    entities: u32,
    /// Number of different products with a price of the last 90 days.
    priced_entities: u32,
    /// Number of different products that two or more retailers sell. Only listings with a price of the last 90 days are
    /// counted.
    cross_retailer_entities: u32,
    /// Number of retailers with a listing.
    retailer_count: u32,
    /// Number of retailers that can be requested by name.
    serving_eligible_retailer_count: u32,
    /// Number of brands with a listing.
    brand_count: u32,
    /// Number of categories with a listing, on all levels of the category tree.
    category_count: u32,
    /// Number of root categories with a listing.
    category_root_count: u32,
    /// Number of observations. A listing counts once for each day on which it was observed.
    observations: u64,
    /// First day with an observation; null if the country has no observation.
    observed_from: Option<Day>,
    /// Last day with an observation; null if the country has no observation.
    observed_to: Option<Day>,
}

impl Endpoint for Stats {
    type Params = Option<Country>;
    type Plan = Option<Country>;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Stats",
        summary: "The size of the catalog, by country.",
        about: "Use it to see how large and how fresh the catalog is before you request anything else: listings, \
                products across retailers, retailers, brands, categories, and the days with observations. All listings \
                count, including those without a recent price, unless the name of a field contains priced; products of \
                two or more retailers are counted by priced ones. as_of is the now of every window. gpc_codes is null \
                if the snapshot has no classification. The observed days are null for a country without observations.",
        methodology: &["stats"],
        params: &[&COUNTRY],
        examples: &["", "country=ca"],
        rows: &["countries"],
        ..Descriptor::of("/v1/public/stats", Group::Public)
    };

    fn read(reader: &mut Reader<'_>) -> Option<Country> {
        reader.word(&COUNTRY, Country::parse)
    }

    fn resolve(_: &Catalog, country: Option<Country>) -> Result<Option<Country>, Refusal> {
        Ok(country)
    }

    fn run(catalog: &Catalog, asked: Option<Country>, _: Stamp) -> Answer<'_> {
        let shown = SHOWN.into_iter().filter(|&country| asked.is_none_or(|asked| asked == country));
        let countries: Vec<Item> = shown.map(|country| Item::of(catalog, country)).collect();
        Answer {
            as_of: catalog.as_of(),
            snapshot_id: catalog.id(),
            schema_version: INTERFACE_VERSION,
            gpc_codes: catalog.classification.as_ref().map(|codes| codes.len() as u32),
            listings: countries.iter().map(|item| u64::from(item.listings)).sum(),
            priced_listings: countries.iter().map(|item| u64::from(item.priced_listings)).sum(),
            observations: countries.iter().map(|item| item.observations).sum(),
            countries,
        }
    }
}

impl Item {
    fn of(catalog: &Catalog, country: Country) -> Self {
        let CountryStats {
            listings,
            priced,
            barcoded,
            entities,
            priced_entities,
            cross_retailer_entities,
            retailers,
            brands,
            categories,
            roots,
            observations,
            observed,
        } = *catalog.country_stats(country);
        let (observed_from, observed_to) = observed.unzip();
        Self {
            country,
            currency: country.currency(),
            listings,
            priced_listings: priced,
            barcoded_listings: barcoded,
            entities,
            priced_entities,
            cross_retailer_entities,
            retailer_count: retailers,
            serving_eligible_retailer_count: catalog.coverage.serving(country).count() as u32,
            brand_count: brands,
            category_count: categories,
            category_root_count: roots,
            observations,
            observed_from,
            observed_to,
        }
    }
}
