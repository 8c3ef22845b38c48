//! The parameters of a route as the JSON schema of a tool's arguments. It is read by a model each time that it chooses
//! a tool, so it says what is needed and nothing twice.

use rmcp::model::JsonObject;
use serde::Serialize;

use super::{NAMES_DEFAULT, ROWS_DEFAULT};
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, Kind, Param, REQUIRED};
use crate::types::Day;

/// The parameter that says how many rows are wanted.
const LIMIT: &str = "limit";
/// The parameter that says how long the periods of a series are, and its word for the longest: without it a route may
/// answer a point for every day.
const GRANULARITY: (&str, &str) = ("granularity", "monthly");

/// Parameters that need no words.
const SPEAKING: [&str; 2] = ["country", LIMIT];

/// How a parameter begins that is another name of one.
const ALIAS: &str = "Another name of ";

/// Schema of the arguments. `additionalProperties` is left out: an unknown argument is refused with the known ones.
#[derive(Serialize)]
struct Arguments {
    #[serde(rename = "type")]
    kind: &'static str,
    properties: JsonObject,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'static str>,
}

/// Schema of one argument.
#[derive(Serialize)]
struct Property {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    allowed: Option<Allowed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Fallback>,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Allowed {
    Words(&'static [&'static str]),
    Numbers(&'static [u32]),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Fallback {
    Word(&'static str),
    Number(u32),
}

/// The parameters that a tool is described with: no second names.
fn taken(route: &Route) -> impl Iterator<Item = &'static Param> {
    route.params.iter().copied().filter(|param| !param.about.starts_with(ALIAS))
}

/// Schema of the arguments of a route.
///
/// # Errors
/// When it cannot be encoded, which no type in it allows.
pub(super) fn arguments(route: &Route) -> serde_json::Result<JsonObject> {
    // What the reader says of an empty query is what a request needs; the catalog's now plays no part in it.
    let faults = Day::parse("2026-01-01").and_then(|day| route.parse("", day).err()).unwrap_or_default();
    let fault = |param: &Param| faults.iter().find(|fault| fault.parameter == param.name);
    let mut properties = JsonObject::new();
    for param in taken(route) {
        properties.insert(param.name.to_owned(), serde_json::to_value(property(route, param, fault(param)))?);
    }
    let is_required = |param: &&Param| fault(param).is_some_and(|fault| fault.reason == REQUIRED);
    let required = taken(route).filter(is_required).map(|param| param.name).collect();
    object(&Arguments { kind: "object", properties, required })
}

/// What a call asks for that does not say so, where the route by itself would answer more than an agent wants to pay for.
pub(super) fn modest(route: &Route) -> Vec<(&'static str, String)> {
    let named = |name: &str| taken(route).find(|param| param.name == name);
    let rows = named(LIMIT).and_then(|limit| modest_rows(route, limit)).map(|rows| (LIMIT, rows.to_string()));
    let (granularity, longest) = GRANULARITY;
    let periods = named(granularity).map(|_| (granularity, longest.to_owned()));
    rows.into_iter().chain(periods).collect()
}

/// How many rows a call asks for that does not say so; `None` where the route's own number is small enough.
fn modest_rows(route: &Route, limit: &Param) -> Option<u32> {
    match limit.kind {
        Kind::Integer { default: Some(default), .. } => Some(rows(route)).filter(|&rows| rows < default),
        _ => None,
    }
}

/// Most rows that a call asks for unless it says so.
fn rows(route: &Route) -> u32 {
    if route.is_free() { NAMES_DEFAULT } else { ROWS_DEFAULT }
}

fn property(route: &Route, param: &Param, fault: Option<&BadParameter>) -> Property {
    let condition =
        fault.filter(|fault| fault.reason != REQUIRED).map(|fault| format!(" A call must {}.", fault.reason));
    let mut property = Property {
        kind: "string",
        allowed: None,
        minimum: None,
        maximum: None,
        default: None,
        description: format!("{}{}", told(param), condition.unwrap_or_default()).trim_start().to_owned(),
    };
    match param.kind {
        Kind::Text | Kind::PlatformKey | Kind::Date => {}
        Kind::Word(words, default) => {
            property.allowed = Some(Allowed::Words(words));
            let modest = Some(GRANULARITY.1).filter(|_| param.name == GRANULARITY.0);
            property.default = modest.or(default).map(Fallback::Word);
        }
        Kind::Integer { min, max, default } => {
            property.kind = "integer";
            property.minimum = Some(min);
            property.maximum = Some(max);
            let modest = modest_rows(route, param).filter(|_| param.name == LIMIT);
            property.default = modest.or(default).map(Fallback::Number);
        }
        Kind::Position => {
            property.kind = "integer";
            property.minimum = Some(0);
            property.default = Some(Fallback::Number(0));
        }
        Kind::OneOf(numbers, default) => {
            property.kind = "integer";
            property.allowed = Some(Allowed::Numbers(numbers));
            property.default = default.map(Fallback::Number);
        }
        Kind::Flag => property.kind = "boolean",
        Kind::Price | Kind::Fraction(_) => property.kind = "number",
    }
    property
}

/// What is told of a parameter: the sentence that says what it is, of a plain one without its finer points, and nothing
/// where its name and its values say it. All of it stands in the OpenAPI document.
fn told(param: &Param) -> String {
    let first = first_sentence(param.about);
    match param.kind {
        _ if SPEAKING.contains(&param.name) => String::new(),
        Kind::Date | Kind::PlatformKey | Kind::Flag => {
            let plain = first.split([';', ':']).next().unwrap_or(first);
            format!("{}.", plain.trim_end_matches('.'))
        }
        _ => first.to_owned(),
    }
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// A typed value as a JSON object.
fn object(value: &impl Serialize) -> serde_json::Result<JsonObject> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_what_it_is() {
        for (text, first) in [
            ("A category: display path (A > B > C).", "A category: display path (A > B > C)."),
            ("Days, e.g. 7. More of it.", "Days, e.g."),
            ("Most items", "Most items"),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
