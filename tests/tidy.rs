//! The house rules that a compiler does not know: who may import whom, and what no file may hold.
//!
//! Rooms lie on floors and imports go down. The few sideways ones stand in [`SIDEWAYS`], each with its reason.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms by floor, the lowest first.
const FLOORS: [&[&str]; 6] = [
    &["domain", "stats"],
    &["snapshot", "link"],
    &["build", "catalog", "generate"],
    &["query", "export"],
    &["api", "payment", "eval"],
    &["http", "compute", "telemetry", "config", "progress", "serve", "openapi", "loadgen", "cli"],
];

/// Imports between rooms of one floor: from, to, why.
const SIDEWAYS: &[(&str, &str, &str)] = &[
    ("http", "compute", "the pipeline hands heavy requests to the compute threads"),
    ("http", "telemetry", "the pipeline counts and logs every request"),
    ("config", "http", "the configuration of a server holds the server's options"),
    ("loadgen", "http", "the floor is the server's own loop with a constant answer"),
    ("openapi", "http", "it describes the headers and the errors of every response"),
    ("serve", "openapi", "it has the description served"),
    ("serve", "http", "it starts the server"),
    ("serve", "config", "it is told what to serve"),
    ("serve", "progress", "it builds the demo where there is no snapshot"),
];

/// The room that puts everything together and that nobody imports.
const TOP: &str = "cli";
const FILE_LINES_MAX: usize = 600;
/// The only file with unsafe code.
const UNSAFE_FILE: &str = "src/snapshot/mapped.rs";

/// A source file: its path, its text, and its code without comments and strings, with and without its tests.
struct Source {
    name: String,
    text: String,
    code: String,
    untested: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    rust_files(&root().join("src"), &mut paths);
    assert!(paths.len() > 50, "the sources are found");
    let source = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let code = code_of(&text);
        // Test modules close a file; some are files of their own.
        let tests = if name.ends_with("tests.rs") {
            0
        } else {
            code.find("#[cfg(test)]\nmod ").unwrap_or(code.len())
        };
        Source { untested: code[..tests].to_owned(), name, text, code }
    };
    paths.into_iter().map(source).collect()
}

/// The text with comments and the contents of strings and character literals left out.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|tail| tail.len() - tail.trim_start_matches('#').len());
        let opens_raw =
            |hashes: usize| rest[1 + hashes..].starts_with('"') && !code.ends_with(char::is_alphanumeric);
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(hashes) = raw.filter(|&hashes| opens_raw(hashes)) {
            let end = format!("\"{}", "#".repeat(hashes));
            let from = hashes + 2;
            rest[from..].find(&end).map_or(rest.len(), |at| from + at + end.len())
        } else if letter == '"' {
            quoted(rest, '"')
        } else if letter == '\'' && (rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'')) {
            quoted(rest, '\'')
        } else {
            code.push(letter);
            letter.len_utf8()
        };
        rest = &rest[skip..];
    }
    code
}

/// Length of the quoted text that begins here.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == quote && !escaped {
            return at + 1;
        }
        escaped = letter == '\\' && !escaped;
    }
    text.len()
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// Why a file of one room may not name another; `None` when it may.
fn trespass(from: &str, to: &str) -> Option<String> {
    let (Some(above), Some(below)) = (floor(from), floor(to)) else {
        return Some(format!("{from} or {to} is no room of the house"));
    };
    let allowed = from == to
        || below < above
        || from == TOP
        || SIDEWAYS.iter().any(|&(one, other, _)| (one, other) == (from, to));
    (!allowed).then(|| format!("{from} imports {to}, which does not lie below it"))
}

