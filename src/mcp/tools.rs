//! Tools: one for each route that has data, made from the route table.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;

use super::schema;
use crate::payment::core::prices::Prices;
use crate::query::descriptor::Descriptor;
use crate::query::endpoint::Route;

/// The tools of a server.
pub struct Toolbox {
    tools: Vec<RouteTool>,
}

/// A route as a tool.
pub(super) struct RouteTool {
    /// The route.
    pub(super) route: &'static Descriptor,
    /// Default arguments of a call.
    modest: Vec<(&'static str, String)>,
    /// The definition that clients read.
    pub(super) definition: Tool,
}

/// An argument as a client may send it. A model that fills in every argument sends null or an empty text for arguments
/// without a value.
#[derive(Deserialize)]
#[serde(untagged)]
enum Argument {
    Nothing(()),
    Flag(bool),
    Whole(u64),
    Number(f64),
    Text(String),
    Texts(Vec<String>),
}

impl Toolbox {
    /// The tools of a route table, with these prices in their descriptions. Routes without an example have no data and
    /// are left out.
    ///
    /// # Errors
    /// Returns an error if a description cannot be serialized, which cannot happen with its types.
    pub fn new(routes: &[Route], prices: &Prices) -> serde_json::Result<Self> {
        let with_data = routes.iter().filter(|route| !route.examples.is_empty());
        let tools = with_data.map(|route| RouteTool::new(route, routes, prices));
        Ok(Self { tools: tools.collect::<serde_json::Result<_>>()? })
    }

    /// The definitions of the tools, which clients read.
    pub fn definitions(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().map(|tool| &tool.definition)
    }

    /// The tool of this name.
    pub(super) fn find(&self, name: &str) -> Option<&RouteTool> {
        self.tools.iter().find(|tool| tool.definition.name == name)
    }
}

impl RouteTool {
    fn new(route: &Route, routes: &[Route], prices: &Prices) -> serde_json::Result<Self> {
        let description = format!("{} {}", price(route, prices), spoken(route.about, routes));
        let schema = Arc::new(schema::arguments(route)?);
        let is_free = route.is_free();
        // A paid call spends money each time, so it is neither read-only nor idempotent. The hint for idempotent tools
        // is false by default.
        let hints = ToolAnnotations::new().read_only(is_free).open_world(false);
        let hints = if is_free { hints } else { hints.destructive(false) };
        let definition = Tool::new(tool_name(route.name()), description, schema).with_annotations(hints);
        Ok(Self { route: route.descriptor, modest: schema::modest(route), definition })
    }

