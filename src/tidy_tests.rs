//! The house rules that a compiler does not know: who may import whom, and what no file may hold.
//!
//! Rooms lie on floors and imports go down. The few sideways ones stand in [`SIDEWAYS`], each with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Imports between rooms of one floor: from, to, why.
const SIDEWAYS: &[(&str, &str, &str)] = &[
    ("http", "compute", "the pipeline hands heavy requests to the compute threads"),
    ("http", "telemetry", "the pipeline counts and logs every request"),
    ("config", "http", "the configuration of a server holds the server's options"),
    ("bench", "http", "the floor is the server's own loop with a constant answer"),
    ("openapi", "http", "it describes the headers and the errors of every response"),
];

/// The room that puts everything together and that nobody imports.
const TOP: &str = "cli";
/// Files of the source that are no rooms, this one among them.
const NO_ROOMS: [&str; 3] = ["main", "lib", "tidy_tests"];
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

/// Rooms by floor, the lowest first: the table in ARCHITECTURE.md, whose second column names them.
fn floors() -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut floors: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(number) = cells.get(1).and_then(|cell| cell.parse::<usize>().ok()) else { continue };
        floors.resize(floors.len().max(number + 1), Vec::new());
        floors[number].extend(cells[2].split('`').skip(1).step_by(2).map(str::to_owned));
    }
    floors
}

fn floor(room: &str) -> Option<usize> {
    static FLOORS: LazyLock<Vec<Vec<String>>> = LazyLock::new(floors);
    FLOORS.iter().position(|rooms| rooms.iter().any(|name| name == room))
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
        if NO_ROOMS.contains(&room.as_str()) {
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
fn every_room_has_its_floor() {
    let rooms = fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().path());
    let rooms: BTreeSet<String> =
        rooms.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let drawn: Vec<String> = floors().into_iter().flatten().collect();
    let expected: Vec<&String> = rooms.iter().filter(|room| !NO_ROOMS.contains(&room.as_str())).collect();
    let mut sorted: Vec<&String> = drawn.iter().collect();
    sorted.sort();
    assert_eq!(sorted, expected, "the table of floors in ARCHITECTURE.md names every room once");
}

/// The module of a file: `["http", "swap"]`.
fn module_of(name: &str) -> Vec<String> {
    let path = name.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect()
}

/// The paths that code names, with groups in braces spelled out: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn named_paths(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':') {
                spell_out(&code[at..], &mut Vec::new(), &mut paths);
            }
        }
    }
    paths
}

/// Adds the paths that begin here; returns what is left behind them.
fn spell_out<'a>(code: &'a str, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> &'a str {
    let depth = prefix.len();
    let mut rest = code.trim_start();
    loop {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        if end > 0 {
            prefix.push(rest[..end].to_owned());
        }
        rest = &rest[end..];
        if let Some(tail) = rest.strip_prefix("::") {
            rest = tail;
        } else if let Some(mut group) = rest.strip_prefix('{') {
            while !group.trim_start().starts_with('}') && !group.is_empty() {
                group = spell_out(group, prefix, paths).trim_start();
                group = group.find([',', '}']).map_or("", |at| group[at..].trim_start_matches(','));
            }
            rest = group.trim_start().strip_prefix('}').unwrap_or("");
            break;
        } else {
            paths.push(prefix.clone());
            break;
        }
    }
    prefix.truncate(depth);
    rest
}

/// What each file takes from which others: those that lie neither above it in its own folders nor below it.
fn edges(sources: &[Source]) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|source| module_of(&source.name)).collect();
    let of = |source: &Source| {
        let own = module_of(&source.name);
        let absolute = |path: Vec<String>| {
            let up = path.iter().take_while(|part| *part == "super").count();
            let rest =
                path.into_iter().skip_while(|part| ["crate", "super", "self"].contains(&part.as_str()));
            let base = if up > 0 { own.len().saturating_sub(up) } else { 0 };
            own[..base].iter().cloned().chain(rest).collect::<Vec<String>>()
        };
        let file = |path: Vec<String>| {
            let depth = (1..=path.len()).rev().find(|&depth| modules.contains(&path[..depth]))?;
            Some(path[..depth].to_vec())
        };
        let named = named_paths(&source.untested).into_iter().map(absolute).filter_map(file);
        let apart = |other: &Vec<String>| !own.starts_with(other) && !other.starts_with(&own);
        (own.clone(), named.filter(apart).collect())
    };
    sources.iter().map(of).collect()
}

