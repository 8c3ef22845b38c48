//! `GET /v1/marketing/promo-intelligence`: the frequency of promotions in a category, and the size of their discounts.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::promotions::{self, PromoStats, PromoTally};
use crate::catalog::Catalog;
use crate::query::brand::BRAND;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::{Meta, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsDetails, NoResultsReason, Observed, Refusal};
use crate::query::requirements::require_observed;
use crate::query::scope::{CategoryHead, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;
use crate::query::windows::{FROM, TIME_WINDOW, TO};
use crate::snapshot::layout::NONE;
use crate::types::Granularity;

static AGGREGATE_BY: Param = Param {
    name: "aggregate_by",
    kind: Kind::Word(&["brand", "retailer"], Some("brand")),
    about: "Grouping of the rows. By brand, listings without a brand are left out.",
};

/// Maximum number of rows of an answer.
const ROWS_MAX: usize = 200;

/// The endpoint.
pub(super) struct PromoIntelligence;

/// Grouping of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AggregateBy")]
pub(super) enum Dimension {
    /// One row per brand.
    Brand,
    /// One row per retailer.
    Retailer,
}

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    aggregate_by: Dimension,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    /// Rows of the listings that are counted, ascending.
    rows: Vec<u32>,
    aggregate_by: Dimension,
}

/// Answer of promo-intelligence.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    #[serde(flatten)]
    head: CategoryHead,
    /// Display label of the requested brand; null if all were requested.
    brand: Option<String>,
    /// Grouping of the rows.
    aggregate_by: Dimension,
    /// The days that the answer covers.
    window: WindowBlock,
    /// One row per brand with an observation in the window, most observations first, then by label; at most 200.
    /// Absent when aggregating by retailer.
    #[serde(skip_serializing_if = "Option::is_none")]
    brands: Option<Vec<PromoRow>>,
    /// One row per retailer with an observation in the window, most observations first, then by key; at most 200.
    /// Absent when aggregating by brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    retailers: Option<Vec<PromoRow>>,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer. The observation times are the first and the last day that the rows cover.
    meta: Meta,
}

/// The promotional activity of a brand or a retailer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PromoRow {
    /// Display label of the brand; absent if the answer aggregates by retailer.
    #[serde(skip_serializing_if = "Option::is_none")]
    brand: Option<String>,
    /// Key of the retailer; absent if the answer aggregates by brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    retailer: Option<String>,
    #[serde(flatten)]
    figures: PromoStats,
}

