//! Everyday names of shelves: every row of the table against real category paths, and phrases with known answers.
//!
//! `cargo test --test it everyday -- --nocapture` prints how many of the labelled phrases resolve right.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::support::asking::{Service, build, fixture, fixture_input, shared};
use pricebook::analytics::category_scope::CategoryScope;
use pricebook::analytics::scope::Scope;
use pricebook::catalog::Catalog;
use pricebook::lang::everyday::segments::Segments;
use pricebook::lang::everyday::table;
use pricebook::query::category::{MatchSource, resolve};
use pricebook::query::refusal::Refusal;
use pricebook::query::requirements::require_priced;
use pricebook::types::Country;
use serde_json::{Value, json};

const SHELVES: &str = include_str!("../../golden/everyday/shelves.txt");
/// Labelled phrases: the makers' own, and some by somebody who had not seen the table.
const PHRASES: [(&str, &str); 2] = [
    ("makers", include_str!("../../golden/everyday/phrases.csv")),
    ("a stranger's", include_str!("../../golden/everyday/strangers_phrases.csv")),
];
const MEANINGS: &str = include_str!("../../golden/everyday/meanings.txt");
const DEMO: &str = include_str!("../../golden/everyday/demo.csv");

/// The least share of English and of French phrases that resolve right, and the most of all that resolve wrong.
const RIGHT_MIN: [(&str, f64); 2] = [("en", 0.94), ("fr", 0.88)];
const WRONG_MAX: f64 = 0.04;

/// The trees of the fixture by name, each as its paths, parents first.
fn trees() -> BTreeMap<&'static str, Vec<Vec<&'static str>>> {
    let mut trees: BTreeMap<&str, BTreeSet<Vec<&str>>> = BTreeMap::new();
    let mut name = "";
    for line in SHELVES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[') {
            name = section.trim_end_matches(']');
            continue;
        }
        let path: Vec<&str> = line.split(" > ").collect();
        let tree = trees.entry(name).or_default();
        tree.extend((1..=path.len()).map(|depth| path[..depth].to_vec()));
    }
    trees.into_iter().map(|(name, tree)| (name, tree.into_iter().collect())).collect()
}

fn segments(tree: &[Vec<&str>]) -> Segments {
    let parent =
        |path: &[&str]| tree.binary_search(&path[..path.len() - 1].to_vec()).ok().map(|at| at as u32);
    Segments::of(table(), tree.iter().map(|path| (*path.last().unwrap(), parent(path))))
}

#[test]
fn every_row_of_the_table_meets_a_real_shelf() {
    let trees: Vec<Segments> = trees().values().map(|tree| segments(tree)).collect();
    let meets = |row: &&pricebook::lang::everyday::Entry| {
        trees.iter().any(|tree| !tree.meetings(&row.patterns).is_empty())
    };
    let idle: Vec<&str> = table().rows().iter().filter(|row| !meets(row)).map(|row| row.phrases[0]).collect();
    assert!(idle.is_empty(), "{} rows meet no shelf: {idle:?}", idle.len());
}

/// What would be wrong in a shop: pain is no medicine, and flowers are no cauliflowers.
#[test]
fn phrases_mean_what_is_written_down_in_whole_trees() {
    let trees = trees();
    for line in MEANINGS.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(": ").map(|field| field.trim_end_matches(':'));
        let (name, phrase, path) = (fields.next().unwrap(), fields.next().unwrap(), fields.next());
        let tree = &trees[name];
        let patterns = table().patterns(phrase).unwrap_or_else(|| panic!("{phrase} is no phrase"));
        let meetings = segments(tree).meetings(&patterns);
        let best =
            meetings.iter().min_by_key(|met| (met.is_spread, met.pattern, tree[met.node as usize].len()));
        let found = best.map(|met| tree[met.node as usize].join(" > "));
        assert_eq!(found.as_deref(), path, "{name}: {phrase}");
    }
}

/// The slug path that a phrase resolves to, and how.
fn slug(catalog: &Catalog, country: Country, phrase: &str) -> Option<(String, MatchSource)> {
    let (shelf, resolved) = resolve(catalog, country, Some(phrase), None).ok()?;
    let CategoryScope::Category(node) = shelf else { return None };
    Some((catalog.taxonomy.node(node).slug.clone(), resolved.match_source))
}

