//! A generated catalog against the figures that were measured on real ones.
//!
//! Every bound is the measured figure with the slack of 20,000 listings and 30 days.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use crate::support::generated::{Listing, catalog, options};
use pricebook::cli::generate::GenerateOptions;
use pricebook::lang::brand::brand_key;

const LISTINGS: u32 = 20_000;
const DAYS: u32 = 30;
const THURSDAY: i32 = 0;

fn all() -> &'static [Listing] {
    static CATALOG: OnceLock<Vec<Listing>> = OnceLock::new();
    CATALOG.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        catalog(&options(LISTINGS, DAYS, 1, folder.path()))
    })
}

fn of(department: &str) -> Vec<&'static Listing> {
    all().iter().filter(|listing| listing.path[0] == department).collect()
}

/// Chains of a department that promote; small shops and those that sell everything follow other habits.
fn at<'a>(listings: &[&'a Listing], platforms: &[&str]) -> Vec<&'a Listing> {
    listings.iter().copied().filter(|listing| platforms.contains(&listing.platform.as_str())).collect()
}

const GROCERS: [&str; 8] =
    ["northmart", "valufare", "freshlane", "maplegrove", "citygrocer", "foodbarn", "saveplus", "greenway"];
const ELECTRONICS: [&str; 6] =
    ["voltage", "bytehouse", "pixelpoint", "techdepot", "partspicker", "soundworks"];

fn share(of: usize, all: usize) -> f64 {
    of as f64 / all as f64
}

fn quantile(values: &mut [f64], at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * at).round() as usize]
}

#[track_caller]
fn between(what: &str, value: f64, low: f64, high: f64) {
    println!("{what}: {value:.4}");
    assert!((low..=high).contains(&value), "{what}: {value:.4} is not between {low} and {high}");
}

/// Day and both prices of every pair of days in a row.
fn steps(listings: &[&Listing]) -> Vec<(i32, u32, u32)> {
    let pairs = listings.iter().flat_map(|listing| listing.prices.windows(2));
    let in_a_row = pairs.filter(|pair| pair[1].day == pair[0].day + 1);
    in_a_row.map(|pair| (pair[1].day, pair[0].cents, pair[1].cents)).collect()
}

#[test]
fn sizes_are_exact() {
    let us = |listings: &[&Listing]| listings.iter().filter(|listing| listing.country == "us").count();
    let whole: Vec<&Listing> = all().iter().collect();
    assert_eq!((whole.len(), us(&whole)), (20_000, 15_000));
    assert_eq!(us(&of("Electronics")), 4_000);
    let mut shelves: BTreeMap<&[String], usize> = BTreeMap::new();
    for listing in all() {
        *shelves.entry(&listing.path).or_default() += 1;
    }
    let largest = shelves.iter().max_by_key(|(_, count)| **count).unwrap();
    assert_eq!((largest.0.join(" > ").as_str(), *largest.1), ("Electronics > Audio > Headphones", 1_000));
    let depths: HashSet<usize> = shelves.keys().map(|path| path.len()).collect();
    assert_eq!(depths, HashSet::from([3, 4]));
    let names: HashSet<&String> = shelves.keys().map(|path| &path[2]).collect();
    assert!(shelves.len() > 200 && names.len() < shelves.len(), "{} shelves", shelves.len());
}

#[test]
fn levels_and_spreads() {
    for (department, level) in
        [("Groceries", 5.6), ("Electronics", 207.0), ("Shoes & Clothing", 58.0), ("Wine & Spirits", 61.0)]
    {
        let logs: Vec<f64> = of(department)
            .iter()
            .filter_map(|listing| listing.prices.first())
            .map(|price| (f64::from(price.cents) / 100.0).ln())
            .collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        between(&format!("level of {department}"), mean.exp() / level, 0.8, 1.2);
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64;
        between(&format!("spread of {department}"), variance.sqrt(), 0.75, 1.55);
    }
    let mut shelves: HashMap<&[String], Vec<f64>> = HashMap::new();
    for listing in all().iter().filter(|listing| !listing.prices.is_empty()) {
        shelves.entry(&listing.path).or_default().push(f64::from(listing.prices[0].cents).ln());
    }
    let spread = |logs: &Vec<f64>| {
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt()
    };
    let mut spreads: Vec<f64> = shelves.values().filter(|logs| logs.len() >= 100).map(spread).collect();
    between("spread of a shelf", quantile(&mut spreads, 0.5), 0.5, 0.62);
}

#[test]
fn endings_belong_to_the_retailer() {
    let endings = |listings: Vec<&Listing>, wanted: u32| {
        let prices: Vec<u32> =
            listings.iter().flat_map(|listing| &listing.prices).map(|price| price.cents % 100).collect();
        share(prices.iter().filter(|&&ending| ending == wanted).count(), prices.len())
    };
    let grocers = || at(&of("Groceries"), &GROCERS);
    between("groceries .99", endings(grocers(), 99), 0.30, 0.44);
    between("groceries .49", endings(grocers(), 49), 0.10, 0.18);
    between("groceries .00", endings(grocers(), 0), 0.04, 0.10);
    let shops = || at(&of("Electronics"), &ELECTRONICS);
    between("electronics .99", endings(shops(), 99), 0.50, 0.64);
    between("electronics .00", endings(shops(), 0), 0.12, 0.22);
    between("electronics .95", endings(shops(), 95), 0.05, 0.11);
}

