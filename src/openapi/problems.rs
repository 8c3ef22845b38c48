//! Errors: one schema and one response for each code, with an example made by the server's own constructors.

use std::fmt::Write as _;

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::headers;
use super::object::{Example, Map, MediaType, Ref, Response, ResponseObject};
use crate::endpoints::BEST_PRICE;
use crate::payment::core::prices::{Prices, QuotedPrice};
use crate::query::descriptor::PriceClass;
use crate::query::params::BadParameter;
use crate::query::refusal::{NoResultsReason, QualityStatus, Refusal, RetailerDetails};
use crate::query::representation::{self, Representation};
use crate::server::TARGET_BYTES_MAX;
use crate::server::problem::{Code, ErrorObject, Problem, ProblemDocument};
use crate::server::respond::{JSON, PROBLEM_JSON};
use crate::types::Country;

/// Path of the request in the examples.
const INSTANCE: &str = BEST_PRICE.path;

/// The code as clients read it.
fn word(code: Code) -> String {
    json!(code).as_str().unwrap_or_default().to_owned()
}

/// The code as part of a name: `NO_RESULTS` is `NoResults`.
fn name(code: Code) -> String {
    format!("{code:?}")
}

/// Description of a code, from its doc comment.
fn about(code: Code) -> String {
    let schema = json!(schemars::schema_for!(Code));
    let variants = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let variant = variants.iter().find(|variant| variant["const"] == word(code).as_str());
    let text = variant.and_then(|variant| variant["description"].as_str()).unwrap_or_default();
    text.split_once(": ").map_or(text, |(_, text)| text).replace('\n', " ")
}

/// Description of a response with these codes.
fn said(codes: &[Code]) -> String {
    let one = |code: &Code| format!("`{}`: {}", word(*code), about(*code));
    codes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The introduction, followed by a table of all codes.
pub(super) fn with_table(introduction: &str) -> String {
    let mut text = introduction.to_owned();
    text.push_str("\n| status | error.code | when |\n|---|---|---|\n");
    for code in Code::ALL {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "| {} | {} | {} |", code.status().as_u16(), word(code), about(code));
    }
    text
}

/// The response with these codes, which all have the same status.
pub(super) fn response(codes: &[Code], bare: bool) -> Response {
    match codes {
        [code] => {
            let suffix = if bare { "Bare" } else { "" };
            Response::Ref(Ref::to("responses", &format!("{}{suffix}", name(*code))))
        }
        codes => Response::Is(object(codes, bare)),
    }
}

fn object(codes: &[Code], bare: bool) -> ResponseObject {
    let (media, kind) = if bare { (JSON, "Error") } else { (PROBLEM_JSON, "Problem") };
    let schema = |code: &Code| json!(Ref::to("schemas", &format!("{}{kind}", name(*code))));
    let schema = match codes {
        [code] => schema(code),
        codes => json!({ "oneOf": codes.iter().map(schema).collect::<Vec<_>>() }),
    };
    let examples = codes.iter().filter_map(|code| Some((word(*code), example(*code, bare)?))).collect();
    let status = codes.first().map_or(0, |code| code.status().as_u16());
    ResponseObject {
        description: said(codes),
        headers: headers::of(&headers::of_status(status)),
        content: [(media, MediaType { schema, examples })].into_iter().collect(),
    }
}

/// One response per code as a problem document and, except for 402 and 404, one as the bare error object.
pub(super) fn responses() -> Map<ResponseObject> {
    let mut responses = Map::default();
    for code in Code::ALL {
        responses.insert(name(code), object(&[code], false));
        if !matches!(code.status().as_u16(), 402 | 404) {
            responses.insert(format!("{}Bare", name(code)), object(&[code], true));
        }
    }
    responses
}

/// Adds to a generator, for each code, the schemas of its error object and of its problem document.
pub(super) fn describe(generator: &mut SchemaGenerator) {
    let (error, document) = (json!(schemars::schema_for!(ErrorObject)), problem_document());
    for code in Code::ALL {
        let details = code.details(generator);
        let (word, status, about) = (word(code), code.status(), about(code));
        let mut own = error["properties"].clone();
        own["code"] =
            json!({ "type": "string", "const": word, "description": "Stable error code to compare with." });
        own["details"] = json!(details);
        let named = format!("{}Error", name(code));
        let mut properties = document["properties"].clone();
        properties["type"]["const"] = json!(code.kind());
        properties["title"]["const"] = json!(status.canonical_reason());
        properties["status"]["const"] = json!(status.as_u16());
        properties["error"] = json!(Ref::to("schemas", &named));
        let object = |description: String, properties: Value, like: &Value| {
            json!({
                "description": description, "type": "object", "properties": properties,
                "required": like["required"],
            })
        };
        let schemas = generator.definitions_mut();
        schemas.insert(named, object(format!("Error {word}: {about}"), own, &error));
        let said = format!("Problem document of {word}: {about}");
        schemas.insert(format!("{}Problem", name(code)), object(said, properties, &document));
    }
}

/// The schema of a problem document, whatever its code.
fn problem_document() -> Value {
    json!(schemars::schema_for!(ProblemDocument<'static>))
}

/// Example of an error with this code, as the server writes it; `None` if it cannot be encoded.
fn example(code: Code, bare: bool) -> Option<Example> {
    let body = problem(code).body(INSTANCE, bare).ok()?;
    Some(Example { summary: None, value: serde_json::from_slice(&body).ok()? })
}

/// A problem with this code and example values.
fn problem(code: Code) -> Problem {
    let price = QuotedPrice::of(Prices::DEFAULT.of(PriceClass::Shopper));
    match code {
        Code::InvalidParams => {
            Problem::bad_parameters(vec![BadParameter::new("q", "give q, product_uid or entity_uid")])
        }
        Code::PaymentRequired => Problem::payment_required(None, price),
        Code::NotFound => Problem::unknown_path(),
        Code::NoResults => {
            let message = "us has no product with this barcode";
            Refusal::no_results(NoResultsReason::UnknownProduct, message).elsewhere(Some(Country::Ca)).into()
        }
        Code::RetailerNotServingEligible => Refusal::RetailerNotServing(RetailerDetails {
            retailer: "corner-shop".into(),
            country: Country::Ca,
            quality_status: Some(QualityStatus::Thin),
            serving_eligible_retailers: vec!["metro".into()],
        })
        .into(),
        Code::NotPublished => Refusal::NotPublished("the snapshot has no classification".into()).into(),
        Code::MethodNotAllowed => Problem::method_not_allowed(),
        Code::NotAcceptable => {
            Problem::not_acceptable(representation::ALL.map(Representation::media_type).to_vec())
        }
        Code::PaymentInProgress => Problem::payment_in_progress(),
        Code::AnswerExpired => Problem::answer_expired("eip155:8453".into(), "0x5a1e".into()),
        Code::UriTooLong => Problem::target_too_long(TARGET_BYTES_MAX + 1),
        Code::RateLimited => Problem::rate_limited(3),
        Code::Internal => Problem::internal(),
        Code::Unavailable => Problem::overloaded(),
    }
}
