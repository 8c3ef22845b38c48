//! `/v1/marketing/retailer-assortment`: what one retailer sells of a category, and what the others do.

use super::frac::{Frac, median, money, money_of, pct_of, ratio_of};
use super::load::Listing;
use super::params::{Params, Window};
use super::price_positioning::note;
use super::{Answer, Oracle, checked, day, head, merge, meta, nothing, product};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Sellers<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names =
        ["category", "country", "retailer", "time_window", "from", "to", "min_retailers", "limit", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
    let least = p.int("min_retailers", 1, 10).unwrap_or(2) as usize;
    let limit = p.int("limit", 1, 50).unwrap_or(10) as usize;
    for name in ["category", "retailer"] {
        if !p.given(name) {
            p.blame(name);
        }
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), None)?;
    let retailer = retailer.expect("checked");
    let shelf = o.scope(country, Some(&resolved.scope), None);
    let here: Vec<&Listing> = shelf.iter().filter(|l| l.platform == retailer).copied().collect();
    let all: Vec<&Listing> = shelf.iter().filter(|l| o.priced(l)).copied().collect();
    let own: Vec<&Listing> = here.iter().filter(|l| o.priced(l)).copied().collect();
    if own.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let mut notes = Vec::new();
    let barcoded: BTreeSet<&str> =
        own.iter().filter(|l| l.gtin.is_some()).map(|l| l.entity.as_str()).collect();
    let with_barcode = own.iter().filter(|l| l.gtin.is_some()).count();
    let mut v = json!({
        "products": own.len(), "entities": own.iter().map(|l| &l.entity).collect::<BTreeSet<_>>().len(),
        "category_products": all.len(), "share_pct": pct_of(Frac::new(own.len() as i128, all.len() as i128)),
        "barcoded_entities": barcoded.len(),
        "barcode_coverage": ratio_of(Frac::new(with_barcode as i128, own.len() as i128)),
        "min_retailers": least, "window": window.json("daily"), "meta": meta(all.iter().map(|l| o.now(l).instant)),
    });
    v = merge(v, brands(o, &own));
    let mut sellers: Sellers = BTreeMap::new();
    for l in o.listings.iter().filter(|l| l.country == country && l.gtin.is_some() && o.priced(l)) {
        sellers.entry(&l.entity).or_default().insert(&l.platform);
    }
    v = merge(v, overlap(&all, &retailer, &barcoded, &sellers, &mut notes));
    v = merge(v, gaps(o, country, &all, &retailer, &sellers, least, limit));
    v = merge(v, churn(o, &here, &window, limit, &mut notes));
    v["notes"] = json!(notes);
    Ok(merge(head(country, Some(&retailer), &resolved), v))
}

fn brands(o: &Oracle, own: &[&Listing]) -> Value {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for l in own {
        if let Some(brand) = o.brand(l) {
            *counts.entry(brand).or_insert(0) += 1;
        }
    }
    let counted: i64 = counts.values().sum();
    let mut rows: Vec<(&str, i64)> = counts.into_iter().collect();
    rows.sort_by_key(|(brand, n)| (-n, *brand));
    let row = |(brand, n): &(&str, i64)| {
        json!({ "brand": brand, "product_count": n,
            "share_pct": pct_of(Frac::new(i128::from(*n), i128::from(counted))) })
    };
    json!({ "brand_count": rows.len(), "brands": rows.iter().take(10).map(row).collect::<Vec<_>>() })
}

fn overlap(
    all: &[&Listing],
    retailer: &str,
    own: &BTreeSet<&str>,
    sellers: &Sellers,
    notes: &mut Vec<Value>,
) -> Value {
    let mut theirs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for l in all.iter().filter(|l| l.gtin.is_some() && l.platform != retailer) {
        theirs.entry(&l.platform).or_default().insert(&l.entity);
    }
    for entity in own {
        for peer in sellers[entity].iter().filter(|peer| **peer != retailer) {
            theirs.entry(peer).or_default().insert(entity);
        }
    }
    let alone = own.iter().filter(|entity| sellers[*entity].len() == 1).count();
    let figures = if own.len() < 5 {
        notes.push(note("exclusive_entities", "too_few", json!(own.len()), json!(5)));
        json!({ "exclusive_entities": null, "exclusive_pct": null })
    } else if theirs.is_empty() {
        notes.push(note("exclusive_entities", "no_peer", Value::Null, Value::Null));
        json!({ "exclusive_entities": null, "exclusive_pct": null })
    } else {
        let share = pct_of(Frac::new(alone as i128, own.len() as i128));
        json!({ "exclusive_entities": alone, "exclusive_pct": share })
    };
    let mut rows: Vec<(usize, usize, &str)> =
        theirs.iter().map(|(peer, sold)| (sold.intersection(own).count(), sold.len(), *peer)).collect();
    rows.sort_by_key(|(shared, sold, peer)| (usize::MAX - shared, usize::MAX - sold, *peer));
    let row = |(shared, sold, peer): &(usize, usize, &str)| {
        let ratio = |n: usize, of: usize| Frac::new(n as i128, of as i128);
        let covered = if own.is_empty() { Value::Null } else { pct_of(ratio(*shared, own.len())) };
        json!({ "retailer": peer, "entities": sold, "shared": shared,
            "jaccard": ratio_of(ratio(*shared, own.len() + sold - shared)), "covered_pct": covered })
    };
    let rows: Vec<Value> = rows.iter().take(20).map(row).collect();
    merge(figures, json!({ "overlap_retailers": theirs.len(), "overlap": rows }))
}

