//! Errors: one schema and one response for each code.

use std::fmt::Write as _;

use schemars::SchemaGenerator;
use serde_json::{Map as Object, Value, json};

use super::headers;
use super::object::{Map, MediaType, Ref, Response, ResponseObject};
use crate::http::problem::{Code, ErrorObject, ProblemDocument};
use crate::http::respond::{JSON, PROBLEM_JSON};

/// The code as clients read it.
fn word(code: Code) -> String {
    json!(code).as_str().unwrap_or_default().to_owned()
}

/// The code as part of a name: `NO_RESULTS` is `NoResults`.
fn name(code: Code) -> String {
    format!("{code:?}")
}

/// What the doc comment of a code says of it.
fn about(code: Code) -> String {
    let schema = json!(schemars::schema_for!(Code));
    let variants = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let variant = variants.iter().find(|variant| variant["const"] == word(code).as_str());
    let text = variant.and_then(|variant| variant["description"].as_str()).unwrap_or_default();
    text.split_once(": ").map_or(text, |(_, text)| text).replace('\n', " ")
}

/// What a response of these codes says.
pub(super) fn said(codes: &[Code]) -> String {
    let one = |code: &Code| format!("`{}`: {}", word(*code), about(*code));
    codes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The introduction with the table of codes below it.
pub(super) fn with_table(introduction: &str) -> String {
    let mut text = introduction.to_owned();
    text.push_str("\n| status | error.code | when |\n|---|---|---|\n");
    for code in Code::ALL {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "| {} | {} | {} |", code.status().as_u16(), word(code), about(code));
    }
    text
}

/// The response of some codes of one status.
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
    let status = codes.first().map_or(0, |code| code.status().as_u16());
    ResponseObject {
        description: said(codes),
        headers: headers::of(&headers::of_status(status)),
        content: [(media, MediaType { schema })].into_iter().collect(),
    }
}

/// One response per code, each as a problem document and as the bare error, where some route answers it so.
pub(super) fn responses(generator: &mut SchemaGenerator) -> Map<ResponseObject> {
    generator.subschema_for::<ProblemDocument<'static>>();
    generator.subschema_for::<ErrorObject>();
    let mut responses = Map::default();
    for code in Code::ALL {
        code.details(generator);
        responses.insert(name(code), object(&[code], false));
        if !matches!(code.status().as_u16(), 402 | 404) {
            responses.insert(format!("{}Bare", name(code)), object(&[code], true));
        }
    }
    responses
}

/// Adds the schemas of each code's error to the others.
pub(super) fn with_problems(mut schemas: Object<String, Value>) -> Value {
    // The definitions exist already: this generator only writes references to them.
    let mut generator = super::generator();
    for code in Code::ALL {
        let (error, problem) = (format!("{}Error", name(code)), format!("{}Problem", name(code)));
        let (word, status, about) = (word(code), code.status(), about(code));
        let narrowed = json!({
            "description": format!("Error {word}: {about}"),
            "allOf": [Ref::to("schemas", "ErrorObject")],
            "type": "object",
            "properties": {
                "code": { "const": word, "description": "Stable name of the error." },
                "details": code.details(&mut generator),
            },
            "required": ["code", "message", "details"],
        });
        let document = json!({
            "description": format!("Problem document of {word}: {about}"),
            "allOf": [Ref::to("schemas", "ProblemDocument")],
            "type": "object",
            "properties": {
                "type": { "const": code.kind(), "description": "URI reference that names this kind of problem." },
                "title": { "const": status.canonical_reason(), "description": "Title of the status." },
                "status": { "const": status.as_u16(), "description": "Status of the response." },
                "error": Ref::to("schemas", &error),
            },
            "required": ["type", "title", "status", "error"],
        });
        schemas.insert(error, narrowed);
        schemas.insert(problem, document);
    }
    // By name, in whatever order they were come upon.
    schemas.sort_keys();
    Value::Object(schemas)
}
