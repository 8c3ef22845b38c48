//! From input order to snapshot order.

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::listings::ListingTable;
use super::observations::{ObservationTable, day_of};
use super::{brands, categories};
use crate::build::Progress;
use crate::build::canonical::{Canonical, GroupedObservations, ListingColumns, Names};
use crate::build::report::InputReport;
use crate::snapshot::tables::ObservationColumns;

/// Rows of observations a worker reduces at a time, roughly.
const TASK_ROWS: u32 = 1 << 17;

/// The rows of observations grouped by listing: those of listing `i` are `rows[offsets[i]..offsets[i + 1]]`.
struct Groups {
    offsets: Vec<u32>,
    rows: Vec<u32>,
}

/// Orders and reduces everything.
pub(super) fn assemble(
    listings: ListingTable,
    raw: ObservationTable,
    report: &mut InputReport,
    progress: &dyn Progress,
) -> Result<Canonical> {
    let (texts, mut columns) = listings.into_parts();
    let paths = texts.paths.texts();
    let (categories, category_of_path) = categories::tree(paths, &count(&columns.category, paths.len()))?;
    let spellings = texts.brands.texts();
    let (brands, brand_of_spelling) = brands::fold(spellings, &count(&columns.brand, spellings.len()));
    let (platforms, platform_rank) = ranks(texts.platforms.texts())?;
    drop(texts);

    // Numbers of texts become places in what the texts were folded to.
    columns.category.iter_mut().for_each(|path| *path = category_of_path[*path as usize]);
    columns.brand.iter_mut().for_each(|spelling| *spelling = brand_of_spelling[*spelling as usize]);
    columns.platform.iter_mut().for_each(|number| *number = platform_rank[usize::from(*number)]);
    columns.latest_instant = (0..columns.country.len()).map(|row| raw.latest_instant(row)).collect();
    let order = order(&columns);
    let listings = columns.take(&order);
    progress.advance(order.len() as u64);

    let (first, last) = raw.span().context("no valid observation in the input")?;
    let rows = raw.len();
    let observations = reduce(raw, &order, first);
    progress.advance(rows as u64);
    let kept = observations.columns.day.len();
    report.repeated_days = (rows - kept) as u64;
    report.listings = order.len() as u64;
    report.observations = kept as u64;
    report.unobserved_listings =
        observations.offsets.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    report.platforms = platforms.len() as u64;
    report.brands = brands.len() as u64;
    report.categories = categories.len() as u64;
    let names = Names {
        first_day: day_of(first),
        last_day: day_of(last),
        platforms,
        brands,
        categories,
        aliases: vec![],
        category_bricks: vec![],
        classification: None,
    };
    Ok(Canonical { names, listings, observations })
}

/// How often each number below `numbers` occurs.
fn count(column: &[u32], numbers: usize) -> Vec<u64> {
    let mut counts = vec![0; numbers];
    for &number in column {
        counts[number as usize] += 1;
    }
    counts
}

/// The texts in order, and the place of each.
fn ranks(texts: &[String]) -> Result<(Vec<String>, Vec<u16>)> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_unstable_by_key(|&number| &texts[number]);
    let mut rank = vec![0; texts.len()];
    for (place, &number) in order.iter().enumerate() {
        rank[number] = u16::try_from(place).context("more than 65,536 platforms")?;
    }
    Ok((order.into_iter().map(|number| texts[number].clone()).collect(), rank))
}

/// The listings in snapshot order.
fn order(listings: &ListingColumns) -> Vec<u32> {
    let key = |row: u32| {
        let at = row as usize;
        let product_id = listings.product_id.get(at).as_bytes();
        (listings.country[at], listings.category[at], listings.platform[at], product_id)
    };
    let mut order: Vec<u32> = (0..listings.country.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
    order
}

/// Groups the rows by listing, in the order of the listings and within one in input order.
fn group(listing: &[u32], order: &[u32]) -> Groups {
    let mut place = vec![0_u32; order.len()];
    for (at, &number) in order.iter().enumerate() {
        place[number as usize] = at as u32;
    }
    let mut offsets = vec![0_u32; order.len() + 1];
    for &number in listing {
        offsets[place[number as usize] as usize + 1] += 1;
    }
    for at in 1..offsets.len() {
        offsets[at] += offsets[at - 1];
    }
    let mut next = offsets.clone();
    let mut rows = vec![0_u32; listing.len()];
    for (row, &number) in listing.iter().enumerate() {
        let slot = &mut next[place[number as usize] as usize];
        rows[*slot as usize] = row as u32;
        *slot += 1;
    }
    Groups { offsets, rows }
}

/// One observation per listing and day: the lowest price, of equal ones the first row.
fn reduce(raw: ObservationTable, order: &[u32], first: u16) -> GroupedObservations {
    let Groups { offsets, mut rows } = group(&raw.listing, order);
    let kept: Vec<Vec<u32>> = tasks(&offsets, &mut rows)
        .into_par_iter()
        .map(|(offsets, rows)| {
            let base = offsets[0];
            let ends = offsets.windows(2).map(|pair| (pair[0] - base) as usize..(pair[1] - base) as usize);
            ends.map(|range| keep_days(&raw.columns, &mut rows[range])).collect()
        })
        .collect();
    let mut ends = vec![0_u32];
    let mut chosen = Vec::with_capacity(rows.len());
    for (pair, &kept) in offsets.windows(2).zip(kept.iter().flatten()) {
        chosen.extend_from_slice(&rows[pair[0] as usize..(pair[0] + kept) as usize]);
        ends.push(chosen.len() as u32);
    }
    drop(rows);
    drop(offsets);
    let mut columns = raw.columns.take(&chosen);
    columns.day.par_iter_mut().for_each(|day| *day -= first);
    GroupedObservations { offsets: ends, columns }
}

/// Cuts listings and their rows into tasks of some size.
fn tasks<'a>(offsets: &'a [u32], mut rows: &'a mut [u32]) -> Vec<(&'a [u32], &'a mut [u32])> {
    let (mut tasks, mut from) = (Vec::new(), 0);
    for to in 1..offsets.len() {
        let len = offsets[to] - offsets[from];
        if len >= TASK_ROWS || to + 1 == offsets.len() {
            let (task, rest) = rows.split_at_mut(len as usize);
            tasks.push((&offsets[from..=to], task));
            (rows, from) = (rest, to);
        }
    }
    tasks
}

/// Moves the rows that stand for their days to the front, days ascending, and says how many they are.
fn keep_days(raw: &ObservationColumns, rows: &mut [u32]) -> u32 {
    let day = |row: u32| raw.day[row as usize];
    if !rows.windows(2).all(|pair| day(pair[0]) < day(pair[1])) {
        rows.sort_unstable_by_key(|&row| (day(row), raw.price[row as usize], row));
    }
    let mut kept = 0;
    for at in 0..rows.len() {
        if kept == 0 || day(rows[kept - 1]) != day(rows[at]) {
            rows[kept] = rows[at];
            kept += 1;
        }
    }
    kept as u32
}
