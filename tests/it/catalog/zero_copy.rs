//! An opened snapshot is read where it lies: columns point into the mapped files, and memory does not grow with
//! the number of observations.

use crate::support::snapshots;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use pricebook::catalog::Catalog;
use pricebook::index::normalized::{Canonical, GroupedObservations};

const LISTINGS: u32 = 2_000;
const FEW_DAYS: u32 = 20;
const MANY_DAYS: u32 = 1_000;
/// Most bytes that the larger snapshot may take more; its columns are 20 MB longer.
const GROWTH_BYTES_MAX: u64 = 2 << 20;
/// Tells a child process which snapshot to open.
const CHILD: &str = "PRICEBOOK_TEST_ZERO_COPY";

fn skipped() -> bool {
    let skip = !cfg!(target_os = "linux");
    if skip {
        eprintln!("SKIPPED: /proc is needed to see mappings");
    }
    skip
}

/// Listings that are observed on each of so many days but the second.
fn tables(days: u32) -> Canonical {
    let mut listings = "country,platform,product_id,product_name,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price,list_price\n".to_owned();
    for row in 0..LISTINGS {
        writeln!(listings, "us,shop,p{row:05},Thing {row},Things").unwrap();
        writeln!(observations, "us,shop,p{row:05},2022-01-01,{0}.00,{0}.50", 1 + row).unwrap();
    }
    let mut tables = snapshots::cleaned(&listings, &observations);
    // The first day again and again, at other prices.
    let each = || (0..LISTINGS).flat_map(|row| (0..days).map(move |day| (row, day)));
    let rows: Vec<u32> = each().map(|(row, _)| row).collect();
    let mut columns = tables.observations.columns.take(&rows);
    // Never on the second day, so that there are words of days.
    columns.day = each().map(|(_, day)| day as u16 + u16::from(day > 0)).collect();
    columns.price = each().map(|(row, day)| 100 + row + day % 9).collect();
    columns.list_price = each().map(|(row, day)| 120 + row + day % 9).collect();
    columns.flags.fill(0);
    tables.observations =
        GroupedObservations { offsets: (0..=LISTINGS).map(|row| row * days).collect(), columns };
    tables.names.last_day = tables.names.first_day.plus_days(days as i32);
    tables.listings.latest_instant.fill(tables.names.last_day.start().micros());
    tables
}

/// Addresses at which a file is mapped into this process.
fn mappings(file: &Path) -> Vec<Range<usize>> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let name = fs::canonicalize(file).unwrap().display().to_string();
    let lines = maps.lines().filter(|line| line.ends_with(&name));
    let address = |text: &str| usize::from_str_radix(text, 16).unwrap();
    lines
        .map(|line| line.split(' ').next().unwrap().split_once('-').unwrap())
        .map(|(from, to)| address(from)..address(to))
        .collect()
}

fn assert_mapped<T>(values: &[T], inside: &[Range<usize>], name: &str) {
    let Range { start, end } = values.as_ptr_range();
    let held = inside.iter().any(|range| range.start <= start as usize && end as usize <= range.end);
    assert!(held && !values.is_empty(), "{name} is not in the mapped file");
}

/// Every column named, as a slice and as a column of the frame, is one and the same memory in the mapped file; no
/// column of the frame is left out.
macro_rules! assert_columns {
    ($table:expr, $inside:expr, $($column:ident: $kind:ident,)*) => {
        let (table, inside) = ($table, $inside);
        let frame = table.frame().unwrap();
        let mut count = 0;
        $(
            let slice = table.$column.as_slice();
            assert_mapped(slice, &inside, stringify!($column));
            let column = frame.column(stringify!($column)).unwrap();
            let chunked = column.as_materialized_series().$kind().unwrap();
            let chunks: Vec<_> = chunked.downcast_iter().collect();
            assert_eq!(chunks.len(), 1, "{} is one chunk", stringify!($column));
            let values = chunks[0].values().as_slice();
            assert!(std::ptr::eq(values, slice), "the frame copies {}", stringify!($column));
            count += 1;
        )*
        assert_eq!(frame.width(), count, "every column is looked at");
    };
}

#[test]
fn numeric_columns_lie_in_the_mapped_files() {
    if skipped() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let snapshot = snapshots::publish_tables(out.path(), "few", &tables(FEW_DAYS));
    let catalog = Catalog::open(&snapshot).unwrap();
    let inside = mappings(&snapshot.join("listings.cols"));
    assert!(!inside.is_empty(), "the file is not mapped");
    assert_columns!(&catalog.listings, inside,
        country: u8, platform: u16, category: u32, brand: u32, condition: u8, product_uid: u64, entity: u32,
        gtin: u64, brick: u32, brick_mapping: u8, rating: f64, review_count: u32,
        priced: u8, current_day: u16, current_price: u32,
        current_list_price: u32, current_flags: u8, latest_instant: i64,
    );
    let inside = mappings(&snapshot.join("spells.cols"));
    let spells = &catalog.spells;
    assert_mapped(spells.offsets.as_slice(), &inside, "offsets");
    assert_mapped(spells.first_day.as_slice(), &inside, "first_day");
    assert_mapped(spells.end.as_slice(), &inside, "end");
    assert_mapped(spells.price.as_slice(), &inside, "price");
    assert_mapped(spells.list_price.as_slice(), &inside, "list_price");
    assert_mapped(spells.flags.as_slice(), &inside, "flags");
    assert_mapped(spells.depth.as_slice(), &inside, "depth");
    assert_mapped(spells.day_offsets.as_slice(), &inside, "day_offsets");
    assert_mapped(spells.days.as_slice(), &inside, "days");
}

#[test]
fn memory_does_not_grow_with_observations() {
    if skipped() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let few = measured(&snapshots::publish_tables(out.path(), "few", &tables(FEW_DAYS)));
    let many = measured(&snapshots::publish_tables(out.path(), "many", &tables(MANY_DAYS)));
    assert!(few > 0 && many <= few + GROWTH_BYTES_MAX, "{few} bytes of memory grow to {many}");
}

/// Anonymous memory of a fresh process that has opened a snapshot and read all of it.
fn measured(snapshot: &Path) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "catalog::zero_copy::child_opens_a_snapshot", "--nocapture"]).env(CHILD, snapshot);
    let output = String::from_utf8(child.output().unwrap().stdout).unwrap();
    let line =
        output.lines().find_map(|line| line.split_once("anonymous KiB: ")).expect("the child's answer");
    line.1.trim().parse::<u64>().unwrap() * 1024
}

/// Does nothing but in the child process of [`measured`].
#[test]
fn child_opens_a_snapshot() {
    let Some(snapshot) = std::env::var_os(CHILD) else { return };
    let catalog = Catalog::open(Path::new(&snapshot)).unwrap();
    let listings = catalog.listings.frame().unwrap();
    let spells = &catalog.spells;
    let prices: u64 =
        spells.price.iter().chain(spells.list_price.iter()).map(|&price| u64::from(price)).sum();
    let others: u64 = spells
        .end
        .iter()
        .map(|&end| u64::from(end))
        .chain(spells.days.iter().map(|days| u64::from(days.count_ones())))
        .sum();
    let flags: u64 = spells.flags.iter().map(|&flags| u64::from(flags)).sum();
    assert!(prices > others && flags == 0 && spells.price.len() > listings.height());
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let anonymous = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    println!("anonymous KiB: {}", anonymous.trim().trim_end_matches(" kB"));
}
