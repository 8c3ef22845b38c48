//! Prepared data of each category scope of a tree, by (country, node): its priced rows in price order, and the orders
//! and exact sums that answers about the whole scope need.
//!
//! Without these data, an answer about a whole scope would have to read every listing of the scope. Prices of new
//! products are stored in ascending order, so quantiles, bands, price tiers and histogram bins are found by rank or by
//! binary search. Brands are stored in the order of their counts. For each entity that at least two retailers sell, the
//! lowest and the highest price are stored, in the order of the spreads, with the sums from which means are computed.
//! The oldest and the newest instant are stored too. The data are orders and exact sums, not answers: rounding happens
//! when an answer is built.
//!
//! All these data are derived from the listings, and `check` computes them again at opening. A part of a scope (one
//! retailer, a code within a category) has no prepared data and is computed from its rows by the same functions.

use polars_buffer::Buffer;

use crate::snapshot::columns::{ColumnFile, Element};
use crate::snapshot::lists::{Ends, RowLists};
use crate::stats::exact::MeanOfMeans;
use crate::stats::mean_of_ratios::MeanOfRatios;
use crate::stats::spreads::Spreads;
use crate::types::Instant;

/// The prepared data of all category scopes of a tree.
pub(super) struct CategoryScopes {
    priced: RowLists,
    new_ends: Ends,
    new_cents: Buffer<u32>,
    new_observed: Buffer<i64>,
    brand_ends: Ends,
    brand: Buffer<u32>,
    brand_count: Buffer<u32>,
    brand_observed: Buffer<i64>,
    spread_ends: Ends,
    spread_lowest: Buffer<u32>,
    spread_highest: Buffer<u32>,
    gap_sum: Buffer<u64>,
    saving_ends: Ends,
    saving_retailers: Buffer<u32>,
    saving_sum: Buffer<u64>,
}

impl CategoryScopes {
    /// Loads the prepared data of `scopes` scopes from a mapped file. Column names begin with `tree`.
    ///
    /// # Errors
    /// Returns an error if a column is missing or does not fit the others.
    pub(super) fn load(file: &ColumnFile, tree: &str, scopes: usize) -> Result<Self, String> {
        let name = |part: &str| format!("{tree}_{part}");
        let ends = |part: &str, len: usize| Ends::load(file, &name(part), scopes, len);
        let new_cents = column(file, &name("new_cents"))?;
        let (brand, spread_lowest) = (column(file, &name("brand"))?, column(file, &name("spread_lowest"))?);
        let saving_retailers: Buffer<u32> = column(file, &name("saving_retailers"))?;
        Ok(Self {
            priced: RowLists::load(file, &name("priced"), scopes)?,
            new_ends: ends("new", new_cents.len())?,
            new_observed: file.column_of(&name("new_observed"), 2 * scopes)?,
            brand_ends: ends("brand", brand.len())?,
            brand_count: file.column_of(&name("brand_count"), brand.len())?,
            brand_observed: file.column_of(&name("brand_observed"), 2 * scopes)?,
            spread_ends: ends("spread", spread_lowest.len())?,
            spread_highest: file.column_of(&name("spread_highest"), spread_lowest.len())?,
            gap_sum: file.column_of(&name("gap_sum"), 2 * scopes)?,
            saving_ends: ends("saving", saving_retailers.len())?,
            saving_sum: file.column_of(&name("saving_sum"), 2 * saving_retailers.len())?,
            new_cents,
            brand,
            spread_lowest,
            saving_retailers,
        })
    }

    /// The priced rows of each scope, by price.
    pub(super) fn priced(&self) -> &RowLists {
        &self.priced
    }

    /// The prepared data of one scope.
    pub(super) fn get(&self, at: usize) -> ScopeAggregates<'_> {
        ScopeAggregates { scopes: self, at }
    }
}

fn column<T: Element>(file: &ColumnFile, name: &str) -> Result<Buffer<T>, String> {
    file.column(name)
}

/// The prepared data of one category scope.
#[derive(Clone, Copy)]
pub struct ScopeAggregates<'a> {
    scopes: &'a CategoryScopes,
    at: usize,
}

impl<'a> ScopeAggregates<'a> {
    /// Priced rows, by price, then by product uid.
    pub fn priced_rows(self) -> &'a [u32] {
        self.scopes.priced.get(self.at)
    }

    /// Prices in cents of the priced rows of condition new, ascending.
    pub fn new_cents(self) -> &'a [u32] {
        &self.scopes.new_cents[self.scopes.new_ends.of(self.at)]
    }

    /// The instants of the oldest and the newest observation behind [`Self::new_cents`]; `None` without prices.
    pub fn new_observed(self) -> Option<(Instant, Instant)> {
        (!self.new_cents().is_empty()).then(|| self.observed(&self.scopes.new_observed))
    }

    /// The brands of the priced rows and their numbers of rows, in descending order of the numbers, then in brand
    /// order.
    pub fn brands(self) -> (&'a [u32], &'a [u32]) {
        let lies = self.scopes.brand_ends.of(self.at);
        (&self.scopes.brand[lies.clone()], &self.scopes.brand_count[lies])
    }

    /// The instants of the oldest and the newest observation of the priced rows with a brand; `None` without such rows.
    pub fn brands_observed(self) -> Option<(Instant, Instant)> {
        (!self.brands().0.is_empty()).then(|| self.observed(&self.scopes.brand_observed))
    }

    /// The spreads of entities across retailers, over priced rows of condition new.
    pub fn spreads(self) -> Spreads<'a> {
        let Self { scopes, at } = self;
        let lies = scopes.spread_ends.of(at);
        let products = lies.len() as u64;
        let groups = scopes.saving_ends.of(at);
        let groups = groups.map(|group| (scopes.saving_retailers[group], wide(&scopes.saving_sum, group)));
        Spreads {
            lowest: scopes.spread_lowest[lies.clone()].into(),
            highest: scopes.spread_highest[lies].into(),
            gaps: MeanOfRatios::of_parts(products, wide(&scopes.gap_sum, at)),
            savings: MeanOfMeans::of_groups(products, groups),
        }
    }

    fn observed(self, column: &[i64]) -> (Instant, Instant) {
        (Instant::from_micros(column[2 * self.at]), Instant::from_micros(column[2 * self.at + 1]))
    }
}

/// A 128-bit sum, stored as two words of a column, low word first.
fn wide(column: &[u64], at: usize) -> u128 {
    u128::from(column[2 * at]) | u128::from(column[2 * at + 1]) << u64::BITS
}
