//! The observations: one row per listing and day, in the order of the listings.

use anyhow::Result;
use polars::prelude::{Column, DataType};

use super::{Table, column, plain};
use crate::catalog::{Catalog, in_stock};
use crate::snapshot::layout::PROMO;

/// Rows after which a row group is written; one listing's rows are never parted.
const GROUP_ROWS: usize = 1 << 20;

pub(super) fn write(catalog: &Catalog, table: &mut Table) -> Result<()> {
    let listings = catalog.listings.country.len() as u32;
    let (mut group, mut from) = (Group::default(), 0);
    for listing in 0..listings {
        group.add(catalog, listing);
        if group.listing.len() >= GROUP_ROWS {
            from = write_group(catalog, std::mem::take(&mut group), from, table)?;
        }
    }
    write_group(catalog, group, from, table)?;
    table.finish()
}

/// Writes the rows from `from` on and says where they end.
fn write_group(catalog: &Catalog, group: Group, from: u32, table: &mut Table) -> Result<u32> {
    let to = from + group.listing.len() as u32;
    let mut columns = group.columns()?;
    columns.extend(plain(catalog.observations.columns.columns(), from..to, |name| name));
    table.group(columns)?;
    Ok(to)
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

    fn columns(self) -> Result<Vec<Column>> {
        Ok(vec![
            column("listing", self.listing),
            column("day", self.day).cast(&DataType::Date)?,
            column("price_cents", self.price),
            column("list_price_cents", self.list_price),
            column("in_stock", self.in_stock),
            column("promo", self.promo),
        ])
    }
}