/// Files that can be reached from here.
fn reached<'a>(
    from: &'a Vec<String>,
    edges: &'a BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
) -> BTreeSet<&'a Vec<String>> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        let new = edges.get(file).into_iter().flatten().filter(|file| seen.insert(*file));
        next.extend(new.collect::<Vec<_>>());
    }
    seen
}

#[test]
fn files_form_no_circles() {
    let edges = edges(&sources());
    assert!(edges.values().map(BTreeSet::len).sum::<usize>() > 500, "imports are found");
    let reached: BTreeMap<_, _> = edges.keys().map(|file| (file, reached(file, &edges))).collect();
    let circles: Vec<String> = edges
        .iter()
        .flat_map(|(file, others)| others.iter().map(move |other| (file, other)))
        .filter(|(file, other)| reached[other].contains(file))
        .map(|(file, other)| format!("{} takes from {}", file.join("::"), other.join("::")))
        .collect();
    assert!(circles.is_empty(), "files import each other in circles:\n{}", circles.join("\n"));
}

#[test]
fn circles_would_be_seen() {
    let source = |name: &str, code: &str| Source {
        name: name.to_owned(),
        text: String::new(),
        code: code.to_owned(),
        untested: code.to_owned(),
    };
    let sources = [
        source("src/a/mod.rs", "mod one; mod two; use one::X;"),
        source("src/a/one.rs", "use super::{Y, two::{self, Z}}; use crate::b::{c, D};"),
        source("src/a/two.rs", "fn f() { super::one::g() }"),
        source("src/b.rs", "use std::fmt;"),
    ];
    let edges = edges(&sources);
    let file = |name: &str| name.split("::").map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(edges[&file("a::one")], BTreeSet::from([file("a::two"), file("b")]));
    let circles: Vec<_> = edges.keys().filter(|file| reached(file, &edges).contains(file)).collect();
    assert_eq!(circles, [&file("a::one"), &file("a::two")]);
}

/// What an endpoint's own types are called, whatever the endpoint.
const ENDPOINT_TYPES: [&str; 3] = ["Params", "Plan", "Answer"];

#[test]
fn public_types_have_names_of_their_own() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Source { name, untested, .. } in sources() {
        for kind in ["struct", "enum", "trait", "type", "union"] {
            for tail in untested.split(&format!("pub {kind} ")).skip(1) {
                let end = tail.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap();
                files.entry(tail[..end].to_owned()).or_default().push(name.clone());
            }
        }
    }
    files.remove(""); // Named by a macro.
    let twice: Vec<String> = files
        .iter()
        .filter(|(name, files)| files.len() > 1 && !ENDPOINT_TYPES.contains(&name.as_str()))
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(twice.is_empty(), "one word for several things:\n{}", twice.join("\n"));
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
        for banned in ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!")) {
            rule(!code.contains(&banned), &banned);
        }
        rule(!untested.contains(".unwrap()"), "unwraps outside tests");
        rule(!has_example(&text), "holds an example of code, which nothing runs: make it a test");
        // The description of the interface is JSON about JSON, and is put together once per process; columns and pages
        // are read from it.
        let describes = ["src/openapi/", "src/web/texts/", "src/query/representation/columns.rs"]
            .into_iter()
            .any(|place| name.starts_with(place));
        let untyped = untested.contains("serde_json::Value") || untested.contains("json!(");
        rule(describes || !untyped, "holds untyped JSON");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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
