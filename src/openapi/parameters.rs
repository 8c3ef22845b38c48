//! Parameters of requests as schemas with their bounds.
//!
//! A parameter of several routes is written once, as a component. If parameters of the same name differ in meaning or
//! bounds, each has its own component. A parameter with the same words as an enumeration in an answer refers to the
//! schema of that enumeration.

use hyper::header::{HeaderName, IF_NONE_MATCH};
use serde_json::{Map as Object, Value, json};

use super::object::{Example, Map, Parameter, ParameterObject, Ref};
use super::schemas;
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, Kind, Param, REQUIRED};
use crate::server::request_context::{REQUEST_ID_BYTES_MAX, X_REQUEST_ID};
use crate::types::Day;
use crate::types::money::PRICE_MAX;
use crate::types::platform::{PLATFORM_BYTES_MAX, PLATFORM_PATTERN};

/// The parameters of all routes.
pub(super) struct Parameters {
    /// The distinct parameters, in the order of the route table.
    entries: Vec<Entry>,
}

struct Entry {
    object: ParameterObject,
    /// The first route that has this parameter.
    route: &'static str,
    routes: usize,
}

impl Parameters {
    /// Collects the parameters of these routes. Their enumerations are looked up in the schemas of answers.
    pub(super) fn of(routes: &[Route], schemas: &Object<String, Value>) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for route in routes {
            for object in query_parameters(route, schemas) {
                match entries.iter_mut().find(|entry| is_same(&entry.object, &object)) {
                    Some(entry) => {
                        entry.routes += 1;
                        add_examples(&mut entry.object, &object.examples);
                    }
                    None => entries.push(Entry { object, route: route.path, routes: 1 }),
                }
            }
        }
        Self { entries }
    }

    /// The parameters of a route: those of its table entry, then the request headers that it uses.
    pub(super) fn of_route(&self, route: &Route, schemas: &Object<String, Value>) -> Vec<Parameter> {
        let query = query_parameters(route, schemas).into_iter().map(|object| {
            match self.entries.iter().find(|entry| is_same(&entry.object, &object)) {
                Some(entry) if entry.routes > 1 => {
                    Parameter::Ref(Ref::to("parameters", &self.component(entry)))
                }
                _ => Parameter::Is(object),
            }
        });
        query.chain(headers(route.is_free())).collect()
    }

    /// The components: the parameters that several routes have, and the request headers.
    pub(super) fn components(&self) -> Map<ParameterObject> {
        let shared = self.entries.iter().filter(|entry| entry.routes > 1);
        let named = shared.map(|entry| (self.component(entry), entry.object.clone()));
        let mut components: Map<ParameterObject> = named.collect();
        components.extend(request_headers());
        components
    }

    /// Name of a component. Among parameters of the same name, the parameter that most routes have keeps the name. The
    /// names of the others are prefixed with their first route.
    fn component(&self, entry: &Entry) -> String {
        let name = super::pascal(&entry.object.name);
        let rivals = self.entries.iter().filter(|other| other.object.name == entry.object.name);
        let most = rivals.reduce(|best, other| if other.routes > best.routes { other } else { best });
        if most.is_some_and(|most| most.route == entry.route) {
            name
        } else {
            format!("{}{name}", super::pascal(entry.route))
        }
    }
}

/// Whether two parameters are equal except for their examples.
fn is_same(one: &ParameterObject, other: &ParameterObject) -> bool {
    let without = |object: &ParameterObject| ParameterObject { examples: Map::default(), ..object.clone() };
    without(one) == without(other)
}

