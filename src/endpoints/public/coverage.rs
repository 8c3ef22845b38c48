//! `GET /v1/public/coverage`: the coverage and freshness of the catalog.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::{Catalog, Cell};
use crate::lang::text::slug;
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::{Kind, Param, Reader};
use crate::query::refusal::{QualityStatus, Refusal};
use crate::snapshot::manifest;
use crate::types::{Country, Instant, Ratio4};

/// Parameter `country` of endpoints whose answers may cover both countries.
pub(super) static COUNTRY: Param =
    Param { name: "country", kind: Kind::Word(&["us", "ca"], None), about: "One country; both if absent." };
static PLATFORM: Param =
    Param { name: "platform", kind: Kind::PlatformKey, about: "Only this retailer platform; any case." };
static CATEGORY_ROOT: Param =
    Param { name: "category_root", kind: Kind::Text, about: "Only this root category, in slug form." };
static QUALITY_STATUS: Param = Param {
    name: "quality_status",
    kind: Kind::Word(QualityStatus::WORDS, None),
    about: "Only cells of this quality status.",
};
/// Parameter `limit` of the free lists that have pages.
pub(super) static LIMIT: Param = Param {
    name: "limit",
    kind: Kind::Integer { min: 1, max: 1000, default: Some(200) },
    about: "Maximum number of items.",
};
/// Parameter `offset` of the free lists that have pages.
pub(super) static OFFSET: Param =
    Param { name: "offset", kind: Kind::Position, about: "Number of items to skip." };

/// The endpoint.
pub(super) struct CoverageMap;

/// Parsed parameters, which `resolve` returns unchanged as the plan.
pub(super) struct Params {
    country: Option<Country>,
    platform: Option<String>,
    category_root: Option<String>,
    quality_status: Option<QualityStatus>,
    limit: u32,
    offset: u64,
}

/// Answer of coverage.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// One page of coverage cells, ordered by platform, country and category root.
    items: Vec<Item>,
    /// Number of matching cells, on all pages.
    total: u32,
    /// Maximum number of items on the page, as requested or by default.
    limit: u32,
    /// Number of items skipped before the page, as requested or by default.
    offset: u64,
    /// Figures about the likely links of the whole catalog, regardless of the parameters; null if the catalog was
    /// built without likely links.
    linking: Option<Linking>,
}

/// Figures about likely links. A likely link connects listings of two retailers that are likely the same product, by
/// name and not by barcode.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkingCoverage")]
pub(super) struct Linking {
    /// Listings without a usable barcode.
    listings_without_barcode: u64,
    /// Listings with a likely link.
    linked_listings: u64,
    /// Number of likely links. A link is an unordered pair of listings of two retailers in one country.
    links: u64,
    /// Minimum confidence of a likely link, 0 to 1.
    threshold: Ratio4,
    /// Number of priced listings that can be compared by barcode: another retailer in the country has a price for the
    /// same barcode.
    comparable_by_barcode: u64,
    /// Number of priced listings that can be compared by barcode or by likely link.
    comparable_with_links: u64,
    /// Accuracy of the links, measured on at most 100,000 listings that have a barcode. The barcodes are hidden from
    /// the linker.
    self_check: SelfCheck,
}

/// Accuracy of the linker, which makes the likely links. Links that it makes without barcodes are compared with the
/// barcodes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkingSelfCheck")]
pub(super) struct SelfCheck {
    /// Number of expected pairs: one for each barcode and each pair of retailers that sell it in the same country.
    pairs: u64,
    /// Number of links that the linker made.
    links: u64,
    /// Share of the links whose listings have the same barcode, 0 to 1; null for fewer than 50 pairs, or if there are
    /// no links.
    precision: Option<Ratio4>,
    /// Share of the expected pairs that were linked, 0 to 1; null for fewer than 50 pairs.
    recall: Option<Ratio4>,
}

