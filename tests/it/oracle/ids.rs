//! Lists of ids: their normal form, and what each of them means.

use super::load::Listing;
use super::params::Params;
use super::{Oracle, Refusal, nothing, product, words};
use serde_json::{Value, json};

/// The ids of a parameter that was given, each as it was written; an empty one is bad.
pub fn ids(p: &mut Params, name: &str) -> Vec<String> {
    let text = p.text(name).unwrap_or_default();
    let ids: Vec<String> = text.split(',').map(|id| id.trim_matches(' ').to_string()).collect();
    if p.given(name) && ids.iter().any(String::is_empty) {
        p.blame(name);
    }
    ids
}

pub fn normal(id: &str) -> String {
    if id.starts_with("p_") || id.starts_with("e_") {
        return id.into();
    }
    words::barcode(id).unwrap_or_else(|| id.into())
}

/// The entity of an id in normal form, and the listing where it names one.
pub fn meant<'a>(
    o: &'a Oracle,
    id: &str,
    country: &str,
) -> Result<(String, Option<&'a Listing>), &'static str> {
    if id.starts_with("p_") {
        let l = o.listings.iter().find(|l| l.uid == id && l.country == country);
        return l.map(|l| (l.entity.clone(), Some(l))).ok_or("unknown_product");
    }
    let entity = match words::barcode(id) {
        _ if id.starts_with("e_") => id.to_string(),
        Some(gtin) => words::uid("e_", &format!("gtin:{gtin}")),
        None => return Err("not_a_barcode"),
    };
    if o.members(&entity, country).is_empty() { Err("unknown_product") } else { Ok((entity, None)) }
}

/// The 404 of a list of which nothing is served.
pub fn none_served(statuses: &[&str]) -> Refusal {
    let known = statuses.iter().any(|status| ["no_priced_listing", "no_offer"].contains(status));
    nothing(json!({ "reason": if known { "no_priced_listing" } else { "unknown_product" } }))
}

/// `match_suspect` and its reasons, where names do not leave them open.
pub fn suspicion(o: &Oracle, entity: &str, country: &str) -> Value {
    let (reasons, open) = product::suspicions(o, &o.members(entity, country));
    match (reasons.is_empty(), open) {
        (true, true) => json!({}),
        (false, true) => json!({ "match_suspect": true }),
        (none, false) => json!({ "match_suspect": !none, "match_suspect_reasons": { "$set": reasons } }),
    }
}
