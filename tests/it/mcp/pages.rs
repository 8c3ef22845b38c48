//! What this server says of itself to who knows its address only, and what the documentation says of it.

use std::path::Path;

use super::server;
use crate::payment::statuses::Shop;
use pricebook::endpoints;
use pricebook::mcp::Toolbox;
use pricebook::payment::core::prices::Prices;

#[test]
fn the_page_for_readers_is_served() {
    let server = server();
    let page = server.get("/llms.txt");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    assert!(page.text().starts_with("# pricebook\n\n> "));
    for link in ["/openapi.json", "/mcp", "/.well-known/x402", "/v1/shopper/best-price?q="] {
        assert!(page.text().contains(&format!("(https://prices.example{link}")), "{link}");
    }
    // Every example request in it is answered.
    let text = page.text();
    let links = text.split("(https://prices.example/v1").skip(1).map(|rest| rest.split_once(')').unwrap().0);
    for link in links {
        assert_eq!(server.get(&format!("/v1{link}")).status, 200, "{link}");
    }
    // Every page to read is Markdown.
    let links = text.split("](https://prices.example").skip(1).map(|rest| rest.split_once(')').unwrap().0);
    let links: Vec<&str> = links.collect();
    for link in ["/reference.md", "/problems.md", "/docs.md", "/docs/methodology.md"] {
        assert!(links.contains(&link), "{link} in {links:?}");
        let shown = server.get(link);
        assert_eq!((shown.status, shown.header("content-type")), (200, Some("text/markdown; charset=utf-8")));
    }
    let tag = page.header("etag").unwrap();
    assert_eq!(server.connect().send("GET", "/llms.txt", &[("if-none-match", tag)]).status, 304);
}

#[test]
fn paid_resources_are_listed_where_there_are_any() {
    assert_eq!(server().get("/.well-known/x402").status, 404);
    let shop = Shop::open();
    let list = shop.get("/.well-known/x402", &[]);
    assert_eq!((list.status, list.header("content-type")), (200, Some("application/json")));
    let list = list.json();
    assert_eq!((&list["version"], &list["x402Version"]), (&1.into(), &2.into()));
    let resources = list["resources"].as_array().unwrap();
    let paid = endpoints::routes().iter().filter(|route| !route.is_free()).count();
    assert_eq!((resources.len(), list["items"].as_array().unwrap().len()), (paid, paid));
    for item in list["items"].as_array().unwrap() {
        assert!(resources.contains(&item["resource"]));
        let example = item["example"].as_str().unwrap().strip_prefix("https://prices.example").unwrap();
        let answer = shop.get(example, &[]);
        let price = &answer.json()["error"]["details"]["price"]["atomic"];
        assert_eq!((answer.status, price), (402, &item["price"]["atomic"]), "{example}");
    }
}

/// The table of tools in docs/agents.md.
#[test]
fn the_documentation_lists_the_tools() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once("` | "))
        .map(|(tool, rest)| (tool, rest.split(" | ").next().unwrap()))
        .collect();
    let toolbox = Toolbox::new(&endpoints::routes(), &Prices::DEFAULT).unwrap();
    let said = |price: &str| match price {
        "free" => "Price: free".to_owned(),
        price => format!("Price: {price} USD"),
    };
    for tool in toolbox.definitions() {
        let row = rows.iter().find(|(name, _)| *name == tool.name);
        let (_, price) = row.unwrap_or_else(|| panic!("docs/agents.md has no row of {}", tool.name));
        assert!(tool.description.as_deref().unwrap().starts_with(&said(price)), "{}: {price}", tool.name);
    }
    let described =
        rows.iter().filter(|(name, _)| toolbox.definitions().any(|tool| tool.name == *name)).count();
    assert_eq!(described, toolbox.definitions().count());
}
