//! What the search is worth: the labelled sets that docs/methodology.md names, and everyday words over the
//! test catalog.

use std::path::Path;

use crate::support::asking::{Service, build, fixture, shared};
use pricebook::eval::search::known::EditKind;
use pricebook::eval::search::{judged, known};

/// What somebody types, and what the name or the category of the product that is meant says.
const EVERYDAY: [(&str, &str, &str); 33] = [
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
    ("ca", "peanutbutter", "PEANUT BUTTER"),
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
