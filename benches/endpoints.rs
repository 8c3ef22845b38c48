//! Each route in process: resolve, run and encode one request.
//!
//! Over the test catalog by default; `PRICEBOOK_BENCH_SNAPSHOT` names a snapshot, or `PRICEBOOK_BENCH_INPUT` input
//! folders, separated by `:`, which are built into one. Requests come from the sampler of the load generator: of every route
//! one about the largest category (`largest`; whole, over 90 days) where it is about a category, and a fixed draw of
//! typical ones (`typical`), answered in turn. Beside them stand the requests that the speed targets name (`named`), and one
//! page of fifty rows in each form (`form`).

mod common;

use std::hint::black_box;
use std::sync::Arc;

use common::catalog;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use pricebook::bench::sample::Sampler;
use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::query::endpoint::{Route, Stamp};
use pricebook::query::representation::{self, Json, Representation};
use pricebook::stats::rng::Rng;
use pricebook::types::{Country, Instant};

/// Seed of the requests: the same as that of `pricebook bench`.
const SEED: u64 = 1;
/// Typical requests of a route, and draws after which fewer must do.
const TYPICAL: usize = 200;
const DRAWS_MAX: usize = 2_000;

/// Everything between the parsed head and the bytes of the body; nothing where it is not answered with 200.
fn answer(route: &Route, query: &str, catalog: &Arc<Catalog>) -> Option<Vec<u8>> {
    answer_as(route, query, catalog, &Json)
}

/// [`answer`] in a form.
fn answer_as(
    route: &Route,
    query: &str,
    catalog: &Arc<Catalog>,
    form: &dyn Representation,
) -> Option<Vec<u8>> {
    let stamp = Stamp { computed_at: Instant::from_micros(0), freshness_seconds: 0 };
    let parsed = route.parse(query, catalog.as_of()).ok()?;
    parsed.resolve(catalog).ok()?.run(stamp, form).ok()
}

/// Measures one page of fifty rows in each form.
fn forms(group: &mut BenchmarkGroup<'_, WallTime>, routes: &[Route], catalog: &Arc<Catalog>) {
    let path = "/v1/marketing/competitive-landscape";
    let Some(route) = routes.iter().find(|route| route.path == path) else { return };
    let country = Country::ALL.into_iter().max_by_key(|&country| catalog.country_rows(country).len());
    let country = country.unwrap_or(Country::Us);
    let Some(node) = largest(catalog, country, |_| true) else { return };
    let category = &catalog.taxonomy.node(node).slug;
    let query = format!("category={category}&country={}&limit=50", country.as_str());
    for form in representation::ALL {
        let label = format!("form/{}", form.media_type());
        let Some(bytes) = answer_as(route, &query, catalog, form).map(|body| body.len()) else { continue };
        eprintln!("{label}: {} ({bytes} bytes)", route.request(&query));
        group.bench_function(label, |bencher| {
            bencher.iter(|| black_box(answer_as(route, &query, catalog, form)));
        });
    }
}

/// Measures queries of a route, one after the other, round and round.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    label: &str,
    route: &Route,
    queries: &[String],
    catalog: &Arc<Catalog>,
) {
    let Some(bytes) = queries.first().and_then(|query| answer(route, query, catalog)).map(|body| body.len())
    else {
        eprintln!("{label}: SKIPPED, nothing that {} answers with 200", route.path);
        return;
    };
    let first = route.request(&queries[0]);
    eprintln!("{label}: {} requests, the first {first} ({bytes} bytes)", queries.len());
    let mut round = queries.iter().cycle();
    group.bench_function(label, |bencher| {
        bencher.iter(|| black_box(answer(route, round.next().unwrap_or(&queries[0]), catalog)));
    });
}

/// The largest of some categories in a country.
fn largest(catalog: &Catalog, country: Country, takes: impl Fn(u32) -> bool) -> Option<u32> {
    let size = |&node: &u32| catalog.taxonomy.priced_rows(country, node).len();
    let nodes = 0..catalog.taxonomy.nodes().len() as u32;
    nodes.filter(|node| size(node) > 0 && takes(*node)).max_by_key(size)
}

/// Requests that a speed target names: about the shelf of `PRICEBOOK_BENCH_CATEGORY`, else the largest that has no
/// further ones below it, and about the largest root, in the fuller country.
fn named(catalog: &Catalog) -> Vec<(String, &'static str, String)> {
    let country = Country::ALL.into_iter().max_by_key(|&country| catalog.country_rows(country).len());
    let country = country.unwrap_or(Country::Us);
    let taxonomy = &catalog.taxonomy;
    let leaf = |node: u32| taxonomy.children(country, Some(node)).next().is_none();
    let shelf = match std::env::var("PRICEBOOK_BENCH_CATEGORY") {
        Ok(slug) => Some(taxonomy.by_slug(&slug).expect("a slug of the snapshot")),
        Err(_) => largest(catalog, country, leaf),
    };
    let root = largest(catalog, country, |node| taxonomy.node(node).depth == 1);
    let of =
        |(kind, node): (&str, Option<u32>)| node.map(|node| requests_about(catalog, country, kind, node));
    [("shelf", shelf), ("root", root)].into_iter().filter_map(of).flatten().collect()
}

