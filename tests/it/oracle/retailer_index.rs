//! `/v1/analyst/retailer-index`: a retailer's average against its category's, day by day.

use super::frac::{Frac, mean, money_of, ratio_of, rounded};
use super::load::Listing;
use super::params::Params;
use super::{Answer, Oracle, checked, day, head, merge, unobserved};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SAMPLE_THRESHOLD: usize = 10;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["retailer", "category", "department", "country", "time_window", "from", "to", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
    if !p.given("retailer") {
        p.blame("retailer");
    }
    if !p.given("category") && !p.given("department") {
        p.blame("category");
    }
    checked(&p)?;
    let retailer = retailer.expect("checked");
    o.eligible(Some(&retailer), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), p.text("department").as_deref())?;
    let all = o.scope(country, Some(&resolved.scope), None);
    let own: Vec<&Listing> = all.iter().filter(|l| l.platform == retailer).copied().collect();
    let days: Vec<i64> =
        (window.from..window.to).filter(|d| own.iter().any(|l| l.days.contains_key(d))).collect();
    if days.is_empty() {
        return Err(unobserved(&own));
    }
    let on = |list: &[&Listing], d: i64| -> Vec<Frac> {
        list.iter().filter_map(|l| l.days.get(&d)).map(|x| Frac::int(x.price)).collect()
    };
    let stable: Vec<&Listing> =
        own.iter().filter(|l| days.iter().all(|d| l.days.contains_key(d))).copied().collect();
    let several = days.len() > 1;
    let mut short = 0;
    let mut points = Vec::new();
    for d in &days {
        let (mine, every) = (on(&own, *d), on(&all, *d));
        let few = mine.len() < SAMPLE_THRESHOLD;
        short += usize::from(few);
        let (pairs, index) = matched(&all, &retailer, *d);
        points.push(json!({
            "date": day::text(*d), "period": day::text(*d), "product_count": mine.len(),
            "retailer_avg_price": money_of(mean(&mine)), "category_avg_price": money_of(mean(&every)),
            "price_index": ratio_of(mean(&mine).div(mean(&every))),
            "stable_avg_price":
                if several && !stable.is_empty() { money_of(mean(&on(&stable, *d))) } else { Value::Null },
            "insufficient_sample": few, "sample_threshold": SAMPLE_THRESHOLD,
            "matched_pairs": pairs, "matched_index": index,
        }));
    }
    Ok(merge(
        head(country, Some(&retailer), &resolved),
        json!({
            "window": window.json("daily"), "sample_threshold": SAMPLE_THRESHOLD,
            "insufficient_sample_points": short, "insufficient_sample": short > 0,
            "stable_basket_size": several.then_some(stable.len()), "time_series": points,
            "meta": { "served_from": "memory", "schema_version": "1.0.0" },
        }),
    ))
}

/// Entities that the retailer and another one price on a day: how many are kept, and the index.
fn matched(all: &[&Listing], retailer: &str, d: i64) -> (usize, Value) {
    let mut lowest: BTreeMap<&str, BTreeMap<&str, i64>> = BTreeMap::new();
    for l in all.iter().filter(|l| l.condition == "new") {
        if let Some(x) = l.days.get(&d) {
            let low = lowest.entry(&l.entity).or_default().entry(&l.platform).or_insert(x.price);
            *low = x.price.min(*low);
        }
    }
    let mut logs = Vec::new();
    for prices in lowest.values().filter(|p| p.len() >= 2 && p.contains_key(retailer)) {
        let others: Vec<f64> =
            prices.iter().filter(|(r, _)| **r != retailer).map(|(_, p)| (*p as f64).ln()).collect();
        let x = (prices[retailer] as f64).ln() - others.iter().sum::<f64>() / others.len() as f64;
        if x.abs() <= 3f64.ln() + 1e-12 {
            logs.push(x);
        }
    }
    if logs.len() < 10 {
        return (logs.len(), Value::Null);
    }
    (logs.len(), rounded((logs.iter().sum::<f64>() / logs.len() as f64).exp(), 4))
}
