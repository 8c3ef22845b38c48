//! Each statistic alone, by rows, with the bytes that it must touch: criterion then prints GB/s.
//!
//! The yardstick is `stream`, measured in the same run: a sum over and a copy of slices of the same sizes, which is as
//! fast as this machine's memory lets anybody read and write. A kernel far below it is bound by its arithmetic or by
//! its branches, one near it by memory. The loops over columns run over a snapshot: that of
//! `PRICEBOOK_BENCH_SNAPSHOT`, else the test catalog. Prices are drawn from a fixed seed: log-normal, and most of them
//! unmoved between two periods, as real ones are.

mod common;

use std::hint::black_box;
use std::ops::Range;

use common::catalog;
use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use pricebook::analytics::category_scope::CategoryScope;
use pricebook::analytics::new_prices::NewPrices;
use pricebook::analytics::promotions::{self, PromoTally};
use pricebook::analytics::scope::Scope;
use pricebook::analytics::{basket, panel};
use pricebook::catalog::Catalog;
use pricebook::query::page;
use pricebook::snapshot::layout::{PROMO, depth};
use pricebook::stats::bands::{Spread, tier_edges, tier_of};
use pricebook::stats::cross_section::{CrossSection, matched, price};
use pricebook::stats::exact::{self, Fraction};
use pricebook::stats::jevons::Jevons;
use pricebook::stats::like_for_like::like_for_like;
use pricebook::stats::mean_of_ratios::MeanOfRatios;
use pricebook::stats::quantile::quantile_mut;
use pricebook::stats::rng::Rng;
use pricebook::types::{Country, Day, Granularity, Preset, Window, WindowArgs};

/// Rows of the kernels on slices.
const ROWS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Days of the windows of the loops over columns.
const WINDOW_DAYS: i32 = 60;
/// Rows of a page.
const PAGE: usize = 20;
/// Share of products whose price did not move, in percent.
const UNMOVED_PCT: usize = 60;
/// Groups that products are counted by: brands of a shelf.
const GROUPS: usize = 500;
const SEED: u64 = 1;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Prices in cents, log-normal: about the sum of twelve uniform numbers, exponentiated.
fn cents(rows: usize, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    let mut normal = || (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
    (0..rows).map(|_| (2_000.0 * (0.8 * normal()).exp()).round().max(1.0) as u32).collect()
}

/// Mean prices of products in two periods of up to 30 days.
fn pairs(rows: usize) -> Vec<(Fraction, Fraction)> {
    let mut rng = Rng::new(SEED);
    let pair = |price: u32| {
        let (first, last) = (1 + rng.below(30) as u32, 1 + rng.below(30) as u32);
        let moved = if rng.chance(UNMOVED_PCT) { 1.0 } else { 0.8 + 0.4 * rng.unit() };
        let later = (f64::from(price) * moved).round().max(1.0) as u64;
        ((u64::from(price) * u64::from(first), first), (later * u64::from(last), last))
    };
    cents(rows, SEED).into_iter().map(pair).collect()
}

/// Prices and days of a period.
type Section = (Vec<f64>, Vec<u8>);

/// Products in two periods, in each of which nine in ten are priced.
fn two_periods(rows: usize) -> [Section; 2] {
    let mut rng = Rng::new(SEED);
    let mut periods = [Section::default(), Section::default()];
    for (first, last) in pairs(rows) {
        for (period, (sum, days)) in periods.iter_mut().zip([first, last]) {
            let days = if rng.chance(90) { days as u8 } else { 0 };
            period.0.push(if days > 0 { price(sum, days) } else { 0.0 });
            period.1.push(days);
        }
    }
    periods
}

/// Measures a kernel that reads, and says how many bytes it must touch.
fn reads<T>(group: &mut Group<'_>, name: &str, rows: usize, bytes: usize, kernel: impl Fn() -> T) {
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function(BenchmarkId::new(name, rows), |bencher| bencher.iter(|| black_box(kernel())));
}

/// Measures a kernel that reorders its input, on a fresh copy each time.
fn reorders<I: Clone, T>(
    group: &mut Group<'_>,
    name: &str,
    rows: usize,
    input: &[I],
    kernel: impl Fn(&mut [I]) -> T,
) {
    group.throughput(Throughput::Bytes(size_of_val(input) as u64));
    group.bench_function(BenchmarkId::new(name, rows), |bencher| {
        bencher.iter_batched_ref(|| input.to_vec(), |input| black_box(kernel(input)), BatchSize::LargeInput);
    });
}

/// The yardstick: what memory gives. The largest slices lie far outside every cache.
fn stream(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stream");
    for rows in ROWS.into_iter().chain([32_000_000]) {
        let narrow = cents(rows.min(1_000_000), SEED).repeat(rows.div_ceil(1_000_000));
        let wide: Vec<u64> = narrow.iter().map(|&price| price.into()).collect();
        reads(&mut group, "sum u32", rows, size_of_val(narrow.as_slice()), || {
            narrow.iter().map(|&price| u64::from(price)).sum::<u64>()
        });
        reads(&mut group, "sum u64", rows, size_of_val(wide.as_slice()), || wide.iter().sum::<u64>());
        let mut copy = vec![0; narrow.len()];
        // Read once and written once.
        group.throughput(Throughput::Bytes(2 * size_of_val(narrow.as_slice()) as u64));
        group.bench_function(BenchmarkId::new("copy u32", rows), |bencher| {
            bencher.iter(|| black_box(&mut copy).copy_from_slice(black_box(&narrow)));
        });
    }
    group.finish();
}

/// Means, medians and quantiles.
fn levels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("levels");
    for rows in ROWS {
        let prices = cents(rows, SEED);
        let bytes = size_of_val(prices.as_slice());
        reads(&mut group, "mean of cents", rows, bytes, || exact::mean_of_cents(&prices));
        reorders(&mut group, "median of cents", rows, &prices, exact::median_of_cents);
        let logs: Vec<f64> = prices.iter().map(|&price| f64::from(price).ln()).collect();
        reorders(&mut group, "five quantiles", rows, &logs, |logs| {
            [0.05, 0.25, 0.5, 0.75, 0.95].map(|p| quantile_mut(logs, p))
        });
    }
    group.finish();
}

