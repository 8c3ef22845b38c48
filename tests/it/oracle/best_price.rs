//! `/v1/shopper/best-price`.

use super::params::Params;
use super::product::{self, Product, ProductQuery};
use super::{Answer, Oracle, category, currency, load::Listing, merge, meta, nothing};
use serde_json::{Value, json};
use std::collections::BTreeSet;

struct Ask<'a> {
    product: Product<'a>,
    limit: usize,
    strict: bool,
    linking: bool,
}

fn read<'a>(o: &'a Oracle, query: &str) -> Result<Ask<'a>, super::Refusal> {
    let mut names = product::NAMES.to_vec();
    names.extend(["limit", "strict", "linking"]);
    let mut p = Params::read(query, &names);
    let limit = p.int("limit", 1, 50).unwrap_or(10) as usize;
    let strict = p.boolean("strict").unwrap_or(false);
    let linking = p.one_of("linking", &["off", "likely"]).is_some_and(|word| word == "likely");
    if strict && linking {
        p.blame("strict");
        p.blame("linking");
    }
    let question = product::question(&mut p);
    Ok(Ask { product: product::resolve(o, &mut p, question)?, limit, strict, linking })
}

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let ask = read(o, query)?;
    let mut v = body(o, &ask.product, ask.limit, ask.strict)?;
    if !ask.linking {
        v["likely_matches"] = Value::Null;
        v["likely_cheaper"] = Value::Null;
    }
    Ok(v)
}

fn body(o: &Oracle, p: &Product, limit: usize, strict: bool) -> Answer {
    let best = p.rows.first().ok_or_else(|| p.without_rows())?;
    let several = p.members.len() >= 2;
    if strict && !several {
        return Err(nothing(json!({ "reason": "no_comparison" })));
    }
    let resolved = p.pinned.unwrap_or(best);
    let match_type = if several { "entity" } else { "self_text" };
    let others = &p.rows[1..p.rows.len().min(1 + limit)];
    let served: BTreeSet<&str> = [best].into_iter().chain(others).map(|l| l.platform.as_str()).collect();
    let (reasons, open) = product::suspicions(o, &p.members);
    let mut v = json!({
        "query": p.query, "corrected_terms": null, "dropped_terms": null, "match_quality": null, "understood_as": null, "country": p.country, "currency": currency(p.country),
        "product_uid": resolved.uid, "entity_uid": if several { Some(&resolved.entity) } else { None },
        "scope": p.scope(), "member_count": p.members.len(), "retailers_compared": served.len(),
        "resolved_product": resolved_product(o, resolved), "gpc": category::listing_gpc(o, resolved),
        "best_price": product::row(o, best, match_type, true),
        "other_prices": others.iter().map(|l| product::row(o, l, match_type, false)).collect::<Vec<_>>(),
    });
    if !reasons.is_empty() {
        v["match_suspect"] = json!(true);
    } else if !open {
        v["match_suspect"] = json!(false);
    }
    if !open {
        v["match_suspect_reasons"] = json!({ "$set": reasons });
    }
    if strict {
        v["related_matches"] = json!([]);
        let rows = [best].into_iter().chain(others);
        v["meta"] = meta(rows.map(|l| o.now(l).instant));
    } else {
        v["meta"] = json!({ "served_from": "memory", "schema_version": "1.0.0" });
    }
    Ok(v)
}

fn resolved_product(o: &Oracle, l: &Listing) -> Value {
    let v = json!({
        "product_uid": l.uid, "entity_uid": l.entity, "product_name": l.name, "brand": o.brand(l),
        "retailer": l.platform, "product_id": l.product_id, "gtin": l.gtin,
        "category_path": o.display(&l.node), "condition": l.condition, "url": l.url,
    });
    merge(v, product::pack_fields(l, None))
}

impl Oracle {
    /// Related rows of an answer to any look-up: outside the entity, one per entity, its cheapest priced
    /// listing; and the meta block over all rows served.
    pub fn check_related(&self, request: &str, answer: &Value) -> Result<(), String> {
        let query = request.split_once('?').map_or("", |x| x.1);
        let p = |name: &str| parameter(query, name);
        let country = p("country").unwrap_or_else(|| "us".into());
        let retailer = p("retailer").map(|r| r.to_lowercase());
        let limit: usize = p("limit").and_then(|l| l.parse().ok()).unwrap_or(10);
        let entity = answer["resolved_product"]["entity_uid"].as_str().ok_or("no resolved entity")?;
        let rows = answer["related_matches"].as_array().ok_or("related_matches is no array")?;
        self.check_likely(query, answer)?;
        if rows.len() > limit {
            return Err(format!("{} related rows, limit {limit}", rows.len()));
        }
        let mut seen = BTreeSet::from([entity.to_string()]);
        let mut instants = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let uid = row["product_uid"].as_str().unwrap_or("");
            let l = self.listing(uid).ok_or(format!("related {uid} is unknown"))?;
            if !seen.insert(l.entity.clone()) {
                return Err(format!("related {uid}: its entity is there already"));
            }
            let members = self.members(&l.entity, &country);
            let here = |m: &&&Listing| self.priced(m) && retailer.as_ref().is_none_or(|r| *r == m.platform);
            let cheapest = members.iter().filter(here).min_by_key(|m| (self.now(m).price, m.uid.clone()));
            if cheapest.is_none_or(|c| c.uid != l.uid) {
                return Err(format!("related {uid} is not its entity's cheapest priced listing"));
            }
            let mut wanted = product::row(self, l, "title", false);
            if members.len() < 2 {
                wanted["entity_uid"] = Value::Null;
            }
            let diff = super::compare(&wanted, row, &format!("related_matches[{i}]"));
            if !diff.is_empty() {
                return Err(diff.join("; "));
            }
            instants.push(self.now(l).instant);
        }
        let likely = answer["likely_matches"].as_array().into_iter().flatten();
        let others = answer["other_prices"].as_array().into_iter().flatten();
        let prices = others.chain(likely).chain([&answer["best_price"]]);
        for row in prices {
            let uid = row["product_uid"].as_str().unwrap_or("");
            instants.push(self.now(self.listing(uid).ok_or(format!("row {uid} is unknown"))?).instant);
        }
        let diff = super::compare(&meta(instants), &answer["meta"], "meta");
        if diff.is_empty() { Ok(()) } else { Err(diff.join("; ")) }
    }

    /// Whether a request is a best-price look-up by free text.
    pub fn is_text(&self, request: &str) -> bool {
        let query = request.split_once('?').map_or("", |x| x.1);
        let none = |n: &str| parameter(query, n).is_none();
        none("product_uid")
            && none("entity_uid")
            && parameter(query, "q").is_some_and(|q| product::barcode_query(&q).is_none())
    }

    pub fn listing(&self, uid: &str) -> Option<&Listing> {
        self.listings.iter().find(|l| l.uid == uid)
    }
}

/// One parameter of a query string, decoded.
pub fn parameter(query: &str, name: &str) -> Option<String> {
    Params::read(query, &[name]).text(name)
}

impl ProductQuery {
    pub fn is_text(&self) -> bool {
        matches!(self, ProductQuery::Text(_))
    }
}