#[test]
fn groceries_change_on_thursdays() {
    let grocers = at(&of("Groceries"), &GROCERS);
    let steps = steps(&grocers);
    let changed = |steps: &[&(i32, u32, u32)]| {
        share(steps.iter().filter(|(_, before, after)| before != after).count(), steps.len())
    };
    let (thursdays, others): (Vec<_>, Vec<_>) =
        steps.iter().partition(|(day, ..)| day.rem_euclid(7) == THURSDAY);
    between("changes a day", changed(&steps.iter().collect::<Vec<_>>()), 0.022, 0.040);
    between("changes on Thursdays", changed(&thursdays), 0.105, 0.17);
    between("changes on other days", changed(&others), 0.007, 0.02);
    between("size of a change", median_size(&grocers), 0.16, 0.22);
}

/// What a month is too short to tell: who never moves, and which changes return.
#[test]
fn groceries_over_four_months() {
    let folder = tempfile::tempdir().unwrap();
    let options = GenerateOptions { churn_pct: 0.0, ..options(8_000, 120, 2, folder.path()) };
    let all = catalog(&options);
    let groceries: Vec<&Listing> = all.iter().filter(|listing| listing.path[0] == "Groceries").collect();
    let grocers = at(&groceries, &GROCERS);
    let still = grocers
        .iter()
        .filter(|listing| listing.prices.iter().all(|price| price.cents == listing.prices[0].cents));
    between("never moved in four months", share(still.count(), grocers.len()), 0.35, 0.48);
    between("changes that return", returns(&grocers), 0.52, 0.68);
}

#[test]
fn electronics_follow_their_market() {
    let shops = at(&of("Electronics"), &ELECTRONICS);
    between("size of a change", median_size(&shops), 0.08, 0.13);
    between("changes that return", returns(&shops), 0.04, 0.25);
    let whole: Vec<_> = shops.iter().filter(|listing| listing.prices.len() == DAYS as usize).collect();
    let moved = whole
        .iter()
        .filter(|listing| listing.prices.iter().any(|price| price.cents != listing.prices[0].cents));
    between("moved in a month", share(moved.count(), whole.len()), 0.48, 0.68);
}

fn median_size(listings: &[&Listing]) -> f64 {
    let changes = steps(listings).into_iter().filter(|(_, before, after)| before != after);
    let mut sizes: Vec<f64> =
        changes.map(|(_, before, after)| (f64::from(after) / f64::from(before)).ln().abs()).collect();
    quantile(&mut sizes, 0.5)
}

/// Share of changes, the first of a listing left out, that lead back to the price before the last one.
fn returns(listings: &[&Listing]) -> f64 {
    let (mut back, mut all) = (0, 0);
    for listing in listings {
        let mut levels: Vec<u32> = listing.prices.iter().map(|price| price.cents).collect();
        levels.dedup();
        all += levels.len().saturating_sub(2);
        back += levels.windows(3).filter(|three| three[0] == three[2]).count();
    }
    share(back, all)
}

#[test]
fn promotions() {
    let mut by_chain: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut depths, mut lengths) = (Vec::new(), Vec::new());
    for listing in at(&of("Groceries"), &GROCERS) {
        let (on, all) = by_chain.entry(&listing.platform).or_default();
        *on += listing.prices.iter().filter(|price| price.is_promoted()).count();
        *all += listing.prices.len();
        for run in listing.prices.chunk_by(|a, b| a.is_promoted() == b.is_promoted()) {
            let inside = run[0].day > listing.prices[0].day
                && run.last().unwrap().day < listing.prices.last().unwrap().day;
            if run[0].is_promoted() && inside {
                lengths.push(run.len() as f64);
            }
            let list = run[0].list.filter(|&list| run[0].is_promoted() && list > run[0].cents);
            depths.extend(list.map(|list| 1.0 - f64::from(run[0].cents) / f64::from(list)));
        }
    }
    for (chain, (on, all)) in by_chain.into_iter().filter(|(_, (_, all))| *all > 3_000) {
        between(&format!("promoted at {chain}"), share(on, all), 0.04, 0.34);
    }
    between("days of a promotion", quantile(&mut lengths, 0.5), 7.0, 7.0);
    between("shallow promotions", quantile(&mut depths, 0.1), 0.06, 0.12);
    between("promotions", quantile(&mut depths, 0.5), 0.14, 0.20);
    between("deep promotions", quantile(&mut depths, 0.9), 0.29, 0.41);
}

