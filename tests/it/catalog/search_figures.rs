//! What the search is worth: the labelled sets that docs/methodology.md names, and everyday words over the
//! test catalog.

use std::path::Path;

use crate::quality::search::known::EditKind;
use crate::quality::search::people::{Absent, PeopleOptions, PeopleReport};
use crate::quality::search::{judged, known, people};
use crate::support::asking::{Service, build, demo, fixture, shared};
use pricebook::catalog::Catalog;
use pricebook::search::index::QualityConstants;

/// What somebody types, and what the name or the category of the product that is meant says.
const EVERYDAY: [(&str, &str, &str); 32] = [
    ("ca", "eggs", "White Eggs"),
    ("ca", "red wine", "Red Wine"),
    ("ca", "white wine", "White Wine"),
    ("ca", "sparkling wine", "Sparkling Wine"),
    ("ca", "brocoli", "Broccoli"),
    ("ca", "cheap tofu", "Tofu"),
    ("ca", "best bananas", "Bananas"),
    ("ca", "brown rice", "Brown Rice"),
    ("ca", "chicken breast", "Chicken Breast"),
    ("ca", "salmon", "Salmon"),
    ("ca", "vodka", "Spirits > Vodka"),
    ("ca", "gin", "Spirits > Gin"),
    ("ca", "craft beer", "Beer >"),
    ("ca", "merlot", "Wine >"),
    ("ca", "champagne", "Champagne"),
    ("us", "gaming mouse", "> Mouse"),
    ("us", "headphones", "> Headphones"),
    ("us", "monitor", "> Monitor"),
    ("us", "wireles keyboard", "> Keyboard"),
    ("us", "web cam", "> Webcam"),
    ("us", "mechanical keyboards", "> Keyboard"),
    ("us", "power supply", "> Power Supply"),
    ("us", "cpu coolers", "> Cpu Cooler"),
    ("us", "the best motherboard", "> Motherboard"),
    // Coolers and fans are in categories that say these words, too.
    ("us", "cpu", "> Cpu >"),
    ("us", "case", "> Case >"),
    ("us", "corsair case", "> Case >"),
    ("us", "msi case", "> Case >"),
    // Others are called so: an apricot liqueur, a champagne.
    ("ca", "brandy", "> Brandy >"),
    ("ca", "cooler", "Coolers >"),
    // A whisky comes from a cask of it.
    ("ca", "pale ale", "Beer >"),
    // Who names no taste means the plain thing.
    ("ca", "whisky", "- WHISKY"),
];

fn kind<'a>(report: &'a known::KnownItemReport, name: &str) -> &'a EditKind {
    report.kinds.iter().find(|kind| kind.kind == name).unwrap()
}

#[test]
fn words_with_slips_find_what_they_mean() {
    let catalog = fixture();
    let typos = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/typos.csv.gz");
    let report = known::run(&catalog, &typos).unwrap();
    eprintln!("{report}");
    let (edited, control) = (kind(&report, "edited"), kind(&report, "control"));
    assert_eq!((report.without_target, edited.queries, control.queries), (0, 660, 60));
    assert!(edited.hit_at_10 >= 0.97 && edited.hit_at_1 >= 0.62, "{edited:?}");
    assert!(edited.zero_result_rate <= 0.005, "{edited:?}");
    assert!(control.hit_at_10 >= 0.97 && control.corrected == 0, "{control:?}");
}

#[test]
fn judged_queries_rank_what_is_relevant() {
    let Some(input) = shared("matching/chorus") else { return };
    let out = tempfile::tempdir().unwrap();
    let catalog = build(&[input], out.path());
    let report = judged::run(&catalog, &shared("matching/chorus_judgements.csv.gz").unwrap()).unwrap();
    eprintln!("{report}");
    assert!(report.ndcg_at_10 >= 0.66 && report.zero_result_rate <= 0.02, "{report:?}");
}

