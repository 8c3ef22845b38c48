//! The observations: one row per listing and day, in the order of the listings.

use anyhow::Result;
use polars::prelude::{Column, DataType};

use super::files::Parts;
use super::{column, count, plain, whole};
use crate::catalog::{Catalog, in_stock};
use crate::domain::Country;
use crate::snapshot::layout::PROMO;

/// Rows after which a row group is written; it ends with a listing, so a group may have some days more.
const GROUP_ROWS: usize = 1 << 20;

pub(super) fn write(catalog: &Catalog, country: Country, mut parts: Parts) -> Result<()> {
    let listings = catalog.country_rows(country);
    let mut from = catalog.observations.offsets[listings.start as usize];
    let mut group = Group::default();
    for listing in listings {
        group.add(catalog, listing);
        if group.listing.len() >= GROUP_ROWS {
            let full = std::mem::take(&mut group);
            from += full.write(catalog, country, from, &mut parts)?;
        }
    }
    group.write(catalog, country, from, &mut parts)?;
    parts.finish()
}

/// Rows of a row group.
#[derive(Default)]
struct Group {
    listing: Vec<u32>,
    /// Days since 1970.
    day: Vec<i32>,
    price: Vec<u32>,
    list_price: Vec<Option<u32>>,
    in_stock: Vec<Option<bool>>,
    promo: Vec<bool>,
}

impl Group {
    fn add(&mut self, catalog: &Catalog, listing: u32) {
        let columns = &catalog.observations.columns;
        for row in catalog.observations.of(listing) {
            self.listing.push(listing);
            self.day.push(catalog.day(columns.day[row]).days());
            self.price.push(columns.price[row]);
            self.list_price.push(Some(columns.list_price[row]).filter(|&cents| cents > 0));
            self.in_stock.push(in_stock(columns.flags[row]));
            self.promo.push(columns.flags[row] & PROMO != 0);
        }
    }

    /// Writes the rows, which are those from `from` on, and says how many they are.
    fn write(self, catalog: &Catalog, country: Country, from: u32, parts: &mut Parts) -> Result<u32> {
        let rows = self.listing.len() as u32;
        let mut columns = self.columns(country)?;
        columns.extend(plain(catalog.observations.columns.columns(), from..from + rows, |name| name));
        parts.group(columns)?;
        Ok(rows)
    }

    fn columns(self, country: Country) -> Result<Vec<Column>> {
        let countries = vec![country.as_str(); self.listing.len()];
        Ok(vec![
            whole("listing", self.listing),
            column("country", countries),
            column("day", self.day).cast(&DataType::Date)?,
            whole("price_cents", self.price),
            count("list_price_cents", self.list_price),
            column("in_stock", self.in_stock),
            column("promo", self.promo),
        ])
    }
}
