//! The reference of the interface: an index, and a page for each route.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::Text;
use super::problems;
use super::schema::{Schemas, plain};
use crate::query::descriptor::Descriptor;
use crate::query::endpoint::Route;
use crate::server::quote;
use crate::web::layout::Section;
use crate::web::{METHODOLOGY, explorer};

/// Where the index is.
pub(super) const PATH: &str = "/reference";

/// Server of the examples where it is not known how clients know this one.
const SERVER: &str = "http://127.0.0.1:8080";

/// The pages of a server that clients know as `base`, which may be empty.
pub(super) fn texts(table: &[Route], document: &Value, base: &str) -> Vec<Text> {
    let base = if base.is_empty() { SERVER } else { base };
    let none = Map::new();
    let paths = document["paths"].as_object().unwrap_or(&none);
    let routes: Vec<Operation<'_>> = paths
        .iter()
        .map(|(path, item)| {
            let route = table.iter().find(|route| route.path == path).map(|route| route.descriptor);
            Operation { schemas: Schemas(document), base, path, route, get: &item["get"] }
        })
        .collect();
    let mut texts = vec![index(document, &routes)];
    texts.extend(routes.iter().map(Operation::text));
    texts
}

/// A route as the document describes it.
struct Operation<'a> {
    schemas: Schemas<'a>,
    base: &'a str,
    path: &'a str,
    /// Its entry in the route table; quotes and the document have none.
    route: Option<&'static Descriptor>,
    get: &'a Value,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn index(document: &Value, routes: &[Operation<'_>]) -> Text {
    // The table of errors stands on a page of its own.
    let about = text(&document["info"]["description"]).split("\n| ").next().unwrap_or_default();
    let mut page = format!("# Reference\n\n{}\n\nEvery error has [a page](/problems).\n", about.trim());
    for tag in document["tags"].as_array().into_iter().flatten() {
        // Writing into a String cannot fail.
        let _ = write!(page, "\n## {}\n\n{}\n\n", text(&tag["name"]), text(&tag["description"]));
        for route in routes.iter().filter(|route| route.get["tags"][0] == tag["name"]) {
            let _ = writeln!(
                page,
                "- [`{}`]({}): {} {}",
                route.path,
                explorer::reference(route.path),
                text(&route.get["summary"]),
                route.price()
            );
        }
    }
    page.push_str("\n## Header fields\n\n| field | meaning |\n|---|---|\n");
    for (name, header) in document["components"]["headers"].as_object().into_iter().flatten() {
        let _ = writeln!(page, "| `{name}` | {} |", text(&header["description"]).replace(['\n', '|'], " "));
    }
    page.push_str(
        "\nThe interface is also described by one [OpenAPI 3.1](/openapi.json) document. Answers as tables are \
         described in [formats](/docs/formats).\n",
    );
    Text {
        path: PATH.to_owned(),
        section: Section::Api,
        about: "All routes of the interface, with their answers and prices.".to_owned(),
        markdown: page,
    }
}

