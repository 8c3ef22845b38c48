//! Checks the prepared data of category scopes against the listings from which they are derived.

use crate::catalog::category_scopes::CategoryScopes;
use crate::catalog::{Catalog, ScopeAggregates};
use crate::snapshot::layout::NONE;
use crate::snapshot::values::first_bad;
use crate::stats::spreads::{SellerPrice, Spreads};
use crate::types::{Condition, Instant};

pub(super) fn of_categories(catalog: &Catalog) -> Option<String> {
    of_tree(catalog, catalog.taxonomy.scopes(), "category")
}

pub(super) fn of_codes(catalog: &Catalog) -> Option<String> {
    of_tree(catalog, catalog.classification.as_ref()?.lists().1, "code")
}

fn of_tree(catalog: &Catalog, scopes: &CategoryScopes, tree: &str) -> Option<String> {
    let bad = first_bad(scopes.priced().len(), |at| wrong(catalog, scopes.get(at)).is_none())?;
    let column = wrong(catalog, scopes.get(bad)).unwrap_or_default();
    Some(format!("indices: {tree}_{column} of list {bad} does not match its rows"))
}

/// The name of the first column that does not match the priced rows of the scope.
fn wrong(catalog: &Catalog, scope: ScopeAggregates<'_>) -> Option<&'static str> {
    let listings = &catalog.listings;
    let rows = || scope.priced_rows().iter().map(|&row| row as usize);
    let new = || rows().filter(|&row| listings.condition[row] == Condition::New.as_u8());
    let branded = || rows().filter(|&row| listings.brand[row] != NONE);
    if !new().map(|row| listings.current_price[row]).eq(scope.new_cents().iter().copied()) {
        return Some("new_cents");
    }
    if scope.new_observed() != observed(catalog, new()) {
        return Some("new_observed");
    }
    if !are_counted(scope.brands(), branded().map(|row| listings.brand[row]), catalog.brands.len()) {
        return Some("brand");
    }
    if scope.brands_observed() != observed(catalog, branded()) {
        return Some("brand_observed");
    }
    let offers = new().filter(|&row| catalog.entities.all_members(listings.entity[row]).len() > 1);
    let offers = offers.map(|row| SellerPrice {
        product: listings.entity[row],
        cents: listings.current_price[row],
        seller: listings.platform[row],
    });
    let (held, found) = (scope.spreads(), Spreads::of(offers.collect()));
    if (&held.lowest, &held.highest) != (&found.lowest, &found.highest) {
        return Some("spread");
    }
    if held.gaps != found.gaps {
        return Some("gap_sum");
    }
    (!held.savings.groups().eq(found.savings.groups())).then_some("saving")
}

/// The oldest and the newest of the latest observations of the given rows.
fn observed(catalog: &Catalog, rows: impl Iterator<Item = usize>) -> Option<(Instant, Instant)> {
    let instants = rows.map(|row| catalog.listings.latest_instant[row]);
    let bounds = instants.map(|at| (at, at)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    Some((Instant::from_micros(bounds.0), Instant::from_micros(bounds.1)))
}

/// Whether these are the brands of the rows with their counts, in descending order of counts, then in brand order.
fn are_counted((brands, counts): (&[u32], &[u32]), rows: impl Iterator<Item = u32>, known: usize) -> bool {
    let order = |at: usize| (std::cmp::Reverse(counts[at]), brands[at]);
    if !(1..brands.len()).all(|at| order(at - 1) < order(at)) {
        return false;
    }
    if brands.is_empty() {
        return rows.count() == 0;
    }
    let mut found = vec![0_u32; known];
    rows.for_each(|brand| found[brand as usize] += 1);
    // Each count is removed when its brand is seen, so a repeated or a missing brand is detected.
    let taken = brands.iter().zip(counts).all(|(&brand, &count)| {
        count > 0 && found.get_mut(brand as usize).is_some_and(|found| std::mem::take(found) == count)
    });
    taken && found.iter().all(|&left| left == 0)
}
