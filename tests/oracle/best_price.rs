//! `/v1/shopper/best-price`, and the check of answers to free text.

use super::params::Params;
use super::product::{self, Asked, Product};
use super::{Answer, Oracle, category, currency, load::Listing, merge, meta, nothing, words};
use serde_json::{Value, json};
use std::cmp::Reverse;
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
    let question = product::question(o, &mut p);
    Ok(Ask { product: product::resolve(o, &p, question)?, limit, strict, linking })
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
    let Some(best) = p.rows.first() else { return Err(nothing(json!({}))) };
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
        "query": p.query, "dropped_terms": null, "country": p.country, "currency": currency(p.country),
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

    /// A 200 answer of best-price to a text `q`: the product matches what is kept of the query, no shorter
    /// tail could have been dropped, and the rest is the answer of that product.
    pub fn check_text_answer(&self, request: &str, answer: &Value) -> Result<(), String> {
        let query = request.split_once('?').map_or("", |x| x.1);
        let q = parameter(query, "q").ok_or("no q")?;
        let country = parameter(query, "country").unwrap_or_else(|| "us".into());
        let retailer = parameter(query, "retailer").map(|r| r.to_lowercase());
        let uid = answer["product_uid"].as_str().ok_or("no product_uid")?;
        let product = self.listing(uid).ok_or(format!("resolved {uid} is unknown"))?;
        let at = |l: &Listing| retailer.as_ref().is_none_or(|r| *r == l.platform) && l.country == country;
        if !self.priced(product) || !at(product) {
            return Err(format!("resolved {uid} is not priced here"));
        }
        let asked = words::terms(&q);
        let dropped = match &answer["dropped_terms"] {
            Value::Null => 0,
            Value::Array(a) if a.is_empty() => return Err("dropped_terms is empty, not null".into()),
            Value::Array(a) => a.len(),
            other => return Err(format!("dropped_terms is {other}")),
        };
        if dropped >= asked.len() {
            return Err("every term was dropped".into());
        }
        let kept = asked.len() - dropped;
        if dropped > 0 {
            let tail: Vec<Value> = asked[kept..].iter().map(|t| json!(t)).collect();
            let said: Vec<Value> =
                answer["dropped_terms"].as_array().into_iter().flatten().cloned().collect();
            let folded: Vec<Value> =
                said.iter().map(|t| json!(words::terms(t.as_str().unwrap_or("")).concat())).collect();
            if folded != tail {
                return Err(format!("dropped_terms {said:?}, but the query ends with {tail:?}"));
            }
        }
        let generous = self.searchable(product, true);
        if let Some(t) = asked[..kept].iter().find(|t| !generous.contains(*t)) {
            return Err(format!("resolved {uid} does not hold the term {t:?}"));
        }
        if dropped > 0 {
            let longer = &asked[..kept + 1];
            let better = self.listings.iter().filter(|l| at(l) && self.priced(l));
            for l in better {
                let words = self.searchable(l, false);
                if longer.iter().all(|t| words.contains(t)) {
                    return Err(format!("{} holds {longer:?}: one term too many was dropped", l.uid));
                }
            }
        }
        // What reads the same matches equally well.
        let alike = |l: &&Listing| {
            l.name == product.name && l.brand_key == product.brand_key && l.node == product.node
        };
        let rank = |l: &Listing| {
            let (now, members) = (self.now(l), self.members(&l.entity, &country).len());
            (Reverse(members), now.stock != Some(true), now.price, Reverse(now.instant), l.uid.clone())
        };
        let rivals = self.listings.iter().filter(|l| at(l) && self.priced(l)).filter(alike);
        if let Some(first) = rivals.min_by_key(|l| rank(l)).filter(|first| first.uid != uid) {
            return Err(format!("{} reads like {uid} and comes first", first.uid));
        }
        let pinned = self.pin(query, uid);
        let expected = self.answer(&format!("/v1/shopper/best-price?{pinned}"));
        if expected.status != 200 {
            return Err(format!("the same product pinned answers {}", expected.status));
        }
        let mut body = expected.body;
        body["query"] = json!(q);
        body.as_object_mut().expect("object").remove("dropped_terms");
        let diff = super::compare(&body, answer, "");
        if !diff.is_empty() {
            return Err(diff.join("; "));
        }
        self.check_related(request, answer)
    }

    /// Whether a text cannot be 404: something priced holds its first term, strict or not.
    pub fn text_must_resolve(&self, request: &str) -> bool {
        let query = request.split_once('?').map_or("", |x| x.1);
        let q = parameter(query, "q").unwrap_or_default();
        let country = parameter(query, "country").unwrap_or_else(|| "us".into());
        let retailer = parameter(query, "retailer").map(|r| r.to_lowercase());
        let terms = words::terms(&q);
        let Some(first) = terms.first() else { return false };
        let strict = parameter(query, "strict").is_some_and(|s| s == "true");
        !strict
            && self.listings.iter().any(|l| {
                l.country == country
                    && retailer.as_ref().is_none_or(|r| *r == l.platform)
                    && self.priced(l)
                    && self.searchable(l, false).contains(first)
            })
    }

    /// Whether a request is a best-price look-up by free text.
    pub fn is_text(&self, request: &str) -> bool {
        let query = request.split_once('?').map_or("", |x| x.1);
        let none = |n: &str| parameter(query, n).is_none();
        none("product_uid")
            && none("entity_uid")
            && parameter(query, "q").is_some_and(|q| product::barcode_query(&q).is_none())
    }

    fn pin(&self, query: &str, uid: &str) -> String {
        let rest = query.split('&').filter(|x| !x.starts_with("q=")).map(str::to_string);
        rest.chain([format!("product_uid={uid}")]).collect::<Vec<_>>().join("&")
    }

    pub fn listing(&self, uid: &str) -> Option<&Listing> {
        self.listings.iter().find(|l| l.uid == uid)
    }

    fn searchable(&self, l: &Listing, generous: bool) -> BTreeSet<String> {
        let mut all: BTreeSet<String> = words::terms(&l.name).into_iter().collect();
        let brand = self.brand(l).unwrap_or("");
        let raw = l.brand_raw.as_deref().unwrap_or("");
        let (a, b) = (words::terms(brand), words::terms(raw));
        if generous {
            all.extend(a);
            all.extend(b);
            // a number and a unit that are not joined everywhere
            all.extend(words::plain(&l.name).split(|c: char| !c.is_alphanumeric()).map(str::to_string));
        } else {
            all.extend(a.into_iter().filter(|t| b.contains(t)));
        }
        all
    }
}

/// One parameter of a query string, decoded.
pub fn parameter(query: &str, name: &str) -> Option<String> {
    Params::read(query, &[name]).text(name)
}

impl Asked {
    pub fn is_text(&self) -> bool {
        matches!(self, Asked::Text(_))
    }
}
