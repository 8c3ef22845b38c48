//! `/v1/analyst/price-bands`: what is similarly priced on a shelf, and the shelf's tiers.

use super::category::{self, Scope};
use super::discovery;
use super::frac::{quantile, rounded};
use super::load::Listing;
use super::params::Params;
use super::{Answer, Oracle, checked, meta, nothing};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LEAST: usize = 30;
const NAMES: [&str; 5] = ["entry", "value", "mid", "premium", "luxury"];

/// Sorted logs of a set of prices and their robust spread.
struct Spread {
    x: Vec<f64>,
    s: f64,
}

fn spread(o: &Oracle, found: &[&Listing]) -> Spread {
    let mut x: Vec<f64> = found.iter().map(|l| (o.now(l).price as f64 / 100.0).ln()).collect();
    x.sort_by(f64::total_cmp);
    if x.is_empty() {
        return Spread { x, s: 0.0 };
    }
    let middle = quantile(&x, 0.5);
    let mut off: Vec<f64> = x.iter().map(|v| (v - middle).abs()).collect();
    off.sort_by(f64::total_cmp);
    let mut s = 1.4826 * quantile(&off, 0.5);
    if s < 1e-12 {
        s = (quantile(&x, 0.75) - quantile(&x, 0.25)) / 1.349;
    }
    Spread { x, s: if s < 1e-12 { 0.0 } else { s } }
}

fn shelf<'a>(o: &'a Oracle, country: &str, scope: &Scope) -> Vec<&'a Listing> {
    let mut found = o.scope(country, Some(scope), None);
    found.retain(|l| o.priced(l) && l.condition == "new");
    found
}

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["category", "node", "country", "brand", "quote"]);
    p.boolean("quote");
    let country = p.country();
    let (category, node) = (p.text("category"), p.text("node"));
    if !p.given("category") && !p.given("node") {
        p.blame("category");
    }
    if category.is_some() && node.is_some() && category != node {
        p.blame("category");
        p.blame("node");
    }
    checked(&p)?;
    let brand = p.text("brand").map(|b| super::words::brand_key(&b));
    let resolved = o.shelf(country, category.or(node).as_deref(), None)?;
    let found = shelf(o, country, &resolved.scope);
    if found.is_empty() {
        return Err(nothing(json!({})));
    }
    let own = spread(o, &found);
    let (inherited, source) =
        source(o, country, &resolved.scope, &found).ok_or_else(|| nothing(json!({})))?;
    let h = 100.0 * ((0.5 * source.s).exp() - 1.0);
    let half = h.clamp(5.0, 100.0);
    let middle = quantile(&own.x, 0.5);
    let price = middle.exp();
    let at = |p: f64| rounded(quantile(&own.x, p).exp(), 2);
    let (node, level) = match &resolved.scope {
        Scope::Node(n) => (n.clone(), discovery::level(o, country, n)),
        Scope::Gpc(code, _) => (code.clone(), ["", "segment", "family", "class", "brick"][o.gpc[code].level]),
    };
    let mut v = json!({
        "node": node, "level": level, "products": found.len(), "resolved": resolved.json(),
        "price_range": { "p05": at(0.05), "median": at(0.5), "p95": at(0.95) },
        "band": {
            "half_width_pct": rounded(half, 2), "inherited_from": inherited,
            "example": { "price": rounded(price, 2), "lower": rounded(price / (1.0 + half / 100.0), 2),
                "upper": rounded(price * (1.0 + half / 100.0), 2) },
        },
        "meta": meta(found.iter().map(|l| o.now(l).instant)),
    });
    if (h - 5.0).abs() > 1e-9 && (h - 100.0).abs() > 1e-9 {
        v["band"]["clamped"] = json!(h != half);
    }
    if let Some(edges) = edges(&own, &source) {
        v["tiers"] = tiers(o, &found, &edges, brand.as_ref());
    }
    Ok(v)
}