/// Entities of the category that enough others sell and this one does not.
fn gaps(
    o: &Oracle,
    country: &str,
    all: &[&Listing],
    retailer: &str,
    sellers: &Sellers,
    least: usize,
    limit: usize,
) -> Value {
    let candidates: BTreeSet<&str> =
        all.iter().filter(|l| l.gtin.is_some()).map(|l| l.entity.as_str()).collect();
    let missing = |entity: &&str| sellers[entity].len() >= least && !sellers[entity].contains(retailer);
    let mut rows: Vec<(usize, Vec<&Listing>)> = candidates
        .into_iter()
        .filter(missing)
        .map(|entity| (sellers[entity].len(), product::rows(o, &o.members(entity, country), None)))
        .collect();
    rows.sort_by_key(|(retailers, rows)| (usize::MAX - retailers, &rows[0].uid));
    let row = |(retailers, rows): &(usize, Vec<&Listing>)| {
        let prices: Vec<i64> = rows.iter().map(|l| o.now(l).price).collect();
        let exact: Vec<Frac> = prices.iter().map(|p| Frac::int(*p)).collect();
        json!({ "entity_uid": rows[0].entity, "product_name": rows[0].name, "brand": o.brand(rows[0]),
            "retailer_count": retailers, "lowest_price": money(*prices.iter().min().expect("a price")),
            "median_price": money_of(median(&exact)) })
    };
    json!({ "gap_entities": rows.len(), "gaps": rows.iter().take(limit).map(row).collect::<Vec<_>>() })
}

fn churn(o: &Oracle, here: &[&Listing], w: &Window, limit: usize, notes: &mut Vec<Value>) -> Value {
    let any = |l: &Listing, from: i64, to: i64| l.days.range(from..to).next().is_some();
    let before = |l: &&&Listing| any(l, w.before, w.until);
    let inside = |l: &&&Listing| any(l, w.from, w.to);
    let older = |l: &&&Listing| any(l, i64::MIN, w.from);
    let of = |test: &dyn Fn(&&&Listing) -> bool| -> Vec<&Listing> {
        here.iter().filter(|l| test(l)).copied().collect()
    };
    let (then, now) = (of(&|l| before(l)).len(), of(&|l| inside(l)).len());
    let counts = json!({ "observed_before": then, "observed_in_window": now });
    let none =
        json!({ "new": null, "new_pct": null, "delisted": null, "delisted_pct": null, "returned": null });
    let withheld = |counts| json!({ "churn": merge(counts, none), "new_items": [], "delisted_items": [] });
    if then == 0 {
        notes.push(note("churn", "not_observed_before", Value::Null, Value::Null));
        return withheld(counts);
    }
    if 2 * now < then {
        let have = ratio_of(Frac::new(now as i128, then as i128));
        notes.push(note("churn", "low_coverage", have, json!(0.5)));
        return withheld(counts);
    }
    let new = of(&|l| inside(l) && !older(l));
    let gone = of(&|l| before(l) && !inside(l));
    let returned = of(&|l| inside(l) && older(l) && !before(l)).len();
    let pct = |n: usize, of: usize| pct_of(Frac::new(n as i128, of as i128));
    let figures = json!({ "new": new.len(), "new_pct": pct(new.len(), now), "delisted": gone.len(),
        "delisted_pct": pct(gone.len(), then), "returned": returned });
    let items = |of: &[&Listing], date: &dyn Fn(&Listing) -> i64| -> Vec<Value> {
        let mut rows: Vec<(i64, &Listing)> = of.iter().map(|l| (date(l), *l)).collect();
        rows.sort_by_key(|(d, l)| (-d, &l.uid));
        let item = |(d, l): (i64, &Listing)| {
            json!({ "product_uid": l.uid, "entity_uid": l.entity, "product_name": l.name, "brand": o.brand(l),
                "price": money(o.now(l).price), "date": day::text(d) })
        };
        rows.into_iter().take(limit).map(item).collect()
    };
    json!({
        "churn": merge(counts, figures),
        "new_items": items(&new, &|l| *l.days.keys().next().expect("observed")),
        "delisted_items": items(&gone, &|l| *l.days.keys().next_back().expect("observed")),
    })
}
