//! Names of very many words and products of very many listings: every step looks at each of them a few times and not at
//! each beside every other. Nothing is timed; where a step did, no runner would wait for it.

use std::fmt::Write as _;
use std::fs;

use pricebook::catalog::Catalog;
use pricebook::index::run::{Built, Options, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::limits::NAME_BYTES_MAX;
use pricebook::ingest::{Arguments, Silent};

use crate::support::asking::Service;

/// Words of a name that is rejected.
const WORDS: usize = 2_000_000;
const MEMBERS: u32 = 20_000;
const GTIN: &str = "036000291452";

fn built(listings: &str, observations: &str) -> (Built, Catalog, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("input");
    fs::create_dir(&input).unwrap();
    fs::write(input.join("listings.csv"), listings).unwrap();
    fs::write(input.join("observations.csv"), observations).unwrap();
    let options = Options {
        arguments: Arguments::folders([input]),
        out: dir.path().join("out"),
        max_rejects_pct: 50.0,
        linking: Linking::Kept,
        ..Options::default()
    };
    let built = run(&options, &Silent).unwrap();
    let catalog = Catalog::open(&built.published.path()).unwrap();
    (built, catalog, dir)
}

/// Words that are all different, until so many bytes are full.
fn words(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes);
    for number in 0_u32.. {
        // Letters and digits: part numbers to whoever looks for them.
        let word = format!("w{number:x} ");
        if text.len() + word.len() > bytes {
            return text;
        }
        text.push_str(&word);
    }
    text
}

#[test]
fn a_name_of_two_million_words_is_rejected_and_the_longest_one_is_found() {
    let longest = words(NAME_BYTES_MAX);
    let mut listings = "country,platform,product_id,product_name,brand,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for (id, name) in
        [("long", &longest), ("beyond", &words(WORDS * 7)), ("plain", &"Kettle w1 w2".to_owned())]
    {
        for shop in ["one", "two"] {
            writeln!(listings, "us,{shop},{id},{name},Acme,Kitchen").unwrap();
            writeln!(observations, "us,{shop},{id},2026-10-31,5").unwrap();
        }
    }
    let (Built { report, .. }, catalog, _dir) = built(&listings, &observations);
    assert_eq!(report.input.rejected["name_too_long"].count, 2);
    assert_eq!(report.input.rejected["no_listing"].count, 2);
    assert_eq!(report.counts.listings, 4);
    let last = longest.trim_end().rsplit(' ').next().unwrap();
    let (status, body) =
        Service::new(catalog).ask(&format!("/v1/shopper/best-price?q={last}&country=us&exact_query=true"));
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["best_price"]["product_name"].as_str().map(str::len), Some(longest.trim_end().len()));
}

#[test]
fn twenty_thousand_listings_of_one_product_are_linked_and_compared() {
    let mut listings = "country,platform,product_id,product_name,brand,gtin,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for number in 0..MEMBERS {
        // Every one of a retailer of its own, a pack of its own that contradicts no other, and a name of its own that
        // shares a word with every other.
        let (platform, grams) = (format!("shop-{number}"), 10_000 + number % 199);
        let brand = ["Acme", "Birch", "Cedar"][(number % 3) as usize];
        writeln!(
            listings,
            "us,{platform},1,Kettle v{number} {}.{:02} g,{brand},{GTIN},Kitchen > Kettles",
            grams / 100,
            grams % 100
        )
        .unwrap();
        writeln!(observations, "us,{platform},1,2026-10-31,5.{:02}", number % 100).unwrap();
    }
    let (Built { report, .. }, catalog, _dir) = built(&listings, &observations);
    assert_eq!((report.counts.entities, report.counts.platforms), (1, u64::from(MEMBERS)));
    assert_eq!(report.suspects.values().sum::<u64>(), 0, "{:?}", report.suspects);
    let (status, body) =
        Service::new(catalog).ask("/v1/analyst/price-dispersion?category=kitchen&country=us");
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["cross_retailer"]["entities"], 1, "{body}");
}

#[test]
fn twenty_thousand_listings_of_one_name_are_linked_without_a_barcode() {
    let mut listings = "country,platform,product_id,product_name,brand,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for number in 0..MEMBERS {
        writeln!(listings, "us,shop-{},{number},Red Kettle,Acme,Kitchen", number % 4).unwrap();
        writeln!(observations, "us,shop-{},{number},2026-10-31,5", number % 4).unwrap();
    }
    let (Built { report, .. }, ..) = built(&listings, &observations);
    assert_eq!(report.counts.entities, u64::from(MEMBERS));
    assert!(report.linking.is_some_and(|linking| linking.listings_without_barcode == u64::from(MEMBERS)));
}
