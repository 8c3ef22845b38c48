//! The slow truth: answers recomputed from raw input folders by the definitions alone, with linear scans
//! and exact fractions. Nothing here may import the server's library. One file per endpoint.
//!
//! `write_input(dir, seed)` makes a dirty input, `Oracle::load(&[dir])` reads it, `requests(&oracle, seed)`
//! draws requests, `oracle.answer(request)` is what is expected, and `oracle.check(&expected, request, status, &body)`
//! lists what is wrong with the server's answer.

#![allow(dead_code, unused_imports, unreachable_pub, missing_docs, clippy::pedantic, clippy::type_complexity)]

pub mod category;
pub mod compare;
pub mod day;
pub mod dirty;
pub mod dress;
pub mod everyday;
pub mod forms;
pub mod frac;
pub mod ids;
pub mod load;
pub mod pack;
pub mod params;
pub mod product;
pub mod requests;
pub mod shelf;
pub mod tables;
pub mod text;
pub mod words;
pub mod written;

mod availability_index;
mod basket;
mod best_price;
mod best_prices;
mod brand_breakdown;
mod brand_tracker;
mod brick_attributes;
mod category_concentration;
mod category_summary;
mod check_text;
mod classify;
mod coverage;
mod deal_finder;
mod discovery;
pub mod index_numbers;
mod inflation;
mod landscape;
pub mod likely;
mod price_bands;
mod price_change_leaders;
mod price_dispersion;
mod price_drop_alert;
mod price_history;
mod price_index;
mod price_positioning;
mod promo_intelligence;
mod retailer_assortment;
mod retailer_index;
mod share_of_shelf;
mod stats;

use category::{Resolved, Scope};
pub use compare::compare;
pub use dirty::{write_ambiguous_input, write_input};
pub use dress::Trouble;
use load::{GpcNode, Listing, Obs};
use params::{Params, Window};
pub use requests::{requests, text_requests};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A catalog, kept as plain rows.
pub struct Oracle {
    pub listings: Vec<Listing>,
    /// The midnight after the last observation day.
    pub n: i64,
    pub gpc: BTreeMap<String, GpcNode>,
    pub gpc_date: String,
    pub gpc_has_attributes: bool,
    pub aliases: Vec<(String, String)>,
    pub category_gpc: BTreeMap<String, String>,
    pub rows_read: usize,
    pub rows_rejected: usize,
    pub rows_far_ahead: usize,
    /// Country to slug paths with their priced listings.
    pub trees: BTreeMap<&'static str, BTreeMap<String, usize>>,
    segment_labels: BTreeMap<String, String>,
    brand_labels: BTreeMap<String, String>,
    cells: Vec<coverage::Cell>,
    everyday: everyday::Table,
    texts: std::sync::OnceLock<text::Texts>,
    /// Likely links, which whoever compares answers has to bring.
    pub links: Vec<likely::Link>,
}

/// The decided part of an answer. Status 0: a free text, for which only [`Oracle::check`] can speak.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    pub status: u16,
    pub code: Option<String>,
    pub bad_parameters: Vec<String>,
    pub details: Value,
    pub body: Value,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Refusal {
    Bad(BTreeSet<String>),
    NotEligible(Value),
    NotPublished,
    /// Free text: ranked elsewhere, checked by [`Oracle::check_text`].
    Text,
    NoResults(Value),
}

pub type Answer = Result<Value, Refusal>;

/// A 404 that says why; a reason is named only where the law leaves one.
pub fn nothing(details: Value) -> Refusal {
    Refusal::NoResults(details)
}