/// The spread of a shelf whose prices ascend: a few order statistics, then a count per tier.
fn spread(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spread");
    for rows in ROWS {
        let mut prices = cents(rows, SEED);
        prices.sort_unstable();
        let bytes = size_of_val(prices.as_slice());
        reads(&mut group, "log bands", rows, bytes, || Spread::of_sorted(&prices));
        let boundaries = Spread::of_sorted(&prices).map_or([0.0; 4], |spread| spread.tiers);
        let edges = tier_edges(&prices, &boundaries);
        reads(&mut group, "count per tier", rows, bytes, || {
            let mut counts = [0_u32; 5];
            for &price in &prices {
                counts[tier_of(&edges, price)] += 1;
            }
            counts
        });
    }
    group.finish();
}

/// Change between two periods.
fn change(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("change");
    for rows in ROWS {
        let pairs = pairs(rows);
        let bytes = size_of_val(pairs.as_slice());
        reads(&mut group, "like for like", rows, bytes, || like_for_like(pairs.iter().copied()));
        let [first, last] = two_periods(rows);
        let section =
            |(prices, days): &'_ Section| size_of_val(prices.as_slice()) + size_of_val(days.as_slice());
        let bytes = section(&first) + section(&last);
        let [earlier, later] = [&first, &last].map(|(prices, days)| CrossSection { prices, days });
        reads(&mut group, "level of a period", rows, section(&first), || earlier.level());
        reads(&mut group, "jevons", rows, bytes, || Jevons::between(&first.0, &last.0).index());
        reads(&mut group, "match and like for like", rows, bytes, || like_for_like(matched(earlier, later)));
    }
    group.finish();
}

/// Counting: promotions, depths, products by group.
fn counting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("counting");
    for rows in ROWS {
        let prices = cents(rows, SEED);
        let mut rng = Rng::new(SEED);
        // What a promotion looks like: a list price above the price; now and then one that nobody believes.
        let list = |&price: &u32| match rng.below(100) {
            0..80 => 0,
            80..99 => price + price / 5,
            _ => price.saturating_mul(6),
        };
        let lists: Vec<u32> = prices.iter().map(list).collect();
        let flags: Vec<u8> = lists.iter().map(|&list| if list > 0 { PROMO } else { 0 }).collect();
        let depths: Vec<u64> = prices.iter().zip(&lists).map(|(&price, &list)| depth(price, list)).collect();
        reads(&mut group, "promo tally", rows, size_of_val(depths.as_slice()) + flags.len(), || {
            let mut tally = PromoTally::default();
            for (&depth, &flags) in depths.iter().zip(&flags) {
                tally.add_spell(1, flags, depth);
            }
            tally
        });
        let bytes = size_of_val(prices.as_slice()) + size_of_val(lists.as_slice());
        reads(&mut group, "mean of ratios", rows, bytes, || {
            let mut mean = MeanOfRatios::default();
            for (&price, &list) in prices.iter().zip(&lists).filter(|&(price, list)| list > price) {
                mean.add(list - price, list);
            }
            mean
        });
        let groups: Vec<u32> = prices.iter().map(|_| rng.zipf(GROUPS) as u32).collect();
        reads(&mut group, "count by group", rows, size_of_val(groups.as_slice()), || {
            let mut counts = vec![0_u32; GROUPS];
            for &group in &groups {
                counts[group as usize] += 1;
            }
            counts
        });
    }
    group.finish();
}

/// A shelf of the snapshot with what is in it.
struct Shop {
    scope: Scope,
    rows: Vec<u32>,
    observations: usize,
    spells: usize,
}

/// The country with more listings.
fn fuller(catalog: &Catalog) -> Country {
    let listings = |&country: &Country| catalog.country_rows(country).len();
    Country::ALL.into_iter().max_by_key(listings).unwrap_or(Country::Us)
}

