//! `/v1/marketing/brand-breakdown`: one brand by category and by retailer.

use super::category::{self, Scope};
use super::frac::{Frac, mean, median, money, money_of, pct_of};
use super::load::Listing;
use super::params::{Params, Window};
use super::{Answer, Oracle, checked, currency, inflation, merge, meta, nothing};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const SHOWN: usize = 50;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["brand", "category", "country", "retailer", "time_window", "from", "to", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
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
    let priced: Vec<&Listing> = shelf.iter().filter(|l| l.brand_key == key && o.priced(l)).copied().collect();
    if priced.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let mut depth = match resolved.as_ref().map(|r| &r.scope) {
        Some(Scope::Node(node)) => node.split('/').count() + 1,
        _ => 1,
    };
    let cell = |l: &Listing, depth: usize| category::node_at(l, depth.min(l.path.len()));
    let at = |depth: usize| priced.iter().map(|l| cell(l, depth)).collect::<BTreeSet<_>>();
    while at(depth).len() == 1 && priced.iter().any(|l| l.path.len() > depth) {
        depth += 1;
    }
    let breakdown = Breakdown { o, shelf: &shelf, key: &key, window };
    let categories = breakdown.rows(&|l| cell(l, depth));
    let retailers = breakdown.rows(&|l| l.platform.clone());
    let shown = |rows: &[(String, Value)], named: &dyn Fn(&str) -> Value| -> Vec<Value> {
        rows.iter().take(SHOWN).map(|(name, figures)| merge(named(name), figures.clone())).collect()
    };
    let granularity = window.default_granularity();
    let v = json!({
        "country": country, "currency": currency(country), "retailer": retailer,
        "brand": key.as_ref().and_then(|k| o.brand_label(k)),
        "category": resolved.as_ref().map(|r| &r.category_path),
        "department": resolved.as_ref().and_then(|r| r.department.clone()),
        "resolved": resolved.as_ref().map(super::Resolved::json), "window": window.json(granularity),
        "category_count": categories.len(),
        "categories": shown(&categories, &|slug| json!({ "slug": slug, "category_path": o.display(slug) })),
        "retailer_count": retailers.len(),
        "retailers": shown(&retailers, &|name| json!({ "retailer": name })),
        "meta": meta(priced.iter().map(|l| o.now(l).instant)),
    });
    let own: Vec<&Listing> = shelf.iter().filter(|l| l.brand_key == key).copied().collect();
    let record = inflation::record(&own, &window, granularity).unwrap_or_else(inflation::empty);
    let mut v = merge(v, breakdown.figures(&shelf));
    for (name, value) in record.as_object().expect("object").iter().filter(|x| x.0.starts_with("lfl_")) {
        v[name] = value.clone();
    }
    v["lfl_try"] = json!({ "$absent": true });
    Ok(v)
}

struct Breakdown<'a> {
    o: &'a Oracle,
    shelf: &'a [&'a Listing],
    key: &'a Option<String>,
    window: Window,
}

impl Breakdown<'_> {
    /// The cells that hold a priced listing of the brand, in order.
    fn rows(&self, cell: &dyn Fn(&Listing) -> String) -> Vec<(String, Value)> {
        let mut cells: BTreeMap<String, Vec<&Listing>> = BTreeMap::new();
        for l in self.shelf {
            cells.entry(cell(l)).or_default().push(l);
        }
        let own = |l: &&Listing| l.brand_key == *self.key && self.o.priced(l);
        cells.retain(|_, listings| listings.iter().any(own));
        let mut rows: Vec<(String, Value)> =
            cells.into_iter().map(|(name, listings)| (name, self.figures(&listings))).collect();
        rows.sort_by_key(|(name, v)| (u64::MAX - v["products"].as_u64().expect("a count"), name.clone()));
        rows
    }

    fn figures(&self, cell: &[&Listing]) -> Value {
        let o = self.o;
        let own: Vec<&Listing> = cell.iter().filter(|l| l.brand_key == *self.key).copied().collect();
        let priced: Vec<&Listing> = own.iter().filter(|l| o.priced(l)).copied().collect();
        let branded = cell.iter().filter(|l| o.priced(l) && l.brand_key.is_some()).count();
        let cents: Vec<i64> = priced.iter().map(|l| o.now(l).price).collect();
        let exact: Vec<Frac> = cents.iter().map(|c| Frac::int(*c)).collect();
        let record = inflation::record(&own, &self.window, self.window.default_granularity());
        let record = record.unwrap_or_else(inflation::empty);
        json!({
            "products": priced.len(),
            "entities": priced.iter().map(|l| &l.entity).collect::<BTreeSet<_>>().len(),
            "share_pct": pct_of(Frac::new(priced.len() as i128, branded as i128)),
            "avg_price": money_of(mean(&exact)), "median_price": money_of(median(&exact)),
            "min_price": money(*cents.iter().min().expect("a price")),
            "max_price": money(*cents.iter().max().expect("a price")),
            "lfl_change_pct": record["lfl_change_pct"], "lfl_matched": record["lfl_matched"],
        })
    }
}