impl Oracle {
    /// The endpoints that are recomputed here.
    pub const ENDPOINTS: &[(&str, fn(&Oracle, &str) -> Answer)] = &[
        ("/v1/shopper/best-price", best_price::answer),
        ("/v1/shopper/price-history", price_history::answer),
        ("/v1/shopper/deal-finder", deal_finder::answer),
        ("/v1/shopper/price-drop-alert", price_drop_alert::answer),
        ("/v1/marketing/competitive-landscape", landscape::answer),
        ("/v1/marketing/promo-intelligence", promo_intelligence::answer),
        ("/v1/marketing/share-of-shelf", share_of_shelf::answer),
        ("/v1/marketing/brand-tracker", brand_tracker::answer),
        ("/v1/analyst/inflation", inflation::answer),
        ("/v1/analyst/retailer-index", retailer_index::answer),
        ("/v1/analyst/price-bands", price_bands::answer),
        ("/v1/analyst/price-dispersion", price_dispersion::answer),
        ("/v1/marketing/availability-index", availability_index::answer),
        ("/v1/shopper/basket", basket::answer),
        ("/v1/shopper/best-prices", best_prices::answer),
        ("/v1/marketing/brand-breakdown", brand_breakdown::answer),
        ("/v1/analyst/category-concentration", category_concentration::answer),
        ("/v1/analyst/category-summary", category_summary::answer),
        ("/v1/analyst/price-change-leaders", price_change_leaders::answer),
        ("/v1/analyst/price-index", price_index::answer),
        ("/v1/marketing/price-positioning", price_positioning::answer),
        ("/v1/marketing/retailer-assortment", retailer_assortment::answer),
        ("/v1/public/stats", stats::answer),
        ("/v1/public/coverage", coverage::answer),
        ("/v1/public/categories", discovery::categories),
        ("/v1/public/retailers", discovery::retailers),
        ("/v1/public/brands", discovery::brands),
        ("/v1/reference/brick-attributes", brick_attributes::answer),
        ("/v1/reference/classify", classify::answer),
        ("/v1/social/category-structure", unpublished),
        ("/v1/social/topic-trends", unpublished),
        ("/v1/social/product-type-trends", unpublished),
    ];

    pub fn load(dirs: &[PathBuf]) -> Oracle {
        Self::try_load(dirs).expect("forms that decide")
    }

    /// As [`Oracle::load`]; the files that leave doubt about their forms where there are any.
    pub fn try_load(dirs: &[PathBuf]) -> Result<Oracle, Vec<load::Doubtful>> {
        Ok(Self::of(load::try_load(dirs)?))
    }

    fn of(raw: load::Raw) -> Oracle {
        let last = raw.listings.iter().filter_map(|l| l.days.keys().last()).max().copied();
        let mut segments: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        let mut brands: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for l in &raw.listings {
            for depth in 1..=l.path.len() {
                let votes = segments.entry(category::node_at(l, depth)).or_default();
                *votes.entry(l.path[depth - 1].1.clone()).or_insert(0) += 1;
            }
            if let (Some(key), Some(spelling)) = (&l.brand_key, &l.brand_raw) {
                *brands.entry(key.clone()).or_default().entry(spelling.clone()).or_insert(0) += 1;
            }
        }
        let mut o = Oracle {
            n: last.map_or(0, |d| d + 1),
            listings: raw.listings,
            gpc: raw.gpc,
            gpc_date: raw.gpc_date,
            gpc_has_attributes: raw.gpc_has_attributes,
            aliases: raw.aliases,
            category_gpc: raw.category_gpc,
            rows_read: raw.rows_read,
            rows_rejected: raw.rows_rejected,
            rows_far_ahead: raw.rows_far_ahead,
            trees: BTreeMap::new(),
            segment_labels: segments.into_iter().map(|(k, v)| (k, most_frequent(&v))).collect(),
            brand_labels: brands.into_iter().map(|(k, v)| (k, most_frequent(&v))).collect(),
            cells: Vec::new(),
            everyday: everyday::table(),
            texts: std::sync::OnceLock::new(),
            links: Vec::new(),
        };
        for country in ["us", "ca"] {
            let tree = category::tree(&o, country);
            o.trees.insert(country, tree);
        }
        o.cells = coverage::cells(&o);
        o
    }

    /// The answer to a request line's path and query.
    pub fn answer(&self, path_and_query: &str) -> Expected {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let Some((_, endpoint)) = Self::ENDPOINTS.iter().find(|e| e.0 == path) else {
            return Expected { status: 404, code: Some("NOT_FOUND".into()), ..Expected::default() };
        };
        match endpoint(self, query) {
            Ok(body) => Expected { status: 200, body, ..Expected::default() },
            Err(Refusal::Bad(names)) => Expected {
                status: 400,
                code: Some("INVALID_PARAMS".into()),
                bad_parameters: names.into_iter().collect(),
                ..Expected::default()
            },
            Err(Refusal::NotEligible(details)) => Expected {
                status: 404,
                code: Some("RETAILER_NOT_SERVING_ELIGIBLE".into()),
                details,
                ..Expected::default()
            },
            Err(Refusal::Text) => Expected::default(),
            Err(Refusal::NotPublished) => {
                Expected { status: 404, code: Some("NOT_PUBLISHED".into()), ..Expected::default() }
            }
            Err(Refusal::NoResults(details)) => {
                Expected { status: 404, code: Some("NO_RESULTS".into()), details, ..Expected::default() }
            }
        }
    }