struct Phrase {
    domain: &'static str,
    language: &'static str,
    text: &'static str,
    slug_has: Vec<&'static str>,
}

/// Labelled phrases: domain, language, phrase, parts of slug paths that are right.
fn phrases(text: &'static str) -> Vec<Phrase> {
    let read = |line: &'static str| {
        let mut fields = line.splitn(4, ',');
        let mut next = || fields.next().unwrap();
        let (domain, language, text) = (next(), next(), next());
        Phrase { domain, language, text, slug_has: next().trim_matches('"').split(',').collect() }
    };
    text.lines().skip(1).map(read).collect()
}

/// Whether a phrase resolves right; `None` where it does not resolve.
fn is_right(catalog: &Catalog, country: Country, phrase: &Phrase) -> Option<bool> {
    let (slug, _) = slug(catalog, country, phrase.text)?;
    let right = phrase.slug_has.iter().any(|part| slug.contains(part));
    if !right {
        eprintln!("wrong: {} is {slug}", phrase.text);
    }
    Some(right)
}

#[test]
fn phrases_of_the_demo_resolve_as_written_down() {
    let catalog = fixture();
    for line in DEMO.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let country = Country::parse(fields[0]).unwrap();
        let found = slug(&catalog, country, fields[1]).map(|(slug, _)| slug);
        assert_eq!(found.as_deref().unwrap_or_default(), fields[2], "{}", fields[1]);
    }
    let all = PHRASES.iter().flat_map(|(_, text)| phrases(text));
    for phrase in all.filter(|phrase| phrase.domain == "liquor") {
        assert_ne!(is_right(&catalog, Country::Ca, &phrase), Some(false), "{}", phrase.text);
    }
}

#[test]
fn labelled_phrases_resolve_right() {
    let Some(acceptance) = shared("acceptance") else { return };
    let out = tempfile::tempdir().unwrap();
    let domains: [(&str, PathBuf, Country); 3] = [
        ("grocery", acceptance.join("complete_journey_us"), Country::Us),
        ("electronics", acceptance.join("datafiniti_electronics_us"), Country::Us),
        ("liquor", fixture_input().join("bc_liquor"), Country::Ca),
    ];
    let catalogs =
        domains.map(|(domain, input, country)| (domain, build(&[input], &out.path().join(domain)), country));
    let share = |of: &[Option<bool>], what: Option<bool>| {
        of.iter().filter(|&&found| found == what).count() as f64 / of.len() as f64
    };
    for (whose, text) in PHRASES {
        let mut found: BTreeMap<&str, Vec<Option<bool>>> = BTreeMap::new();
        for phrase in phrases(text) {
            let (_, catalog, country) =
                catalogs.iter().find(|(domain, ..)| *domain == phrase.domain).unwrap();
            found.entry(phrase.language).or_default().push(is_right(catalog, *country, &phrase));
        }
        for (language, right_min) in RIGHT_MIN {
            let of = &found[language];
            let [right, wrong, none] = [Some(true), Some(false), None].map(|what| share(of, what));
            eprintln!(
                "{whose} {language}: {} phrases, right {right:.2}, wrong {wrong:.2}, unresolved {none:.2}",
                of.len()
            );
            assert!(right >= right_min, "{whose} {language}");
        }
        let all: Vec<Option<bool>> = found.into_values().flatten().collect();
        assert!(share(&all, Some(false)) <= WRONG_MAX, "{whose}");
    }
}

/// Category paths with `?` before them have no price.
const UNPRICED: char = '?';

