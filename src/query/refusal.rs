//! Why a well-formed request cannot be served from this catalog, decided before any payment.

use schemars::JsonSchema;
use serde::Serialize;

use super::params::BadParameter;
use super::product_params::ProductQuery;
use crate::catalog::Node;
use crate::search::index::MatchQuality;
use crate::search::query::WeakMatch;
pub use crate::snapshot::layout::QualityStatus;
use crate::types::{Country, Day, Ratio4};

/// A refusal of `resolve`.
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
        /// What the catalog does hold.
        details: Box<NoResultsDetails>,
        /// What suggestions are still looked up for; [`super::suggest::complete`] does it.
        suggest: Option<Box<Sought>>,
    },
    /// 404 `NOT_PUBLISHED`, with one sentence for the client.
    NotPublished(String),
}

/// A text that named nothing of a country, but is perhaps like something that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// A category, within a department if one was named.
    Category {
        /// Where.
        country: Country,
        /// What was asked for.
        text: String,
        /// Root category that the department text named.
        root: Option<Node>,
    },
    /// A brand.
    Brand {
        /// Where.
        country: Country,
        /// What was asked for, folded.
        text: String,
    },
    /// A product, asked for by a text.
    Product(ProductQuery),
}

/// The 404s that an endpoint may answer.
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
    /// Retailer key that was asked for, in lower case.
    pub retailer: String,
    /// Country that was asked for.
    pub country: Country,
    /// Best quality status of the retailer's cells in that country; null when it has none there.
    pub quality_status: Option<QualityStatus>,
    /// Retailers to ask for instead, sorted.
    pub serving_eligible_retailers: Vec<String>,
}

/// Why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoResultsReason {
    /// The scope holds no listing with a price of the last 90 days.
    NoPricedListing,
    /// The scope holds no observation in the window.
    NoObservationInWindow,
    /// The scope holds no listing with a brand.
    NoBrand,
    /// No such product in the country.
    UnknownProduct,
    /// The category text resolves to nothing.
    UnknownCategory,
    /// The country has no such brand.
    UnknownBrand,
    /// The product is offered once only, and a comparison was asked for.
    NoComparison,
    /// Fewer products than the statistic needs.
    TooFewProducts,
    /// No listing of the scope states its stock.
    NoStockStatus,
}

/// The parameters whose text a `NO_RESULTS` error of this reason did not find, as the error writes the reason.
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
    /// Why nothing was found.
    pub reason: NoResultsReason,
    /// The terms of `q` as they were understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    pub terms: Option<Vec<String>>,
    /// The other country, where it has what was asked for, at a price; null where it has not, absent where that was not
    /// looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Country>", default)]
    pub other_country: Option<Option<Country>>,
    /// The match_quality of the best match of `q`, which is below min_quality; 0 where nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ratio4", default)]
    pub match_quality: Option<Ratio4>,
    /// The best matches of `q` by name, at most three, one per product.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<NearestProduct>", default)]
    pub nearest: Option<Vec<NearestProduct>>,
    /// What to ask for instead, at most five: category slugs, brand labels, or terms. Terms are other names of the thing and
    /// product types that `q` names, then words that are spelled like its first unknown one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    pub suggestions: Option<Vec<String>>,
    /// Slugs of categories to look for a product in, at most five.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", default)]
    pub categories: Option<Vec<String>>,
    /// Periods of the window with enough products for an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", default)]
    pub periods: Option<u32>,
    /// What was compared, where too few products were.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub leaders: Option<Box<LeaderDetails>>,
    /// First and last observation day of the same scope without the window.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
}

/// A product that comes near to what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NearestProduct {
    /// Name of the listing that matches best.
    pub product_name: String,
    /// Share of the query that it satisfies, 0 to 1, rounded down to two decimals.
    pub match_quality: Ratio4,
}

/// The bands of days that were compared, and how many products were in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeaderDetails {
    /// Products observed in both bands.
    pub matched: u32,
    /// Of these, those left out as errors: to less than half or more than double.
    pub trimmed: u32,
    /// First day of the recent band.
    pub recent_from: Day,
    /// Last day of the recent band.
    pub recent_to: Day,
    /// First day of the band that it was compared with.
    pub base_from: Day,
    /// Last day of that band.
    pub base_to: Day,
    /// Days by which that band was moved to where something was observed.
    pub shifted_days: i32,
}

/// The days a scope was observed; both null where it never was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Observed {
    /// First day on which the scope without the window was observed; null where it never was.
    pub observed_from: Option<Day>,
    /// Last day on which the scope without the window was observed; null where it never was.
    pub observed_to: Option<Day>,
}

impl Refusal {
    /// A `NO_RESULTS` without further details.
    pub fn no_results(reason: NoResultsReason, message: impl Into<String>) -> Self {
        Self::NoResults {
            message: message.into(),
            details: Box::new(NoResultsDetails::new(reason)),
            suggest: None,
        }
    }

    /// The `NO_RESULTS` of a text that no product of a country matches well enough.
    pub fn weak_match(country: Country, weak: WeakMatch) -> Self {
        let WeakMatch { terms, quality, least, nearest } = weak;
        let message = match nearest.first() {
            None => format!("no priced listing of {} matches q", country.as_str()),
            Some((name, _)) => format!(
                "no priced listing of {} matches q well enough: the best, {name:?}, has a match_quality of {}, below the {} \
                 required; min_quality asks for less",
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

    /// The same `NO_RESULTS`, to be completed with what is like this.
    #[must_use]
    pub fn to_complete(self, sought: Sought) -> Self {
        match self {
            Self::NoResults { message, details, .. } => {
                Self::NoResults { message, details, suggest: Some(Box::new(sought)) }
            }
            other => other,
        }
    }

    /// The same, saying which other country has what this one has not, if any.
    #[must_use]
    pub fn elsewhere(self, other: Option<Country>) -> Self {
        let Self::NoResults { mut message, mut details, suggest } = self else { return self };
        if let Some(other) = other {
            message = format!("{message}; {0} has it: ask with country={0}", other.as_str());
        }
        details.other_country = Some(other);
        Self::NoResults { message, details, suggest }
    }
}

/// A quality with two decimals.
fn decimal(quality: MatchQuality) -> String {
    format!("{}.{:02}", quality.hundredths() / 100, quality.hundredths() % 100)
}

impl NoResultsDetails {
    /// A reason without further details.
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