/// The spread that bands are made of, and the name of the shelf that it is inherited from.
fn source(o: &Oracle, country: &str, scope: &Scope, found: &[&Listing]) -> Option<(Option<String>, Spread)> {
    let usable = |s: &Spread| s.x.len() >= LEAST && s.s > 0.0;
    let own = spread(o, found);
    if usable(&own) {
        return Some((None, own));
    }
    heirs(o, scope, found)
        .into_iter()
        .map(|(name, scope)| (Some(name), spread(o, &shelf(o, country, &scope))))
        .find(|(_, s)| usable(s))
}

/// Upper ends of tiers in cents; `None` where f64 decides one.
fn edges(own: &Spread, source: &Spread) -> Option<Vec<i64>> {
    let shift = quantile(&own.x, 0.5) - quantile(&source.x, 0.5);
    let edges = [0.2, 0.4, 0.6, 0.8].map(|p| (quantile(&source.x, p) + shift).exp() * 100.0);
    let clear = edges.iter().all(|e| (e - e.floor() - 0.5).abs() > 1e-5);
    clear.then(|| edges.map(|e| (e + 0.5).floor() as i64).to_vec())
}

/// The tiers that a category has: `None` where it has no ladder, null where f64 decides.
pub fn tiers_of(o: &Oracle, country: &str, scope: &Scope) -> Option<Value> {
    let found = shelf(o, country, scope);
    let (_, source) = source(o, country, scope, &found)?;
    Some(edges(&spread(o, &found), &source).map_or(Value::Null, |edges| tiers(o, &found, &edges, None)))
}

/// Where a shelf may inherit from, in order.
fn heirs(o: &Oracle, scope: &Scope, found: &[&Listing]) -> Vec<(String, Scope)> {
    let mut bricks: BTreeMap<String, usize> = BTreeMap::new();
    for l in found {
        if let Some((code, _)) = category::brick(o, l) {
            *bricks.entry(code).or_insert(0) += 1;
        }
    }
    let most = bricks.iter().max_by_key(|(code, n)| (**n, std::cmp::Reverse((*code).clone())));
    let mut list: Vec<(String, Scope)> = most
        .filter(|(_, n)| 2 * **n >= found.len())
        .map(|(code, _)| (format!("type:{}", o.gpc[code].title), Scope::Gpc(code.clone(), None)))
        .into_iter()
        .collect();
    match scope {
        Scope::Node(node) => {
            let mut cuts: Vec<usize> = node.match_indices('/').map(|(i, _)| i).collect();
            cuts.reverse();
            list.extend(cuts.iter().map(|i| (node[..*i].to_string(), Scope::Node(node[..*i].to_string()))));
        }
        Scope::Gpc(code, _) => {
            let line = &o.gpc[code].line;
            let above = line[..line.len() - 1].iter().rev();
            list.extend(above.map(|c| (c.clone(), Scope::Gpc(c.clone(), None))));
        }
    }
    list
}

fn tiers(o: &Oracle, found: &[&Listing], edges: &[i64], brand: Option<&Option<String>>) -> Value {
    let price = |l: &Listing| o.now(l).price;
    let mut kept: Vec<i64> = Vec::new();
    for e in edges {
        let below = kept.last().copied().unwrap_or(i64::MIN);
        if found.iter().any(|l| price(l) > below && price(l) <= *e) {
            kept.push(*e);
        }
    }
    if kept.last().is_some_and(|top| !found.iter().any(|l| price(l) > *top)) {
        kept.pop();
    }
    let count = kept.len() + 1;
    let names = if count == 1 { &NAMES[2..3] } else { &NAMES[5 - count..] };
    let mut rows = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let low = if i == 0 { 0 } else { kept[i - 1] };
        let high = kept.get(i).copied();
        let inside: Vec<&&Listing> = found
            .iter()
            .filter(|l| (i == 0 || price(l) > low) && high.is_none_or(|h| price(l) <= h))
            .collect();
        let upper = high.map(|h| h as f64 / 100.0);
        let mut row = json!({ "name": name, "upper_bound": upper, "from": low as f64 / 100.0, "to": upper,
            "products": inside.len() });
        if let Some(key) = brand {
            let own = inside.iter().filter(|l| key.is_some() && l.brand_key == *key).count();
            row["brand_products"] = json!(own);
        }
        rows.push(row);
    }
    json!(rows)
}
