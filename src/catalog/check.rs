//! The invariants that the builder promises and requests rely on, checked once at opening.
//!
//! Checksums prove that the bytes are those that were written; these checks prove that what was written makes
//! sense, whoever wrote it. Each fault says what is wrong and where.

use rayon::prelude::*;

use super::Catalog;
use crate::domain::{Condition, Country};
use crate::snapshot::layout::{NO_DAY, NONE};

/// Every invariant that does not hold, one sentence each.
pub(super) fn faults(catalog: &Catalog) -> Vec<String> {
    let checks: [fn(&Catalog) -> Option<String>; 9] = [
        codes,
        listing_order,
        uid_order,
        entities,
        offsets,
        observation_order,
        current,
        categories,
        row_lists,
    ];
    // Later checks index by what earlier ones have proved, so the first fault ends the search.
    checks.iter().find_map(|check| check(catalog)).into_iter().collect()
}

/// The first row for which `holds` is false.
fn first_bad(rows: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    (0..rows).into_par_iter().with_min_len(1 << 14).find_first(|&row| !holds(row))
}

fn codes(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let known = |code: u32, len: usize| code == NONE || (code as usize) < len;
    let bricks = catalog.classification.as_ref().map_or(0, super::Classification::len);
    let bad = first_bad(listings.country.len(), |row| {
        Country::from_u8(listings.country[row]).is_some()
            && Condition::from_u8(listings.condition[row]).is_some()
            && (listings.platform[row] as usize) < catalog.platforms.len()
            && (listings.category[row] as usize) < catalog.taxonomy.nodes().len()
            && (listings.entity[row] as usize) < catalog.entities.len()
            && known(listings.brand[row], catalog.brands.len())
            && known(listings.brick[row], bricks)
            && listings.priced[row] <= 1
    })?;
    Some(format!(
        "listings: row {bad} names a country, platform, category, brand, brick or entity that is not there"
    ))
}

fn listing_order(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let key = |row: usize| {
        let id = listings.product_id.get(row as u32);
        (listings.country[row], listings.category[row], listings.platform[row], id)
    };
    if !catalog.platforms.is_sorted_by(|a, b| a < b) {
        return Some("dictionary: platforms are not in order".into());
    }
    let bad = first_bad(listings.country.len().saturating_sub(1), |row| key(row) < key(row + 1))?;
    Some(format!("listings: row {} is out of order", bad + 1))
}

fn uid_order(catalog: &Catalog) -> Option<String> {
    let (order, ..) = catalog.entities.columns();
    let uid = &catalog.listings.product_uid;
    if let Some(bad) = first_bad(order.len(), |at| (order[at] as usize) < uid.len()) {
        return Some(format!("indices: uid_order {bad} lies outside the listings"));
    }
    let rising = |at: usize| uid[order[at] as usize] < uid[order[at + 1] as usize];
    let bad = first_bad(order.len().saturating_sub(1), rising)?;
    Some(format!("indices: uid_order {} is out of order", bad + 1))
}

fn entities(catalog: &Catalog) -> Option<String> {
    let (_, uid, ends, rows) = catalog.entities.columns();
    let divides = ends.is_sorted_by(|a, b| a < b) && ends.first() != Some(&0);
    if !divides || ends.last().map_or(0, |&end| end as usize) != rows.len() || !uid.is_sorted_by(|a, b| a < b)
    {
        return Some("indices: entities are out of order".into());
    }
    let bad = first_bad(ends.len(), |entity| {
        let members = catalog.entities.all_members(entity as u32);
        let ours = |&row: &u32| catalog.listings.entity.get(row as usize) == Some(&(entity as u32));
        members.is_sorted_by(|a, b| a < b) && members.iter().all(ours)
    })?;
    Some(format!("indices: members of entity {bad} do not belong to it"))
}

fn offsets(catalog: &Catalog) -> Option<String> {
    let offsets = &catalog.observations.offsets;
    let last = offsets.last().map_or(0, |&end| end as usize);
    if offsets.first() != Some(&0) || last != catalog.observations.columns.day.len() {
        return Some("observations: offsets do not span the rows".into());
    }
    let bad = first_bad(offsets.len() - 1, |row| offsets[row] <= offsets[row + 1])?;
    Some(format!("observations: offset {} falls", bad + 1))
}

