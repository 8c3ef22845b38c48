//! `/v1/shopper/best-prices`: what best-price says of each id of a list.

use super::params::Params;
use super::{Answer, Oracle, checked, currency, frac, ids, load::Listing, merge, meta, product};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const LISTS: [&str; 3] = ["gtin", "product_uid", "entity_uid"];

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["gtin", "product_uid", "entity_uid", "country", "retailer", "quote"]);
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    let given: Vec<&str> = LISTS.into_iter().filter(|name| p.given(name)).collect();
    match given[..] {
        [] => p.blame("gtin"),
        [_] => {}
        _ => given.iter().for_each(|name| p.blame(name)),
    }
    let list = *given.first().unwrap_or(&"gtin");
    let mut asked: Vec<String> = Vec::new();
    for id in ids::ids(&mut p, list).iter().map(|id| ids::normal(id)) {
        if !asked.contains(&id) {
            asked.push(id);
        }
    }
    if asked.len() > 100 {
        p.blame(list);
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let found: Vec<Result<Found, &str>> =
        asked.iter().map(|id| find(o, list, id, country, retailer.as_deref())).collect();
    let resolved: Vec<&Found> = found.iter().flatten().collect();
    if resolved.is_empty() {
        let statuses: Vec<&str> = found.iter().filter_map(|f| f.as_ref().err().copied()).collect();
        return Err(ids::none_served(&statuses));
    }
    let rows: Vec<Value> = asked.iter().zip(&found).map(|(id, f)| row(o, id, f, country)).collect();
    Ok(json!({
        "country": country, "currency": currency(country), "retailer": retailer,
        "requested_items": asked.len(), "resolved_items": resolved.len(), "results": rows,
        "meta": meta(resolved.iter().map(|f| o.now(f.rows[0]).instant)),
    }))
}

/// An entity and its rows, of which there is one at least.
struct Found<'a> {
    entity: String,
    rows: Vec<&'a Listing>,
}

fn find<'a>(
    o: &'a Oracle,
    list: &str,
    id: &str,
    country: &str,
    retailer: Option<&str>,
) -> Result<Found<'a>, &'static str> {
    match list {
        "gtin" if id.starts_with("p_") || id.starts_with("e_") => return Err("not_a_barcode"),
        "product_uid" if !id.starts_with("p_") => return Err("unknown_product"),
        "entity_uid" if !id.starts_with("e_") => return Err("unknown_product"),
        _ => {}
    }
    let (entity, pinned) = ids::meant(o, id, country)?;
    if pinned.is_some_and(|l| retailer.is_some_and(|r| r != l.platform)) {
        return Err("unknown_product");
    }
    let rows = product::rows(o, &o.members(&entity, country), retailer);
    if rows.is_empty() { Err("no_priced_listing") } else { Ok(Found { entity, rows }) }
}

fn row(o: &Oracle, id: &str, found: &Result<Found, &str>, country: &str) -> Value {
    let Found { entity, rows } = match found {
        Ok(found) => found,
        Err(status) => {
            return json!({ "item": id, "status": status, "entity_uid": null, "scope": null,
                "member_count": null, "match_suspect": null, "match_suspect_reasons": null,
                "retailer_count": null, "highest_price": null, "best_price": null });
        }
    };
    let members = o.members(entity, country).len();
    let (scope, match_type) = if members >= 2 { ("entity", "entity") } else { ("listing", "self_text") };
    let retailers: BTreeSet<&str> = rows.iter().map(|l| l.platform.as_str()).collect();
    let highest = rows.iter().map(|l| o.now(l).price).max().expect("a row");
    let v = json!({
        "item": id, "status": "ok", "entity_uid": entity, "scope": scope, "member_count": members,
        "retailer_count": retailers.len(), "highest_price": frac::money(highest),
        "best_price": product::row(o, rows[0], match_type, true),
    });
    merge(v, ids::suspicion(o, entity, country))
}
