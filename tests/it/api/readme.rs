//! The README's requests give what the README shows, and what is asked for in any document is what the demo answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fancy_regex::Regex;
use pricebook::lang::Lexicon;
use pricebook::lang::text::terms::label_terms;
use serde_json::Value;

use crate::oracle::compare;
use crate::support::asking::{Service, demo};

/// Requests shown, each with its answer.
const EXAMPLES: usize = 2;

#[test]
fn the_readme_shows_real_answers() {
    let service = Service::new(demo());
    let readme = include_str!("../../../README.md");
    let mut shown = 0;
    for part in readme.split("curl 'http://127.0.0.1:8080").skip(1) {
        let (target, rest) = part.split_once('\'').unwrap();
        let json = rest.split_once("```json").unwrap().1.split_once("```").unwrap().0;
        let expected: Value = serde_json::from_str(json).unwrap();
        let (status, body) = service.ask(target);
        assert_eq!(status, 200, "{target}");
        let wrong = compare(&expected, &body, "");
        assert!(wrong.is_empty(), "{target}\n{}", wrong.join("\n"));
        shown += 1;
    }
    assert_eq!(shown, EXAMPLES);
}

#[test]
fn every_route_answers_its_examples_over_the_demo() {
    let service = Service::new(demo());
    for route in &service.routes {
        for query in route.examples {
            let (status, body) = service.ask(&format!("{}?{query}", route.path));
            assert_eq!(status, 200, "{}?{query}: {body}", route.path);
        }
    }
}

/// Texts that are asked of the demo: in a query string, and in the arguments of a call.
const ASKED: [&str; 2] = [
    r#"[?&"]q=(?<q>[^&"'`\s]+)&country=(?<country>ca|us)"#,
    r#"\bq["']?\s*[:=]\s*["'](?<q>[^"']+)["'],\s*["']?country["']?\s*[:=]\s*["'](?<country>ca|us)"#,
];
/// Documents that ask another catalog than the demo.
const OF_OTHER_CATALOGS: [&str; 3] = ["methodology.md", "tutorial.md", "input.md"];

/// Files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() && entry.file_name() != "node_modules" => files(&entry.path(), found),
            kind if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

#[test]
fn every_text_that_documents_ask_for_finds_a_product_of_that_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("README.md")];
    for folder in ["docs", "src/web", "src/mcp", "src/discovery", "tests/agents", "tests/clients"] {
        files(&root.join(folder), &mut paths);
    }
    let service = Service::new(demo());
    let patterns = ASKED.map(|pattern| Regex::new(pattern).unwrap());
    let mut asked: BTreeSet<(String, String)> = BTreeSet::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Ok(text) = fs::read_to_string(path) else { continue };
        if OF_OTHER_CATALOGS.contains(&name) || text.contains("#[cfg(test)]") {
            continue;
        }
        for found in patterns.iter().flat_map(|pattern| pattern.captures_iter(&text)).map(Result::unwrap) {
            let value = |name: &str| found.name(name).unwrap().as_str();
            asked.insert((value("q").replace('+', " "), value("country").to_owned()));
        }
    }
    for query in service.routes.iter().flat_map(|route| route.examples) {
        let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name));
        if let (Some(q), Some(country)) = (value("q="), value("country=")) {
            asked.insert((q.replace('+', " "), country.to_owned()));
        }
    }
    assert!(asked.len() >= 3, "{asked:?}");
    for (q, country) in asked {
        let target = format!("/v1/shopper/best-price?q={}&country={country}", q.replace(' ', "+"));
        let (status, answer) = service.ask(&target);
        assert_eq!(status, 200, "{target}: {answer}");
        let name =
            label_terms(Lexicon::shipped(), answer["resolved_product"]["product_name"].as_str().unwrap());
        let missing: Vec<String> =
            label_terms(Lexicon::shipped(), &q).into_iter().filter(|term| !name.contains(term)).collect();
        let is_sure =
            answer["match_quality"].as_f64().unwrap() >= 0.9 || answer["corrected_terms"].is_array();
        assert!(is_sure && (missing.is_empty() || answer["corrected_terms"].is_array()), "{q}: {answer}");
    }
}
