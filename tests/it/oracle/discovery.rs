//! `/v1/public/categories`, `/retailers` and `/brands`: what can be asked for. The law leaves much of these
//! open; the readings taken are the plain ones.

use super::params::Params;
use super::{Answer, Oracle, checked, words};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A node's name of depth: as in price-bands.
pub fn level(o: &Oracle, country: &str, node: &str) -> &'static str {
    let leaf = !o.trees[country].keys().any(|n| n.starts_with(&format!("{node}/")));
    match node.split('/').count() {
        1 => "root",
        2 => "department",
        _ if leaf => "shelf",
        _ => "category",
    }
}

pub fn categories(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["country", "parent", "depth", "limit", "offset"]);
    let country = p.country();
    let parent = p.text("parent");
    let depth = p.int("depth", 1, 3).unwrap_or(1) as usize;
    let limit = p.int("limit", 1, 1000).unwrap_or(200);
    let offset = p.position("offset");
    checked(&p)?;
    let tree = &o.trees[country];
    let above = match &parent {
        Some(text) => {
            let cut = if text.contains('>') { '>' } else { '/' };
            let slugs: Vec<String> = text.split(cut).map(words::slug).filter(|s| !s.is_empty()).collect();
            format!("{}/", slugs.join("/"))
        }
        None => String::new(),
    };
    let base = above.matches('/').count();
    let kept: Vec<(&String, &usize)> = tree
        .iter()
        .filter(|(n, _)| n.starts_with(&above))
        .filter(|(n, _)| (base + 1..=base + depth).contains(&n.split('/').count()))
        .collect();
    let children = |node: &str| {
        let under = format!("{node}/");
        tree.keys().filter(|n| n.strip_prefix(&under).is_some_and(|rest| !rest.contains('/'))).count()
    };
    let items: Vec<Value> = kept
        .iter()
        .skip(offset)
        .take(limit as usize)
        .map(|(n, products)| {
            json!({ "slug": n, "category_path": o.display(n), "level": level(o, country, n),
                "products": products, "children": children(n) })
        })
        .collect();
    Ok(json!({ "items": items, "total": kept.len(), "limit": limit, "offset": offset }))
}

pub fn retailers(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["country"]);
    let country = p.country();
    checked(&p)?;
    let here: Vec<_> = o.cells.iter().filter(|c| c.country == country).collect();
    let names: BTreeSet<&str> = here.iter().map(|c| c.platform.as_str()).collect();
    let items: Vec<Value> = names
        .iter()
        .map(|name| {
            let own: Vec<&str> = here.iter().filter(|c| c.platform == *name).map(|c| c.status()).collect();
            let best = ["serving", "thin", "stale"].into_iter().find(|s| own.contains(s));
            let listings = || o.listings.iter().filter(|l| l.country == country && l.platform == *name);
            let counts = [
                listings().filter(|l| o.priced(l)).count(),
                listings().filter(|l| !l.days.is_empty()).count(),
                listings().count(),
            ];
            json!({ "retailer": name, "country": country, "quality_status": best,
                "is_serving_eligible": best == Some("serving"), "product_count": { "$any_of": counts } })
        })
        .collect();
    Ok(json!({ "items": items }))
}

pub fn brands(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["country", "q", "limit"]);
    let country = p.country();
    let prefix = p.text("q").map(|q| words::brand_key(&q).unwrap_or_default());
    let limit = p.int("limit", 1, 100).unwrap_or(20) as usize;
    checked(&p)?;
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for l in o.listings.iter().filter(|l| l.country == country && o.priced(l)) {
        if let Some(key) = &l.brand_key
            && prefix.as_ref().is_none_or(|x| key.starts_with(x.as_str()))
        {
            *counts.entry(o.brand_label(key).unwrap_or("")).or_insert(0) += 1;
        }
    }
    let mut rows: Vec<(&str, i64)> = counts.into_iter().collect();
    rows.sort_by_key(|(label, n)| (-n, *label));
    let items: Vec<Value> =
        rows.iter().take(limit).map(|(b, n)| json!({ "brand": b, "product_count": n })).collect();
    Ok(json!({ "items": items }))
}
