//! The recipe for an endpoint in CONTRIBUTING.md: what one file says of an endpoint is on every surface, once the table of
//! routes has its line.

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::openapi::{self, Terms};
use pricebook::query::category::{CATEGORY, Resolved};
use pricebook::query::descriptor::{Descriptor, Group, Picture};
use pricebook::query::endpoint::{Endpoint, Route, Stamp};
use pricebook::query::json_text::JsonText;
use pricebook::query::next_step::NextStep;
use pricebook::query::params::Reader;
use pricebook::query::product_params::{COUNTRY, RETAILER};
use pricebook::query::refusal::Refusal;
use pricebook::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use pricebook::query::subject::Subject;
use pricebook::server::ServerOptions;
use pricebook::server::quote::target_of;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::mcp::message;
use crate::support::asking;
use crate::support::server::TestServer;

/// Counts the products of a category by price.
struct PriceCounts;

/// Answer of price-counts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceCountsAnswer")]
struct Answer {
    #[serde(flatten)]
    head: ScopeHead,
    /// How the category was understood.
    resolved: Resolved,
    /// A row for each price, the lowest first.
    prices: Vec<Row>,
}

/// Products of one price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceCount")]
struct Row {
    /// The price, in cents.
    cents: u32,
    /// Number of products.
    products: usize,
}

