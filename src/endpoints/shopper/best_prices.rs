//! `GET /v1/shopper/best-prices`: the lowest current price of each of many products.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::best_price::{BestOffer, Scope, match_type_of};
use crate::analytics::Span;
use crate::catalog::{Catalog, SuspectReason};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::ids::{self, IdNames, ItemStatus, ListedId};
use crate::query::params::{BadParameter, Kind, Param, Reader};
use crate::query::parts::Meta;
use crate::query::product::Product;
use crate::query::product_params::{COUNTRY, RETAILER, read_country};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::requirements::platform_of;
use crate::query::scope::Market;
use crate::query::subject::{QuotedItems, Subject};
use crate::types::{Cents, Country, EntityUid};

/// Maximum number of different ids of a request.
const IDS_MAX: usize = 100;

static GTIN: Param = Param {
    name: "gtin",
    kind: Kind::Text,
    about: "Up to 100 comma-separated barcodes. Give this, product_uid or entity_uid.",
};
static PRODUCT_UIDS: Param = Param {
    name: "product_uid",
    kind: Kind::Text,
    about: "Up to 100 comma-separated uids of listings; each selects the product of its listing.",
};
static ENTITY_UIDS: Param = Param {
    name: "entity_uid",
    kind: Kind::Text,
    about: "Up to 100 comma-separated uids of products across retailers.",
};

/// The endpoint.
pub(super) struct BestPrices;

/// Parsed parameters.
pub(super) struct Params {
    ids: Vec<ListedId>,
    country: Country,
    retailer: Option<String>,
}

/// A resolved request.
pub(super) struct Plan {
    country: Country,
    retailer: Option<String>,
    found: Vec<(ListedId, Result<Product, ItemStatus>)>,
    answered: u32,
}

/// Answer of best-prices.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    market: Market,
    /// Key of the requested retailer; null if all were requested.
    retailer: Option<String>,
    /// Number of different requested ids.
    requested_items: u32,
    /// Number of different requested ids that have a price.
    resolved_items: u32,
    /// One row per id, in the order of the request.
    results: Vec<Row<'a>>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Best price of one requested id, with figures as in best-price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BestPriceRow")]
struct Row<'a> {
    /// Id from the request. A uid is returned unchanged, and a usable barcode as a GTIN of 14 digits.
    item: String,
    /// Status of the item: `ok` if it has a price; any other value is the reason why it has none.
    status: ItemStatus,
    /// Stable id of the product across retailers; null without a price.
    entity_uid: Option<EntityUid>,
    /// Whether the prices come from several listings of the product or from one; null without a price.
    scope: Option<Scope>,
    /// Number of listings of the product in the country, including listings without a price; null if the item has no
    /// price.
    member_count: Option<u32>,
    /// Whether the entity may combine materially different products; null without a price.
    match_suspect: Option<bool>,
    /// Reasons for `match_suspect`; null without a price.
    match_suspect_reasons: Option<Vec<SuspectReason>>,
    /// Number of retailers that offer the product; null without a price.
    retailer_count: Option<u32>,
    /// Highest current price among the offers of the product; null without a price.
    highest_price: Option<Cents>,
    /// The best offer, as in best-price; null without a price.
    best_price: Option<BestOffer<'a>>,
}

impl Endpoint for BestPrices {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Best prices",
        summary: "The best current price of each of up to 100 products.",
        about: "Use it to price a list of products in one request: barcodes in gtin, or product_uids or entity_uids of \
                earlier answers. Each row has the figures that best-price has for that id; status gives the reason if \
                the figures are missing, and only rows with status ok are paid for. The price depends on the number of \
                ids that have a price, in started groups of ten; a quote gives that number. If no id has a price, the \
                answer is a free 404. Fields of a row without a price are null.",
        methodology: &["best-prices"],
        params: &[&GTIN, &PRODUCT_UIDS, &ENTITY_UIDS, &COUNTRY, &RETAILER],
        examples: &["gtin=00013409918104,00011210000032&country=ca"],
        rows: &["results"],
        batch: true,
        ..Descriptor::of("/v1/shopper/best-prices", Group::Shopper)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        let lists =
            [&GTIN, &PRODUCT_UIDS, &ENTITY_UIDS].map(|param| reader.text_as(param, |text| read(param, text)));
        let given: Vec<&Param> = [&GTIN, &PRODUCT_UIDS, &ENTITY_UIDS]
            .into_iter()
            .filter(|param| reader.was_given(param))
            .collect();
        match given.len() {
            1 => {}
            0 => reader.reject(BadParameter::new(GTIN.name, "give gtin, product_uid or entity_uid")),
            _ => given.iter().for_each(|param| {
                reader.reject(BadParameter::new(param.name, "give one of gtin, product_uid and entity_uid"));
            }),
        }
        Params {
            ids: lists.into_iter().flatten().next().unwrap_or_default(),
            country: read_country(reader),
            retailer: reader.text(&RETAILER),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { ids, country, retailer } = params;
        let platform = platform_of(catalog, country, retailer.as_deref())?;
        let found = |id: ListedId| {
            let product = id.find(catalog, country, platform);
            (id, product)
        };
        let found: Vec<_> = ids.into_iter().map(found).collect();
        let answered = found.iter().filter(|(_, product)| product.is_ok()).count() as u32;
        if answered == 0 {
            return Err(none_priced(found.iter().filter_map(|(_, product)| product.as_ref().err())));
        }
        Ok(Plan { country, retailer, found, answered })
    }

