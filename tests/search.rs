//! Text search against the slow truth: every listing scored, every rank sorted.

#![allow(clippy::unwrap_used, clippy::format_push_string)]

#[path = "common/crafted.rs"]
mod crafted;
mod generated;

use std::cmp::Reverse;

use pricebook::catalog::{Catalog, Hit, Matches, Wanted};
use pricebook::domain::Country;
use pricebook::domain::text::search_terms;
use pricebook::generate::run;
use pricebook::loadgen::rng::Rng;

const LISTINGS: u32 = 1_500;
const QUERIES: usize = 400;
const WORDS: [&str; 12] =
    ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew"];
const LIMITS: [usize; 5] = [1, 2, 20, 64, 100_000];

/// What a listing is found by.
struct Known {
    name: Vec<String>,
    all: Vec<String>,
}

fn known(catalog: &Catalog) -> Vec<Known> {
    let rows = 0..catalog.listings.country.len() as u32;
    let of = |row| {
        let listing = catalog.listing(row);
        let name = search_terms(listing.name());
        let brand = search_terms(listing.brand().unwrap_or_default());
        Known { all: name.iter().cloned().chain(brand).collect(), name }
    };
    rows.map(of).collect()
}

/// BM25 with lengths of four binary digits beyond 24, summed in the order of the query.
fn score(listings: &[Known], with: &[u32], query: &[String], row: usize) -> f32 {
    let all = listings.len();
    let average = listings.iter().map(|known| known.all.len()).sum::<usize>() as f32 / all as f32;
    let terms = listings[row].all.len();
    let steps = (0..32).map(|exponent| 1_usize << exponent).find(|step| terms < 24 + 16 * step).unwrap();
    let counted = if terms < 24 { terms } else { 24 + (terms - 24) / steps * steps };
    let length = 1.2 * (1.0 - 0.75 + 0.75 * counted as f32 / average);
    let mut score = 0.0;
    for (term, &with) in query.iter().zip(with) {
        let times = listings[row].all.iter().filter(|own| *own == term).count() as f32;
        let (with, all) = (f64::from(with), all as f64);
        let weight = ((1.0 + (all - with + 0.5) / (with + 0.5)).ln() as f32) * (1.2 + 1.0);
        if times > 0.0 {
            score += weight * times / (times + length);
        }
    }
    score
}

/// Every match of the longest prefix that has any, in rank order.
fn slow(
    catalog: &Catalog,
    listings: &[Known],
    query: &[String],
    country: Country,
    accept: &dyn Fn(u32) -> bool,
) -> (usize, Vec<Hit>) {
    let holds = |row: usize, term: &String| listings[row].all.contains(term);
    let rows = catalog.country_rows(country);
    let with: Vec<u32> =
        query.iter().map(|term| (0..listings.len()).filter(|&row| holds(row, term)).count() as u32).collect();
    for kept in (1..=query.len()).rev() {
        let matching = |row: &u32| {
            catalog.listing(*row).is_priced()
                && accept(*row)
                && query[..kept].iter().all(|term| holds(*row as usize, term))
        };
        let hit = |row| Hit { row, score: score(listings, &with, query, row as usize) };
        let mut hits: Vec<Hit> = rows.clone().filter(matching).map(hit).collect();
        hits.sort_by_key(|hit| {
            let listing = catalog.listing(hit.row);
            let members = catalog.entities.members(listing.entity(), &rows).len();
            let in_stock = listing.in_stock() == Some(true);
            let newest_first = Reverse(listing.observed_at());
            (Reverse((hit.score.to_bits(), members, in_stock)), listing.price(), newest_first, listing.uid())
        });
        if !hits.is_empty() {
            return (kept, hits);
        }
    }
    (0, Vec::new())
}

/// Words of one name or of several, some unknown, some twice.
fn query(listings: &[Known], rng: &mut Rng) -> Vec<String> {
    let mut query = Vec::new();
    for _ in 0..=rng.below(2) {
        let name = &listings[rng.below(listings.len())].name;
        let from = rng.below(name.len().max(1));
        query.extend(name.iter().skip(from).take(1 + rng.below(4)).cloned());
    }
    if rng.chance(15) {
        query.insert(rng.below(query.len() + 1), "unheard".to_owned());
    }
    if rng.chance(15) {
        query.extend(query.first().cloned());
    }
    query
}

/// Compares searches of a catalog with the slow truth; how many had more matches than were wanted.
fn compare(catalog: &Catalog, seed: u64) -> usize {
    let listings = known(catalog);
    let mut rng = Rng::new(seed);
    let mut cut = 0;
    for _ in 0..QUERIES {
        let (query, country) = (query(&listings, &mut rng), Country::ALL[rng.below(2)]);
        let every = 1 + rng.below(3) as u32;
        let accept = |row: u32| row.is_multiple_of(every);
        let (kept, hits) = slow(catalog, &listings, &query, country, &accept);
        for limit in LIMITS {
            let wanted = Wanted { country, limit, accept };
            let found = catalog.text.search(&catalog.text.look_up(&query), &wanted);
            let (all, hits) = (hits.len() <= limit, hits.iter().copied().take(limit).collect());
            assert_eq!(found, Matches { kept, hits, all }, "{query:?} {country:?} {limit}");
            cut += usize::from(!all);
        }
    }
    for (row, known) in listings.iter().enumerate() {
        let terms: Vec<Option<u32>> = catalog.text.look_up(&known.name);
        let own: Vec<Option<u32>> = catalog.text.name_terms(row as u32).iter().copied().map(Some).collect();
        assert_eq!(own, terms, "the terms of a name are kept in their order");
    }
    cut
}

#[test]
fn a_search_finds_the_best_in_order() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(&generated::options(LISTINGS, 3, 5, input.path()), &|_| ()).unwrap();
    let id = crafted::build(input.path(), out.path(), None).unwrap().id;
    let cut = compare(&Catalog::open(&out.path().join(id)).unwrap(), 9);
    assert!(cut > QUERIES, "most queries match more than is wanted: {cut}");
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
    assert!(cut > QUERIES, "most queries match more than is wanted: {cut}");
}
