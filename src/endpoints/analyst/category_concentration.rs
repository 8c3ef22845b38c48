//! `GET /v1/analyst/category-concentration`: how concentrated a category is on a few brands or retailers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::concentration::{Concentration, Fragmentation, GROUPS_MIN, THRESHOLDS, Thresholds};
use crate::analytics::counts::{self, Count};
use crate::analytics::latest;
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::{Meta, Note};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use crate::query::shares::{self, LabelShare};
use crate::query::subject::Subject;
use crate::types::{Hundredth, Percent, Ratio4};

/// Maximum number of groups listed in the answer.
const LISTED: usize = 10;

static AGGREGATE_BY: Param = Param {
    name: "aggregate_by",
    kind: Kind::Word(&["brand", "retailer"], Some("brand")),
    about: "Groups by which the products are counted.",
};

/// The endpoint.
pub(super) struct CategoryConcentration;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    by: By,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    by: By,
    counts: Vec<Count>,
}

/// Kind of group by which the products are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ConcentrationBy")]
enum By {
    /// By brand.
    Brand,
    /// By retailer.
    Retailer,
}

/// Answer of category-concentration. Products are listings with a price of the last 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: ScopeHead,
    /// How the category was understood.
    resolved: Resolved,
    /// Kind of group by which the products are counted.
    aggregate_by: By,
    /// Number of products.
    products: u32,
    /// Number of counted products. By brand, products without a brand are not counted.
    counted_products: u32,
    /// Share of the products that are counted, 0 to 1.
    counted_coverage: Ratio4,
    /// Number of groups: brands or retailers with a counted product.
    groups: u32,
    /// Herfindahl–Hirschman index of the numbers of products: 10,000 times the sum of the squared shares. Null for
    /// fewer than 5 groups.
    hhi: Option<Hundredth>,
    /// Share of the four largest groups in the counted products, in percent; null for fewer than 5 groups.
    cr4_pct: Option<Percent>,
    /// Number of equally large groups that would have the same hhi; null for fewer than 5 groups.
    effective_groups: Option<Hundredth>,
    /// Degree of concentration under the US merger guidelines of 2023, which are in force; null for fewer than 5
    /// groups.
    fragmentation: Option<Fragmentation>,
    /// Degree of concentration under the US merger guidelines of 2010; null for fewer than 5 groups.
    fragmentation_2010: Option<Fragmentation>,
    /// Limits of hhi that the guidelines of 2023 and of 2010 set.
    thresholds: [Thresholds; 2],
    /// The ten largest groups, most products first, then by label.
    largest: Vec<LabelShare<'a>>,
    /// Reasons why figures are null; empty if no figure is null.
    notes: Vec<Note>,
    /// Source and freshness of the answer.
    meta: Meta,
}

impl Endpoint for CategoryConcentration {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Category concentration",
        summary: "How concentrated a category is on a few brands or retailers, by number of products.",
        about: "Use it to see whether a few brands or retailers dominate a category: the Herfindahl-Hirschman index, \
                the share of the four largest, and their rating under the US merger guidelines. Products on offer are \
                counted, not sales, so the figures describe breadth of assortment and not market share. By brand, \
                products without a brand are not counted; counted_coverage gives the share that is. The figures are \
                null below 5 groups, and notes gives the reason. Give category, department or both.",
        methodology: &["category-concentration"],
        params: &[&CATEGORY, &DEPARTMENT, &COUNTRY, &RETAILER, &AGGREGATE_BY],
        examples: &["category=memory", "category=food&country=ca&aggregate_by=retailer"],
        rows: &["largest"],
        highlights: &["hhi", "fragmentation"],
        ..Descriptor::of("/v1/analyst/category-concentration", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[]),
            by: reader.choice(&AGGREGATE_BY, [By::Brand, By::Retailer]),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, by } = params;
        let scope = scope.resolve_priced(catalog)?;
        let counts = match by {
            By::Brand => counts::brands_of_scope(catalog, &scope.listings).0,
            By::Retailer => counts::of_platforms(catalog, &scope.listings.priced_rows(catalog)),
        };
        if counts.is_empty() {
            let message = "no listing in this scope has a brand; ask with aggregate_by=retailer";
            return Err(Refusal::no_results(NoResultsReason::NoBrand, message));
        }
        Ok(Plan { scope, by, counts })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, by, counts } = plan;
        let priced = scope.listings.priced_rows(catalog);
        let counted: u32 = counts.iter().map(|&(_, count)| count).sum();
        let found = Concentration::of(&counts);
        let [in_force, before] = THRESHOLDS;
        let label = |at: u32| match by {
            By::Brand => catalog.brands[at as usize].label.as_str(),
            By::Retailer => catalog.platforms[at as usize].as_str(),
        };
        Answer {
            head: scope.head(),
            resolved: scope.resolved,
            aggregate_by: by,
            products: priced.len() as u32,
            counted_products: counted,
            counted_coverage: Ratio4::from_ratio(counted.into(), priced.len() as i128),
            groups: counts.len() as u32,
            hhi: found.map(Concentration::hhi),
            cr4_pct: found.map(Concentration::cr4),
            effective_groups: found.map(Concentration::effective_groups),
            fragmentation: found.map(|found| found.fragmentation(in_force)),
            fragmentation_2010: found.map(|found| found.fragmentation(before)),
            thresholds: THRESHOLDS,
            largest: shares::of_labels(&counts, LISTED, label),
            notes: match found {
                Some(_) => Vec::new(),
                None => vec![Note::too_few("hhi", counts.len(), GROUPS_MIN)],
            },
            meta: Meta::new(catalog, stamp, latest::observed(catalog, &scope.listings, &priced)),
        }
    }
}