    fn answered(plan: &Plan) -> u32 {
        plan.answered
    }

    fn subject(_: &Catalog, plan: &Plan) -> Subject {
        Subject::Items(QuotedItems { requested: plan.found.len() as u32, resolved: plan.answered })
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { country, retailer, found, answered } = plan;
        let best = found.iter().filter_map(|(_, product)| product.as_ref().ok()?.offers.first().copied());
        let observed = Span::of_rows(catalog, best);
        Answer {
            market: Market::of(country),
            retailer,
            requested_items: found.len() as u32,
            resolved_items: answered,
            results: found.into_iter().map(|(id, product)| Row::of(catalog, id, product)).collect(),
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

/// Reads the ids of a list without duplicates. An id of a kind that the parameter does not accept is marked as
/// invalid.
fn read(param: &Param, text: &str) -> Result<(Vec<ListedId>, String), String> {
    let mut ids = ids::read_list(text).ok_or("contains an empty id; remove the surplus comma")?;
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.text.clone()));
    if ids.len() > IDS_MAX {
        return Err(format!(
            "contains {} different ids; at most {IDS_MAX} are answered per request",
            ids.len()
        ));
    }
    for id in &mut ids {
        id.names = match id.names {
            names @ IdNames::Barcode(_) if param.name == GTIN.name => names,
            names @ IdNames::Listing(_) if param.name == PRODUCT_UIDS.name => names,
            names @ IdNames::Entity(_) if param.name == ENTITY_UIDS.name => names,
            _ if param.name == GTIN.name => IdNames::Nothing,
            _ => IdNames::NoUid,
        };
    }
    let normal = ids.iter().map(|id| id.text.as_str()).collect::<Vec<_>>().join(",");
    Ok((ids, normal))
}

/// Creates the refusal of a batch in which no item has a price, from the statuses of its items.
pub(super) fn none_priced<'a>(mut why: impl Iterator<Item = &'a ItemStatus>) -> Refusal {
    if why.any(|status| matches!(status, ItemStatus::NoPricedListing | ItemStatus::NoOffer)) {
        let message = "the requested products do not have a current offer in this country (at the requested \
                       retailer, if there is one)";
        return Refusal::no_results(NoResultsReason::NoPricedListing, message);
    }
    let message = "the country does not have any of these products; a barcode must be usable, and a uid must be from \
                   an answer";
    Refusal::no_results(NoResultsReason::UnknownProduct, message)
}

impl<'a> Row<'a> {
    fn of(catalog: &'a Catalog, id: ListedId, product: Result<Product, ItemStatus>) -> Self {
        let item = id.text;
        let (status, product) = match product {
            Ok(product) => (ItemStatus::Ok, Some(product)),
            Err(status) => (status, None),
        };
        let product = product.as_ref();
        let reasons =
            product.map(|product| catalog.entities.suspect_reasons(product.entity, product.country));
        Self {
            item,
            status,
            entity_uid: product.map(|product| catalog.entities.uid(product.entity)),
            scope: product.map(Scope::of),
            member_count: product.map(|product| product.member_count),
            match_suspect: reasons.as_ref().map(|reasons| !reasons.is_empty()),
            match_suspect_reasons: reasons,
            retailer_count: product.map(|product| product.retailers(catalog)),
            highest_price: product
                .and_then(|product| product.offers.iter().map(|&row| catalog.listing(row).price()).max()),
            best_price: product.and_then(|product| {
                let best = catalog.listing(*product.offers.first()?);
                Some(BestOffer::of(best, match_type_of(product)))
            }),
        }
    }
}