/// Short lists and the longest that one request may hold, from the middle of the largest category's prices; and the
/// brand with most priced listings.
fn lists(catalog: &Catalog) -> Vec<(String, &'static str, String)> {
    let country = Country::ALL.into_iter().max_by_key(|&country| catalog.country_rows(country).len());
    let country = country.unwrap_or(Country::Us);
    let Some(node) = largest(catalog, country, |_| true) else { return Vec::new() };
    let rows = catalog.taxonomy.priced_rows(country, node);
    let middle = rows.iter().skip(rows.len() / 2);
    let mut uids: Vec<String> = Vec::with_capacity(100);
    for &row in middle {
        let uid = catalog.listing(row).entity_uid().to_string();
        if uids.len() < uids.capacity() && !uids.contains(&uid) {
            uids.push(uid);
        }
    }
    let in_country = format!("&country={}", country.as_str());
    let of = |count: usize| uids[..count.min(uids.len())].join(",") + &in_country;
    let mut lists = vec![
        ("list: best-prices, 10".to_owned(), "/v1/shopper/best-prices", format!("entity_uid={}", of(10))),
        ("list: best-prices, 100".to_owned(), "/v1/shopper/best-prices", format!("entity_uid={}", of(100))),
        ("list: basket, 10".to_owned(), "/v1/shopper/basket", format!("items={}", of(10))),
        ("list: basket, 50".to_owned(), "/v1/shopper/basket", format!("items={}", of(50))),
    ];
    let brand = catalog.brands.iter().max_by_key(|brand| brand.priced[country.as_u8() as usize]);
    if let Some(brand) = brand.filter(|brand| brand.label.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
        let query = format!("brand={}{in_country}", brand.label);
        lists.push(("brand: brand-breakdown".to_owned(), "/v1/marketing/brand-breakdown", query));
    }
    lists
}

/// The requests about one category.
fn requests_about(
    catalog: &Catalog,
    country: Country,
    kind: &str,
    node: u32,
) -> Vec<(String, &'static str, String)> {
    let rows = catalog.taxonomy.priced_rows(country, node);
    let middle = rows.len() / 2;
    let retailer = catalog.listing(rows[middle]).retailer();
    let about = format!("={}&country={}", catalog.taxonomy.node(node).slug, country.as_str());
    let days = "&time_window=last_60_days";
    let (page, index) = ("/v1/marketing/competitive-landscape", "/v1/analyst/retailer-index");
    let promo = "/v1/marketing/promo-intelligence";
    let assortment = "/v1/marketing/retailer-assortment";
    [
        ("page, first", page, String::new()),
        ("page, offset 1000", page, "&cursor=1000".to_owned()),
        ("page, middle", page, format!("&cursor={middle}")),
        ("page, middle, descending", page, format!("&cursor={middle}&sort=price_desc")),
        ("page, one retailer", page, format!("&retailer={retailer}")),
        ("page, one retailer, offset 1000", page, format!("&retailer={retailer}&cursor=1000")),
        ("inflation, 60 days", "/v1/analyst/inflation", days.to_owned()),
        ("promo by brand, 60 days", promo, days.to_owned()),
        ("promo by retailer, 60 days", promo, format!("{days}&aggregate_by=retailer")),
        ("retailer-index, 60 days", index, format!("&retailer={retailer}{days}")),
        ("price-bands", "/v1/analyst/price-bands", String::new()),
        ("price-dispersion", "/v1/analyst/price-dispersion", String::new()),
        ("share-of-shelf", "/v1/marketing/share-of-shelf", String::new()),
        ("category-summary, 60 days", "/v1/analyst/category-summary", days.to_owned()),
        ("concentration by brand", "/v1/analyst/category-concentration", String::new()),
        ("price-change-leaders", "/v1/analyst/price-change-leaders", String::new()),
        ("price-index, 180 days", "/v1/analyst/price-index", String::new()),
        ("price-index, 365 days", "/v1/analyst/price-index", "&lookback_days=365".to_owned()),
        ("price-positioning", "/v1/marketing/price-positioning", format!("&retailer={retailer}")),
        ("availability-index, 60 days", "/v1/marketing/availability-index", days.to_owned()),
        ("retailer-assortment, 60 days", assortment, format!("&retailer={retailer}{days}")),
    ]
    .into_iter()
    .map(|(label, path, rest)| {
        let parameter = if path.ends_with("/price-bands") { "node" } else { "category" };
        (format!("{kind}: {label}"), path, format!("{parameter}{about}{rest}"))
    })
    .collect()
}

fn endpoints(criterion: &mut Criterion) {
    let catalog = Arc::new(catalog());
    let routes = endpoints::routes();
    let counts = catalog.manifest().counts;
    eprintln!("{}: {} listings, {} observations", catalog.id(), counts.listings, counts.observations);
    let sampler = Sampler::new(&catalog, SEED).expect("a snapshot with prices");
    let answered = |route: &Route, query: &String| answer(route, query, &catalog).is_some();
    let mut group = criterion.benchmark_group("endpoints");
    for route in routes.iter().filter(|route| !route.examples.is_empty()) {
        let mut rng = Rng::new(SEED);
        if route.params.iter().any(|param| ["category", "node"].contains(&param.name)) {
            let largest = sampler.largest(route, &mut rng).expect("a known route");
            measure(&mut group, &format!("{}/largest", route.name()), route, &[largest], &catalog);
        }
        let draws = (0..DRAWS_MAX).map(|_| sampler.draw(route, &mut rng).expect("a known route"));
        let typical: Vec<String> = draws.filter(|query| answered(route, query)).take(TYPICAL).collect();
        measure(&mut group, &format!("{}/typical", route.name()), route, &typical, &catalog);
    }
    for (label, path, query) in named(&catalog).into_iter().chain(lists(&catalog)) {
        let Some(route) = routes.iter().find(|route| route.path == path) else { continue };
        measure(&mut group, &format!("named/{label}"), route, &[query], &catalog);
    }
    forms(&mut group, &routes, &catalog);
    group.finish();
}

criterion_group!(benches, endpoints);
criterion_main!(benches);
