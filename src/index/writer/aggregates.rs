//! Sums and orders of each shelf, for answers about all of it: prices of what is new, brands, spreads of products
//! across retailers.
//!
//! Nothing here is an answer: it is what answers would otherwise collect from the listings one hop at a time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::ops::Range;

use rayon::prelude::*;

use super::super::normalized::NONE;
use super::super::scratch::{Scratch, TempColumns};
use super::category_scopes::{ByPrice, CategoryScopes};
use super::listing_key::ListingKeys;
use crate::snapshot::columns::{ColumnWriter, Element};
use crate::stats::spreads::{SellerPrice, Spreads};
use crate::types::Condition;

/// Listings of the shelves that are worked on at a time; a larger shelf comes alone.
const LISTINGS_AT_A_TIME: usize = 1 << 17;

/// The columns of a tree, in the order of the file; the name of the tree stands before each.
const COLUMNS: [&str; 16] = [
    "priced_ends",
    "priced_rows",
    "new_ends",
    "new_cents",
    "new_observed",
    "brand_ends",
    "brand",
    "brand_count",
    "brand_observed",
    "spread_ends",
    "spread_lowest",
    "spread_highest",
    "gap_sum",
    "saving_ends",
    "saving_retailers",
    "saving_sum",
];

/// What is prepared about one shelf.
struct ScopeAggregates {
    /// Priced rows in price order.
    rows: Vec<u32>,
    new_cents: Vec<u32>,
    new_observed: [i64; 2],
    /// Brand and number of rows.
    brands: Vec<(u32, u32)>,
    brands_observed: [i64; 2],
    spreads: Spreads<'static>,
}

/// Writes the priced rows of the shelves of a tree and what is prepared about them. Shelves come one after the other and
/// each gives to all columns, so columns grow side by side in temporary files.
pub(super) fn write(
    file: &mut ColumnWriter,
    tree: &str,
    category_scopes: &CategoryScopes,
    (keys, by_price): (&ListingKeys, &ByPrice),
    scratch: &Scratch,
) -> io::Result<()> {
    let mut columns = Columns { tree, temp: TempColumns::new(scratch), totals: HashMap::new() };
    columns.take(&[])?;
    for scopes_of in turns(category_scopes) {
        let of = |scope: usize| ScopeAggregates::of(keys, category_scopes.priced(scope, by_price));
        columns.take(&scopes_of.into_par_iter().map(of).collect::<Vec<_>>())?;
    }
    for name in COLUMNS {
        columns.temp.join(&format!("{tree}_{name}"), file)?;
    }
    Ok(())
}

/// Shelves that are worked on together, in order.
fn turns(category_scopes: &CategoryScopes) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let from = next;
        let mut listings = 0;
        while next < category_scopes.len()
            && (next == from || listings + category_scopes.listings(next) <= LISTINGS_AT_A_TIME)
        {
            listings += category_scopes.listings(next);
            next += 1;
        }
        (from < next).then_some(from..next)
    })
}

/// The columns of a tree while they grow.
struct Columns<'t> {
    tree: &'t str,
    temp: TempColumns,
    /// Entries so far of the columns of which shelves have several.
    totals: HashMap<&'static str, u64>,
}

