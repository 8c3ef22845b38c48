//! Responses of an operation: its answer, and the refusals that it may give instead.

use hyper::StatusCode;
use hyper::header::ETAG;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::object::{Map, MediaType, Operation, PathItem, Ref, Response, ResponseObject};
use super::{headers, parameters, problems};
use crate::http::problem::Code;
use crate::http::quote::Quote;
use crate::http::respond::JSON;
use crate::payment::core::gate::{PAYMENT_RECEIPT, PAYMENT_RESPONSE};
use crate::query::endpoint::{Group, Route};
use crate::query::refusal::RefusalKind;
use crate::query::representation::{self, Representation};

/// Tag of the document's own operation.
pub(super) const OWN_TAG: &str = "Interface";

/// The responses of a route, by status.
pub(super) fn of(route: &Route, generator: &mut SchemaGenerator) -> Map<Response> {
    let mut responses = Map::default();
    // A route without an example has nothing to answer yet.
    if !route.examples.is_empty() {
        let schema = success_schema(route, generator);
        let forms = representation::ALL.into_iter().filter(|form| form.is_tabular() && route.offers(*form));
        let tables = forms.map(|form| (form.media_type(), MediaType { schema: table(form) }));
        let content = std::iter::once((JSON, MediaType { schema })).chain(tables).collect();
        responses.insert(200, Response::Is(success(route, content)));
        responses.insert(304, Response::Is(not_modified(route.is_free())));
    }
    refusals(&mut responses, &codes(route), route.bare_errors);
    responses
}

/// The schema of a 200: the answer, or what `quote=true` is told instead of it.
fn success_schema(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let answer = answer(route, generator);
    if route.is_free() { answer } else { json!({ "oneOf": [answer, generator.subschema_for::<Quote>()] }) }
}

/// What is said of an answer that is a table and no JSON.
fn table(form: &dyn Representation) -> Value {
    json!({ "type": "string", "format": "binary", "description": form.about() })
}

/// A reference to the schema of a route's answer, which is named after the route: in the source all have one name.
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

/// The responses of a route to HEAD: without bodies.
pub(super) fn head_of(route: &Route) -> Map<Response> {
    let mut responses = Map::default();
    if !route.examples.is_empty() {
        responses.insert(200, Response::Is(success(route, Map::default())));
        if route.is_free() {
            responses.insert(304, Response::Is(not_modified(true)));
        }
    }
    bodiless(&mut responses, &codes(route));
    responses
}

/// The operations that serve the document itself.
pub(super) fn own_path() -> PathItem {
    let codes =
        [Code::InvalidParams, Code::MethodNotAllowed, Code::UriTooLong, Code::RateLimited, Code::Internal];
    let document = json!({ "type": "object", "description": "An OpenAPI 3.1 document." });
    let answer = |content: Map<MediaType>| {
        let description = "The description of this interface.".to_owned();
        Response::Is(ResponseObject { description, headers: headers::of(&[ETAG]), content })
    };
    let mut responses = Map::default();
    responses.insert(200, answer([(JSON, MediaType { schema: document })].into_iter().collect()));
    responses.insert(304, Response::Is(not_modified(true)));
    refusals(&mut responses, &codes, false);
    let mut head_responses = Map::default();
    head_responses.insert(200, answer(Map::default()));
    head_responses.insert(304, Response::Is(not_modified(true)));
    bodiless(&mut head_responses, &codes);
    let get = Operation {
        tags: vec![OWN_TAG],
        summary: "This document.",
        id: "getOpenapi".to_owned(),
        description: None,
        parameters: parameters::headers(true).collect(),
        responses,
        x_price: None,
        x_example_requests: vec![super::PATH.to_owned()],
    };
    let head = get.head("headOpenapi".to_owned(), head_responses);
    PathItem { get, head: Some(head) }
}

fn success(route: &Route, content: Map<MediaType>) -> ResponseObject {
    let own: &[_] = if route.is_free() { &[ETAG] } else { &[PAYMENT_RESPONSE, PAYMENT_RECEIPT] };
    let said = if route.is_free() { "The answer." } else { "The answer, or a quote where one is asked for." };
    ResponseObject { description: said.to_owned(), headers: headers::of(own), content }
}

fn not_modified(free: bool) -> ResponseObject {
    let description = if free {
        "The client holds this answer already: its If-None-Match names it."
    } else {
        "The client holds this answer already: it sent a payment again that was settled before, and its If-None-Match \
         names what that bought."
    };
    let own: &[_] = if free { &[ETAG] } else { &[ETAG, PAYMENT_RESPONSE, PAYMENT_RECEIPT] };
    ResponseObject { description: description.to_owned(), headers: headers::of(own), content: Map::default() }
}

/// Errors of a route, by status.
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

fn refusals(responses: &mut Map<Response>, codes: &[Code], bare: bool) {
    for (status, codes) in by_status(codes) {
        responses.insert(status.as_u16(), problems::response(codes, bare));
    }
}

fn bodiless(responses: &mut Map<Response>, codes: &[Code]) {
    for (status, codes) in by_status(codes) {
        let status = status.as_u16();
        let object = ResponseObject {
            description: problems::said(codes),
            headers: headers::of(&headers::of_status(status)),
            content: Map::default(),
        };
        responses.insert(status, Response::Is(object));
    }
}

/// Codes of one status at a time; they are in the order of their statuses.
fn by_status(codes: &[Code]) -> impl Iterator<Item = (StatusCode, &[Code])> {
    codes.chunk_by(|a, b| a.status() == b.status()).map(|same| (same[0].status(), same))
}
