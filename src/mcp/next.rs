//! What to call next: few calls, with arguments that are answered, read off what came of the call before.

use rmcp::model::JsonObject;
use serde::{Deserialize, Serialize};

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

/// What is read of an answer. Every field belongs to some endpoints only.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Clues {
    product_uid: Option<String>,
    country: Option<String>,
    next_cursor: Option<u32>,
    lfl_try: Option<String>,
    total: u64,
    offset: u64,
    items: Vec<Item>,
    brands: Vec<Item>,
    results: Vec<Finding>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item {
    product_uid: Option<String>,
    slug: Option<String>,
    brand: Option<String>,
    children: u32,
    products: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Finding {
    gpc: Option<Code>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Code {
    code: Option<String>,
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

    /// What may follow an answer of this tool to these arguments.
    pub(super) fn after(tool: &str, asked: &JsonObject, answer: &[u8]) -> Option<Self> {
        let mut clues: Clues = serde_json::from_slice(answer).ok()?;
        // Answers that are lists of names do not say their country.
        clues.country = clues.country.or_else(|| Some(asked.get("country")?.as_str()?.to_owned()));
        let page = clues.page(tool, asked);
        Self::of(page.into_iter().chain(clues.deeper(tool, asked)).collect())
    }

    /// What may be asked instead of what was refused.
    pub(super) fn instead(tool: &str, asked: &JsonObject, way: &Way) -> Option<Self> {
        let with = |name: &str, value: &str| {
            let mut arguments = asked.clone();
            arguments.insert(name.to_owned(), value.into());
            NextCall { tool: tool.to_owned(), arguments }
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

impl Clues {
    /// The next page of the same.
    fn page(&self, tool: &str, asked: &JsonObject) -> Option<NextCall> {
        let end = self.offset.saturating_add(self.items.len() as u64);
        let (name, from) = match self.next_cursor {
            Some(cursor) => ("cursor", cursor.into()),
            None if end < self.total && !self.items.is_empty() => ("offset", end),
            None => return None,
        };
        let mut arguments = asked.clone();
        arguments.insert(name.to_owned(), from.into());
        Some(NextCall { tool: tool.to_owned(), arguments })
    }

    /// What goes on from here.
    fn deeper(&self, tool: &str, asked: &JsonObject) -> Option<NextCall> {
        let first = self.items.first();
        let own = |next| Some(self.call(next, "product_uid", self.product_uid.as_deref()?));
        let category = || asked.get("category").or_else(|| asked.get("node"))?.as_str();
        match tool {
            "best_price" => own("price_history"),
            "price_history" => own("price_drop_alert"),
            "price_drop_alert" => own("best_price"),
            "deal_finder" => Some(self.call("price_history", "product_uid", first?.product_uid.as_deref()?)),
            "competitive_landscape" => {
                Some(self.call("best_price", "product_uid", first?.product_uid.as_deref()?))
            }
            "share_of_shelf" => {
                let mut call = self.call("brand_tracker", "brand", self.brands.first()?.brand.as_deref()?);
                call.arguments.insert("category".to_owned(), category()?.into());
                Some(call)
            }
            "inflation" if self.lfl_try.is_some() => {
                let mut arguments = asked.clone();
                arguments.insert("time_window".to_owned(), self.lfl_try.as_deref()?.into());
                Some(NextCall { tool: tool.to_owned(), arguments })
            }
            "inflation" | "retailer_index" => Some(self.call("price_dispersion", "category", category()?)),
            "promo_intelligence" | "price_dispersion" => {
                Some(self.call("deal_finder", "category", category()?))
            }
            "price_bands" => Some(self.call("competitive_landscape", "category", category()?)),
            // The largest, and of equals the first.
            "categories" => match self.items.iter().rev().max_by_key(|item| item.products)? {
                Item { slug, children: 1.., .. } => Some(self.call("categories", "parent", slug.as_deref()?)),
                Item { slug, .. } => Some(self.call("competitive_landscape", "category", slug.as_deref()?)),
            },
            "brands" => Some(self.call("brand_tracker", "brand", first?.brand.as_deref()?)),
            "classify" => {
                let code = self.results.iter().find_map(|found| found.gpc.as_ref()?.code.as_deref());
                Some(NextCall { tool: "brick_attributes".to_owned(), arguments: argument("gpc_code", code?) })
            }
            _ => None,
        }
    }

    /// A call with one argument, in the country of the answer.
    fn call(&self, tool: &str, name: &str, value: &str) -> NextCall {
        let mut arguments = argument(name, value);
        if let Some(country) = &self.country {
            arguments.insert("country".to_owned(), country.as_str().into());
        }
        NextCall { tool: tool.to_owned(), arguments }
    }
}

fn argument(name: &str, value: &str) -> JsonObject {
    JsonObject::from_iter([(name.to_owned(), value.into())])
}
