//! Text search against the slow truth: every listing scored, every rank sorted.

#![allow(clippy::unwrap_used, clippy::format_push_string)]

#[path = "common/crafted.rs"]
mod crafted;
mod generated;
mod searching;

use pricebook::catalog::{Catalog, Hit, Matches, Wanted};
use pricebook::domain::Country;
use pricebook::generate::run;
use pricebook::loadgen::rng::Rng;
use searching::Slow;

const LISTINGS: u32 = 1_500;
const QUERIES: usize = 400;
const WORDS: [&str; 12] =
    ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew"];
const LIMITS: [usize; 5] = [1, 2, 20, 64, 100_000];

/// Terms of one listing or of several, each once.
fn query(slow: &Slow<'_>, rng: &mut Rng) -> Vec<u32> {
    let mut query = Vec::new();
    for _ in 0..=rng.below(2) {
        let own: Vec<u32> = slow.listings[rng.below(slow.listings.len())].ways.keys().copied().collect();
        for _ in 0..=rng.below(4) {
            query.extend(rng.pick(&own).filter(|term| !query.contains(*term)).copied());
        }
    }
    query
}

/// Compares searches of a catalog with the slow truth; how many had more matches than were wanted.
fn compare(catalog: &Catalog, seed: u64) -> usize {
    let slow = Slow::of(catalog);
    let mut rng = Rng::new(seed);
    let mut cut = 0;
    for _ in 0..QUERIES {
        let (scored, country) = (query(&slow, &mut rng), Country::ALL[rng.below(2)]);
        let mut needed = scored.clone();
        rng.shuffle(&mut needed);
        needed.truncate(1 + rng.below(scored.len()));
        let every = 1 + rng.below(3) as u32;
        let accept = |row: u32| row.is_multiple_of(every);
        let matching = |row: &u32| accept(*row) && needed.iter().all(|&term| slow.holds(*row, term));
        let hits = slow.ranked(slow.priced(country).filter(matching), &scored, country);
        for limit in LIMITS {
            let wanted = Wanted { country, limit, accept };
            let found = catalog.text.search(&needed, &scored, &wanted);
            let (all, hits): (bool, Vec<Hit>) =
                (hits.len() <= limit, hits.iter().copied().take(limit).collect());
            assert_eq!(found, Matches { hits, all }, "{needed:?} {scored:?} {country:?} {limit}");
            cut += usize::from(!all);
        }
    }
    cut
}

#[test]
fn a_search_finds_the_best_in_order() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(&generated::options(LISTINGS, 3, 5, input.path()), &|_| ()).unwrap();
    let id = crafted::build(input.path(), out.path(), None).unwrap().id;
    let cut = compare(&Catalog::open(&out.path().join(id)).unwrap(), 9);
    assert!(cut > QUERIES / 2, "most queries match more than is wanted: {cut}");
}

/// Names of a dozen words, most of them several times, up to lengths that are no longer counted one by one: scores tie
/// across lengths, and every bound is put to the test.
#[test]
fn a_search_finds_the_best_of_long_and_repetitive_names() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut rng = Rng::new(4);
    let mut listings = String::from("country,platform,product_id,product_name,brand,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price\n");
    for id in 0..LISTINGS {
        let country = Country::ALL[rng.below(2)].as_str();
        let longest = [3, 12, 50, 150][rng.below(4)];
        let word = |rng: &mut Rng| {
            let common = 1 + rng.below(WORDS.len());
            WORDS[rng.below(common)]
        };
        let name: Vec<&str> = (0..=rng.below(longest)).map(|_| word(&mut rng)).collect();
        let brand = ["", "alder", "Birch elm"][rng.below(3)];
        listings += &format!("{country},shop,{id},{},{brand},Wood\n", name.join(" "));
        let day = ["2026-10-01", "2026-10-02", "2026-06-01"][rng.below(3)];
        let price = ["9.99", "9.49", "12.00"][rng.below(3)];
        observations += &format!("{country},shop,{id},{day},{price}\n");
    }
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let id = crafted::build(input.path(), out.path(), None).unwrap().id;
    let cut = compare(&Catalog::open(&out.path().join(id)).unwrap(), 6);
    assert!(cut > QUERIES / 2, "most queries match more than is wanted: {cut}");
}
