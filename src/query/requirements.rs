//! Requirements that a scope must meet to be served: a retailer that serves the country, a priced listing, an
//! observation.

use std::ops::Range;

use super::refusal::{NoResultsDetails, NoResultsReason, Observed, Refusal, RetailerDetails};
use crate::analytics::category_scope::{CategoryScope, PricedRows, path_of};
use crate::analytics::scope::{Scope, is_at, rows_of};
use crate::catalog::Catalog;
use crate::types::{Country, Day};

/// Returns the platform of a retailer key; `None` if no key is given.
///
/// # Errors
/// Returns `RETAILER_NOT_SERVING_ELIGIBLE` if the platform is unknown, or if none of its coverage cells in the
/// country has the status `serving`.
pub fn platform_of(catalog: &Catalog, country: Country, key: Option<&str>) -> Result<Option<u16>, Refusal> {
    let Some(key) = key else { return Ok(None) };
    let platform = catalog.platform(key);
    let quality_status = platform.and_then(|platform| catalog.coverage.best(platform, country));
    match platform {
        Some(platform) if catalog.coverage.serving(country).any(|serving| serving == platform) => {
            Ok(Some(platform))
        }
        _ => {
            let serving = catalog.coverage.serving(country);
            let mut keys: Vec<String> = serving.map(|at| catalog.platforms[at as usize].clone()).collect();
            keys.sort_unstable();
            Err(Refusal::RetailerNotServing(RetailerDetails {
                retailer: key.to_owned(),
                country,
                quality_status,
                serving_eligible_retailers: keys,
            }))
        }
    }
}

/// Refuses a scope without a priced listing.
///
/// # Errors
/// Returns `NO_RESULTS` if no listing is priced.
pub fn require_priced(catalog: &Catalog, scope: &Scope) -> Result<(), Refusal> {
    if is_priced(catalog, scope) {
        return Ok(());
    }
    let other =
        |country: &Country| is_priced(catalog, &Scope { country: *country, retailer: None, ..*scope });
    Err(nothing_priced(catalog, Some(scope.category_scope), scope.retailer, None)
        .elsewhere(scope.country.others().find(other)))
}

/// Returns every row of a category, or of the whole country, ascending, restricted to a retailer and a brand if they
/// are given. At least one returned row is priced.
///
/// # Errors
/// Returns `NO_RESULTS` if no row is priced.
pub fn branded_rows(
    catalog: &Catalog,
    country: Country,
    category_scope: Option<CategoryScope>,
    retailer: Option<u16>,
    brand: Option<u32>,
) -> Result<Vec<u32>, Refusal> {
    let listings = &catalog.listings;
    let of = |country, retailer| {
        let mut rows = rows_of(catalog, country, category_scope, retailer);
        rows.retain(|&row| brand.is_none_or(|brand| listings.brand[row as usize] == brand));
        rows
    };
    let has_price = |rows: &[u32]| rows.iter().any(|&row| listings.priced[row as usize] == 1);
    let rows = of(country, retailer);
    if has_price(&rows) {
        return Ok(rows);
    }
    let other = country.others().find(|other| has_price(&of(*other, None)));
    Err(nothing_priced(catalog, category_scope, retailer, brand).elsewhere(other))
}

/// Creates the refusal of a scope without a priced listing. Its message names the scope and suggests how to widen it.
fn nothing_priced(
    catalog: &Catalog,
    category_scope: Option<CategoryScope>,
    retailer: Option<u16>,
    brand: Option<u32>,
) -> Refusal {
    let node = |node| catalog.taxonomy.node(node);
    let within = match category_scope {
        Some(CategoryScope::Code { within, .. }) => within,
        _ => None,
    };
    let is_root = matches!(category_scope, Some(CategoryScope::Category(at)) if node(at).parent.is_none());
    let said = [
        brand.map(|brand| format!(" of {:?}", catalog.brands[brand as usize].label)),
        category_scope.map(|category_scope| format!(" in {:?}", path_of(catalog, category_scope))),
        within.map(|root| format!(" within {:?}", node(root).label)),
        retailer.map(|platform| format!(" at {}", catalog.platforms[platform as usize])),
    ];
    let advice = [
        (category_scope.is_some() && !is_root).then_some("widen the category"),
        within.map(|_| "leave out the department"),
        retailer.map(|_| "leave out the retailer"),
    ];
    let said: String = said.into_iter().flatten().collect();
    let advice = advice.into_iter().flatten().collect::<Vec<_>>().join(" or ");
    let mark = if advice.is_empty() { "" } else { "; " };
    let message = format!("no listing{said} has a price of the last 90 days{mark}{advice}");
    Refusal::no_results(NoResultsReason::NoPricedListing, message)
}

fn is_priced(catalog: &Catalog, scope: &Scope) -> bool {
    let PricedRows { rows, within } = scope.priced(catalog);
    let inside = |row: u32| within.as_ref().is_none_or(|range| range.contains(&row));
    rows.iter().any(|&row| inside(row) && is_at(catalog, scope.retailer, row))
}

/// Refuses rows without an observation on any day of `windows`.
///
/// # Errors
/// Returns `NO_RESULTS`, with the first and the last day on which the rows were observed.
pub fn require_observed(catalog: &Catalog, rows: &[u32], windows: &[(Day, Day)]) -> Result<(), Refusal> {
    let windows: Vec<Range<u16>> =
        windows.iter().map(|&(from, to)| catalog.day_number(from)..catalog.day_number(to)).collect();
    let seen = |row: u32| windows.iter().any(|window| !catalog.spells_within(row, window).is_empty());
    if rows.iter().any(|&row| seen(row)) {
        return Ok(());
    }
    let observed = observed_days(catalog, rows);
    let message = match (observed.observed_from, observed.observed_to) {
        (Some(from), Some(to)) => {
            format!("this scope has no observation in the window; its observations are from {from} to {to}")
        }
        _ => "this scope has no observation".to_owned(),
    };
    let details = NoResultsDetails {
        observed: Some(observed),
        ..NoResultsDetails::new(NoResultsReason::NoObservationInWindow)
    };
    Err(Refusal::NoResults { message, details: Box::new(details), suggest: None })
}

/// Returns the first and the last day on which some rows were observed, regardless of the window.
pub fn observed_days(catalog: &Catalog, rows: &[u32]) -> Observed {
    let spans = rows.iter().filter_map(|&row| catalog.seen_span(row));
    let span = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Observed {
        observed_from: span.map(|(first, _)| catalog.day(first)),
        observed_to: span.map(|(_, last)| catalog.day(last)),
    }
}
