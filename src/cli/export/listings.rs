//! Listings as the build wrote them: keys, names, links to entity, brand, category and product type.
//!
//! All columns of optional numbers and of texts are exported unchanged. Other columns, such as codes and references,
//! are converted one by one.

use std::ops::Range;

use anyhow::Result;
use polars::prelude::{Column, DataType, TimeUnit};

use super::files::Parts;
use super::{column, count, plain, whole};
use crate::catalog::{Catalog, Listing, SuspectReason};
use crate::snapshot::layout::NO_DAY;
use crate::snapshot::tables::ListingInput;
use crate::types::Country;

/// Number of rows in a row group.
const GROUP_ROWS: u32 = 100_000;
/// The columns that come first, in this order; others follow.
const FIRST: [&str; 21] = [
    "listing",
    "product_uid",
    "country",
    "retailer",
    "product_id",
    "product_name",
    "brand",
    "category",
    "condition",
    "gtin",
    "entity",
    "entity_uid",
    "match_suspect_reasons",
    "gpc_code",
    "rating",
    "review_count",
    "pack_count",
    "pack_quantity",
    "pack_unit",
    "url",
    "observed_at",
];

pub(super) fn write(catalog: &Catalog, country: Country, mut parts: Parts) -> Result<()> {
    let rows = catalog.country_rows(country);
    for from in rows.clone().step_by(GROUP_ROWS as usize) {
        parts.group(columns(catalog, from..rows.end.min(from.saturating_add(GROUP_ROWS)))?)?;
    }
    parts.finish()
}

fn columns(catalog: &Catalog, rows: Range<u32>) -> Result<Vec<Column>> {
    let listings: Vec<Listing<'_>> = rows.clone().map(|row| catalog.listing(row)).collect();
    /// Makes a column from a closure over listings.
    macro_rules! each {
        ($name:literal, $value:expr) => {
            column($name, listings.iter().map($value).collect::<Vec<_>>())
        };
    }
    let observed = |listing: &Listing<'_>| {
        let seen = catalog.listings.current_day[listing.row as usize] != NO_DAY;
        seen.then(|| listing.observed_at().micros())
    };
    let observed = each!("observed_at", observed);
    let mut columns = vec![
        whole("listing", rows.clone()),
        each!("product_uid", |listing| listing.uid().to_string()),
        each!("country", |listing| listing.country().as_str()),
        each!("retailer", |listing| listing.retailer()),
        each!("brand", |listing| listing.brand()),
        whole("category", listings.iter().map(|listing| listing.category())),
        each!("condition", |listing| listing.condition().as_str()),
        each!("gtin", |listing| listing.gtin()),
        whole("entity", listings.iter().map(|listing| listing.entity())),
        each!("entity_uid", |listing| listing.entity_uid().to_string()),
        each!("match_suspect_reasons", |listing| suspicions(catalog, listing)),
        each!("gpc_code", |listing| brick(catalog, listing)),
        count("pack_count", listings.iter().map(|listing| listing.pack().map(|pack| pack.count()))),
        each!("pack_quantity", |listing| listing.pack().map(|pack| pack.quantity())),
        each!("pack_unit", |listing| listing.pack().map(|pack| pack.unit().as_str())),
        observed.cast(&DataType::Datetime(TimeUnit::Microseconds, None))?,
    ];
    columns.extend(plain(catalog.listings.columns(), rows, exported));
    let place = |column: &Column| FIRST.iter().position(|name| column.name() == name);
    columns.sort_by_key(|column| place(column).unwrap_or(FIRST.len()));
    Ok(columns)
}

/// Returns the exported name of a column of the snapshot.
fn exported(name: &'static str) -> &'static str {
    if name == "name" { ListingInput::ProductName.name() } else { name }
}

/// Reasons why the entity of the listing may combine different products in the country of the listing: the words of the
/// API, separated by spaces. `None` without a reason.
fn suspicions(catalog: &Catalog, listing: &Listing<'_>) -> Option<String> {
    let reasons = catalog.entities.suspect_reasons(listing.entity(), listing.country());
    let words: Vec<&str> = reasons.into_iter().map(SuspectReason::as_str).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Code of the GPC brick to which the listing is mapped, with eight digits; `None` if it is not mapped.
fn brick(catalog: &Catalog, listing: &Listing<'_>) -> Option<String> {
    let (node, _) = listing.brick()?;
    Some(format!("{:08}", catalog.classification.as_ref()?.code(node)))
}