impl Operation<'_> {
    fn text(&self) -> Text {
        let sections = [self.head(), self.parameters(), self.example(), self.answer(), self.errors()];
        Text {
            path: explorer::reference(self.path),
            section: Section::Api,
            about: text(&self.get["summary"]).to_owned(),
            markdown: sections.concat(),
        }
    }

    /// The title of the page; the path for an operation outside the route table.
    fn name(&self) -> &str {
        match self.route {
            Some(route) => route.title,
            None if self.path == quote::PATH => quote::TITLE,
            None => self.path,
        }
    }

    fn price(&self) -> String {
        let price = &self.get["x-price"];
        match (price["usd"].as_str(), price["deep_usd"].as_str(), price["deep_for"].as_str()) {
            (None, ..) => "Free.".to_owned(),
            (Some(usd), Some(deep), Some(of)) => format!("Costs {usd} USD; {deep} USD for {of}."),
            (Some(usd), ..) => format!("Costs {usd} USD."),
        }
    }

    fn requests(&self) -> impl Iterator<Item = &str> {
        self.get["x-example-requests"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    fn is_explored(&self) -> bool {
        self.route.is_some_and(|route| !route.examples.is_empty())
    }

    fn head(&self) -> String {
        let description = text(&self.get["description"]);
        // The price stands by itself.
        let about = description.find(" Costs ").map_or(description, |at| &description[..at]);
        let about = about.strip_suffix(" Free.").unwrap_or(about);
        let mut head = format!(
            "# {}\n\n`GET {}`\n\n{} {about}\n\n{}",
            self.name(),
            self.path,
            text(&self.get["summary"]),
            self.price()
        );
        if !self.get["x-price"].is_null() {
            head.push_str(" [How to pay](/docs/clients#paying).");
        }
        if self.is_explored() {
            let _ = write!(head, " [Try it]({}).", explorer::place(self.path));
        }
        let anchors = self.route.map_or(&[][..], |route| route.methodology);
        let figures: Vec<String> = anchors
            .iter()
            .map(|anchor| format!("[{}]({METHODOLOGY}#{anchor})", anchor.replace('-', " ")))
            .collect();
        if !figures.is_empty() {
            let _ = write!(head, " Definitions of its figures: {}.", figures.join(", "));
        }
        head.push_str("\n\n");
        head
    }

    fn parameters(&self) -> String {
        let parameters = self.get["parameters"].as_array().into_iter().flatten();
        let parameters: Vec<&Value> = parameters.map(|parameter| self.schemas.resolve(parameter)).collect();
        let mut table = "## Parameters\n\n".to_owned();
        if !parameters.iter().any(|parameter| parameter["in"] == "query") {
            table.push_str("The route has no parameters.\n\n");
            return table;
        }
        table.push_str("| parameter | type | meaning | example |\n|---|---|---|---|\n");
        for parameter in parameters.into_iter().filter(|parameter| parameter["in"] == "query") {
            let schema = &parameter["schema"];
            let examples = parameter["examples"].as_object().into_iter().flatten();
            let example = examples.map(|(_, example)| format!("`{}`", plain(&example["value"]))).next();
            let needed = if parameter["required"] == true { "Required. " } else { "" };
            let _ = writeln!(
                table,
                "| `{}` | {}{} | {needed}{}{} | {} |",
                text(&parameter["name"]),
                self.schemas.kind(schema),
                bounds(schema),
                text(&parameter["description"]).replace(['\n', '|'], " "),
                self.schemas.words(schema),
                example.unwrap_or_default().replace('|', " ")
            );
        }
        table.push('\n');
        table
    }

    fn example(&self) -> String {
        let Some(request) = self.requests().next() else { return String::new() };
        let url = format!("{}{request}", self.base);
        let mut section = format!(
            "## Example\n\n```sh\ncurl '{url}'\n```\n\n```python\nimport httpx\n\nprint(httpx.get(\"{url}\").json())\n```\
             \n\n```typescript\nconst answer = await (await fetch(\"{url}\")).json();\nconsole.log(JSON.stringify(answer, null, 2));\n```\n\n"
        );
        let examples = self.content()["examples"].as_object().into_iter().flatten();
        if let Some((_, example)) = examples.into_iter().next() {
            let json = serde_json::to_string_pretty(&example["value"]).unwrap_or_default();
            let asked = match text(&example["summary"]) {
                request if request.starts_with("GET ") => format!("`{request}`"),
                said => said.to_owned(),
            };
            let _ = write!(section, "{asked}:\n\n```json\n{json}\n```\n\n");
        }
        section
    }

    /// The JSON of the answer.
    fn content(&self) -> &Value {
        &self.schemas.resolve(&self.get["responses"]["200"])["content"]["application/json"]
    }

    fn answer(&self) -> String {
        let schema = self.schemas.resolve(&self.content()["schema"]);
        if schema["properties"].is_null() {
            return String::new();
        }
        format!(
            "## Answer\n\nThe name of a nested field begins with the name of its object. Fields are always present \
             unless their type says otherwise. The row of a field gives the meaning of null.\n\n{}\n",
            self.schemas.table(schema)
        )
    }

    fn errors(&self) -> String {
        let mut table = "## Errors\n\n| status | code |\n|---|---|\n".to_owned();
        for (status, code) in problems::of(self.schemas, self.get) {
            let _ = writeln!(table, "| {status} | [{code}]({}) |", problems::place(&code));
        }
        table
    }
}

/// Bounds and default of a parameter, behind its type.
fn bounds(schema: &Value) -> String {
    let mut text = String::new();
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, Value::Null) => {}
        (from, Value::Null) => drop(write!(text, ", from {from}")),
        (from, to) => drop(write!(text, ", {from} to {to}")),
    }
    if !schema["default"].is_null() {
        let _ = write!(text, ", `{}` by default", plain(&schema["default"]));
    }
    text
}
