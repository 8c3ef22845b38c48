//! Asking a catalog through the route table, without a socket.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::index::run::{Options, run};
use pricebook::ingest::{Arguments, Silent};
use pricebook::payment::core::prices::Prices;
use pricebook::query::endpoint::{Route, Stamp};
use pricebook::query::refusal::Refusal;
use pricebook::query::representation::Json;
use pricebook::query::subject::Subject;
use pricebook::server::quote::Quote;
use pricebook::types::Instant;
use serde_json::{Value, json};

/// The input of the test catalog: an eighth of the demo's, from which the golden answers were made.
pub fn fixture_input() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo-input")
}

/// The input of the demo that the program carries, for tests of what a newcomer meets.
pub fn demo_input() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/demo-input")
}

/// A data set beside the project; nothing, loudly, where there is none.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    let found = path.exists();
    if !found {
        eprintln!("SKIPPED: {} is not there", path.display());
    }
    found.then_some(path)
}

/// The test catalog, built once for all tests of a process.
pub fn fixture() -> Arc<Catalog> {
    static FIXTURE: LazyLock<Arc<Catalog>> = LazyLock::new(|| kept(fixture_input()));
    Arc::clone(&FIXTURE)
}

/// The catalog of the demo, built once for all tests of a process.
pub fn demo() -> Arc<Catalog> {
    static DEMO: LazyLock<Arc<Catalog>> = LazyLock::new(|| kept(demo_input()));
    Arc::clone(&DEMO)
}

/// A catalog whose mapped files outlive their folder.
fn kept(input: PathBuf) -> Arc<Catalog> {
    let out = tempfile::tempdir().unwrap();
    Arc::new(build(&[input], out.path()))
}

/// Builds a snapshot of some input folders below `out` and opens it. Nothing is rejected too often.
pub fn build(inputs: &[PathBuf], out: &Path) -> Catalog {
    try_build(inputs, out).unwrap()
}

/// As [`build`], or why there is none.
///
/// # Errors
/// What a build fails with.
pub fn try_build(inputs: &[PathBuf], out: &Path) -> anyhow::Result<Catalog> {
    let options = Options {
        arguments: Arguments::folders(inputs),
        out: out.to_owned(),
        max_rejects_pct: 100.0,
        ..Options::default()
    };
    let built = run(&options, &Silent)?;
    Ok(Catalog::open(&built.published.activate()?)?)
}

/// The likely links of a catalog: uids, the smaller first, confidence and reasons.
pub fn links(catalog: &Catalog) -> Vec<(String, String, f64, Vec<String>)> {
    let uid = |row: u32| catalog.listing(row).uid().to_string();
    let rows = 0..catalog.listings.country.len() as u32;
    let links = rows.flat_map(|row| catalog.links.of(row).map(move |link| (row, link)));
    let one_way = links.filter(|(row, link)| catalog.listing(*row).uid() < catalog.listing(link.row).uid());
    let words = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    one_way.map(|(row, link)| (uid(row), uid(link.row), link.confidence.get(), words(link.words()))).collect()
}

/// A catalog and the route table.
pub struct Service {
    pub routes: Vec<Route>,
    pub catalog: Arc<Catalog>,
}

impl Service {
    pub fn new(catalog: impl Into<Arc<Catalog>>) -> Self {
        Self { routes: endpoints::routes(), catalog: catalog.into() }
    }

    /// Whether there is such an endpoint.
    pub fn knows(&self, target: &str) -> bool {
        let path = target.split('?').next().unwrap();
        self.routes.iter().any(|route| route.path == path)
    }

    /// The message of a request that nothing is found for.
    pub fn message(&self, target: &str) -> String {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let route = self.routes.iter().find(|route| route.path == path).unwrap();
        match route.parse(query, self.catalog.as_of()).unwrap().resolve(&self.catalog) {
            Err(Refusal::NoResults { message, .. }) => message,
            Err(other) => panic!("{target}: {other:?}"),
            Ok(_) => panic!("{target} is answered"),
        }
    }

    /// Status and body of a request; of an error, code and details.
    pub fn ask(&self, target: &str) -> (u16, Value) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let route = self.routes.iter().find(|route| route.path == path).unwrap();
        let bad = |parameters| (400, error("INVALID_PARAMS", &json!({ "parameters": json!(parameters) })));
        let parsed = match route.parse(query, self.catalog.as_of()) {
            Ok(parsed) => parsed,
            Err(parameters) => return bad(parameters),
        };
        let (price, is_quote) = (parsed.price, parsed.quote);
        let work = match parsed.resolve(&self.catalog) {
            Ok(work) if is_quote => {
                let price = Prices::DEFAULT.of(work.batch_price().unwrap_or(price));
                return (200, json!(Quote::new(route.path, price, Vec::new(), work.subject())));
            }
            Ok(work) => work,
            Err(Refusal::BadParameters(parameters)) => return bad(parameters),
            Err(Refusal::RetailerNotServing(details)) => {
                return (404, error("RETAILER_NOT_SERVING_ELIGIBLE", &json!(details)));
            }
            Err(Refusal::NoResults { details, .. }) => return (404, error("NO_RESULTS", &json!(details))),
            Err(Refusal::NotPublished(_)) => return (404, error("NOT_PUBLISHED", &Value::Null)),
        };
        let stamp = Stamp { computed_at: Instant::from_micros(0), freshness_seconds: 0 };
        (200, serde_json::from_slice(&work.run(stamp, &Json).unwrap()).unwrap())
    }

    /// The product that a quote names, where a request is about one.
    pub fn quoted_product(&self, target: &str) -> Option<Value> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let route = self.routes.iter().find(|route| route.path == path).unwrap();
        let work = route.parse(query, self.catalog.as_of()).ok()?.resolve(&self.catalog).ok()?;
        match work.subject() {
            Subject::Product { product, .. } => Some(json!(product)),
            _ => None,
        }
    }
}

fn error(code: &str, details: &Value) -> Value {
    json!({ "error": { "code": code, "details": details } })
}

/// The golden answers of another program over the fixture: a request, its status, and what is expected of its answer.
pub fn golden_answers() -> impl Iterator<Item = Value> {
    let files = [include_str!("../../golden/demo.ndjson"), include_str!("../../golden/demo-2.ndjson")];
    files.into_iter().flat_map(str::lines).map(|line| serde_json::from_str(line).unwrap())
}
