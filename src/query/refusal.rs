//! Reasons why a well-formed request cannot be served from this catalog. They are found before any payment.

use schemars::JsonSchema;
use serde::Serialize;

use super::params::BadParameter;
use super::product_params::ProductQuery;
use crate::catalog::Node;
use crate::search::index::MatchQuality;
use crate::search::query::WeakMatch;
pub use crate::snapshot::layout::QualityStatus;
use crate::types::{Country, Day, Ratio4};

/// A refusal returned by `resolve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// 400: parameters that contradict each other in this catalog.
    BadParameters(Vec<BadParameter>),
    /// 404 `RETAILER_NOT_SERVING_ELIGIBLE`.
    RetailerNotServing(RetailerDetails),
    /// 404 `NO_RESULTS`.
    NoResults {
        /// One sentence for the client.
        message: String,
        /// Reason, and data of the catalog that helps to correct the request.
        details: Box<NoResultsDetails>,
        /// The text for which [`super::suggest::complete`] still has to look up suggestions.
        suggest: Option<Box<Sought>>,
    },
    /// 404 `NOT_PUBLISHED`, with one sentence for the client.
    NotPublished(String),
}

/// A text that does not match a name in a country, but may be similar to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// A category, within a department if one was named.
    Category {
        /// Country of the request.
        country: Country,
        /// Requested text.
        text: String,
        /// Root category named by `department`.
        root: Option<Node>,
    },
    /// A brand.
    Brand {
        /// Country of the request.
        country: Country,
        /// Requested text, folded.
        text: String,
    },
    /// A product, requested by text.
    Product(ProductQuery),
}

/// 404 errors that an endpoint may return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// [`Refusal::RetailerNotServing`].
    RetailerNotServing,
    /// [`Refusal::NoResults`].
    NoResults,
    /// [`Refusal::NotPublished`].
    NotPublished,
}

/// Details of a `RETAILER_NOT_SERVING_ELIGIBLE` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RetailerDetails {
    /// Requested retailer key, in lower case.
    pub retailer: String,
    /// Requested country.
    pub country: Country,
    /// Best quality status of the retailer's coverage cells in that country; null if the retailer has no cells there.
    pub quality_status: Option<QualityStatus>,
    /// Retailers that can be requested instead, sorted.
    pub serving_eligible_retailers: Vec<String>,
}

/// Reason why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoResultsReason {
    /// The scope has no listing with a price of the last 90 days.
    NoPricedListing,
    /// The scope has no observation in the window.
    NoObservationInWindow,
    /// The scope has no listing with a brand.
    NoBrand,
    /// The country has no such product.
    UnknownProduct,
    /// The category text matches no category.
    UnknownCategory,
    /// The country has no such brand.
    UnknownBrand,
    /// A comparison was requested, but the product has one listing only.
    NoComparison,
    /// There are fewer products than the statistic needs.
    TooFewProducts,
    /// No listing of the scope states its stock.
    NoStockStatus,
}

/// Returns the parameters whose text was not found. `reason` is the text of a [`NoResultsReason`] in an error.
pub fn misnamed(reason: &str) -> &'static [&'static str] {
    match reason {
        "unknown_product" => &["q"],
        "unknown_brand" => &["brand"],
        "unknown_category" => &["category", "node"],
        _ => &[],
    }
}

/// Details of a `NO_RESULTS` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoResultsDetails {
    /// Reason why nothing was found.
    pub reason: NoResultsReason,
    /// Terms of `q` as they were understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    pub terms: Option<Vec<String>>,
    /// Another country that has a price for the requested product or scope; null if there is none, absent if it was
    /// not looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Country>", default)]
    pub other_country: Option<Option<Country>>,
    /// Quality of the best match of `q`, which is below min_quality; 0 if nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ratio4", default)]
    pub match_quality: Option<Ratio4>,
    /// Best matches of `q` by name, at most three, one per product.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<NearestProduct>", default)]
    pub nearest: Option<Vec<NearestProduct>>,
    /// Alternatives to request, at most five: category slugs, brand labels or terms. Terms are other names of the
    /// product and product types that `q` names, then words spelled like its first unknown word.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    pub suggestions: Option<Vec<String>>,
    /// Slugs of categories that may contain the product, at most five.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    pub categories: Option<Vec<String>>,
    /// Number of periods of the window with enough products for an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", default)]
    pub periods: Option<u32>,
    /// The bands of days that were compared, if too few products were observed in both.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub leaders: Option<Box<LeaderDetails>>,
    /// First and last observation day of the same scope, regardless of the window.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
}