    /// Everything that is wrong with the server's answer to a request of which this is expected; nothing where it is
    /// right.
    pub fn check(&self, want: &Expected, request: &str, status: u16, body: &Value) -> Vec<String> {
        if want.status == 0 {
            let mut wrong: Vec<String> = self.check_text(request, status, body).err().into_iter().collect();
            if status == 200 && request.starts_with("/v1/shopper/best-price?") {
                wrong.extend(self.check_related(request, body).err());
            }
            return wrong;
        }
        if want.status != status {
            let code = want.code.as_deref().unwrap_or_default();
            return vec![format!("status: expected {} {code}, got {status} {body}", want.status)];
        }
        if status == 200 {
            let mut wrong = compare(&want.body, body, "");
            if request.starts_with("/v1/shopper/best-price?") {
                wrong.extend(self.check_related(request, body).err());
                wrong.extend(self.check_related_by_name(request, body).err());
            }
            return wrong;
        }
        let error = body.get("error").unwrap_or(body);
        let mut wrong = compare(&json!(want.code), &error["code"], "error.code");
        if status == 400 {
            let named = error["details"]["parameters"].as_array().cloned().unwrap_or_default();
            let mut names: Vec<&str> = named.iter().filter_map(|p| p["parameter"].as_str()).collect();
            names.sort_unstable();
            wrong.extend(compare(&json!(want.bad_parameters), &json!(names), "parameters"));
        }
        if want.details.is_object() {
            wrong.extend(compare(&want.details, &error["details"], "error.details"));
        }
        wrong
    }

    /// The latest observation with its day.
    pub fn latest<'a>(&self, l: &'a Listing) -> Option<(i64, &'a Obs)> {
        l.days.iter().next_back().map(|(d, o)| (*d, o))
    }

    pub fn priced(&self, l: &Listing) -> bool {
        self.latest(l).is_some_and(|(d, _)| d >= self.n - 90)
    }

    /// What was observed last; only for listings that have been.
    pub fn now<'a>(&self, l: &'a Listing) -> &'a Obs {
        self.latest(l).expect("an observed listing").1
    }

    /// A node's display path.
    pub fn display(&self, node: &str) -> String {
        let cuts = node.match_indices('/').map(|(i, _)| i).chain([node.len()]);
        cuts.map(|i| self.segment_labels[&node[..i]].as_str()).collect::<Vec<_>>().join(" > ")
    }

    pub fn brand(&self, l: &Listing) -> Option<&str> {
        l.brand_key.as_ref().map(|k| self.brand_labels[k].as_str())
    }

    pub fn brand_label(&self, key: &str) -> Option<&str> {
        self.brand_labels.get(key).map(String::as_str)
    }

    /// The brand of a parameter that the country has: (key, label), or its 404.
    pub fn known_brand(&self, country: &str, text: Option<String>) -> Result<Option<String>, Refusal> {
        let Some(text) = text else { return Ok(None) };
        let key = words::brand_key(&text);
        let known = |k: &String| {
            self.listings.iter().any(|l| l.country == country && l.brand_key.as_ref() == Some(k))
        };
        match key.filter(known) {
            Some(k) => Ok(Some(k)),
            None => {
                let key = words::brand_key(&text);
                let other = self.other_country(country, &|l| key.is_some() && l.brand_key == key);
                Err(nothing(json!({ "reason": "unknown_brand", "other_country": other })))
            }
        }
    }

    /// The other country, where it has such a listing at a price.
    pub fn other_country(&self, country: &str, is_it: &dyn Fn(&Listing) -> bool) -> Option<&'static str> {
        let other = if country == "us" { "ca" } else { "us" };
        let has = |l: &Listing| l.country == other && self.priced(l) && is_it(l);
        self.listings.iter().any(has).then_some(other)
    }

    /// All members of an entity in a country.
    pub fn members(&self, entity: &str, country: &str) -> Vec<&Listing> {
        self.listings.iter().filter(|l| l.entity == entity && l.country == country).collect()
    }

    /// 404 for a retailer without a serving cell in the country.
    pub fn eligible(&self, retailer: Option<&str>, country: &str) -> Result<(), Refusal> {
        let Some(retailer) = retailer else { return Ok(()) };
        let here = || self.cells.iter().filter(|c| c.country == country);
        let serving: BTreeSet<&str> =
            here().filter(|c| c.status() == "serving").map(|c| c.platform.as_str()).collect();
        if serving.contains(retailer) {
            return Ok(());
        }
        let own: Vec<&str> = here().filter(|c| c.platform == retailer).map(|c| c.status()).collect();
        let best = ["serving", "thin", "stale"].into_iter().find(|s| own.contains(s));
        Err(Refusal::NotEligible(json!({
            "retailer": retailer, "country": country, "quality_status": best,
            "serving_eligible_retailers": serving,
        })))
    }

    /// The category of a request, or its 404.
    pub fn shelf(
        &self,
        country: &str,
        category: Option<&str>,
        department: Option<&str>,
    ) -> Result<Resolved, Refusal> {
        category::resolve(self, country, category, department).ok_or_else(|| {
            let other = if country == "us" { "ca" } else { "us" };
            let there = category::resolve(self, other, category, department);
            let other = there.and_then(|found| {
                self.other_country(country, &|l| category::in_scope(self, l, &found.scope))
            });
            nothing(json!({ "reason": "unknown_category", "other_country": other }))
        })
    }

    /// The listings of a scope, by product_uid.
    pub fn scope(&self, country: &str, scope: Option<&Scope>, retailer: Option<&str>) -> Vec<&Listing> {
        let mut found: Vec<&Listing> = self
            .listings
            .iter()
            .filter(|l| l.country == country)
            .filter(|l| retailer.is_none_or(|r| l.platform == r))
            .filter(|l| scope.is_none_or(|s| category::in_scope(self, l, s)))
            .collect();
        found.sort_by(|a, b| a.uid.cmp(&b.uid));
        found
    }
}