/// A coverage cell: the listings of one retailer in one country and one root category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CoverageCell")]
pub(super) struct Item {
    /// Key of the retailer.
    platform: String,
    /// Country.
    country: Country,
    /// Slug of the root category.
    category_root: String,
    /// Number of listings with at least one observation.
    priced_product_count: u32,
    /// Number of listings with a price of the last 90 days.
    recent_priced_product_count: u32,
    /// Number of listings with a brand, including listings without a price.
    known_brand_product_count: u32,
    /// Status of the coverage cell (a retailer, a country and a root category). It depends on the number and the share
    /// of listings with a recent price.
    quality_status: QualityStatus,
    /// Whether `quality_status` is `serving`. A retailer with at least one serving cell can be requested by name in the
    /// whole country.
    is_serving_eligible: bool,
    /// Instant of the newest observation in the cell. If the source reports only days, it is the start of the UTC day.
    last_observed_at: Instant,
}

impl Endpoint for CoverageMap {
    type Params = Params;
    type Plan = Params;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Coverage",
        summary: "Coverage of the catalog by platform, country and root category.",
        about: "Use it first, to learn what this server has: retailers, countries and root categories, with numbers of \
                products and the time of the newest observation. quality_status serving means enough and fresh data; \
                thin or stale cells are answered too, from less data. A retailer with one serving cell can be \
                requested by name in that country. linking is null if the catalog was built without likely links. \
                precision is null if there were too few pairs to measure it.",
        methodology: &["coverage"],
        params: &[&COUNTRY, &PLATFORM, &CATEGORY_ROOT, &QUALITY_STATUS, &LIMIT, &OFFSET],
        examples: &["", "country=ca&quality_status=serving&limit=3"],
        rows: &["items"],
        bare_errors: true,
        highlights: &[
            "items.platform",
            "items.priced_product_count",
            "items.category_root",
            "items.quality_status",
            "items.last_observed_at",
        ],
        ..Descriptor::of("/v1/public/coverage", Group::Public)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            country: reader.word(&COUNTRY, Country::parse),
            platform: reader.text(&PLATFORM),
            category_root: reader.text(&CATEGORY_ROOT),
            quality_status: reader.word(&QUALITY_STATUS, QualityStatus::parse),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
            offset: reader.position(&OFFSET),
        }
    }

    fn resolve(_: &Catalog, params: Params) -> Result<Params, Refusal> {
        Ok(params)
    }

    fn run(catalog: &Catalog, params: Params, _: Stamp) -> Answer {
        let root = params.category_root.as_deref().map(slug);
        let fits = |cell: &&Cell| {
            params.country.is_none_or(|country| country == cell.country)
                && params
                    .platform
                    .as_deref()
                    .is_none_or(|key| key == catalog.platforms[cell.platform as usize])
                && root.as_deref().is_none_or(|root| root == catalog.taxonomy.node(cell.root).slug)
                && params.quality_status.is_none_or(|status| status == cell.status)
        };
        let cells = || catalog.coverage.cells.iter().filter(fits);
        let page = cells().skip(params.offset as usize).take(params.limit as usize);
        Answer {
            items: page.map(|cell| Item::of(catalog, cell)).collect(),
            total: cells().count() as u32,
            limit: params.limit,
            offset: params.offset,
            linking: catalog.manifest().linking.map(Linking::from),
        }
    }
}

impl Item {
    fn of(catalog: &Catalog, cell: &Cell) -> Self {
        Self {
            platform: catalog.platforms[cell.platform as usize].clone(),
            country: cell.country,
            category_root: catalog.taxonomy.node(cell.root).slug.clone(),
            priced_product_count: cell.priced,
            recent_priced_product_count: cell.recent,
            known_brand_product_count: cell.branded,
            quality_status: cell.status,
            is_serving_eligible: cell.status == QualityStatus::Serving,
            last_observed_at: cell.newest,
        }
    }
}

impl From<manifest::LinkingCounts> for Linking {
    fn from(linking: manifest::LinkingCounts) -> Self {
        let check = linking.self_check;
        Self {
            listings_without_barcode: linking.listings_without_barcode,
            linked_listings: linking.linked_listings,
            links: linking.links,
            threshold: Ratio4::from_f64(linking.threshold),
            comparable_by_barcode: linking.comparable_by_barcode,
            comparable_with_links: linking.comparable_with_links,
            self_check: SelfCheck {
                pairs: check.pairs,
                links: check.links,
                precision: check.precision.map(Ratio4::from_f64),
                recall: check.recall.map(Ratio4::from_f64),
            },
        }
    }
}
