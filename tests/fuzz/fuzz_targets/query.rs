//! A route, then a query string: parsed, or refused; its canonical form is its own.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pricebook::endpoints;
use pricebook::types::Day;
use pricebook::query::endpoint::Route;

static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(endpoints::routes);

fuzz_target!(|input: (u8, &str)| {
    let (route, query) = (&ROUTES[usize::from(input.0) % ROUTES.len()], input.1);
    let as_of = Day::from_ymd(2026, 11, 1).unwrap();
    if let Ok(parsed) = route.parse(query, as_of) {
        let again = route.parse(&parsed.canonical_query, as_of).ok().map(|again| again.canonical_query);
        assert_eq!(again, Some(parsed.canonical_query));
    }
});