/// The largest category of the fuller country, its fifth and its hundredth in size.
fn shops(catalog: &Catalog, days: &Range<Day>) -> Vec<Shop> {
    let country = fuller(catalog);
    let size = |node: u32| catalog.taxonomy.rows(country, node).len();
    let mut nodes: Vec<u32> =
        (0..catalog.taxonomy.nodes().len() as u32).filter(|&node| size(node) > 0).collect();
    nodes.sort_by_key(|&node| std::cmp::Reverse(size(node)));
    let wanted = nodes.first().map_or(0, |&node| size(node));
    let at_most = |part: usize| nodes.iter().copied().find(|&node| size(node) * part <= wanted);
    let mut chosen: Vec<u32> = [1, 5, 100].into_iter().filter_map(at_most).collect();
    chosen.dedup();
    let window = catalog.day_number(days.start)..catalog.day_number(days.end);
    let shop = |node: u32| {
        let scope = Scope { country, category_scope: CategoryScope::Category(node), retailer: None };
        let rows = scope.rows(catalog);
        let observations = rows.iter().map(|&row| catalog.spells_within(row, &window).len() as usize).sum();
        let spells = rows.iter().map(|&row| catalog.spells.of(row).len()).sum();
        Shop { scope, rows, observations, spells }
    };
    chosen.into_iter().map(shop).collect()
}

/// The loops over the columns of a snapshot. Days are two bytes, prices and list prices four, flags one.
fn columns(criterion: &mut Criterion) {
    let catalog = catalog();
    let mut group = criterion.benchmark_group("columns");
    let days = catalog.as_of().plus_days(-WINDOW_DAYS)..catalog.as_of();
    let spans = std::slice::from_ref(&days);
    let whole: Vec<u32> = catalog.country_rows(fuller(&catalog)).collect();
    let window = window_of(&catalog);
    // Nine or ten weeks of prices, days and bits; twice for the one that a period is compared with.
    reads(&mut group, "inflation report, whole country", whole.len(), whole.len() * 9 * 11, || {
        basket::report(&catalog, &whole, &window, Granularity::Weekly)
    });
    for Shop { scope, rows, observations, spells } in shops(&catalog, &days) {
        let (count, priced) = (rows.len(), scope.priced(&catalog).count());
        eprintln!("{count} listings, {priced} priced, {observations} observations in {WINDOW_DAYS} days");
        for granularity in [Granularity::Weekly, Granularity::Monthly] {
            let name = format!("panel, {}", granularity.as_str());
            reads(&mut group, &name, count, observations * 7, || {
                panel::panel(&catalog, &rows, spans, granularity).periods.len()
            });
        }
        reads(&mut group, "inflation report", count, observations * 7, || {
            basket::report(&catalog, &rows, &window, Granularity::Weekly)
        });
        // Prices and days of two weeks.
        let weeks = [days.start.plus_days(7), days.end.plus_days(-14)].map(Day::iso_week_monday);
        let weeks = weeks.map(|monday| monday..monday.plus_days(7));
        reads(&mut group, "like for like of two weeks", count, count * 10, || {
            let panel = panel::panel(&catalog, &rows, &weeks, Granularity::Weekly);
            let [first, last] = panel.periods.as_slice() else { return None };
            like_for_like(matched(first.section(), last.section())).change_pct
        });
        let numbers = promotions::day_numbers(&catalog, spans);
        let platform = &catalog.listings.platform;
        // Where its spells lie, its first day, its platform; of each spell its end, its flags and its depth.
        reads(&mut group, "promo by retailer", count, count * 8 + spells * 11, || {
            let of = |row: u32| u32::from(platform[row as usize]);
            promotions::by_group(&catalog, &rows, &numbers, catalog.platforms.len(), of).len()
        });
        // A row number, its condition and its price.
        reads(&mut group, "new prices", count, priced * 9, || {
            NewPrices::of(&catalog, &scope).cents(&catalog).len()
        });
        let page_bytes = PAGE * 8;
        for (name, descending, cursor) in [
            ("page, first", false, 0),
            ("page, middle", false, priced / 2),
            ("page, middle, descending", true, priced / 2),
        ] {
            reads(&mut group, name, count, page_bytes, || {
                page::by_price(&catalog, &scope, descending, cursor, PAGE)
            });
        }
        let retailer = scope.priced(&catalog).rows.first().map(|&row| platform[row as usize]);
        let narrow = Scope { retailer, ..scope };
        // Row numbers and platforms, up to the end of the page.
        reads(&mut group, "page, one retailer", count, priced * 6, || {
            page::by_price(&catalog, &narrow, false, 1_000, PAGE)
        });
    }
    group.finish();
}

/// The 60 days that the loops run over, as a request names them.
fn window_of(catalog: &Catalog) -> Window {
    let args = WindowArgs { time_window: Some(Preset::Last60Days), ..WindowArgs::default() };
    Window::resolve(args, catalog.as_of()).expect("a window")
}

criterion_group!(benches, stream, levels, spread, change, counting, columns);
criterion_main!(benches);