/// A product that is similar to the requested one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NearestProduct {
    /// Name of the best-matching listing of the product.
    pub product_name: String,
    /// Share of the query that the product satisfies, 0 to 1, rounded down to two decimals.
    pub match_quality: Ratio4,
}

/// The bands of days that were compared, and the number of products observed in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeaderDetails {
    /// Number of products observed in both bands.
    pub matched: u32,
    /// Number of matched products that were left out as data errors, because their price fell to less than half or
    /// rose to more than double.
    pub trimmed: u32,
    /// First day of the recent band.
    pub recent_from: Day,
    /// Last day of the recent band, which is the last day on which any of the products was observed.
    pub recent_to: Day,
    /// First day of the base band, with which the recent band is compared.
    pub base_from: Day,
    /// Last day of the base band.
    pub base_to: Day,
    /// Number of days by which the base band was moved, to reach days with observations; negative if it was moved to
    /// earlier days.
    pub shifted_days: i32,
}

/// First and last day on which a scope was observed; both are null if the scope was never observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Observed {
    /// First day on which the scope was observed, regardless of the window; null if the scope was never observed.
    pub observed_from: Option<Day>,
    /// Last day on which the scope was observed, regardless of the window; null if the scope was never observed.
    pub observed_to: Option<Day>,
}

impl Refusal {
    /// Creates a `NO_RESULTS` without further details.
    pub fn no_results(reason: NoResultsReason, message: impl Into<String>) -> Self {
        Self::NoResults {
            message: message.into(),
            details: Box::new(NoResultsDetails::new(reason)),
            suggest: None,
        }
    }

    /// Creates the `NO_RESULTS` of a text for which a country does not have a product that matches well enough.
    pub fn weak_match(country: Country, weak: WeakMatch) -> Self {
        let WeakMatch { terms, quality, least, nearest } = weak;
        let message = match nearest.first() {
            None => format!("no priced listing of {} matches q", country.as_str()),
            Some((name, _)) => format!(
                "no priced listing of {} matches q well enough: the best match, {name:?}, has a match_quality of {}, \
                 below the required {}; use a lower min_quality to accept it",
                country.as_str(),
                decimal(quality),
                decimal(least),
            ),
        };
        let nearest = nearest
            .into_iter()
            .map(|(product_name, quality)| NearestProduct { product_name, match_quality: quality.ratio() });
        let details = NoResultsDetails {
            terms: Some(terms),
            match_quality: Some(quality.ratio()),
            nearest: Some(nearest.collect()),
            suggestions: Some(Vec::new()),
            categories: Some(Vec::new()),
            other_country: Some(None),
            ..NoResultsDetails::new(NoResultsReason::UnknownProduct)
        };
        Self::NoResults { message, details: Box::new(details), suggest: None }
    }

    /// Marks a `NO_RESULTS` as incomplete: [`super::suggest::complete`] must look up suggestions for `sought`.
    #[must_use]
    pub fn to_complete(self, sought: Sought) -> Self {
        match self {
            Self::NoResults { message, details, .. } => {
                Self::NoResults { message, details, suggest: Some(Box::new(sought)) }
            }
            other => other,
        }
    }

    /// Adds the other country in which the request has a result, or records that there is none.
    #[must_use]
    pub fn elsewhere(self, other: Option<Country>) -> Self {
        let Self::NoResults { mut message, mut details, suggest } = self else { return self };
        if let Some(other) = other {
            message = format!("{message}; {0} has a match: ask with country={0}", other.as_str());
        }
        details.other_country = Some(other);
        Self::NoResults { message, details, suggest }
    }
}

/// Formats a quality with two decimals.
fn decimal(quality: MatchQuality) -> String {
    format!("{}.{:02}", quality.hundredths() / 100, quality.hundredths() % 100)
}

impl NoResultsDetails {
    /// Creates details that contain only a reason.
    pub fn new(reason: NoResultsReason) -> Self {
        Self {
            reason,
            terms: None,
            other_country: None,
            match_quality: None,
            nearest: None,
            suggestions: None,
            categories: None,
            periods: None,
            leaders: None,
            observed: None,
        }
    }
}
