//! Operations that are not in the route table: the document itself, and quotes.

use hyper::header::ETAG;
use schemars::SchemaGenerator;
use serde_json::{Map as Object, Value, json};

use super::answers::{Examples, not_modified, refusals};
use super::object::{Example, Map, MediaType, Operation, Parameter, PathItem, Ref, Response, ResponseObject};
use super::{headers, parameters};
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, REQUIRED};
use crate::server::problem::Code;
use crate::server::quote::{self, Quote};
use crate::server::respond::JSON;
use crate::types::INTERFACE_VERSION;

/// Tag of the document's own operation.
pub(super) const TAG: &str = "Interface";

/// The operation that serves the document.
pub(super) fn document() -> PathItem {
    let codes =
        [Code::InvalidParams, Code::MethodNotAllowed, Code::UriTooLong, Code::RateLimited, Code::Internal];
    let schema = json!({ "type": "object", "description": "An OpenAPI 3.1 document." });
    let beginning = json!({
        "openapi": super::OPENAPI, "info": { "title": super::TITLE, "version": INTERFACE_VERSION },
    });
    let beginning = Example { summary: Some("First fields of the document".into()), value: beginning };
    let examples = [("beginning", beginning)].into_iter().collect();
    let mut responses = Map::default();
    let answer = ResponseObject {
        description: "The description of this interface.".into(),
        headers: headers::of(&[ETAG]),
        content: [(JSON, MediaType { schema, examples })].into_iter().collect(),
    };
    responses.insert(200, Response::Is(answer));
    responses.insert(304, Response::Is(not_modified(true)));
    refusals(&mut responses, &codes, false);
    PathItem {
        get: Operation {
            tags: vec![TAG],
            summary: "This document.",
            id: "getOpenapi".to_owned(),
            description:
                "Use it to generate a client, or to look up parameters, fields and errors. It changes with the version \
                 of the program, not with the snapshot. A null occurs only in examples, and as the amount of a \
                 payment offer whose price depends on the request. Free."
                    .into(),
            parameters: parameters::headers(true).collect(),
            responses,
            x_price: None,
            x_payment_info: None,
            x_example_requests: vec![super::PATH.to_owned()],
        },
    }
}

/// The operation that quotes the price of a paid request.
pub(super) fn quote(
    routes: &[Route],
    schemas: &Object<String, Value>,
    quote_schema: Value,
    examples: &Examples,
) -> PathItem {
    let paid = routes.iter().filter(|route| !route.is_free());
    let requests: Vec<String> = paid.flat_map(|route| route.example_requests()).take(1).collect();
    let codes = [
        Code::InvalidParams,
        Code::NoResults,
        Code::RetailerNotServingEligible,
        Code::NotPublished,
        Code::MethodNotAllowed,
        Code::UriTooLong,
        Code::RateLimited,
        Code::Internal,
        Code::Unavailable,
    ];
    let mut responses = Map::default();
    let examples = examples.of(quote::PATH);
    let answer = ResponseObject {
        description: "The quote.".into(),
        headers: headers::of(&[]),
        content: [(JSON, MediaType { schema: quote_schema, examples })].into_iter().collect(),
    };
    responses.insert(200, Response::Is(answer));
    refusals(&mut responses, &codes, false);
    let missing = BadParameter::new(quote::REQUEST.name, REQUIRED);
    let request = parameters::query_parameter(
        &quote::REQUEST,
        Some(&missing),
        schemas,
        parameters::numbered(requests.iter().map(|request| json!(request)).collect()),
    );
    PathItem {
        get: Operation {
            tags: vec!["Public"],
            summary: quote::SUMMARY,
            id: "getQuote".to_owned(),
            description: format!("{} Free.", quote::ABOUT),
            parameters: [Parameter::Is(request)]
                .into_iter()
                .chain([Parameter::Ref(Ref::to("parameters", "XRequestId"))])
                .collect(),
            responses,
            x_price: None,
            x_payment_info: None,
            x_example_requests: requests.iter().map(|request| quote::target_of(request)).collect(),
        },
    }
}

/// The schema of a quote.
pub(super) fn quote_schema(generator: &mut SchemaGenerator) -> Value {
    json!(generator.subschema_for::<Quote>())
}
