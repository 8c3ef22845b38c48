//! What is asked, and what each snapshot answers to it alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use pricebook::bench::sample::Sampler;
use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::query::endpoint::{Route, Stamp};
use pricebook::query::refusal::Refusal;
use pricebook::query::representation::Json;
use pricebook::query::suggest::complete;
use pricebook::stats::rng::Rng;
use pricebook::types::Instant;
use serde_json::{Value, json};

/// Requests drawn from each snapshot for each route.
const DRAWN_PER_ROUTE: usize = 12;
/// What is added to one request in ten, so that it is refused.
const FAULTS: [&str; 4] = ["limit=99999999", "unheard_of=1", "country=zz", "%ff=%00"];

/// A status, and the bytes of an answer without its clocks; of an error, code and details.
pub(super) type Said = (u16, Vec<u8>);

pub(super) struct Answers {
    routes: Vec<Route>,
    catalogs: BTreeMap<String, Arc<Catalog>>,
    /// Every request that may be sent.
    pub(super) requests: Vec<String>,
    known: Mutex<BTreeMap<(String, usize), Arc<Said>>>,
}

impl Answers {
    /// The routes' examples, and requests drawn from each snapshot.
    pub(super) fn of(catalogs: &[Arc<Catalog>], seed: u64) -> Self {
        let (routes, mut rng) = (endpoints::routes(), Rng::new(seed));
        let mut requests = BTreeSet::new();
        for route in &routes {
            requests.extend(route.examples.iter().map(|example| route.request(example)));
            for catalog in catalogs {
                let sampler = Sampler::new(catalog, seed).unwrap();
                for _ in 0..DRAWN_PER_ROUTE {
                    let mut asked = route.request(&sampler.draw(route, &mut rng).unwrap());
                    if rng.chance(10) {
                        asked.push(if asked.contains('?') { '&' } else { '?' });
                        asked.push_str(rng.pick(&FAULTS).unwrap());
                    }
                    requests.insert(asked);
                }
            }
        }
        let catalogs =
            catalogs.iter().map(|catalog| (catalog.id().to_owned(), Arc::clone(catalog))).collect();
        Self { routes, catalogs, requests: requests.into_iter().collect(), known: Mutex::default() }
    }

    /// What the snapshot of this id answers; `None` where there is no such snapshot.
    pub(super) fn expected(&self, id: &str, request: usize) -> Option<Arc<Said>> {
        let catalog = self.catalogs.get(id)?;
        let key = (id.to_owned(), request);
        if let Some(known) = self.known.lock().unwrap().get(&key) {
            return Some(Arc::clone(known));
        }
        let said = Arc::new(self.answer(catalog, &self.requests[request]));
        Some(Arc::clone(self.known.lock().unwrap().entry(key).or_insert(said)))
    }

    fn answer(&self, catalog: &Arc<Catalog>, request: &str) -> Said {
        let (path, query) = request.split_once('?').unwrap_or((request, ""));
        let route = self.routes.iter().find(|route| route.path == path).unwrap();
        let stamp = Stamp { computed_at: Instant::from_micros(0), freshness_seconds: 0 };
        let work = route.parse(query, catalog.as_of()).map_err(Refusal::BadParameters);
        match work.and_then(|parsed| parsed.resolve(catalog)) {
            Ok(work) => (200, timeless(&work.run(stamp, &Json).unwrap())),
            Err(refusal) => error(complete(refusal, catalog)),
        }
    }
}

fn error(refusal: Refusal) -> Said {
    let (status, code, details) = match refusal {
        Refusal::BadParameters(parameters) => (400, "INVALID_PARAMS", json!({ "parameters": parameters })),
        Refusal::RetailerNotServing(details) => (404, "RETAILER_NOT_SERVING_ELIGIBLE", json!(details)),
        Refusal::NoResults { details, .. } => (404, "NO_RESULTS", json!(details)),
        Refusal::NotPublished(_) => (404, "NOT_PUBLISHED", json!({})),
    };
    (status, json!([code, details]).to_string().into_bytes())
}

/// An answer as [`Answers::expected`] has it.
pub(super) fn said(status: u16, body: &[u8]) -> Said {
    if status == 200 {
        return (status, timeless(body));
    }
    let problem: Value = serde_json::from_slice(body).unwrap_or_default();
    // Some routes answer with the error alone.
    let error = problem.get("error").unwrap_or(&problem);
    (status, json!([error["code"], error["details"]]).to_string().into_bytes())
}

/// A 404 without its suggestions, which are left out where there is no time for them.
pub(super) fn unsuggested((status, body): &Said) -> Option<Said> {
    let mut body: Value = serde_json::from_slice(body).ok()?;
    (*status == 404).then_some(())?;
    body.get_mut(1)?.as_object_mut()?.remove("suggestions");
    Some((*status, body.to_string().into_bytes()))
}

/// The bytes of an answer without the values of its clocks.
fn timeless(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let text = without_value(&text, "\"computed_at\":\"", |letter| letter != '"');
    without_value(&text, "\"freshness_seconds\":", |letter| letter.is_ascii_digit()).into_bytes()
}

fn without_value(text: &str, name: &str, is_value: impl Fn(char) -> bool) -> String {
    let mut parts = text.split(name);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(name);
        kept.push_str(part.trim_start_matches(&is_value));
    }
    kept
}
