//! What the answers about a whole shelf share: its parameters, and its products counted by label.

use super::category::Resolved;
use super::frac::{Frac, pct_of};
use super::load::Listing;
use super::params::Params;
use super::{Oracle, Refusal, checked};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Of a request for category or department, perhaps at one retailer.
pub struct CategoryScope<'a> {
    pub country: &'static str,
    pub retailer: Option<String>,
    pub resolved: Resolved,
    /// All listings, priced or not.
    pub listings: Vec<&'a Listing>,
}

/// Ends the reading of parameters.
pub fn shelf<'a>(o: &'a Oracle, p: &mut Params) -> Result<CategoryScope<'a>, Refusal> {
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    if !p.given("category") && !p.given("department") {
        p.blame("category");
    }
    checked(p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), p.text("department").as_deref())?;
    let listings = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    Ok(CategoryScope { country, retailer, resolved, listings })
}

/// Labels by their count, most first.
pub fn counted<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<(&'a str, i64)> {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    labels.for_each(|label| *counts.entry(label).or_insert(0) += 1);
    let mut rows: Vec<(&str, i64)> = counts.into_iter().collect();
    rows.sort_by_key(|(label, n)| (-n, *label));
    rows
}

/// The first ten, each with its share of all.
pub fn rows(name: &str, counts: &[(&str, i64)]) -> Vec<Value> {
    let all: i64 = counts.iter().map(|c| c.1).sum();
    let share = |n: i64| pct_of(Frac::new(n.into(), all.into()));
    let row = |(label, n): &(&str, i64)| json!({ name: label, "product_count": n, "share_pct": share(*n) });
    counts.iter().take(10).map(row).collect()
}
