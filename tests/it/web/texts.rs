//! The reference has every parameter and every field, and a twin says what its page says.

use std::collections::{BTreeSet, VecDeque};

use pricebook::endpoints;
use pricebook::openapi::{self, Terms};
use pricebook::server::problem::Code;
use serde_json::Value;

use super::{demo, page};

/// What paths of Markdown end with.
const TWIN: &str = ".md";

fn headings(markdown: &str) -> Vec<String> {
    let mut is_code = false;
    let lines = markdown.lines().filter(|line| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    });
    lines.map(|line| line.trim_start_matches('#').trim().replace('`', "")).collect()
}

#[test]
fn a_twin_has_the_headings_of_its_page() {
    let server = demo();
    for path in [
        "/docs",
        "/docs/methodology",
        "/docs/input",
        "/docs/changelog",
        "/reference",
        "/reference/analyst/inflation",
        "/problems",
    ] {
        let (status, page) = page(&server, path);
        assert_eq!(status, 200);
        let twin = format!("{path}{TWIN}");
        let link = page.all("link").find(|link| link.attribute("rel") == Some("alternate")).unwrap();
        assert_eq!((link.attribute("href"), link.attribute("type")), (Some(&*twin), Some("text/markdown")));
        let shown: Vec<(usize, String)> = page
            .elements
            .iter()
            .filter_map(|element| {
                let level = element.name.strip_prefix('h')?.parse().ok()?;
                Some((level, element.text.trim_end_matches(" #").trim().to_owned()))
            })
            .collect();
        let written = headings(&server.get(&twin).text());
        assert_eq!(shown.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>(), written, "{path}");
        let mut before = 0;
        for (level, text) in shown {
            assert!(level <= before + 1, "{path}: {text:?} skips a level");
            before = level;
        }
    }
}

/// The places that the links of Markdown lead to, those in code aside.
fn links(markdown: &str) -> Vec<String> {
    let mut is_code = false;
    let lines = markdown.lines().filter(|line| {
        is_code ^= line.starts_with("```");
        !is_code
    });
    let links = lines.flat_map(|line| line.split("](").skip(1));
    links.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

#[test]
fn reaches_every_page_through_markdown_links() {
    let server = demo();
    let mut client = server.connect();
    let mut waiting = VecDeque::from(["/docs.md".to_owned(), "/reference.md".to_owned()]);
    let mut seen = BTreeSet::new();
    while let Some(path) = waiting.pop_front() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = client.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        if answer.header("content-type") != Some("text/markdown; charset=utf-8") {
            continue;
        }
        let here: Vec<String> =
            links(&answer.text()).into_iter().filter(|link| !link.contains("://")).collect();
        for link in here {
            let place = link.split('#').next().unwrap();
            assert!(place.is_empty() || place.starts_with('/'), "{path} leads to {link}");
            waiting.extend(Some(place.to_owned()).filter(|place| !place.is_empty()));
        }
    }
    let texts = seen.iter().filter(|path| path.ends_with(TWIN)).count();
    let documents = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
    let documents = documents.filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|kind| kind == "md"))
    });
    assert!(texts > documents.count() + endpoints::routes().len() + Code::ALL.len(), "{seen:?}");
}

#[test]
fn examples_are_whole_and_notes_of_documents_are_not_shown() {
    let server = demo();
    for route in endpoints::routes().iter().filter(|route| !route.examples.is_empty()) {
        let target = format!("/reference{}", route.path.trim_start_matches("/v1"));
        let (_, page) = page(&server, &target);
        let json = page.all("pre").find(|shown| shown.attribute("data-language") == Some("json"));
        let json = json.unwrap_or_else(|| panic!("{target} has an example"));
        assert!(serde_json::from_str::<Value>(&json.text).is_ok(), "{target}");
        // Programs ask the server as it is known.
        for language in ["sh", "python", "typescript"] {
            let program = page.all("pre").find(|shown| shown.attribute("data-language") == Some(language));
            assert!(program.unwrap().text.contains("https://prices.example/v1/"), "{target}: {language}");
        }
    }
    let (_, input) = page(&server, "/docs/input");
    assert!(!input.one("article").text.contains("<!--"));
}

/// The paths of a schema's fields, objects and lists followed.
fn fields(document: &Value, schema: &Value, prefix: &str, found: &mut Vec<String>) {
    let resolve = |value: &Value| {
        let pointer = value["$ref"].as_str().map(|reference| reference.trim_start_matches('#').to_owned());
        pointer.map_or_else(|| value.clone(), |pointer| document.pointer(&pointer).unwrap().clone())
    };
    let choices = ["anyOf", "oneOf"].into_iter().find_map(|name| schema[name].as_array());
    if let Some(choices) = choices {
        return choices.iter().for_each(|choice| fields(document, choice, prefix, found));
    }
    let schema = resolve(schema);
    if schema["items"].is_object() {
        return fields(document, &schema["items"], prefix, found);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{prefix}.{name}");
        fields(document, field, &path, found);
        found.push(path);
    }
}

#[test]
fn every_parameter_and_field_has_its_place_in_the_reference() {
    let server = demo();
    let document = openapi::compact(&endpoints::routes(), &Terms::default()).unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        let target = format!("/reference{}", path.trim_start_matches("/v1"));
        let (status, page) = page(&server, &target);
        assert_eq!(status, 200, "{target}");
        let ids = page.ids();
        let mut wanted = Vec::new();
        let content = &item["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        fields(&document, content, "answer", &mut wanted);
        let route = endpoints::routes().into_iter().find(|route| route.path == path);
        wanted.extend(
            route.iter().flat_map(|route| route.params).map(|param| format!("parameters.{}", param.name)),
        );
        for id in &wanted {
            assert!(ids.contains(&&**id), "{target} has {id}");
        }
        for status in
            item["get"]["responses"].as_object().unwrap().keys().filter(|status| status.as_str() >= "400")
        {
            assert!(page.all("td").any(|cell| cell.text == *status), "{target} has {status}");
        }
        let summary = item["get"]["summary"].as_str().unwrap();
        assert!(page.one("article").text.contains(summary), "{target}");
    }
}
