//! Observations: one row per listing and day, in the order of the listings. Each stored price spell (consecutive
//! observations with the same price, list price and flags) is expanded to its days.

use anyhow::Result;
use polars::prelude::{Column, DataType};

use super::files::Parts;
use super::{column, count, whole};
use crate::catalog::{Catalog, Spells, in_stock};
use crate::snapshot::layout::PROMO;
use crate::types::Country;

/// Number of rows from which a row group is written. A group contains whole listings, so it may have more rows.
const GROUP_ROWS: usize = 1 << 20;

pub(super) fn write(catalog: &Catalog, country: Country, mut parts: Parts) -> Result<()> {
    let listings = catalog.country_rows(country);
    let mut group = Group::default();
    for listing in listings {
        group.add(catalog, listing);
        if group.listing.len() >= GROUP_ROWS {
            parts.group(std::mem::take(&mut group).columns(country)?)?;
        }
    }
    parts.group(group.columns(country)?)?;
    parts.finish()
}

/// Rows of a row group, by column.
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
        let Spells { price, list_price, flags, .. } = &catalog.spells;
        catalog.all_spells(listing).each_stretch(|spell, days| {
            let rows = self.listing.len() + days.len();
            self.day.extend(days.map(|day| catalog.day(day).days()));
            self.listing.resize(rows, listing);
            self.price.resize(rows, price[spell]);
            self.list_price.resize(rows, Some(list_price[spell]).filter(|&cents| cents > 0));
            self.in_stock.resize(rows, in_stock(flags[spell]));
            self.promo.resize(rows, flags[spell] & PROMO != 0);
        });
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