/// One priced listing in each of these categories of Canada, the first of them twice.
fn catalog_of(paths: &[&str], aliases: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("input");
    fs::create_dir(&input).unwrap();
    let mut listings = "country,platform,product_id,product_name,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for (id, path) in paths.iter().chain(paths.first()).enumerate() {
        let bare = path.strip_prefix(UNPRICED);
        writeln!(listings, "ca,shop,{id},Thing {id},\"{}\"", bare.unwrap_or(path)).unwrap();
        if bare.is_none() {
            writeln!(observations, "ca,shop,{id},2026-10-31,1.00").unwrap();
        }
    }
    fs::write(input.join("listings.csv"), listings).unwrap();
    fs::write(input.join("observations.csv"), observations).unwrap();
    fs::write(input.join("aliases.csv"), format!("name,target\n{aliases}")).unwrap();
    (dir, input)
}

fn ask(service: &Service, category: &str) -> (u16, Value) {
    let category: String =
        category.bytes().map(|byte| if byte == b' ' { "+".into() } else { format!("%{byte:02X}") }).collect();
    service.ask(&format!("/v1/marketing/competitive-landscape?country=ca&category={category}"))
}

/// What a category is taken for and what else it fits, best first: paths and how sure each is.
fn told(service: &Service, category: &str) -> Value {
    let (status, body) = ask(service, category);
    assert_eq!(status, 200, "{body}");
    let resolved = &body["resolved"];
    let all = std::iter::once(resolved).chain(resolved["alternates"].as_array().unwrap());
    all.map(|shelf| json!([shelf["category_path"], shelf["match_source"], shelf["match_confidence"]]))
        .collect()
}

#[test]
fn whole_segments_come_before_spread_ones_then_patterns_then_depth() {
    let (dir, input) = catalog_of(
        &[
            "Soft > Drinks",
            "Food > Chilled > Soft Drinks",
            "Food > Sft Drnk",
            "Food > Carbonated Beverages",
            "Drinks > Food",
        ],
        "",
    );
    let service = Service::new(build(&[input], &dir.path().join("out")));
    let expected = json!([
        ["Food > Chilled > Soft Drinks", "everyday", 0.65],
        ["Food > Sft Drnk", "everyday", 0.65],
        ["Food > Carbonated Beverages", "everyday", 0.65],
        ["Soft > Drinks", "everyday", 0.6],
    ]);
    assert_eq!(told(&service, "Boissons Gazeuses"), expected);
}

#[test]
fn shelves_with_a_price_come_before_those_without() {
    let (dir, input) = catalog_of(
        &[
            "Thing",
            "?Shop > Canned Tuna",
            "?Food > Tuna",
            "Pantry > Canned > Tuna & Salmon",
            "?Drinks > Vodka",
        ],
        "",
    );
    let service = Service::new(build(&[input], &dir.path().join("out")));
    let expected = json!([
        ["Pantry > Canned > Tuna & Salmon", "everyday", 0.65],
        ["Shop > Canned Tuna", "everyday", 0.65],
        ["Food > Tuna", "everyday", 0.65],
    ]);
    assert_eq!(told(&service, "thon en conserve"), expected);
    // Where none has one, the answer still says which shelf it would be.
    let (status, body) = ask(&service, "la vodka");
    assert_eq!((status, &body["error"]["details"]["reason"]), (404, &json!("no_priced_listing")));
    let message = |category, retailer| {
        let (shelf, _) = resolve(&service.catalog, Country::Ca, Some(category), None).ok().unwrap();
        let scope = Scope { country: Country::Ca, category_scope: shelf, retailer };
        let Err(Refusal::NoResults { message, .. }) = require_priced(&service.catalog, &scope) else {
            panic!("nothing there has a price")
        };
        message
    };
    let shop = service.catalog.platform("shop");
    for (category, retailer, said) in [
        (
            "la vodka",
            None,
            "no listing in \"Drinks > Vodka\" has a price of the last 90 days; widen the category",
        ),
        (
            "la vodka",
            shop,
            "no listing in \"Drinks > Vodka\" at shop has a price of the last 90 days; widen the category or leave out the retailer",
        ),
        ("drinks", None, "no listing in \"Drinks\" has a price of the last 90 days"),
    ] {
        assert_eq!(message(category, retailer), said);
    }
}