/// No snapshot has social rollups.
fn unpublished(_: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["country"]);
    p.country();
    checked(&p)?;
    Err(Refusal::NotPublished)
}

/// Which spelling is shown: the most frequent one, the smallest by code point among equals.
fn most_frequent(votes: &BTreeMap<String, usize>) -> String {
    let top = votes.values().max().copied().unwrap_or(0);
    votes.iter().find(|(_, n)| **n == top).map(|(s, _)| s.clone()).unwrap_or_default()
}

pub use frac::mean_pct_of as mean_pct;

pub fn currency(country: &str) -> &'static str {
    if country == "ca" { "CAD" } else { "USD" }
}

/// Ends the reading of parameters: all bad ones at once.
pub fn checked(p: &Params) -> Result<(), Refusal> {
    if p.bad.is_empty() { Ok(()) } else { Err(Refusal::Bad(p.bad.clone())) }
}

/// `price_observed_at_min/max` over the instants of what went into an answer.
pub fn meta(instants: impl IntoIterator<Item = i64>) -> Value {
    let all: Vec<i64> = instants.into_iter().collect();
    json!({
        "served_from": "memory", "schema_version": "1.0.0",
        "price_observed_at_min": all.iter().min().map(|s| day::instant_text(*s)),
        "price_observed_at_max": all.iter().max().map(|s| day::instant_text(*s)),
    })
}

/// The same over observations by day: only a listing's latest one has an instant, so the day is compared.
pub fn meta_of_days<'a>(points: impl IntoIterator<Item = (&'a Listing, i64)>) -> Value {
    let days: Vec<i64> = points.into_iter().map(|(_, d)| d).collect();
    let on = |d: Option<&i64>| d.map(|d| json!({ "$starts": format!("{}T", day::text(*d)) }));
    json!({
        "served_from": "memory", "schema_version": "1.0.0",
        "price_observed_at_min": on(days.iter().min()), "price_observed_at_max": on(days.iter().max()),
    })
}

/// Details of a window without observations: what the same scope holds outside of it.
pub fn unobserved(listings: &[&Listing]) -> Refusal {
    let Refusal::NoResults(mut details) = observed_span(listings) else { unreachable!() };
    details["reason"] = json!("no_observation_in_window");
    nothing(details)
}

/// The same where another reason may come first.
pub fn observed_span(listings: &[&Listing]) -> Refusal {
    let first = listings.iter().filter_map(|l| l.days.keys().next()).min();
    let last = listings.iter().filter_map(|l| l.days.keys().next_back()).max();
    nothing(json!({
        "observed_from": first.map(|d| day::text(*d)), "observed_to": last.map(|d| day::text(*d)),
    }))
}

/// The head that marketing and analyst answers share.
pub fn head(country: &str, retailer: Option<&str>, resolved: &Resolved) -> Value {
    json!({
        "country": country, "currency": currency(country), "category": resolved.category_path,
        "department": resolved.department, "retailer": retailer, "resolved": resolved.json(),
    })
}

pub fn merge(mut a: Value, b: Value) -> Value {
    let (Some(into), Value::Object(from)) = (a.as_object_mut(), b) else { panic!("two objects") };
    into.extend(from);
    a
}

/// The observations of a listing in a window.
pub fn in_window<'a>(l: &'a Listing, w: &Window) -> Vec<(i64, &'a Obs)> {
    l.days.iter().filter(|(d, _)| w.holds(**d)).map(|(d, o)| (*d, o)).collect()
}
