//! `/v1/public/coverage`: counts and freshness by platform, country and root category.

use super::load::Listing;
use super::params::Params;
use super::{Answer, Oracle, checked, day, words};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub platform: String,
    pub country: String,
    pub root: String,
    pub observed: usize,
    pub recent: usize,
    pub branded: usize,
    pub last: i64,
}

impl Cell {
    pub fn status(&self) -> &'static str {
        if 5 * self.recent < self.observed {
            "stale"
        } else if self.recent < 25 {
            "thin"
        } else {
            "serving"
        }
    }

    fn json(&self) -> Value {
        json!({
            "platform": self.platform, "country": self.country, "category_root": self.root,
            "priced_product_count": self.observed, "recent_priced_product_count": self.recent,
            "known_brand_product_count": self.branded, "quality_status": self.status(),
            "is_serving_eligible": self.status() == "serving", "last_observed_at": day::instant_text(self.last),
        })
    }
}

pub fn cells(o: &Oracle) -> Vec<Cell> {
    let mut cells: BTreeMap<(String, String, String), Cell> = BTreeMap::new();
    for l in &o.listings {
        let Some((_, latest)) = o.latest(l) else { continue };
        let key = (l.platform.clone(), l.country.clone(), l.path[0].0.clone());
        let cell = cells.entry(key.clone()).or_insert_with(|| Cell {
            platform: key.0,
            country: key.1,
            root: key.2,
            last: i64::MIN,
            ..Cell::default()
        });
        cell.observed += 1;
        cell.recent += usize::from(o.priced(l));
        cell.branded += usize::from(l.brand_key.is_some());
        cell.last = cell.last.max(latest.instant);
    }
    cells.into_values().collect()
}

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["country", "platform", "category_root", "quality_status", "limit", "offset"];
    let mut p = Params::read(query, &names);
    let country = p.one_of("country", &["us", "ca"]);
    let platform = p.platform("platform");
    let root = p.text("category_root").map(|r| words::slug(&r));
    let status = p.one_of("quality_status", &["serving", "thin", "stale"]);
    let limit = p.int("limit", 1, 1000).unwrap_or(200);
    let offset = p.position("offset");
    checked(&p)?;
    let kept: Vec<&Cell> = o
        .cells
        .iter()
        .filter(|c| country.is_none_or(|x| c.country == x))
        .filter(|c| platform.as_ref().is_none_or(|x| c.platform == *x))
        .filter(|c| root.as_ref().is_none_or(|x| c.root == *x))
        .filter(|c| status.is_none_or(|x| c.status() == x))
        .collect();
    let page: Vec<Value> = kept.iter().skip(offset).take(limit as usize).map(|c| c.json()).collect();
    Ok(json!({
        "items": page, "total": kept.len(), "limit": limit, "offset": offset, "linking": linking(o),
    }))
}

/// What of the block on likely links follows from the listings alone.
fn linking(o: &Oracle) -> Value {
    let mut sold: BTreeMap<(&str, &str), Vec<&Listing>> = BTreeMap::new();
    for l in &o.listings {
        sold.entry((l.country.as_str(), l.entity.as_str())).or_default().push(l);
    }
    let platforms = |all: &[&Listing], priced: bool| {
        let counted = all.iter().filter(|l| !priced || o.priced(l));
        counted.map(|l| l.platform.clone()).collect::<BTreeSet<String>>().len()
    };
    let comparable = |all: &Vec<&Listing>| {
        if platforms(all, true) < 2 { 0 } else { all.iter().filter(|l| o.priced(l)).count() }
    };
    let pairs = |all: &Vec<&Listing>| {
        let n = if all[0].gtin.is_some() { platforms(all, false) } else { 0 };
        n * n.saturating_sub(1) / 2
    };
    let check: usize = sold.values().map(pairs).sum();
    let mut v = json!({
        "listings_without_barcode": o.listings.iter().filter(|l| l.gtin.is_none()).count(),
        "comparable_by_barcode": sold.values().map(comparable).sum::<usize>(),
        "self_check": { "pairs": check },
    });
    if check < 50 {
        v["self_check"]["precision"] = Value::Null;
        v["self_check"]["recall"] = Value::Null;
    }
    v
}
