//! The OpenAPI document: what a client can ask, and what comes back.
//!
//! Nothing is described here a second time. Paths, parameters and examples come from the route table, bounds from
//! the [`Param`](crate::query::params::Param)s that the reader holds requests against, answers from the types that
//! are encoded, errors from [`Code`](crate::http::problem::Code), required parameters from what the reader itself
//! says of an empty query. Answers are described by the doc comments of their fields.
//!
//! `object` has the objects of the specification as far as they are used, `parameters`, `answers`, `problems` and
//! `headers` fill them, this file puts them together.

mod answers;
mod headers;
mod object;
mod parameters;
mod problems;

use schemars::Schema;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use crate::domain::INTERFACE_VERSION;
use crate::query::endpoint::{Group, Route};
use object::{Components, Document, Info, License, Map, Operation, PathItem, Price, Server, Tag};

/// Where the document is served.
pub const PATH: &str = "/openapi.json";

/// The document of a route table, as JSON in one line.
///
/// # Errors
/// When it cannot be encoded, which no type in it allows.
pub fn compact(routes: &[Route]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&document(routes))
}

/// The document of a route table, as JSON to be read.
///
/// # Errors
/// When it cannot be encoded, which no type in it allows.
pub fn pretty(routes: &[Route]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&document(routes))
}

fn document(routes: &[Route]) -> Document {
    let mut generator = generator();
    let mut paths = Map::default();
    for route in routes {
        paths.insert(route.path, path_item(route, &mut generator));
    }
    paths.insert(PATH, answers::own_path());
    let responses = problems::responses(&mut generator);
    let schemas = problems::with_problems(generator.take_definitions(true));
    Document {
        openapi: "3.1.0",
        info: Info {
            title: "pricebook",
            version: INTERFACE_VERSION,
            summary: "Competitive prices of products sold by online retailers in the United States and Canada.",
            description: problems::with_table(include_str!("about.md")),
            license: License { name: "MIT OR Apache-2.0", identifier: "MIT OR Apache-2.0" },
        },
        servers: vec![Server { url: "/", description: "The server that this document comes from." }],
        tags: tags(routes),
        paths,
        components: Components {
            schemas,
            responses,
            parameters: parameters::request_headers(),
            headers: headers::components(),
        },
    }
}

/// A generator of the schemas of what is answered, in the dialect of OpenAPI 3.1.
fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .with_transform(RecursiveTransform(polish))
        .into_generator()
}

fn path_item(route: &Route, generator: &mut SchemaGenerator) -> PathItem {
    let get = Operation {
        tags: vec![group_name(route.group)],
        summary: route.summary,
        id: format!("get{}", pascal(route.path)),
        description: None,
        parameters: parameters::of(route),
        responses: answers::of(route, generator),
        x_price: Price::of(route),
        x_example_requests: requests(route),
    };
    let head =
        route.is_free().then(|| get.head(format!("head{}", pascal(route.path)), answers::head_of(route)));
    PathItem { get, head }
}

/// Requests of the route that are answered over the demo.
fn requests(route: &Route) -> Vec<String> {
    let target = |query: &&str| match *query {
        "" => route.path.to_owned(),
        query => format!("{}?{query}", route.path),
    };
    route.examples.iter().map(target).collect()
}

/// The last segment of a path as a name: `/v1/shopper/best-price` is `BestPrice`.
fn pascal(path: &str) -> String {
    let words = path.rsplit('/').next().unwrap_or_default().split(['-', '.']);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    words.map(capital).collect()
}

fn group_name(group: Group) -> &'static str {
    match group {
        Group::Shopper => "Shopper",
        Group::Marketing => "Marketing",
        Group::Analyst => "Analyst",
        Group::Public => "Public",
        Group::Reference => "Reference",
        Group::Social => "Social",
    }
}

/// The groups of the table in its order, and one for the document itself.
fn tags(routes: &[Route]) -> Vec<Tag> {
    let mut groups: Vec<Group> = Vec::new();
    for route in routes {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
    }
    let tag = |group: Group| {
        let description = match group {
            Group::Shopper => "One product: what it costs now, where, and what it cost before.",
            Group::Marketing => "One category or brand: products, promotions, shares of the shelf.",
            Group::Analyst => "Price levels of a category, and how they change.",
            Group::Public => "Free: what the catalog holds, how fresh it is, and what to ask for.",
            Group::Reference => "The product classification: codes, titles, attributes.",
            Group::Social => "Free: rollups that a snapshot may publish; none does yet.",
        };
        Tag { name: group_name(group), description }
    };
    let own = Tag { name: answers::OWN_TAG, description: "Free: this description of the interface." };
    groups.into_iter().map(tag).chain([own]).collect()
}

/// Takes the source out of a schema: the line ends of a wrapped doc comment, the width of an integer type.
fn polish(schema: &mut Schema) {
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
        schema.remove("format");
        schema.remove("maximum");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}
