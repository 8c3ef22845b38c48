//! Answers to free text, checked as far as the law decides them: what the query was understood to be, exactly; that
//! the product and every related row hold what they must, that no row is missing or out of its group; and that the
//! rest is the answer of the product that was found. The score that orders full matches, and half-matches, is open.

use super::best_price::parameter;
use super::load::Listing;
use super::product;
use super::text::{Scope, Understood};
use super::{Oracle, compare};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What a request says of a text.
struct Asked {
    path: String,
    query: String,
    q: String,
    country: String,
    retailer: Option<String>,
    exact: bool,
    strict: bool,
    limit: usize,
}

impl Asked {
    fn read(request: &str) -> Asked {
        let (path, query) = request.split_once('?').unwrap_or((request, ""));
        let p = |name: &str| parameter(query, name);
        Asked {
            path: path.into(),
            query: query.into(),
            q: p("q").unwrap_or_default(),
            country: p("country").unwrap_or_else(|| "us".into()),
            retailer: p("retailer").map(|r| r.to_lowercase()),
            exact: p("exact_query").is_some_and(|v| v == "true"),
            strict: p("strict").is_some_and(|v| v == "true"),
            limit: p("limit").and_then(|l| l.parse().ok()).unwrap_or(10),
        }
    }

    fn understood(&self, o: &Oracle) -> Result<Understood, Value> {
        let scope = Scope { country: &self.country, retailer: self.retailer.as_deref() };
        o.understand(&self.q, &scope, self.exact)
    }

    /// The same request for something else than the text.
    fn instead(&self, name: &str, value: &str) -> String {
        let rest = self.query.split('&').filter(|x| !x.starts_with("q=")).map(str::to_string);
        let query = rest.chain([format!("{name}={value}")]).collect::<Vec<_>>().join("&");
        format!("{}?{query}", self.path)
    }
}

impl Oracle {
    /// What is wrong with the answer to a text.
    pub fn check_text(&self, request: &str, status: u16, body: &Value) -> Result<(), String> {
        let asked = Asked::read(request);
        let found = match asked.understood(self) {
            Ok(found) => found,
            Err(details) => {
                let want = json!({ "code": "NO_RESULTS", "details": details });
                let mut diff = compare(&want, body.get("error").unwrap_or(body), "error");
                diff.extend((status != 404).then(|| format!("status {status}, expected 404 {details}")));
                return said(diff);
            }
        };
        match status {
            200 if asked.path.ends_with("best-price") => self.check_best_price(&asked, &found, body),
            200 => self.check_by_entity(&asked, &found, body),
            404 => self.check_refusal(&asked, &found, body),
            other => Err(format!("status {other} for a text")),
        }
    }

    /// A quote's product: an entity that the text finds, by the name of a member, and how the text was understood.
    pub fn check_quoted_text(&self, request: &str, product: &Value) -> Result<(), String> {
        let asked = Asked::read(request);
        let found = asked.understood(self).map_err(|details| format!("quoted, expected 404 {details}"))?;
        said(compare(&disclosed(&found), product, "quote"))?;
        let entity = product["entity_uid"].as_str().ok_or("no entity_uid")?;
        if !found.full.iter().any(|i| self.listings[*i].entity == entity) {
            return Err(format!("quote of {entity}, which the text does not find"));
        }
        let at = |l: &&Listing| asked.retailer.as_ref().is_none_or(|r| *r == l.platform);
        let of = |l: &Listing| {
            json!({ "entity_uid": l.entity, "product_name": l.name, "brand": self.brand(l),
                "category_path": self.display(&l.node) })
        };
        let members = self.members(entity, &asked.country);
        let named = members.into_iter().filter(at).any(|l| compare(&of(l), product, "").is_empty());
        if named { Ok(()) } else { Err(format!("quote of {product}, which is no member's name")) }
    }