/// "White bread" is a phrase: a shelf of white wine has a word of it and is something else.
#[test]
fn does_not_match_part_of_an_unmet_phrase() {
    let (dir, input) = catalog_of(
        &[
            "Wine > White",
            "Baby > Baby Wipes",
            "Drinks > Eau de vie",
            "Odd white thing",
            "Food",
            "Choux-fleurs",
            "Drinks > Beer",
            "Sangria",
        ],
        "",
    );
    let catalog = build(&[input], &dir.path().join("out"));
    for text in ["white bread", "disinfecting wipes", "eau de javel", "german beer", "cat food", "fleurs"] {
        assert_eq!(slug(&catalog, Country::Ca, text), None, "{text}");
    }
    // What is no phrase is compared as before, and so is a colour beside a phrase of which a shelf has every word.
    for (text, path) in [
        ("white thing", "odd-white-thing"),
        ("red beer", "drinks/beer"),
        ("sangria blanche", "sangria"),
        ("sangria rouge", "sangria"),
    ] {
        let found = slug(&catalog, Country::Ca, text);
        assert_eq!(found, Some((path.to_owned(), MatchSource::Text)), "{text}");
    }
}

#[test]
fn aliases_and_segments_come_first_and_a_department_narrows() {
    let (dir, input) = catalog_of(
        &["Dairy > Milk", "Snacks > Milk Crackers", "Pantry > Canned Milk", "Food > Lait"],
        "Pop,Snacks\n",
    );
    let service = Service::new(build(&[input], &dir.path().join("out")));
    let source = |category: &str| ask(&service, category).1["resolved"]["match_source"].clone();
    assert_eq!(source("lait"), "segment");
    assert_eq!(source("laits"), "alias");
    assert_eq!(source("pop"), "alias");
    assert_eq!(source("du lait"), "everyday");
    let department = |category: &str, department: &str| {
        let catalog = &service.catalog;
        let (_, resolved) = resolve(catalog, Country::Ca, Some(category), Some(department)).unwrap();
        resolved.category_path
    };
    assert_eq!(department("du lait", "Pantry"), "Pantry > Canned Milk");
    assert_eq!(department("du lait", "dairy"), "Dairy > Milk");
    assert_eq!(department("du lait", "FOOD"), "Food > Lait");
}

#[test]
fn does_not_guess_from_names_or_partial_phrases() {
    let (dir, input) = catalog_of(&["Drinks > Wine List", "Thing"], "");
    let catalog = build(&[input], &dir.path().join("out"));
    for text in ["vin rouge", "vin français", "whisky", "beurre", "vin > rouge"] {
        assert_eq!(slug(&catalog, Country::Ca, text), None, "{text}");
    }
    assert_eq!(
        slug(&catalog, Country::Ca, "vin"),
        Some(("drinks/wine-list".to_owned(), MatchSource::Everyday))
    );
}

#[test]
fn a_segment_contains_the_product_that_the_head_noun_names() {
    let (dir, input) = catalog_of(&["Drinks > Whisky", "Food > Organic", "Food > Chocolate"], "");
    let catalog = build(&[input], &dir.path().join("out"));
    for text in ["whisky cream", "organic légumes", "chocolate biscuits"] {
        assert_eq!(slug(&catalog, Country::Ca, text), None, "{text}");
    }
    for (text, path) in [
        ("smoky whisky", "drinks/whisky"),
        ("fancy chocolate", "food/chocolate"),
        ("organic nonsense", "food/organic"),
    ] {
        assert_eq!(slug(&catalog, Country::Ca, text), Some((path.to_owned(), MatchSource::Text)), "{text}");
    }
}

/// A product search finds what the shelf is called by another name; where nothing is, it names the shelf where shops keep
/// what the text is an everyday name of.
#[test]
fn a_text_that_no_name_holds_is_read_as_another_name_or_told_its_shelf() {
    let (dir, input) = catalog_of(&["Computers > Video Card", "Grocery > Sft Drnk"], "");
    let service = Service::new(build(&[input], &dir.path().join("out")));
    let target = |q: &str| format!("/v1/shopper/best-price?country=ca&q={q}");
    let (status, answer) = service.ask(&target("gpu"));
    assert_eq!(
        (status, &answer["resolved_product"]["category_path"]),
        (200, &json!("Computers > Video Card"))
    );
    assert_eq!(answer["understood_as"], json!([{ "from": "gpu", "to": "video card" }]));
    let (_, refusal) = service.ask(&target("pop"));
    assert_eq!(refusal["error"]["details"]["categories"][0], "grocery/sft-drnk", "{refusal}");
    let message = service.message(&target("pop"));
    assert!(message.contains("; retailers list such products under Grocery > Sft Drnk"), "{message}");
    let message = service.message(&target("laptop"));
    assert!(!message.contains("retailers list such products"), "{message}");
}