impl Columns<'_> {
    /// Appends what more shelves have.
    fn take(&mut self, all: &[ScopeAggregates]) -> io::Result<()> {
        self.ends("priced_ends", all, |scope| scope.rows.len())?;
        self.each("priced_rows", all, |scope| scope.rows.iter().copied())?;
        self.ends("new_ends", all, |scope| scope.new_cents.len())?;
        self.each("new_cents", all, |scope| scope.new_cents.iter().copied())?;
        self.each("new_observed", all, |scope| scope.new_observed)?;
        self.ends("brand_ends", all, |scope| scope.brands.len())?;
        self.each("brand", all, |scope| scope.brands.iter().map(|&(brand, _)| brand))?;
        self.each("brand_count", all, |scope| scope.brands.iter().map(|&(_, count)| count))?;
        self.each("brand_observed", all, |scope| scope.brands_observed)?;
        self.ends("spread_ends", all, |scope| scope.spreads.len())?;
        self.each("spread_lowest", all, |scope| scope.spreads.lowest.iter().copied())?;
        self.each("spread_highest", all, |scope| scope.spreads.highest.iter().copied())?;
        self.each("gap_sum", all, |scope| words(scope.spreads.gaps.parts().1))?;
        self.ends("saving_ends", all, |scope| scope.spreads.savings.groups().count())?;
        self.each("saving_retailers", all, |scope| {
            scope.spreads.savings.groups().map(|(retailers, _)| retailers)
        })?;
        self.each("saving_sum", all, |scope| scope.spreads.savings.groups().flat_map(|(_, sum)| words(sum)))
    }

    /// A column of what every shelf has in it.
    fn each<'s, T: Element, I: IntoIterator<Item = T>>(
        &mut self,
        name: &str,
        all: &'s [ScopeAggregates],
        of: impl Fn(&'s ScopeAggregates) -> I,
    ) -> io::Result<()> {
        self.temp.column(&format!("{}_{name}", self.tree), &all.iter().flat_map(of).collect::<Vec<T>>())
    }

    /// Where each shelf ends in columns of which it has `len` entries.
    fn ends(
        &mut self,
        name: &'static str,
        all: &[ScopeAggregates],
        len: impl Fn(&ScopeAggregates) -> usize,
    ) -> io::Result<()> {
        let total = self.totals.entry(name).or_default();
        let mut ends: Vec<u64> = Vec::with_capacity(all.len());
        for scope in all {
            *total += len(scope) as u64;
            ends.push(*total);
        }
        self.temp.column(&format!("{}_{name}", self.tree), &ends)
    }
}

impl ScopeAggregates {
    /// Those of a shelf's priced rows, which come in price order.
    fn of(keys: &ListingKeys, rows: Vec<u32>) -> Self {
        let new: Vec<u32> =
            rows.iter().copied().filter(|&row| keys.condition(row as usize) == Condition::New).collect();
        let is_branded = |row: &u32| keys.brand[*row as usize] != NONE;
        let branded = || rows.iter().copied().filter(is_branded);
        // Of an entity with one listing in the country nothing is compared.
        let shared = new.iter().copied().filter(|&row| keys.members[row as usize] > 1);
        let offer = |row: u32| SellerPrice {
            product: keys.entity[row as usize],
            cents: keys.price[row as usize],
            seller: keys.platform[row as usize],
        };
        Self {
            new_cents: new.iter().map(|&row| keys.price[row as usize]).collect(),
            new_observed: observed(keys, new.iter().copied()),
            brands: counts(branded().map(|row| keys.brand[row as usize]).collect()),
            brands_observed: observed(keys, branded()),
            spreads: Spreads::of(shared.map(offer).collect()),
            rows,
        }
    }
}

/// The oldest and the newest of the latest observations of some rows; zeros for none.
fn observed(keys: &ListingKeys, rows: impl Iterator<Item = u32>) -> [i64; 2] {
    let mut instants = rows.map(|row| keys.latest_instant[row as usize]);
    let first = instants.next().unwrap_or_default();
    instants.fold([first, first], |[oldest, newest], instant| [oldest.min(instant), newest.max(instant)])
}

/// How often each brand stands there: the most frequent first, equal ones in brand order.
fn counts(mut brands: Vec<u32>) -> Vec<(u32, u32)> {
    brands.sort_unstable();
    let mut counts: Vec<(u32, u32)> =
        brands.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
    counts.sort_unstable_by_key(|&(brand, count)| (Reverse(count), brand));
    counts
}

/// A sum of 128 bits as two words, the low one first.
fn words(sum: u128) -> [u64; 2] {
    [sum as u64, (sum >> u64::BITS) as u64]
}
