//! `/v1/marketing/share-of-shelf`: brands by priced listings in a category.

use super::frac::{Frac, pct_of};
use super::params::Params;
use super::{Answer, Oracle, checked, head, merge, meta, nothing};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["category", "country", "retailer", "quote"]);
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    if !p.given("category") {
        p.blame("category");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), None)?;
    let mut found = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    found.retain(|l| o.priced(l));
    if found.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    found.retain(|l| l.brand_key.is_some());
    if found.is_empty() {
        return Err(nothing(json!({ "reason": "no_brand" })));
    }
    let mut counts: BTreeMap<&str, i128> = BTreeMap::new();
    for l in &found {
        *counts.entry(o.brand(l).unwrap_or("")).or_insert(0) += 1;
    }
    let total = found.len() as i128;
    let mut rows: Vec<(&str, i128)> = counts.into_iter().collect();
    rows.sort_by_key(|(label, n)| (-n, *label));
    let rows: Vec<Value> = rows
        .iter()
        .map(|(b, n)| {
            json!({ "brand": b, "product_count": *n as i64, "share_pct": pct_of(Frac::new(*n, total)) })
        })
        .collect();
    Ok(merge(
        head(country, retailer.as_deref(), &resolved),
        json!({
            "total_products": found.len(), "brands": rows, "meta": meta(found.iter().map(|l| o.now(l).instant)),
        }),
    ))
}
