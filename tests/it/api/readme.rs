//! The README's requests give what the README shows.

use crate::oracle::compare;
use crate::support::asking::{Service, demo};
use serde_json::Value;

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
