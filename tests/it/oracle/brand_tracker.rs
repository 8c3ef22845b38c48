//! `/v1/marketing/brand-tracker`: one brand's shelf, prices, promotions and change.

use super::frac::{Frac, mean, median, money_of, pct_of, quantile, rounded};
use super::load::Obs;
use super::params::Params;
use super::{Answer, Oracle, checked, currency, inflation, merge, nothing, promo_intelligence};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names =
        ["brand", "category", "country", "retailer", "time_window", "from", "to", "granularity", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
    let granularity =
        p.one_of("granularity", &inflation::GRANULARITIES).unwrap_or(window.default_granularity());
    if !p.given("brand") {
        p.blame("brand");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = match p.text("category") {
        Some(c) => Some(o.shelf(country, Some(&c), None)?),
        None => None,
    };
    let key = o.known_brand(country, p.text("brand"))?;
    let shelf = o.scope(country, resolved.as_ref().map(|r| &r.scope), retailer.as_deref());
    let own: Vec<_> = shelf.iter().filter(|l| l.brand_key == key).copied().collect();
    let priced: Vec<_> = own.iter().filter(|l| o.priced(l)).copied().collect();
    if priced.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let branded = shelf.iter().filter(|l| o.priced(l) && l.brand_key.is_some()).count();
    let cents: Vec<Frac> = priced.iter().map(|l| Frac::int(o.now(l).price)).collect();
    let mut floats: Vec<f64> = priced.iter().map(|l| o.now(l).price as f64 / 100.0).collect();
    floats.sort_by(f64::total_cmp);
    let entities: BTreeSet<&str> = priced.iter().map(|l| l.entity.as_str()).collect();
    let mut retailers: BTreeMap<&str, i64> = BTreeMap::new();
    let mut nodes: BTreeMap<&str, i64> = BTreeMap::new();
    for l in &priced {
        *retailers.entry(&l.platform).or_insert(0) += 1;
        *nodes.entry(&l.node).or_insert(0) += 1;
    }
    let top = |counts: BTreeMap<&'_ str, i64>| -> Vec<(String, i64)> {
        let mut rows: Vec<_> = counts.into_iter().map(|(k, n)| (k.to_string(), n)).collect();
        rows.sort_by_key(|(k, n)| (-n, k.clone()));
        rows.truncate(20);
        rows
    };
    let listed = |(k, n): (String, i64)| json!({ "retailer": k, "product_count": n });
    let retailers: Vec<Value> = top(retailers).into_iter().map(listed).collect();
    let placed = |(k, n): (String, i64)| json!({ "category_path": o.display(&k), "product_count": n });
    let nodes: Vec<Value> = top(nodes).into_iter().map(placed).collect();
    // Month over month, the window is both windows.
    let days = own.iter().flat_map(|l| &l.days);
    let seen: Vec<&Obs> = days.filter(|(d, _)| window.spans(**d)).map(|(_, x)| x).collect();
    let record = inflation::record(&own, &window, granularity).unwrap_or_else(inflation::empty);
    let mut v = json!({
        "brand": key.as_ref().and_then(|k| o.brand_label(k)), "country": country,
        "currency": currency(country), "retailer": retailer,
        "category": resolved.as_ref().map(|r| &r.category_path),
        "resolved": resolved.as_ref().map(super::Resolved::json),
        "product_count": priced.len(), "entity_count": entities.len(),
        "share_of_shelf_pct": pct_of(Frac::new(priced.len() as i128, branded as i128)),
        "avg_price": money_of(mean(&cents)), "median_price": money_of(median(&cents)),
        "p05_price": rounded(quantile(&floats, 0.05), 2), "p95_price": rounded(quantile(&floats, 0.95), 2),
        "retailers": retailers, "categories": nodes, "window": window.json(granularity),
        "time_series": record["time_series"],
    });
    v["department"] = json!(resolved.as_ref().and_then(|r| r.department.clone()));
    v["promo"] = if seen.is_empty() { Value::Null } else { promo_intelligence::row(&seen) };
    for (name, value) in record.as_object().expect("object").iter().filter(|x| x.0.starts_with("lfl_")) {
        v[name] = value.clone();
    }
    v["lfl_try"] = json!({ "$absent": true });
    Ok(merge(v, json!({ "meta": { "served_from": "memory", "schema_version": "1.0.0" } })))
}
