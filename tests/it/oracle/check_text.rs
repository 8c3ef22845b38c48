//! Answers to free text, checked as far as they are decided without head nouns and scores: that the product and every
//! related row hold what they must, that what is disclosed fits the product, that rows are in the order of their quality,
//! and that the rest is the answer of the product that was found.

use super::best_price::parameter;
use super::load::Listing;
use super::product;
use super::text::{Readings, Scope, Version};
use super::{Oracle, compare};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The least quality that is answered by default.
const DEFAULT_MIN_QUALITY: f64 = 0.4;

/// What a request says of a text.
struct ProductQuery {
    path: String,
    query: String,
    q: String,
    country: String,
    retailer: Option<String>,
    exact: bool,
    min_quality: Option<f64>,
    strict: bool,
    limit: usize,
}

impl ProductQuery {
    fn read(request: &str) -> ProductQuery {
        let (path, query) = request.split_once('?').unwrap_or((request, ""));
        let p = |name: &str| parameter(query, name);
        ProductQuery {
            path: path.into(),
            query: query.into(),
            q: p("q").unwrap_or_default(),
            country: p("country").unwrap_or_else(|| "us".into()),
            retailer: p("retailer").map(|r| r.to_lowercase()),
            exact: p("exact_query").is_some_and(|v| v == "true"),
            min_quality: p("min_quality").and_then(|v| v.parse().ok()),
            strict: p("strict").is_some_and(|v| v == "true"),
            limit: p("limit").and_then(|l| l.parse().ok()).unwrap_or(10),
        }
    }

    fn readings(&self, o: &Oracle) -> Readings {
        let scope = Scope { country: &self.country, retailer: self.retailer.as_deref() };
        o.readings(&self.q, &scope, self.exact)
    }

    /// The least quality that is answered, in hundredths.
    fn least(&self) -> f64 {
        let default = if self.exact { 0.0 } else { DEFAULT_MIN_QUALITY };
        self.min_quality.unwrap_or(default)
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
        let asked = ProductQuery::read(request);
        let readings = asked.readings(self);
        match status {
            200 if asked.path.ends_with("best-price") => self.check_best_price(&asked, &readings, body),
            200 => self.check_by_entity(&asked, &readings, body),
            404 => self.check_refusal(&asked, &readings, body),
            other => Err(format!("status {other} for a text")),
        }
    }

    /// A quote's product: an entity that the text finds, by the name of a member, and how the text was understood.
    pub fn check_quoted_text(&self, request: &str, product: &Value) -> Result<(), String> {
        let asked = ProductQuery::read(request);
        let readings = asked.readings(self);
        let entity = product["entity_uid"].as_str().ok_or("no entity_uid")?;
        self.read_as(&asked, &readings, product, |l| l.entity == entity)?;
        let at = |l: &&Listing| asked.retailer.as_ref().is_none_or(|r| *r == l.platform);
        let of = |l: &Listing| {
            json!({ "entity_uid": l.entity, "product_name": l.name, "brand": self.brand(l),
                "category_path": self.display(&l.node) })
        };
        let members = self.members(entity, &asked.country);
        let named = members.into_iter().filter(at).any(|l| compare(&of(l), product, "").is_empty());
        if named { Ok(()) } else { Err(format!("quote of {product}, which is no member's name")) }
    }

