//! The subject of a request. A client can check the subject before it pays.
//!
//! A [`Subject`] is served free of charge, so it contains only the interpretation of the request. It does not contain
//! a retailer, price, product count or listing that the client did not name, and it does not depend on prices. It is
//! served in the body of a [`Quote`](crate::server::quote::Quote).

use schemars::JsonSchema;
use serde::Serialize;

use super::category::{Alternate, MatchSource, Resolved};
use super::params::{Kind, Param};
use super::product::Product;
use crate::catalog::{Catalog, GpcLevel};
use crate::search::query::TextReading;
use crate::types::{EntityUid, Ratio4};

/// `quote`. Every paid route accepts it for clients that are older than the separate path of quotes. It is not
/// documented.
pub static QUOTE: Param =
    Param { name: "quote", kind: Kind::Flag, about: "Requests a quote instead of the answer." };

/// The subject of a resolved request.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// The request does not have a subject that a client could check.
    Nothing,
    /// A category, as in the `resolved` block of the answer.
    Block(Resolved),
    /// A product.
    Product {
        /// The product.
        product: QuotedProduct,
        /// Whether other listings are likely the same product; `None` if that was not requested.
        likely: Option<bool>,
    },
    /// A brand, in a category if one was requested.
    Brand {
        /// Display label.
        label: String,
        /// The category.
        resolved: Option<Resolved>,
    },
    /// Classification codes.
    Codes {
        /// Codes that are in the publication.
        codes: Vec<QuotedCode>,
        /// Codes that are not in the publication.
        unresolved: Vec<String>,
        /// Release of the publication.
        gpc_release: String,
    },
    /// Ids of a batch: the number requested, and the number answered, which determines the price.
    Items(QuotedItems),
    /// Phrases to be classified.
    Phrases {
        /// The phrases as they were read.
        phrases: Vec<String>,
        /// Release of the publication.
        gpc_release: String,
    },
}

/// The category that the request resolved to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuotedCategory {
    /// Requested category or department, as given.
    pub input: String,
    /// Display path of the category (A > B > C), or the ancestry of the classification code.
    pub category_path: String,
    /// Root segment of the path; null for a classification code.
    pub department: Option<String>,
    /// How the input was understood.
    pub match_source: MatchSource,
    /// Confidence of the match, 0 to 1.
    pub match_confidence: Ratio4,
    /// Other categories that the input may mean, best first, at most five.
    pub alternates: Vec<QuotedAlternate>,
}

/// Another category that the input may mean, without its number of products.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuotedAlternate {
    /// Display path of the category (A > B > C), or the ancestry of the classification code.
    pub category_path: String,
    /// Slug path that selects it as `category`, or the classification code.
    pub slug: String,
    /// Root segment of the path; null for a classification code.
    pub department: Option<String>,
    /// How the input was matched with this category.
    pub match_source: MatchSource,
    /// Confidence of the match, 0 to 1.
    pub match_confidence: Ratio4,
}

/// The product that the request resolved to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuotedProduct {
    /// Stable id of the product across retailers.
    pub entity_uid: EntityUid,
    /// Name of a listing of the product: the requested listing, otherwise the first listing in the catalog. The
    /// answer may show the name of another listing.
    pub product_name: String,
    /// Display label of that listing's brand; null if the listing has no brand.
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
    /// Number of requested ids.
    pub requested: u32,
    /// Number of requested ids that are answered with a price. Only these are paid for.
    pub resolved: u32,
}

/// A classification code that is in the publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuotedCode {
    /// Code in the classification, 8 digits.
    pub code: String,
    /// Title of the code.
    pub title: String,
    /// Level of the code: segment, family, class or brick.
    pub level: GpcLevel,
}

impl Subject {
    /// Creates the subject of an answer about a product.
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

    /// Creates the subject of an answer about a category, or about a brand in it if one was requested.
    pub fn of_category(catalog: &Catalog, resolved: Resolved, brand: Option<u32>) -> Self {
        match brand {
            Some(brand) => {
                let label = catalog.brands[brand as usize].label.clone();
                Self::Brand { label, resolved: Some(resolved) }
            }
            None => Self::Block(resolved),
        }
    }

    /// Sets whether there are likely matches; `None` if they were not requested.
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
