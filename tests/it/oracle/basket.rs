//! `/v1/shopper/basket`: a list of products at one retailer, at two, and each where it is cheapest.

use super::frac::{Frac, money, pct_of};
use super::params::Params;
use super::{Answer, Oracle, checked, currency, day, ids, load::Listing, merge, meta};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An item in normal form, its quantity, and its offers by price or why there are none.
struct Item<'a> {
    id: String,
    quantity: i64,
    offers: Result<Vec<&'a Listing>, &'static str>,
}

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["items", "country", "quote"]);
    p.boolean("quote");
    let country = p.country();
    if !p.given("items") {
        p.blame("items");
    }
    let mut asked: Vec<(String, i64)> = Vec::new();
    for text in ids::ids(&mut p, "items") {
        let (id, quantity) = text.split_once('*').unwrap_or((&text, "1"));
        let plain = (1..=2).contains(&quantity.len()) && quantity.bytes().all(|b| b.is_ascii_digit());
        let (id, quantity) = (id.trim_matches(' '), quantity.parse().unwrap_or(0));
        let again = asked.iter().any(|(other, _)| *other == ids::normal(id));
        if id.is_empty() || !plain || quantity == 0 || again {
            p.blame("items");
        }
        asked.push((ids::normal(id), quantity));
    }
    if asked.len() > 50 {
        p.blame("items");
    }
    checked(&p)?;
    let find = |(id, quantity): (String, i64)| Item { offers: offers(o, &id, country), id, quantity };
    let items: Vec<Item> = asked.into_iter().map(find).collect();
    let ok: Vec<&Item> = items.iter().filter(|i| i.offers.is_ok()).collect();
    if ok.is_empty() {
        let statuses: Vec<&str> = items.iter().filter_map(|i| i.offers.as_ref().err().copied()).collect();
        return Err(ids::none_served(&statuses));
    }
    let all: Vec<&Listing> = ok.iter().flat_map(|i| i.offers.iter().flatten().copied()).collect();
    let names: BTreeSet<&str> = all.iter().map(|l| l.platform.as_str()).collect();
    let split = at(o, &ok, &names);
    let mut single: Vec<(usize, i64, &str)> = Vec::new();
    for name in &names {
        let carried = at(o, &ok, &BTreeSet::from([*name]));
        single.push((carried.items, carried.total + elsewhere(o, &ok, name), name));
    }
    single.sort_by_key(|(items, completed, name)| (usize::MAX - items, *completed, *name));
    let retailers: Vec<Value> = single
        .iter()
        .take(20)
        .map(|(_, completed, name)| {
            let own = at(o, &ok, &BTreeSet::from([*name]));
            let missing: Vec<&str> = ok
                .iter()
                .filter(|i| offer(o, i, &BTreeSet::from([*name])).is_none())
                .map(|i| &*i.id)
                .collect();
            json!({ "retailer": name, "items_carried": own.items, "missing": missing,
                "total": money(own.total), "completed_total": money(*completed) })
        })
        .collect();
    let mut pairs: Vec<(usize, i64, [&str; 2])> = Vec::new();
    for a in &names {
        for b in names.iter().filter(|b| a < *b) {
            let both = at(o, &ok, &BTreeSet::from([*a, *b]));
            pairs.push((both.items, both.total, [a, b]));
        }
    }
    pairs.sort_by_key(|(items, total, keys)| (usize::MAX - items, *total, *keys));
    let pair = pairs.first().map(
        |(items, total, keys)| json!({ "retailers": keys, "items_carried": items, "total": money(*total) }),
    );
    let used: BTreeSet<&str> = ok.iter().map(|i| i.offers.as_ref().unwrap()[0].platform.as_str()).collect();
    let saving = single[0].1 - split.total;
    Ok(json!({
        "country": country, "currency": currency(country), "requested_items": items.len(),
        "resolved_items": ok.len(),
        "missing": items.iter().filter(|i| i.offers.is_err()).map(|i| &i.id).collect::<Vec<_>>(),
        "items": items.iter().map(|i| row(o, i, country)).collect::<Vec<_>>(),
        "retailer_count": names.len(), "retailers": retailers, "single": retailers[0], "pair": pair,
        "split": { "retailers": used, "items_carried": split.items, "total": money(split.total) },
        "split_saving": money(saving),
        "split_saving_pct": pct_of(Frac::new(saving.into(), single[0].1.into())),
        "meta": meta(all.iter().map(|l| o.now(l).instant)),
    }))
}

/// One listing for each retailer, the cheapest first.
fn offers<'a>(o: &'a Oracle, id: &str, country: &str) -> Result<Vec<&'a Listing>, &'static str> {
    let (entity, _) = ids::meant(o, id, country)?;
    let mut priced = o.members(&entity, country);
    priced.retain(|l| o.priced(l));
    if priced.is_empty() {
        return Err("no_priced_listing");
    }
    let mut lowest: BTreeMap<&str, &Listing> = BTreeMap::new();
    for l in priced {
        let sold = ["new", "unknown"].contains(&l.condition) && o.now(l).stock != Some(false);
        let first = lowest.get(l.platform.as_str());
        if sold && first.is_none_or(|other| rank(o, l) < rank(o, other)) {
            lowest.insert(&l.platform, l);
        }
    }
    let mut offers: Vec<&Listing> = lowest.into_values().collect();
    offers.sort_by_key(|l| rank(o, l));
    if offers.is_empty() { Err("no_offer") } else { Ok(offers) }
}

fn rank<'a>(o: &Oracle, l: &'a Listing) -> (i64, &'a str) {
    (o.now(l).price, &l.uid)
}

/// What some retailers carry, each item at the cheapest of them.
struct Carried {
    items: usize,
    total: i64,
}

fn offer<'a>(o: &Oracle, item: &Item<'a>, names: &BTreeSet<&str>) -> Option<i64> {
    let here = item.offers.iter().flatten().filter(|l| names.contains(l.platform.as_str()));
    here.map(|l| o.now(l).price * item.quantity).min()
}

fn at(o: &Oracle, items: &[&Item], names: &BTreeSet<&str>) -> Carried {
    let costs: Vec<i64> = items.iter().filter_map(|i| offer(o, i, names)).collect();
    Carried { items: costs.len(), total: costs.iter().sum() }
}

/// What the items that a retailer does not carry cost at their cheapest.
fn elsewhere(o: &Oracle, items: &[&Item], name: &str) -> i64 {
    let left = items.iter().filter(|i| offer(o, i, &BTreeSet::from([name])).is_none());
    left.map(|i| o.now(i.offers.as_ref().unwrap()[0]).price * i.quantity).sum()
}

fn row(o: &Oracle, item: &Item, country: &str) -> Value {
    let Item { id, quantity, offers } = item;
    let offers = match offers {
        Ok(offers) => offers,
        Err(status) => {
            return json!({ "item": id, "quantity": quantity, "status": status, "entity_uid": null,
                "product_name": null, "match_suspect": null, "match_suspect_reasons": null, "offers": [] });
        }
    };
    let rows: Vec<Value> = offers
        .iter()
        .map(|l| {
            let now = o.now(l);
            json!({ "retailer": l.platform, "product_uid": l.uid, "price": money(now.price),
                "in_stock": now.stock, "condition": l.condition,
                "observed_at": day::instant_text(now.instant) })
        })
        .collect();
    let first = offers[0];
    let v = json!({ "item": id, "quantity": quantity, "status": "ok", "entity_uid": first.entity,
        "product_name": first.name, "offers": rows });
    merge(v, ids::suspicion(o, &first.entity, country))
}
