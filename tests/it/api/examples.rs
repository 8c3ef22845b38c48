//! The example answers of the OpenAPI document are what the demo answers, long lists cut.
//!
//! `INSTA_UPDATE=always cargo test --test it examples` writes them down anew; the document has them after the next
//! compilation.

use std::path::Path;
use std::sync::Arc;

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::payment::Mode;
use pricebook::payment::core::offer::offered_by;
use pricebook::payment::core::prices::Prices;
use pricebook::payment::settings::{Secrets, Settings};
use pricebook::query::endpoint::{ResolvedRequest, Route, Stamp};
use pricebook::query::representation::Json;
use pricebook::server::config::{ServeConfig, ServeFlags};
use pricebook::server::quote::{self, Quote};
use pricebook::types::Instant;
use serde_json::{Map, Value, json};

use crate::support::asking;

/// Where they are kept.
const FILE: &str = "docs/openapi-examples.json";

/// Longer lists are cut to so many items.
const ITEMS_MAX: usize = 3;

/// Lists that have one length.
const WHOLE: [&str; 1] = ["histogram"];

/// An hour, in microseconds.
const HOUR_MICROS: i64 = 3_600_000_000;

#[test]
fn example_answers_are_real() {
    let catalog = asking::demo();
    let mut examples = Map::new();
    let routes = endpoints::routes();
    for route in routes.iter().filter(|route| !route.examples.is_empty()) {
        let work = resolve(route, &catalog);
        let computed_at = Instant::from_micros(catalog.newest().micros() + HOUR_MICROS);
        let answer = work.run(Stamp { computed_at, freshness_seconds: 3_600 }, &Json).unwrap();
        examples
            .insert(route.path.into(), example(&request(route), serde_json::from_slice(&answer).unwrap()));
    }
    let paid = routes.iter().find(|route| !route.is_free()).unwrap();
    let atomic = Prices::DEFAULT.of(paid.group.price());
    let rails = offered_by(&sandbox().rails).into_iter().map(|(_, offer)| offer).collect();
    let quoted = Quote::new(paid.path, atomic, rails, resolve(paid, &catalog).subject());
    examples.insert(quote::PATH.into(), example(&quote::target_of(&request(paid)), json!(quoted)));

    let text = format!("{:#}\n", Value::Object(examples));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|wish| wish == "always") {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept == text, "{FILE} is not what the demo answers; INSTA_UPDATE=always writes it anew");
}

fn request(route: &Route) -> String {
    format!("{}?{}", route.path, route.examples[0]).trim_end_matches('?').to_owned()
}

fn resolve(route: &Route, catalog: &Arc<Catalog>) -> Box<dyn ResolvedRequest> {
    let parsed = route.parse(route.examples[0], catalog.as_of()).unwrap();
    parsed.resolve(catalog).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", route.path))
}

fn sandbox() -> Settings {
    let flags = ServeFlags { payments: Some(Mode::Sandbox), ..ServeFlags::default() };
    ServeConfig::new(flags, None, Secrets::default(), [7; 32]).unwrap().payment.unwrap()
}

fn example(request: &str, mut answer: Value) -> Value {
    cut(&mut answer);
    json!({ "request": request, "answer": answer })
}

/// Cuts long lists.
fn cut(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members
                .iter_mut()
                .filter(|(name, _)| !WHOLE.contains(&name.as_str()))
                .for_each(|(_, member)| cut(member));
        }
        Value::Array(items) => {
            items.truncate(ITEMS_MAX);
            items.iter_mut().for_each(cut);
        }
        _ => {}
    }
}
