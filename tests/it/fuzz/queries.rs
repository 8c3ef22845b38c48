//! Query strings and the texts in them, over every route and a small catalog.

use std::sync::{Arc, LazyLock};

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::query::endpoint::{Route, Stamp};
use pricebook::query::refusal::Refusal;
use pricebook::query::representation::Json;
use pricebook::query::suggest::complete;
use pricebook::types::Instant;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::crafted::build_small;
use crate::support::mutate::{almost, cases};

/// A refusal says a bounded number of things of bounded length, whatever was asked.
const REFUSAL_BYTES_MAX: usize = 64 << 10;
/// An answer over the small catalog, which has 36 listings and 27 days.
const ANSWER_BYTES_MAX: usize = 1 << 20;

static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(endpoints::routes);

static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| {
    // The mapped files outlive their folder.
    let out = tempfile::tempdir().unwrap();
    Arc::new(Catalog::open(&build_small(out.path())).unwrap())
});

/// Requests that name everything there is to name.
const NAMING: [&str; 14] = [
    "q=Bottle+1+of+alpha+750+ml&country=us&limit=3",
    "q=00011115001554&country=ca",
    "q=bottle%20acme&brand=Acme&category=Food%20%3E%20Drinks%20%3E%20Wine",
    "category=food/drinks/wine&country=us&retailer=alpha&limit=50&offset=10",
    "category=booze&country=us&time_window=last_30_days",
    "category=Food%20%26%20Drinks&department=home&condition=any",
    "node=10000275&country=us&currency=usd",
    "code=10000275,10000276&language=en",
    "phrases=red+wine|sparkling&limit=2",
    "brand=Birch&country=ca&from=2026-10-01&to=2026-10-27T00:00:00Z&granularity=week",
    "uid=0123456789abcdef&lookback_days=400&threshold_price=12.99",
    "prefix=ac&platform=beta&quality_status=serving&category_root=food",
    "country=us&quote=true",
    "",
];

fn samples() -> Vec<Vec<u8>> {
    let examples = ROUTES.iter().flat_map(|route| route.examples.iter());
    examples.chain(&NAMING).map(|query| query.as_bytes().to_vec()).collect()
}

/// Parses, resolves and computes, and holds what comes of it against what every request may expect.
fn ask(route: &Route, query: &str) {
    let parsed = match route.parse(query, CATALOG.as_of()) {
        Ok(parsed) => parsed,
        Err(faults) => {
            assert!(!faults.is_empty(), "{query:?} is refused for nothing");
            let bytes = serde_json::to_vec(&faults).unwrap().len();
            assert!(bytes <= REFUSAL_BYTES_MAX + 8 * query.len(), "a refusal of {bytes} bytes");
            return;
        }
    };
    let canonical = parsed.canonical_query.clone();
    let again = route.parse(&canonical, CATALOG.as_of()).map(|parsed| parsed.canonical_query);
    assert_eq!(again.as_ref(), Ok(&canonical), "of {query:?}");
    match parsed.resolve(&CATALOG) {
        Ok(work) => {
            let _ = work.subject();
            let stamp = Stamp { computed_at: Instant::from_micros(0), freshness_seconds: 0 };
            let body = work.run(stamp, &Json).unwrap();
            assert!(body.len() <= ANSWER_BYTES_MAX, "an answer of {} bytes", body.len());
            let _: serde_json::Value = serde_json::from_slice(&body).unwrap();
        }
        Err(refusal) => {
            if let Refusal::NoResults { details, .. } = complete(refusal, &CATALOG) {
                let bytes = serde_json::to_vec(&details).unwrap().len();
                assert!(bytes <= REFUSAL_BYTES_MAX + 8 * query.len(), "a refusal of {bytes} bytes");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn a_query_is_refused_or_answered(query in almost(samples()), route: Index) {
        // What comes over the wire is what a URI may hold; the reader takes any text.
        ask(route.get(&ROUTES), &String::from_utf8_lossy(&query));
    }

    #[test]
    fn a_text_names_something_or_nothing(
        text in prop_oneof![almost(vec![
            b"Bottle 1 of alpha 750 ml".to_vec(), b"food > drinks > wine".to_vec(), "cr\u{e8}me br\u{fb}l\u{e9}e 2x500g".into(),
            b"acme".to_vec(), b"00011115001554".to_vec(), b"10000275".to_vec(), b"6 x 0,33 l (pack of 4) 12-pack".to_vec(),
        ]), ".{0,60}".prop_map(String::into_bytes)],
        place in 0..6_usize, ca: bool,
    ) {
        let name = ["q", "category", "brand", "node", "phrases", "prefix"][place];
        let value = percent_encoding::percent_encode(&text, percent_encoding::NON_ALPHANUMERIC);
        let country = if ca { "ca" } else { "us" };
        let query = format!("{name}={value}&country={country}");
        ROUTES.iter().for_each(|route| ask(route, &query));
    }
}
