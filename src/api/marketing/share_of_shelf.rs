//! `GET /v1/marketing/share-of-shelf`: the brands of a category by number of products.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::domain::{Country, Percent};
use crate::figures::Span;
use crate::figures::scope::Scope;
use crate::query::category::{self, CATEGORY, Resolved};
use crate::query::endpoint::{Endpoint, Group, Stamp};
use crate::query::params::{Param, Reader};
use crate::query::parts::Meta;
use crate::query::product::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope;
use crate::query::subject::Subject;
use crate::snapshot::layout::NONE;

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
    brands: Brands,
    resolved: Resolved,
    retailer: Option<String>,
}

/// The brands of a scope.
struct Brands {
    /// Index and number of priced listings of each: the largest first, equal ones in brand order.
    counts: Vec<(u32, u32)>,
    observed: Span,
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
    /// Currency of the country.
    currency: &'static str,
    /// Retailer that was asked for; null for all.
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

/// A brand's share of a shelf.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct BrandShare<'a> {
    /// Display label; spelling variants are one brand, and what stands for no brand is none.
    brand: &'a str,
    /// Priced listings of the brand.
    product_count: u32,
    /// Their share of `total_products` in percent.
    share_pct: Percent,
}

impl Endpoint for ShareOfShelf {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const PATH: &'static str = "/v1/marketing/share-of-shelf";
    const GROUP: Group = Group::Marketing;
    const SUMMARY: &'static str = "The brands of a category by number of products.";
    const ABOUT: &'static str = "Use it to see which brands hold a category, by number of products on offer, over all retailers or \
         at one. Products are listings with a price of the last 90 days; those without a brand count for \
         nobody, so total_products may be below what the category holds. It says nothing about sales. Read \
         resolved for the category that the text was taken for. retailer is null when all were asked for, \
         department for a classification code.";
    const PARAMS: &'static [&'static Param] = &[&CATEGORY, &COUNTRY, &RETAILER];
    const EXAMPLES: &'static [&'static str] = &["category=memory"];
    const ROWS: &'static [&'static str] = &["brands"];

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
        let (shelf, resolved) = category::resolve(catalog, country, Some(&category), None)?;
        let scope = Scope { country, shelf, retailer: platform };
        scope::require_priced(catalog, &scope)?;
        let brands = Brands::of(catalog, &scope);
        if brands.counts.is_empty() {
            let message = "no listing in this scope has a brand; see competitive-landscape for what it holds";
            return Err(Refusal::no_results(NoResultsReason::NoBrand, message));
        }
        Ok(Plan { country, brands, resolved, retailer })
    }

    fn subject(_: &Catalog, plan: &Plan) -> Subject {
        Subject::Block(plan.resolved.clone())
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { country, brands, resolved, retailer } = plan;
        let total = brands.counts.iter().map(|&(_, count)| count).sum();
        Answer {
            category: resolved.category_path.clone(),
            department: resolved.department.clone(),
            country,
            currency: country.currency(),
            retailer,
            total_products: total,
            brands: shares(&brands.counts, total, |brand| &catalog.brands[brand as usize].label),
            resolved,
            meta: Meta::new(catalog, stamp, brands.observed),
        }
    }
}

impl Brands {
    /// Those of a scope: prepared for a whole shelf, else counted.
    fn of(catalog: &Catalog, scope: &Scope) -> Self {
        if let Some(figures) = scope.figures(catalog) {
            let (brands, counts) = figures.brands();
            let counts = brands.iter().copied().zip(counts.iter().copied()).collect();
            return Self { counts, observed: Span::between(figures.brands_observed()) };
        }
        let (brand, priced) = (&catalog.listings.brand, &catalog.listings.priced);
        let mut rows = scope.rows(catalog);
        rows.retain(|&row| priced[row as usize] == 1 && brand[row as usize] != NONE);
        let mut counts = vec![0; catalog.brands.len()];
        for &row in &rows {
            counts[brand[row as usize] as usize] += 1;
        }
        let mut counts: Vec<(u32, u32)> = (0..).zip(counts).filter(|&(_, count)| count > 0).collect();
        // Brands are numbered by label.
        counts.sort_by_key(|&(_, count)| Reverse(count));
        Self { counts, observed: Span::of_rows(catalog, rows) }
    }
}

/// The shares of brands with so many products each.
fn shares<'a>(counts: &[(u32, u32)], total: u32, label: impl Fn(u32) -> &'a str) -> Vec<BrandShare<'a>> {
    let share = |&(brand, count): &(u32, u32)| BrandShare {
        brand: label(brand),
        product_count: count,
        share_pct: Percent::from_ratio(i128::from(count), i128::from(total)),
    };
    counts.iter().map(share).collect()
}