    /// Path and query of the request for a call.
    ///
    /// # Errors
    /// Returns the name of an argument whose value cannot be written in a query.
    pub(super) fn target(&self, arguments: &JsonObject) -> Result<String, String> {
        let mut pairs = Vec::new();
        for (name, value) in arguments {
            let text = Argument::deserialize(value).ok().map(Argument::text).ok_or(name)?;
            if !text.is_empty() {
                pairs.push(format!("{}={}", encoded(name), encoded(&text)));
            }
        }
        let unsaid = self.modest.iter().filter(|(name, _)| !arguments.contains_key(*name));
        pairs.extend(unsaid.map(|(name, value)| format!("{name}={value}")));
        Ok(self.route.request(&pairs.join("&")))
    }
}

impl Argument {
    /// The argument as text in a query; empty for null.
    fn text(self) -> String {
        match self {
            Self::Nothing(()) => String::new(),
            Self::Flag(flag) => flag.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
            Self::Texts(texts) => texts.join(","),
        }
    }
}

/// Name of the tool for the route with this name.
pub(super) fn tool_name(route: &str) -> String {
    route.replace('-', "_")
}

/// The price of a call, as a sentence.
fn price(route: &Route, prices: &Prices) -> String {
    format!("Price: {}.", prices.words(route).as_deref().unwrap_or("free (0 USD)"))
}

/// Replaces the routes that a text names by the names of their tools.
fn spoken(text: &str, routes: &[Route]) -> String {
    let mut text = text.to_owned();
    for route in routes {
        let tool = tool_name(route.name());
        text = text.replace(route.path, &tool);
        if route.name().contains('-') {
            text = text.replace(route.name(), &tool);
        }
    }
    text
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;
    use crate::payment::core::prices::usd;

    fn toolbox() -> Toolbox {
        Toolbox::new(&endpoints::routes(), &Prices::DEFAULT).expect("tools")
    }

    #[test]
    fn every_tool_says_what_it_costs_and_only_free_ones_are_read_only() {
        let (toolbox, routes) = (toolbox(), endpoints::routes());
        for tool in &toolbox.tools {
            let route = routes.iter().find(|route| route.path == tool.route.path).expect("a route");
            let description = tool.definition.description.as_deref().expect("a description");
            let price = description.strip_prefix("Price: ").and_then(|rest| rest.split_once('.'));
            assert!(price.is_some() && description.contains(" USD"), "{description}");
            let expected =
                if route.is_free() { "free" } else { &usd(Prices::DEFAULT.of(route.usual_price())) };
            assert!(description["Price: ".len()..].starts_with(expected), "{description}");
            let hints = tool.definition.annotations.as_ref().expect("annotations");
            assert_eq!(hints.read_only_hint, Some(route.is_free()));
            assert_eq!(hints.open_world_hint, Some(false));
            assert!(!description.contains("/v1/") && !description.contains("-price"), "{description}");
        }
        assert!(toolbox.tools.len() >= 17, "{}", toolbox.tools.len());
    }

    #[test]
    fn tools_have_names_of_their_own() {
        let toolbox = toolbox();
        let mut names: Vec<&str> = toolbox.definitions().map(|tool| &*tool.name).collect();
        assert!(names.contains(&"best_price") && !names.iter().any(|name| name.contains("topic")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), toolbox.tools.len());
    }

    /// A model reads the whole list before its first call.
    #[test]
    fn the_list_of_tools_is_short() {
        const TOKENS_PER_TOOL_MAX: usize = 370;
        let toolbox = toolbox();
        let list: Vec<&Tool> = toolbox.definitions().collect();
        let tokens = serde_json::to_vec(&list).expect("JSON").len() / 4;
        assert!(tokens < TOKENS_PER_TOOL_MAX * list.len(), "{tokens} tokens");
    }

    #[test]
    fn arguments_become_a_query() {
        let toolbox = toolbox();
        let target = |tool: &str, arguments: &str| {
            let arguments = serde_json::from_str(arguments).expect("an object");
            toolbox.find(tool).expect("a tool").target(&arguments)
        };
        for (tool, arguments, expected) in [
            ("retailers", "{}", "/v1/public/retailers"),
            ("best_price", r#"{"q":"a&b ü"}"#, "/v1/shopper/best-price?q=a%26b%20%C3%BC&limit=5"),
            ("inflation", r#"{"category":"a"}"#, "/v1/analyst/inflation?category=a&granularity=monthly"),
            ("best_price", r#"{"q":"a","limit":50}"#, "/v1/shopper/best-price?limit=50&q=a"),
            (
                "best_price",
                r#"{"q":"a","limit":2,"strict":true,"retailer":null,"linking":""}"#,
                "/v1/shopper/best-price?limit=2&q=a&strict=true",
            ),
            (
                "price_drop_alert",
                r#"{"q":"a","target_price":12.5}"#,
                "/v1/shopper/price-drop-alert?q=a&target%5Fprice=12%2E5",
            ),
            (
                "brick_attributes",
                r#"{"gpc_code":["10000276","50202200"]}"#,
                "/v1/reference/brick-attributes?gpc%5Fcode=10000276%2C50202200",
            ),
        ] {
            let found = target(tool, arguments).expect("a target");
            let (path, query) = found.split_once('?').unwrap_or((&found, ""));
            let mut pairs: Vec<&str> = query.split('&').collect();
            pairs.sort_unstable();
            let (known, wanted) = expected.split_once('?').unwrap_or((expected, ""));
            let mut wanted: Vec<&str> = wanted.split('&').collect();
            wanted.sort_unstable();
            assert_eq!((path, pairs), (known, wanted));
        }
        assert_eq!(target("best_price", r#"{"q":{"text":"a"}}"#), Err("q".to_owned()));
    }
}