impl Endpoint for PromoIntelligence {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Promo intelligence",
        summary: "The frequency of promotions in a category, and the size of their discounts.",
        about: "Use it to compare how often and how deep brands (or retailers, with aggregate_by=retailer) discount \
                a category in a window. promo_frequency_pct counts days of listings, not products. \
                avg_promo_depth_pct is null if no promoted listing has a plausible list price: the depth is then \
                unknown, not 0. A category without an observation in the window is refused with NO_RESULTS, which \
                names the days that were observed, free of charge.",
        methodology: &["promotions"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER, &TIME_WINDOW, &FROM, &TO, &BRAND, &AGGREGATE_BY],
        examples: &["category=food&country=ca&aggregate_by=retailer", "category=computers&brand=corsair"],
        rows: &["brands", "retailers"],
        pictures: &[
            Picture { rows: "retailers", kind: "promo", title: "Promotions by retailer: how many, how deep" },
            Picture { rows: "brands", kind: "promo", title: "Promotions by brand: how many, how deep" },
        ],
        next: |answer| NextStep::about_category("deal-finder", answer),
        heavy: true,
        ..Descriptor::of("/v1/marketing/promo-intelligence", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[&CATEGORY]),
            aggregate_by: reader.choice(&AGGREGATE_BY, [Dimension::Brand, Dimension::Retailer]),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, aggregate_by } = params;
        let scope = scope.resolve(catalog)?;
        let mut rows = scope.listings.rows(catalog);
        let brand_of = |row: u32| catalog.listings.brand[row as usize];
        match (scope.brand, aggregate_by) {
            (Some(brand), _) => rows.retain(|&row| brand_of(row) == brand),
            (None, Dimension::Brand) => rows.retain(|&row| brand_of(row) != NONE),
            (None, Dimension::Retailer) => {}
        }
        if rows.is_empty() && scope.brand.is_none() && aggregate_by == Dimension::Brand {
            return Err(no_brand());
        }
        require_observed(catalog, &rows, &[(scope.window.from(), scope.window.to())])?;
        Ok(Plan { scope, rows, aggregate_by })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Plan { scope, rows, aggregate_by } = plan;
        let own_window = scope.window.from()..scope.window.to();
        let days = promotions::day_numbers(catalog, std::slice::from_ref(&own_window));
        let listings = &catalog.listings;
        let label = |group: usize| match aggregate_by {
            Dimension::Brand => catalog.brands[group].label.as_str(),
            Dimension::Retailer => catalog.platforms[group].as_str(),
        };
        let tallies = match aggregate_by {
            Dimension::Brand => promotions::by_group(catalog, &rows, &days, catalog.brands.len(), |row| {
                listings.brand[row as usize]
            }),
            Dimension::Retailer => {
                promotions::by_group(catalog, &rows, &days, catalog.platforms.len(), |row| {
                    u32::from(listings.platform[row as usize])
                })
            }
        };
        let served = largest(&tallies, label);
        let mut observed = Span::default();
        for (first, last) in served.iter().filter_map(|(_, tally)| tally.days(catalog)) {
            observed.add(first.start());
            observed.add(last.start());
        }
        let rows =
            served.iter().filter_map(|(label, tally)| PromoRow::of(aggregate_by, label, tally)).collect();
        let (brands, retailers) = match aggregate_by {
            Dimension::Brand => (Some(rows), None),
            Dimension::Retailer => (None, Some(rows)),
        };
        Answer {
            head: scope.category_head(),
            brand: scope.brand_label(catalog).map(str::to_owned),
            aggregate_by,
            window: WindowBlock::new(&scope.window, Granularity::Daily),
            brands,
            retailers,
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

impl PromoRow {
    fn of(dimension: Dimension, label: &str, tally: &PromoTally) -> Option<Self> {
        let label_if = |own| (dimension == own).then(|| label.to_owned());
        Some(Self {
            brand: label_if(Dimension::Brand),
            retailer: label_if(Dimension::Retailer),
            figures: tally.figures()?,
        })
    }
}

/// Creates the refusal of a scope in which no listing has a brand. Its observation days are null, because no listing
/// is counted.
fn no_brand() -> Refusal {
    Refusal::NoResults {
        message: "no listing in this scope has a brand; ask for aggregate_by=retailer".to_owned(),
        details: Box::new(NoResultsDetails {
            observed: Some(Observed { observed_from: None, observed_to: None }),
            ..NoResultsDetails::new(NoResultsReason::NoBrand)
        }),
        suggest: None,
    }
}

/// Returns the groups with an observation, most observations first, then by label; at most [`ROWS_MAX`].
fn largest<'a>(tallies: &[PromoTally], label: impl Fn(usize) -> &'a str) -> Vec<(&'a str, &PromoTally)> {
    let mut groups: Vec<(&str, &PromoTally)> = tallies
        .iter()
        .enumerate()
        .filter(|(_, tally)| tally.total() > 0)
        .map(|(group, tally)| (label(group), tally))
        .collect();
    groups.sort_unstable_by_key(|&(label, tally)| (Reverse(tally.total()), label));
    groups.truncate(ROWS_MAX);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_without_observations_are_left_out() {
        let tally = |observations| {
            let mut tally = PromoTally::default();
            (0..observations).for_each(|_| tally.add(100, 0, false));
            tally
        };
        let tallies = [tally(2), tally(0), tally(5), tally(2)];
        let labels = ["walmart", "metro", "loblaws", "no-frills"];
        let order: Vec<&str> = largest(&tallies, |at| labels[at]).iter().map(|(label, _)| *label).collect();
        assert_eq!(order, ["loblaws", "no-frills", "walmart"]);
    }

    #[test]
    fn a_row_names_one_dimension() {
        let mut tally = PromoTally::default();
        tally.add(100, 0, false);
        let row = PromoRow::of(Dimension::Retailer, "metro", &tally).unwrap();
        assert_eq!((row.brand, row.retailer), (None, Some("metro".to_owned())));
        assert!(PromoRow::of(Dimension::Brand, "Asus", &PromoTally::default()).is_none());
    }
}