/// Adds the examples that the parameter does not have yet.
fn add_examples(object: &mut ParameterObject, examples: &Map<Example>) {
    let mut values: Vec<Value> = object.examples.values().map(|example| example.value.clone()).collect();
    for example in examples.values() {
        if !values.contains(&example.value) {
            values.push(example.value.clone());
        }
    }
    object.examples = numbered(values);
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

/// The request headers that the server uses.
fn request_headers() -> Map<ParameterObject> {
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
            "ETag of a cached answer. The server responds with 304 if the answer has not changed.",
            json!({ "type": "string" }),
        ),
        header(
            &X_REQUEST_ID,
            "X-Request-Id",
            &format!(
                "Id that the client assigns to the request, repeated in the response: up to {REQUEST_ID_BYTES_MAX} \
                 visible ASCII characters. A value of another form is ignored."
            ),
            json!({ "type": "string" }),
        ),
    ]
    .into_iter()
    .collect()
}

/// The query parameters of a route, in its order.
fn query_parameters(route: &Route, schemas: &Object<String, Value>) -> Vec<ParameterObject> {
    // The faults of an empty query show which parameters are required. They do not depend on the day.
    let faults = Day::parse("2026-01-01").and_then(|day| route.parse("", day).err()).unwrap_or_default();
    let one = |param: &&Param| {
        let fault = faults.iter().find(|fault| fault.parameter == param.name);
        let examples = numbered(examples(route, param));
        query_parameter(param, fault, schemas, examples)
    };
    route.params.iter().map(one).collect()
}

/// A query parameter. `fault` is the fault that the reader reports for a query without the parameter.
pub(super) fn query_parameter(
    param: &Param,
    fault: Option<&BadParameter>,
    schemas: &Object<String, Value>,
    examples: Map<Example>,
) -> ParameterObject {
    let required = fault.is_some_and(|fault| fault.reason == REQUIRED);
    let condition = fault.filter(|_| !required).map(|fault| format!(" A request must {}.", fault.reason));
    ParameterObject {
        name: param.name.to_owned(),
        place: "query",
        description: format!("{}{}", param.about, condition.unwrap_or_default()),
        required,
        schema: schema(&param.kind, schemas),
        examples,
    }
}

fn schema(kind: &Kind, schemas: &Object<String, Value>) -> Value {
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
            let schema = match schemas::enumeration(schemas, words) {
                Some(name) => json!(Ref::to("schemas", name)),
                None => json!({ "type": "string", "enum": words }),
            };
            with_default(schema, default.map(Value::from))
        }
        Kind::Integer { min, max, default } => {
            let schema = json!({ "type": "integer", "minimum": min, "maximum": max });
            with_default(schema, default.map(Value::from))
        }
        Kind::Position => json!({ "type": "integer", "minimum": 0, "default": 0 }),
        Kind::OneOf(numbers, default) => {
            with_default(json!({ "type": "integer", "enum": numbers }), default.map(Value::from))
        }
        Kind::Flag => json!({ "type": "boolean", "default": false }),
        Kind::Date => json!({
            "anyOf": [{ "type": "string", "format": "date" }, { "type": "string", "format": "date-time" }],
        }),
        Kind::Price => json!({
            "type": "number", "exclusiveMinimum": 0, "maximum": PRICE_MAX, "multipleOf": 0.01,
        }),
        Kind::Fraction(default) => json!({
            "type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.01,
            "default": f64::from(default) / 100.0,
        }),
    }
}

/// Distinct values of a parameter in the example requests of its route.
fn examples(route: &Route, param: &Param) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for query in route.examples {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        for (_, raw) in pairs.filter(|(name, _)| *name == param.name) {
            let raw = raw.replace('+', " ");
            let text = percent_encoding::percent_decode_str(&raw).decode_utf8_lossy();
            let value = match param.kind {
                Kind::Text | Kind::PlatformKey | Kind::Word(..) | Kind::Date => Value::from(text),
                _ => serde_json::from_str(&text).unwrap_or(Value::Null),
            };
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    values
}

/// Examples numbered from `example1`.
pub(super) fn numbered(values: Vec<Value>) -> Map<Example> {
    let named =
        |(at, value): (usize, Value)| (format!("example{}", at + 1), Example { summary: None, value });
    values.into_iter().enumerate().map(named).collect()
}