    /// A refusal of a text that finds something can only be about what it found.
    fn check_refusal(&self, asked: &Asked, found: &Understood, body: &Value) -> Result<(), String> {
        let entities: BTreeSet<&str> = found.full.iter().map(|i| self.listings[*i].entity.as_str()).collect();
        let reason = &body["error"]["details"]["reason"];
        let alike = |e: &&str| {
            let want = self.answer(&asked.instead("entity_uid", e));
            want.status == 404 && (want.details.get("reason").is_none_or(|r| r == reason))
        };
        if reason == "unknown_product" || !entities.iter().any(alike) {
            return Err(format!(
                "404 {}, though {} listings match {:?}",
                body["error"]["details"],
                found.full.len(),
                found.kept
            ));
        }
        Ok(())
    }

    /// price-history and price-drop-alert: the answer of an entity that the text finds.
    fn check_by_entity(&self, asked: &Asked, found: &Understood, body: &Value) -> Result<(), String> {
        let entity = body["entity_uid"].as_str().ok_or("no entity_uid")?;
        if !found.full.iter().any(|i| self.listings[*i].entity == entity) {
            return Err(format!("{entity} does not hold {:?}", found.kept));
        }
        let want = self.answer(&asked.instead("entity_uid", entity));
        if want.status != 200 {
            return Err(format!("the same entity by uid answers {}", want.status));
        }
        let mut expected = super::merge(want.body, disclosed(found));
        expected["query"] = json!(asked.q);
        said(compare(&expected, body, ""))
    }

    fn check_best_price(&self, asked: &Asked, found: &Understood, body: &Value) -> Result<(), String> {
        said(compare(&disclosed(found), body, ""))?;
        let uid = body["product_uid"].as_str().ok_or("no product_uid")?;
        let product = self.listing(uid).ok_or(format!("resolved {uid} is unknown"))?;
        let full = || found.full.iter().map(|i| &self.listings[*i]);
        if !full().any(|l| l.uid == uid) {
            return Err(format!("resolved {uid} does not hold {:?}", found.kept));
        }
        // What reads the same matches equally well, so that the law's ties decide.
        let alike = |l: &&Listing| {
            l.name == product.name && l.brand_key == product.brand_key && l.node == product.node
        };
        let rank = |l: &Listing| {
            let (now, members) = (self.now(l), self.members(&l.entity, &asked.country).len());
            (Reverse(members), now.stock != Some(true), now.price, Reverse(now.instant), l.uid.clone())
        };
        if let Some(first) = full().filter(alike).min_by_key(|l| rank(l)).filter(|first| first.uid != uid) {
            return Err(format!("{} reads like {uid} and comes first", first.uid));
        }
        let want = self.answer(&asked.instead("product_uid", uid));
        if want.status != 200 {
            return Err(format!("the same product pinned answers {}", want.status));
        }
        let mut expected = super::merge(want.body, disclosed(found));
        expected["query"] = json!(asked.q);
        said(compare(&expected, body, ""))?;
        self.check_groups(asked, found, &product.entity, body)
    }

    /// Entities of likely matches, which related rows pass over; there may be more than are shown.
    fn likely_entities(&self, body: &Value) -> Result<BTreeSet<&str>, String> {
        let rows = body["likely_matches"].as_array().map_or(&[][..], Vec::as_slice);
        let entity = |row: &Value| {
            let listing = row["product_uid"].as_str().and_then(|uid| self.listing(uid));
            Ok(listing.ok_or(format!("likely {row} is unknown"))?.entity.as_str())
        };
        rows.iter().map(entity).collect()
    }

