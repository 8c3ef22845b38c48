//! Likely matches: which links there are is the linker's to say; what an answer makes of them is not.

use super::load::Listing;
use super::{Oracle, best_price::parameter, product};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A link as the export has it.
#[derive(Debug, Clone)]
pub struct Link {
    pub left: String,
    pub right: String,
    pub confidence: f64,
    pub reasons: Vec<String>,
}

impl From<(String, String, f64, Vec<String>)> for Link {
    fn from((left, right, confidence, reasons): (String, String, f64, Vec<String>)) -> Self {
        Self { left, right, confidence, reasons }
    }
}

/// The likely rows of an entity, before any limit: the listing and its link.
fn rows<'a>(
    o: &'a Oracle,
    entity: &str,
    country: &str,
    retailer: Option<&str>,
) -> Vec<(&'a Listing, &'a Link)> {
    let members: BTreeSet<&str> = o.members(entity, country).iter().map(|l| l.uid.as_str()).collect();
    let mut by_retailer: BTreeMap<&str, Vec<(&Listing, &Link)>> = BTreeMap::new();
    for link in &o.links {
        for (here, there) in [(&link.left, &link.right), (&link.right, &link.left)] {
            let Some(l) = o.listing(there).filter(|_| members.contains(here.as_str())) else { continue };
            let wanted = retailer.is_none_or(|r| r == l.platform);
            if l.country == country && l.entity != entity && wanted && o.priced(l) {
                by_retailer.entry(&l.platform).or_default().push((l, link));
            }
        }
    }
    let best = |all: Vec<(&'a Listing, &'a Link)>| {
        let surest = all.iter().map(|x| x.1.confidence).fold(0.0, f64::max);
        let sure: Vec<_> = all.into_iter().filter(|x| x.1.confidence == surest).collect();
        let listings: Vec<&Listing> = sure.iter().map(|x| x.0).collect();
        let first = product::rows(o, &listings, None)[0];
        sure.into_iter().find(|x| x.0.uid == first.uid).expect("one of them")
    };
    let chosen: Vec<(&Listing, &Link)> = by_retailer.into_values().map(best).collect();
    let listings: Vec<&Listing> = chosen.iter().map(|x| x.0).collect();
    let place = |l: &Listing| chosen.iter().find(|x| x.0.uid == l.uid).copied().expect("chosen");
    product::rows(o, &listings, None).into_iter().map(place).collect()
}

impl Oracle {
    /// What is wrong with the likely fields of an answer of best-price, whatever it was asked by.
    pub fn check_likely(&self, query: &str, answer: &Value) -> Result<(), String> {
        if parameter(query, "linking").is_none_or(|linking| linking == "off") {
            let off = answer["likely_matches"].is_null() && answer["likely_cheaper"].is_null();
            return if off { Ok(()) } else { Err("likely fields though linking is off".into()) };
        }
        let entity = answer["resolved_product"]["entity_uid"].as_str().ok_or("no resolved entity")?;
        let country = parameter(query, "country").unwrap_or_else(|| "us".into());
        let retailer = parameter(query, "retailer").map(|r| r.to_lowercase());
        let limit: usize = parameter(query, "limit").and_then(|l| l.parse().ok()).unwrap_or(10);
        let all = rows(self, entity, &country, retailer.as_deref());
        let best = answer["best_price"]["product_uid"]
            .as_str()
            .and_then(|uid| self.listing(uid))
            .ok_or("no best")?;
        let cheaper = all.iter().any(|(l, _)| {
            let now = self.now(l);
            l.condition == "new" && now.stock != Some(false) && now.price < self.now(best).price
        });
        let row = |(l, link): &(&Listing, &Link)| {
            let mut row = product::row(self, l, "likely", false);
            if self.members(&l.entity, &country).len() < 2 {
                row["entity_uid"] = Value::Null;
            }
            row["confidence"] = json!((link.confidence * 100.0 + 1e-9).floor() / 100.0);
            // Members of the entity may be linked to one listing equally surely, for other reasons each.
            let told = answer["likely_matches"].as_array().into_iter().flatten();
            let told = told.filter(|row| row["product_uid"] == json!(l.uid)).map(|row| &row["match_reasons"]);
            let alike = self.links.iter().filter(|other| {
                [&other.left, &other.right].contains(&&l.uid) && other.confidence == link.confidence
            });
            let alike: Vec<Value> = alike.map(|other| json!(other.reasons)).collect();
            let told = told.into_iter().find(|reasons| alike.contains(reasons)).cloned();
            row["match_reasons"] = told.unwrap_or_else(|| json!(link.reasons));
            row
        };
        let served: Vec<Value> = all.iter().take(limit).map(row).collect();
        let mut wrong = super::compare(&json!(served), &answer["likely_matches"], "likely_matches");
        wrong.extend(super::compare(&json!(cheaper), &answer["likely_cheaper"], "likely_cheaper"));
        for related in answer["related_matches"].as_array().into_iter().flatten() {
            let uid = related["product_uid"].as_str().unwrap_or("");
            let entity = self.listing(uid).map(|l| &l.entity);
            if all.iter().any(|(l, _)| Some(&l.entity) == entity) {
                wrong.push(format!("related {uid} is a likely match"));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }
}
