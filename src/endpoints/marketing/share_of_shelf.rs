//! `GET /v1/marketing/share-of-category_scope`: the brands of a category by number of products.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::counts::{self, Count};
use crate::analytics::scope::Scope;
use crate::catalog::Catalog;
use crate::query::category::{self, CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::Reader;
use crate::query::parts::Meta;
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope;
use crate::query::shares::{self, BrandShare};
use crate::query::subject::Subject;
use crate::types::Country;

/// The endpoint.
pub(super) struct ShareOfShelf;

/// Parsed parameters.
pub(super) struct Params {
    category: String,
    country: Country,
    retailer: Option<String>,
}

/// A resolved request.
pub(super) struct Plan {
    country: Country,
    brands: Vec<Count>,
    observed: Span,
    resolved: Resolved,
    retailer: Option<String>,
}

/// Answer of share-of-shelf.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    /// Display path of the category.
    category: String,
    /// Root of the category; null for a classification code.
    department: Option<String>,
    /// Country of the listings.
    country: Country,
    /// Currency of every price of the answer: USD in us, CAD in ca.
    currency: &'static str,
    /// Key of the retailer that was asked for; null for all.
    retailer: Option<String>,
    /// Priced listings with a brand: the sum of the brands' product counts.
    total_products: u32,
    /// Every brand, the largest first, then by label.
    brands: Vec<BrandShare<'a>>,
    /// How the category was understood.
    resolved: Resolved,
    /// Provenance.
    meta: Meta,
}

impl Endpoint for ShareOfShelf {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Share of shelf",
        summary: "The brands of a category by number of products.",
        question: Some("Whose shelf is it?"),
        about: "Use it to see which brands hold a category, by number of products on offer, over all retailers or \
                at one. Products are listings with a price of the last 90 days; those without a brand count for \
                nobody, so total_products may be below what the category holds. It says nothing about sales. Read \
                resolved for the category that the text was taken for. retailer is null when all were asked for, \
                department for a classification code.",
        methodology: &["share-of-shelf"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER],
        examples: &["category=memory"],
        rows: &["brands"],
        pictures: &[Picture { rows: "brands", kind: "share-of-shelf", title: "Share of the shelf by brand" }],
        next: |seen| {
            let brand = NextStep::to("brand-tracker", "brand", seen.text("brands.brand")?);
            Some(brand.with("category", seen.category()?))
        },
        ..Descriptor::of("/v1/marketing/share-of-shelf", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            category: category::read_required(reader),
            country: reader.word(&COUNTRY, Country::parse).unwrap_or(Country::Us),
            retailer: reader.text(&RETAILER),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { category, country, retailer } = params;
        let platform = scope::retailer(catalog, country, retailer.as_deref())?;
        let (category_scope, resolved) = category::resolve(catalog, country, Some(&category), None)?;
        let scope = Scope { country, category_scope, retailer: platform };
        scope::require_priced(catalog, &scope)?;
        let (brands, observed) = counts::brands_of_scope(catalog, &scope);
        if brands.is_empty() {
            let message = "no listing in this scope has a brand; see competitive-landscape for what it holds";
            return Err(Refusal::no_results(NoResultsReason::NoBrand, message));
        }
        Ok(Plan { country, brands, observed, resolved, retailer })
    }

    fn subject(_: &Catalog, plan: &Plan) -> Subject {
        Subject::Block(plan.resolved.clone())
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { country, brands, observed, resolved, retailer } = plan;
        Answer {
            category: resolved.category_path.clone(),
            department: resolved.department.clone(),
            country,
            currency: country.currency(),
            retailer,
            total_products: brands.iter().map(|&(_, count)| count).sum(),
            brands: shares::of_brands(catalog, &brands, brands.len()),
            resolved,
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}
