//! Tests of the rules of the source tree that the compiler does not check: layers, sizes, names and the language of
//! comments.
//!
//! The table of modules in ARCHITECTURE.md contains the layer and the maximum number of code lines of each module.
//! Limits that are to be lowered later are set to the measured value, and must not be raised.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Source files that do not belong to a module of the table.
const OUTSIDE_MODULES: [&str; 3] = ["main", "lib", "architecture_tests"];
/// Maximum number of lines of a source file.
const FILE_LINES_MAX: usize = 1_000;
/// The only file with unsafe code.
const UNSAFE_FILE: &str = "src/snapshot/mapped.rs";

/// Words with which a comment line must not begin, because they hide the noun of the sentence.
const ODD_BEGINNINGS: [&str; 10] =
    ["What", "Who", "Whoever", "Which", "None", "Nobody", "Nothing", "Those of", "One that", "Whatever"];
/// Maximum number of comment lines that begin with these words, by module; 0 for other modules. The goal is 40 lines
/// in total.
const ODD_COMMENTS_MAX: &[(&str, usize)] =
    &[("index", 128), ("ingest", 134), ("lang", 55), ("matching", 31), ("payment", 326)];

/// Maximum number of words of natural language in the string literals of a file outside of [`USER_FACING`] modules.
const WORDS_MAX: usize = 120;
/// Modules whose string literals are texts for users.
const USER_FACING: [&str; 9] =
    ["endpoints", "openapi", "cli", "mcp", "web", "payment", "server", "snapshot", "store"];

/// Maximum number of source files that contain the path of the same route.
const ROUTE_FILES_MAX: usize = 3;
/// The groups of routes. The path of a route in a text is recognized by its group.
const ROUTE_GROUPS: [&str; 6] = ["shopper", "analyst", "marketing", "public", "reference", "social"];

/// File names that must not be used, because a term of the field has replaced each of them.
const OLD_FILES: [&str; 24] = [
    "gather", "janitor", "crowd", "unfit", "fitness", "foreign", "visit", "stall", "line", "heaviest",
    "holders", "some", "near", "top", "till", "counter", "register", "mirror", "sale", "standing", "seal",
    "said", "shown", "starts",
];
/// Type names that must not be used, for the same reason. A star stands for any continuation of the name.
const OLD_TYPES: [&str; 14] = [
    "Thin*", "Judged*", "Till*", "Held", "Visit", "Janitor", "Crowd", "Unfit", "Stall*", "Shelf*", "Head",
    "Heads", "Gather*", "Figures",
];

/// A source file: its path (`name`), its text with and without tests, and the code of both texts without comments and
/// strings.
struct Source {
    name: String,
    text: String,
    code: String,
    untested_text: String,
    untested: String,
}

impl Source {
    fn new(name: String, text: String) -> Self {
        let untested_text = if is_of_tests(&name) { String::new() } else { outside_tests(&text) };
        Self { code: code_of(&text), untested: code_of(&untested_text), name, text, untested_text }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    files_with(dir, &["rs"], found);
}

/// Adds the files below a directory that have one of the extensions to `found`.
fn files_with(dir: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files_with(&path, extensions, found);
        } else if path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension)) {
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
        Source::new(name, fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().map(source).collect()
}

/// The text without comments, string literals and character literals.
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

/// Length of the literal at the start of `text`, including its quotes, in bytes.
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

/// A module of the table in ARCHITECTURE.md.
struct Module {
    layer: usize,
    /// Path of the module, for example `search::index`.
    name: String,
    /// Maximum number of code lines of the module.
    lines_max: usize,
}

/// The modules in the order of the table. A row contains layer, name, contents and maximum number of code lines.
static MODULES: LazyLock<Vec<Module>> = LazyLock::new(|| {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, layer, name, _, lines_max, _] = cells[..] else { return None };
        Some(Module {
            layer: layer.parse().ok()?,
            name: name.strip_prefix('`')?.strip_suffix('`')?.to_owned(),
            lines_max: lines_max.parse().ok()?,
        })
    };
    text.lines().filter_map(row).collect()
});

/// Index in [`MODULES`] of the module that contains a path of the crate: the module with the longest name that is a
/// prefix of the path.
fn module_at(path: &[String]) -> Option<usize> {
    let is_in = |module: &Module| {
        let name: Vec<&str> = module.name.split("::").collect();
        path.len() >= name.len() && name.iter().zip(path).all(|(a, b)| a == b)
    };
    (0..MODULES.len()).filter(|&at| is_in(&MODULES[at])).max_by_key(|&at| MODULES[at].name.len())
}