    /// The version that an answer rests on, and the listing that it found: one of those that the law allows, with what the
    /// answer discloses of it. Nothing where the text was read as another name of the same thing.
    fn read_as<'r>(
        &self,
        asked: &ProductQuery,
        readings: &'r Readings,
        body: &Value,
        may_be: impl Fn(&Listing) -> bool,
    ) -> Result<Option<&'r Version>, String> {
        let quality = body["match_quality"].as_f64().ok_or("no match_quality")?;
        if !(asked.least()..=1.0).contains(&quality)
            || (100.0 * quality - (100.0 * quality).round()).abs() > 1e-9
        {
            return Err(format!("match_quality {quality} under {}", asked.least()));
        }
        let known = self.texts().country(&asked.country);
        let candidates = || known.priced.iter().copied().filter(|i| may_be(&self.listings[*i]));
        let read = body["understood_as"].as_array().map_or(&[][..], Vec::as_slice);
        let other_name = read.iter().find(|read| read["from"].as_str() == Some(&self.plain_text(&asked.q)));
        if let Some(name) = other_name.and_then(|read| read["to"].as_str())
            && candidates().any(|i| self.holds_text(&asked.country, i, name))
        {
            return Ok(None);
        }
        // Quantities are compared in any unit, and words may be read as other names: what is dropped was asked for.
        if !asked.exact && (readings.has_quantity(&asked.q) || read.iter().any(|read| !is_conversion(read))) {
            let terms = self.said_terms(&asked.q);
            let dropped = body["dropped_terms"].as_array().map_or(&[][..], Vec::as_slice);
            let is_asked = |term: &Value| terms.iter().any(|said| compare(said, term, "").is_empty());
            let is_fine = dropped.iter().all(is_asked) && candidates().next().is_some();
            return if is_fine { Ok(None) } else { Err(format!("{:?} drops {dropped:?}", asked.q)) };
        }
        let is_told = |version: &Version, i: usize| {
            let told = self.disclosed(readings, version, &asked.country, i);
            // What holds all terms of a version is preferred to any part of another.
            (version.needed.is_empty() || version.full.contains(&i)) && compare(&told, body, "").is_empty()
        };
        let found = readings.versions.iter().find(|version| candidates().any(|i| is_told(version, i)));
        let Some(found) = found else {
            return Err(format!(
                "{:?} is not read so: {} {}",
                asked.q, body["corrected_terms"], body["dropped_terms"]
            ));
        };
        let dropped = body["dropped_terms"].as_array().map_or(&[][..], Vec::as_slice);
        if quality > 0.99 && !dropped.iter().all(|term| readings.is_about_asking(term)) {
            return Err(format!("match_quality {quality} although {dropped:?} are dropped"));
        }
        Ok(Some(found))
    }

    /// The terms of a text, as an answer repeats them.
    fn plain_text(&self, q: &str) -> String {
        let said = self.said_terms(q);
        said.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
    }

    /// A refusal is of what no product matches well enough, or of what the product that was found cannot answer.
    fn check_refusal(&self, asked: &ProductQuery, readings: &Readings, body: &Value) -> Result<(), String> {
        let details = &body["error"]["details"];
        if details["reason"] == "unknown_product" {
            let quality = details["match_quality"].as_f64().ok_or("no match_quality")?;
            let nearest = details["nearest"].as_array().ok_or("no nearest")?;
            let names = |row: &Value| {
                self.listings.iter().any(|l| Some(l.name.as_str()) == row["product_name"].as_str())
            };
            if nearest.len() > 3
                || !nearest.iter().all(names)
                || nearest.first().is_some_and(|row| row["match_quality"] != details["match_quality"])
            {
                return Err(format!("nearest is {nearest:?} of {quality}"));
            }
            // Nothing is near to what has no known word, and something to what a listing holds.
            let is_held = readings.versions.iter().any(|version| !version.full.is_empty());
            if nearest.is_empty() && is_held || !nearest.is_empty() && quality >= asked.least() {
                return Err(format!("refused with match_quality {quality}: {details}"));
            }
            let want = json!({ "terms": self.said_terms(&asked.q) });
            return said(compare(&want, details, "error.details"));
        }
        let found = readings.versions.iter().flat_map(|version| &version.full);
        let entities: BTreeSet<&str> = found.map(|i| self.listings[*i].entity.as_str()).collect();
        let alike = |e: &&str| {
            let want = self.answer(&asked.instead("entity_uid", e));
            want.status == 404 && (want.details.get("reason").is_none_or(|r| *r == details["reason"]))
        };
        // A part of the terms may be held by any product.
        if entities.is_empty() || entities.iter().any(alike) {
            return Ok(());
        }
        Err(format!("404 {details}, though {} products match", entities.len()))
    }

    /// price-history and price-drop-alert: the answer of an entity that the text finds.
    fn check_by_entity(&self, asked: &ProductQuery, readings: &Readings, body: &Value) -> Result<(), String> {
        let entity = body["entity_uid"].as_str().ok_or("no entity_uid")?;
        self.read_as(asked, readings, body, |l| l.entity == entity)?;
        let want = self.answer(&asked.instead("entity_uid", entity));
        if want.status != 200 {
            return Err(format!("the same entity by uid answers {}", want.status));
        }
        said(compare(&self.of_text(asked, want.body, body), body, ""))
    }

    /// What is expected of a text whose product, asked for otherwise, has this answer.
    fn of_text(&self, asked: &ProductQuery, otherwise: Value, body: &Value) -> Value {
        let mut expected = otherwise;
        for field in ["corrected_terms", "dropped_terms", "match_quality", "understood_as"] {
            expected[field] = body[field].clone();
        }
        expected["query"] = json!(asked.q);
        expected
    }

    fn check_best_price(
        &self,
        asked: &ProductQuery,
        readings: &Readings,
        body: &Value,
    ) -> Result<(), String> {
        let uid = body["product_uid"].as_str().ok_or("no product_uid")?;
        let product = self.listing(uid).ok_or(format!("resolved {uid} is unknown"))?;
        let version = self.read_as(asked, readings, body, |l| l.uid == uid)?;
        // What reads the same matches equally well, so that the law's ties decide.
        let alike = |l: &&Listing| {
            l.name == product.name && l.brand_key == product.brand_key && l.node == product.node
        };
        let rank = |l: &Listing| {
            let (now, members) = (self.now(l), self.members(&l.entity, &asked.country).len());
            (Reverse(members), now.stock != Some(true), now.price, Reverse(now.instant), l.uid.clone())
        };
        let at = |l: &&Listing| asked.retailer.as_ref().is_none_or(|r| *r == l.platform);
        let priced = self.texts().country(&asked.country).priced.iter().map(|i| &self.listings[*i]);
        let first = priced.filter(at).filter(alike).min_by_key(|l| rank(l));
        if let Some(first) = first.filter(|first| first.uid != uid) {
            return Err(format!("{} reads like {uid} and comes first", first.uid));
        }
        let want = self.answer(&asked.instead("product_uid", uid));
        if want.status != 200 {
            return Err(format!("the same product pinned answers {}", want.status));
        }
        said(compare(&self.of_text(asked, want.body, body), body, ""))?;
        version.map_or(Ok(()), |version| self.check_groups(asked, version, &product.entity, body))
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

    /// Related rows are other entities: full matches, then half-matches, both by the tenths of their quality; those of too
    /// little quality are left out. Where nothing matches as a whole, they are what holds a term.
    fn check_groups(
        &self,
        asked: &ProductQuery,
        found: &Version,
        resolved: &str,
        body: &Value,
    ) -> Result<(), String> {
        let likely = self.likely_entities(body)?;
        let known = self.texts().country(&asked.country);
        let held = |i: &usize| found.distinct.iter().filter(|k| known.holds[i].contains(*k)).count();
        // by entity: the numbers of terms that its matches hold
        let group = |listings: &[usize]| {
            let mut entities: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
            for i in listings.iter().filter(|i| held(i) > 0) {
                entities.entry(&self.listings[*i].entity).or_default().insert(held(i));
            }
            entities.remove(resolved);
            entities.retain(|entity, _| !likely.contains(entity));
            entities
        };
        let (full, half) = match found.needed.is_empty() {
            true => (group(&known.priced), BTreeMap::new()),
            false => (group(&found.full), group(&found.half)),
        };
        let rows = body["related_matches"].as_array().ok_or("related_matches is no array")?;
        let (mut is_half, mut tenths) = (false, 10.0);
        for (at, row) in rows.iter().enumerate() {
            let uid = row["product_uid"].as_str().unwrap_or("");
            let entity = self.listing(uid).ok_or(format!("related {uid} is unknown"))?.entity.as_str();
            if !is_half && !full.contains_key(entity) {
                (is_half, tenths) = (true, 10.0);
            }
            let of = if is_half { &half } else { &full };
            let matched = of.get(entity).ok_or(format!("related_matches[{at}] {uid} is no such match"))?;
            let said: Vec<Value> = matched.iter().map(|m| json!([m, found.distinct.len()])).collect();
            if !said.contains(&row["matched_terms"]) {
                let told = &row["matched_terms"];
                return Err(format!("related_matches[{at}].matched_terms: {told} is none of {said:?}"));
            }
            let quality = row["match_quality"].as_f64().ok_or("no match_quality")?;
            let own = (10.0 * quality + 1e-9).floor();
            if own > tenths || quality < DEFAULT_MIN_QUALITY / 2.0 - 1e-9 {
                return Err(format!(
                    "related_matches[{at}] has match_quality {quality} after {tenths} tenths"
                ));
            }
            tenths = own;
        }
        Ok(())
    }

    /// Related rows of a look-up by uid or barcode: what holds the whole name of the product, where the product can be
    /// found by text itself.
    pub fn check_related_by_name(&self, request: &str, body: &Value) -> Result<(), String> {
        let asked = ProductQuery::read(request);
        let uid = body["resolved_product"]["product_uid"].as_str().ok_or("no resolved product")?;
        let product = self.listing(uid).ok_or(format!("resolved {uid} is unknown"))?;
        let rows = body["related_matches"].as_array().ok_or("related_matches is no array")?;
        if let Some(row) = rows.iter().find(|row| row.get("matched_terms") != Some(&Value::Null)) {
            return Err(format!("matched_terms of a look-up by uid: {}", row["matched_terms"]));
        }
        let scope = Scope { country: &asked.country, retailer: asked.retailer.as_deref() };
        let readings = self.readings(&product.name, &scope, true);
        let Some(found) = readings.versions.first() else { return Ok(()) };
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

/// Whether a part of a query is read as a quantity in another unit, or as a limit of the price.
fn is_conversion(read: &Value) -> bool {
    let begins =
        |field: &str| read[field].as_str().is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()));
    read["to"].is_null() || begins("from") && begins("to")
}

fn said(diff: Vec<String>) -> Result<(), String> {
    if diff.is_empty() { Ok(()) } else { Err(diff.join("; ")) }
}