#[test]
fn imports_go_down() {
    let mut faults = Vec::new();
    for Source { name, code, .. } in sources() {
        let room = name.trim_start_matches("src/").split(['/', '.']).next().unwrap().to_owned();
        if ["main", "lib"].contains(&room.as_str()) {
            continue;
        }
        let named = code.split("crate::").skip(1);
        let rooms = named.map(|tail| {
            tail.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap()
        });
        faults.extend(rooms.filter_map(|to| trespass(&room, to)).map(|fault| format!("{name}: {fault}")));
    }
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_floors_are_told_apart() {
    for (from, to) in [("http", "query"), ("cli", "http"), ("build", "build"), ("http", "compute")] {
        assert_eq!(trespass(from, to), None);
    }
    for (from, to) in
        [("query", "api"), ("build", "catalog"), ("http", "cli"), ("snapshot", "catalog"), ("api", "x")]
    {
        assert!(trespass(from, to).is_some(), "{from} → {to}");
    }
    assert!(
        has_example("//! ```text\n//! ```\n/// ```\n/// f();\n/// ```")
            && !has_example("//! ```text\n//! ```")
    );
    assert_eq!(code_of("a // b\n\"c \\\" d\" e r#\"f \" g\"# '\"' h<'i>"), "a \n e   h<'i>");
}

#[test]
fn files_keep_the_house_rules() {
    let mut faults = Vec::new();
    for Source { name, text, code, untested } in sources() {
        let mut rule = |holds: bool, fault: &str| {
            if !holds {
                faults.push(format!("{name}: {fault}"));
            }
        };
        rule(text.starts_with("//! "), "does not open with //!");
        rule(text.lines().count() <= FILE_LINES_MAX, "is too long");
        rule(name == UNSAFE_FILE || !words(&code).any(|word| word == "unsafe"), "holds unsafe code");
        for banned in ["todo!", "unimplemented!", "dbg!"] {
            rule(!code.contains(banned), banned);
        }
        rule(!untested.contains(".unwrap()"), "unwraps outside tests");
        rule(!has_example(&text), "holds an example of code, which nothing runs: make it a test");
        // The description of the interface is JSON about JSON, and is put together once per process.
        let describes = name.starts_with("src/openapi/");
        let untyped = untested.contains("serde_json::Value") || untested.contains("json!(");
        rule(describes || !untyped, "holds untyped JSON");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Public types of a file.
fn public_types(code: &str) -> impl Iterator<Item = &str> {
    let public = code.lines().map(str::trim_start).filter(|line| line.starts_with("pub"));
    public.filter_map(|line| {
        let mut words = words(line).skip_while(|word| !["struct", "enum", "trait", "type"].contains(word));
        words.next().and(words.next())
    })
}

/// In payment a word has one meaning: no public type shares its name with another, there or in another room. Endpoints
/// name their own types alike.
#[test]
fn types_of_payment_have_names_of_their_own() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Source { name, code, .. } in sources().iter().filter(|source| !source.name.starts_with("src/api/")) {
        for named in public_types(code) {
            places.entry(named.to_owned()).or_default().push(name.clone());
        }
    }
    let is_paid = |place: &String| place.starts_with("src/payment/");
    let shared = places.iter().filter(|(_, places)| places.len() > 1 && places.iter().any(is_paid));
    let shared: Vec<_> = shared.collect();
    assert!(shared.is_empty(), "{shared:#?}");
}

/// A rail is its folder and its row in the table: no other code names one, not even as a word.
#[test]
fn only_rails_know_rails() {
    let table = root().join("src/payment/rails");
    let folders = fs::read_dir(table).unwrap().map(|entry| entry.unwrap().path());
    let rails: Vec<String> = folders
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(rails.len() > 3, "{rails:?}");
    let mut faults = Vec::new();
    for Source { name, text, untested, .. } in sources() {
        if name.starts_with("src/payment/rails/") || name.ends_with("fixtures.rs") {
            continue;
        }
        let untested_text = &text[..text.find("#[cfg(test)]\nmod ").unwrap_or(text.len())];
        for rail in &rails {
            let own_type = format!("{}{}Rail", rail[..1].to_uppercase(), &rail[1..]);
            let is_named = untested.contains(&format!("rails::{rail}"))
                || words(&untested).any(|word| word == own_type)
                || (name.starts_with("src/payment/") && untested_text.contains(&format!("\"{rail}\"")));
            if is_named && !name.ends_with("tests.rs") {
                faults.push(format!("{name} names {rail}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Whether a comment holds a block that rustdoc would run: those that it does not name another language.
fn has_example(text: &str) -> bool {
    let fences = text.lines().filter_map(|line| line.trim_start_matches([' ', '/', '!']).strip_prefix("```"));
    fences.step_by(2).any(|language| !["text", "toml", "json", "sh"].contains(&language))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[test]
fn no_file_names_a_machine() {
    // Put together here, so that this file may be read too.
    let places = ["/ho", "/wo", "/Us", "/ro"].into_iter().zip(["me/", "rk/", "ers/", "ot/"]);
    let mut banned: Vec<String> = places.map(|(a, b)| format!("{a}{b}")).collect();
    banned.push(["..", "/shared"].concat());
    let mut paths = vec![root().join("Cargo.toml"), root().join("README.md")];
    rust_files(&root().join("src"), &mut paths);
    rust_files(&root().join("benches"), &mut paths);
    for path in paths.iter().filter(|path| path.exists()) {
        let text = fs::read_to_string(path).unwrap();
        let found = banned.iter().find(|place| text.contains(place.as_str()));
        assert_eq!(found, None, "in {}", path.display());
    }
}