#[test]
fn imports_go_down() {
    let edges = edges(&sources(), |source| &source.code);
    assert!(edges.values().map(BTreeSet::len).sum::<usize>() > 500, "imports are found");
    let mut faults = Vec::new();
    for (file, others) in &edges {
        for other in others {
            // A folder that only groups modules does not import anything itself.
            let (Some(from), Some(to)) = (module_at(file), module_at(other)) else { continue };
            if to > from {
                faults.push(format!(
                    "{} imports {}: `{}` stands below `{}` in the table of ARCHITECTURE.md; move the code, or pass it in",
                    file.join("::"),
                    other.join("::"),
                    MODULES[to].name,
                    MODULES[from].name
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn table_names_every_module_once_and_in_layers() {
    assert!(MODULES.is_sorted_by_key(|module| module.layer), "layers of the table ascend");
    let names: BTreeSet<&str> = MODULES.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names.len(), MODULES.len(), "a module stands in the table of ARCHITECTURE.md twice");
    for Source { name, .. } in sources() {
        let module = module_of(&name);
        let is_outside = module.is_empty() || OUTSIDE_MODULES.contains(&module[0].as_str());
        let is_folder = || names.iter().any(|known| known.starts_with(&format!("{}::", module.join("::"))));
        assert!(
            is_outside || module_at(&module).is_some() || is_folder(),
            "{name} is in no module of the table in ARCHITECTURE.md: add a row for its module"
        );
    }
    for module in MODULES.iter() {
        let path = root().join("src").join(module.name.replace("::", "/"));
        assert!(
            path.is_dir() || path.with_extension("rs").exists(),
            "ARCHITECTURE.md names `{}`, which is not there: remove the row",
            module.name
        );
    }
}

/// The lines of a text without the items that are compiled only for tests.
fn outside_tests(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut kept, mut at) = (String::new(), 0);
    while at < lines.len() {
        if !lines[at].trim_start().starts_with("#[cfg(test)]") {
            kept.extend([lines[at], "\n"]);
            at += 1;
            continue;
        }
        let (mut depth, mut is_open) = (0_i32, false);
        at += 1;
        while at < lines.len() {
            let count = |letter: char| lines[at].matches(letter).count() as i32;
            depth += count('{') - count('}');
            is_open |= lines[at].contains('{');
            let is_over = if is_open { depth <= 0 } else { lines[at].trim_end().ends_with(';') };
            at += 1;
            if is_over {
                break;
            }
        }
    }
    kept
}

fn is_of_tests(name: &str) -> bool {
    name.ends_with("tests.rs")
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

#[test]
fn modules_stay_below_their_ceilings() {
    let mut lines = vec![0; MODULES.len()];
    for Source { name, untested_text, .. } in sources() {
        if let Some(at) = module_at(&module_of(&name)) {
            let is_code = |line: &&str| !line.trim().is_empty() && !is_comment(line);
            lines[at] += untested_text.lines().filter(is_code).count();
        }
    }
    let faults: Vec<String> = MODULES
        .iter()
        .zip(lines)
        .filter(|(module, lines)| *lines > module.lines_max)
        .map(|(module, lines)| {
            format!(
                "`{}` has {lines} code lines, and the table of ARCHITECTURE.md allows {}: remove a concept",
                module.name, module.lines_max
            )
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn comments_begin_with_their_noun() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Source { name, text, .. } in sources() {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| is_comment(line)) {
            let sentence = line.trim_start().trim_start_matches(['/', '!']).trim_start();
            let is_odd = ODD_BEGINNINGS.iter().any(|word| {
                let tail = sentence.strip_prefix(word);
                tail.is_some_and(|tail| {
                    !tail.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                })
            });
            if is_odd {
                let module = module_of(&name).first().cloned().unwrap_or_default();
                found.entry(module).or_default().push(format!("{name}:{}", at + 1));
            }
        }
    }
    let mut faults = Vec::new();
    for (module, places) in &found {
        let most = ODD_COMMENTS_MAX.iter().find(|(name, _)| name == module).map_or(0, |&(_, most)| most);
        if places.len() > most {
            faults.push(format!(
                "{} comments of `{module}` begin with What, Who, None …, and {most} may: begin with the noun. The last is \
                 {}",
                places.len(),
                places[places.len() - 1]
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The number of words of natural language in the string literals of a text. Only literals that consist of lower-case
/// words are counted.
fn literal_words(text: &str) -> usize {
    let code: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    let is_word_letter = |letter: char| letter.is_lowercase() || "-,| ".contains(letter);
    let text = code.join("\n");
    let literals = text.split('"').skip(1).step_by(2);
    let plain = literals
        .filter(|literal| literal.starts_with(char::is_lowercase) && literal.chars().all(is_word_letter));
    plain
        .flat_map(|literal| literal.split(|letter: char| !letter.is_lowercase()))
        .filter(|word| word.chars().count() > 1)
        .count()
}

#[test]
fn word_lists_are_data() {
    let mut faults = Vec::new();
    for Source { name, untested_text, .. } in sources() {
        if module_of(&name).first().is_some_and(|module| USER_FACING.contains(&module.as_str())) {
            continue;
        }
        let words = literal_words(&untested_text);
        if words > WORDS_MAX {
            faults.push(format!(
                "{name} has {words} words in string literals, and {WORDS_MAX} may be: put them into a data file"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The paths of routes in a text, for example `shopper/best-price`.
fn routes_in(text: &str) -> BTreeSet<String> {
    let mut routes = BTreeSet::new();
    for group in ROUTE_GROUPS {
        for (at, _) in text.match_indices(&format!("{group}/")) {
            let is_begun = text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            let tail = &text[at + group.len() + 1..];
            let end =
                tail.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(tail.len());
            if !is_begun && (5..=40).contains(&end) {
                routes.insert(text[at..at + group.len() + 1 + end].to_owned());
            }
        }
    }
    routes
}

#[test]
fn routes_are_written_out_in_few_files() {
    let mut paths = Vec::new();
    files_with(&root().join("src"), &["rs", "js", "json", "txt", "tsv"], &mut paths);
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        if !is_of_tests(&name) {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let text = if is_rust { outside_tests(&text) } else { text };
            for route in routes_in(&text) {
                files.entry(route).or_default().push(name.clone());
            }
        }
    }
    let mut faults = Vec::new();
    for (route, files) in &files {
        if files.len() > ROUTE_FILES_MAX {
            faults.push(format!(
                "{route} is written out in {} files, and {ROUTE_FILES_MAX} may: derive it from the route table. {}",
                files.len(),
                files.join(", ")
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn names_are_terms_of_the_field() {
    let mut faults = Vec::new();
    for Source { name, code, .. } in sources() {
        let stem = name.rsplit('/').next().unwrap().trim_end_matches(".rs");
        if OLD_FILES.contains(&stem) {
            faults.push(format!(
                "{name}: name the file by the noun of what it holds (glossary of ARCHITECTURE.md)"
            ));
        }
        for kind in ["struct", "enum", "trait", "type", "mod"] {
            for tail in code.split(&format!("{kind} ")).skip(1) {
                let named = words(tail).next().unwrap_or_default();
                let is_old = |old: &&str| {
                    old.strip_suffix('*').map_or(*old == named, |start| named.starts_with(start))
                };
                if OLD_TYPES.iter().any(is_old) {
                    faults.push(format!(
                        "{name}: {kind} {named} is of the old vocabulary; use the field's term"
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn rules_see_what_they_are_about() {
    let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<_>>();
    let at = |text: &str| module_at(&path(text)).map(|at| MODULES[at].name.as_str());
    assert_eq!(at("search::index::top_k"), Some("search::index"));
    assert_eq!(at("search"), None);
    assert!(module_at(&path("query::params")) < module_at(&path("server::swap")));
    assert_eq!(outside_tests("a\n#[cfg(test)]\nmod t {\n b\n}\nc\n#[cfg(test)]\nuse d;\ne"), "a\nc\ne\n");
    assert_eq!(literal_words("x(\"red wine\", \"Red\", \"a_b\")\n// \"no comment\""), 2);
    assert_eq!(
        routes_in("/v1/shopper/best-price?q=x myshopper/best-price"),
        BTreeSet::from(["shopper/best-price".to_owned()])
    );
    assert!(
        has_example("//! ```text\n//! ```\n/// ```\n/// f();\n/// ```")
            && !has_example("//! ```text\n//! ```")
    );
    assert_eq!(code_of("a // b\n\"c \\\" d\" e r#\"f \" g\"# '\"' h<'i>"), "a \n e   h<'i>");
}

/// The module path of a file, for example `["server", "swap"]`.
fn module_of(name: &str) -> Vec<String> {
    let path = name.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect()
}

/// The module paths in the code. Groups in braces are expanded: `a::{b, c::d}` is `a::b` and `a::c::d`.
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

/// Adds the paths at the start of `code` to `paths`, and returns the rest of the code.
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

/// The files that each file imports. Ancestors and descendants of the file in the module tree are left out.
fn edges(sources: &[Source], code: fn(&Source) -> &str) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
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
        let named = named_paths(code(source)).into_iter().map(absolute).filter_map(file);
        let apart = |other: &Vec<String>| !own.starts_with(other) && !other.starts_with(&own);
        (own.clone(), named.filter(apart).collect())
    };
    sources.iter().map(of).collect()
}

/// The files that can be reached from the file `from` through imports.
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
    let edges = edges(&sources(), |source| &source.untested);
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
    let source = |name: &str, code: &str| Source::new(name.to_owned(), code.to_owned());
    let sources = [
        source("src/a/mod.rs", "mod one; mod two; use one::X;"),
        source("src/a/one.rs", "use super::{Y, two::{self, Z}}; use crate::b::{c, D};"),
        source("src/a/two.rs", "fn f() { super::one::g() }"),
        source("src/b.rs", "use std::fmt;"),
    ];
    let edges = edges(&sources, |source| &source.untested);
    let file = |name: &str| name.split("::").map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(edges[&file("a::one")], BTreeSet::from([file("a::two"), file("b")]));
    let circles: Vec<_> = edges.keys().filter(|file| reached(file, &edges).contains(file)).collect();
    assert_eq!(circles, [&file("a::one"), &file("a::two")]);
}

/// Type names that every endpoint uses for its own types.
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
    files.remove(""); // The name is a macro parameter.
    let twice: Vec<String> = files
        .iter()
        .filter(|(name, files)| files.len() > 1 && !ENDPOINT_TYPES.contains(&name.as_str()))
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(twice.is_empty(), "one name for several types:\n{}", twice.join("\n"));
}

#[test]
fn files_keep_the_rules() {
    let mut faults = Vec::new();
    for Source { name, text, code, untested, .. } in sources() {
        let mut rule = |holds: bool, fault: &str| {
            if !holds {
                faults.push(format!("{name}: {fault}"));
            }
        };
        rule(text.starts_with("//! "), "does not open with //!");
        rule(text.lines().count() <= FILE_LINES_MAX, "has more than 1,000 lines: divide it by concept");
        rule(name == UNSAFE_FILE || !words(&code).any(|word| word == "unsafe"), "holds unsafe code");
        for banned in ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!")) {
            rule(!code.contains(&banned), &banned);
        }
        rule(!untested.contains(".unwrap()"), "unwraps outside tests");
        rule(!has_example(&text), "holds an example of code, which nothing runs: make it a test");
        // Untyped JSON is allowed in the files that build the OpenAPI document, which describes JSON and is built
        // once per process, and in the files that read columns and texts of pages from it. It is also allowed in the
        // load generator, which simulates a chain and a payer.
        let describes =
            ["src/openapi/", "src/web/texts/", "src/query/representation/columns.rs", "src/bench/paid/"]
                .into_iter()
                .any(|place| name.starts_with(place));
        let untyped = untested.contains("serde_json::Value") || untested.contains("json!(");
        rule(describes || !untyped, "holds untyped JSON");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A rail consists of its folder and its row in the table of rails. Other code must not contain the name of a rail,
/// and code of `payment` not even in a string.
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
    for Source { name, untested_text, untested, .. } in sources() {
        if name.starts_with("src/payment/rails/") {
            continue;
        }
        for rail in &rails {
            let own_type = format!("{}{}Rail", rail[..1].to_uppercase(), &rail[1..]);
            let is_named = untested.contains(&format!("rails::{rail}"))
                || words(&untested).any(|word| word == own_type)
                || (name.starts_with("src/payment/") && untested_text.contains(&format!("\"{rail}\"")));
            if is_named && !is_of_tests(&name) {
                faults.push(format!("{name} names {rail}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Whether a comment contains a code block that rustdoc would run: a block that is not marked as text, TOML, JSON or
/// shell.
fn has_example(text: &str) -> bool {
    let fences = text.lines().filter_map(|line| line.trim_start_matches([' ', '/', '!']).strip_prefix("```"));
    fences.step_by(2).any(|language| !["text", "toml", "json", "sh"].contains(&language))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[test]
fn no_file_names_a_machine() {
    // The banned paths are assembled from parts, so that this file does not contain them.
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
