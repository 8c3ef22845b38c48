//! How much a catalog holds of a country, against sets of what its listings say one by one.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle;
use crate::support::asking::{build, fixture_input};
use pricebook::catalog::{Catalog, CountryStats};
use pricebook::types::Country;

/// The same, listing by listing and day by day.
fn counted(catalog: &Catalog, country: Country) -> CountryStats {
    let mut census = CountryStats::default();
    let (mut retailers, mut brands, mut slugs) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut sellers: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    let mut days = BTreeSet::new();
    let all = (0..catalog.listings.country.len() as u32).map(|row| (row, catalog.listing(row)));
    for (row, listing) in all.filter(|(_, listing)| listing.country() == country) {
        census.listings += 1;
        census.priced += u32::from(listing.is_priced());
        census.barcoded += u32::from(listing.gtin().is_some());
        retailers.insert(listing.retailer());
        brands.extend(listing.brand());
        let priced_at = sellers.entry(listing.entity()).or_default();
        priced_at.extend(listing.is_priced().then(|| listing.retailer()));
        let slug = catalog.taxonomy.node(listing.category()).slug.as_str();
        slugs.extend(slug.match_indices('/').map(|(at, _)| &slug[..at]).chain([slug]));
        catalog.all_spells(row).each_day(|_, day| {
            census.observations += 1;
            days.insert(day);
        });
    }
    let across = |least: usize| sellers.values().filter(|priced_at| priced_at.len() >= least).count() as u32;
    census.entities = across(0);
    census.priced_entities = across(1);
    census.cross_retailer_entities = across(2);
    census.retailers = retailers.len() as u32;
    census.brands = brands.len() as u32;
    census.categories = slugs.len() as u32;
    census.roots = slugs.iter().filter(|slug| !slug.contains('/')).count() as u32;
    census.observed =
        days.first().zip(days.last()).map(|(&first, &last)| (catalog.day(first), catalog.day(last)));
    census
}

#[test]
fn a_census_is_what_its_listings_say() {
    let out = tempfile::tempdir().unwrap();
    let mut catalogs = vec![build(&[fixture_input()], out.path())];
    for seed in 60..66 {
        let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        oracle::write_input(input.path(), seed);
        catalogs.push(build(&[input.path().to_owned()], out.path()));
    }
    let mut across = 0;
    for catalog in &catalogs {
        for country in Country::ALL {
            let census = *catalog.country_stats(country);
            assert_eq!(census, counted(catalog, country), "{} {}", catalog.id(), country.as_str());
            assert_eq!(census, *catalog.country_stats(country), "it stays");
            across += census.cross_retailer_entities;
        }
    }
    assert!(across > 10, "{across} products are sold by several retailers");
}
