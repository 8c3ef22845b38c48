//! `/v1/analyst/category-summary`: everything about a category on one page.

use super::availability_index::stock_now;
use super::category::{self, Scope};
use super::frac::{Frac, mean, median, money, money_of, pct_of, quantile, ratio_of, rounded};
use super::load::Listing;
use super::params::Params;
use super::price_positioning::note;
use super::shelf::{counted, rows, shelf};
use super::{Answer, Oracle, day, head, inflation, mean_pct, merge, meta, nothing};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["category", "department", "country", "retailer", "time_window", "from", "to", "quote"];
    let mut p = Params::read(query, &names);
    let window = p.window(o.n);
    let shelf = shelf(o, &mut p)?;
    let priced: Vec<&Listing> = shelf.listings.iter().filter(|l| o.priced(l)).copied().collect();
    if priced.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let granularity = window.default_granularity();
    let mut sellers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for l in &priced {
        sellers.entry(&l.entity).or_default().insert(&l.platform);
    }
    let of = |condition: &str| priced.iter().filter(|l| l.condition == condition).count();
    let retailers = counted(priced.iter().map(|l| l.platform.as_str()));
    let brands = counted(priced.iter().filter_map(|l| o.brand(l)));
    let mut notes = Vec::new();
    let mut v = json!({
        "window": window.json(granularity), "products": priced.len(), "entities": sellers.len(),
        "cross_retailer_entities": sellers.values().filter(|s| s.len() >= 2).count(),
        "conditions": { "new": of("new"), "refurbished": of("refurbished"), "used": of("used"),
            "unknown": of("unknown") },
        "retailer_count": retailers.len(), "retailers": rows("retailer", &retailers),
        "brand_count": brands.len(), "branded_products": brands.iter().map(|b| b.1).sum::<i64>(),
        "brands": rows("brand", &brands), "children": children(o, &shelf.resolved.scope, &priced),
        "price": price(o, &priced, &mut notes), "promo": promo(o, shelf.country, &priced, &mut notes),
        "availability": availability(o, &priced, &mut notes), "freshness": freshness(o, &priced),
        "meta": meta(priced.iter().map(|l| o.now(l).instant)),
    });
    v["notes"] = json!(notes);
    let record = inflation::record(&shelf.listings, &window, granularity).unwrap_or_else(inflation::empty);
    for (name, value) in record.as_object().expect("object").iter().filter(|x| x.0.starts_with("lfl_")) {
        v[name] = value.clone();
    }
    v["lfl_try"] = json!({ "$absent": true });
    Ok(merge(head(shelf.country, shelf.retailer.as_deref(), &shelf.resolved), v))
}

fn children(o: &Oracle, scope: &Scope, priced: &[&Listing]) -> Vec<Value> {
    let Scope::Node(node) = scope else { return Vec::new() };
    let depth = node.split('/').count() + 1;
    let below: Vec<String> =
        priced.iter().filter(|l| l.path.len() >= depth).map(|l| category::node_at(l, depth)).collect();
    let row = |(slug, n): &(&str, i64)| json!({ "slug": slug, "category_path": o.display(slug), "product_count": n });
    counted(below.iter().map(String::as_str)).iter().take(20).map(row).collect()
}

fn price(o: &Oracle, priced: &[&Listing], notes: &mut Vec<Value>) -> Value {
    let mut cents: Vec<i64> =
        priced.iter().filter(|l| l.condition == "new").map(|l| o.now(l).price).collect();
    cents.sort_unstable();
    if cents.len() < 3 {
        notes.push(note("price", "too_few", json!(cents.len()), json!(3)));
        return Value::Null;
    }
    let exact: Vec<Frac> = cents.iter().map(|c| Frac::int(*c)).collect();
    let x: Vec<f64> = cents.iter().map(|c| *c as f64 / 100.0).collect();
    let q = |p: f64| rounded(quantile(&x, p), 2);
    json!({
        "products": cents.len(), "mean": money_of(mean(&exact)), "median": money_of(median(&exact)),
        "min": money(cents[0]), "p05": q(0.05), "p25": q(0.25), "p75": q(0.75), "p95": q(0.95),
        "max": money(cents[cents.len() - 1]),
    })
}

fn promo(o: &Oracle, country: &str, priced: &[&Listing], notes: &mut Vec<Value>) -> Value {
    let shows = |l: &&Listing| o.now(l).list.is_some() || o.now(l).promo();
    let everywhere = o.listings.iter().filter(|l| l.country == country && o.priced(l));
    let showing: BTreeSet<&str> = everywhere.filter(shows).map(|l| l.platform.as_str()).collect();
    let n = |test: &dyn Fn(&&&Listing) -> bool| priced.iter().filter(|l| test(l)).count() as i128;
    let all = priced.len() as i128;
    let asked = n(&|l| showing.contains(l.platform.as_str()));
    let on = n(&|l| o.now(l).promo());
    let coverage = Frac::new(asked, all);
    let rate = if coverage.less(Frac::new(1, 5)) {
        notes.push(note("promo.promo_rate_pct", "low_coverage", ratio_of(coverage), json!(0.2)));
        Value::Null
    } else {
        pct_of(Frac::new(on, asked))
    };
    let depths: Vec<Frac> = priced.iter().filter_map(|l| o.now(l).depth()).collect();
    let depth = if depths.is_empty() {
        notes.push(note("promo.avg_promo_depth_pct", "no_list_price", Value::Null, Value::Null));
        Value::Null
    } else {
        mean_pct(&depths)
    };
    json!({
        "promo_count": on as i64, "promo_coverage": ratio_of(coverage), "promo_rate_pct": rate,
        "list_price_coverage": ratio_of(Frac::new(n(&|l| o.now(l).list.is_some()), all)),
        "avg_promo_depth_pct": depth,
    })
}

fn availability(o: &Oracle, priced: &[&Listing], notes: &mut Vec<Value>) -> Value {
    let unknown = priced.iter().filter(|l| o.now(l).stock.is_none()).count();
    let known = priced.len() - unknown;
    if known < 5 {
        notes.push(note("availability.in_stock_rate_pct", "too_few", json!(known), json!(5)));
    }
    merge(stock_now(o, priced), json!({ "unknown_count": unknown }))
}

fn freshness(o: &Oracle, priced: &[&Listing]) -> Value {
    let days: Vec<i64> = priced.iter().map(|l| o.latest(l).expect("observed").0).collect();
    let ages: Vec<Frac> = days.iter().map(|d| Frac::int(o.n - 1 - d)).collect();
    let within = |limit: i64| {
        let young = days.iter().filter(|d| o.n - 1 - **d < limit).count();
        pct_of(Frac::new(young as i128, days.len() as i128))
    };
    json!({
        "observed_from": days.iter().min().map(|d| day::text(*d)),
        "observed_to": days.iter().max().map(|d| day::text(*d)),
        "median_age_days": median(&ages).times(10).half_up() as f64 / 10.0,
        "within_7_days_pct": within(7), "within_30_days_pct": within(30),
    })
}
