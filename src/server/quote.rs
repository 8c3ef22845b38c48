//! A quote: the price of a request, the ways to pay and the subject of the request. A quote is free and changes
//! nothing.
//!
//! Quotes have a separate path, which takes the whole paid request as one parameter, so the response of a paid path is
//! always an answer. The parameter `quote=true` of a paid request is an older way to get a quote. `query::endpoint`
//! still reads it, but it is not documented. [`Subject`] defines the facts of the answer that a quote may contain.

use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::payment::core::offer::RailOffer;
use crate::payment::core::prices::QuotedPrice;
use crate::query::params::{KEPT, Kind, Param};
use crate::query::subject::{QuotedCategory, QuotedCode, QuotedItems, QuotedProduct, Subject};

/// Path of quotes.
pub const PATH: &str = "/v1/public/quote";

/// Title for people.
pub const TITLE: &str = "Quote";

/// Summary in one sentence.
pub const SUMMARY: &str = "The price of a paid request, the ways to pay for it, and how it was understood.";

/// Description: when to use a quote, what to look at and what null means.
pub const ABOUT: &str = "Use it before you pay: it gives the price of a request at this server, the ways to pay that \
     are open, and the product, category, brand or codes that the request was understood to be about. It does not \
     contain paid data. It is refused for every reason for which the paid request would be refused, with the same \
     error, so every quoted request can be bought. rails is empty where payments are off and answers are free. Members \
     that do not apply to the endpoint are absent; a null within a member has the same meaning as in the answer.";

/// The `request` parameter.
pub static REQUEST: Param = Param {
    name: "request",
    kind: Kind::Text,
    about: "Path and query of a paid request, percent-encoded as one value: /v1/shopper/best-price?q=tea becomes \
            %2Fv1%2Fshopper%2Fbest-price%3Fq%3Dtea.",
};

/// Path and query that return the quote of `request`.
pub fn target_of(request: &str) -> String {
    format!("{PATH}?{}={}", REQUEST.name, utf8_percent_encode(request, KEPT))
}

/// The price of a paid request, the ways to pay for it, and the subject that the request was understood to be about.
/// The members that apply to the endpoint describe the subject; the other members are absent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Quote {
    /// Always true.
    #[serde(rename = "quote")]
    #[schemars(extend("const" = true))]
    marker: bool,
    /// Path of the endpoint.
    endpoint: &'static str,
    /// Price of the answer.
    price: QuotedPrice,
    /// Ways to pay that are open now, in order of preference; empty if payments are off and answers are free.
    rails: Vec<RailOffer>,
    /// The category that the request is about; absent if it is not about a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotedCategory", default)]
    resolved: Option<QuotedCategory>,
    /// The product that the request is about; absent if it is not about one product.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotedProduct", default)]
    product: Option<QuotedProduct>,
    /// Whether the answer has likely matches. Present only for best-price with `linking=likely`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", default)]
    likely: Option<bool>,
    /// Display label of the brand that the request is about; absent if it is not about one brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    brand: Option<String>,
    /// Number of ids of the request that are answered, which determines the price. Present only for batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotedItems", default)]
    items: Option<QuotedItems>,
    /// Codes of the request that would be answered, each once, in the order of the request. Present only for
    /// brick-attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<QuotedCode>", default)]
    codes: Option<Vec<QuotedCode>>,
    /// Codes of the request that the publication does not contain. Present only for brick-attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    unresolved: Option<Vec<String>>,
    /// Phrases of the request as they were read, in the order of the request. Present only for classify.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    phrases: Option<Vec<String>>,
    /// Release of the classification that would answer: the year and month of its publication. Present only for the
    /// reference endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    gpc_release: Option<String>,
}

impl Quote {
    /// The quote of a request that resolved to `subject` and costs `atomic` atomic units.
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