impl Endpoint for PriceCounts {
    type Params = ScopeParams;
    type Plan = ResolvedScope;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price counts",
        summary: "How many products of a category have each price.",
        about: "Use it to see which prices a category has, and how many products have each of them.",
        methodology: &["price-bands"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER],
        examples: &["category=memory"],
        rows: &["prices"],
        pictures: &[Picture { rows: "prices", kind: "dispersion", title: "Products by exact price" }],
        next: |answer| NextStep::about_category("price-bands", answer),
        ..Descriptor::of("/v1/analyst/price-counts", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        ScopeParams::read::<Self>(reader, &[&CATEGORY])
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<ResolvedScope, Refusal> {
        params.resolve_priced(catalog)
    }

    fn subject(catalog: &Catalog, plan: &ResolvedScope) -> Subject {
        plan.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: ResolvedScope, _: Stamp) -> Answer {
        let rows = plan.listings.priced_rows(catalog);
        let mut cents: Vec<u32> =
            rows.iter().map(|&row| catalog.listings.current_price[row as usize]).collect();
        cents.sort_unstable();
        let row = |same: &[u32]| Row { cents: same[0], products: same.len() };
        Answer {
            head: plan.head(),
            prices: cents.chunk_by(PartialEq::eq).map(row).collect(),
            resolved: plan.resolved,
        }
    }
}

fn routes() -> Vec<Route> {
    let mut routes = endpoints::routes();
    routes.push(Route::of::<PriceCounts>());
    routes
}

fn server() -> TestServer {
    TestServer::with_surfaces(routes(), asking::fixture(), &ServerOptions::default())
}

#[test]
fn it_is_answered_quoted_and_refused() {
    let server = server();
    let answer = server.get("/v1/analyst/price-counts?category=memory&country=us");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!((&answer["country"], &answer["retailer"]), (&json!("us"), &Value::Null));
    assert!(!answer["prices"].as_array().unwrap().is_empty());
    let first: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(first[..6], ["country", "currency", "category", "department", "retailer", "resolved"]);
    let quote = server.get(&target_of("/v1/analyst/price-counts?category=memory"));
    assert_eq!(quote.status, 200, "{}", quote.text());
    assert_eq!(quote.json()["resolved"]["category_path"], answer["category"]);
    let table =
        server.connect().send("GET", "/v1/analyst/price-counts?category=memory", &[("accept", "text/csv")]);
    assert!(table.text().starts_with("cents,products"), "{}", table.text());
    let refused = server.get("/v1/analyst/price-counts");
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"]["details"]["parameters"][0]["parameter"], "category");
}

#[test]
fn it_is_described() {
    let document: Value =
        serde_json::from_slice(&openapi::compact(&routes(), &Terms::default()).unwrap()).unwrap();
    let get = &document["paths"]["/v1/analyst/price-counts"]["get"];
    assert_eq!(
        (&get["operationId"], &get["summary"]),
        (&json!("getPriceCounts"), &json!(PriceCounts::DESCRIPTOR.summary))
    );
    assert_eq!(get["x-example-requests"], json!(["/v1/analyst/price-counts?category=memory"]));
    assert!(document["components"]["schemas"]["PriceCountsAnswer"].is_object());
    let listing = server().get("/llms.txt").text();
    assert!(listing.contains("/v1/analyst/price-counts"), "{listing}");
}

#[test]
fn it_is_a_tool_that_leads_on() {
    let server = server();
    let tools = message(&server, "tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap().iter();
    assert_eq!(tools.filter(|tool| tool["name"] == "price_counts").count(), 1);
    let call = json!({ "name": "price_counts", "arguments": { "category": "memory", "country": "us" } });
    let result = &message(&server, "tools/call", &call)["result"];
    let next: Value = serde_json::from_str(result["content"][1]["text"].as_str().unwrap()).unwrap();
    let answer: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    let path = &answer["category"];
    let expected = json!([{ "tool": "price_bands", "arguments": { "category": path, "country": "us" } }]);
    assert_eq!(next["suggested_next_calls"], expected);
}

#[test]
fn it_has_pages() {
    let server = server();
    for (target, parts) in [
        ("/explore", &["Price counts", "How many products of a category have each price."][..]),
        (
            "/explore/analyst/price-counts?category=memory",
            &["<h1>Price counts</h1>", "Products by exact price", "/docs/methodology#price-bands"],
        ),
        ("/reference/analyst/price-counts", &["Price counts", "Definitions of its figures"]),
    ] {
        let page = server.get(target).text();
        for part in parts {
            assert!(page.contains(part), "{part} on {target}: {page}");
        }
    }
}

#[test]
fn next_steps_are_requests_of_the_table() {
    let routes = endpoints::routes();
    let answer = json!({
        "product_uid": "p", "brands": [{ "brand": "b" }], "results": [{ "gpc": { "code": "1" } }],
        "items": [{ "product_uid": "p", "brand": "b", "slug": "s", "products": 1, "children": 1 }],
        "resolved": { "input": "i", "category_path": "A > B", "department": "A" },
    });
    let answer = JsonText::read(&answer.to_string()).unwrap();
    let steps: Vec<NextStep> = routes.iter().filter_map(|route| (route.next)(&answer)).collect();
    assert!(steps.len() >= 14, "{steps:?}");
    for NextStep { route, arguments } in steps {
        let route = routes.iter().find(|known| Some(known.name()) == route).expect("a route");
        for (name, value) in arguments {
            assert!(route.params.iter().any(|param| param.name == name), "{name} of {}", route.path);
            assert!(name != "category" || ["A > B", "s"].contains(&value.as_str()), "{value}");
        }
    }
}

#[test]
fn a_next_step_repeats_the_text_of_a_classification_code() {
    let answer = r#"{"resolved": {"input": "10000276", "category_path": "Food > Tea", "department": null}}"#;
    let step = NextStep::about_category("deal-finder", &JsonText::read(answer).unwrap()).unwrap();
    assert_eq!(step, NextStep::to("deal-finder", "category", "10000276".to_owned()));
}

#[test]
fn the_recipe_names_what_there_is() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let recipe = std::fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let recipe = recipe.split("## An endpoint\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let named = recipe.split('`').skip(1).step_by(2);
    let files: Vec<&str> = named.filter(|word| word.starts_with("src/")).collect();
    assert!((1..=3).contains(&files.len()), "{files:?}");
    for file in files {
        let file = file.replace("<group>", "analyst");
        assert!(file.contains('<') || root.join(&file).exists(), "{file}");
    }
}
