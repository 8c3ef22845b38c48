//! Responses of an operation: its answer and its refusals.
//!
//! An example answer is the answer of the demo snapshot to the first example request of a route, with long lists
//! shortened. `docs/openapi-examples.json` contains these answers. The test that compares the file with real answers
//! also writes it (`tests/it/api/examples.rs`).

use std::collections::BTreeMap;

use hyper::StatusCode;
use hyper::header::ETAG;
use schemars::SchemaGenerator;
use serde::Deserialize;
use serde_json::{Value, json};

use super::object::{Example, Map, MediaType, Ref, Response, ResponseObject};
use super::{headers, problems};
use crate::payment::core::gate::{PAYMENT_RECEIPT, PAYMENT_RESPONSE};
use crate::query::descriptor::Group;
use crate::query::endpoint::Route;
use crate::query::refusal::RefusalKind;
use crate::query::representation::{self, Representation};
use crate::server::problem::Code;
use crate::server::respond::JSON;

/// The responses of a route, by status.
pub(super) fn of(route: &Route, generator: &mut SchemaGenerator, examples: &Examples) -> Map<Response> {
    let mut responses = Map::default();
    // A route without an example has no data yet.
    if !route.examples.is_empty() {
        let (schema, examples) = (answer(route, generator), examples.of(route.path));
        let forms = representation::ALL.into_iter().filter(|form| form.is_tabular() && route.offers(*form));
        let tables = forms
            .map(|form| (form.media_type(), MediaType { schema: table(form), examples: Map::default() }));
        let content = std::iter::once((JSON, MediaType { schema, examples })).chain(tables).collect();
        responses.insert(200, Response::Is(success(route.is_free(), content)));
        responses.insert(304, Response::Is(not_modified(route.is_free())));
    }
    refusals(&mut responses, &codes(route), route.bare_errors);
    responses
}

/// The schema of an answer in a tabular format.
fn table(form: &dyn Representation) -> Value {
    json!({ "type": "string", "format": "binary", "description": form.about() })
}

/// A reference to the schema of a route's answer. The schema is renamed after the route, because all answer types
/// have the same name in the source.
fn answer(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let schema = (route.schema)(generator);
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next());
    let Some(definition) = name.and_then(|name| generator.definitions_mut().remove(name)) else {
        return json!(schema);
    };
    let name = format!("{}Answer", super::pascal(route.path));
    let reference = json!(Ref::to("schemas", &name));
    generator.definitions_mut().insert(name, definition);
    reference
}

fn success(free: bool, content: Map<MediaType>) -> ResponseObject {
    let own: &[_] = if free { &[ETAG] } else { &[PAYMENT_RESPONSE, PAYMENT_RECEIPT] };
    ResponseObject { description: "The answer.".to_owned(), headers: headers::of(own), content }
}

/// The 304 response of a free route, or of a paid route for an answer that was bought before.
pub(super) fn not_modified(free: bool) -> ResponseObject {
    let description = if free {
        "Not modified: If-None-Match names the current answer."
    } else {
        "Not modified: the request repeats a payment that was settled before, and If-None-Match names the answer that \
         this payment bought."
    };
    let own: &[_] = if free { &[ETAG] } else { &[ETAG, PAYMENT_RESPONSE, PAYMENT_RECEIPT] };
    ResponseObject { description: description.to_owned(), headers: headers::of(own), content: Map::default() }
}

/// Codes of the errors of a route, ordered by status.
fn codes(route: &Route) -> Vec<Code> {
    let has_retailer = route.params.iter().any(|param| param.name == "retailer");
    let fits = |code: &Code| match code {
        Code::NotFound => false,
        Code::PaymentRequired | Code::PaymentInProgress | Code::AnswerExpired => !route.is_free(),
        Code::NoResults => route.refusals.contains(&RefusalKind::NoResults),
        Code::NotPublished => route.refusals.contains(&RefusalKind::NotPublished),
        Code::RetailerNotServingEligible => {
            has_retailer && route.refusals.contains(&RefusalKind::RetailerNotServing)
        }
        Code::Unavailable => route.group != Group::Social,
        _ => true,
    };
    Code::ALL.into_iter().filter(fits).collect()
}

/// Adds the responses of these codes, which must be in the order of their statuses.
pub(super) fn refusals(responses: &mut Map<Response>, codes: &[Code], bare: bool) {
    for (status, codes) in by_status(codes) {
        responses.insert(status.as_u16(), problems::response(codes, bare));
    }
}

/// Groups codes by status.
fn by_status(codes: &[Code]) -> impl Iterator<Item = (StatusCode, &[Code])> {
    codes.chunk_by(|a, b| a.status() == b.status()).map(|same| (same[0].status(), same))
}

/// Example answers by path.
pub(super) struct Examples(BTreeMap<String, Answered>);

/// A request and its answer.
#[derive(Deserialize)]
struct Answered {
    request: String,
    answer: Value,
}

impl Examples {
    /// Reads the examples.
    ///
    /// # Errors
    /// Returns an error if the file does not have the form that the test writes.
    pub(super) fn read() -> serde_json::Result<Self> {
        serde_json::from_str(include_str!("../../docs/openapi-examples.json")).map(Self)
    }

    /// The example answer of a path, or an empty map if there is none.
    pub(super) fn of(&self, path: &str) -> Map<Example> {
        let named = |Answered { request, answer }: &Answered| {
            ("demo", Example { summary: Some(format!("GET {request}")), value: answer.clone() })
        };
        self.0.get(path).map(named).into_iter().collect()
    }
}
