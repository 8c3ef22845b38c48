//! A quote: what a request would cost, how it can be paid and what it is about. A quote is free and changes nothing.
//!
//! It has a path of its own, which takes the whole paid request as one parameter, so an answer of a paid path is
//! always an answer. `quote=true` on the request itself does the same for clients that know it from before;
//! `query::endpoint` reads it, and no table lists it. [`Subject`] decides what a quote may tell about the answer.

use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::payment::core::offer::RailOffer;
use crate::payment::core::prices::QuotedPrice;
use crate::query::params::{KEPT, Kind, Param};
use crate::query::subject::{QuotedCategory, QuotedCode, QuotedItems, QuotedProduct, Subject};

/// Where quotes are asked for.
pub const PATH: &str = "/v1/public/quote";

/// Its name for people.
pub const TITLE: &str = "Quote";

/// One sentence.
pub const SUMMARY: &str =
    "What a paid request costs, how it can be paid, and what it was understood to be about.";

/// When to use it, what to look at and what null means there.
pub const ABOUT: &str = "Use it before you pay: it tells what a request costs at this server, which ways to pay are open, and which \
     product, category, brand or codes the request was understood to be about; nothing of what is for sale. It is \
     refused for whatever the paid request would be refused for, with the same error, so what is quoted can be bought. \
     rails is empty where the server answers for nothing. Members that do not fit the endpoint are absent; a null \
     within one means what it means in the answer.";

/// `request`.
pub static REQUEST: Param = Param {
    name: "request",
    kind: Kind::Text,
    about: "Path and query of a paid request, percent-encoded as one value: /v1/shopper/best-price?q=tea becomes \
            %2Fv1%2Fshopper%2Fbest-price%3Fq%3Dtea.",
};

/// Path and query that ask for the quote of a request.
pub fn target_of(request: &str) -> String {
    format!("{PATH}?{}={}", REQUEST.name, utf8_percent_encode(request, KEPT))
}

/// What a paid request costs, how it can be paid, and what it was understood to be about. What the request is about stands in the members that fit its
/// endpoint; the others are absent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Quote {
    /// Always true.
    #[serde(rename = "quote")]
    #[schemars(extend("const" = true))]
    marker: bool,
    /// Path of the endpoint.
    endpoint: &'static str,
    /// What the answer costs.
    price: QuotedPrice,
    /// Ways to pay that are open now, the preferred first; empty where the server answers for nothing.
    rails: Vec<RailOffer>,
    /// The category that the request is about. Absent where it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotedCategory", default)]
    resolved: Option<QuotedCategory>,
    /// The product that the request is about. Absent where it is not about one product.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotedProduct", default)]
    product: Option<QuotedProduct>,
    /// Whether the answer has likely matches. Of best-price with `linking=likely` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", default)]
    likely: Option<bool>,
    /// Display label of the brand that the request is about. Absent where it is not about one brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    brand: Option<String>,
    /// How many ids of the request are answered, which decides the price. Of batches only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotedItems", default)]
    items: Option<QuotedItems>,
    /// Codes of the request that would be answered, each once, in its order. Of brick-attributes only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<QuotedCode>", default)]
    codes: Option<Vec<QuotedCode>>,
    /// Codes of the request that the publication does not have. Of brick-attributes only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    unresolved: Option<Vec<String>>,
    /// Phrases of the request as they were read, in its order. Of classify only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    phrases: Option<Vec<String>>,
    /// Release of the classification that would answer, the year and month of its publication. Of the reference
    /// endpoints only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    gpc_release: Option<String>,
}

impl Quote {
    /// The quote of a request that resolved to `subject` and costs `atomic`.
    pub fn new(endpoint: &'static str, atomic: u64, rails: Vec<RailOffer>, subject: Subject) -> Self {
        let price = QuotedPrice::of(atomic);
        let quote = Self {
            marker: true,
            endpoint,
            price,
            rails,
            resolved: None,
            product: None,
            likely: None,
            brand: None,
            items: None,
            codes: None,
            unresolved: None,
            phrases: None,
            gpc_release: None,
        };
        match subject {
            Subject::Nothing => quote,
            Subject::Block(resolved) => Self { resolved: Some(resolved.into()), ..quote },
            Subject::Product { product, likely } => Self { product: Some(product), likely, ..quote },
            Subject::Brand { label, resolved } => {
                Self { brand: Some(label), resolved: resolved.map(QuotedCategory::from), ..quote }
            }
            Subject::Items(items) => Self { items: Some(items), ..quote },
            Subject::Codes { codes, unresolved, gpc_release } => Self {
                codes: Some(codes),
                unresolved: Some(unresolved),
                gpc_release: Some(gpc_release),
                ..quote
            },
            Subject::Phrases { phrases, gpc_release } => {
                Self { phrases: Some(phrases), gpc_release: Some(gpc_release), ..quote }
            }
        }
    }
}