    /// Related rows are other entities: full matches, then half-matches, as many as there are up to the limit.
    fn check_groups(
        &self,
        asked: &Asked,
        found: &Understood,
        resolved: &str,
        body: &Value,
    ) -> Result<(), String> {
        let likely = self.likely_entities(body)?;
        if asked.strict || likely.len() >= asked.limit {
            return Ok(());
        }
        // by entity: the numbers of terms that its matches hold
        let group = |listings: &[usize]| {
            let mut entities: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
            for i in listings {
                let held = &self.texts().country(&asked.country).holds[i];
                let matched = found.distinct.iter().filter(|k| held.contains(*k)).count();
                entities.entry(&self.listings[*i].entity).or_default().insert(matched);
            }
            entities.remove(resolved);
            entities.retain(|entity, _| !likely.contains(entity));
            entities
        };
        let full = group(&found.full);
        let mut half = group(&found.half);
        half.retain(|e, _| !full.contains_key(e));
        let rows = body["related_matches"].as_array().ok_or("related_matches is no array")?;
        let wanted = asked.limit.min(full.len() + half.len());
        if rows.len() != wanted {
            let counts = format!("{} full and {} half-matches", full.len(), half.len());
            return Err(format!("{} related rows, expected {wanted}: {counts}", rows.len()));
        }
        for (at, row) in rows.iter().enumerate() {
            let uid = row["product_uid"].as_str().unwrap_or("");
            let entity = &self.listing(uid).ok_or(format!("related {uid} is unknown"))?.entity;
            let (name, of) = if at < full.len() { ("full", &full) } else { ("half", &half) };
            let matched =
                of.get(entity.as_str()).ok_or(format!("related_matches[{at}] {uid} is no {name} match"))?;
            let said: Vec<Value> = matched.iter().map(|m| json!([m, found.distinct.len()])).collect();
            if !said.contains(&row["matched_terms"]) {
                return Err(format!(
                    "related_matches[{at}].matched_terms: {} is none of {said:?}",
                    row["matched_terms"]
                ));
            }
        }
        Ok(())
    }

    /// Related rows of a look-up by uid or barcode: what holds the whole name of the product, where the product can be
    /// found by text itself.
    pub fn check_related_by_name(&self, request: &str, body: &Value) -> Result<(), String> {
        let asked = Asked::read(request);
        let uid = body["resolved_product"]["product_uid"].as_str().ok_or("no resolved product")?;
        let product = self.listing(uid).ok_or(format!("resolved {uid} is unknown"))?;
        let rows = body["related_matches"].as_array().ok_or("related_matches is no array")?;
        if let Some(row) = rows.iter().find(|row| row.get("matched_terms") != Some(&Value::Null)) {
            return Err(format!("matched_terms of a look-up by uid: {}", row["matched_terms"]));
        }
        let scope = Scope { country: &asked.country, retailer: asked.retailer.as_deref() };
        let Ok(found) = self.understand(&product.name, &scope, true) else { return Ok(()) };
        if asked.strict || !self.priced(product) {
            return Ok(());
        }
        let mut entities: BTreeSet<&str> =
            found.full.iter().map(|i| self.listings[*i].entity.as_str()).collect();
        entities.remove(product.entity.as_str());
        let likely = self.likely_entities(body)?;
        entities.retain(|entity| !likely.contains(entity));
        let all_shown = likely.len() < asked.limit;
        if all_shown && rows.len() != asked.limit.min(entities.len()) || rows.len() > entities.len() {
            return Err(format!("{} related rows of a name that {} others hold", rows.len(), entities.len()));
        }
        let stranger = rows.iter().find(|row| {
            let l = self.listing(row["product_uid"].as_str().unwrap_or(""));
            !l.is_some_and(|l| entities.contains(l.entity.as_str()))
        });
        stranger.map_or(Ok(()), |row| Err(format!("related {} does not hold the name", row["product_uid"])))
    }
}

fn disclosed(found: &Understood) -> Value {
    json!({ "corrected_terms": found.corrected, "dropped_terms": found.dropped })
}

fn said(diff: Vec<String>) -> Result<(), String> {
    if diff.is_empty() { Ok(()) } else { Err(diff.join("; ")) }
}
