//! `GET /v1/marketing/share-of-shelf`: the brands of a category by number of products.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::counts::{self, Count};
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::Reader;
use crate::query::parts::Meta;
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::{CategoryHead, ResolvedScope, ScopeParams};
use crate::query::shares::{self, BrandShare};
use crate::query::subject::Subject;

/// The endpoint.
pub(super) struct ShareOfShelf;

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    brands: Vec<Count>,
    observed: Span,
}

/// Answer of share-of-shelf.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: CategoryHead,
    /// Number of priced listings that have a brand. It is the sum of product_count of all brands.
    total_products: u32,
    /// Every brand, most products first, then by label.
    brands: Vec<BrandShare<'a>>,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer.
    meta: Meta,
}

impl Endpoint for ShareOfShelf {
    type Params = ScopeParams;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Share of shelf",
        summary: "The brands of a category by number of products.",
        about: "Use it to see which brands lead a category, by number of products on offer, over all retailers or at \
                one. Products are listings with a price of the last 90 days; those without a brand are not counted, so \
                total_products may be below the number of products in the category. The figures do not describe sales. \
                Read resolved to see how the category text was understood. retailer is null if all were requested. \
                department is null for a classification code.",
        methodology: &["share-of-shelf"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER],
        examples: &["category=memory"],
        rows: &["brands"],
        pictures: &[Picture { rows: "brands", kind: "share-of-shelf", title: "Share of the shelf by brand" }],
        next: |answer| {
            let brand = answer.first_text("brands.brand")?;
            Some(NextStep::about_category("brand-tracker", answer)?.with("brand", brand))
        },
        ..Descriptor::of("/v1/marketing/share-of-shelf", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        ScopeParams::read::<Self>(reader, &[&CATEGORY])
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<Plan, Refusal> {
        let scope = params.resolve_priced(catalog)?;
        let (brands, observed) = counts::brands_of_scope(catalog, &scope.listings);
        if brands.is_empty() {
            let message = "no listing in this scope has a brand; ask category-concentration with \
                           aggregate_by=retailer to compare its retailers";
            return Err(Refusal::no_results(NoResultsReason::NoBrand, message));
        }
        Ok(Plan { scope, brands, observed })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, brands, observed } = plan;
        Answer {
            head: scope.category_head(),
            total_products: brands.iter().map(|&(_, count)| count).sum(),
            brands: shares::of_brands(catalog, &brands, brands.len()),
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}