fn observation_order(catalog: &Catalog) -> Option<String> {
    let columns = &catalog.observations.columns;
    let span = catalog.as_of.minus(catalog.first_day);
    let bad = first_bad(catalog.listings.country.len(), |listing| {
        let rows = catalog.observations.of(listing as u32);
        let days = &columns.day[rows.clone()];
        days.is_sorted_by(|a, b| a < b)
            && days.last().is_none_or(|&day| i32::from(day) < span)
            && columns.price[rows].iter().all(|&price| price > 0)
    })?;
    Some(format!("observations: days or prices of listing {bad} are out of order"))
}

fn current(catalog: &Catalog) -> Option<String> {
    let (listings, columns) = (&catalog.listings, &catalog.observations.columns);
    let bad = first_bad(listings.country.len(), |row| {
        let Some(last) = catalog.observations.of(row as u32).last() else {
            return listings.current_day[row] == NO_DAY && listings.priced[row] == 0;
        };
        let age = catalog.as_of.minus(catalog.day(columns.day[last]));
        listings.current_day[row] == columns.day[last]
            && listings.current_price[row] == columns.price[last]
            && listings.current_list_price[row] == columns.list_price[last]
            && listings.current_flags[row] == columns.flags[last]
            && (listings.priced[row] == 1) == (age <= 90)
    })?;
    Some(format!("listings: the current price of row {bad} is not its latest observation"))
}

fn categories(catalog: &Catalog) -> Option<String> {
    let (taxonomy, listings) = (&catalog.taxonomy, &catalog.listings);
    for country in Country::ALL {
        let bounds = catalog.country_rows(country);
        for node in 0..taxonomy.nodes().len() as u32 {
            let rows = taxonomy.rows(country, node);
            if rows.is_empty() {
                continue;
            }
            let inside = bounds.start <= rows.start && rows.end <= bounds.end;
            let below = |row: u32| taxonomy.is_below(listings.category[row as usize], node);
            // Rows are ordered by category, so the ends of a range speak for all of it.
            let exact = inside
                && below(rows.start)
                && below(rows.end - 1)
                && (rows.start == bounds.start || !below(rows.start - 1))
                && (rows.end == bounds.end || !below(rows.end));
            if !exact {
                return Some(format!(
                    "indices: rows of category {} are not its own",
                    taxonomy.node(node).slug
                ));
            }
        }
    }
    None
}

fn row_lists(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let mut lists = vec![catalog.taxonomy.priced_lists()];
    lists.extend(catalog.classification.iter().flat_map(super::Classification::row_lists));
    for list in &lists {
        if let Some(bad) =
            first_bad(list.rows().len(), |at| (list.rows()[at] as usize) < listings.priced.len())
        {
            return Some(format!("indices: row list entry {bad} lies outside the listings"));
        }
    }
    let by_price = |&row: &u32| (listings.current_price[row as usize], listings.product_uid[row as usize]);
    let priced = |list: &super::RowLists, at: usize| {
        let rows = list.get(at);
        rows.is_sorted_by(|a, b| by_price(a) < by_price(b))
            && rows.iter().all(|&row| listings.priced[row as usize] == 1)
    };
    let nodes = catalog.taxonomy.nodes().len();
    let bad = first_bad(nodes * Country::ALL.len(), |at| {
        let list = catalog.taxonomy.priced_lists();
        let rows = catalog.taxonomy.rows(Country::ALL[at / nodes], (at % nodes) as u32);
        let all = rows.clone().filter(|&row| listings.priced[row as usize] == 1).count();
        priced(list, at) && list.get(at).len() == all && list.get(at).iter().all(|row| rows.contains(row))
    });
    if let Some(bad) = bad {
        return Some(format!("indices: priced rows of category list {bad} are out of order"));
    }
    let [_, codes] = catalog.classification.as_ref()?.row_lists();
    let bad = first_bad(codes.len(), |at| priced(codes, at))?;
    Some(format!("indices: priced rows of classification list {bad} are out of order"))
}
