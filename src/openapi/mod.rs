//! The OpenAPI document: the requests of clients and the responses to them.
//!
//! The document is generated from the tables and types of the program. Paths, parameters and examples come from the
//! route table. Bounds come from the [`Param`](crate::query::params::Param)s against which requests are checked. A
//! parameter is required if the reader reports it as missing for an empty query. The schemas of answers come from the
//! types that are encoded, and their descriptions from the doc comments of the fields. Errors come from
//! [`Code`](crate::server::problem::Code).
//!
//! The description of an operation (its purpose and the meaning of null) is the endpoint's own text. Its price comes
//! from the prices of the server ([`Terms`]). Example answers are real answers (`answers`).
//!
//! `object` defines the objects of the specification that the document uses. `schemas`, `parameters`, `answers`,
//! `problems`, `headers`, `own` and `terms` fill these objects, and this file combines them into the document.

mod answers;
mod headers;
mod object;
mod own;
mod parameters;
mod problems;
mod schemas;
mod terms;

use self::answers::Examples;
use crate::query::descriptor::Group;
use crate::query::endpoint::Route;
use crate::server::quote;
use crate::types::INTERFACE_VERSION;
use object::{Components, Document, Info, License, Map, Operation, PathItem, Response, Server, Tag};
use parameters::Parameters;
use serde_json::Value;

pub use terms::Terms;

/// Path of the document.
pub const PATH: &str = "/openapi.json";

/// Version of the specification.
const OPENAPI: &str = "3.1.0";

/// Name of the service.
const TITLE: &str = "pricebook";

/// The document for a route table and the terms of a server, as JSON on one line.
///
/// # Errors
/// Returns an error if the document cannot be serialized, which cannot happen with its types.
pub fn compact(routes: &[Route], terms: &Terms) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&document(routes, terms)?)
}

/// The document for a route table and the terms of a server, as indented JSON.
///
/// # Errors
/// Returns an error if the document cannot be serialized, which cannot happen with its types.
pub fn pretty(routes: &[Route], terms: &Terms) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&document(routes, terms)?)
}

fn document(routes: &[Route], terms: &Terms) -> serde_json::Result<Document> {
    let examples = Examples::read()?;
    let mut generator = schemas::generator();
    let responses: Vec<Map<Response>> =
        routes.iter().map(|route| answers::of(route, &mut generator, &examples)).collect();
    let quote_schema = own::quote_schema(&mut generator);
    problems::describe(&mut generator);
    let mut schemas = generator.take_definitions(true);
    // The schemas are sorted by name, because the generator returns them in the order of their first use.
    schemas.sort_keys();
    let parameters = Parameters::of(routes, &schemas);
    let mut paths = Map::default();
    for (route, responses) in routes.iter().zip(responses) {
        let get = Operation {
            tags: vec![route.group.name()],
            summary: route.summary,
            id: format!("get{}", pascal(route.path)),
            description: terms.description(route),
            parameters: parameters.of_route(route, &schemas),
            responses,
            x_price: terms.price(route),
            x_payment_info: terms.payment(route),
            x_example_requests: route.example_requests().collect(),
        };
        paths.insert(route.path, PathItem { get });
    }
    paths.insert(quote::PATH, own::quote(routes, &schemas, quote_schema, &examples));
    paths.insert(PATH, own::document());
    Ok(Document {
        openapi: OPENAPI,
        info: Info {
            title: TITLE,
            version: INTERFACE_VERSION,
            summary: "Competitive prices of products sold by online retailers in the United States and Canada.",
            description: problems::with_table(include_str!("about.md")),
            license: License { name: "MIT OR Apache-2.0", identifier: "MIT OR Apache-2.0" },
        },
        servers: vec![Server { url: "/", description: "The server that serves this document." }],
        tags: tags(routes),
        x_service_info: terms::service(),
        paths,
        components: Components {
            schemas: Value::Object(schemas),
            responses: problems::responses(),
            parameters: parameters.components(),
            headers: headers::components(),
        },
    })
}

/// The last segment of a path, or the name of a parameter, in Pascal case: `best-price` becomes `BestPrice`.
fn pascal(path: &str) -> String {
    let words = path.rsplit('/').next().unwrap_or_default().split(['-', '.', '_']);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    words.map(capital).collect()
}

/// One tag for each group of the route table, in its order, and one tag for the document itself.
fn tags(routes: &[Route]) -> Vec<Tag> {
    let mut groups: Vec<Group> = Vec::new();
    for route in routes {
        if !groups.contains(&route.group) {
            groups.push(route.group);
        }
    }
    let tag = |group: Group| {
        let description = match group {
            Group::Shopper => "One product: current prices by retailer, and past prices.",
            Group::Marketing => "One category or brand: products, promotions, shares of the shelf.",
            Group::Analyst => "Price levels of a category, and their changes.",
            Group::Public => "Free routes: contents and age of the catalog, and names for other routes.",
            Group::Reference => "The product classification: codes, titles, attributes.",
            Group::Social => "Free routes: rollups that snapshots may publish, but do not publish yet.",
        };
        Tag { name: group.name(), description }
    };
    let own = Tag { name: own::TAG, description: "Free route: this description of the interface." };
    groups.into_iter().map(tag).chain([own]).collect()
}