/// What came of labelled queries over a catalog, by the default least quality.
fn people_of(catalog: &Catalog, name: &str, queries: &Path) -> PeopleReport {
    let constants = QualityConstants::default();
    let options = PeopleOptions { queries, catalog: name, min_quality: None, constants, outcomes: None };
    let report = people::run(catalog, &options).unwrap();
    eprintln!("{name}, {}\n{report}", queries.display());
    report
}

fn refused(of: &[Absent]) -> f64 {
    let sum = |count: fn(&Absent) -> usize| of.iter().map(count).sum::<usize>() as f64;
    sum(|of| of.refused) / sum(|of| of.queries)
}

#[test]
fn shoppers_find_what_is_there_and_are_refused_what_is_not() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let queries = people_of(&demo(), "demo", &golden.join("people.csv"));
    let there = queries.present;
    let found = (there.right + there.right_other_size) as f64;
    assert!(found >= 0.88 * there.queries as f64 && there.refused as f64 <= 0.08 * there.queries as f64);
    assert!(queries.sure_right as f64 >= 0.9 * found, "{queries:?}");
    assert!(refused(&[queries.absent_short, queries.absent_long]) >= 0.5, "{queries:?}");
    let titles = people_of(&demo(), "demo", &golden.join("absent.csv.gz"));
    assert!(refused(&[titles.absent_short]) >= 0.9 && refused(&[titles.absent_long]) >= 0.9, "{titles:?}");
}

/// The sets that stay out of the project: all catalogs together.
#[test]
fn shoppers_of_other_catalogs() {
    let Some(queries) = shared("matching/people.csv") else { return };
    let titles = shared("matching/absent.csv.gz").unwrap();
    let out = tempfile::tempdir().unwrap();
    let (mut all, mut of_titles) = (Vec::new(), Vec::new());
    for name in ["datafiniti_electronics_us", "complete_journey_us", "hammer_groceries_ca"] {
        let catalog = build(&[shared(&format!("acceptance/{name}")).unwrap()], &out.path().join(name));
        all.push(people_of(&catalog, name, &queries));
        if name != "complete_journey_us" {
            of_titles.push(people_of(&catalog, name, &titles));
        }
    }
    all.push(people_of(&demo(), "demo", &queries));
    of_titles.push(people_of(&demo(), "demo", &titles));
    let sum = |count: fn(&PeopleReport) -> usize| all.iter().map(count).sum::<usize>() as f64;
    let there = sum(|of| of.present.queries);
    let absent: Vec<Absent> = all.iter().flat_map(|of| [of.absent_short, of.absent_long]).collect();
    let asked = there + absent.iter().map(|of| of.queries as f64).sum::<f64>();
    let found = sum(|of| of.present.right + of.present.right_other_size);
    assert!(found >= 0.88 * there && sum(|of| of.present.refused) <= 0.08 * there, "{all:?}");
    assert!(sum(|of| of.sure_right) >= 0.9 * found && sum(|of| of.sure_wrong) <= 0.1 * asked, "{all:?}");
    assert!(refused(&absent) >= 0.5, "{all:?}");
    let short: Vec<Absent> = of_titles.iter().map(|of| of.absent_short).collect();
    let long: Vec<Absent> = of_titles.iter().map(|of| of.absent_long).collect();
    assert!(refused(&short) >= 0.75 && refused(&long) >= 0.6, "{of_titles:?}");
}

#[test]
fn everyday_words_find_the_thing() {
    let service = Service::new(fixture());
    for (country, words, meant) in EVERYDAY {
        let q = words.replace(' ', "+");
        let (status, answer) = service.ask(&format!("/v1/shopper/best-price?q={q}&country={country}"));
        let product = &answer["resolved_product"];
        let text = |field: &str| product[field].as_str().unwrap_or_default();
        let told = format!("{} in {} >", text("product_name"), text("category_path"));
        assert!(status == 200 && told.contains(meant), "{words}: {status} {told}");
    }
}
