//! A product with very many listings: what is asked of each of them must not look at all the others.
//!
//! Nothing is timed. Where every listing looked at all of its product, this would take 10^9 steps in several places and
//! no runner would wait for it.

use std::fmt::Write as _;

use pricebook::catalog::Catalog;
use pricebook::index::run::{Options, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::{Arguments, Silent};
use pricebook::types::{Country, ProductUid};

use crate::support::asking::Service;

const PLATFORMS: u32 = 60;
const LISTINGS: u32 = 30_000;
const GTIN: &str = "036000291452";

/// Country, platform, id, price in cents and whether it was seen of late, of a listing.
fn listing(number: u32) -> (Country, String, String, u32, bool) {
    let country = Country::ALL[usize::from(!number.is_multiple_of(10))];
    let platform = format!("shop-{}", number * 7 % PLATFORMS);
    (country, platform, number.to_string(), 500 + number * 7_919 % 1_000, !number.is_multiple_of(3))
}

fn input() -> (String, String) {
    let mut listings = "country,platform,product_id,product_name,brand,gtin,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for number in 0..LISTINGS {
        let (country, platform, id, cents, recent) = listing(number);
        let key = format!("{country},{platform},{id}");
        let brand = ["Acme", "Birch"][(number % 2) as usize];
        writeln!(listings, "{key},Kettle v{number} 1 l,{brand},{GTIN},Kitchen > Kettles").unwrap();
        let day = if recent { "2026-10-31" } else { "2026-01-31" };
        writeln!(observations, "{key},{day},{}.{:02}", cents / 100, cents % 100).unwrap();
    }
    (listings, observations)
}

#[test]
fn thirty_thousand_listings_of_one_barcode_are_one_product() {
    let (input_dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (listings, observations) = input();
    std::fs::write(input_dir.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input_dir.path().join("observations.csv"), observations).unwrap();
    let options = Options {
        arguments: Arguments::folders([input_dir.path()]),
        out: out.path().to_owned(),
        max_rejects_pct: 0.0,
        linking: Linking::Off,
        ..Options::default()
    };
    let report = run(&options, &Silent).unwrap().report;
    assert_eq!(report.counts.entities, 1);
    assert_eq!(report.suspects.values().sum::<u64>(), 0, "prices, packs and names agree");
    let catalog = Catalog::open(&out.path().join(report.id)).unwrap();

    let mut cheapest = [None; Country::ALL.len()];
    for country in Country::ALL {
        let priced = (0..LISTINGS).map(listing).filter(|listing| listing.0 == country && listing.4);
        let key = |(_, platform, id, cents, _): (_, String, String, u32, bool)| {
            (cents, ProductUid::of(country, &platform, &id))
        };
        let best = priced.map(key).min().map(|(_, uid)| uid);
        let rows = catalog.country_rows(country);
        assert!(best.is_some() && rows.len() > 1_000);
        for row in rows {
            let listing = catalog.listing(row);
            assert!(listing.is_linked());
            let found = listing.cheapest().map(|row| catalog.listing(row).uid());
            assert_eq!(found, best, "row {row}");
        }
        cheapest[country.as_u8() as usize] = best;
    }
    let service = Service::new(catalog);
    let (status, body) = service.ask(&format!("/v1/shopper/best-price?q={GTIN}&country=us"));
    assert_eq!(status, 200, "{body}");
    let members = (0..LISTINGS).map(listing).filter(|listing| listing.0 == Country::Us).count();
    assert_eq!(body["member_count"], members, "{body}");
    let best = cheapest[Country::Us.as_u8() as usize].map(|uid| uid.to_string());
    assert_eq!(body["best_price"]["product_uid"].as_str(), best.as_deref());
}
