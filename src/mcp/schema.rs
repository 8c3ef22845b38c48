//! The parameters of a route as the JSON schema of a tool's arguments. A model reads the schema each time it chooses a
//! tool, so the schema is short and does not repeat anything.

use rmcp::model::JsonObject;
use serde::Serialize;

use super::{NAMES_DEFAULT, ROWS_DEFAULT};
use crate::query::endpoint::Route;
use crate::query::params::{BadParameter, Kind, Param, REQUIRED};
use crate::types::Day;

/// The parameter for the number of rows.
const LIMIT: &str = "limit";
/// The parameter for the length of the periods of a series, and the value for the longest periods. Without the
/// parameter, a route may answer with a point for every day.
const GRANULARITY: (&str, &str) = ("granularity", "monthly");

/// Parameters that need no description.
const SPEAKING: [&str; 2] = ["country", LIMIT];

/// Start of the description of a parameter that is an alias of another one.
const ALIAS: &str = "Another name of ";

/// Schema of the arguments. `additionalProperties` is left out, because the refusal of an unknown argument lists the
/// known ones.
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

/// The parameters in the description of a tool, without aliases.
fn taken(route: &Route) -> impl Iterator<Item = &'static Param> {
    route.params.iter().copied().filter(|param| !param.about.starts_with(ALIAS))
}

/// Schema of the arguments of a route.
///
/// # Errors
/// Returns an error if the schema cannot be serialized, which cannot happen with its types.
pub(super) fn arguments(route: &Route) -> serde_json::Result<JsonObject> {
    // The faults of an empty query show which parameters are required. They do not depend on the day.
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

/// Default arguments of a call, for parameters whose own defaults give a longer answer than an agent wants to pay for.
pub(super) fn modest(route: &Route) -> Vec<(&'static str, String)> {
    let named = |name: &str| taken(route).find(|param| param.name == name);
    let rows = named(LIMIT).and_then(|limit| modest_rows(route, limit)).map(|rows| (LIMIT, rows.to_string()));
    let (granularity, longest) = GRANULARITY;
    let periods = named(granularity).map(|_| (granularity, longest.to_owned()));
    rows.into_iter().chain(periods).collect()
}

/// Default number of rows of a call; `None` if the route's own default is small enough.
fn modest_rows(route: &Route, limit: &Param) -> Option<u32> {
    match limit.kind {
        Kind::Integer { default: Some(default), .. } => Some(rows(route)).filter(|&rows| rows < default),
        _ => None,
    }
}

/// Default number of rows of a call to the route.
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

/// Description of a parameter for a model: the first sentence of its full description, or the first clause for dates,
/// platform keys and flags. It is empty if the name and the values explain the parameter. The OpenAPI document has the
/// full text.
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