/// Current prices of the new listings of each barcode in the US, with their retailers.
fn entities() -> Vec<Vec<&'static Listing>> {
    let mut entities: HashMap<u64, Vec<&Listing>> = HashMap::new();
    for listing in all().iter().filter(|listing| listing.country == "us" && !listing.prices.is_empty()) {
        if let Some(gtin) = listing.gtin {
            entities.entry(gtin).or_default().push(listing);
        }
    }
    entities.into_values().filter(|members| members.len() > 1).collect()
}

fn current(listing: &Listing) -> f64 {
    f64::from(listing.prices.last().unwrap().cents)
}

fn is_new(listing: &Listing) -> bool {
    let said = format!("{} {}", listing.condition, listing.name).to_lowercase();
    !["used", "refurbished", "pre-owned", "renewed"].iter().any(|word| said.contains(word))
}

#[test]
fn one_product_at_several_retailers() {
    let mut counts: Vec<f64> = entities().iter().map(|members| members.len() as f64).collect();
    between("retailers of a barcode", quantile(&mut counts, 0.5), 2.0, 4.0);
    between("many retailers of a barcode", quantile(&mut counts, 0.9), 7.0, 10.0);
    between("most retailers of a barcode", quantile(&mut counts, 1.0), 25.0, 48.0);
    let mut spreads = Vec::new();
    for members in entities() {
        let prices: Vec<f64> =
            members.iter().filter(|listing| is_new(listing)).map(|listing| current(listing)).collect();
        if prices.len() > 1 {
            let low = prices.iter().copied().fold(f64::INFINITY, f64::min);
            spreads.push(prices.iter().copied().fold(0.0, f64::max) / low);
        }
    }
    let ties = spreads.iter().filter(|&&spread| spread <= 1.0).count();
    between("exact ties", share(ties, spreads.len()), 0.09, 0.18);
    between("dearest over cheapest", quantile(&mut spreads, 0.5), 1.11, 1.22);
    between("dearest over cheapest, wide", quantile(&mut spreads, 0.9), 1.4, 1.8);
}

#[test]
fn barcodes_and_brands() {
    let mut by_retailer: HashMap<(&str, &str), (usize, usize)> = HashMap::new();
    for listing in all() {
        let (with, count) = by_retailer.entry((&listing.country, &listing.platform)).or_default();
        *with += usize::from(listing.gtin.is_some());
        *count += 1;
    }
    let mut shares: Vec<f64> = by_retailer
        .values()
        .filter(|(_, count)| *count >= 40)
        .map(|(with, count)| share(*with, *count))
        .collect();
    between("fewest barcodes of a retailer", quantile(&mut shares, 0.0), 0.0, 0.3);
    between("most barcodes of a retailer", quantile(&mut shares, 1.0), 0.85, 1.0);
    let missing = all().iter().filter(|listing| listing.gtin.is_none()).count();
    between("listings without a barcode", share(missing, all().len()), 0.25, 0.45);

    let mut spellings: HashMap<String, HashMap<&str, usize>> = HashMap::new();
    for listing in all() {
        if let Some(key) = brand_key(&listing.brand) {
            *spellings.entry(key).or_default().entry(&listing.brand).or_default() += 1;
        }
    }
    let (mut usual, mut branded) = (0, 0);
    for counts in spellings.values() {
        usual += counts.values().max().unwrap();
        branded += counts.values().sum::<usize>();
    }
    between("unusual spellings", 1.0 - share(usual, branded), 0.09, 0.16);
    between("brands", share(branded, all().len()), 0.90, 0.98);
}

#[test]
fn listings_come_and_go() {
    let last = 20_757;
    let left =
        all().iter().filter(|listing| listing.prices.last().is_none_or(|price| price.day < last - 1)).count();
    let came = all()
        .iter()
        .filter(|listing| listing.prices.first().is_none_or(|price| price.day > last - 28))
        .count();
    between("left in a month", share(left, all().len()), 0.055, 0.09);
    between("came in a month", share(came, all().len()), 0.055, 0.09);
    let told = || all().iter().flat_map(|listing| &listing.prices).filter_map(|price| price.in_stock);
    between("out of stock", share(told().filter(|stock| !stock).count(), told().count()), 0.012, 0.028);
}

#[test]
fn used_goods_are_cheaper() {
    for (word, low, high) in [("used", 0.66, 0.82), ("renewed", 0.64, 0.80)] {
        let words = if word == "used" { ["used", "pre-owned"] } else { ["refurbished", "renewed"] };
        let is = |listing: &Listing| {
            let said = format!("{} {}", listing.condition, listing.name).to_lowercase();
            words.iter().any(|word| said.contains(word))
        };
        let mut ratios = Vec::new();
        for members in entities() {
            let mut new: Vec<f64> =
                members.iter().filter(|one| is_new(one)).map(|one| current(one)).collect();
            if !new.is_empty() {
                let median = quantile(&mut new, 0.5);
                ratios.extend(members.iter().filter(|one| is(one)).map(|one| current(one) / median));
            }
        }
        between(word, quantile(&mut ratios, 0.5), low, high);
    }
}
