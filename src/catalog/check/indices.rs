//! Checks the indices against the listings and observations from which they are derived.

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::snapshot::layout::{NO_DAY, NONE};
use crate::snapshot::lists::RowLists;
use crate::snapshot::values::first_bad;
use crate::types::Country;

pub(super) fn uid_order(catalog: &Catalog) -> Option<String> {
    let (uid, order) = catalog.entities.uid_order();
    let of_row = &catalog.listings.product_uid;
    if let Some(bad) = first_bad(order.len(), |at| of_row.get(order[at] as usize) == Some(&uid[at])) {
        return Some(format!("indices: uid_order {bad} is not the row of its uid"));
    }
    let bad = first_bad(uid.len().saturating_sub(1), |at| uid[at] < uid[at + 1])?;
    Some(format!("indices: listing_uid {} is out of order", bad + 1))
}

pub(super) fn entities(catalog: &Catalog) -> Option<String> {
    let (uid, ends, rows) = catalog.entities.columns();
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

/// Rows are ordered by category within a country, so the rows of a subtree are contiguous.
pub(super) fn categories(catalog: &Catalog) -> Option<String> {
    let (taxonomy, listings) = (&catalog.taxonomy, &catalog.listings);
    for country in Country::ALL {
        let bounds = catalog.country_rows(country);
        let category = &listings.category[bounds.start as usize..bounds.end as usize];
        let begin = |node: u32| bounds.start + category.partition_point(|&other| other < node) as u32;
        for (node, entry) in taxonomy.nodes().iter().enumerate() {
            let expect = begin(node as u32)..begin(entry.subtree_end);
            let expect = if expect.is_empty() { 0..0 } else { expect };
            if taxonomy.rows(country, node as u32) != expect {
                return Some(format!("indices: rows of category {} do not match the listings", entry.slug));
            }
        }
    }
    None
}

/// Each list must have all priced rows of its category, by price.
pub(super) fn category_lists(catalog: &Catalog) -> Option<String> {
    let nodes = catalog.taxonomy.nodes().len();
    let lists = catalog.taxonomy.scopes().priced();
    if let Some(bad) = outside(catalog, lists) {
        return Some(format!("indices: category_priced_rows {bad} lies outside the listings"));
    }
    let bad = first_bad(lists.len(), |at| {
        let rows = catalog.taxonomy.rows(Country::ALL[at / nodes], (at % nodes) as u32);
        let priced = rows.clone().filter(|&row| catalog.listings.priced[row as usize] == 1).count();
        let list = lists.get(at);
        list.len() == priced && by_price(catalog, list) && list.iter().all(|row| rows.contains(row))
    })?;
    Some(format!("indices: priced rows of category list {bad} are out of order"))
}

/// Each brick must list all its rows, and each node of the classification the priced rows of its bricks, by price.
pub(super) fn classification_lists(catalog: &Catalog) -> Option<String> {
    let classification = catalog.classification.as_ref()?;
    let (listings, nodes) = (&catalog.listings, classification.len());
    let (bricks, scopes) = classification.lists();
    let priced = scopes.priced();
    for (lists, name) in [(bricks, "brick_rows"), (priced, "code_priced_rows")] {
        if let Some(bad) = outside(catalog, lists) {
            return Some(format!("indices: {name} {bad} lies outside the listings"));
        }
    }
    let place = |at: usize| (Country::ALL[at / nodes], (at % nodes) as u32);
    let bad = first_bad(bricks.len(), |at| {
        let (country, node) = place(at);
        let within = catalog.country_rows(country);
        let own = |row: &u32| within.contains(row) && listings.brick[*row as usize] == node;
        bricks.get(at).is_sorted_by(|a, b| a < b) && bricks.get(at).iter().all(own)
    });
    let listed = listings.brick.iter().filter(|&&brick| brick != NONE).count();
    if bad.is_some() || bricks.rows().len() != listed {
        return Some(format!(
            "indices: rows of classification list {} do not match the listings",
            bad.unwrap_or_default()
        ));
    }
    let bad = first_bad(priced.len(), |at| {
        let (country, node) = place(at);
        let (within, below) = (catalog.country_rows(country), classification.subtree(node));
        let own = |row: &u32| within.contains(row) && below.contains(&listings.brick[*row as usize]);
        let rows = classification.rows(country, node).iter();
        let list = priced.get(at);
        list.len() == rows.filter(|&&row| listings.priced[row as usize] == 1).count()
            && by_price(catalog, list)
            && list.iter().all(own)
    })?;
    Some(format!("indices: priced rows of classification list {bad} are out of order"))
}

/// The index of the first entry of the lists that is not a row of the listings.
fn outside(catalog: &Catalog, lists: &RowLists) -> Option<usize> {
    let listings = catalog.listings.country.len();
    first_bad(lists.rows().len(), |at| (lists.rows()[at] as usize) < listings)
}

/// Whether all rows are priced and in ascending order of price, then of product uid.
fn by_price(catalog: &Catalog, rows: &[u32]) -> bool {
    let listings = &catalog.listings;
    let key = |&row: &u32| (listings.current_price[row as usize], listings.product_uid[row as usize]);
    rows.is_sorted_by(|a, b| key(a) < key(b)) && rows.iter().all(|&row| listings.priced[row as usize] == 1)
}

pub(super) fn brand_counts(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let mut counts = vec![([0; Country::ALL.len()], [0; Country::ALL.len()]); catalog.brands.len()];
    for row in (0..listings.brand.len()).filter(|&row| listings.brand[row] != NONE) {
        let (all, priced) = &mut counts[listings.brand[row] as usize];
        let country = usize::from(listings.country[row]);
        all[country] += 1;
        priced[country] += u32::from(listings.priced[row]);
    }
    let wrong =
        catalog.brands.iter().zip(counts).find(|(brand, counts)| (brand.listings, brand.priced) != *counts);
    Some(format!("dictionary: the listings of brand {} are miscounted", wrong?.0.label))
}

pub(super) fn coverage(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let mut counts: BTreeMap<(u16, u8, u32), ([u32; 3], i64)> = BTreeMap::new();
    for row in (0..listings.country.len()).filter(|&row| listings.current_day[row] != NO_DAY) {
        let root = catalog.taxonomy.node(listings.category[row]).root;
        let cell =
            counts.entry((listings.platform[row], listings.country[row], root)).or_insert(([0; 3], i64::MIN));
        cell.0[0] += 1;
        cell.0[1] += u32::from(listings.priced[row]);
        cell.0[2] += u32::from(listings.brand[row] != NONE);
        cell.1 = cell.1.max(listings.latest_instant[row]);
    }
    let cells = catalog.coverage.cells.iter().map(|cell| {
        let key = (cell.platform, cell.country.as_u8(), cell.root);
        (key, ([cell.priced, cell.recent, cell.branded], cell.newest.micros()))
    });
    (!cells.eq(counts)).then(|| "dictionary: the coverage cells do not match the listings".into())
}
