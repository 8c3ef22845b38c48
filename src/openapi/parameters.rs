//! Parameters: the bounds that requests are held against, as schemas.

use hyper::header::{HeaderName, IF_NONE_MATCH};
use serde_json::{Value, json};

use super::object::{Example, Map, Parameter, ParameterObject, Ref};
use crate::domain::Day;
use crate::domain::money::PRICE_MAX;
use crate::domain::platform::{PLATFORM_BYTES_MAX, PLATFORM_PATTERN};
use crate::http::visit::{REQUEST_ID_BYTES_MAX, X_REQUEST_ID};
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, Kind, Param, REQUIRED};

/// The parameters of a route: those of its table entry, then the request headers that it heeds.
pub(super) fn of(route: &Route) -> Vec<Parameter> {
    // What the reader says of an empty query is what a request needs; the catalog's now plays no part in it.
    let faults = Day::parse("2026-01-01").and_then(|day| route.parse("", day).err()).unwrap_or_default();
    let query = route.params.iter().map(|param| {
        let fault = faults.iter().find(|fault| fault.parameter == param.name);
        Parameter::Is(query_parameter(route, param, fault))
    });
    query.chain(headers(route.is_free())).collect()
}

/// References to the request headers of a route.
pub(super) fn headers(is_free: bool) -> impl Iterator<Item = Parameter> {
    let names = if is_free { vec![IF_NONE_MATCH, X_REQUEST_ID] } else { vec![X_REQUEST_ID] };
    names.into_iter().map(|name| Parameter::Ref(Ref::to("parameters", component(&name))))
}

/// Name of a request header's component.
fn component(name: &HeaderName) -> &'static str {
    if name == IF_NONE_MATCH { "IfNoneMatch" } else { "XRequestId" }
}

/// The request headers that are heeded.
pub(super) fn request_headers() -> Map<ParameterObject> {
    let header = |name: &HeaderName, printed: &str, description: &str, schema: Value| {
        let object = ParameterObject {
            name: printed.to_owned(),
            place: "header",
            description: description.to_owned(),
            required: false,
            schema,
            examples: Map::default(),
        };
        (component(name), object)
    };
    [
        header(
            &IF_NONE_MATCH,
            "If-None-Match",
            "ETag of an answer that the client holds; the server answers 304 if it would send the same again.",
            json!({ "type": "string" }),
        ),
        header(
            &X_REQUEST_ID,
            "X-Request-Id",
            &format!(
                "Id that the client gives its request, sent back in the response: up to {REQUEST_ID_BYTES_MAX} visible \
                 ASCII characters. One of another form is ignored."
            ),
            json!({ "type": "string" }),
        ),
    ]
    .into_iter()
    .collect()
}

fn query_parameter(route: &Route, param: &Param, fault: Option<&BadParameter>) -> ParameterObject {
    let required = fault.is_some_and(|fault| fault.reason == REQUIRED);
    let condition = fault.filter(|_| !required).map(|fault| format!(" A request must {}.", fault.reason));
    ParameterObject {
        name: param.name.to_owned(),
        place: "query",
        description: format!("{}{}", param.about, condition.unwrap_or_default()),
        required,
        schema: schema(&param.kind),
        examples: examples(route, param),
    }
}

fn schema(kind: &Kind) -> Value {
    let with_default = |mut schema: Value, default: Option<Value>| {
        if let (Some(default), Some(object)) = (default, schema.as_object_mut()) {
            object.insert("default".to_owned(), default);
        }
        schema
    };
    match *kind {
        Kind::Text => json!({ "type": "string", "minLength": 1 }),
        Kind::PlatformKey => json!({
            "type": "string", "pattern": PLATFORM_PATTERN, "minLength": 1, "maxLength": PLATFORM_BYTES_MAX,
        }),
        Kind::Word(words, default) => {
            with_default(json!({ "type": "string", "enum": words }), default.map(Value::from))
        }
        Kind::Integer { min, max, default } => {
            let schema = json!({ "type": "integer", "minimum": min, "maximum": max });
            with_default(schema, default.map(Value::from))
        }
        Kind::OneOf(numbers, default) => {
            with_default(json!({ "type": "integer", "enum": numbers }), default.map(Value::from))
        }
        Kind::Flag => json!({ "type": "boolean", "default": false }),
        Kind::Date => json!({
            "type": "string",
            "anyOf": [{ "format": "date" }, { "format": "date-time" }],
        }),
        Kind::Price => json!({
            "type": "number", "exclusiveMinimum": 0, "maximum": PRICE_MAX, "multipleOf": 0.01,
        }),
    }
}

/// Values of a parameter in the requests that are examples of its route, each once.
fn examples(route: &Route, param: &Param) -> Map<Example> {
    let mut values: Vec<Value> = Vec::new();
    for query in route.examples {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        for (_, raw) in pairs.filter(|(name, _)| *name == param.name) {
            let raw = raw.replace('+', " ");
            let text = percent_encoding::percent_decode_str(&raw).decode_utf8_lossy();
            let value = match param.kind {
                Kind::Integer { .. } | Kind::OneOf(..) | Kind::Flag | Kind::Price => {
                    serde_json::from_str(&text).unwrap_or(Value::Null)
                }
                _ => Value::from(text),
            };
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    let named = |(at, value): (usize, Value)| (format!("example{}", at + 1), Example { value });
    values.into_iter().enumerate().map(named).collect()
}
