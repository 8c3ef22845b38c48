//! Each route in process: resolve, run and encode one request.
//!
//! Over the demo by default; `PRICEBOOK_BENCH_INPUT` names other input folders, separated by `:`, which are built
//! into one snapshot. Requests are drawn from the snapshot, so that any catalog can be measured.

mod common;

use std::hint::black_box;
use std::sync::Arc;

use common::build;
use criterion::{Criterion, criterion_group, criterion_main};
use pricebook::api;
use pricebook::catalog::Catalog;
use pricebook::domain::{Country, Instant};
use pricebook::query::endpoint::{Route, Stamp};

/// Opens a fresh snapshot of the inputs.
fn catalog() -> Arc<Catalog> {
    let out = tempfile::tempdir().expect("a directory");
    Arc::new(Catalog::open(&build(out.path())).expect("a catalog"))
}

/// A request that is answered with 200, or nothing where the catalog has no such thing.
struct Request<'a> {
    route: &'a Route,
    query: String,
    catalog: &'a Arc<Catalog>,
}

impl Request<'_> {
    /// Everything between the parsed head and the bytes of the body.
    fn answer(&self) -> Option<Vec<u8>> {
        let stamp = Stamp { computed_at: Instant::from_micros(0), freshness_seconds: 0 };
        let parsed = self.route.parse(&self.query, self.catalog.as_of()).ok()?;
        parsed.resolve(self.catalog).ok()?.run(stamp).ok()
    }
}

/// Requests over the largest shelf and typical products of the fuller country.
fn queries(catalog: &Catalog) -> Vec<(&'static str, &'static str, String)> {
    let priced = |country: &Country| {
        catalog.country_rows(*country).filter(|&row| catalog.listing(row).is_priced()).count()
    };
    let country = Country::ALL.into_iter().max_by_key(priced).unwrap_or(Country::Us);
    let rows: Vec<u32> =
        catalog.country_rows(country).filter(|&row| catalog.listing(row).is_priced()).collect();
    let typical = catalog.listing(rows[rows.len() / 2]);
    let roots =
        (0..catalog.taxonomy.nodes().len() as u32).filter(|&node| catalog.taxonomy.node(node).depth == 1);
    let largest = roots.max_by_key(|&node| catalog.taxonomy.priced_rows(country, node).len()).unwrap_or(0);
    let (code, slug) = (country.as_str(), &catalog.taxonomy.node(largest).slug);
    let words: Vec<&str> = typical.name().split_whitespace().take(3).collect();
    let text: String = words.join("+").chars().filter(|c| c.is_ascii_alphanumeric() || *c == '+').collect();
    let uid = typical.uid();
    let retailer = typical.retailer();
    vec![
        ("best-price by uid", "/v1/shopper/best-price", format!("product_uid={uid}&country={code}")),
        ("best-price by text", "/v1/shopper/best-price", format!("q={text}&country={code}")),
        (
            "price-history",
            "/v1/shopper/price-history",
            format!("product_uid={uid}&country={code}&lookback_days=90"),
        ),
        ("price-drop-alert", "/v1/shopper/price-drop-alert", format!("product_uid={uid}&country={code}")),
        ("deal-finder", "/v1/shopper/deal-finder", format!("category={slug}&country={code}")),
        ("category page", "/v1/marketing/competitive-landscape", format!("category={slug}&country={code}")),
        (
            "category page, descending, one retailer",
            "/v1/marketing/competitive-landscape",
            format!("category={slug}&country={code}&retailer={retailer}&sort=price_desc"),
        ),
        (
            "promo-intelligence 90 days",
            "/v1/marketing/promo-intelligence",
            format!("category={slug}&country={code}&time_window=last_90_days"),
        ),
        ("share-of-shelf", "/v1/marketing/share-of-shelf", format!("category={slug}&country={code}")),
        ("inflation 30 days", "/v1/analyst/inflation", format!("category={slug}&country={code}")),
        (
            "inflation 90 days",
            "/v1/analyst/inflation",
            format!("category={slug}&country={code}&time_window=last_90_days"),
        ),
        (
            "retailer-index 90 days",
            "/v1/analyst/retailer-index",
            format!("retailer={retailer}&category={slug}&country={code}&time_window=last_90_days"),
        ),
        ("price-bands", "/v1/analyst/price-bands", format!("node={slug}&country={code}")),
        ("price-dispersion", "/v1/analyst/price-dispersion", format!("category={slug}&country={code}")),
        ("coverage", "/v1/public/coverage", String::new()),
    ]
}

fn endpoints(criterion: &mut Criterion) {
    let catalog = catalog();
    let routes = api::routes();
    let counts = catalog.manifest().counts;
    eprintln!("{}: {} listings, {} observations", catalog.id(), counts.listings, counts.observations);
    let mut group = criterion.benchmark_group("endpoints");
    for (name, path, query) in queries(&catalog) {
        let Some(route) = routes.iter().find(|route| route.path == path) else { continue };
        let request = Request { route, query, catalog: &catalog };
        let Some(body) = request.answer() else {
            eprintln!("{name}: SKIPPED, {path}?{} is not answered with 200", request.query);
            continue;
        };
        eprintln!("{name}: {path}?{} ({} bytes)", request.query, body.len());
        group.bench_function(name, |bencher| bencher.iter(|| black_box(request.answer())));
    }
    group.finish();
}

criterion_group!(benches, endpoints);
criterion_main!(benches);
