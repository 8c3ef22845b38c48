//! What likely links are worth: the labelled sets that docs/methodology.md names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::quality::matching::{MatchingOptions, MatchingReport, run};
use crate::support::asking::{build, fixture, shared};
use pricebook::catalog::Catalog;

/// Precision below which no recall counts.
const PRECISION_MIN: f64 = 0.95;

/// What listed pairs say of the links of some inputs.
fn measured(inputs: &[PathBuf], pairs: &Path, is_closed: bool) -> MatchingReport {
    let out = tempfile::tempdir().unwrap();
    let catalog = build(inputs, out.path());
    told(&catalog, pairs, is_closed)
}

/// What listed pairs say of the links of a catalog.
fn told(catalog: &Catalog, pairs: &Path, is_closed: bool) -> MatchingReport {
    let report = run(catalog, &MatchingOptions { pairs, is_closed, scores: None, features: None }).unwrap();
    eprintln!("{}\n{report}", pairs.display());
    assert_eq!(report.unknown, 0, "every pair is one of listings that are there");
    report
}

/// A set whose listed pairs are measured as such.
fn pairs_f1(name: &str, least: f64) {
    let Some(input) = shared(&format!("matching/{name}")) else { return };
    let pairs = input.join("pairs.csv.gz");
    let report = measured(&[input], &pairs, false);
    assert!(report.pairs_f1 >= Some(least), "{name}: {report:?}");
}

#[test]
fn software_pairs() {
    pairs_f1("amazon_google", 0.67);
}

#[test]
fn computer_pairs() {
    pairs_f1("wdc_computers", 0.80);
}

#[test]
fn camera_pairs() {
    pairs_f1("wdc_cameras", 0.79);
}

#[test]
fn electronics_links() {
    let Some(input) = shared("matching/abt_buy") else { return };
    let pairs = input.join("pairs.csv.gz");
    let report = measured(&[input], &pairs, true);
    assert!(report.linked.precision >= Some(0.98), "{report:?}");
    assert!(report.linked.recall >= Some(0.55), "{report:?}");
}

/// Beside twenty thousand other products, whose links no pair lists.
#[test]
fn electronics_links_in_a_large_catalog() {
    let Some(input) = shared("matching/abt_buy") else { return };
    let Some(others) = shared("matching/chorus") else { return };
    let pairs = input.join("pairs.csv.gz");
    let report = measured(&[input, others], &pairs, false);
    assert!(report.linked.recall >= Some(0.55), "{report:?}");
}

/// Electronics and software in one catalog, where a processor stands beside the computer that has it. The fit has seen
/// these pairs: what holds here is that it learnt them.
#[test]
fn links_of_mixed_electronics() {
    const SETS: [&str; 6] = [
        "matching/abt_buy",
        "matching/amazon_google",
        "matching/wdc_computers",
        "matching/chorus",
        "acceptance/datafiniti_electronics_us",
        "acceptance/pcparts_us",
    ];
    let inputs: Vec<PathBuf> = SETS.iter().filter_map(|set| shared(set)).collect();
    if inputs.len() < SETS.len() {
        return;
    }
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/quality/train_links_electronics.csv");
    let report = measured(&inputs, &pairs, false);
    assert!(report.linked.precision >= Some(PRECISION_MIN), "{report:?}");
    assert!(report.linked.recall >= Some(0.60), "{report:?}");
}

#[test]
fn grocery_links() {
    let Some(input) = shared("acceptance/hammer_groceries_ca") else { return };
    let Some(pairs) = shared("matching/hammer_pairs.csv.gz") else { return };
    let report = measured(&[input], &pairs, false);
    assert!(report.linked.precision >= Some(PRECISION_MIN), "{report:?}");
    assert!(report.linked.recall >= Some(0.30), "{report:?}");
}

/// Pairs of the demo, judged by hand: what needs nothing but the project.
#[test]
fn links_of_the_demo() {
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/link_pairs.csv");
    let report = told(&fixture(), &pairs, false);
    assert!(report.links >= 40, "{report:?}");
    assert!(report.linked.precision >= Some(PRECISION_MIN), "{report:?}");
    assert!(report.linked.recall >= Some(0.80), "{report:?}");
}

/// Pairs that are listed twice, once either way round, count once.
#[test]
fn pairs_count_once() {
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/link_pairs.csv");
    let text = fs::read_to_string(&pairs).unwrap();
    let turned = text.lines().skip(1).map(|line| {
        let [left, left_id, right, right_id, label] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        format!("{right},{right_id},{left},{left_id},{label}\n")
    });
    let dir = tempfile::tempdir().unwrap();
    let twice = dir.path().join("pairs.csv");
    fs::write(&twice, text.clone() + &turned.collect::<String>()).unwrap();
    let (once, twice) = (told(&fixture(), &pairs, false), told(&fixture(), &twice, false));
    assert_eq!((once.pairs, once.linked, once.recall_at), (twice.pairs, twice.linked, twice.recall_at));
}
