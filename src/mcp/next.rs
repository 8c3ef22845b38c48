//! Suggests the next calls: a few calls that can be answered, derived from the result of the previous call.

use rmcp::model::JsonObject;
use serde::{Deserialize, Serialize};

use super::tools::tool_name;
use crate::query::descriptor::Descriptor;
use crate::query::json_text::JsonText;
use crate::query::refusal::misnamed;

/// Maximum number of suggested calls.
const CALLS_MAX: usize = 2;

/// A suggested call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct NextCall {
    tool: String,
    arguments: JsonObject,
}

/// Calls suggested after an answer.
#[derive(Debug, Serialize)]
pub(super) struct Suggested {
    suggested_next_calls: Vec<NextCall>,
}

/// The fields of an error's details from which calls are suggested.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Way {
    reason: Option<String>,
    suggestions: Vec<String>,
    other_country: Option<String>,
    serving_eligible_retailers: Vec<String>,
}

impl Suggested {
    /// Keeps the first calls; `None` if there are none.
    fn of(mut calls: Vec<NextCall>) -> Option<Self> {
        calls.truncate(CALLS_MAX);
        (!calls.is_empty()).then_some(Self { suggested_next_calls: calls })
    }

    /// Calls that may follow an answer of this route to these arguments: its next page, and the route's own next
    /// step.
    pub(super) fn after(route: &Descriptor, asked: &JsonObject, answer: &[u8]) -> Option<Self> {
        let answer = JsonText::read(std::str::from_utf8(answer).ok()?).ok()?;
        let step = (route.next)(&answer).map(|step| {
            let mut arguments = if step.route.is_none() { asked.clone() } else { JsonObject::new() };
            arguments
                .extend(step.arguments.iter().map(|(name, value)| (name.to_string(), value.as_str().into())));
            // Answers that are lists of names do not contain their country.
            let country = answer.field("country").and_then(JsonText::cell);
            let country = country.or_else(|| Some(asked.get("country")?.as_str()?.to_owned()));
            if let Some(country) = country.filter(|_| step.route.is_some()) {
                arguments.insert("country".to_owned(), country.into());
            }
            NextCall { tool: tool_name(step.route.unwrap_or_else(|| route.name())), arguments }
        });
        Self::of(next_page(route, asked, &answer).into_iter().chain(step).collect())
    }

    /// Calls that may replace a refused call.
    pub(super) fn instead(route: &Descriptor, asked: &JsonObject, way: &Way) -> Option<Self> {
        let with = |name: &str, value: &str| {
            let mut arguments = asked.clone();
            arguments.insert(name.to_owned(), value.into());
            NextCall { tool: tool_name(route.name()), arguments }
        };
        let country = way.other_country.iter().map(|country| with("country", country));
        let named = |near: &String| {
            let mut arguments = asked.clone();
            let given = misnamed(way.reason.as_deref()?).iter().filter(|name| asked.contains_key(**name));
            let replaced =
                given.map(|name| arguments.insert((*name).to_owned(), near.as_str().into())).count();
            (replaced > 0).then(|| NextCall { tool: tool_name(route.name()), arguments })
        };
        let named = way.suggestions.iter().filter_map(named);
        let retailer = way.serving_eligible_retailers.first().map(|retailer| with("retailer", retailer));
        Self::of(country.chain(named).chain(retailer).collect())
    }
}

/// The next page of the same answer.
fn next_page(route: &Descriptor, asked: &JsonObject, answer: &JsonText) -> Option<NextCall> {
    let number = |name: &str| answer.field(name)?.cell()?.parse::<u64>().ok();
    let rows = answer.rows("items").len() as u64;
    let end = number("offset").unwrap_or_default().saturating_add(rows);
    let (name, from) = match number("next_cursor") {
        Some(cursor) => ("cursor", cursor),
        None if rows > 0 && end < number("total")? => ("offset", end),
        None => return None,
    };
    let mut arguments = asked.clone();
    arguments.insert(name.to_owned(), from.into());
    Some(NextCall { tool: tool_name(route.name()), arguments })
}
