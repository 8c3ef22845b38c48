//! Every link and every anchor of the site leads somewhere, and nothing comes from elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pricebook::server::problem::Code;

use super::html::{Html, split};
use super::{demo, read};
use crate::support::client::Client;

/// Pages of answers that are looked at; beyond them their links are not followed, for every product has one.
const ANSWERS_MAX: usize = 150;

/// What was found at a path: ids of HTML, nothing of other files.
type Seen = BTreeMap<String, Option<BTreeSet<String>>>;

fn look(client: &mut Client, path: &str) -> Option<Html> {
    let answer = client.send("GET", path, &[("accept", "text/html,*/*;q=0.8")]);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let is_html = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
    is_html.then(|| read(path, &answer).1)
}

#[test]
fn every_link_leads_somewhere() {
    let server = demo();
    let mut client = server.connect();
    let (mut seen, mut anchors) = (Seen::new(), Vec::new());
    let (mut waiting, mut answers) = (VecDeque::from(["/".to_owned()]), 0);
    while let Some(path) = waiting.pop_front() {
        let is_answer = path.contains('?');
        answers += usize::from(is_answer);
        if seen.contains_key(&path) || (is_answer && answers > ANSWERS_MAX) {
            continue;
        }
        let Some(page) = look(&mut client, &path) else {
            seen.insert(path, None);
            continue;
        };
        let ids = page.ids();
        let different: BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(different.len(), ids.len(), "ids of {path} are its own: {ids:?}");
        for (element, target) in page.targets() {
            if target.contains("://") {
                assert!(element.is("a"), "{path} loads {target}");
                continue;
            }
            let (place, fragment) = split(&path, target);
            assert!(place.starts_with('/') && !place.starts_with("//"), "{path} leads to {target}");
            anchors.extend(fragment.map(|fragment| (path.clone(), place.to_owned(), fragment)));
            // A form's address is asked with its fields.
            if !element.is("form") {
                waiting.push_back(place.to_owned());
            }
        }
        seen.insert(path, Some(different));
    }
    for (page, place, fragment) in &anchors {
        if let Some(Some(ids)) = seen.get(place) {
            assert!(ids.contains(fragment), "{page} leads to {place}#{fragment}");
        }
    }
    assert!(seen.len() > 100 && anchors.len() > 1_000, "{} pages, {} anchors", seen.len(), anchors.len());
}

#[test]
fn the_type_of_every_error_is_a_page() {
    let server = demo();
    for code in Code::ALL {
        let page = look(&mut server.connect(), code.kind()).unwrap();
        let word = serde_json::to_value(code).unwrap();
        assert_eq!(page.one("h1").text.trim(), word.as_str().unwrap());
        let twin = server.get(&format!("{}.md", code.kind()));
        assert_eq!(twin.header("content-type"), Some("text/markdown; charset=utf-8"));
        assert!(twin.text().starts_with(&format!("# {}\n", word.as_str().unwrap())));
    }
}

#[test]
fn serves_404_as_page_to_browsers_and_problem_to_programs() {
    let server = demo();
    let target = "/%3Cscript%3E/nothing";
    let shown = server.connect().send("GET", target, &[("accept", "text/html,*/*;q=0.8")]);
    let (status, page) = read(target, &shown);
    assert_eq!((status, page.one("h1").text.as_str()), (404, "No such page"));
    let told = server.get(target);
    assert_eq!((told.status, told.header("content-type")), (404, Some("application/problem+json")));
    for path in ["/", "/docs", "/explore", "/coverage"] {
        assert_eq!(server.connect().send("HEAD", path, &[]).status, 200);
        assert_eq!(server.connect().send("POST", path, &[]).status, 405);
    }
}

#[test]
fn pages_are_kept_by_their_tags_and_files_for_good() {
    let server = demo();
    let answer = server.get("/reference");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"));
    let tag = answer.header("etag").unwrap();
    assert_eq!(server.connect().send("GET", "/reference", &[("if-none-match", tag)]).status, 304);
    let (_, page) = read("/reference", &answer);
    let style = page.all("link").find(|link| link.attribute("rel") == Some("stylesheet")).unwrap();
    let style = style.attribute("href").unwrap();
    for coding in ["br", "gzip", "identity"] {
        let file = server.connect().send("GET", style, &[("accept-encoding", coding)]);
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(file.header("content-encoding"), Some(coding).filter(|coding| *coding != "identity"));
    }
    assert_eq!(server.get(&style.replace("style.css", "stile.css")).status, 404);
}
