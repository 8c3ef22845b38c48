//! `/.well-known/x402`: the paid resources, in the format that x402 catalogs such as x402scan read. `resources`
//! contains the URLs, and `items` describes each resource.

use serde::Serialize;

use super::{ABOUT, PageFacts, example};
use crate::payment::core::prices::QuotedPrice;
use crate::payment::protocols::x402::VERSION;
use crate::query::endpoint::Route;

/// Version of the list format.
const LIST_VERSION: u32 = 1;

const INSTRUCTIONS: &str = "Send GET requests with the parameters of /openapi.json. A request without a payment is \
                            answered with 402 and its offers. A request that cannot be answered is refused before \
                            that, so a resource without its required parameters is answered with 400.";

/// The list of paid resources.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    version: u32,
    x402_version: u64,
    name: &'static str,
    description: &'static str,
    resources: Vec<String>,
    items: Vec<ManifestItem>,
    instructions: &'static str,
}

/// A paid resource.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManifestItem {
    resource: String,
    #[serde(rename = "type")]
    kind: &'static str,
    method: &'static str,
    mime_type: &'static str,
    description: &'static str,
    price: QuotedPrice,
    #[serde(skip_serializing_if = "Option::is_none")]
    deep_price: Option<QuotedPrice>,
    example: String,
}

/// Renders the list.
///
/// # Errors
/// Returns an error if the list cannot be serialized, which cannot happen with the types of its fields.
pub fn x402_manifest(routes: &[Route], facts: &PageFacts<'_>) -> serde_json::Result<Vec<u8>> {
    let PageFacts { prices, base } = *facts;
    let paid = || routes.iter().filter(|route| !route.is_free());
    let item = |route: &Route| ManifestItem {
        resource: format!("{base}{}", route.path),
        kind: "http",
        method: "GET",
        mime_type: "application/json",
        description: route.summary,
        price: QuotedPrice::of(prices.of(route.usual_price())),
        deep_price: route.dearest_price().map(|class| QuotedPrice::of(prices.of(class))),
        example: format!("{base}{}", example(route)),
    };
    serde_json::to_vec(&Manifest {
        version: LIST_VERSION,
        x402_version: VERSION,
        name: "pricebook",
        description: ABOUT,
        resources: paid().map(|route| format!("{base}{}", route.path)).collect(),
        items: paid().map(item).collect(),
        instructions: INSTRUCTIONS,
    })
}
