//! What to call next: few calls, with arguments that are answered, read off what came of the call before.

use rmcp::model::JsonObject;
use serde::{Deserialize, Serialize};

use super::tools::tool_name;
use crate::query::descriptor::Descriptor;
use crate::query::json_text::JsonText;
use crate::query::next_step::Exchange;

/// Calls that are suggested at most.
const CALLS_MAX: usize = 2;

/// A call that follows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct NextCall {
    tool: String,
    arguments: JsonObject,
}

/// What stands behind an answer, for agents.
#[derive(Debug, Serialize)]
pub(super) struct Suggested {
    suggested_next_calls: Vec<NextCall>,
}

/// What is read of an error's details.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Way {
    reason: Option<String>,
    suggestions: Vec<String>,
    other_country: Option<String>,
    serving_eligible_retailers: Vec<String>,
}

impl Suggested {
    /// `None` where nothing is.
    fn of(mut calls: Vec<NextCall>) -> Option<Self> {
        calls.truncate(CALLS_MAX);
        (!calls.is_empty()).then_some(Self { suggested_next_calls: calls })
    }

    /// What may follow an answer of this route to these arguments: its next page, and the route's own next step.
    pub(super) fn after(route: &Descriptor, asked: &JsonObject, answer: &[u8]) -> Option<Self> {
        let answer = JsonText::read(std::str::from_utf8(answer).ok()?).ok()?;
        let argument = |name: &str| asked.get(name)?.as_str();
        let step = (route.next)(&Exchange { answer: &answer, asked: &argument });
        let step = step.map(|step| {
            let mut arguments = if step.repeats { asked.clone() } else { JsonObject::new() };
            arguments
                .extend(step.arguments.iter().map(|(name, value)| (name.to_string(), value.as_str().into())));
            // Answers that are lists of names do not say their country.
            let country = answer.field("country").and_then(JsonText::cell);
            let country = country.or_else(|| argument("country").map(str::to_owned));
            if let Some(country) = country.filter(|_| !step.repeats) {
                arguments.insert("country".to_owned(), country.into());
            }
            NextCall { tool: tool_name(step.route), arguments }
        });
        Self::of(next_page(route, asked, &answer).into_iter().chain(step).collect())
    }

    /// What may be asked instead of what was refused.
    pub(super) fn instead(route: &Descriptor, asked: &JsonObject, way: &Way) -> Option<Self> {
        let with = |name: &str, value: &str| {
            let mut arguments = asked.clone();
            arguments.insert(name.to_owned(), value.into());
            NextCall { tool: tool_name(route.name()), arguments }
        };
        let country = way.other_country.iter().map(|country| with("country", country));
        let named = match way.reason.as_deref() {
            Some("unknown_product") => Some("q"),
            Some("unknown_brand") => Some("brand"),
            Some("unknown_category") => {
                ["category", "node"].into_iter().find(|name| asked.contains_key(*name))
            }
            _ => None,
        };
        let named =
            named.into_iter().flat_map(|name| way.suggestions.iter().map(move |near| with(name, near)));
        let retailer = way.serving_eligible_retailers.first().map(|retailer| with("retailer", retailer));
        Self::of(country.chain(named).chain(retailer).collect())
    }
}

/// The next page of the same.
fn next_page(route: &Descriptor, asked: &JsonObject, answer: &JsonText) -> Option<NextCall> {
    let number = |name: &str| answer.field(name)?.cell()?.parse::<u64>().ok();
    let rows = match answer.field("items") {
        Some(JsonText::List(rows)) => rows.len() as u64,
        _ => 0,
    };
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
