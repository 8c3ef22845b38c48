//! What a request resolved to, for a client that wants to know what it would buy.
//!
//! A [`Subject`] is told for nothing, so it names what was understood and stops there: it holds no retailer, price,
//! count or listing that the client did not name itself, and nothing of it depends on a price. The body that carries
//! it is [`Quote`](crate::server::quote::Quote)'s.

use schemars::JsonSchema;
use serde::Serialize;

use super::category::{Alternate, MatchSource, Resolved};
use super::params::{Kind, Param};
use super::product::Product;
use crate::catalog::{Catalog, GpcLevel};
use crate::search::query::TextReading;
use crate::types::{EntityUid, Ratio4};

/// `quote`, which every paid route heeds for clients of before quotes had a path of their own. It is not documented.
pub static QUOTE: Param =
    Param { name: "quote", kind: Kind::Flag, about: "Asks for a quote instead of the answer." };

/// What a plan resolved to.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// Nothing that a client would have to check.
    Nothing,
    /// A category, as the `resolved` block of the answer has it.
    Block(Resolved),
    /// A product.
    Product {
        /// The product.
        product: QuotedProduct,
        /// Whether other listings are likely the same; `None` where that was not asked.
        likely: Option<bool>,
    },
    /// A brand, in a category if one was asked for.
    Brand {
        /// Display label.
        label: String,
        /// The category.
        resolved: Option<Resolved>,
    },
    /// Classification codes.
    Codes {
        /// Codes that the publication has.
        codes: Vec<QuotedCode>,
        /// Codes that it does not have.
        unresolved: Vec<String>,
        /// The publication.
        gpc_release: String,
    },
    /// Ids of a batch: how many were asked for, and how many are answered, which decides the price.
    Items(QuotedItems),
    /// Phrases to be classified.
    Phrases {
        /// The phrases as they were read.
        phrases: Vec<String>,
        /// The publication.
        gpc_release: String,
    },
}

/// The category that a request was understood to be about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuotedCategory {
    /// What was asked for, as given.
    pub input: String,
    /// Display path of the category (A > B > C), or ancestry of the classification code.
    pub category_path: String,
    /// Root segment of the path; null for a classification code.
    pub department: Option<String>,
    /// How the input was understood.
    pub match_source: MatchSource,
    /// Confidence of the match, 0 to 1.
    pub match_confidence: Ratio4,
    /// Other categories that the input fits equally well, best first, at most five.
    pub alternates: Vec<QuotedAlternate>,
}

/// Another category that an input fits, without the number of its products.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuotedAlternate {
    /// Display path of the category, or ancestry of the classification code.
    pub category_path: String,
    /// Slug path to ask for it with, or the classification code.
    pub slug: String,
    /// Root segment of the path; null for a classification code.
    pub department: Option<String>,
    /// How the input was understood to mean it.
    pub match_source: MatchSource,
    /// Confidence of the match, 0 to 1.
    pub match_confidence: Ratio4,
}

/// The product that a request was understood to be about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuotedProduct {
    /// Stable id of the product across retailers.
    pub entity_uid: EntityUid,
    /// Name of one of its listings: the one that was asked for, else the first of the catalog. The answer may name
    /// another.
    pub product_name: String,
    /// Display label of that listing's brand; null for a listing without one.
    pub brand: Option<String>,
    /// Display path of that listing's category (A > B > C).
    pub category_path: String,
    /// How `q` is read.
    #[serde(flatten)]
    pub reading: TextReading,
}

/// The ids of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuotedItems {
    /// Ids that were asked for.
    pub requested: u32,
    /// Of these, those that are answered with a price: what is paid for.
    pub resolved: u32,
}

/// A classification code that the publication has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuotedCode {
    /// Code, 8 digits.
    pub code: String,
    /// Title of the code.
    pub title: String,
    /// Level of the code.
    pub level: GpcLevel,
}

impl Subject {
    /// The subject of an answer about a product.
    pub fn product(catalog: &Catalog, product: &Product) -> Self {
        product.named_listing(catalog).map_or(Self::Nothing, |row| {
            let listing = catalog.listing(row);
            let product = QuotedProduct {
                entity_uid: catalog.entities.uid(product.entity),
                product_name: listing.name().to_owned(),
                brand: listing.brand().map(str::to_owned),
                category_path: catalog.taxonomy.node(listing.category()).path.clone(),
                reading: product.reading(),
            };
            Self::Product { product, likely: None }
        })
    }

    /// The subject of an answer about a category, or about a brand in it if one was asked for.
    pub fn of_category(catalog: &Catalog, resolved: Resolved, brand: Option<u32>) -> Self {
        match brand {
            Some(brand) => {
                let label = catalog.brands[brand as usize].label.clone();
                Self::Brand { label, resolved: Some(resolved) }
            }
            None => Self::Block(resolved),
        }
    }

    /// The same with what was asked about likely matches.
    #[must_use]
    pub fn with_likely(self, asked: Option<bool>) -> Self {
        match self {
            Self::Product { product, .. } => Self::Product { product, likely: asked },
            other => other,
        }
    }
}

impl From<Resolved> for QuotedCategory {
    fn from(resolved: Resolved) -> Self {
        let Resolved { input, category_path, department, match_source, match_confidence, alternates } =
            resolved;
        let alternates = alternates.into_iter().map(QuotedAlternate::from).collect();
        Self { input, category_path, department, match_source, match_confidence, alternates }
    }
}

impl From<Alternate> for QuotedAlternate {
    fn from(alternate: Alternate) -> Self {
        let Alternate { category_path, slug, department, match_source, match_confidence, products: _ } =
            alternate;
        Self { category_path, slug, department, match_source, match_confidence }
    }
}