/// What is near by meaning comes before what is near by spelling, and words that people use are not misspelled.
#[test]
fn suggests_shelves_near_in_meaning_before_spelling() {
    let shelves =
        ["Spirits > Brandy", "Wine > Sherry", "Spirits > Cream/Dairy Liqueurs", "Food > Grain Products"];
    let (dir, input) = catalog_of(&shelves, "");
    let service = Service::new(build(&[input], &dir.path().join("out")));
    let message = |text: &str| {
        service.message(&format!("/v1/marketing/competitive-landscape?country=ca&category={text}"))
    };
    for text in ["bread", "shoes", "dairy"] {
        let (status, refusal) = ask(&service, text);
        assert_eq!((status, &refusal["error"]["details"]["suggestions"]), (404, &json!([])), "{text}");
        assert!(message(text).ends_with("; ca has: Spirits, Food, Wine"), "{}", message(text));
    }
    // A branch that ends lists its children; what is misspelled is still near to what it is spelled like.
    let ended = message("spirits+%3E+flour+%3E+bread");
    assert!(ended.ends_with("; Spirits has: Brandy, Cream/Dairy Liqueurs"), "{ended}");
    let (_, refusal) = ask(&service, "brendy");
    assert_eq!(refusal["error"]["details"]["suggestions"][0], "spirits/brandy");
}

#[test]
fn suggestions_hold_what_one_corrected_word_would_find() {
    let (dir, input) =
        catalog_of(&["Food > Zucchini", "Food > Cookies & Cones", "Drinks > Sodas", "Thing"], "");
    let service = Service::new(build(&[input], &dir.path().join("out")));
    for (mistyped, meant) in [
        ("zuchini", "food/zucchini"),
        ("courgete", "food/zucchini"),
        ("the bisquits", "food/cookies-and-cones"),
        ("boisson gazeusse", "drinks/sodas"),
        ("boissons gazueses", "drinks/sodas"),
    ] {
        let (status, body) = ask(&service, mistyped);
        assert_eq!(status, 404, "{mistyped}");
        let suggestions = body["error"]["details"]["suggestions"].as_array().unwrap();
        assert_eq!(suggestions.first(), Some(&json!(meant)), "{mistyped}: {suggestions:?}");
    }
    let (_, body) = ask(&service, "xyzzy > bisquits");
    assert!(body["error"]["details"]["suggestions"].is_array());
}

#[test]
fn the_build_reports_what_names_no_category() {
    let (dir, input) = catalog_of(&["Food > Milk", "Pears"], "Pop,Food\n");
    let options = pricebook::index::run::Options {
        arguments: pricebook::ingest::Arguments::folders([input]),
        out: dir.path().join("out"),
        max_rejects_pct: 5.0,
        ..pricebook::index::run::Options::default()
    };
    let report = pricebook::index::run::run(&options, &pricebook::ingest::Silent).unwrap().report;
    let unresolved = &report.unresolved_everyday;
    assert_eq!(unresolved.keys().collect::<Vec<_>>(), [&"ca"]);
    for (phrase, is_there) in
        [("lait", false), ("milk", false), ("pop", false), ("poire", false), ("beer", true), ("soda", true)]
    {
        assert_eq!(unresolved["ca"].contains(&phrase), is_there, "{phrase}");
    }
    let written = options.out.join("reports").join(&report.id).join("report.json");
    let written: Value = serde_json::from_slice(&fs::read(written).unwrap()).unwrap();
    assert_eq!(written["unresolved_everyday"]["ca"].as_array().unwrap().len(), unresolved["ca"].len());
}
