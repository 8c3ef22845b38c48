//! `GET /v1/analyst/category-concentration`: how few brands or retailers hold a category.

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

/// Groups that are listed.
const LISTED: usize = 10;

static AGGREGATE_BY: Param = Param {
    name: "aggregate_by",
    kind: Kind::Word(&["brand", "retailer"], Some("brand")),
    about: "What the products are counted by.",
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

/// What products are counted by.
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
    /// What the products are counted by.
    aggregate_by: By,
    /// Number of products.
    products: u32,
    /// Of these, those that are counted: by brand those that have one.
    counted_products: u32,
    /// Their share of the products, 0 to 1.
    counted_coverage: Ratio4,
    /// Number of brands, or of retailers.
    groups: u32,
    /// Herfindahl–Hirschman index of the numbers of products: 10,000 times the sum of squared shares. Null below 5 groups,
    /// and with it the four figures after it.
    hhi: Option<Hundredth>,
    /// Share of the four largest groups in percent.
    cr4_pct: Option<Percent>,
    /// The number of groups of one size that would have the same index.
    effective_groups: Option<Hundredth>,
    /// What the US merger guidelines of 2023, in force, call such an index.
    fragmentation: Option<Fragmentation>,
    /// What those of 2010 called it.
    fragmentation_2010: Option<Fragmentation>,
    /// The limits of both.
    thresholds: [Thresholds; 2],
    /// The ten largest groups, then by label.
    largest: Vec<LabelShare<'a>>,
    /// Why figures are null; empty where none is.
    notes: Vec<Note>,
    /// Where the answer comes from and how fresh it is.
    meta: Meta,
}

impl Endpoint for CategoryConcentration {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Category concentration",
        summary: "How few brands or retailers hold a category, by their products.",
        about: "Use it to see whether a category belongs to a few brands or retailers: the Herfindahl-Hirschman \
                index, the share of the four largest, and what the US merger guidelines call that. Counted are \
                products on offer and not sales, so it tells breadth of assortment and no market share. Products \
                without a brand are not counted by brand; counted_coverage says how many are. The figures are null \
                below 5 groups, and notes says so. Give category, department or both.",
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
