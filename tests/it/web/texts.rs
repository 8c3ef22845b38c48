//! The reference has every parameter and every field, and a twin says what its page says.

use pricebook::api;
use pricebook::openapi::{self, Terms};
use serde_json::Value;

use super::{demo, page};

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
        let twin = format!("{path}.md");
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
    let document = openapi::compact(&api::routes(), &Terms::default()).unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        let target = format!("/reference{}", path.trim_start_matches("/v1"));
        let (status, page) = page(&server, &target);
        assert_eq!(status, 200, "{target}");
        let ids = page.ids();
        let mut wanted = Vec::new();
        let content = &item["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        fields(&document, content, "answer", &mut wanted);
        let route = api::routes().into_iter().find(|route| route.path == path);
        wanted.extend(
            route.iter().flat_map(|route| &route.params).map(|param| format!("parameters.{}", param.name)),
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
